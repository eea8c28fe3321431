//! Complete pages, written for these tests.

use model::{FeedItem, Field, Image, Metadata, Source};
use proptest::prelude::*;
use sitegrove_metadata::{JsonLdFacts, PageContext, metadata, page_types};

use crate::context;

fn read(html: &str) -> Metadata {
    let document = dom::parse(html);
    metadata(&context(&document, "https://www.orchard-post.example/2020/05/04/pears"))
}

#[track_caller]
fn is<T: PartialEq + std::fmt::Debug>(field: Option<Field<T>>, value: T, source: Source) {
    assert_eq!(field.map(|field| (field.value, field.source.source)), Some((value, source)));
}

const MODERN: &str = r##"<html lang="en-GB"><head>
<title>Pears &amp; plums ripen early | Orchard Post</title>
<meta property="og:title" content="Pears &amp; plums ripen early | Orchard Post">
<meta property="og:site_name" content="Orchard Post">
<meta property="og:image" content="/img/pear.jpg">
<link rel="canonical" href="/2020/05/04/pears">
<script type="application/ld+json">
{"@context": "https://schema.org", "@graph": [
  {"@type": "WebSite", "name": "Orchard Post"},
  {"@type": "Person", "@id": "#jane", "name": "Jane Doe"},
  {"@type": ["NewsArticle"], "headline": "Pears &amp; plums ripen early",
   "mainEntityOfPage": "https://www.orchard-post.example/2020/05/04/pears",
   "author": [{"@id": "#jane"}, {"@type": "Person", "name": "By John Roe"}],
   "datePublished": "2020-05-04T10:05:30+01:00", "dateModified": "2020-05-05",
   "keywords": "pears, plums, Pears",
   "articleBody": "A line
break",}
]}
</script></head><body><h1>Pears &amp; plums ripen early</h1><p>Text.</p></body></html>"##;

#[test]
fn declarations_of_a_modern_page() {
    let page = read(MODERN);
    is(page.title, "Pears & plums ripen early".into(), Source::JsonLd);
    is(page.authors, vec!["Jane Doe".into(), "John Roe".into()], Source::JsonLd);
    is(page.published, "2020-05-04T10:05:30+01:00".into(), Source::JsonLd);
    is(page.modified, "2020-05-05".into(), Source::JsonLd);
    is(page.language, "en-GB".into(), Source::Meta);
    is(page.tags, vec!["pears".into(), "plums".into()], Source::JsonLd);
    is(page.image, "https://www.orchard-post.example/img/pear.jpg".into(), Source::OpenGraph);
    let address = "https://www.orchard-post.example/2020/05/04/pears";
    is(page.canonical, address.into(), Source::Meta);
    is(page.site_name, "Orchard Post".into(), Source::OpenGraph);
}

#[test]
fn the_article_of_the_graph() {
    let document = dom::parse(MODERN);
    let article = JsonLdFacts::of(&document, "https://www.orchard-post.example/2020/05/04/pears")
        .article()
        .cloned();
    let article = article.expect("there is one");
    assert_eq!(article.types, ["NewsArticle"]);
    assert_eq!(article.body.as_deref(), Some("A line\nbreak"));
    assert_eq!(page_types(&document), ["WebSite", "Person", "NewsArticle"]);
}

#[test]
fn teasers_of_a_list_are_not_the_article() {
    let html = r#"<script type="application/ld+json">[
        {"@type": "NewsArticle", "headline": "One", "url": "https://a.example/1"},
        {"@type": "NewsArticle", "headline": "Two", "url": "https://a.example/2"}]</script>"#;
    let document = dom::parse(html);
    assert_eq!(JsonLdFacts::of(&document, "https://a.example/").article().cloned(), None);
    let second = JsonLdFacts::of(&document, "http://www.a.example/2/")
        .article()
        .cloned()
        .and_then(|a| a.headline);
    assert_eq!(second.as_deref(), Some("Two"));
}

