//! Wrappers for small hand-written sites, compared with what a person would write.

use dom::{Document, NodeId};
use sitegrove_wrapper::{Samples, Synthesis, WantedNodes, select};

/// Elements with the attribute `wanted` are wanted; no condition uses that attribute.
fn learn(pages: &[&str]) -> (Synthesis, Vec<Document>) {
    let documents: Vec<Document> = pages.iter().map(|page| dom::parse(page)).collect();
    let wanted: Vec<Vec<NodeId>> = documents.iter().map(wanted_on).collect();
    let wanted: Vec<WantedNodes<'_>> =
        wanted.iter().map(|wanted| WantedNodes { wanted, ..WantedNodes::default() }).collect();
    let synthesis = Samples::new(&documents).synthesize(&wanted);
    (synthesis, documents)
}

fn wanted_on(document: &Document) -> Vec<NodeId> {
    let name = dom::LocalName::from("wanted");
    document.ids().filter(|&id| document.attribute(id, &name).is_some()).collect()
}

/// The expressions. Asserts that they are exact on all pages.
fn exact(pages: &[&str]) -> Vec<String> {
    let (synthesis, documents) = learn(pages);
    assert_eq!(synthesis.exact, 1.0, "{synthesis:?}");
    for document in &documents {
        assert_eq!(select(&synthesis.paths, document), wanted_on(document));
    }
    synthesis.paths.iter().map(ToString::to_string).collect()
}

fn class(token: &str) -> String {
    format!("[contains(concat(' ',normalize-space(@class),' '),' {token} ')]")
}

#[test]
fn an_id_says_it() {
    let page =
        |n| format!("<div id=nav>x</div><div id=article class='c{n}' wanted><p>{n}</p></div>");
    assert_eq!(exact(&[&page(1), &page(2)]), ["//div[@id='article']"]);
}

#[test]
fn names_that_change_from_page_to_page_are_not_used() {
    let page = |hash: &str| {
        format!("<div class='css-{hash} menu'>m</div><div class='css-{hash} story' wanted>s</div>")
    };
    let found = exact(&[&page("1a2b3c"), &page("9z8y7x"), &page("5q4w3e")]);
    assert_eq!(found, [format!("//div{}", class("story"))]);
}

#[test]
fn of_a_compiled_style_sheet_the_part_that_stays() {
    let page = |hash: &str| {
        format!(
            "<div class=nav__{hash}>n</div><section><div class=body__{hash} wanted>b</div></section><section><div class=ad__{hash}>a</div></section>"
        )
    };
    let same = exact(&[&page("X1yZ2"), &page("X1yZ2")]);
    assert_eq!(same, ["//div[contains(@class,'body__')]"]);
}

#[test]
fn numbered_ids_by_their_beginning() {
    let page = |n| format!("<div id=nav-{n}>n</div><div id=post-{n} wanted>p</div>");
    assert_eq!(exact(&[&page(123), &page(124)]), ["//div[starts-with(@id,'post-')]"]);
}

