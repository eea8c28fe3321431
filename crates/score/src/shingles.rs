/*!
Pairs of consecutive words as sets: the measure of the Forest paper (§4, "Performance metrics").

With G and S the sets of 2-grams of gold and output, precision is |G ∩ S| / |S| and recall |G ∩ S| / |G|.
The number of occurrences of a pair does not count. A text of one word has that word as its only member;
it equals another text of the same single word, but no pair.
*/

use crate::{Score, words::WordNumber};

/// A set of word pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles {
    /// Sorted, without duplicates: first word in the high half, second word + 1 in the low, 0 for
    /// none.
    members: Vec<u64>,
}

impl Shingles {
    /// The pairs of a text.
    pub fn of(words: &[WordNumber]) -> Self {
        let mut members: Vec<u64> = match words {
            [only] => vec![u64::from(*only) << 32],
            _ => words.windows(2).map(|pair| pack(pair[0], pair[1])).collect(),
        };
        members.sort_unstable();
        members.dedup();
        Self { members }
    }

    /// The union of two sets.
    pub fn union(&self, other: &Self) -> Self {
        let mut members = [&self.members[..], &other.members[..]].concat();
        members.sort_unstable();
        members.dedup();
        Self { members }
    }

    /// This set without the members of another.
    pub fn without(&self, other: &Self) -> Self {
        let keep = |member: &u64| other.members.binary_search(member).is_err();
        Self { members: self.members.iter().copied().filter(keep).collect() }
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Number of members common to both sets.
    pub fn common(&self, other: &Self) -> usize {
        self.members.iter().filter(|member| other.members.binary_search(member).is_ok()).count()
    }
}

fn pack(first: WordNumber, second: WordNumber) -> u64 {
    u64::from(first) << 32 | (u64::from(second) + 1)
}

/// Compares the pairs of two texts, with those in `aside` removed from both; `None` if no gold pair
/// remains.
pub fn compare(gold: &[WordNumber], output: &[WordNumber], aside: &Shingles) -> Option<Score> {
    let gold = Shingles::of(gold).without(aside);
    let output = Shingles::of(output).without(aside);
    Score::of_counts(gold.common(&output), output.len(), gold.len())
}
