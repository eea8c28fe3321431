//! Pages that come again in another layout: what was text of them before is text of them now.

use crate::common::nights::{Night, Nights, url};
use crate::common::prose;

/// A paragraph that is beside the text of a post, in a link.
fn aside(n: usize) -> String {
    prose::paragraphs(n + 500).swap_remove(0)
}

fn with_aside(n: usize) -> String {
    let aside = format!(
        "<aside class=side><h4>From our archive</h4><p><a href=/old>{}</a></p></aside>\n<h1>",
        aside(n)
    );
    prose::post(n).replace("<h1>", &aside)
}

/// Another layout, in which that paragraph comes after the others, in a box that is named or not.
fn redesigned(n: usize, has_name: bool) -> String {
    let paragraph = |text: &String| format!("<p>{text}</p>");
    let body: String = prose::paragraphs(n).iter().map(paragraph).collect();
    let (title, last) = (prose::title(n), paragraph(&aside(n)));
    let last = if has_name { format!("<div class=box>{last}</div>") } else { last };
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title></head><body><div id=app><header><nav>\
         <a href=/>Start</a> <a href=/topics>Topics</a></nav></header><main><article><h2>{title}</h2>\
         <section class=story>{body}{last}</section></article></main><footer><small>All rights reserved by \
         nobody in particular.</small></footer></div>"
    )
}

/// Three nights of the same posts, and then these.
fn nights(last: &[(String, String)]) -> (Nights, Night) {
    let mut nights = Nights::new();
    let posts: Vec<_> = (0..10).map(|n| (url(n), with_aside(n))).collect();
    for _ in 0..3 {
        let night = nights.night(&posts);
        assert_eq!(night.verdict(), "healthy");
        (0..10).for_each(|n| night.has_text_of(n));
    }
    let night = nights.night(last);
    (nights, night)
}

#[test]
fn a_redesign_is_learnt_with_what_is_known_of_its_pages() {
    let page = |n| (url(n), redesigned(n, true));
    let (mut nights, night) = nights(&(0..10).map(page).collect::<Vec<_>>());
    assert_eq!((&*night.decision(), &*night.verdict()), ("add-templates", "healthy"));
    (0..10).for_each(|n| night.has_text_of(n));
    // It is the layout that was learnt, not these pages.
    let night = nights.night(&(20..30).map(page).collect::<Vec<_>>());
    (20..30).for_each(|n| night.has_text_of(n));
}

#[test]
fn words_that_were_beside_a_text_and_are_now_in_it_are_reported() {
    let page = |n| (url(n), redesigned(n, false));
    let (_, night) = nights(&(0..10).map(page).collect::<Vec<_>>());
    assert_eq!(night.verdict(), "broken");
    let evidence = night.of("posts.example", "evidence");
    assert!(evidence.contains("of the words that 10 pages still have"), "{evidence}");
}