#[test]
fn quotes_of_both_kinds() {
    let page = r#"<div id="a">x</div><div id="it's &quot;so&quot;" wanted>y</div>"#;
    assert_eq!(exact(&[page, page]), [r#"//div[@id=concat('it',"'",'s "so"')]"#]);
}

#[test]
fn a_class_inside_another_classes_name() {
    let page = "<div class=storyline>n</div><div class='a story b' wanted>y</div><div class=a>z</div><div class=b>z</div>";
    assert_eq!(exact(&[page, page]), [format!("//div{}", class("story"))]);
}

#[test]
fn nested_boxes_of_one_class() {
    let page = "<div class=content wanted><div class=content><p>x</p></div></div>";
    assert_eq!(exact(&[page, page]), [format!("//div{}", class("content"))]);
}

#[test]
fn comments_of_the_same_class_as_the_body() {
    let page = |comments: &str| {
        format!(
            "<div id=main><div class=text wanted>body</div></div><div id=comments>{comments}</div>"
        )
    };
    let comment = "<div class=text>c</div>";
    let found = exact(&[&page(comment), &page(&comment.repeat(3)), &page("")]);
    assert_eq!(found, ["//div[@id='main']/div"]);
}

#[test]
fn tables_without_names_by_place_below_the_nearest_name() {
    let page = |rows: &str| {
        format!(
            "<table><tr><td>n<td>m</table><table id=layout><tr><td>left<td wanted>{rows}<td>right</table>"
        )
    };
    let found = exact(&[&page("one"), &page("<p>two")]);
    assert_eq!(found, ["//table[@id='layout']//td[2]"]);
}

#[test]
fn nothing_has_a_name_or_looks() {
    let page =
        |text| format!("<div><div>n</div></div><div><div>m</div><div wanted>{text}</div></div>");
    let found = exact(&[&page("one"), &page("two")]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("[2]") && found[0].len() < 30, "{found:?}");
}

#[test]
fn looks_only_where_nothing_else_tells() {
    let page = |name: &str| {
        format!("<table><tr><td width=90>n<td width=448 {name} wanted>y<td width=90>n</table>")
    };
    assert_eq!(
        exact(&[&page("class=text"), &page("class=text")]),
        [format!("//td{}", class("text"))]
    );
    assert_eq!(exact(&[&page(""), &page("")]), ["//td[@width='448']"]);
}

#[test]
fn paragraphs_of_a_body() {
    let page = |n: usize| {
        format!("<p>n</p><div id=body>{}<ul><li>x</ul></div><p>m</p>", "<p wanted>t</p>".repeat(n))
    };
    assert_eq!(exact(&[&page(1), &page(3)]), ["//div[@id='body']/p"]);
}

#[test]
fn elements_of_two_tags_are_a_union() {
    let page = "<div id=a><h2 wanted>h</h2><p wanted>t</p><ul><li>x</ul><div>y</div></div><p>n</p><h2>m</h2>";
    let found = exact(&[page, page]);
    assert_eq!(found, ["//div[@id='a']/h2", "//div[@id='a']/p"]);
}

#[test]
fn two_kinds_of_pages_are_a_union() {
    let news = "<div class=nav>n</div><div>m</div><div id=news wanted>t</div>";
    let blog = "<div class=blog wanted>t</div><div class=nav>n</div><div>m</div>";
    let found = exact(&[news, news, news, blog, blog]);
    assert_eq!(found.len(), 2);
    assert!(found.contains(&"//div[@id='news']".to_owned()), "{found:?}");
}

#[test]
fn one_page_that_is_otherwise_does_not_spoil_the_rest() {
    let usual = "<div id=story wanted>t</div><div class=x><div>n</div></div>";
    let odd = "<div id=story><div>ad</div><div wanted>t</div></div>";
    let pages = [usual, usual, usual, usual, usual, usual, usual, usual, usual, odd];
    let (synthesis, _) = learn(&pages);
    assert_eq!(synthesis.paths.len(), 1);
    assert_eq!(synthesis.paths[0].to_string(), "//div[@id='story']");
    assert_eq!(synthesis.exact, 0.9);
}

#[test]
fn nothing_wanted_on_some_pages() {
    let with = "<div id=story wanted>t</div><div id=nav>n</div>";
    let without = "<div id=nav>n</div><div id=teaser>n</div>";
    assert_eq!(exact(&[with, without, with]), ["//div[@id='story']"]);
    // Its id is on no other page, so it may be specific to this one.
    let (synthesis, _) = learn(&[with, without]);
    assert!(!synthesis.paths[0].to_string().contains("story"), "{synthesis:?}");
}

#[test]
fn nothing_wanted_anywhere() {
    let (synthesis, _) = learn(&["<p>x", "<p>y"]);
    assert_eq!(synthesis, Synthesis { paths: Vec::new(), exact: 0.0 });
    assert_eq!(Samples::new([]).synthesize(&[]), Synthesis { paths: Vec::new(), exact: 0.0 });
}

#[test]
fn tags_that_are_no_names_in_xpath_are_not_named() {
    let page = "<a:b><div>n</div><o:p class=text wanted>t</o:p></a:b><o:p>n</o:p>";
    assert_eq!(exact(&[page, page]), [format!("//*{}", class("text"))]);
}

#[test]
fn values_that_engines_read_differently_are_not_used() {
    let page = "<div id='a\u{c}b' class='x\u{a0}y' wanted>t</div><div>n</div><p>m</p>";
    for path in exact(&[page, page]) {
        assert!(path.is_ascii() && !path.contains('\u{c}'), "{path}");
    }
}

#[test]
fn steps_in_between_that_say_nothing_are_left_out() {
    let page = "<div id=shell><div><div><div class=side><div class=text>n</div></div><div class=art><div><div class=text wanted>t</div></div></div></div></div></div>";
    let found = exact(&[page, page]);
    assert_eq!(found, [format!("//div{}//div{}", class("art"), class("text"))]);
}

#[test]
fn what_other_expressions_want_may_be_selected_too() {
    let page = |id: &str| {
        format!("<div class=body><p>a<p class=lead>b</div><div class=x><p id={id}>c</div>")
    };
    let documents: Vec<Document> = ["1", "2", "3"].map(|id| dom::parse(&page(id))).into();
    let named = |document: &Document, lead: bool| -> Vec<NodeId> {
        let in_body = |&id: &NodeId| {
            let above = document
                .parent(id)
                .and_then(|id| document.attribute(id, &dom::local_name!("class")));
            document.is(id, &dom::local_name!("p")) && above == Some("body")
        };
        let is_lead = |id: NodeId| document.attribute(id, &dom::local_name!("class")).is_some();
        document.ids().filter(in_body).filter(|&id| is_lead(id) == lead).collect()
    };
    let plain: Vec<_> = documents.iter().map(|document| named(document, false)).collect();
    let leads: Vec<_> = documents.iter().map(|document| named(document, true)).collect();
    let synthesize = |free: &[Vec<NodeId>]| {
        let wanted: Vec<WantedNodes<'_>> = (plain.iter().zip(free))
            .map(|(wanted, free)| WantedNodes { wanted, scope: None, free })
            .collect();
        Samples::new(&documents).synthesize(&wanted)
    };
    let strict = synthesize(&vec![Vec::new(); 3]);
    let free = synthesize(&leads);
    assert_eq!(free.exact, 1.0);
    let path = "//div[contains(concat(' ',normalize-space(@class),' '),' body ')]/p";
    assert_eq!(free.paths.iter().map(ToString::to_string).collect::<Vec<_>>(), [path]);
    assert_ne!(strict.paths, free.paths);
}
