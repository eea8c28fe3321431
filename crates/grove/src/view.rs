//! Input of this crate: a page with its terms.

use dom::{Document, PrefixSums};
use forest::PageTerms;

/// Input of this crate: a page with its terms.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    /// Its tree.
    pub document: &'a Document,
    /// Words of its text nodes.
    pub words: &'a PrefixSums,
    /// Words in links.
    pub link_words: &'a PrefixSums,
    /// Its terms.
    pub terms: &'a PageTerms,
    /// Terms of its title, from its head.
    pub title: &'a [u64],
    /// Terms of its description, from its head or a feed.
    pub description: &'a [u64],
    /// Terms of the full text in its JSON-LD or a feed; empty if there is none.
    pub full_text: &'a [u64],
    /// Its signifiers.
    pub signifiers: &'a [(u64, f64)],
}

/// A page of which nothing is known but its words.
#[derive(Debug)]
pub(crate) struct WordsOnly {
    pub(crate) document: Document,
    pub(crate) words: PrefixSums,
    pub(crate) link_words: PrefixSums,
    terms: PageTerms,
}

impl WordsOnly {
    pub(crate) fn of(html: &str) -> Self {
        let document = dom::parse(html);
        let count = |id| document.text(id).map_or(0, |t| t.split_whitespace().count() as u32);
        let words = PrefixSums::new(&document, count);
        let link_words = PrefixSums::within_links(&document, count);
        let terms = PageTerms::none(&document);
        Self { document, words, link_words, terms }
    }

    pub(crate) fn view(&self) -> PageView<'_> {
        PageView {
            document: &self.document,
            words: &self.words,
            link_words: &self.link_words,
            terms: &self.terms,
            title: &[],
            description: &[],
            full_text: &[],
            signifiers: &[],
        }
    }
}
