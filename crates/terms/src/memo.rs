//! A bounded memory of what became of each word, so that repeated words cost one look-up.
//!
//! Invariant: it stores the values of a pure function. When it is full it is emptied, so its state
//! can change the time an analysis takes and nothing else.

use rustc_hash::FxHashMap;

/// Different raw words remembered: about 8 MB, more than a site's vocabulary in common use.
const CAPACITY: usize = 1 << 16;

/// Raw word → its term's hash and text, or nothing.
pub(crate) struct Memo {
    /// Short words, each in the first free place from where its letters say: most words of a text in
    /// one look.
    short: Vec<Short>,
    /// Others, and their places.
    long: Vec<Known>,
    long_places: FxHashMap<Box<str>, usize>,
    /// How many words are known.
    words: usize,
    /// The texts of all terms, one after the other, and one past the end of each.
    texts: String,
    ends: Vec<u32>,
    /// Who learns now, and how many have before: see [`Memo::learn`].
    learner: u64,
    turn: u32,
}

/// A short word; two to a line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Short {
    /// What it is; no word has a zero. Zeros alone: the place is free.
    word: Packed,
    known: Known,
}

/// What is known of a word.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Hash of its term.
    hash: u64,
    term: TermText,
    /// The turn in which a learner last got the text.
    turn: u32,
}

/// The bytes of a word of up to 16, zeros after them.
type Packed = [u64; 2];

/// Where the text of a term is: its number among all, and above that so many bytes of the word itself,
/// if it begins so: most stems are beginnings, and the word is at hand.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct TermText(u32);

impl TermText {
    /// The word gives no term.
    const NONE: Self = Self(u32::MAX);
    const NUMBER_BITS: u32 = 24;

    fn new(number: usize, word: &str, text: &str) -> Self {
        let of_word = if word.starts_with(text) { text.len() } else { 0 };
        let of_word = u32::try_from(of_word).ok().filter(|&n| n < u32::from(u8::MAX));
        Self(number as u32 | of_word.unwrap_or(0) << Self::NUMBER_BITS)
    }

    fn apart_from_word(self) -> Self {
        if self == Self::NONE { self } else { Self(self.number() as u32) }
    }

    fn number(self) -> usize {
        (self.0 & ((1 << Self::NUMBER_BITS) - 1)) as usize
    }

    /// The text, if it is the beginning of the word.
    fn in_word(self, word: &str) -> Option<&str> {
        word.get(..(self.0 >> Self::NUMBER_BITS) as usize).filter(|text| !text.is_empty())
    }
}

/// Places for short words to begin with; a power of two.
const FEWEST_PLACES: usize = 1 << 10;

impl Default for Memo {
    fn default() -> Self {
        Self {
            short: vec![Short::default(); FEWEST_PLACES],
            long: Vec::new(),
            long_places: FxHashMap::default(),
            words: 0,
            texts: String::new(),
            ends: Vec::new(),
            learner: 0,
            turn: 0,
        }
    }
}

