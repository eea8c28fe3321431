//! A bounded cache of the terms of words, so that a repeated word costs one look-up.
//!
//! Invariant: it stores the values of a pure function, so its state affects only the time of an analysis.

use rustc_hash::FxHashMap;

use crate::vocabulary::{Term, Vocabulary};

/// Maximum number of cached raw words: about 6 MB, more than the usual vocabulary of a site.
const CAPACITY: usize = 1 << 16;

/// Maximum bytes of the texts of terms and long words: twice what [`CAPACITY`] words of a language take.
const TEXTS: usize = 2 << 20;

/// Raw word → its term's hash and text, or no term.
pub(crate) struct TermCache {
    /// Short words by open addressing: each is in the first free slot from the one its bytes hash
    /// to, or in the last slot allowed. Most words of a text are found in the first slot.
    short: Vec<Short>,
    /// Long words, and their indices.
    long: Vec<CachedTerm>,
    long_places: FxHashMap<Box<str>, usize>,
    /// Total length of their texts, in bytes.
    long_letters: usize,
    words: usize,
    /// The concatenated texts of all terms, and the end of each.
    texts: String,
    ends: Vec<u32>,
    /// State of the current vocabulary, and number of turns: see [`TermCache::learn`].
    learner: u64,
    turn: u32,
}

/// A short word; two fit into a cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Short {
    /// Its bytes, which are never all zero; zeros mark a free slot.
    word: Packed,
    known: CachedTerm,
}

/// The cached values of a word.
#[derive(Clone, Copy, Default)]
struct CachedTerm {
    hash: u64,
    /// The index of its term; [`NO_TERM`] if it has none.
    term: u32,
    /// The turn in which a vocabulary last got the text.
    turn: u32,
}

const NO_TERM: u32 = u32::MAX;

/// The bytes of a word of up to 16 bytes, padded with zeros.
type Packed = [u64; 2];

/// Initial number of slots for short words; a power of two.
const FEWEST_PLACES: usize = 1 << 10;

/// Maximum number of slots probed for a short word. Natural texts stay far below it. Words chosen
/// to collide reach it, and then evict each other.
const LONGEST_WAY: usize = 256;

impl Default for TermCache {
    fn default() -> Self {
        Self {
            short: vec![Short::default(); FEWEST_PLACES],
            long: Vec::new(),
            long_places: FxHashMap::default(),
            long_letters: 0,
            words: 0,
            texts: String::new(),
            ends: Vec::new(),
            learner: 0,
            turn: 0,
        }
    }
}

impl TermCache {
    /// Hash and text of the word's term. For a word that is not cached, `analyze` appends the text
    /// to its argument and returns the hash; it must not distinguish upper and lower case of ASCII
    /// letters.
    #[inline]
    pub(crate) fn term(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> Option<(u64, &str)> {
        let CachedTerm { hash, term, .. } = *self.lookup(word, analyze);
        (term != NO_TERM).then(|| (hash, self.text(term)))
    }

    /// Approximate memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let per_long = size_of::<CachedTerm>() + size_of::<(Box<str>, usize)>();
        self.short.capacity() * size_of::<Short>()
            + self.long.len() * per_long
            + self.long_letters
            + self.texts.capacity()
            + self.ends.capacity() * size_of::<u32>()
    }

    /// Begins a turn of a vocabulary, unless the previous turn belonged to the same one.
    pub(crate) fn begin(&mut self, vocabulary: &Vocabulary) {
        if self.learner != vocabulary.number() {
            if self.turn == u32::MAX {
                *self = Self::default();
            }
            self.learner = vocabulary.number();
            self.turn += 1;
        }
    }

