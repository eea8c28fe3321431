//! Overlap of a block's terms with title, description, full text and the rest of the page.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::block::{TextBlock, density};
use crate::page::PageView;

/// Overlaps of the terms of blocks.
#[derive(Debug, Default)]
pub(crate) struct TermOverlaps {
    /// Per block: share of its terms in the title, share of the title's in it, share of its terms in
    /// the description, and share that other running text of the page has.
    pub(crate) overlaps: Vec<[f32; 4]>,
    /// Per block: signifiers, terms.
    pub(crate) signified: Vec<(u32, u32)>,
}

/// The different terms of a page, its title and so on, by number: each is looked up once.
#[derive(Default)]
struct Terms {
    numbers: FxHashMap<u64, u32>,
    all: Vec<PageTerm>,
}

#[derive(Clone, Copy, Default)]
struct PageTerm {
    in_title: bool,
    in_description: bool,
    is_signifier: bool,
    /// One more than the last block that was found to have it.
    last_block: u32,
    /// Blocks of running text that have it.
    texts: u32,
}

impl Terms {
    fn number(&mut self, term: u64) -> u32 {
        let Self { numbers, all } = self;
        *numbers.entry(term).or_insert_with(|| {
            all.push(PageTerm::default());
            all.len() as u32 - 1
        })
    }

    fn get(&mut self, term: u64) -> &mut PageTerm {
        let number = self.number(term);
        &mut self.all[number as usize]
    }
}

/// Compares the terms of blocks. Linear in the page's terms.
pub(crate) fn shares(page: &PageView<'_>, blocks: &[TextBlock]) -> TermOverlaps {
    let mut terms = Terms::default();
    terms.numbers.reserve(page.terms.all().len() / 2 + page.title.len() + page.description.len());
    page.description.iter().for_each(|&term| terms.get(term).in_description = true);
    page.signifiers.iter().for_each(|signifier| terms.get(signifier.0).is_signifier = true);
    let mut title_terms = 0;
    for &term in page.title {
        title_terms += usize::from(!std::mem::replace(&mut terms.get(term).in_title, true));
    }
    // The terms of each block, each once, one block after the other; where each block's end.
    let mut own: Vec<u32> = Vec::with_capacity(page.terms.all().len());
    let mut ends: Vec<usize> = Vec::with_capacity(blocks.len());
    let mut signified = Vec::with_capacity(blocks.len());
    let is_text = |b: &TextBlock| density(b) < 0.5 && b.words >= 8;
    for (number, block) in (1..).zip(blocks) {
        let in_text = u32::from(is_text(block));
        let all = page.terms.between(block.first, block.last);
        let mut signifiers = 0;
        for &term in all {
            let at = terms.number(term);
            let term = &mut terms.all[at as usize];
            signifiers += u32::from(term.is_signifier);
            if std::mem::replace(&mut term.last_block, number) != number {
                term.texts += in_text;
                own.push(at);
            }
        }
        signified.push((signifiers, all.len() as u32));
        ends.push(own.len());
    }
    let mut from = 0;
    let of_block = |(&end, block): (&usize, &TextBlock)| {
        let own = &own[std::mem::replace(&mut from, end)..end];
        // A term is common only if another block has it.
        let least = if is_text(block) { 2 } else { 1 };
        let (mut in_title, mut in_description, mut shared) = (0, 0, 0);
        for term in own.iter().map(|&at| &terms.all[at as usize]) {
            in_title += usize::from(term.in_title);
            in_description += usize::from(term.in_description);
            shared += usize::from(term.texts >= least);
        }
        let share = |n: usize, of: usize| n as f32 / of.max(1) as f32;
        [
            share(in_title, own.len()),
            share(in_title, title_terms),
            share(in_description, own.len()),
            share(shared, own.len()),
        ]
    };
    TermOverlaps { overlaps: ends.iter().zip(blocks).map(of_block).collect(), signified }
}

/// Share of each block's pairs of terms that the full text has; of single terms for short blocks.
pub(crate) fn agreement(page: &PageView<'_>, blocks: &[TextBlock]) -> Vec<f32> {
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
