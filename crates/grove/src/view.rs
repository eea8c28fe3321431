//! A page as this crate takes it.

use dom::{Document, PrefixSums};
use forest::PageTerms;

/// A page as this crate takes it.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    /// Its tree.
    pub document: &'a Document,
    /// Words of its text nodes.
    pub words: &'a PrefixSums,
    /// Those in links.
    pub link_words: &'a PrefixSums,
    /// Its terms.
    pub terms: &'a PageTerms,
    /// Terms of its title, as its head gives it.
    pub title: &'a [u64],
    /// Terms of its description, as its head or a feed gives it.
    pub description: &'a [u64],
    /// Terms of the article's text as its JSON-LD or a feed gives it whole; empty where neither does.
    pub full_text: &'a [u64],
    /// Its signifiers.
    pub signifiers: &'a [(u64, f64)],
}
