//! How much of a page its article is.

use serde::{Deserialize, Serialize};

/// Characters without white space, on pages whose article is made of their own elements.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct CharacterCounts {
    /// In all text of these pages.
    pub pages: u64,
    /// Of those, in their articles and comments: the rest is boilerplate.
    pub kept: u64,
}

impl CharacterCounts {
    /// Adds those of other pages.
    pub fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.kept += other.kept;
    }
}
