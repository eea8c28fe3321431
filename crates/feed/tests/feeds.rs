//! Feeds of every kind, valid and malformed.

use proptest::prelude::*;
use sitegrove_feed::{Feed, FeedError, FeedSource, LostItems, parse};

/// Bytes of the largest feed that is read.
const LIMIT: usize = 16 << 20;

const SOURCE: FeedSource<'static> =
    FeedSource { id: "a.xml", url: Some("https://a.org/feeds/main.xml"), http_charset: None };

fn read(text: &str) -> Feed {
    parse(text.as_bytes(), &SOURCE, LIMIT).unwrap()
}

fn rss(items: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"><channel>\
         <title>A &amp;amp; B</title><link>https://b.org/home/</link><language>en-gb</language>\
         {items}</channel></rss>"
    )
}

fn links(feed: &Feed) -> Vec<&str> {
    feed.items.iter().map(|item| item.link.as_str()).collect()
}

#[test]
fn rss_2() {
    let feed = read(&rss("<item><title>One &lt;b&gt;bold&lt;/b&gt; AT&amp;amp;T</title>\
         <link> https://b.org/1 </link><guid>x</guid><dc:creator>Ann</dc:creator>\
         <description><![CDATA[<p>Some</p><p>text</p>]]></description>\
         <content:encoded><![CDATA[<h1>Full</h1> text]]></content:encoded>\
         <category>News</category><category>News</category>\
         <pubDate>Fri, 01 Jun 2012 10:00:00 +0200</pubDate></item>"));
    let item = &feed.items[0];
    assert_eq!(item.title, "One bold AT&T");
    assert_eq!(item.link, "https://b.org/1");
    assert_eq!(item.description, "Some text");
    assert_eq!(item.content.as_deref(), Some("Full\ntext"));
    assert_eq!(
        (&item.authors[..], &item.tags[..]),
        (&["Ann".to_owned()][..], &["News".to_owned()][..])
    );
    assert_eq!(item.published.as_deref(), Some("Fri, 01 Jun 2012 10:00:00 +0200"));
    assert_eq!((item.feed.as_str(), item.language.as_deref()), ("a.xml", Some("en-gb")));
}

#[test]
fn links_relative_and_by_guid() {
    let feed = read(&rss("<item><link>/1</link></item><item><link>2</link></item>\
         <item><guid>https://b.org/3?a=1&amp;b=2</guid></item>\
         <item><guid isPermaLink=\"false\">https://b.org/4?a=1&amp;b=2</guid></item>\
         <item><link>javascript:void(0)</link><guid>5</guid></item>"));
    assert_eq!(
        links(&feed),
        ["https://b.org/1", "https://b.org/home/2", "https://b.org/3?a=1&b=2"]
    );
    assert_eq!(feed.left_out, Some(LostItems { items: 2, why: "it has no link" }));
    let relative = rss("<item><link>/1</link></item>").replace("https://b.org/home/", "");
    assert_eq!(links(&read(&relative)), ["https://a.org/1"]);
}

#[test]
fn ampersands_escaped_twice_and_the_beginning_of_unix_time() {
    let feed = read(&rss("<item><link>https://b.org/1?a=1&amp;amp;b=2</link>\
         <pubDate>Thu, 01 Jan 1970 00:00:00 +0000</pubDate><dc:date>2020-05-03</dc:date></item>"));
    assert_eq!(links(&feed), ["https://b.org/1?a=1&b=2"]);
    assert_eq!(feed.items[0].published.as_deref(), Some("2020-05-03"));
}