    /// The hash of the word's term, which the vocabulary of this turn learns if it has not yet.
    #[inline]
    pub(crate) fn learn(
        &mut self,
        word: &str,
        vocabulary: &mut Vocabulary,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> Option<u64> {
        let turn = self.turn;
        let known = self.lookup(word, analyze);
        let is_new = known.turn != turn;
        known.turn = turn;
        let CachedTerm { hash, term, .. } = *known;
        if term == NO_TERM {
            return None;
        }
        if is_new {
            vocabulary.learn(Term { hash, text: self.text(term) });
        }
        Some(hash)
    }

    #[inline]
    fn text(&self, term: u32) -> &str {
        let from = term.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.texts[from as usize..self.ends[term as usize] as usize]
    }

    #[inline]
    fn lookup(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> &mut CachedTerm {
        let Some(packed) = pack(word) else { return self.lookup_long(word, analyze) };
        let mut place = self.place(packed);
        if self.short[place].word != packed {
            let known = self.analyze_new(word, analyze);
            self.grow();
            // Computed again, because a new word may have emptied the cache.
            place = self.place(packed);
            self.short[place] = Short { word: packed, known };
        }
        &mut self.short[place].known
    }

    fn lookup_long(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> &mut CachedTerm {
        let known = self.long_places.get(word).copied();
        let place = known.unwrap_or_else(|| {
            let known = self.analyze_new(word, analyze);
            self.long.push(known);
            self.long_letters += word.len();
            self.long_places.insert(word.into(), self.long.len() - 1);
            self.long.len() - 1
        });
        &mut self.long[place]
    }

    /// The slot of a short word: the one it is in, or else the one it may take, free or not.
    #[inline]
    fn place(&self, word: Packed) -> usize {
        let last = self.short.len() - 1;
        let mixed = (word[0] ^ word[1].rotate_left(25)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let first = (mixed >> last.leading_zeros()) as usize;
        let mut place = first;
        for way in 1..LONGEST_WAY {
            let own = self.short[place].word;
            // Without branches: most words are found in the first slot. The first bytes show whether
            // a slot is free.
            if (own[0] ^ word[0]) | (own[1] ^ word[1]) == 0 || own[0] == 0 {
                break;
            }
            place = (first + way) & last;
        }
        place
    }

    #[cold]
    #[inline(never)]
    fn analyze_new(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> CachedTerm {
        if self.words >= CAPACITY || self.texts.len() + self.long_letters > TEXTS {
            *self = Self { learner: self.learner, turn: self.turn, ..Self::default() };
        }
        self.words += 1;
        if let Some(known) = self.in_small_letters(word) {
            return CachedTerm { turn: 0, ..known };
        }
        let hash = analyze(word, &mut self.texts);
        let term = if hash.is_some() { self.ends.len() as u32 } else { NO_TERM };
        self.ends.extend(hash.map(|_| self.texts.len() as u32));
        CachedTerm { hash: hash.unwrap_or_default(), term, turn: 0 }
    }

    /// The cached values of a word with capitals, from the same word in lower case.
    fn in_small_letters(&self, word: &str) -> Option<CachedTerm> {
        let mut small = pack(word).filter(|_| word.is_ascii())?;
        for bytes in &mut small {
            *bytes = u64::from_le_bytes(bytes.to_le_bytes().map(|byte| byte.to_ascii_lowercase()));
        }
        let Short { word, known } = self.short[self.place(small)];
        (word == small).then_some(known)
    }

    /// Makes room for one more word: at least half of the slots stay free.
    fn grow(&mut self) {
        if 2 * self.words <= self.short.len() {
            return;
        }
        let places = 2 * self.short.len();
        let full = std::mem::replace(&mut self.short, vec![Short::default(); places]);
        for short in full.into_iter().filter(|short| short.word[0] != 0) {
            let place = self.place(short.word);
            self.short[place] = short;
        }
    }
}

/// The bytes of a short word.
#[inline]
fn pack(word: &str) -> Option<Packed> {
    let bytes = word.as_bytes();
    let four = |at: usize| bytes.get(at..at + 4)?.first_chunk().map(|b| u32::from_le_bytes(*b));
    let eight = |at: usize| bytes.get(at..at + 8)?.first_chunk().map(|b| u64::from_le_bytes(*b));
    Some(match bytes.len() {
        0 | 17.. => return None,
        // The overlapping bytes are shifted out again.
        length @ 8..=16 => {
            let rest = eight(length - 8)?;
            [eight(0)?, if length == 8 { 0 } else { rest >> (8 * (16 - length)) }]
        }
        length @ 4..=7 => {
            let rest = u64::from(four(length - 4)?) >> (8 * (8 - length));
            [u64::from(four(0)?) | rest << 32, 0]
        }
        length => {
            let byte = |at: usize| u64::from(bytes[at.min(length - 1)]);
            let all = byte(0) | byte(1) << 8 | byte(2) << 16;
            [all & (u64::MAX >> (64 - 8 * length)), 0]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(_: &str, text: &mut String) -> Option<u64> {
        text.push_str("run");
        Some(1)
    }

    fn none(_: &str, _: &mut String) -> Option<u64> {
        None
    }

    fn never(word: &str, _: &mut String) -> Option<u64> {
        unreachable!("{word} is known")
    }

    const LONG: &str = "runrunrunrunrunrunrun";

    #[test]
    fn a_known_word_is_not_analysed_again() {
        let mut memo = TermCache::default();
        for word in ["runs", "ran", LONG] {
            assert_eq!(memo.term(word, run), Some((1, "run")));
            assert_eq!(memo.term(word, never), Some((1, "run")));
        }
        assert_eq!(memo.term("the", none), None);
        assert_eq!(memo.term("the", never), None);
    }

    #[test]
    fn a_word_with_capitals_is_known_by_its_small_letters() {
        let mut memo = TermCache::default();
        memo.term("runs", run);
        memo.term("the", none);
        assert_eq!(memo.term("RunS", never), Some((1, "run")));
        assert_eq!(memo.term("The", never), None);
        assert_eq!(memo.term("École", none), None);
        assert_eq!(memo.term("école", run), Some((1, "run")), "not by others");
    }

    #[test]
    fn words_are_packed_as_they_are() {
        let long = "abcdefghijklmnopq";
        for length in 1..=16 {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&long.as_bytes()[..length]);
            let packed = pack(&long[..length]).unwrap().map(u64::to_le_bytes);
            assert_eq!(packed.concat(), bytes);
        }
        assert_eq!((pack(""), pack(long)), (None, None));
    }

    #[test]
    fn a_text_is_learnt_once_by_each() {
        let mut memo = TermCache::default();
        let (mut first, mut second) = (Vocabulary::new(), Vocabulary::new());
        for (number, word) in (1..).zip(["runs", LONG]) {
            memo.begin(&first);
            assert_eq!(memo.learn(word, &mut first, run), Some(1));
            assert_eq!(memo.learn(word, &mut first, never), Some(1));
            memo.begin(&first);
            assert_eq!(memo.learn(word, &mut first, never), Some(1));
            assert_eq!((first.text(1), first.learnt()), (Some("run"), number));
            memo.begin(&second);
            assert_eq!(memo.learn(word, &mut second, never), Some(1));
            assert_eq!((second.text(1), second.learnt()), (Some("run"), number));
        }
        assert_eq!(memo.learn("the", &mut second, none), None);
        assert_eq!(memo.learn("the", &mut second, never), None);
        // The cache is full, then all turns are used up.
        memo.words = CAPACITY;
        assert_eq!(memo.learn("of", &mut second, none), None);
        assert_eq!((memo.words, second.text(1)), (1, Some("run")));
        memo.turn = u32::MAX;
        memo.begin(&first);
        assert_eq!(memo.learn("runs", &mut first, run), Some(1));
        assert_eq!(first.learnt(), 3);
    }

    #[test]
    fn words_made_to_meet_take_each_others_places() {
        let mut memo = TermCache::default();
        // Halves that cancel each other when they are mixed.
        let word = |number: usize| {
            let letter = |digit: usize| 2 * (32 + (number >> (4 * digit) & 15) as u8);
            let first: [u8; 8] = std::array::from_fn(letter);
            let second = u64::from_le_bytes(first).rotate_right(25).to_le_bytes();
            String::from_utf8([first, second].concat()).unwrap()
        };
        let places =
            |memo: &TermCache| memo.short.iter().filter(|short| short.word[0] != 0).count();
        for number in 0..2_000 {
            let of = |_: &str, text: &mut String| {
                text.push_str(&word(number));
                Some(number as u64)
            };
            for _ in 0..2 {
                assert_eq!(memo.term(&word(number), of), Some((number as u64, &*word(number))));
            }
            assert_eq!(memo.term(&word(number), never), Some((number as u64, &*word(number))));
        }
        assert_eq!(places(&memo), LONGEST_WAY);
        // Other words are still in their slots.
        memo.term("runs", run);
        assert_eq!(memo.term("runs", never), Some((1, "run")));
    }

    #[test]
    fn long_words_are_bounded_too() {
        let mut memo = TermCache::default();
        let of = |word: &str, text: &mut String| {
            text.push_str(word);
            Some(1)
        };
        let word = |number: usize| format!("{number:0160}");
        for number in 0..CAPACITY {
            memo.term(&word(number), of);
            assert!(memo.long_letters + memo.texts.len() <= TEXTS + 2 * 160);
            assert!(memo.bytes() < 5 * TEXTS, "{}", memo.bytes());
        }
        assert_eq!(memo.term(&word(CAPACITY - 1), never).map(|term| term.0), Some(1));
    }

    #[test]
    fn it_grows_and_stays_bounded() {
        let mut memo = TermCache::default();
        let hash = |word: &str| word.bytes().fold(7u64, |hash, b| hash * 31 + u64::from(b));
        let of = |word: &str, text: &mut String| {
            text.push_str(&word[1..]);
            Some(hash(word))
        };
        for number in 0..CAPACITY + 5_000 {
            let word = format!("w{number}");
            assert_eq!(memo.term(&word, of), Some((hash(&word), &word[1..])));
            assert!(memo.words <= CAPACITY && 2 * memo.words <= memo.short.len());
        }
        for number in CAPACITY..CAPACITY + 5_000 {
            let word = format!("w{number}");
            assert_eq!(memo.term(&word, never), Some((hash(&word), &word[1..])));
        }
    }
}
