//! `ledger.json`: what a run read, kept and dropped, with time and memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use jiff::Timestamp;
use model::{Assessment, CutShort, DropReason, Verdict, named};
use serde::{Deserialize, Serialize};

/// The pages chosen; all, if every field is empty.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct PageSelection {
    /// Keys of the sites, sorted; all if empty.
    pub sites: BTreeSet<String>,
    /// Pages captured at this time or later.
    pub since: Option<Timestamp>,
    /// Pages captured before this time.
    pub before: Option<Timestamp>,
    /// The first so many of these pages; all if it is 0.
    pub limit: u64,
}

/// The pages that were chosen of an input, and what was not.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct ChosenPages {
    /// The pages that the run was to take.
    pub pages: PageSelection,
    /// Pages and revisits of pages that were taken.
    pub taken: u64,
    /// Records that were not taken, by reason. They are not listed.
    pub left_out: BTreeMap<String, u64>,
}

impl PageSelection {
    /// Whether all pages are chosen.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for PageSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.sites.is_empty() {
            let sites: Vec<&str> = self.sites.iter().map(String::as_str).collect();
            parts.push(format!("of {}", sites.join(", ")));
        }
        parts.extend(self.since.map(|since| format!("captured at {since} or later")));
        parts.extend(self.before.map(|before| format!("captured before {before}")));
        match (self.limit, parts.is_empty()) {
            (0, true) => f.write_str("all pages"),
            (0, false) => write!(f, "pages {}", parts.join(", ")),
            (limit, true) => write!(f, "the first {limit} pages"),
            (limit, false) => write!(f, "the first {limit} pages {}", parts.join(", ")),
        }
    }
}

/// An input file as it was read.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct InputRecord {
    /// The file as named.
    pub file: String,
    /// Size in bytes, as stored.
    pub bytes: u64,
    /// Time of the file's last change, in nanoseconds since 1970-01-01 UTC; `None` if unknown.
    pub modified: Option<i64>,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Records in it, by type.
    pub records: BTreeMap<String, u64>,
    /// Decoded HTML of the pages kept.
    pub html_bytes: u64,
    /// Where it breaks off, if it is an archive that does.
    pub cut_short: Option<CutShort>,
    /// The records that were read of it, if an index lists them.
    #[serde(default)]
    pub listed: Option<ListedPart>,
    /// What was fetched of it, if it is at an address.
    #[serde(default)]
    pub fetched: Option<FetchCounts>,
    /// What was chosen of it, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<ChosenPages>,
}

/// The records of an archive that indexes list.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ListedPart {
    /// The indexes.
    pub indexes: Vec<String>,
    /// XXH3-64 of the places of the records, in hex.
    pub places: String,
}

/// What was fetched of an input at an address.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct FetchCounts {
    /// Requests, without those that were repeated.
    pub requests: u64,
    /// Bytes that were received: more than those that were needed where a request joins neighbouring records.
    pub bytes: u64,
}

impl InputRecord {
    /// Why it was not read to its end, if so.
    pub fn problem(&self) -> Option<String> {
        Some(format!("{} {}", self.file, self.cut_short.as_ref()?.problem()))
    }
}

