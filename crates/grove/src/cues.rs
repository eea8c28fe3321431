//! Lexicon features: the purpose of an element, as its class names, ids and roles express it.
//!
//! Names are split into words at punctuation, digits and capitals, and compounds (`articlebody`) into words
//! of the lexicon. A name that does not consist of known words is ignored: `commentary` is not `comment`.

use std::sync::LazyLock;

use dom::{Document, Element, LocalName, NodeId, local_name};
use rustc_hash::{FxHashMap, FxHashSet};
use terms::letters::{is_alphabetic, lowercase};

use crate::lexicon::{CUES, NAMES, NEUTRAL, lexicon};

static ELEMENTS: [dom::LocalName; 16] = local_names![
    "article", "main", "nav", "aside", "footer", "header", "form", "figure", "figcaption", "ul",
    "ol", "table", "blockquote", "section", "dl", "button"
];

/// Number of lexicon features: names, elements, and being hidden.
pub(crate) const COUNT: usize = 16 + 16 + 1;

pub(crate) const COMMENTS: u64 = 1;
pub(crate) const BYLINE: u64 = 1 << 8;

/// Names of the features, in the order of their bits.
pub(crate) fn names() -> impl Iterator<Item = String> {
    let own = CUES.iter().map(|(name, _)| format!("cue {name}"));
    let elements = ELEMENTS.iter().map(|name| format!("in <{name}>"));
    own.chain(elements).chain(std::iter::once("hidden by style").map(str::to_owned))
}

/// Computes lexicon features, with a cache of lists of names of up to a megabyte.
///
/// The cache contains values of a pure function, by the names themselves rather than a hash, for which a page
/// could provoke collisions: it affects only speed.
#[derive(Debug)]
pub struct Cues {
    /// For each word, its lexicon feature, if it has one, and its meanings for the type of a page.
    words: FxHashMap<&'static str, (Option<u64>, u32)>,
    /// The first bytes of the words with a lexicon feature: most others are not divided.
    begins: FxHashSet<[u8; 3]>,
    read: FxHashMap<Box<str>, (u64, u32)>,
    /// Bytes of the lists in `read`.
    bytes: usize,
    /// A buffer for one word, reused.
    word: String,
}

impl Default for Cues {
    fn default() -> Self {
        Self::new()
    }
}

/// Maximum number of cached lists; then the cache is cleared. A site has some hundreds.
const REMEMBERED: usize = 8_192;

/// Maximum bytes of all cached lists.
const BYTES: usize = 512 << 10;

/// Longer lists are not cached: on real pages they are rare and do not recur.
const LONGEST: usize = 1_024;

impl Cues {
    /// An empty cache.
    pub fn new() -> Self {
        let mut words: FxHashMap<&str, (Option<u64>, u32)> =
            lexicon(&NAMES).into_iter().map(|(word, types)| (word, (None, types))).collect();
        let neutral = NEUTRAL.iter().map(|(_, list)| (list, 0));
        let cues = CUES.iter().enumerate().map(|(bit, (_, list))| (list, 1 << bit));
        for (list, bits) in neutral.chain(cues) {
            for word in list.split_ascii_whitespace() {
                words.entry(word).or_default().0 = Some(bits);
            }
        }
        let known = words.iter().filter(|word| word.1.0.is_some());
        let begins = known.filter_map(|word| word.0.as_bytes().first_chunk().copied()).collect();
        Self { words, begins, read: FxHashMap::default(), bytes: 0, word: String::new() }
    }

    /// The lexicon features of a page's elements.
    pub(crate) fn of_page<'a>(&'a mut self, document: &'a Document) -> PageCues<'a> {
        let of_kinds = vec![None; document.kinds().all().len()];
        PageCues { cues: self, document, of_kinds }
    }

    /// Reads the tag and names of an element; the same for all elements of its kind.
    pub(crate) fn of_kind(&mut self, document: &Document, id: NodeId) -> KindCues {
        let mut read = KindCues::default();
        let Some(element) = document.element(id) else { return read };
        if let Some(at) = ELEMENTS.iter().position(|name| name == element.name) {
            read.cues |= 1 << (CUES.len() + at);
        }
        let is_whole = matches!(*element.name, local_name!("html") | local_name!("body"));
        for (name, value) in element.attributes() {
            let (of_types, of_cues) = match *name {
                local_name!("class") | local_name!("id") | local_name!("itemprop") => (true, true),
                local_name!("role") => (false, true),
                _ => (false, matches!(&**name, "data-testid" | "data-component")),
            };
            if of_types || of_cues && !is_whole {
                let (cues, types) = self.of_names(value);
                read.cues |= if is_whole { 0 } else { cues };
                read.types |= if of_types { types } else { 0 };
            }
        }
        read
    }

