//! The body of a page that is like those its template was learnt from.

use std::cell::RefCell;

use grove::{Chosen, Cues, FastPage, Profile, Weights};
use model::FeedItem;

use super::judged::{FULL_TEXT, Kept, body_of};
use crate::body::Body;
use crate::parsed::ParsedPage;
use crate::stages::judge::{JudgedPage, Judgement};
use crate::stages::wrap::CompiledWrapper;

thread_local! {
    static CUES: RefCell<Cues> = RefCell::new(Cues::new());
}

/// Where a full text has more words than this many times those kept, it may hold what the page has not.
const FULLER: u32 = 2;

/// Finds the body by the wrapper, with the scores that are to be expected of each pattern instead of the
/// page's own. `None` where the page is not like those learnt from: it must be judged. `selected` is what the
/// wrapper selects on the page, where that is known.
pub fn fast_body(
    parsed: &ParsedPage<'_>,
    feed_items: &[&FeedItem],
    (judgement, profile, learnt): (&Judgement, &Profile, &CompiledWrapper),
    selected: Option<Chosen>,
    weights: &Weights,
) -> Option<Body> {
    let ParsedPage { document, words, link_words, .. } = parsed;
    let patterns = &judgement.common.patterns;
    let mut fast =
        CUES.with_borrow_mut(|cues| profile.look(patterns, document, words, link_words, cues));
    let chosen = selected.unwrap_or_else(|| learnt.select(document));
    let kept = chosen.blocks(document, &fast.blocks.blocks);
    if !profile.fits(&fast, &kept) {
        return None;
    }
    let words: u32 = kept.iter().map(|&at| fast.blocks.blocks[at].words).sum();
    if full_text_words(parsed, feed_items) > FULL_TEXT.0.max(FULLER * words) {
        return None;
    }
    fast.look_at(document, &kept, &judgement.pools);
    let FastPage { blocks, of_nodes, scores } = fast;
    let page = JudgedPage { blocks, of_nodes, scores };
    let pools = &judgement.pools;
    Some(body_of(Kept { parsed, page: &page, pools, learnt: Some(learnt), chosen, kept }, weights))
}

/// Words of the text that the page's JSON-LD or a feed item has whole; markup in it counts too.
fn full_text_words(parsed: &ParsedPage<'_>, feed_items: &[&FeedItem]) -> u32 {
    // Most have none, and JSON takes long to read.
    let names_it = |json: &String| json.contains("\"articleBody\"") || json.contains("\"text\"");
    let own = || parsed.json_ld().article()?.body.as_deref();
    let own = parsed.document.head().json_ld.iter().any(names_it).then(own).flatten();
    let from_feed = || feed_items.first()?.content.as_deref();
    own.or_else(from_feed).map_or(0, terms::count_words)
}