#[test]
fn texts_have_their_blocks_but_no_ending_that_others_share() {
    let item = |at: usize, text: &str| {
        format!(
            "<item><title>Pear {at}</title><link>https://b.org/{at}</link><description>{text}</description></item>"
        )
    };
    let descriptions = |end: &dyn Fn(usize) -> String| -> Vec<String> {
        let items = ["One ripens.", "Two is late.", "Three is eaten!", "Four"].iter().enumerate();
        let items: String =
            items.map(|(at, text)| item(at, &format!("&lt;p>{text}&lt;/p>{}", end(at)))).collect();
        read(&rss(&items)).items.into_iter().map(|item| item.description).collect()
    };
    let own = ["One ripens.", "Two is late.", "Three is eaten!", "Four"];
    let appeared = |at| format!("&lt;p>The post &lt;b>Pear {at}&lt;/b> appeared first on Orchard.");
    assert_eq!(descriptions(&appeared), own);
    let more = |at| format!(" &lt;a>Continue reading Pear {at} →&lt;/a>");
    assert_eq!(descriptions(&more), own);
    let one = |at| if at == 1 { "See below.".to_owned() } else { String::new() };
    assert_eq!(descriptions(&one), ["One ripens.", "Two is late. See below.", own[2], own[3]]);
    let items: String = (0..3).map(|at| item(at, "&lt;a>Comments&lt;/a>")).collect();
    assert_eq!(read(&rss(&items)).items[0].description, "");
    // A full text.
    let text = format!("&lt;p>{}&lt;/p>", "Pears ripen. ".repeat(60)).repeat(3);
    let full = &read(&rss(&item(1, &text))).items[0];
    assert_eq!(full.content.as_deref().unwrap_or_default().lines().count(), 3);
    assert!(!full.description.contains('\n'));
    assert_eq!(read(&rss(&item(1, &text[..300]))).items[0].content, None);
}

#[test]
fn items_that_other_programs_changed() {
    let feed = read(&rss("<item><link/>https://b.org/1<title><![cdata[A <b>pear</b>]]></title>\
         <author>Jane Doe&lt;br/>John Roe</author><pubDate>2026-09-10T08:30:00.197012Z</pubDate></item>"));
    assert_eq!(links(&feed), ["https://b.org/1"]);
    let item = &feed.items[0];
    assert_eq!((&*item.title, &*item.authors[0]), ("A pear", "Jane Doe; John Roe"));
    assert_eq!(item.published.as_deref(), Some("2026-09-10T08:30:00.197012Z"));
}

#[test]
fn older_versions() {
    for version in [
        "version=\"0.91\"",
        "version=\"0.93\"",
        "version=\"2.00\"",
        "version='2.0' xmlns='http://backend.userland.com/rss2'",
        "",
    ] {
        let feed = rss("<item><title>t</title><link>https://b.org/1</link></item>");
        let feed = read(&feed.replace("version=\"2.0\"", version));
        assert_eq!(links(&feed), ["https://b.org/1"], "{version}");
    }
    for namespace in ["http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"] {
        let feed = read(&format!(
            "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"{namespace}\">\
             <channel><title>C</title><link>https://b.org/</link></channel>\
             <item><title>t</title><link>https://b.org/1</link></item></rdf:RDF>"
        ));
        assert_eq!(links(&feed), ["https://b.org/1"], "{namespace}");
    }
}

#[test]
fn atom() {
    let feed = read(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title>\
         <author><name>Ann</name></author><link href='https://b.org/'/>\
         <entry><title type='html'>a &lt;b&gt;b&lt;/b&gt;</title><id>tag:1</id>\
         <link rel='enclosure' href='/x.mp3'/><link rel='alternate' href='/1'/>\
         <updated>2020-01-02T03:04:05Z</updated><summary>1 &lt; 2</summary>\
         <content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>x</p></div></content>\
         </entry></feed>",
    );
    let item = &feed.items[0];
    assert_eq!((item.link.as_str(), item.title.as_str()), ("https://b.org/1", "a b"));
    assert_eq!((item.description.as_str(), item.content.as_deref()), ("1 < 2", Some("x")));
    assert_eq!(item.published.as_deref(), Some("2020-01-02T03:04:05Z"));
    assert_eq!(item.authors, ["Ann"]);
    let feed = read(
        "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title>F</title>\
         <entry><title type=\"text/plain\">t</title><link rel='alternate' type='text/html' href='https://b.org/1'/>\
         <issued>2004-01-02T03:04:05Z</issued></entry></feed>",
    );
    assert_eq!(links(&feed), ["https://b.org/1"]);
    assert_eq!(feed.items[0].published.as_deref(), Some("2004-01-02T03:04:05Z"));
}

