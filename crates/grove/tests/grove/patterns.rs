//! Structural patterns of siblings.

use dom::Document;
use sitegrove_grove::{PatternId, Patterns, UNKNOWN};

fn patterns_of(htmls: &[&str], tag: &str) -> Vec<PatternId> {
    let pages: Vec<Document> = htmls.iter().map(|html| dom::parse(html)).collect();
    let (patterns, of_nodes) = Patterns::of(&pages.iter().collect::<Vec<_>>());
    let mut found = Vec::new();
    for (page, own) in pages.iter().zip(&of_nodes) {
        assert_eq!(&patterns.find(page), own);
        let tagged = page.ids().filter(|&id| page.name(id).is_some_and(|n| &**n == tag));
        found.extend(tagged.map(|id| own[id as usize]));
    }
    found
}

#[test]
fn generated_names_and_numbers_do_not_tell_pages_apart() {
    let found = patterns_of(
        &[
            "<div class='post x8f3' id=post-1>",
            "<div class='q1k post' id=post-23>",
            "<div id=post-7 class=post>",
        ],
        "div",
    );
    assert!(found.iter().all(|&id| id == found[0]), "{found:?}");
}

#[test]
fn looks_tell_elements_without_names() {
    let page = "<table><tr><td width=120>a<td width=468>b</table>";
    let found = patterns_of(&[page; 3], "td");
    assert_eq!((found[0], found[1]), (found[2], found[3]));
    assert_ne!(found[0], found[1]);
}

#[test]
fn names_that_come_and_go_beside_a_steady_one_do_not_either() {
    let found = patterns_of(
        &["<div class='post humor'>", "<div class='post apple'>", "<div class='post humor'>"],
        "div",
    );
    assert!(found.iter().all(|&id| id == found[0]), "{found:?}");
}

#[test]
fn recurring_names_do() {
    let found = patterns_of(&["<p class=lead><p>", "<p class=lead><p>", "<p class=lead><p>"], "p");
    assert_eq!(found[0], found[2]);
    assert_ne!(found[0], found[1]);
}

#[test]
fn further_pages_have_the_patterns_of_the_sample() {
    let sample = [
        "<body class='single post-12'><div id=a class='x y'><p>a<p class=lead>b</div>",
        "<body><div class='y x' id=a><p class=lead>b<ul><li width=3>c</ul></div>",
    ]
    .map(dom::parse);
    let (patterns, of_nodes) = Patterns::of(&sample.each_ref());
    let page = dom::parse(
        "<body class='single post-7'><div class='x y' id=a2><p class='lead new'>c<p>d</div>\
         <section><p>z</section>",
    );
    let found = patterns.find(&page);
    let first = |page: &Document, own: &[PatternId], tag: &str| {
        let tagged = |id: &u32| page.name(*id).is_some_and(|name| &**name == tag);
        own[page.ids().find(tagged).unwrap() as usize]
    };
    for tag in ["body", "div"] {
        assert_eq!(first(&page, &found, tag), first(&sample[0], &of_nodes[0], tag), "{tag}");
    }
    assert_eq!(first(&page, &found, "p"), first(&sample[1], &of_nodes[1], "p"));
    assert_eq!(first(&page, &found, "section"), UNKNOWN);
    let last = page.ids().rfind(|&id| page.text(id).is_some()).unwrap();
    assert_eq!(found[last as usize], UNKNOWN, "what lies in an unknown element is unknown");
}
