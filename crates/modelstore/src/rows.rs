//! What is shown of a store, and what moves from one to another.

use serde::Serialize;

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

/// A revision of a model with its bytes: what moves from one store to another.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRow {
    /// Key of the site.
    pub site: String,
    /// Its number, from 1.
    pub revision: u32,
    /// The night it was learnt in, `YYYY-MM-DD`; empty where pages have no dates.
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
    /// SHA-256 of the weights, in hex.
    pub weights: Option<String>,
    /// SHA-256 of the settings, in hex.
    pub settings: String,
    /// Verdict of the last night that it was applied in.
    pub health: Option<String>,
    /// Its bytes, packed (zstd).
    pub blob: Vec<u8>,
}

impl ModelRow {
    /// Its bytes.
    ///
    /// # Errors
    /// If they are damaged.
    pub fn model(&self) -> std::io::Result<Vec<u8>> {
        crate::sample::unpack(&self.blob)
    }
}

/// What became of a revision that came from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// It was added.
    Added,
    /// The store has it.
    Known,
    /// The store has other bytes under its number; it was left as it is.
    Other,
}