#[test]
fn json() {
    let feed = read(
        "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"F\",\
         \"home_page_url\":\"https://b.org/\",\"items\":[{\"id\":\"1\",\"url\":\"https://b.org/1\",\
         \"title\":\"A &amp; <B>\",\"content_html\":\"<p>x</p>\",\"date_published\":\"2020-01-02T03:04:05Z\"}]}",
    );
    let item = &feed.items[0];
    assert_eq!((item.link.as_str(), item.title.as_str()), ("https://b.org/1", "A & <B>"));
    assert_eq!(item.content.as_deref(), Some("x"));
}

#[test]
fn repairs() {
    let good = "<item><title>t</title><link>https://b.org/1?a=1</link></item>";
    for (text, links_found) in [
        (
            rss("<item><title>AT&T</title><link>https://b.org/1?a=1&b=2</link></item>"),
            "https://b.org/1?a=1&b=2",
        ),
        (rss("<item><title>1 < 2</title><link>https://b.org/1</link></item>"), "https://b.org/1"),
        (
            rss("<item><title>a\u{1}b&#2;</title><link>https://b.org/1</link></item>"),
            "https://b.org/1",
        ),
        (format!("\n\n  junk {}", rss(good)), "https://b.org/1?a=1"),
        (rss(good).replace("?>", " encoding=\"utf-16\"?>"), "https://b.org/1?a=1"),
        (rss(good).replace("</channel></rss>", "<item><title>cut"), "https://b.org/1?a=1"),
        (rss(&format!("<item><title>x</b></title></item>{good}")), "https://b.org/1?a=1"),
        (rss(good).replace("<rss ", "<rss xml:base='http://['  "), "https://b.org/1?a=1"),
    ] {
        let feed = read(&text);
        assert_eq!(links(&feed), [links_found], "{text}");
    }
    let rdf = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
               xmlns='http://purl.org/rss/1.0/'><channel rdf:about='c'><title>c</title></channel>\
               <item rdf:about='https://b.org/1?a=1&amp;b=2'><title>t</title></item></rdf:RDF>";
    assert_eq!(links(&read(rdf)), ["https://b.org/1?a=1&b=2"]);
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><id>f</id><title>f</title><entry><id>e</id>\
                <title type='application/octet-stream'>eA==</title><link href='https://b.org/1'/>\
                </entry></feed>";
    assert_eq!(links(&read(atom)), ["https://b.org/1"]);
    let latin = rss(&good.replace("<title>t", "<title>caf\u{e9}"));
    let bytes: Vec<u8> = latin.chars().map(|c| c as u8).collect();
    let feed = parse(&bytes, &SOURCE, LIMIT).unwrap();
    assert_eq!(feed.items[0].title, "café");
}

#[test]
fn errors() {
    let fails = |text: &str| parse(text.as_bytes(), &SOURCE, LIMIT).unwrap_err();
    assert!(matches!(fails("<html><body>no feed</body></html>"), FeedError::NotAFeed(_)));
    assert!(matches!(fails("hello"), FeedError::NotAFeed(_)));
    assert!(matches!(fails(""), FeedError::NotAFeed(_)));
    assert!(matches!(fails("{\"title\": \"no items\"}"), FeedError::NotAFeed(_)));
    let without_links = "<x:feed xmlns:x='urn:unknown'><x:item/><item></item></x:feed>";
    assert_eq!(fails(without_links), FeedError::NoItems("it has no link"));
    let large = parse(&[b' '; 100], &SOURCE, 99);
    assert_eq!(large, Err(FeedError::TooLarge { bytes: 100, limit: 99 }));
    assert!(read(&rss("")).items.is_empty());
}