#[test]
fn of_several_nodes_the_one_with_the_title_is_the_article() {
    let html = |first: &str| {
        format!(
            r#"<title>Pears ripen early - Orchard Post</title><script type="application/ld+json">
            {{"@type": "NewsArticle", "headline": "Plums are late", "url": "/plums", "author": "John Roe"}}</script>
            <script type="application/ld+json">{first}"#
        ) + r#" "author": {"name": {"@value": "Jane Doe"}}}</script><h1>Pears ripen early</h1>"#
    };
    for first in [
        r#"{"@type": "NewsArticle", "headline": "Pears ripen early","#,
        r#"{"@type": "schema:Article", "schema:headline": "Pears ripen early","#,
        r#"{'@type': 'Article', headline: "Pears ripen early", // of the page
        "#,
    ] {
        is(read(&html(first)).authors, vec!["Jane Doe".into()], Source::JsonLd);
    }
    let role = r#"<script type="application/ld+json">{"@type": "Article", "author": {"@type": "Role",
        "author": {"name": "Jane Doe"}}}</script>"#;
    is(read(role).authors, vec!["Jane Doe".into()], Source::JsonLd);
    let question = r#"<script type="application/ld+json">{"@type": "QAPage", "mainEntity": {"@type": "Question",
        "name": "Why?", "answerCount": 1, "dateCreated": "2020-05-02", "author": {"name": "Jane Doe"}}}</script>"#;
    is(read(question).published, "2020-05-02".into(), Source::JsonLd);
}

#[test]
fn an_old_page_without_declarations() {
    let page = read(
        "<title>Orchard Post - News - Frost kills half of the blossom</title>
         <body><table><tr><td><a href=/>Home</a> <a href=/news>News</a></td></tr></table>
         <font size=5><b>Frost kills half of the blossom</b></font><br>
         By <b>Jane Doe</b> and John Roe, Staff Writers<br>
         Monday, May 4, 2020; 4:05 p.m. EST
         <p>It was cold, growers said on Tuesday.",
    );
    is(page.title, "Frost kills half of the blossom".into(), Source::Meta);
    is(page.authors, vec!["Jane Doe".into(), "John Roe".into()], Source::Page);
    is(page.published, "2020-05-04T16:05:00-05:00".into(), Source::Page);
    is(page.site_name, "Orchard Post".into(), Source::Meta);
}

#[test]
fn dates_after_the_fetch_and_of_changes_are_not_the_publication() {
    let page = read(
        "<meta property=article:published_time content=2021-01-01>
         <body><h1>A headline of some words</h1><p>Updated 2 May 2020</p><p>Text",
    );
    // The address is the last resort.
    is(page.published, "2020-05-04".into(), Source::Page);
    assert_eq!(page.modified, None, "a change can't come before the publication");
}

#[test]
fn languages_are_checked_against_the_text() {
    let document = dom::parse("<html lang=en><meta property=og:locale content=hu_HU>");
    let mut page = context(&document, "https://a.example/");
    page.detected =
        terms::detect("A híd hétfőn megnyílt, és a polgármester szerint sokan vártak rá. ");
    is(metadata(&page).language, "hu-HU".into(), Source::OpenGraph);
    page.detected = terms::detect(
        "Le pont est ouvert et les gens sont dans la rue pour voir ce que le maire dit sur une page.",
    );
    is(metadata(&page).language, "fr".into(), Source::Text);
    page.detected = None;
    is(metadata(&page).language, "en".into(), Source::Meta);
}

#[test]
fn feeds_fill_what_the_page_leaves_out() {
    let document = dom::parse("<p>Text");
    let item = FeedItem {
        title: "Plums".into(),
        authors: vec!["jane@a.example (Jane Doe)".into()],
        published: Some("2020-05-04T10:00:00Z".to_owned()),
        tags: vec!["Fruit".into()],
        ..FeedItem::default()
    };
    let items = [&item];
    let page = metadata(&PageContext { feed_items: &items, ..context(&document, "x") });
    is(page.title, "Plums".into(), Source::Feed);
    is(page.authors, vec!["Jane Doe".into()], Source::Feed);
    is(page.published, "2020-05-04T10:00:00Z".into(), Source::Feed);
    is(page.tags, vec!["Fruit".into()], Source::Feed);
}

