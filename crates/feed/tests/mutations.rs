//! Feeds with values that nobody expects, in every element: none is lost.

use sitegrove_feed::{FeedSource, parse};

/// Bytes of the largest feed that is read.
const LIMIT: usize = 16 << 20;

/// Feeds with many elements and attributes.
const FEEDS: [&str; 4] = [
    r##"<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:media="http://search.yahoo.com/mrss/" xmlns:podcast="https://podcastindex.org/namespace/1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:atom="http://www.w3.org/2005/Atom" xmlns:wfw="http://wellformedweb.org/CommentAPI/">
<channel><title>T</title><link>https://a.org/</link><atom:link href="https://a.org/feed" rel="self" type="a/b"/>
<description>D</description><language>en</language><managingEditor>e@a.org (E)</managingEditor>
<webMaster>w@a.org (W)</webMaster><pubDate>Thu, 10 Sep 2026 08:30:00 GMT</pubDate>
<lastBuildDate>2026-09-10T08:30:00Z</lastBuildDate><category domain="x">C</category><ttl>60</ttl>
<image><url>i.png</url><title>I</title><link>l</link><width>88</width><height>31</height></image>
<itunes:author>A</itunes:author><itunes:owner><itunes:name>O</itunes:name><itunes:email>o@a.org</itunes:email></itunes:owner>
<itunes:category text="x"><itunes:category text="y"/></itunes:category><itunes:image href="j.png"/>
<podcast:person role="host" href="h" img="i">P</podcast:person><podcast:medium>podcast</podcast:medium>
<item xml:base="https://b.org/"><title>One</title><link>https://a.org/1</link><guid isPermaLink="true">1</guid>
<author>m@a.org (M)</author><dc:creator>N n@a.org</dc:creator><dc:date>2026-09-10</dc:date>
<pubDate>Thu, 10 Sep 2026 08:30:00 GMT</pubDate><category>c</category><description>d</description>
<content:encoded>e</content:encoded><enclosure url="https://a.org/e" length="5" type="audio/mpeg"/>
<comments>https://a.org/1#c</comments><wfw:commentRss>https://a.org/1/c</wfw:commentRss>
<itunes:duration>1:02:03.5</itunes:duration><itunes:episode>1</itunes:episode><itunes:season>2</itunes:season>
<itunes:author>Q</itunes:author><itunes:summary>s</itunes:summary><itunes:image href="k.png"/>
<media:group><media:content url="https://a.org/m" type="video/mp4" height="1" width="2" fileSize="3" duration="4"/>
<media:thumbnail url="t" time="12:05:01.123" height="5" width="6"/><media:title>t</media:title></media:group>
<media:community><media:starRating average="3.5" count="20" min="1" max="10"/><media:statistics views="5" favorites="4"/>
<media:tags>a: 5, b</media:tags></media:community><media:credit role="r" scheme="s">c</media:credit>
<media:text type="plain" lang="en" start="00:00:03.000" end="00:00:10">x</media:text>
<podcast:transcript url="https://a.org/t" type="text/vtt" language="en"/><podcast:soundbite startTime="73.0" duration="60.0">b</podcast:soundbite>
<podcast:chapters url="https://a.org/c" type="application/json"/><podcast:season name="n">3</podcast:season><podcast:episode>4.5</podcast:episode>
</item><item><title>Two</title><link>https://a.org/2</link></item></channel></rss>"##,
    r##"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="en">
<title type="html">T</title><subtitle>S</subtitle><id>urn:1</id><link href="https://a.org/" hreflang="en" length="5"/>
<updated>2026-09-10T08:30:00Z</updated><author><name>A</name><email>a@a.org</email><uri>u</uri></author>
<contributor><name>C</name></contributor><generator uri="g" version="1">G</generator><icon>i</icon><logo>l</logo>
<rights type="text">R</rights><category term="t" scheme="s" label="l"/>
<entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One <b>b</b></div></title><id>urn:2</id>
<link rel="alternate" type="text/html" href="https://a.org/1"/><link rel="enclosure" length="9" href="e"/>
<published>2026-09-10T08:30:00+02:00</published><updated>2026-09-10T08:30:00.5Z</updated>
<summary type="text/plain">s</summary><content type="application/xml" src="https://a.org/c"><x y="z"/></content>
<author><name>B</name></author><category term="t"/><rights>r</rights>
<source><title>o</title></source><media:group><media:thumbnail url="t" time="1.5"/><media:community>
<media:starRating count="1" average="5.00" min="1" max="5"/></media:community></media:group></entry>
<entry><title>Two</title><id>urn:3</id><link href="https://a.org/2"/></entry></feed>"##,
    r##"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel rdf:about="https://a.org/"><title>T</title><link>https://a.org/</link><description>D</description>
<dc:creator>e@a.org (E)</dc:creator><dc:date>2026-09-10T08:30:00Z</dc:date><dc:language>en</dc:language>
<image rdf:resource="i.png"/></channel><image><title>I</title><url>i.png</url><link>l</link></image>
<item rdf:about="https://a.org/1"><title>One</title><link>https://a.org/1</link><description>d</description>
<dc:creator>N n@a.org</dc:creator><dc:date>2026-09-10</dc:date><content:encoded>e</content:encoded></item>
<item rdf:about="https://a.org/2"><title>Two</title><link>https://a.org/2</link></item></rdf:RDF>"##,
    r##"{"version":"https://jsonfeed.org/version/1.1","title":"T","home_page_url":"https://a.org/","feed_url":"f",
"description":"D","icon":"i","favicon":"f","language":"en","author":{"name":"A a@a.org","url":"u","avatar":"v"},
"authors":[{"name":"B b@a.org"}],"items":[{"id":"1","url":"https://a.org/1","external_url":"x","title":"One",
"content_html":"h","content_text":"t","summary":"s","image":"i","banner_image":"b","language":"en",
"date_published":"2026-09-10T08:30:00Z","date_modified":"2026-09-10T08:30:00Z","authors":[{"name":"C c@a.org"}],
"tags":["t"],"attachments":[{"url":"https://a.org/a","mime_type":"a/b","title":"t","size_in_bytes":5,"duration_in_seconds":6}]},
{"id":"2","url":"https://a.org/2","title":"Two"}]}"##,
];

