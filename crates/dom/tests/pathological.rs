//! Adversarial pages: the result must be right, and the sizes are such that quadratic time would
//! make these tests hang.

use std::fmt::Write;

use sitegrove_dom::{Document, NodeId, ParseOptions, Room, parse, parse_with};

fn elements(document: &Document, name: &str) -> Vec<NodeId> {
    document.ids().filter(|&id| document.name(id).is_some_and(|n| &**n == name)).collect()
}

fn deepest(document: &Document) -> u16 {
    document.nodes().iter().map(|n| n.level).max().unwrap()
}

fn numbered(n: usize, mut write: impl FnMut(&mut String, usize)) -> String {
    let mut out = String::new();
    for i in 0..n {
        write(&mut out, i);
    }
    out
}

#[test]
fn nested_divs() {
    let n = 100_000;
    let d = parse(&format!("{}in{}after", "<div>".repeat(n), "</div>".repeat(n)));
    let divs = elements(&d, "div");
    assert_eq!(divs.len() + d.notes().too_deep as usize, n);
    assert!((500..600).contains(&divs.len()), "{} levels", divs.len());
    let texts: Vec<_> = d.ids().filter(|&i| d.text(i).is_some()).collect();
    assert_eq!(texts.iter().map(|&i| d.text(i).unwrap()).collect::<Vec<_>>(), ["in", "after"]);
    assert_eq!(d.parent(texts[0]), divs.last().copied());
    assert_eq!(d.name(d.parent(texts[1]).unwrap()).map(|n| &**n), Some("body"));
}

#[test]
fn unclosed_formatting() {
    let d = parse(&("<b><i><font>".repeat(33_000) + "x<p>y"));
    assert_eq!(d.text_content(0), "xy");
    assert!(deepest(&d) < 1100);
    let d = parse(&numbered(50_000, |s, i| write!(s, "<div><b id={i}>x</div>").unwrap()));
    assert_eq!(d.text_content(0).len(), 50_000);
    let d = parse(&"<b><p>".repeat(100_000));
    assert!(deepest(&d) < 1100);
    let d = parse(&"<a><div>x</a>".repeat(20_000));
    assert_eq!(d.text_content(0).len(), 20_000);
}

#[test]
fn links_in_links_close_each_other() {
    let d = parse(&"<a href=x>y".repeat(30_000));
    let links = elements(&d, "a");
    assert_eq!(links.len(), 30_000);
    assert!(links.iter().all(|&a| d.node(a).level == 2 && d.text_content(a) == "y"));
}

/// 500 distinct elements that every paragraph copies: the page gets no more nodes than bytes.
#[test]
fn reconstructed_formatting() {
    let fonts = numbered(500, |s, i| write!(s, "<font color={i}>").unwrap());
    let html = format!("<div>{fonts}</div>{}", "<p>x</p>".repeat(50_000));
    let d = parse(&html);
    assert!(d.len() < html.len() + 4096, "{} nodes", d.len());
    assert!(d.notes().too_many > 0);
    assert_eq!(d.text_content(0).len(), 50_000, "no text is lost");

    let value = "v".repeat(100_000);
    let html = format!("<div><font x='{value}'></div>{}", "<p>x</p>".repeat(50_000));
    let d = parse(&html);
    assert!(d.notes().attributes > 0);
    assert_eq!(d.text_content(0).len(), 50_000);
}

/// The tree of any page takes a bounded number of bytes per tag and byte. Text is lost only where
/// text itself causes copies of elements.
#[test]
fn a_tree_grows_with_its_tags() {
    let fonts = numbered(480, |s, i| write!(s, "<font color={i}>").unwrap());
    let long = numbered(60, |s, i| write!(s, "<font x={i}{}>", "v".repeat(2_000)).unwrap());
    for (html, cut) in [
        (format!("<div>{fonts}</div>{}", "<p>x</p>".repeat(20_000)), false),
        (format!("<div>{fonts}</div>{}", "<p>x".repeat(20_000)), false),
        (format!("<div>{long}</div>{}", "<p>x".repeat(20_000)), false),
        ("<a><b><i><div><p>x</b></a></i>".repeat(10_000), false),
        (format!("{}{fonts}{}", "<div>".repeat(400), "</div>x".repeat(400)), true),
        (format!("<table>{}", "<tr><td>x".repeat(20_000)), false),
        (format!("<p {}>", numbered(1_000, |s, i| write!(s, "a{i} ").unwrap())).repeat(50), false),
    ] {
        let d = parse(&html);
        let room = Room::of(&html);
        assert!(d.len() < room.most_nodes as usize + 2_048, "{} nodes", d.len());
        let start = &html[..40.min(html.len())];
        assert_eq!(d.notes().cut, cut, "{start} {:?}", d.notes());
        // 32 bytes a node, 16 an attribute, values, text.
        let most = 32 * (room.most_nodes as usize + 2_048) + 16 * room.attributes as usize;
        let most = most + room.values as usize + html.len();
        assert!(d.bytes() <= most, "{start}: {} bytes, {most} allowed", d.bytes());
        let texts = html.matches('x').count() - html.matches(" x=").count();
        assert!(cut || d.text_content(0).len() == texts, "{start}");
    }
}