#[test]
fn a_person_goes_before_the_site_as_author() {
    let page = read(
        "<meta property=og:site_name content='Orchard Post'><meta name=author content='Orchard Post'>
         <body><h1>A headline of some words</h1><a rel=author href=/jane>Jane Doe</a><p>Text",
    );
    is(page.authors, vec!["Jane Doe".into()], Source::Page);
    let page = read("<meta name=author content='Orchard Post'><body><p>Text");
    is(page.authors, vec!["Orchard Post".into()], Source::Meta);
}

#[test]
fn lazily_loaded_images_of_the_body() {
    let html = "<body><img src=/logo.png><div><p>Text</p>
        <img src='data:image/gif;base64,AA' data-src='/pear.jpg'></div>";
    let document = dom::parse(html);
    let is_div = |id: &u32| document.is(*id, &dom::local_name!("div"));
    let body: Vec<u32> = document.ids().filter(is_div).collect();
    let page = PageContext { body: Some(&body), ..context(&document, "https://a.example/x") };
    is(metadata(&page).image, "https://a.example/pear.jpg".into(), Source::Page);
}

#[test]
fn the_first_picture_that_is_not_small_leads() {
    let picture = |name: &str, width: Option<u32>| {
        let url = format!("https://a.example/{name}");
        Image { url, width, ..Image::default() }
    };
    let pictures = [
        picture("clock.svg", None),
        picture("jane.jpg", Some(48)),
        picture("spacer.gif", None),
        picture("pear.jpg", Some(1200)),
        picture("plum.jpg", None),
    ];
    let lead = |head: &str| {
        let document = dom::parse(&format!("{head}<body><p>Text"));
        let page = context(&document, "https://a.example/x");
        metadata(&PageContext { pictures: &pictures, ..page }).image
    };
    is(lead(""), "https://a.example/pear.jpg".into(), Source::Page);
    for none in ["undefined", "null", "{{ post.image }}", "data:image/png;base64,AA"] {
        let head = format!("<meta property=og:image content='{none}'>");
        is(lead(&head), "https://a.example/pear.jpg".into(), Source::Page);
    }
    let json = r#"<script type=application/ld+json>{"@type": "NewsArticle", "image":
        {"@type": "ImageObject", "url": {"@id": "https://a.example/fig.jpg"}}}</script>"#;
    is(lead(json), "https://a.example/fig.jpg".into(), Source::JsonLd);
    let json = json.replace("fig.jpg", "#fig");
    is(lead(&json), "https://a.example/pear.jpg".into(), Source::Page);
}

#[test]
fn a_canonical_address_that_was_not_filled_in_is_none() {
    for none in ["undefined", "null", "{{ canonical }}"] {
        let page = read(&format!(
            "<link rel=canonical href='{none}'><meta property=og:url content=/pears><p>Text"
        ));
        is(page.canonical, "https://www.orchard-post.example/pears".into(), Source::OpenGraph);
    }
}

#[test]
fn the_language_of_the_text_goes_before_that_of_the_page() {
    let text = "Digoret eo bet adarre levraoueg kêr dec'h ha kalz a dud a oa o c'hortoz dirak an nor. C'hoari a ra ar \
                vugale er park e-kichen ar stêr pa vez brav an amzer.";
    let language = |of_page: &str, of_text: &str| {
        let document =
            dom::parse(&format!("<html {of_page}><body><div {of_text}><p>{text}</p></div>"));
        let is_text = |id: &u32| document.is(*id, &dom::local_name!("body"));
        let body: Vec<u32> = document.ids().filter(is_text).collect();
        let page = context(&document, "https://a.example/x");
        let detected = terms::detect(text);
        metadata(&PageContext { body: Some(&body), detected, ..page }).language.map(|l| l.value)
    };
    assert_eq!(language("lang=en", "lang=br").as_deref(), Some("br"));
    assert_eq!(language("xml:lang=br", "").as_deref(), Some("br"));
    assert_eq!(language("lang=br-FR", "lang=br").as_deref(), Some("br-FR"));
}