/// Counts of a run.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RunCounts {
    /// Pages that reached a site.
    pub pages: u64,
    /// Feed items that lead to one of the sites.
    pub feed_items: u64,
    /// Feed items that lead to none.
    pub feed_items_elsewhere: u64,
    /// Pages with constructs that our tokenizer leaves to html5ever's, which is slower.
    pub pages_by_html5ever: u64,
    /// Pages whose trees exceeded a limit, so that elements, attributes or the rest were left out.
    pub pages_outgrown: u64,
    /// Pages that took the fast path: extracted by the wrapper and the model, without scoring.
    pub pages_fast_path: u64,
    /// Pages that were scored block by block.
    pub pages_judged: u64,
    /// Pages on which the engine's text was used although a site config found a body: that was next to nothing.
    pub pages_overruled: u64,
    /// Corrections of templates that match nothing in the models of their sites.
    pub corrections_unmatched: u64,
    /// Stored models that are damaged. Others were learnt instead.
    #[serde(default)]
    pub models_damaged: u64,
    /// Sites.
    pub sites: u64,
    /// Articles.
    pub articles: u64,
    /// Of these, articles whose confidence is below `extract.doubtful_below`.
    pub doubtful: u64,
    /// Of these, by the main reason for the doubt.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub doubtful_by_reason: BTreeMap<String, u64>,
    /// Articles that are the same as others of the crawl, and are marked as that.
    pub duplicates: u64,
    /// Articles from which text was removed that articles of several sites have.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_boilerplate: u64,
    /// Articles with fields that were corrected by hand.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub corrected: u64,
    /// Corrections of fields of which another value is extracted now.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub corrections_outdated: u64,
    /// Articles by route (`wrapper`, `page-wise`).
    pub articles_by_route: BTreeMap<String, u64>,
    /// Articles by what their pages or servers say of their use (`noindex`, `tdm`, …); empty if they say nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub articles_by_rights: BTreeMap<String, u64>,
    /// Sites by their health, with those that the store knows and that have no page; empty without a store.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites_by_health: BTreeMap<String, u64>,
    /// The same sites by what was decided about their models.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites_by_decision: BTreeMap<String, u64>,
    /// Articles that the nights before let expect of all sites, where there are such nights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_articles: Option<u64>,
    /// Everything left out.
    pub dropped: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl RunCounts {
    /// The number of sites that need attention.
    pub fn sites_to_look_at(&self) -> u64 {
        let all = Verdict::ALL.into_iter().filter(|verdict| verdict.needs_attention());
        all.filter_map(|verdict| self.sites_by_health.get(verdict.as_str())).sum()
    }
}

/// A site that needs attention.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SiteAlarm {
    /// As in `health.jsonl`.
    pub site: String,
    /// Why, and what to do about it.
    #[serde(flatten)]
    pub health: Assessment,
}

/// An earlier run that a run is compared with.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct EarlierRun {
    /// Its folder, as named.
    pub folder: String,
    /// Its start, UTC.
    pub started: String,
    /// Its pages.
    pub pages: u64,
    /// Its sites.
    pub sites: u64,
    /// Its articles.
    pub articles: u64,
    /// Of these, doubtful ones.
    pub doubtful: u64,
    /// What it left out, without records that hold no page.
    pub dropped: u64,
}

/// The night before, as the store of site models has it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LastNight {
    /// Date of the crawl; empty if its pages have none.
    pub night: String,
    /// Its sites.
    pub sites: u64,
}

named! {
/// Whether a run is complete.
#[derive(Default)]
pub enum RunState {
    /// A process is working on it, or was killed.
    Running => "running",
    /// It was stopped, or failed; the same command resumes it.
    Stopped => "stopped",
    /// Everything is written.
    #[default]
    Complete => "complete",
}
}

named! {
/// What a run is doing.
#[derive(Default)]
pub enum RunPhase {
    /// Reading inputs.
    #[default]
    Reading => "reading",
    /// Reading the results of an earlier process.
    Resuming => "resuming",
    /// Learning sites and extracting their articles.
    Learning => "learning",
    /// Finishing the outputs.
    Writing => "writing",
}
}

/// Progress of a run that is not complete.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RunProgress {
    /// The current phase.
    pub phase: RunPhase,
    /// Bytes of all inputs.
    pub bytes: u64,
    /// Bytes of inputs read.
    pub bytes_read: u64,
    /// Sites; 0 until everything is read.
    pub sites: u64,
    /// Pages; 0 until everything is read.
    pub pages: u64,
    /// Sites whose results are those of an earlier process.
    pub sites_resumed: u64,
    /// Bytes of pages on disk.
    pub spool_bytes: u64,
    /// Process id.
    pub process: u32,
    /// When this was written, UTC.
    pub updated: String,
    /// Why it stopped.
    pub stopped: String,
}