#[test]
fn tables_in_tables() {
    let d = parse(&("<table><tr><td>".repeat(20_000) + "x"));
    assert_eq!(d.text_content(0), "x");
    assert!(deepest(&d) < 1100 && d.notes().too_deep > 0);
    let d = parse(&("<table>".repeat(20_000) + "x"));
    assert_eq!(d.text_content(0), "x");
}

#[test]
fn foster_parented_pieces() {
    let d = parse(&("<table>".to_owned() + &"x<tr>".repeat(100_000)));
    let table = elements(&d, "table")[0];
    assert_eq!(d.text(table - 1).map(str::len), Some(100_000), "before the table, joined");
    assert_eq!(elements(&d, "tr").len(), 100_000);
}

#[test]
fn select_nestings() {
    let d = parse(&("a".to_owned() + &"<select>".repeat(100_001) + "</select>b"));
    assert_eq!(d.text_content(0), "ab");
    let d = parse(&("<select>".to_owned() + &"<optgroup><option>x".repeat(50_000)));
    assert_eq!(d.text_content(0), "");
}

#[test]
fn nul_and_broken_references() {
    let d = parse(&("a".to_owned() + &"\0".repeat(3_000_000) + "<p>b\0c"));
    assert_eq!(d.text_content(0), "abc");
    let d = parse("<p title='a\0b'>&#xD800;&#xDFFF;&#0;&#x110000;&#99999999999;&#x41;");
    assert_eq!(d.text_content(0), "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}A");
    let p = elements(&d, "p")[0];
    let (_, title) = d.element(p).unwrap().attributes().next().unwrap();
    assert_eq!(title, "a\u{fffd}b");
}

#[test]
fn many_attributes_on_one_tag() {
    let many = numbered(100_000, |s, i| write!(s, "a{i}='>' ").unwrap());
    for tag in ["p", "body", "title", "/p"] {
        let d = parse(&format!("<b>before</b><{tag} {many}>in</title>side<i>after</i>"));
        assert_eq!(d.text_content(elements(&d, "i")[0]), "after", "{tag}");
        assert!(d.notes().attributes > 0);
    }
    let d = parse(&format!("<p {many}>x<p {many}>y"));
    let p = elements(&d, "p");
    let attributes = d.element(p[0]).unwrap().attributes().count();
    assert_eq!(attributes, 1024);
    assert_eq!(d.text_content(p[1]), "y");
}

#[test]
fn less_than_signs_by_the_million() {
    let d = parse(&format!("<p>before{}<i>after</i>", "<".repeat(50 << 20)));
    assert_eq!(d.text_content(elements(&d, "i")[0]), "after");
    assert!(d.text_content(elements(&d, "p")[0]).starts_with("before<<<"));
}

#[test]
fn few_attributes_and_little_patience() {
    let config = ParseOptions { max_attributes: 2, ..ParseOptions::CONTENT };
    let d = parse_with("<p a=1 b=2 c=3 d=4>x</p><p e=5>y", &config);
    let counts: Vec<usize> =
        elements(&d, "p").iter().map(|id| d.element(*id).unwrap().attributes().count()).collect();
    assert_eq!((counts, d.notes().attributes), (vec![2, 1], 2));
}

/// The number of steps of a page is the same for both tokenizers and for any limit; with a limit
/// one lower, parsing is given up.
#[test]
fn a_page_is_given_up_by_its_steps_alone() {
    let spans = "<span>".repeat(505);
    let pages = [
        "<p>x".repeat(10_000),
        format!("<p>a\0{spans}{}", "</x>".repeat(2_000)),
        format!("{spans}{}", "</x>".repeat(2_000)),
        "<a><b><i><div><p>x</b></a></i>".repeat(1_000),
        "<table>x<b>y".repeat(1_000),
    ];
    for html in &pages {
        let whole = parse(html);
        let steps = whole.notes().steps;
        assert!(steps > html.matches('<').count() as u64 && !whole.notes().given_up);
        let within =
            |max_steps| parse_with(html, &ParseOptions { max_steps, ..ParseOptions::CONTENT });
        let enough = within(steps);
        assert!(enough.same_tree(&whole) && enough.notes() == whole.notes(), "{steps}");
        for few in [steps - 1, steps / 2, 0] {
            let given_up = within(few);
            assert!(given_up.notes().given_up && given_up.len() == parse("").len(), "{few}");
            assert!(given_up.notes().steps > few && given_up.text_content(0).is_empty());
        }
    }
}

/// The searches of the tree builder count as steps, not only tokens.
#[test]
fn searches_are_counted() {
    let spans = "<span>".repeat(505);
    for repeated in ["</x>", "</p>", "<li>"] {
        let d = parse(&format!("{spans}{}", repeated.repeat(20_000)));
        assert!(d.notes().steps > 20_000 * 505, "{repeated}: {} steps", d.notes().steps);
    }
}