proptest! {
    #[test]
    fn no_page_panics(
        html in "(<(h1|time|a rel=author|p class=(byline|date|comments)|meta name=(author|date) content)[= >]|</p>|By |von |[A-Z][a-z]{0,8} |3 May 2012|2012-05-03|\\PC{0,6}){0,40}",
        url in "(https?://)?[a-z.]{0,12}(/[0-9a-z/?#-]{0,20})?",
        body in proptest::collection::vec(0u32..200, 0..5),
    ) {
        let document = dom::parse(&html);
        let page = PageContext { body: Some(&body), ..context(&document, &url) };
        let found = metadata(&page);
        prop_assert!(found.authors.is_none_or(|a| !a.value.is_empty()));
        let _ = JsonLdFacts::of(&document, &url).article();
        page_types(&document);
    }
}

/// A page with this head and body around an article; its body text has so many words.
fn with_words(head: &str, after: &str, words: usize) -> Metadata {
    let text = "word ".repeat(words);
    let html = format!("<head>{head}</head><body><h1>Pears</h1><p>{text}</p>{after}</body>");
    let document = dom::parse(&html);
    let body = document.ids().find(|id| document.is(*id, &dom::local_name!("p"))).unwrap();
    let url = "https://www.orchard-post.example/2020/05/04/pears";
    let context = PageContext { body: Some(&[body]), body_text: &text, ..context(&document, url) };
    metadata(&context)
}

fn json_ld(article: &str) -> String {
    format!("<script type=application/ld+json>{{\"@type\":\"NewsArticle\",{article}}}</script>")
}

#[test]
fn sections_are_declared_or_in_a_breadcrumb() {
    let declared = json_ld(r#""articleSection":["Fruit","Garden"]"#);
    is(read(&declared).section, "Fruit".into(), Source::JsonLd);
    let meta = "<meta property=article:section content='Fruit &amp; veg'>";
    is(read(meta).section, "Fruit & veg".into(), Source::OpenGraph);
    let list = r#"<script type=application/ld+json>{"@type":"BreadcrumbList","itemListElement":[
        {"@type":"ListItem","position":1,"name":"Home","item":"https://www.orchard-post.example/"},
        {"@type":"ListItem","position":2,"item":{"@id":"/fruit","name":"Fruit"}},
        {"@type":"ListItem","position":3,"name":"Pears ripen early"}]}</script>
        <title>Pears ripen early</title><body><h1>Pears ripen early</h1><p>Text.</p>"#;
    is(read(list).section, "Fruit".into(), Source::JsonLd);
    let shown =
        "<title>Pears ripen early</title><body><ol class=site-breadcrumbs><li><a href=/>Start</a>
        <li><a href=/garden>Garden</a><li><a href=/fruit>Fruit</a><li>Pears ripen early</ol>
        <h1>Pears ripen early</h1><p>Text.</p>";
    is(read(shown).section, "Fruit".into(), Source::Page);
    let labelled = shown.replace("ol class=site-breadcrumbs", "ol aria-label=Breadcrumb");
    is(read(&labelled).section, "Fruit".into(), Source::Page);
    let only = "<body><p class=breadcrumb><a href=/>Start</a></p><h1>Pears</h1><p>Text.</p>";
    assert_eq!(read(only).section, None);
}

