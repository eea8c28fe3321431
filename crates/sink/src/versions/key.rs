//! Keys of articles, the same from run to run.

use std::sync::Arc;

/// Normalised forms of an address; equal for addresses of the same page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleKey {
    /// The form of the address itself.
    pub own: String,
    /// The form of the canonical address in the page, if the two differ only in tracking
    /// parameters.
    pub named: Option<String>,
    /// Without any tracking parameters: the same page, but possibly others too.
    pub stripped: String,
}

impl ArticleKey {
    /// The key of the article.
    pub(super) fn exact(&self) -> &str {
        self.named.as_ref().unwrap_or(&self.own)
    }
}

/// Returns the key for an address and the canonical address in its page.
pub type KeyOf = Arc<dyn Fn(&str, Option<&str>) -> ArticleKey + Send + Sync>;
