//! What is shown of a store, and what moves from one to another.

use serde::{Deserialize, Serialize};

use crate::records::Revision;

/// Summary of a store.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Runs that were taken in.
    pub runs: u64,
    /// Sites.
    pub sites: u64,
    /// Revisions of models.
    pub revisions: u64,
    /// Bytes of the models, packed.
    pub model_bytes: u64,
    /// Retained pages.
    pub retained: u64,
    /// Bytes of those, packed.
    pub sample_bytes: u64,
}

/// A site and how it was when last seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteRow {
    /// Its key.
    pub site: String,
    /// Number of the newest revision of its model; 0 for none.
    pub revision: u32,
    /// Verdict of the last night.
    pub verdict: String,
    /// First night.
    pub first_seen: String,
    /// Last night.
    pub last_seen: String,
    /// Retained pages.
    pub retained: u64,
    /// Bytes of the newest revision and the retained pages, packed.
    pub bytes: u64,
}

/// A revision of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisionRow {
    /// Its number.
    pub revision: u32,
    /// The night it was learnt in.
    pub night: String,
    /// Why.
    pub reason: String,
    /// Pages learnt from.
    pub pages: u64,
    /// Templates.
    pub templates: u64,
    /// Version of the format.
    pub format: u32,
    /// Engine.
    pub engine: String,
    /// SHA-256 of the weights.
    pub weights: Option<String>,
    /// Bytes, packed.
    pub bytes: u64,
}

/// A night of a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NightRow {
    /// Number of the run.
    pub run: i64,
    /// Date.
    pub night: String,
    /// What was decided.
    pub decision: String,
    /// Why.
    pub reason: String,
    /// The revision that was applied.
    pub revision: u32,
    /// How the site was.
    pub verdict: String,
    /// Pages looked at.
    pub pages: u64,
    /// Of no template.
    pub unassigned: u64,
}

/// A model by itself.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Exported {
    /// Key of its site.
    pub site: String,
    /// The night it was learnt in.
    pub night: String,
    /// The revision.
    pub revision: Revision,
}
