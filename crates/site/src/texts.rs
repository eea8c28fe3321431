//! Compares texts with those at the same addresses in earlier nights. Changed texts of known pages say more about a
//! redesign than lengths do.
//!
//! Takes: sketches of tonight's texts, and those in the store.
//! Gives: how similar the texts of the same addresses are, and what the store is to keep.
//! Why: a new model may find about as much text with about the same confidence, and still another text.
//! Drops: addresses that were not seen for longest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use duplicates::{Sketch, sketch_of};
use model::{Extracted, SharedWords};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of texts of a result that are sketched: those with the smallest address hashes, so the same every night.
const MOST: usize = 64;
/// Maximum number of texts of a site that are kept.
const MOST_KEPT: usize = 24;
/// Similarity below which a text differs, whatever the error of the sketches.
const SAME: f64 = 0.97;

/// The text at an address.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ArticleText {
    address: u64,
    words: Sketch<16>,
    #[serde(default)]
    is_sure: bool,
}

/// Sketches some of the articles of a run with a model store.
pub fn some_texts(articles: &[Extracted]) -> Vec<ArticleText> {
    let stored = articles.iter().filter(|article| article.model_revision.is_some());
    let mut addresses: Vec<(u64, &Extracted)> =
        stored.map(|article| (xxh3_64(article.url.as_bytes()), article)).collect();
    addresses.sort_unstable_by_key(|(address, _)| *address);
    addresses.truncate(MOST);
    addresses.into_iter().map(|(_, article)| ArticleText::of(article)).collect()
}

impl ArticleText {
    fn of(article: &Extracted) -> Self {
        let (address, words) = (xxh3_64(article.url.as_bytes()), sketch_of(&article.text));
        Self { address, words, is_sure: article.confidence >= SharedWords::SURE }
    }
}

/// A text that the store keeps.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct KnownText {
    text: ArticleText,
    /// Whether the address was seen in more than one night.
    is_seen_again: bool,
    /// The last night in which the address was seen.
    night: String,
    /// The text in that night, if the night was not as usual.
    #[serde(default)]
    last: Option<Sketch<16>>,
    /// Whether that text was another one than in the night before.
    #[serde(default)]
    has_changed: bool,
}

impl KnownText {
    /// Whether an address has another text than when it was last seen.
    fn changes_to(&self, text: &ArticleText) -> bool {
        f1(self.last.as_ref().unwrap_or(&self.text.words), &text.words) <= SharedWords::OTHER
    }
}

/// From the Jaccard similarity to F1: twice the shared shingles over those of both texts.
fn f1(known: &Sketch<16>, words: &Sketch<16>) -> f64 {
    let shared = known.similarity(words);
    2.0 * shared / (1.0 + shared)
}

/// The texts of a site that the store keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownTexts(Vec<KnownText>);

impl KnownTexts {
    /// Reads the texts from a store; empty if they cannot be read.
    pub fn of(bytes: Option<&[u8]>) -> Self {
        Self(bytes.and_then(|bytes| rmp_serde::from_slice(bytes).ok()).unwrap_or_default())
    }

