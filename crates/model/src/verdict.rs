//! How a template, or a site, is.

use serde::{Deserialize, Serialize};

use crate::record::named;

named! {
/// How a template, or a site, is: whether what was learnt of it still fits.
pub enum Verdict {
    /// Too few pages to tell.
    TooFewPages => "too-few-pages",
    /// As it was learnt.
    Healthy => "healthy",
    /// Some way off what was learnt.
    Drifting => "drifting",
    /// The wrapper finds next to nothing any more, or the pages have other layouts.
    Broken => "broken",
}
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::TooFewPages, Self::Healthy, Self::Drifting, Self::Broken];

    /// The verdict of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }
}
