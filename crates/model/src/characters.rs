//! Share of a page that is its article.

use serde::{Deserialize, Serialize};

/// Characters without white space, on pages whose article consists of elements of the page.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct CharacterCounts {
    /// In all text of these pages.
    pub pages: u64,
    /// The part of these in articles and comments; the rest is boilerplate.
    pub kept: u64,
}

impl CharacterCounts {
    /// Adds the counts of other pages.
    pub fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.kept += other.kept;
    }
}
