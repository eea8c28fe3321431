//! Decisions on a template that is learnt again.

use grove::{Decision, PatternId};

use super::Judgement;
use crate::stages::signify::Sibling;

impl Judgement {
    /// The decisions on the patterns of other pages, given the pattern of each of their nodes: that on most of
    /// the nodes that are known here.
    pub(super) fn decided(
        &self,
        pages: &[Sibling<'_>],
        of_nodes: &[Vec<PatternId>],
        patterns: usize,
    ) -> Vec<Option<Decision>> {
        let mut counts = vec![[0u32; 3]; patterns];
        for (sibling, of_nodes) in pages.iter().zip(of_nodes) {
            let known = self.common.patterns.find(&sibling.page.document);
            for (&pattern, &known) in of_nodes.iter().zip(&known) {
                let decision = self.decisions.get(known as usize);
                if let (Some(counts), Some(&decision)) =
                    (counts.get_mut(pattern as usize), decision)
                {
                    counts[decision as usize] += 1;
                }
            }
        }
        let most = |counts: &[u32; 3]| {
            let most =
                Decision::ALL.into_iter().max_by_key(|&decision| counts[decision as usize])?;
            (counts[most as usize] > 0).then_some(most)
        };
        counts.iter().map(most).collect()
    }
}