    /// Encodes the texts for a store; `None` if that fails.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        rmp_serde::to_vec(&self.0).ok()
    }

    /// Sketches tonight's texts at known addresses: others have nothing to be compared with.
    pub(crate) fn known_of<'a>(
        &self,
        articles: impl Iterator<Item = &'a Extracted>,
    ) -> Vec<ArticleText> {
        let known: BTreeSet<u64> = self.0.iter().map(|own| own.text.address).collect();
        let is_known = |article: &&Extracted| known.contains(&xxh3_64(article.url.as_bytes()));
        articles.filter(is_known).map(ArticleText::of).collect()
    }

    /// Returns how many of tonight's texts are at known addresses, and the sum of their similarities to the known texts.
    pub fn compare(&self, tonight: &[ArticleText]) -> (u64, f64) {
        let of = self.similarities(tonight);
        of.fold((0, 0.0), |(count, sum), (one, _)| (count + 1, sum + one))
    }

    /// Returns how many of tonight's texts differ from the known ones.
    pub(crate) fn differing(&self, tonight: &[ArticleText]) -> u64 {
        self.similarities(tonight).filter(|(one, _)| *one < SAME).count() as u64
    }

    /// Returns how many of tonight's texts replace a different known text of high confidence.
    pub fn others(&self, tonight: &[ArticleText]) -> u64 {
        let is_other = |(one, is_sure): &(f64, bool)| *is_sure && *one <= SharedWords::OTHER;
        self.similarities(tonight).filter(is_other).count() as u64
    }

    /// Returns for each of tonight's texts at a known address its similarity to the known text, and whether that was sure.
    /// Addresses whose text changes every time, as those of section pages and live blogs, are left out: a text that is
    /// read wrongly from one night on stays the same afterwards.
    fn similarities(&self, tonight: &[ArticleText]) -> impl Iterator<Item = (f64, bool)> {
        let known: BTreeMap<u64, &KnownText> =
            self.0.iter().map(|own| (own.text.address, own)).collect();
        let similarity = move |text: &ArticleText| {
            let own = known.get(&text.address)?;
            let is_compared = !(own.has_changed && own.changes_to(text));
            is_compared.then(|| (f1(&own.text.words, &text.words), own.text.is_sure))
        };
        tonight.iter().filter_map(similarity)
    }

    /// Adds tonight's texts. Unless they are as usual, known texts stay and no new ones are added.
    pub fn add(&mut self, tonight: Vec<ArticleText>, night: &str, are_usual: bool) {
        let at: BTreeMap<u64, usize> =
            self.0.iter().enumerate().map(|(at, own)| (own.text.address, at)).collect();
        for text in tonight {
            match at.get(&text.address) {
                Some(&at) => {
                    let own = &mut self.0[at];
                    own.is_seen_again = true;
                    own.night = night.to_owned();
                    own.has_changed = own.changes_to(&text);
                    own.last = (!are_usual).then_some(text.words);
                    if are_usual {
                        own.text = text;
                    }
                }
                None if are_usual => {
                    let night = night.to_owned();
                    let (last, has_changed) = (None, false);
                    self.0.push(KnownText { text, is_seen_again: false, night, last, has_changed });
                }
                None => {}
            }
        }
        self.0.sort_by(|a, b| {
            let key = |own: &KnownText| (Reverse(own.is_seen_again), own.text.address);
            b.night.cmp(&a.night).then(key(a).cmp(&key(b)))
        });
        self.0.truncate(MOST_KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(address: u64, words: &str) -> ArticleText {
        ArticleText { address, words: sketch_of(words), is_sure: true }
    }

    fn words(from: usize, to: usize) -> String {
        (from..to).map(|at| format!("w{at} ")).collect()
    }

    #[test]
    fn texts_of_known_addresses_are_compared_until_a_change_lasts() {
        let mut known = KnownTexts::of(None);
        let (whole, part) = (words(0, 200), words(0, 100));
        assert_eq!(known.compare(&[text(1, &whole)]), (0, 0.0));
        known.add(vec![text(1, &whole), text(2, "")], "2026-03-01", true);
        let known_again = KnownTexts::of(known.bytes().as_deref());
        assert_eq!(known_again, known);
        assert_eq!(known.compare(&[text(1, &whole), text(2, ""), text(3, &whole)]), (2, 2.0));
        for are_usual in [false, true] {
            let (pages, sum) = known.compare(&[text(1, &part)]);
            assert!(pages == 1 && (0.5..0.8).contains(&sum), "{sum}");
            known.add(vec![text(1, &part)], "2026-03-02", are_usual);
        }
        assert_eq!(known.compare(&[text(1, &part)]), (1, 1.0));
        // Another text in place of a doubtful one is not a loss.
        assert_eq!((known.differing(&[text(1, &whole)]), known.others(&[text(1, &whole)])), (1, 1));
        known.0.iter_mut().for_each(|own| own.text.is_sure = false);
        assert_eq!((known.differing(&[text(1, &whole)]), known.others(&[text(1, &whole)])), (1, 0));
    }

    #[test]
    fn addresses_whose_text_changes_every_time_are_not_compared() {
        let mut known = KnownTexts::default();
        let night = |n: usize| text(1, &words(200 * n, 200 * n + 200));
        known.add(vec![night(0)], "2026-03-01", true);
        assert_eq!(known.others(&[night(1)]), 1);
        known.add(vec![night(1)], "2026-03-02", false);
        // The same text again: it may be read wrongly since then.
        assert_eq!((known.others(&[night(1)]), known.others(&[night(2)])), (1, 0));
        let known_again = KnownTexts::of(known.bytes().as_deref());
        assert_eq!(known_again, known);
        known.add(vec![night(1)], "2026-03-03", false);
        assert_eq!(known.others(&[night(2)]), 1);
    }

    #[test]
    fn addresses_that_come_again_are_kept() {
        let mut known = KnownTexts::default();
        for night in 1..9 {
            let new = (0..30).map(|at| text(night * 100 + at, "a new text"));
            let again = [text(9_000, "an old text")];
            known.add(new.chain(again).collect(), &format!("2026-03-0{night}"), true);
            // Among a night's new addresses, those with the smallest hashes come first.
            let is_first = night == 1;
            assert_eq!(known.0.iter().any(|own| own.text.address == 9_000), !is_first);
            assert_eq!(known.0.len(), MOST_KEPT);
            if is_first {
                known.0[0].text.address = 9_000;
            }
        }
    }
}
