//! One line of `dropped.jsonl`.

use model::{Drop, Origin};
use serde::Serialize;

/// A drop as written.
#[derive(Debug, Serialize)]
pub struct DropRecord<'a> {
    stage: &'static str,
    reason: &'static str,
    url: &'a str,
    site: &'a str,
    detail: &'a str,
    origin: &'a Origin,
}

/// The record of a drop.
pub fn drop_record(drop: &Drop) -> DropRecord<'_> {
    DropRecord {
        stage: drop.stage.as_str(),
        reason: drop.reason.as_str(),
        url: &drop.url,
        site: &drop.site,
        detail: &drop.detail,
        origin: &drop.origin,
    }
}
