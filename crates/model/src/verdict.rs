//! How a template, or a site, is.

use serde::{Deserialize, Serialize};

/// How a template, or a site, is: whether what was learnt of it still fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Too few pages to tell.
    TooFewPages,
    /// As it was learnt.
    Healthy,
    /// Some way off what was learnt.
    Drifting,
    /// The wrapper finds next to nothing any more, or the pages have other layouts.
    Broken,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::TooFewPages, Self::Healthy, Self::Drifting, Self::Broken];

    /// The name written to outputs: `too-few-pages`, `healthy`, `drifting`, `broken`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooFewPages => "too-few-pages",
            Self::Healthy => "healthy",
            Self::Drifting => "drifting",
            Self::Broken => "broken",
        }
    }

    /// The verdict of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }
}
