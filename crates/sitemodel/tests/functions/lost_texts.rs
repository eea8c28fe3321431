//! Pages that have lost their texts.

use std::collections::BTreeSet;

use model::{DropReason, LostTexts, Origin, Page};
use sitegrove_sitemodel::{ParsedPage, Settings, find_lost_texts, parse_page};

/// A page with a text of its own, and a list that others do not have.
fn page(n: usize, text: &str) -> Page {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    let word = |at| format!("w{}{}{}", letter(n), letter(at), letter(at / 26));
    let words = |from: usize, to: usize| (from..to).map(word).collect::<Vec<_>>();
    let own: String = words(0, 60).chunks(12).map(|p| format!("<p>{}</p>", p.join(" "))).collect();
    let html = format!(
        "<!doctype html><title>Story {n}</title><ul><li><a href=/>Home</a></ul><h1>Story {n}</h1>\
         <div>{}</div><table><tr><td>{}</table><p>All rights reserved by the people of this paper.</p>",
        text.replace("TEXT", &own),
        words(60, 66).join(" ")
    );
    Page {
        url: format!("https://e.org/story/{n}"),
        site: "e.org".to_owned(),
        fetched: None,
        origin: Origin::default(),
        charset: charset::decode(Vec::new(), &charset::CharsetHints::default()).1,
        notes: None,
        html: html.into(),
    }
}

fn found(tonight: &[Page], earlier: &[Page]) -> Option<(LostTexts, BTreeSet<usize>)> {
    let settings = Settings::standard();
    let parse = |page| parse_page(page, &settings);
    let tonight: Vec<ParsedPage<'_>> = tonight.iter().map(parse).collect();
    let earlier: Vec<ParsedPage<'_>> = earlier.iter().map(parse).collect();
    let all: Vec<&ParsedPage<'_>> = tonight.iter().collect();
    find_lost_texts(&all, &earlier.iter().collect::<Vec<_>>()).map(|lost| (lost.texts, lost.pages))
}

fn pages(of: std::ops::Range<usize>, text: &str) -> Vec<Page> {
    of.map(|n| page(n, text)).collect()
}

const WALL: &str = "<section><p>Subscribe now to read this story.</p></section>";

#[test]
fn pages_that_ask_for_something_in_place_of_their_texts_are_told() {
    // The same pages, and others.
    for tonight in [0..6, 20..28] {
        let (lost, without) = found(&pages(tonight.clone(), WALL), &pages(0..8, "TEXT")).unwrap();
        assert_eq!(lost.kind, Some(DropReason::PaywallStub));
        assert_eq!(lost.notice, "Subscribe now to read this story.");
        assert_eq!(without.len(), tonight.len());
        assert!(lost.lost > 0.7, "{lost:?}");
    }
    // Of some pages.
    let some: Vec<Page> = [pages(0..3, WALL), pages(3..12, "TEXT")].concat();
    let (_, without) = found(&some, &pages(0..8, "TEXT")).unwrap();
    assert_eq!(without, BTreeSet::from([0, 1, 2]));
}

#[test]
fn a_notice_needs_no_known_phrase_and_a_lost_text_no_notice() {
    let earlier = pages(0..8, "TEXT");
    let gate = "<p>The rest of these lines is kept in a drawer for those who own the key.</p>";
    let (lost, _) = found(&pages(0..6, gate), &earlier).unwrap();
    assert_eq!(lost.kind, Some(DropReason::DuplicateText));
    for rest in ["<p>Read on.</p>", ""] {
        let (lost, without) = found(&pages(0..6, rest), &earlier).unwrap();
        assert_eq!((lost.kind, &*lost.notice, without.len()), (None, "", 6));
    }
}

/// The teaser is new, and on several pages, too, and it is longer than the notice.
#[test]
fn a_notice_is_named_by_its_own_words_and_not_by_those_of_a_teaser() {
    let gate = "<p>The rest of these lines is kept in a drawer for those who own the key.</p>";
    let teaser = "<aside><p>A poet asks a page that wants to verify you are human what it makes of the \
                  poems that her neighbour wrote in the long nights of a winter.</p></aside>";
    let some = pages(0..3, &format!("{gate}{teaser}"));
    let tonight = [some, pages(3..8, gate)].concat();
    let (lost, without) = found(&tonight, &pages(0..8, "TEXT")).unwrap();
    assert_eq!((lost.kind, without.len()), (Some(DropReason::DuplicateText), 8));
}

#[test]
fn new_words_beside_the_texts_are_no_notice() {
    let earlier = pages(0..8, "TEXT");
    let banner = format!("{WALL}<div><p>We and our partners use cookies.</p></div>TEXT");
    assert!(found(&pages(0..8, &banner), &earlier).is_none());
    assert!(found(&pages(20..28, &banner), &earlier).is_none());
    assert!(found(&pages(0..8, "TEXT"), &earlier).is_none());
    assert!(found(&pages(0..2, WALL), &earlier).is_none(), "two pages tell nothing");
    assert!(found(&pages(0..8, WALL), &[]).is_none());
}
