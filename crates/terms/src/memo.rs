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
    /// Short words met lately, each where its letters say: most words of a text, in one look.
    lately: Vec<Lately>,
}

/// What is known of a short word.
#[derive(Clone, Copy, Default)]
struct Lately {
    /// What it is; no word has a zero. Zeros alone: nothing is known here.
    word: Packed,
    /// Hash of its term.
    hash: u64,
    /// Where its outcome lies; [`NO_TERM`] where it gives none.
    slot: u32,
    /// Who has learnt the term's text from here: see [`Memo::learn`].
    learner: u64,
}

/// The bytes of a word of up to 24, zeros after them.
type Packed = [u64; 3];

const NO_TERM: u32 = u32::MAX;

/// Places for short words; a power of two.
const LATELY: usize = 1 << 14;

impl Memo {
    /// The outcome for `word`, computed by `analyze` if it is not known.
    pub(crate) fn outcome(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str) -> Outcome,
    ) -> &Outcome {
        let slot = self.slot(word, analyze);
        &self.outcomes[slot]
    }

    /// The hash of the word's term. Gives the text, too, unless `learner` (a number above 0) was given
    /// it here before.
    #[inline]
    pub(crate) fn learn(
        &mut self,
        word: &str,
        learner: u64,
        analyze: impl FnOnce(&str) -> Outcome,
    ) -> Option<(u64, Option<&str>)> {
        let Some(packed) = pack(word) else {
            let outcome = self.outcome(word, analyze).as_ref();
            return outcome.map(|(hash, text)| (*hash, Some(&**text)));
        };
        let mixed = (packed[0] ^ packed[1].rotate_left(25) ^ packed[2].rotate_left(47))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> (u64::BITS - LATELY.trailing_zeros())) as usize;
        match self.lately.get(place) {
            Some(known) if known.word == packed => {
                if known.slot == NO_TERM {
                    return None;
                }
                if known.learner == learner {
                    return Some((known.hash, None));
                }
            }
            _ => {
                let slot = self.slot(word, analyze);
                let (hash, slot) = match &self.outcomes[slot] {
                    Some((hash, _)) => (*hash, slot as u32),
                    None => (0, NO_TERM),
                };
                // Only now: what is new may have emptied the memory.
                self.lately.resize(LATELY, Lately::default());
                self.lately[place] = Lately { word: packed, hash, slot, learner: 0 };
            }
        }
        let known = &mut self.lately[place];
        known.learner = learner;
        let (hash, text) = self.outcomes.get(known.slot as usize)?.as_ref()?;
        Some((*hash, Some(text)))
    }

    fn slot(&mut self, word: &str, analyze: impl FnOnce(&str) -> Outcome) -> usize {
        match self.slots.get(word) {
            Some(&slot) => slot,
            None => self.insert(word, analyze(word), CAPACITY),
        }
    }

    fn insert(&mut self, word: &str, outcome: Outcome, capacity: usize) -> usize {
        if self.outcomes.len() >= capacity {
            self.slots.clear();
            self.outcomes.clear();
            self.lately.clear();
        }
        let slot = self.outcomes.len();
        self.slots.insert(word.into(), slot);
        self.outcomes.push(outcome);
        slot
    }
}

/// The bytes of a short word.
#[inline]
fn pack(word: &str) -> Option<Packed> {
    let bytes = word.as_bytes();
    let four = |at: usize| bytes.get(at..at + 4)?.first_chunk().map(|b| u32::from_le_bytes(*b));
    let eight = |at: usize| bytes.get(at..at + 8)?.first_chunk().map(|b| u64::from_le_bytes(*b));
    Some(match bytes.len() {
        0 | 25.. => return None,
        length @ 17..=24 => [eight(0)?, eight(8)?, eight(length - 8)? >> (8 * (24 - length))],
        // What overlaps is shifted out again.
        length @ 8..=16 => {
            let rest = eight(length - 8)?;
            [eight(0)?, if length == 8 { 0 } else { rest >> (8 * (16 - length)) }, 0]
        }
        length @ 4..=7 => {
            let rest = u64::from(four(length - 4)?) >> (8 * (8 - length));
            [u64::from(four(0)?) | rest << 32, 0, 0]
        }
        length => {
            let byte = |at: usize| u64::from(bytes[at.min(length - 1)]);
            let all = byte(0) | byte(1) << 8 | byte(2) << 16;
            [all & (u64::MAX >> (64 - 8 * length)), 0, 0]
        }
    })
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
    fn words_are_packed_as_they_are() {
        let long = "abcdefghijklmnopqrstuvwxyz";
        for length in 1..=24 {
            let mut bytes = [0; 24];
            bytes[..length].copy_from_slice(&long.as_bytes()[..length]);
            let packed = pack(&long[..length]).unwrap().map(u64::to_le_bytes).concat();
            assert_eq!(packed, bytes);
        }
        assert_eq!((pack(""), pack(&long[..25])), (None, None));
    }

    #[test]
    fn a_text_is_learnt_once_by_each() {
        let mut memo = Memo::default();
        let run = |_: &str| Some((1, "run".into()));
        assert_eq!(memo.learn("runs", 1, run), Some((1, Some("run"))));
        assert_eq!(memo.learn("runs", 1, |_| unreachable!()), Some((1, None)));
        assert_eq!(memo.learn("runs", 2, |_| unreachable!()), Some((1, Some("run"))));
        assert_eq!(memo.learn("the", 2, |_| None), None);
        assert_eq!(memo.learn("the", 2, |_| unreachable!()), None);
        // Emptied: known no more.
        memo.insert("x", None, 1);
        assert_eq!(memo.learn("runs", 2, |_| Some((2, "ran".into()))), Some((2, Some("ran"))));
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