/// The ledger of a run.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Ledger {
    /// Format version.
    pub schema: u32,
    /// Whether the run is complete.
    pub state: RunState,
    /// Version of sitegrove.
    pub version: String,
    /// Engine that was used.
    pub engine: String,
    /// Stemmers and rules that made the terms.
    pub terms: String,
    /// Confidence below which an article is doubtful.
    pub doubtful_below: f64,
    /// SHA-256 of the settings that decide the results.
    pub config_hash: String,
    /// The settings that differ from the defaults, by table and key, without places of files, threads and memory.
    pub settings: toml::Table,
    /// What the store of models held when the run had added its night, if it used one (`modelstore::Store::state`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_state: Option<String>,
    /// SHA-256 of the chosen outputs and their settings.
    pub outputs_hash: String,
    /// The inputs, sorted by name; empty until all are read.
    pub inputs: Vec<InputRecord>,
    /// What was read, kept and dropped.
    pub counts: RunCounts,
    /// Drops by reason.
    pub drops: BTreeMap<String, u64>,
    /// Sites that need attention, the worst first; at most ten of each verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attention: Vec<SiteAlarm>,
    /// Inputs that could not be opened or read to their end, with the reason. The last ones are those of `inputs` that
    /// are cut short.
    pub unreadable: Vec<String>,
    /// Outputs that could not be written, with the reason.
    pub failed_sinks: BTreeMap<String, String>,
    /// The earlier run that it was compared with, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<EarlierRun>,
    /// The last run that the store of site models took in before, if there are both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_night: Option<LastNight>,
    /// Progress, while the run is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<RunProgress>,
    /// Start of this process, UTC.
    pub started: String,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Seconds by stage; stages 3 to 7 run in parallel and are summed over threads.
    pub stage_seconds: BTreeMap<String, f64>,
    /// Bytes of inputs that this process read; less than all after a resume.
    pub bytes_read: u64,
    /// Threads.
    pub jobs: usize,
    /// Pages a second of wall time.
    pub pages_per_second: f64,
    /// Decoded HTML, in 10⁶ bytes, a second of wall time.
    pub html_mb_per_second: f64,
    /// Peak memory of the process in bytes, if the system reports it.
    pub peak_rss_bytes: Option<u64>,
}

impl Ledger {
    /// Version of the format.
    pub const SCHEMA: u32 = 1;

    /// Name of the file in a run folder. The final ledger is written last and marks the run as complete.
    pub const FILE: &str = "ledger.json";

    /// Notes the inputs that were read, and what is wrong with those that were not.
    pub fn take_inputs(&mut self, inputs: &[InputRecord], unread: &[String]) {
        self.inputs = inputs.to_vec();
        let cut_short = inputs.iter().filter_map(InputRecord::problem);
        self.unreadable = unread.iter().cloned().chain(cut_short).collect();
    }

    /// Inputs that could not be read, with the reason. The next run may be able to read them, unlike those that are
    /// cut short, which it would read as this one did.
    pub fn unread(&self) -> &[String] {
        let cut_short = self.inputs.iter().filter(|input| input.cut_short.is_some()).count();
        &self.unreadable[..self.unreadable.len().saturating_sub(cut_short)]
    }

    /// The pages that were chosen; all, unless all inputs say otherwise.
    pub fn selection(&self) -> PageSelection {
        let first = self.inputs.first().and_then(|input| input.chosen.clone());
        first.unwrap_or_default().pages
    }

    /// Reads the ledger of a run folder, if there is a readable one.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join(Self::FILE)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Drops without records that hold no page (requests, metadata and the like), and without what was not chosen.
    pub fn dropped_pages(&self) -> u64 {
        let others = self.dropped_for(&[DropReason::OtherRecord])
            + self.dropped_for(&DropReason::NOT_CHOSEN);
        self.counts.dropped.saturating_sub(others)
    }

    /// Number of drops for some reasons.
    pub fn dropped_for(&self, reasons: &[DropReason]) -> u64 {
        reasons.iter().filter_map(|reason| self.drops.get(reason.as_str())).sum()
    }

    /// The contents of `ledger.json`.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}