    /// The features of all names in an attribute value, and their meanings for the type of a page: numbers of
    /// [`NAMES`], as bits.
    pub(crate) fn of_names(&mut self, names: &str) -> (u64, u32) {
        if let Some(&bits) = self.read.get(names) {
            return bits;
        }
        let mut bits = (0, 0);
        let mut word = std::mem::take(&mut self.word);
        each_word(names, &mut word, |word| {
            let (cues, types) = self.words.get(word).copied().unwrap_or_default();
            bits.0 |= cues.or_else(|| self.divided(word, 3)).unwrap_or(0);
            bits.1 |= types;
        });
        self.word = word;
        if names.len() <= LONGEST {
            if self.read.len() >= REMEMBERED || self.bytes + names.len() > BYTES {
                self.read.clear();
                self.bytes = 0;
            }
            self.read.insert(names.into(), bits);
            self.bytes += names.len();
        }
        bits
    }

    fn known(&self, word: &str) -> Option<u64> {
        self.words.get(word)?.0
    }

    /// The features of a compound of two to `parts` known words.
    fn divided(&self, word: &str, parts: u32) -> Option<u64> {
        let begins = word.as_bytes().first_chunk().is_some_and(|own| self.begins.contains(own));
        if parts <= 1 || !begins {
            return None;
        }
        // Parts of two characters match by chance.
        (3..word.len().saturating_sub(2)).rev().filter(|&at| word.is_char_boundary(at)).find_map(
            |at| {
                let (head, tail) = word.split_at(at);
                let head = self.known(head)?;
                Some(head | self.known(tail).or_else(|| self.divided(tail, parts - 1))?)
            },
        )
    }
}

/// What the tag and names of an element say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KindCues {
    /// Lexicon features, as bits.
    pub(crate) cues: u64,
    /// Meanings for the type of a page: numbers of [`NAMES`], as bits.
    pub(crate) types: u32,
}

/// The lexicon features of a page's elements.
#[derive(Debug)]
pub(crate) struct PageCues<'a> {
    cues: &'a mut Cues,
    document: &'a Document,
    /// By kind of element, computed on demand.
    pub(crate) of_kinds: Vec<Option<KindCues>>,
}

impl PageCues<'_> {
    /// The features of an element's own name and attributes, as bits.
    pub(crate) fn of(&mut self, id: NodeId) -> u64 {
        let kinds = self.document.kinds();
        let number = kinds.of_nodes()[id as usize] as usize;
        let Some(known) = self.of_kinds.get_mut(number) else { return 0 };
        let own = || self.cues.of_kind(self.document, kinds.all()[number].first);
        known.get_or_insert_with(own).cues | u64::from(self.is_hidden(id)) << (COUNT - 1)
    }

    fn is_hidden(&self, id: NodeId) -> bool {
        let aria_hidden: &LocalName = &ARIA_HIDDEN;
        let attributes = self.document.element(id).into_iter().flat_map(Element::attributes);
        attributes.into_iter().any(|(name, value)| match *name {
            _ if FREQUENT.contains(name) => false,
            local_name!("hidden") => true,
            local_name!("style") => hides(value),
            _ => name == aria_hidden && value == "true",
        })
    }
}

/// Attributes that do not hide an element.
static FREQUENT: [LocalName; 8] =
    local_names!["class", "id", "href", "src", "title", "alt", "rel", "target"];

/// `LocalName` has no constant for this name.
static ARIA_HIDDEN: LazyLock<LocalName> = LazyLock::new(|| LocalName::from("aria-hidden"));

