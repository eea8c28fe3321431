//! A compact set of names that revisits ask for, or that records offer.

use crate::revisit::Revisit;

/// A Bloom filter with one hash: contains all names that were added, and a few others.
#[derive(Debug, Default)]
pub struct NameFilter(Vec<u64>);

impl NameFilter {
    /// 8 MiB, allocated with the first name. With ten million names, one in eight others passes.
    const BITS: u128 = 1 << 26;

    fn place(name: u128) -> (usize, u64) {
        let bit = (name % Self::BITS) as usize;
        (bit / 64, 1 << (bit % 64))
    }

    /// Adds a name.
    pub fn add(&mut self, name: u128) {
        if self.0.is_empty() {
            self.0 = vec![0; (Self::BITS / 64) as usize];
        }
        let (at, bit) = Self::place(name);
        self.0[at] |= bit;
    }

    /// Adds the names by which a revisit refers to its original.
    pub fn add_names_of(&mut self, revisit: &Revisit) {
        revisit.keys().into_iter().for_each(|name| self.add(name));
    }

    /// Whether a name was added, or may have been.
    pub fn may_have(&self, name: u128) -> bool {
        let (at, bit) = Self::place(name);
        self.0.get(at).is_some_and(|bits| bits & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_what_was_added_and_few_others() {
        let mut filter = NameFilter::default();
        assert!(!filter.may_have(0));
        let name = |n: u128| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        (0..10_000).for_each(|n| filter.add(name(n)));
        assert!((0..10_000).all(|n| filter.may_have(name(n))));
        let others = (10_000..20_000).filter(|&n| filter.may_have(name(n))).count();
        assert!(others < 50, "{others} of 10,000 others pass");
    }
}
