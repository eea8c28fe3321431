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