#[test]
fn bombs_are_harmless() {
    let mut entities = String::from("<!DOCTYPE rss [<!ENTITY a0 \"xxxxxxxxxx\">");
    for i in 1..30 {
        entities += &format!("<!ENTITY a{i} \"&a{};&a{};\">", i - 1, i - 1);
    }
    let body = rss("<item><title>&a29;</title><link>https://b.org/1</link></item>");
    let bomb = body.replace("<rss", &format!("{entities}]><rss"));
    let feed = read(&bomb);
    assert!(feed.items[0].title.len() < 100);
    // Each of these was or could be quadratic.
    let start = std::time::Instant::now();
    for piece in [
        "<item>", "<!--", "<![CDATA[", "<a ", "&", "<script>", "<a =\"><", "<!DOCTYPE x [",
        "</item>", "<item><![CDATA[", "<item><!--", "<item><?", "<item><a b='", "<a></b>",
        "<!--<item>",
    ] {
        let _ = parse(rss(&piece.repeat(100_000)).as_bytes(), &SOURCE, LIMIT);
        let title = format!("<item><title><![CDATA[{}]]></title></item>", piece.repeat(100_000));
        let _ = parse(rss(&title).as_bytes(), &SOURCE, LIMIT);
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn anything_ends(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 0..12)) {
        let mut bytes = rss("<item><title>a<![CDATA[<b>]]>&amp;</title><link>/1</link></item><item><guid>x</guid></item>").into_bytes();
        for (index, byte, cut) in damage {
            let at = index.index(bytes.len());
            if cut { bytes.remove(at); } else { bytes[at] = byte; }
        }
        let _ = parse(&bytes, &SOURCE, LIMIT);
    }

    #[test]
    fn any_text_ends(text in "[<>&;!\\[\\]/a-c=\"' é-]{0,200}") {
        let _ = parse(text.as_bytes(), &SOURCE, LIMIT);
        let _ = parse(rss(&text).as_bytes(), &SOURCE, LIMIT);
        sitegrove_feed::plain(&text);
    }
}

#[test]
fn what_is_no_article_is_no_link() {
    // A guid is a link over http, too; of several links, the one to the article's page is used.
    let feed = read(&rss("<item><guid>http://b.org/6</guid></item>\
         <item><guid>ftp://b.org/7</guid></item>\
         <item><comments>https://b.org/8#comments</comments><guid>8</guid></item>"));
    assert_eq!(links(&feed), ["http://b.org/6"]);
    let atom = read(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>f</id><title>T</title>\
         <updated>2024-05-01T10:00:00Z</updated><author><email>desk@b.org</email></author>\
         <entry><id>1</id><title>One</title><updated>2024-05-01T10:00:00Z</updated>\
         <link rel=\"replies\" href=\"https://b.org/1/replies\"/>\
         <link rel=\"alternate\" type=\"application/pdf\" href=\"https://b.org/1.pdf\"/>\
         <link rel=\"alternate\" type=\"text/html\" href=\"https://b.org/1\"/>\
         <content type=\"text\">1 &lt; 2 &amp;amp; more</content></entry>\
         <entry><id>2</id><title>Two</title><updated>2024-05-01T10:00:00Z</updated>\
         <author><name>Ann</name></author><link href=\"https://b.org/2\"/>\
         <content type=\"image/svg+xml\">&lt;svg/&gt;</content></entry></feed>",
    );
    assert_eq!(links(&atom), ["https://b.org/1", "https://b.org/2"]);
    let [one, two] = &atom.items[..] else { panic!("{:?}", atom.items) };
    assert_eq!(
        (&one.authors[..], &two.authors[..]),
        (&["desk@b.org".to_owned()][..], &["Ann".to_owned()][..])
    );
    assert!(one.content.as_deref().is_some_and(|text| text.starts_with("1 < 2")), "{one:?}");
    assert_eq!(two.content, None);
}

#[test]
fn a_feed_may_be_as_large_as_is_allowed() {
    let text = rss("<item><link>/1</link></item>");
    assert_eq!(links(&parse(text.as_bytes(), &SOURCE, text.len()).unwrap()).len(), 1);
    let refused = parse(text.as_bytes(), &SOURCE, text.len() - 1);
    assert!(matches!(refused, Err(FeedError::TooLarge { .. })), "{refused:?}");
}

