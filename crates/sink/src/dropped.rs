//! One line of `dropped.jsonl`.

use std::borrow::Cow;

use model::{Drop, Origin};
use serde::{Deserialize, Serialize};

/// A drop, as it is written and read.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct DropRecord<'a> {
    /// The stage that dropped it.
    pub stage: Cow<'a, str>,
    /// The reason, as [`model::DropReason::as_str`].
    pub reason: Cow<'a, str>,
    /// Its address; empty where none could be read.
    pub url: Cow<'a, str>,
    /// Its site; empty before grouping.
    pub site: Cow<'a, str>,
    /// Details in a sentence; may be empty.
    pub detail: Cow<'a, str>,
    /// Where it was read.
    pub origin: Cow<'a, Origin>,
}

/// The record of a drop.
pub fn drop_record(drop: &Drop) -> DropRecord<'_> {
    DropRecord {
        stage: drop.stage.as_str().into(),
        reason: drop.reason.as_str().into(),
        url: (&drop.url).into(),
        site: (&drop.site).into(),
        detail: (&drop.detail).into(),
        origin: Cow::Borrowed(&drop.origin),
    }
}