impl Memo {
    /// Hash and text of the word's term. What is not known is asked of `analyze`, which appends the
    /// text to what it is given, and gives the hash; it must not tell capitals of ASCII from small
    /// letters.
    #[inline]
    pub(crate) fn term<'a>(
        &'a mut self,
        word: &'a str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> Option<(u64, &'a str)> {
        let known = *self.known(word, analyze);
        (known.term != TermText::NONE).then(|| (known.hash, self.text(known.term, word)))
    }

    /// Begins a turn of a learner (a number above 0), unless the last one was its, too.
    pub(crate) fn begin(&mut self, learner: u64) {
        if self.learner != learner {
            if self.turn == u32::MAX {
                *self = Self::default();
            }
            self.learner = learner;
            self.turn += 1;
        }
    }

    /// The hash of the word's term. Gives the text, too, unless the learner whose turn it is was given
    /// it before, for the same word.
    #[inline]
    pub(crate) fn learn<'a>(
        &'a mut self,
        word: &'a str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> Option<(u64, Option<&'a str>)> {
        let turn = self.turn;
        let known = self.known(word, analyze);
        if known.term == TermText::NONE {
            return None;
        }
        let is_new = std::mem::replace(&mut known.turn, turn) != turn;
        let known = *known;
        Some((known.hash, is_new.then(|| self.text(known.term, word))))
    }

    #[inline]
    fn text<'a>(&'a self, term: TermText, word: &'a str) -> &'a str {
        term.in_word(word).unwrap_or_else(|| {
            let from = term.number().checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.texts[from as usize..self.ends[term.number()] as usize]
        })
    }

    #[inline]
    fn known(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> &mut Known {
        match pack(word) {
            Some(packed) => {
                let mut place = self.place(packed);
                if self.short[place].word != packed {
                    let known = self.analyzed(word, analyze);
                    self.grow();
                    // Only now: what is new may have emptied the memory.
                    place = self.place(packed);
                    self.short[place] = Short { word: packed, known };
                }
                &mut self.short[place].known
            }
            None => {
                let place = match self.long_places.get(word) {
                    Some(&place) => place,
                    None => {
                        let known = self.analyzed(word, analyze);
                        self.long.push(known);
                        self.long_places.insert(word.into(), self.long.len() - 1);
                        self.long.len() - 1
                    }
                };
                &mut self.long[place]
            }
        }
    }

    /// The place of a short word: that where it is, or else the one where it belongs.
    #[inline]
    fn place(&self, word: Packed) -> usize {
        let mixed = (word[0] ^ word[1].rotate_left(25)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let last = self.short.len() - 1;
        let mut place = (mixed >> last.leading_zeros()) as usize;
        loop {
            let own = self.short[place].word;
            // Without branches: most words are found at once. The first bytes tell whether a place is free.
            if (own[0] ^ word[0]) | (own[1] ^ word[1]) == 0 || own[0] == 0 {
                return place;
            }
            place = (place + 1) & last;
        }
    }

    /// What a new word is.
    #[cold]
    #[inline(never)]
    fn analyzed(
        &mut self,
        word: &str,
        analyze: impl FnOnce(&str, &mut String) -> Option<u64>,
    ) -> Known {
        if self.words >= CAPACITY {
            *self = Self { learner: self.learner, turn: self.turn, ..Self::default() };
        }
        self.words += 1;
        if let Some(known) = self.in_small_letters(word) {
            return known;
        }
        let from = self.texts.len();
        match analyze(word, &mut self.texts) {
            Some(hash) => {
                let term = TermText::new(self.ends.len(), word, &self.texts[from..]);
                self.ends.push(self.texts.len() as u32);
                Known { hash, term, turn: 0 }
            }
            None => Known { hash: 0, term: TermText::NONE, turn: 0 },
        }
    }

    /// What is known of a word with capitals from the same word without.
    fn in_small_letters(&self, word: &str) -> Option<Known> {
        let mut small = pack(word).filter(|_| word.is_ascii())?;
        for bytes in &mut small {
            *bytes = u64::from_le_bytes(bytes.to_le_bytes().map(|byte| byte.to_ascii_lowercase()));
        }
        let Short { word, known } = self.short[self.place(small)];
        (word == small).then_some(Known { term: known.term.apart_from_word(), turn: 0, ..known })
    }

    /// Makes room for one more word: at least one place in two stays free.
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
        // What overlaps is shifted out again.
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
        let mut memo = Memo::default();
        for word in ["runs", "ran", LONG] {
            assert_eq!(memo.term(word, run), Some((1, "run")));
            assert_eq!(memo.term(word, never), Some((1, "run")));
        }
        assert_eq!(memo.term("the", none), None);
        assert_eq!(memo.term("the", never), None);
    }

    #[test]
    fn a_word_with_capitals_is_known_by_its_small_letters() {
        let mut memo = Memo::default();
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
            let packed = pack(&long[..length]).unwrap().map(u64::to_le_bytes).concat();
            assert_eq!(packed, bytes);
        }
        assert_eq!((pack(""), pack(long)), (None, None));
    }

    #[test]
    fn a_text_is_learnt_once_by_each() {
        let mut memo = Memo::default();
        for word in ["runs", LONG] {
            memo.begin(1);
            assert_eq!(memo.learn(word, run), Some((1, Some("run"))));
            assert_eq!(memo.learn(word, never), Some((1, None)));
            memo.begin(1);
            assert_eq!(memo.learn(word, never), Some((1, None)));
            memo.begin(2);
            assert_eq!(memo.learn(word, never), Some((1, Some("run"))));
        }
        assert_eq!(memo.learn("the", none), None);
        assert_eq!(memo.learn("the", never), None);
        // Emptied: known no more.
        memo.words = CAPACITY;
        assert_eq!(memo.learn("runs", run), Some((1, Some("run"))));
        // All turns taken.
        memo.turn = u32::MAX;
        memo.begin(3);
        assert_eq!(memo.learn("runs", run), Some((1, Some("run"))));
    }

    #[test]
    fn it_grows_and_stays_bounded() {
        let mut memo = Memo::default();
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
