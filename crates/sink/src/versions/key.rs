//! What an article is known by from run to run.

use std::sync::Arc;

/// The forms of an address in which two that name the same page are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleKey {
    /// That of the address itself.
    pub own: String,
    /// That of the address which the page names as canonical, where the two differ in tracking
    /// parameters only.
    pub named: Option<String>,
    /// Without any tracking parameter: of one page, but maybe of others too.
    pub stripped: String,
}

impl ArticleKey {
    /// What the article is known by.
    pub(super) fn exact(&self) -> &str {
        self.named.as_ref().unwrap_or(&self.own)
    }
}

/// Gives the key of an address and of the canonical address that its page names.
pub type KeyOf = Arc<dyn Fn(&str, Option<&str>) -> ArticleKey + Send + Sync>;
