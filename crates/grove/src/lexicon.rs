//! The word lists of `lexicon.txt`: the meanings of class names, ids, addresses and schema.org types.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Names and words of lists, in the order of the file.
pub(crate) type WordLists = Vec<(&'static str, &'static str)>;

/// Lexicon features of elements.
pub(crate) static CUES: LazyLock<WordLists> = LazyLock::new(|| lists("cue "));
/// Words in names without a meaning of their own.
pub(crate) static NEUTRAL: LazyLock<WordLists> = LazyLock::new(|| lists("neutral"));
/// Meanings of class names and ids for the type of a page.
pub(crate) static NAMES: LazyLock<WordLists> = LazyLock::new(|| lists("name "));
/// Words of hosts and paths, by page type.
pub(crate) static ADDRESS: LazyLock<WordLists> = LazyLock::new(|| lists("address "));
/// Types of schema.org, by meaning.
pub(crate) static SCHEMA: LazyLock<WordLists> = LazyLock::new(|| lists("schema "));
/// Names of software, by the pages that it serves.
pub(crate) static GENERATORS: LazyLock<WordLists> = LazyLock::new(|| lists("generator "));

/// The lists whose headings begin with this text.
fn lists(beginning: &str) -> WordLists {
    let sections = include_str!("lexicon.txt").split('[').skip(1);
    let own = sections.filter_map(|section| section.strip_prefix(beginning)?.split_once(']'));
    own.map(|(name, words)| (name, words.split('#').next().unwrap_or_default())).collect()
}

/// The meanings of words: numbers of lists, as bits.
pub(crate) type Lexicon = FxHashMap<&'static str, u32>;

/// The meanings of the words of some lists.
pub(crate) fn lexicon(lists: &WordLists) -> Lexicon {
    let mut words = Lexicon::default();
    for (bit, (_, list)) in lists.iter().enumerate() {
        list.split_ascii_whitespace().for_each(|word| *words.entry(word).or_default() |= 1 << bit);
    }
    words
}