/// Each tag is compared with all open ones, attribute by attribute: 150 million comparisons for
/// this page of 5 MB.
#[test]
fn comparisons_of_attributes_are_counted() {
    let many = numbered(1_000, |s, i| write!(s, "a{i} ").unwrap());
    let open = numbered(500, |s, i| write!(s, "<font {many} b={i}>").unwrap());
    let html = format!("{open}{}", format!("</font><font {many} c>").repeat(500));
    let config = ParseOptions { max_steps: 100_000_000, ..ParseOptions::CONTENT };
    let d = parse_with(&html, &config);
    assert!(d.notes().given_up && d.notes().steps < 110_000_000, "{:?}", d.notes());
}

/// The limit is far above what pages with the maximum number of nodes need: these take less than a
/// sixtieth.
#[test]
fn no_page_comes_near_the_limit_of_steps() {
    let row = "<div class='row wide'><p id=a class=b>some <a href=/x title=y><b>words</b></a> and<br>more";
    let row = format!(
        "{row} <i>x</i></p><ul><li>1<li class=c>2</ul><font size=2 color=red>y</font></div>"
    );
    let pages = [
        row.repeat(16_000),
        format!("{}{}", "<div class=a>".repeat(20), row.repeat(16_000)),
        format!("<table>{}", "<tr><td class=a>1<td>2<td><a href=x>3</a>".repeat(34_000)),
        "<p>x".repeat(150_000),
    ];
    for html in &pages {
        let d = parse(html);
        assert!((250_000..=300_010).contains(&d.len()), "{} nodes", d.len());
        let steps = d.notes().steps;
        assert!(steps < ParseOptions::CONTENT.max_steps / 60, "{steps}: {}", &html[..60]);
    }
}

#[test]
fn long_values_stay_whole() {
    let value = "some words, 'quotes' and > signs ".repeat(10_000);
    let d = parse(&format!("<p>x<img alt=\"{value}\"><!-- {value} -->y"));
    let image = d.element(elements(&d, "img")[0]).unwrap();
    assert_eq!(image.attributes().next().unwrap().1, value);
    assert_eq!(d.text_content(0), "xy");
    assert_eq!(d.notes().attributes, 0);
}

#[test]
fn repeated_body_tags() {
    let d = parse(&numbered(50_000, |s, i| write!(s, "<body a{i}=b>").unwrap()));
    let count = d.element(elements(&d, "body")[0]).unwrap().attributes().count();
    assert!((10..100).contains(&count), "{count}");
}

#[test]
fn a_million_paragraphs() {
    let config = ParseOptions { max_nodes: 4_000_000, ..ParseOptions::CONTENT };
    let d = parse_with(&"<p>".repeat(1_000_000), &config);
    assert_eq!(d.len(), 1_000_002);
    assert!(d.nodes()[2..].iter().all(|n| n.level == 2));
    let d = parse(&"<p>x".repeat(1_500_000));
    assert!(d.len() <= 300_001 && d.notes().too_many > 0 && !d.notes().cut);
    assert_eq!(d.text_content(0).len(), 1_500_000);
}

#[test]
fn what_is_never_closed() {
    for open in
        ["<!--", "<script>", "<style>", "<title>", "<textarea>", "<iframe>", "<svg><![CDATA["]
    {
        let d = parse(&format!("<p>a</p>{open}{}", "<!--<script>x</".repeat(50_000)));
        assert_eq!(d.text_content(0), "a", "{open}");
    }
    for open in ["<", "</", "<p a='", "<p ", "<!DOCTYPE ", "&", "&#", "&#x"] {
        let d = parse(&format!("<p>a</p>{open}{}", "b=c ".repeat(100_000)));
        assert!(d.text_content(0).starts_with('a'), "{open}");
    }
    let d = parse(&("<p>a".to_owned() + &"<!---->".repeat(100_000) + "b"));
    assert_eq!(d.text_content(0), "ab");
}

/// Each of these makes the tree builder search its stack or its list of formatting elements.
#[test]
fn long_searches() {
    let spans = "<span>".repeat(505);
    let ids = numbered(250, |s, i| write!(s, "<i id={i}><div>").unwrap());
    for (before, repeated) in [
        (&spans, "</x>"),
        (&spans, "</p>"),
        (&spans, "<li>"),
        (&spans, "</h1>"),
        (&ids, "<a>"),
        (&ids, "</i>"),
        (&ids, "<nobr>"),
        (&ids, "</b>x<b>"),
    ] {
        let d = parse(&format!("<p>a</p>{before}{}", repeated.repeat(20_000)));
        assert!(d.text_content(0).starts_with('a'));
        assert!(deepest(&d) < 1100, "{repeated}");
    }
}

#[test]
fn ever_new_names() {
    let d = parse(&numbered(50_000, |s, i| write!(s, "<x{i}></x{i}>").unwrap()));
    assert_eq!(d.len(), 50_002);
    let d = parse(&(numbered(50_000, |s, i| write!(s, "<x{i}>").unwrap()) + "t"));
    assert_eq!(d.text_content(0), "t");
}
