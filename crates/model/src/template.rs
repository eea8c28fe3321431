//! Kinds of pages.

use serde::{Deserialize, Serialize};

/// Kind of the pages of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TemplateKind {
    /// Pages with one article each.
    Article,
    /// Home pages, sections, tag pages, search results: pages that list articles.
    List,
    /// Pages with next to no text of their own (log-in, errors, empty shells).
    Other,
}

impl TemplateKind {
    /// The name written to outputs: `article`, `list`, `other`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::List => "list",
            Self::Other => "other",
        }
    }
}
