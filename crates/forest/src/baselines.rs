//! Sigfeed, the page-level baseline of §4 (after Oita & Senellart's earlier ArchivalRank work).

use dom::{Document, NodeId, local_name};
use rustc_hash::FxHashMap;

use crate::SignifierCounts;

/// The lowest `div` with the most feed keywords: each significant text leaf counts for its nearest
/// `div` ancestor. The `div` with the most signifiers is chosen, of equal ones the deeper, then the
/// first. `None` if no signifier lies in a `div`.
pub fn sigfeed(document: &Document, counts: &SignifierCounts<'_>) -> Option<NodeId> {
    let mut nearest: Vec<Option<NodeId>> = Vec::with_capacity(document.len());
    let mut hits: FxHashMap<NodeId, u32> = FxHashMap::default();
    for id in document.ids() {
        let above = document.parent(id).and_then(|parent| nearest[parent as usize]);
        let div = if document.is(id, &local_name!("div")) { Some(id) } else { above };
        nearest.push(div);
        if document.text(id).is_some()
            && let Some(div) = div
        {
            *hits.entry(div).or_default() += counts.of(document, id).0;
        }
    }
    let key = |&(&id, &x): &(&NodeId, &u32)| (x, document.node(id).level, std::cmp::Reverse(id));
    hits.iter().filter(|(_, x)| **x > 0).max_by_key(key).map(|(&id, _)| id)
}
