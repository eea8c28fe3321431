//! The core of a page: the element around most of the text with high scores.

use dom::{Document, NodeId};

use crate::elementary::log;
use crate::page::sums;
use crate::pools::{Pools, ScoredPage};
use crate::rows::Row;

/// The core of a page, with what is needed to compute the position of blocks relative to it.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    element: NodeId,
    /// Mean of own and pooled score, by block.
    pub(crate) mixed: Vec<f32>,
    /// Sums before each block: words, words times mixed score.
    words: Vec<f32>,
    mass: Vec<f32>,
    /// First and last block of the core with a high score.
    first: usize,
    last: usize,
    /// Per node the number of blocks before it.
    starts: Vec<u32>,
}

impl Core {
    /// Finds the element with the largest sum over its blocks of words · (score − ½), the score being
    /// the mean of the block's own and its pattern's; ties go to the deeper one. Linear in nodes.
    pub(crate) fn of(document: &Document, page: &ScoredPage<'_>, pools: &Pools) -> Self {
        let blocks = &page.page.blocks;
        let mixed: Vec<f32> = (0..blocks.len())
            .map(|at| (page.scores[at] + pools.mean(page.pattern(at), page.scores[at])) / 2.0)
            .collect();
        let words = sums(&blocks.iter().map(|b| b.words as f32).collect::<Vec<_>>());
        let weigh = |b: &crate::Block, score: f32| b.words as f32 * score;
        let mass: Vec<f32> = blocks.iter().zip(&mixed).map(|(b, &m)| weigh(b, m)).collect();
        let mass = sums(&mass);
        let mut starts = Vec::with_capacity(document.len() + 1);
        let mut at = 0;
        for id in document.ids() {
            starts.push(at as u32);
            while at < blocks.len() && blocks[at].first == id {
                at += 1;
            }
        }
        starts.push(at as u32);
        let mut core = Self {
            element: 0,
            mixed,
            words,
            mass,
            first: 0,
            last: blocks.len().max(1) - 1,
            starts,
        };
        let mut best = f32::NEG_INFINITY;
        for id in document.ids().filter(|&id| document.name(id).is_some()) {
            let (words, mass) = core.sums(document, id);
            let gain = mass - words / 2.0;
            // A later element is deeper or elsewhere; one elsewhere has the same sum only by chance.
            if words > 0.0 && gain >= best - 1e-4 {
                core.element = id;
                best = gain;
            }
        }
        let (from, to) = core.blocks_of(document, core.element);
        let reads = |at: &usize| core.mixed[*at] >= 0.5;
        if let (Some(first), Some(last)) = ((from..to).find(reads), (from..to).rfind(reads)) {
            (core.first, core.last) = (first, last);
        }
        core
    }

    fn blocks_of(&self, document: &Document, id: NodeId) -> (usize, usize) {
        let end = document.node(id).end;
        (self.starts[id as usize] as usize, self.starts[end as usize] as usize)
    }

    /// Words and mass of a subtree.
    fn sums(&self, document: &Document, id: NodeId) -> (f32, f32) {
        let (from, to) = self.blocks_of(document, id);
        (self.words[to] - self.words[from], self.mass[to] - self.mass[from])
    }

    /// The position of a block relative to the core.
    pub(crate) fn fill(
        &self,
        row: &mut impl Row,
        document: &Document,
        page: &ScoredPage<'_>,
        at: usize,
    ) {
        let blocks = &page.page.blocks;
        let block = &blocks[at];
        let core = document.node(self.element);
        let is_above = |id: NodeId| document.contains(id, self.element);
        // The lowest element around both, and the branch of it that the block is in.
        let mut branch = block.element;
        let mut joint = block.element;
        while !is_above(joint) {
            branch = joint;
            joint = document.node(joint).parent;
        }
        let level = |id: NodeId| f32::from(document.node(id).level);
        let inside = document.contains(self.element, block.element);
        let flag = |is: bool| f32::from(u8::from(is));
        let mixed = self.mixed[at];
        let log_words = log(block.words as f32);
        let (branch_words, branch_mass) = self.sums(document, branch);
        let (core_words, core_mass) = self.sums(document, self.element);
        let all = self.mass.last().copied().unwrap_or(0.0).max(1e-6);
        row.put("core: joint level", level(joint) / f32::from(core.level.max(1)));
        row.put("core: inside", flag(inside));
        row.put("core: below joint", (level(block.element) - level(joint)) / 10.0);
        row.put("core: branch score", branch_mass / branch_words.max(1.0));
        row.put("core: branch words", log(branch_words));
        row.put("core: share of page", core_mass / all);
        row.put("core: score", core_mass / core_words.max(1.0));
        row.put("core: words", log(core_words));
        row.put("core: before", flag(at < self.first));
        row.put("core: after", flag(at > self.last));
        let gap = self.first.saturating_sub(at).max(at.saturating_sub(self.last));
        row.put("core: gap", log(gap as f32));
        row.put("core: mixed", mixed);
        row.put("core: mixed inside", if inside { mixed } else { -1.0 });
        row.put("core: words inside", if inside { log_words } else { -1.0 });
        row.put("core: words outside", if inside { -1.0 } else { log_words });
        row.put("core: on its path", flag(is_above(block.element)));
        row.put("mass before", self.mass[at] / all);
        row.put("mass here", (self.mass[at + 1] - self.mass[at]) / all);
        let near = |distance: isize| {
            at.checked_add_signed(distance)
                .and_then(|at| self.mixed.get(at))
                .copied()
                .unwrap_or(-1.0)
        };
        for distance in [-3, -2, -1, 1, 2, 3] {
            row.put(format_args!("mixed {distance:+}"), near(distance));
        }
        let gap_before = (0..at).rev().take(60).position(|at| self.mixed[at] >= 0.5);
        let gap_after = (at + 1..blocks.len()).take(60).position(|at| self.mixed[at] >= 0.5);
        row.put("since text", gap_before.map_or(-1.0, |gap| log(gap as f32)));
        row.put("until text", gap_after.map_or(-1.0, |gap| log(gap as f32)));
    }
}