#[test]
fn elements_of_one_format_are_read_in_the_others() {
    let names = "<channel xmlns:a='http://www.w3.org/2005/Atom' xmlns:d='http://purl.org/dc/elements/1.1/' \
         xmlns:f='http://rssnamespace.org/feedburner/ext/1.0'>";
    let items = "<item><a:link href='/1'/><a:author><a:name>Ann</a:name></a:author>\
         <a:published>2020-01-02</a:published></item>\
         <item><link>https://proxy.org/x</link><f:origLink>https://b.org/2</f:origLink><d:creator>Bea</d:creator>\
         <pubDate>Thu,</pubDate><d:date>3 May 2020</d:date></item>\
         <item><enclosure url='/e.mp3' type='audio/mpeg'/><enclosure url='/3' type='text/html'/></item>";
    let feed = read(&rss(items).replace("<channel>", names));
    let read_item = |index: usize| {
        let item: &model::FeedItem = &feed.items[index];
        (&*item.link, item.authors.concat(), item.published.as_deref())
    };
    assert_eq!(read_item(0), ("https://b.org/1", "Ann".to_owned(), Some("2020-01-02")));
    assert_eq!(read_item(1), ("https://b.org/2", "Bea".to_owned(), Some("3 May 2020")));
    assert_eq!(read_item(2), ("https://b.org/3", String::new(), None));
    let atom = read(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>https://b.org/1</id><content xml:lang='de'/>\
         <pubDate>3. Mai 2020</pubDate><m:group xmlns:m='http://search.yahoo.com/mrss/'><m:title>x</m:title>\
         <m:description>Long text</m:description></m:group></entry></feed>",
    );
    let item = &atom.items[0];
    assert_eq!(
        (&*item.link, &*item.title, item.content.as_deref()),
        ("https://b.org/1", "", Some("Long text"))
    );
    assert_eq!(
        (item.published.as_deref(), item.language.as_deref()),
        (Some("3. Mai 2020"), Some("de"))
    );
}

#[test]
fn a_damaged_item_costs_itself() {
    let item = |n: u8, more: &str| format!("<item><link>https://b.org/{n}</link>{more}</item>");
    for (bad, kept) in [
        ("<title>a</b></i>", 3),
        ("<title>a<b>", 3),
        ("<description><![CDATA[<item>x</item>]]></description>", 3),
        ("<description><![CDATA[x</description>", 2),
        ("<!-- x", 2),
        ("<a b='", 2),
        ("<?x", 2),
    ] {
        let feed = read(&rss(&(item(1, "") + &item(2, bad) + &item(3, ""))));
        let lost = feed.left_out.as_ref().map_or(0, |lost| lost.items);
        assert_eq!((feed.items.len(), lost), (kept, 3 - kept), "{bad}");
        assert_eq!(links(&feed).last(), Some(&"https://b.org/3"), "{bad}");
    }
    let unended = rss(&(item(1, "").replace("</item>", "") + &item(2, "")));
    assert_eq!(links(&read(&unended)), ["https://b.org/1", "https://b.org/2"]);
    let cut = rss(&(item(1, "") + &item(2, "")));
    let cut = read(&cut[..cut.rfind("/link").unwrap()]);
    assert_eq!(links(&cut), ["https://b.org/1"]);
    assert_eq!(cut.left_out, Some(LostItems { items: 1, why: "the feed ends inside it" }));
}

#[test]
fn authors_are_those_of_other_vocabularies_too() {
    let authors = |item: &str| {
        let item = format!("<item><link>https://b.org/1</link>{item}</item>");
        read(&rss(&item)).items.remove(0).authors
    };
    let podcast = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'";
    assert_eq!(authors(&format!("<itunes:author {podcast}>Ann</itunes:author>")), ["Ann"]);
    let media = "xmlns:media='http://search.yahoo.com/mrss/'";
    assert_eq!(
        authors(&format!("<media:credit {media} role='author'>Ann</media:credit>")),
        ["Ann"]
    );
    assert!(authors(&format!("<media:credit {media} role='owner'>Ann</media:credit>")).is_empty());
    let both = format!("<itunes:author {podcast}>Show</itunes:author><author>Ann</author>");
    assert_eq!(authors(&both), ["Ann"]);
    assert_eq!(authors("<source><author><name>Ann</name></author></source>"), ["Ann"]);
}

