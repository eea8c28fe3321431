//! Function words: words that running text of a language always contains, and related languages do
//! not.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::language::Language;
use crate::letters::{is_alphabetic, lowercase};

/// Function words by language, for those languages of `whichlang` that share their script with
/// others.
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

/// Minimum number of different listed words in running text; text in other languages seldom has
/// more than two.
const SEVERAL: u32 = 4;

/// Maximum bytes of a listed word, with room for one more character.
const LONGEST: usize = 16;

pub(crate) fn has_list(language: Language) -> bool {
    place_of(language).is_some()
}

fn place_of(language: Language) -> Option<usize> {
    LISTS.iter().position(|(code, _)| *code == language.as_str())
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
    /// Counts the words of a sample in one pass.
    pub(crate) fn of(sample: &str) -> Self {
        let listed = &*LISTED;
        let mut counts = Self::default();
        // Only the length of longer words is kept.
        let (mut word, mut length) = ([0; LONGEST], 0);
        for c in sample.chars().chain([' ']) {
            if c.is_ascii_alphabetic() {
                if let Some(byte) = word.get_mut(length) {
                    *byte = c.to_ascii_lowercase() as u8;
                }
                length += 1;
            } else if is_alphabetic(c) {
                lowercase(c).for_each(|c| {
                    if let Some(rest) = word.get_mut(length..).filter(|rest| rest.len() >= 4) {
                        c.encode_utf8(rest);
                    }
                    length += c.len_utf8();
                });
            } else if length > 0 {
                counts.words += 1;
                let known = word.get(..length).and_then(|word| listed.get(word));
                if let Some(&(language, number)) = known {
                    counts.hits[language] += 1;
                    counts.different[language] |= 1 << number;
                }
                length = 0;
            }
        }
        counts
    }

    /// The share of the words that are function words of a language.
    pub(crate) fn share(&self, language: Language) -> f64 {
        place_of(language).map_or(0.0, |at| self.share_at(at))
    }

    fn share_at(&self, at: usize) -> f64 {
        // A single hit may be a word that occurs in two languages.
        let hits = self.hits[at];
        if hits < 2 { 0.0 } else { f64::from(hits) / f64::from(self.words) }
    }

    /// Whether a sample of at least `enough` words has a share of function words of a language below `least`.
    pub(crate) fn lacks(&self, language: Language, enough: u32, least: f64) -> bool {
        self.words >= enough && self.share(language) < least
    }

    fn hits_of_others(&self, at: usize) -> impl Iterator<Item = u32> {
        let others = self.hits.into_iter().enumerate().filter(move |&(other, _)| other != at);
        others.map(|(_, hits)| hits)
    }

    /// The probability of a language, by Laplace's rule of succession from its function words and those of the next language:
    /// (n + 1) / (n + m + 2), reduced in proportion if their share of the words is below `least`. Fewer than four different
    /// words count once each: one of them may be a word of a related language.
    pub(crate) fn probability(&self, language: Language, least: f64) -> f64 {
        let Some(at) = place_of(language) else { return 0.0 };
        let next = f64::from(self.hits_of_others(at).max().unwrap_or(0));
        let different = self.different[at].count_ones();
        let hits = f64::from(if different < SEVERAL { different } else { self.hits[at] });
        (hits + 1.0) / (hits + next + 2.0) * (self.share_at(at) / least).min(1.0)
    }

    /// The language whose function words are at least this share of the words, with several
    /// different ones, if no other language has half as many. A single word ("de") may also belong
    /// to a language without a list.
    pub(crate) fn leader(&self, least: f64) -> Option<Language> {
        let at = (0..LANGUAGES).max_by_key(|&at| self.hits[at])?;
        let leads = self.share_at(at) >= least
            && self.different[at].count_ones() >= SEVERAL
            && self.hits_of_others(at).all(|hits| 2 * hits < self.hits[at]);
        leads.then(|| Language::new(LISTS[at].0))
    }
}

/// The language of each function word and its index in the list.
static LISTED: LazyLock<FxHashMap<&[u8], (usize, usize)>> = LazyLock::new(|| {
    let numbered = |(language, (_, words)): (usize, &(_, &'static [&'static str]))| {
        words.iter().enumerate().map(move |(number, word)| (word.as_bytes(), (language, number)))
    };
    LISTS.iter().enumerate().flat_map(numbered).collect()
});

#[cfg(test)]
mod tests {
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
    fn words_are_of_one_language() {
        assert_eq!(LISTED.len(), LISTS.iter().map(|(_, words)| words.len()).sum::<usize>());
        assert!(LISTS.iter().all(|(_, words)| words.len() <= u16::BITS as usize));
        assert!(LISTED.keys().all(|word| word.len() + 4 <= LONGEST));
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
