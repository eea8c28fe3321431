//! What a block's terms share with what the page, its head and its publisher say elsewhere.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::block::Block;
use crate::page::{PageView, density};

/// Per block: share of its terms in the title, share of the title's in it, share of its terms in the
/// description, and share that other running text of the page has.
pub(crate) fn overlaps(page: &PageView<'_>, blocks: &[Block]) -> Vec<[f32; 4]> {
    let set = |terms: &[u64]| -> FxHashSet<u64> { terms.iter().copied().collect() };
    let (title, description) = (set(page.title), set(page.description));
    // The terms of each block, each once, one block after the other; where each block's end.
    let mut own: Vec<u64> = Vec::with_capacity(page.terms.all().len());
    let mut ends: Vec<usize> = Vec::with_capacity(blocks.len());
    let mut common: FxHashMap<u64, u32> = FxHashMap::default();
    common.reserve(page.terms.all().len() / 2);
    let is_text = |b: &Block| density(b) < 0.5 && b.words >= 8;
    for block in blocks {
        let from = own.len();
        own.extend_from_slice(page.terms.between(block.first, block.last));
        own[from..].sort_unstable();
        // What is equal lies together now.
        let mut to = from;
        for at in from..own.len() {
            if at == from || own[at] != own[to - 1] {
                own[to] = own[at];
                to += 1;
            }
        }
        own.truncate(to);
        if is_text(block) {
            own[from..].iter().for_each(|&term| *common.entry(term).or_default() += 1);
        }
        ends.push(own.len());
    }
    let mut from = 0;
    ends.iter()
        .zip(blocks)
        .map(|(&end, block)| {
            let terms = &own[std::mem::replace(&mut from, end)..end];
            let share = |n: usize, of: usize| n as f32 / of.max(1) as f32;
            let in_title = terms.iter().filter(|term| title.contains(term)).count();
            let in_description = terms.iter().filter(|term| description.contains(term)).count();
            // Its own mention does not make a term common.
            let least = if is_text(block) { 2 } else { 1 };
            let shared =
                terms.iter().filter(|t| common.get(t).is_some_and(|&n| n >= least)).count();
            [
                share(in_title, terms.len()),
                share(in_title, title.len()),
                share(in_description, terms.len()),
                share(shared, terms.len()),
            ]
        })
        .collect()
}

/// Share of each block's pairs of terms that the full text has; of single terms for short blocks.
pub(crate) fn agreement(page: &PageView<'_>, blocks: &[Block]) -> Vec<f32> {
    if page.full_text.len() < 20 {
        return vec![-1.0; blocks.len()];
    }
    let pair = |w: &[u64]| w[0].rotate_left(7) ^ w[1];
    let pairs: FxHashSet<u64> = page.full_text.windows(2).map(pair).collect();
    let single: FxHashSet<u64> = page.full_text.iter().copied().collect();
    blocks
        .iter()
        .map(|block| {
            let terms = page.terms.between(block.first, block.last);
            let share = |hits: usize, of: usize| hits as f32 / of as f32;
            match terms.len() {
                0 => -1.0,
                1 => share(terms.iter().filter(|t| single.contains(t)).count(), 1) / 2.0,
                n => share(terms.windows(2).filter(|w| pairs.contains(&pair(w))).count(), n - 1),
            }
        })
        .collect()
}