#[test]
fn links_of_a_file_are_relative_to_the_address_that_the_feed_gives() {
    let text = "<RSS xmlns:atom='http://www.w3.org/2005/Atom'><CHANNEL>\
        <atom:link rel='self' href='https://b.org/feeds/all.xml'/>\
        <ITEM><TITLE>One</TITLE><LINK>/1</LINK></ITEM></CHANNEL></RSS>";
    let source = FeedSource { url: None, ..SOURCE };
    assert_eq!(links(&parse(text.as_bytes(), &source, LIMIT).unwrap()), ["https://b.org/1"]);
}

#[test]
fn what_stands_before_a_feed_is_skipped() {
    let feed = rss("<item><link>https://b.org/1</link></item>");
    for before in
        ["<br />\n<b>Notice</b>: x <rss> in <b>a.php</b>", "\u{feff}\n", "<!-- <feed> -->"]
    {
        assert_eq!(links(&read(&format!("{before}{feed}"))), ["https://b.org/1"], "{before}");
    }
}

#[test]
fn links_are_cleaned_and_tags_divided() {
    let one =
        |link: &str| rss(&format!("<item><link>{link}</link><category>A, B, C</category></item>"));
    for link in ["\u{200b}https://b.org/1?a&amp;amp;b", "https://b.org/\n  1?a&amp;#038;b"] {
        let feed = read(&one(link));
        assert_eq!(links(&feed), ["https://b.org/1?a&b"]);
        assert_eq!(feed.items[0].tags, ["A", "B", "C"]);
    }
}

#[test]
fn odd_values_of_json_count_as_none() {
    let feed =
        |items: &str| read(&format!("\u{feff}{{\"authors\": [\"F\"], \"items\": [{items}]}}"));
    let odd = feed(
        "null, 7, {\"url\": 7}, {\"url\": \"https://b.org/1\", \"title\": [], \"authors\": null, \
         \"author\": \"Ann\", \"tags\": [null, \"t\"], \"date_published\": 1577934245, \"content_html\": null, \
         \"content_text\": \"x\"}, {\"id\": \"https://b.org/2\", \"authors\": [\"Bea\", {\"name\": \"Cid\"}, {}]}, \
         {\"external_url\": \"https://b.org/3\"}",
    );
    assert_eq!(links(&odd), ["https://b.org/1", "https://b.org/2", "https://b.org/3"]);
    assert_eq!(odd.left_out, Some(LostItems { items: 3, why: "it is no object" }));
    let [one, two, three] = &odd.items[..] else { panic!("{odd:?}") };
    assert_eq!((one.authors.concat(), one.tags.concat()), ("Ann".to_owned(), "t".to_owned()));
    assert_eq!((one.published.as_deref(), one.content.as_deref()), (Some("1577934245"), Some("x")));
    assert_eq!(
        (two.authors.concat(), three.authors.concat()),
        ("BeaCid".to_owned(), "F".to_owned())
    );
    let damaged = feed(
        "{\"url\": \"https://b.org/1\", \"title\": \"x \\ud83d\",}, {\"url\": \"https://b.org/2\", \"title\": \"a\nb\"}",
    );
    assert_eq!(links(&damaged), ["https://b.org/1", "https://b.org/2"]);
    // What cannot be parsed costs what stands behind it.
    let cut =
        parse(b"{\"items\": [{\"url\": \"https://b.org/1\"}, {\"url\": \"https:", &SOURCE, LIMIT);
    assert_eq!(cut.as_ref().map(links).unwrap(), ["https://b.org/1"]);
    assert_eq!(cut.unwrap().left_out.unwrap().why, "its JSON is not valid");
}

proptest! {
    #[test]
    fn any_json_is_read(value in "[\\[\\]{}:,\"a-z0-9. -]{0,60}", key in "(url|id|authors|author|tags|title|date_published)") {
        let feed = format!("{{\"items\": [{{\"url\": \"https://b.org/1\", \"{key}\": {value}}}]}}");
        let _ = parse(feed.as_bytes(), &SOURCE, LIMIT);
    }
}
