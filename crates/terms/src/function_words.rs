//! Function words: words that running text of a language always contains, and related languages do
//! not.

use std::sync::LazyLock;

use crate::language::Language;
use crate::letters::{is_alphabetic, lowercase};

/// Function words by language, for those languages of `whichlang` that share their script with
/// others.
#[rustfmt::skip]
const LISTS: [(&str, &[&str]); LANGUAGES] = [
    ("de", &["der", "und", "das", "nicht", "den", "mit", "ist", "auch", "eine", "auf", "für"]),
    ("en", &["the", "and", "of", "to", "that", "with", "is", "for", "you", "are"]),
    ("es", &["los", "las", "y", "con", "por", "su", "más", "como", "pero", "lo"]),
    ("fr", &["les", "et", "des", "est", "dans", "une", "du", "pour", "qui", "au", "sur", "ce"]),
    ("it", &["il", "di", "che", "della", "gli", "sono", "nel", "alla", "più", "anche", "per"]),
    ("nl", &["de", "het", "een", "niet", "zijn", "voor", "naar", "bij", "wordt"]),
    ("pt", &["não", "uma", "com", "os", "em", "ao", "são", "mais", "um", "do", "da"]),
    ("ru", &["что", "это", "как", "но", "из", "для", "его", "был", "или", "от", "по"]),
    ("sv", &["och", "att", "är", "för", "inte", "från", "också"]),
    ("tr", &["ve", "için", "ile", "olarak", "çok", "daha", "olan", "değil", "bir", "bu"]),
    ("vi", &["và", "của", "là", "có", "không", "được", "trong", "cho", "với", "các"]),
];

/// Languages with a list.
const LANGUAGES: usize = 11;

/// Minimum number of different listed words in running text; text in other languages has seldom
/// more than two.
const SEVERAL: u32 = 4;

/// Whether a language has a list.
pub(crate) fn has_list(language: Language) -> bool {
    LISTS.iter().any(|(code, _)| *code == language.as_str())
}

/// The number of words in a sample, and of function words of each language among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FunctionWords {
    words: u32,
    hits: [u32; LANGUAGES],
    /// The words of each list that occurred, as bits.
    different: [u16; LANGUAGES],
}

impl FunctionWords {
    /// Counts the words of a sample. One pass.
    pub(crate) fn of(sample: &str) -> Self {
        let known = &*KNOWN;
        let mut counts = Self::default();
        let mut word = ListedWord::default();
        for c in sample.chars() {
            if c.is_ascii_alphabetic() {
                word.push(c as u8 | 0x20);
            } else if !c.is_ascii() && is_alphabetic(c) {
                let mut bytes = [0; char::MAX.len_utf8()];
                for lower in lowercase(c) {
                    lower.encode_utf8(&mut bytes).bytes().for_each(|byte| word.push(byte));
                }
            } else if word.length > 0 {
                counts.add(std::mem::take(&mut word), known);
            }
        }
        if word.length > 0 {
            counts.add(word, known);
        }
        counts
    }

    #[inline]
    fn add(&mut self, word: ListedWord, known: &KnownWords) {
        self.words += 1;
        if let Some((language, number)) = known.find(word) {
            self.hits[usize::from(language)] += 1;
            self.different[usize::from(language)] |= 1 << number;
        }
    }

    /// The share of the words that are function words of a language.
    pub(crate) fn share(&self, language: Language) -> f64 {
        let at = LISTS.iter().position(|(code, _)| *code == language.as_str());
        at.map_or(0.0, |at| self.share_at(at))
    }

    fn share_at(&self, at: usize) -> f64 {
        // A single hit may be a word that two languages share.
        let hits = self.hits[at];
        if hits < 2 { 0.0 } else { f64::from(hits) / f64::from(self.words) }
    }

    /// The language whose function words are at least this share of the words, several different
    /// ones among them, if no other language has half as many. A single word ("de") may also be of
    /// a language without a list.
    pub(crate) fn leader(&self, least: f64) -> Option<Language> {
        let at = (0..LANGUAGES).max_by_key(|&at| self.hits[at])?;
        let mut rivals = self.hits.iter().enumerate().filter(|&(other, _)| other != at);
        let leads = self.share_at(at) >= least
            && self.different[at].count_ones() >= SEVERAL
            && rivals.all(|(_, n)| 2 * n < self.hits[at]);
        leads.then(|| Language::new(LISTS[at].0))
    }
}

