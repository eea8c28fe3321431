//! The fast path: the body of a page that is similar to the sample of its template.

use std::cell::RefCell;

use grove::{Chosen, Cues, FastPage, Profile, Weights};
use model::FeedItem;

use super::judged::{By, FULL_TEXT, Kept, body_of};
use crate::body::Body;
use crate::parsed::ParsedPage;
use crate::stages::judge::{JudgedPage, Judgement};
use crate::stages::wrap::CompiledWrapper;

thread_local! {
    static CUES: RefCell<Cues> = RefCell::new(Cues::new());
}

/// If a full text has more than this many times the words kept, it may contain text that the page lacks.
const FULLER: u32 = 2;

/// Finds the body by the wrapper (or, without one, by the decisions on patterns), with the expected scores of each
/// pattern instead of the page's own. `None` if the page differs from the sample: then it must be scored.
/// `selected` is what is selected on the page, if known.
pub fn fast_body(
    parsed: &ParsedPage<'_>,
    feed_items: &[&FeedItem],
    (judgement, profile, learnt): (&Judgement, &Profile, Option<&CompiledWrapper>),
    selected: Option<Chosen>,
    weights: &Weights,
) -> Option<Body> {
    let ParsedPage { document, words, link_words, .. } = parsed;
    let patterns = &judgement.common.patterns;
    let mut fast =
        CUES.with_borrow_mut(|cues| profile.look(patterns, document, words, link_words, cues));
    let chosen = selected.unwrap_or_else(|| match learnt {
        Some(learnt) => learnt.select(document),
        None => Chosen::of(document, &fast.of_nodes, &judgement.decisions),
    });
    let kept = chosen.blocks(document, &fast.blocks.blocks);
    if !profile.fits(&fast, &kept) {
        return None;
    }
    let words: u32 = kept.iter().map(|&at| fast.blocks.blocks[at].words).sum();
    if parsed.full_text_words(feed_items) > FULL_TEXT.0.max(FULLER * words) {
        return None;
    }
    fast.look_at(document, &kept, &judgement.pools);
    let FastPage { blocks, of_nodes, scores, first } = fast;
    let page = JudgedPage { blocks, of_nodes, scores, first };
    let by = learnt.map_or(By::Patterns, By::Wrapper);
    Some(body_of(Kept { parsed, page: &page, judgement, by, chosen, kept }, weights))
}
