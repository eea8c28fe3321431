//! Terms of a page in document order, counts of signifiers over any subtree in O(1), and Sigfeed, the page-level baseline.

use dom::{Document, NodeId, local_name};
use rustc_hash::FxHashMap;

/// The terms of a page in document order: hashes of stems, without stop words. Stop words count neither as signifiers nor as
/// other terms: with them, Forest loses five points.
#[derive(Clone, Debug)]
pub struct PageTerms {
    terms: Vec<u64>,
    /// For each node the number of terms before it, followed by the total.
    starts: Vec<u32>,
}

impl PageTerms {
    /// Takes the hashes of the terms of all nodes in order, and for each node the number of terms
    /// before it, followed by the total.
    pub fn new(terms: Vec<u64>, starts: Vec<u32>) -> Self {
        Self { terms, starts }
    }

    /// Removes the terms that `keep` rejects (stop words found later). O(terms).
    pub fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        let mut kept = Vec::with_capacity(self.terms.len());
        let mut done = 0;
        for start in &mut self.starts {
            let until = *start as usize;
            kept.extend(self.terms[done..until].iter().copied().filter(|&t| keep(t)));
            *start = kept.len() as u32;
            done = until;
        }
        self.terms = kept;
    }

    /// All terms in document order.
    pub fn all(&self) -> &[u64] {
        &self.terms
    }

    /// The terms of the nodes from `first` to `last`, both included.
    pub fn between(&self, first: NodeId, last: NodeId) -> &[u64] {
        &self.terms[self.starts[first as usize] as usize..self.starts[last as usize + 1] as usize]
    }

    /// The terms in the subtree of a node.
    pub fn of(&self, document: &Document, id: NodeId) -> &[u64] {
        let (from, to) = self.range(document, id);
        &self.terms[from as usize..to as usize]
    }

    fn range(&self, document: &Document, id: NodeId) -> (u32, u32) {
        (self.starts[id as usize], self.starts[document.node(id).end as usize])
    }
}

/// Running counts of signifiers over a page's terms.
#[derive(Clone, Debug)]
pub struct SignifierCounts<'a> {
    terms: &'a PageTerms,
    /// Number of signifiers among the terms before each term, followed by the total.
    hits: Vec<u32>,
    weights: FxHashMap<u64, f64>,
}

impl<'a> SignifierCounts<'a> {
    /// Takes a page's terms and its signifiers (hash of the term, weight).
    pub fn new(terms: &'a PageTerms, signifiers: &[(u64, f64)]) -> Self {
        let weights: FxHashMap<u64, f64> = signifiers.iter().copied().collect();
        let mut hits = Vec::with_capacity(terms.terms.len() + 1);
        let mut count = 0;
        hits.push(0);
        for term in &terms.terms {
            count += u32::from(weights.contains_key(term));
            hits.push(count);
        }
        Self { terms, hits, weights }
    }

    /// `(x, y)`: signifiers with multiplicity, and other terms, in the text of a node.
    pub fn of(&self, document: &Document, id: NodeId) -> (u32, u32) {
        let (from, to) = self.terms.range(document, id);
        let x = self.hits[to as usize] - self.hits[from as usize];
        (x, to - from - x)
    }

    /// `(X, Y)`: signifiers and other terms of the whole page.
    pub fn page(&self) -> (u32, u32) {
        let x = self.hits.last().copied().unwrap_or(0);
        (x, self.terms.terms.len() as u32 - x)
    }

    /// Sum of the weights of the distinct signifiers in the text of a node, sum of the weights of
    /// all signifiers of the page, and their number (equation 6).
    pub(crate) fn coverage_of(&self, document: &Document, id: NodeId) -> (f64, f64, usize) {
        let terms = self.terms.of(document, id).iter().copied();
        let mut found: Vec<u64> = terms.filter(|term| self.weights.contains_key(term)).collect();
        found.sort_unstable();
        found.dedup();
        // Sums are computed in the order of the hashes, so that the result does not depend on the order of the map.
        let mut all: Vec<(u64, f64)> = self.weights.iter().map(|(&t, &w)| (t, w)).collect();
        all.sort_unstable_by_key(|a| a.0);
        let sum = all.iter().map(|a| a.1).sum();
        (found.iter().map(|t| self.weights[t]).sum(), sum, all.len())
    }
}

/// Sigfeed, the page-level baseline of §4 (after Oita & Senellart's earlier ArchivalRank work): the lowest `div` with the
/// most feed keywords. Each significant text leaf counts for its nearest `div` ancestor. Of `div`s with equally many
/// signifiers, the deeper one is chosen, then the first. `None` if no signifier is in a `div`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_over_subtrees() {
        let d = dom::parse("<div><p>a b</p><p>a c d</p></div><p>a</p>");
        let hash = |w: &str| u64::from(w.as_bytes()[0]);
        let of_node = |id| d.text(id).unwrap_or_default().split_whitespace().map(hash);
        let terms = d.ids().flat_map(of_node).collect();
        let before = |id| (0..id).flat_map(of_node).count() as u32;
        let terms = PageTerms::new(terms, (0..=d.len() as u32).map(before).collect());
        let counts = SignifierCounts::new(&terms, &[(hash("a"), 2.0), (hash("d"), 1.0)]);
        let find = |name: &str| d.ids().find(|&i| d.name(i).is_some_and(|n| &**n == name)).unwrap();
        assert_eq!(counts.page(), (4, 2));
        assert_eq!(counts.of(&d, find("div")), (3, 2));
        assert_eq!(counts.of(&d, find("p")), (1, 1));
        assert_eq!(counts.coverage_of(&d, find("p")), (2.0, 3.0, 2));
    }
}
