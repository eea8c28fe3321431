//! A bounded memory of what became of each word, so that repeated words cost one look-up.
//!
//! Invariant: it stores the values of a pure function. When it is full it is emptied, so its state
//! can change the time an analysis takes and nothing else.

use rustc_hash::FxHashMap;

/// Different raw words remembered: about 8 MB, more than a site's vocabulary in common use.
const CAPACITY: usize = 1 << 16;

/// What a raw word becomes: a term with its hash, or nothing.
pub(crate) type Outcome = Option<(u64, Box<str>)>;

/// Raw word → outcome.
#[derive(Default)]
pub(crate) struct Memo {
    slots: FxHashMap<Box<str>, usize>,
    outcomes: Vec<Outcome>,
}

impl Memo {
    /// The outcome for `word`, computed by `analyze` if it is not known.
    pub(crate) fn outcome(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str) -> Outcome,
    ) -> &Outcome {
        let slot = match self.slots.get(word) {
            Some(&slot) => slot,
            None => self.insert(word, analyze(word), CAPACITY),
        };
        &self.outcomes[slot]
    }

    fn insert(&mut self, word: &str, outcome: Outcome, capacity: usize) -> usize {
        if self.outcomes.len() >= capacity {
            self.slots.clear();
            self.outcomes.clear();
        }
        let slot = self.outcomes.len();
        self.slots.insert(word.into(), slot);
        self.outcomes.push(outcome);
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_word_is_not_analysed_again() {
        let mut memo = Memo::default();
        assert_eq!(memo.outcome("runs", |_| Some((1, "run".into()))), &Some((1, "run".into())));
        assert_eq!(memo.outcome("runs", |_| unreachable!()), &Some((1, "run".into())));
        assert_eq!(memo.outcome("the", |_| None), &None);
        assert_eq!(memo.outcome("the", |_| unreachable!()), &None);
    }

    #[test]
    fn it_stays_bounded() {
        let mut memo = Memo::default();
        for word in ["a", "b", "c", "d", "e"] {
            memo.insert(word, None, 2);
            assert!(memo.slots.len() <= 2 && memo.slots.len() == memo.outcomes.len());
        }
    }
}