/// The bytes of a word of up to eight bytes in lower case; no function word is longer.
#[derive(Clone, Copy, Default)]
struct ListedWord {
    bytes: u64,
    length: usize,
}

impl ListedWord {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.bytes = self.bytes << 8 | u64::from(byte);
        self.length += 1;
    }

    fn of(word: &str) -> Self {
        let mut packed = Self::default();
        word.bytes().for_each(|byte| packed.push(byte));
        packed
    }

    fn place(self) -> usize {
        (self.bytes.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PLACES.trailing_zeros()))
            as usize
    }
}

/// Slots in the hash table of all function words: a power of two, several times their number.
const PLACES: usize = 512;

/// The language of each function word and its index in the list, by its bytes. Collisions go to the
/// next free slot. Zeros mark a free slot.
struct KnownWords([(u64, u8, u8); PLACES]);

static KNOWN: LazyLock<KnownWords> = LazyLock::new(|| {
    let mut places = [(0, 0, 0); PLACES];
    for (language, (_, words)) in (0..).zip(&LISTS) {
        for (number, word) in (0..).zip(words.iter().map(|word| ListedWord::of(word))) {
            let free =
                (word.place()..).map(|place| place % PLACES).find(|&place| places[place].0 == 0);
            places[free.unwrap_or_default()] = (word.bytes, language, number);
        }
    }
    KnownWords(places)
});

impl KnownWords {
    #[inline]
    fn find(&self, word: ListedWord) -> Option<(u8, u8)> {
        if word.length > size_of::<u64>() {
            return None;
        }
        let mut place = word.place();
        loop {
            match self.0[place] {
                (0, ..) => return None,
                (bytes, language, number) if bytes == word.bytes => {
                    return Some((language, number));
                }
                _ => place = (place + 1) % PLACES,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// A direct implementation of the definition.
    fn share(sample: &str, code: &str) -> f64 {
        let list = LISTS.iter().find(|(other, _)| *other == code).unwrap().1;
        let words: Vec<&str> =
            sample.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
        let is_known = |word: &&&str| {
            list.contains(&word.chars().flat_map(char::to_lowercase).collect::<String>().as_str())
        };
        let hits = words.iter().filter(is_known).count();
        if hits < 2 { 0.0 } else { hits as f64 / words.len() as f64 }
    }

    #[test]
    fn words_fit_and_are_of_one_language() {
        let all: Vec<&str> = LISTS.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        assert!(all.iter().all(|word| (1..=size_of::<u64>()).contains(&word.len())));
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert!(all.len() * 2 < PLACES);
        for (language, (_, words)) in (0..).zip(&LISTS) {
            assert!(words.len() <= u16::BITS as usize);
            for (number, word) in (0..).zip(*words) {
                assert_eq!(KNOWN.find(ListedWord::of(word)), Some((language, number)), "{word}");
            }
        }
    }

    #[test]
    fn one_language_leads_or_none() {
        let leader = |sample| FunctionWords::of(sample).leader(0.2).map(|found| found.to_string());
        assert_eq!(leader("the end of the road is for you").as_deref(), Some("en"));
        assert_eq!(leader("the end of the road is for you und das Ende ist der Welt"), None);
        let rarely = "the end of roads and all that nobody remembers any longer nowadays or here either \
                      since those long winters came upon people";
        assert_eq!(leader(rarely), None);
        assert_eq!(leader("the end of the road"), None, "two words are chance");
    }

    proptest! {
        #[test]
        fn shares_are_those_of_the_lists(
            words in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(LISTS.iter().flat_map(|l| l.1).copied().collect::<Vec<_>>())
                        .prop_map(str::to_owned),
                    prop::sample::select(LISTS.iter().flat_map(|l| l.1).copied().collect::<Vec<_>>())
                        .prop_map(str::to_uppercase),
                    r"[\PCKÅ]{0,12}",
                ],
                0..40,
            ),
        ) {
            let sample = words.join(" ");
            let counts = FunctionWords::of(&sample);
            for (code, _) in LISTS {
                prop_assert_eq!(counts.share(Language::new(code)), share(&sample, code));
            }
        }
    }
}