/// Values that are put in place of others or in their midst.
const VALUES: [&str; 40] = [
    "–",
    "（",
    "）",
    "é",
    "王小明（desk@x.example）",
    "Jane–desk@x.example",
    "desk@x.example–",
    "–mailto:a@b.co",
    "٣",
    "1:٣٣:٠٠",
    "@",
    "999999999999999999999999",
    "18446744073709551615",
    "18446744073709551615:00:00",
    "18446744073709551615.9999",
    "-1",
    "1e400",
    "NaN",
    "00:00:00.",
    "0.",
    "٣.٣",
    "2026-13-45T25:61:61Z",
    "+262143-01-01T00:00:00Z",
    "Thu, 99 Foo 99999 99:99:99 +9999",
    "Thu, 10 Sep 2026 24:30:00 GMT",
    "9999-12-31T23:59:60+23:59",
    "2026-09-10 é",
    "http://[",
    "//",
    "data:,",
    "text/html; charset=\u{1}",
    "/",
    "a/b/c",
    "",
    " ",
    "&#1114111;",
    "&lt;",
    "<![CDATA[–]]>",
    "<x/>",
    "\u{0}",
];

#[test]
fn no_value_makes_a_feed_unreadable() {
    let source = FeedSource { id: "a", url: Some("https://a.org/feed"), http_charset: None };
    let mut state = 1u64;
    let mut chance = |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let (mut whole, mut tried) = (0, 0);
    for feed in FEEDS {
        let cut = if feed.starts_with('{') { &['"'][..] } else { &['<', '>', '"'] };
        let parts: Vec<&str> = feed.split_inclusive(cut).collect();
        for at in 1..parts.len() {
            for value in VALUES {
                let replaced = parts[at].trim_end_matches(cut).len();
                let middle = parts[at].floor_char_boundary(chance(replaced + 1));
                let (before, behind) = match chance(3) {
                    0 => ("", &parts[at][replaced..]),
                    1 => parts[at].split_at(middle),
                    _ => parts[at].split_at(replaced),
                };
                let changed =
                    [&parts[..at].concat(), before, value, behind, &parts[at + 1..].concat()]
                        .concat();
                tried += 1;
                let feed = parse(changed.as_bytes(), &source, LIMIT);
                whole += usize::from(feed.is_ok_and(|feed| feed.items.len() == 2));
            }
        }
    }
    // Some are links, or are no longer valid JSON.
    assert!(whole > tried / 10 * 9, "{whole} of {tried}");
}