#[test]
fn access_is_told_by_declarations_and_the_text() {
    use model::Access::{Full, Paid, Partial};
    let free = json_ld(r#""isAccessibleForFree":"True""#);
    is(with_words(&free, "", 10).access, Full, Source::JsonLd);
    let paid = json_ld(r#""isAccessibleForFree":false"#);
    is(with_words(&paid, "", 60).access, Partial, Source::JsonLd);
    is(with_words(&paid, "", 600).access, Paid, Source::JsonLd);
    let counted = json_ld(r#""isAccessibleForFree":"http://schema.org/False","wordCount":"900""#);
    is(with_words(&counted, "", 600).access, Partial, Source::JsonLd);
    is(with_words(&counted, "", 880).access, Paid, Source::JsonLd);
    let part = json_ld(
        r#""isAccessibleForFree":false,"hasPart":{"isAccessibleForFree":false,"cssSelector":".for-members"}"#,
    );
    is(with_words(&part, "<div class=for-members></div>", 600).access, Partial, Source::JsonLd);
    let rest = format!("<div class='x for-members'>{}</div>", "more ".repeat(50));
    is(with_words(&part, &rest, 60).access, Paid, Source::JsonLd);
    let tier = "<meta property=article:content_tier content=locked>";
    is(with_words(tier, "", 60).access, Partial, Source::OpenGraph);
    let wall = "<div class=article-paywall><p>Subscribe now to read on about pears</p></div>";
    is(with_words("", wall, 60).access, Partial, Source::Page);
    assert_eq!(with_words("", wall, 600).access, None);
    assert_eq!(with_words("", "", 60).access, None);
}

#[test]
fn licences_are_addresses_or_statements() {
    let by = "https://creativecommons.org/licenses/by/4.0/";
    let of_json = json_ld(&format!(r#""license":"{by}""#));
    is(read(&of_json).license, by.into(), Source::JsonLd);
    is(read(&json_ld(r#""license":"CC BY 4.0""#)).license, "CC BY 4.0".into(), Source::JsonLd);
    is(
        read("<link rel=license href=/terms>").license,
        "https://www.orchard-post.example/terms".into(),
        Source::Meta,
    );
    let footer =
        format!("<body><h1>Pears</h1><p>Text.</p><footer><a rel=license href={by}>CC</a></footer>");
    is(read(&footer).license, by.into(), Source::Page);
    let rights = "<meta name=dc.rights content='© Orchard Post'>";
    is(read(rights).license, "© Orchard Post".into(), Source::Meta);
    assert_eq!(read("<p>Text.</p>").license, None);
}

#[test]
fn a_date_beside_the_article_that_is_labelled_counts() {
    let html = "<body><h1>Pears ripen early</h1><p>Text.</p><div class=post-sidebar>
        <div class=facts><h4>Published</h4><div class=post-date>May 4, 2020</div></div>
        <div class=facts><h4>Next fair</h4><div class=fair-date>May 30, 2020</div></div></div>";
    let document = dom::parse(html);
    let page = metadata(&context(&document, "https://www.orchard-post.example/pears"));
    is(page.published, "2020-05-04".into(), Source::Page);
}

#[test]
fn an_author_is_read_without_what_stands_beside_the_name() {
    let page = read(
        "<body><h1>A long headline of a story</h1><div itemprop='author' itemscope>\
         <span itemprop='name'>Jane Doe</span><span>Gardening Expert</span><a href='/j'>Website</a>\
         </div><p>Text of it.</p></body>",
    );
    assert_eq!(page.authors.map(|field| field.value), Some(vec!["Jane Doe".to_owned()]));
}

#[test]
fn a_headline_is_no_author() {
    let page = read(
        "<body><h1>Orchard Pruning and Harvest Figures</h1>\
         <p class='byline'><a href='/x'>Orchard Pruning and Harvest Figures</a></p><p>Text of it.</p></body>",
    );
    assert_eq!(page.authors, None);
}

#[test]
fn dates_of_feeds_are_read_as_those_of_pages() {
    let document = dom::parse("<html lang='de'><p>Text");
    for (written, expected) in [
        ("Mon, 04 May 2020 08:30:00 CEST", Some("2020-05-04T08:30:00+02:00")),
        ("Mon, 04 May 2020 08:30:00 America/Sao_Paulo", Some("2020-05-04T08:30:00-03:00")),
        ("2020/05/04 08:30:00", Some("2020-05-04T08:30:00")),
        ("Montag, 4. Mai 2020, 8.30 Uhr", Some("2020-05-04T08:30:00")),
        ("2020-05-04", Some("2020-05-04")),
        ("Mon, 99 May", None),
    ] {
        let item = FeedItem { published: Some(written.to_owned()), ..FeedItem::default() };
        let items = [&item];
        let page = metadata(&PageContext { feed_items: &items, ..context(&document, "x") });
        assert_eq!(page.published.map(|field| field.value).as_deref(), expected, "{written}");
    }
}
