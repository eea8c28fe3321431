//! What an earlier capture of a page says about a later one: which of its words were text of the article, and which were not.
//!
//! A redesign moves the words of a page and changes few of them. So the words that the article had before are evidence of
//! what the article is now, as marks by people are. What becomes of them shows whether the new texts are as good,
//! whatever else was edited.

use std::collections::BTreeMap;

use dom::text_of;
use model::{Article, Mark, SharedWords, TemplateCorrection};
use rustc_hash::FxHashSet;

use crate::markable::{MarkableBlock, MarkablePage};
use crate::parsed::ParsedPage;
use crate::walls::sequences_of;

/// Share of a block's word sequences that makes it count as text, or as not text.
const MOST: f64 = 0.8;

/// Minimum share of an earlier text's word sequences that a page must still have for the texts to be compared.
const STILL_THERE: f64 = 0.2;

/// Minimum agreement of a text that reads the words of the earlier capture as before.
const AS_BEFORE: f64 = 0.97;

/// The word sequences of an earlier capture.
#[derive(Clone, Debug)]
pub struct EarlierReading {
    /// Address of the page.
    pub url: String,
    title: FxHashSet<u64>,
    text: FxHashSet<u64>,
    /// Sequences of the page that are not in the text.
    others: FxHashSet<u64>,
    is_sure: bool,
}

impl EarlierReading {
    /// Reads a page and the article that was found on it.
    pub fn of(page: &ParsedPage<'_>, article: &Article) -> Self {
        let text = sequences(&article.text);
        let mut others = sequences_of_page(page);
        others.retain(|own| !text.contains(own));
        let title = sequences(article.title.as_deref().unwrap_or_default());
        let is_sure = article.confidence >= SharedWords::SURE;
        Self { url: page.page.url.clone(), title, text, others, is_sure }
    }

    /// Compares with a later capture of the page, given its text. A page that has another article now is not compared.
    pub fn compare(&self, page: &ParsedPage<'_>, text: &str) -> SharedWords {
        let (text, page) = (sequences(text), sequences_of_page(page));
        let kept = self.text.intersection(&text).count() as f64;
        let is_left = |own: &&u64| !text.contains(own) && page.contains(own);
        let lost = self.text.iter().filter(is_left).count() as f64;
        if kept + lost < STILL_THERE * self.text.len() as f64 {
            return SharedWords::default();
        }
        let gained = self.others.intersection(&text).count() as f64;
        let share = |of: f64| of / (kept + of).max(1.0);
        let agreement = 2.0 * kept / (2.0 * kept + lost + gained).max(1.0);
        let others = u64::from(self.is_sure && agreement <= SharedWords::OTHER);
        let similarity = 2.0 * kept / ((self.text.len() + text.len()) as f64).max(1.0);
        let is_edited = agreement >= AS_BEFORE && similarity <= SharedWords::OTHER;
        let (edited, lost, gained) = (u64::from(is_edited), share(lost), share(gained));
        SharedWords { pages: 1, others, edited, lost, gained, agreement }
    }

    /// Marks the blocks of a later capture that are known to be text of the article, or not to be.
    pub(crate) fn marks(&self, page: &ParsedPage<'_>) -> TemplateCorrection {
        let MarkablePage { elements, blocks } = MarkablePage::of(page);
        let document = &page.document;
        let of_block = |block: &MarkableBlock| {
            let texts = (block.first..=block.last).filter_map(|id| document.text(id));
            sequences_of(&texts.collect::<String>())
        };
        let of_blocks: Vec<Vec<u64>> = blocks.iter().map(of_block).collect();
        let mut number: BTreeMap<u64, u32> = BTreeMap::new();
        for own in of_blocks.iter().flatten() {
            *number.entry(*own).or_default() += 1;
        }
        let mark = |own: &[u64]| {
            // A sequence that the page has twice may be text in one place and not in the other.
            let share = |set: &FxHashSet<u64>| {
                let known = own.iter().filter(|own| set.contains(own) && number[own] == 1);
                known.count() as f64 / own.len().max(1) as f64
            };
            match () {
                () if share(&self.title) >= MOST => None,
                () if share(&self.text) >= MOST => Some(Mark::Content),
                () if share(&self.others) >= MOST => Some(Mark::NotContent),
                () => None,
            }
        };
        let marked = blocks.iter().zip(&of_blocks);
        let blocks = marked.filter_map(|(block, own)| Some(block.marked(mark(own)?))).collect();
        TemplateCorrection {
            url: self.url.clone(),
            by: String::new(),
            at: String::new(),
            reason: String::new(),
            elements,
            blocks,
        }
    }
}

fn sequences(text: &str) -> FxHashSet<u64> {
    text.lines().flat_map(sequences_of).collect()
}

fn sequences_of_page(page: &ParsedPage<'_>) -> FxHashSet<u64> {
    sequences(&text_of(&page.document, &[0], &[]))
}