/// Calls `found` with the words of a name, in lower case. Splits at everything that is not a letter, and between
/// a lower-case and an upper-case letter.
fn each_word(name: &str, word: &mut String, mut found: impl FnMut(&str)) {
    let mut end = |word: &mut String| {
        // Longer words are ignored.
        if !word.is_empty() && word.len() <= 40 {
            found(word);
        }
        word.clear();
    };
    let mut was_small = false;
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        // The most common case.
        let run = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        if run > 0 {
            word.push_str(&rest[..run]);
            was_small = true;
            rest = &rest[run..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        let is_letter = is_alphabetic(c);
        if !is_letter || (was_small && c.is_uppercase()) {
            end(word);
        }
        if is_letter {
            word.extend(lowercase(c));
        }
        was_small = c.is_lowercase();
    }
    end(word);
}

fn hides(style: &str) -> bool {
    // Fast path: most styles hide nothing.
    if !style.contains(['y', 'Y']) {
        return false;
    }
    let plain: String =
        style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    plain.contains("display:none") || plain.contains("visibility:hidden")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues(name: &str) -> Vec<&'static str> {
        let bits = Cues::new().of_names(name).0;
        (0..CUES.len()).filter(|bit| bits >> bit & 1 == 1).map(|bit| CUES[bit].0).collect()
    }

    #[test]
    fn words_are_bounded() {
        assert_eq!(cues("comment-list"), ["comments"]);
        assert!(cues("commentary").is_empty());
        assert!(cues("header-shadow").contains(&"navigation") && cues("shadow").is_empty());
        assert!(cues("adapter").is_empty() && cues("download").is_empty());
    }

    #[test]
    fn glued_words_and_capitals() {
        assert_eq!(cues("articlebody"), ["article", "text"]);
        assert_eq!(cues("articleBody"), ["article", "text"]);
        assert_eq!(cues("sidebarright"), ["sidebar"]);
        assert_eq!(cues("post-12345"), ["article"]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut cues = Cues::new();
        for (length, lists) in [(4, 20_000), (1_000, 2_000), (LONGEST + 1, 10), (1 << 20, 3)] {
            for number in 0..lists {
                let list = format!("comment-list n{number} {}", "a".repeat(length));
                assert_ne!(cues.of_names(&list).0, 0);
                assert!(cues.read.len() <= REMEMBERED && cues.bytes <= BYTES);
            }
            let bytes: usize = cues.read.keys().map(|names| names.len()).sum();
            assert_eq!(bytes, cues.bytes, "{length}");
        }
        // The last short one is known.
        cues.of_names("comment-list");
        assert!(cues.read.contains_key("comment-list"));
    }

    #[test]
    fn what_is_remembered_changes_nothing() {
        let page = |seed: usize| {
            let word = |at: usize| {
                let words = CUES[(seed + at) % CUES.len()].1;
                words.split_ascii_whitespace().nth((seed / 3 + at) % 3).unwrap()
            };
            let one = |at: usize| {
                let long = "b".repeat(if at == 7 { LONGEST } else { at });
                format!("<div class='{} {long}-{seed} x{at}' id={}{seed}>x", word(at), word(at + 1))
            };
            dom::parse(&(0..30).map(one).collect::<String>())
        };
        let bits = |page: &Document, cues: &mut Cues| -> Vec<u64> {
            let mut of_page = cues.of_page(page);
            page.ids().map(|id| of_page.of(id)).collect()
        };
        let mut warm = Cues::new();
        let mut emptied = 0;
        for seed in 0..2_000 {
            let page = page(seed % 1_000);
            let before = warm.bytes;
            let found = bits(&page, &mut warm);
            emptied += usize::from(warm.bytes < before);
            assert_eq!(found, bits(&page, &mut Cues::new()), "{seed}");
            assert!(found.iter().filter(|&&bits| bits != 0).count() > 20);
        }
        assert!(emptied > 2, "it was emptied {emptied} times");
    }

    #[test]
    fn elements_of_a_page_have_the_cues_of_their_own_attributes() {
        // Each differs from the next in one attribute; the last two differ in one that is not a cue.
        let html = [
            "class=ad", "id=ad", "role=ad", "itemprop=ad", "data-testid=ad", "data-component=ad",
        ]
        .map(|own| format!("<p {own}>x"))
        .concat()
            + "<p class=q>x<p class=q hidden>x<p class=q style='display: none'>x<p class=q aria-hidden=true>x";
        let page = dom::parse(&html);
        let mut cues = Cues::new();
        let mut of_page = cues.of_page(&page);
        let is_p = |id: &NodeId| page.is(*id, &local_name!("p"));
        let found: Vec<u64> = page.ids().filter(is_p).map(|id| of_page.of(id)).collect();
        let (ad, hidden) = (Cues::new().of_names("ad").0, 1 << (COUNT - 1));
        assert_ne!(ad, 0);
        assert_eq!(found, [ad, ad, ad, ad, ad, ad, 0, hidden, hidden, hidden]);
    }
}
