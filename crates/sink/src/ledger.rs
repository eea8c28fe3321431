//! `ledger.json`: what a run read, kept and dropped, and the time and memory it took.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use jiff::Timestamp;
use model::{Assessment, CutShort, DropReason, Verdict, named};
use serde::{Deserialize, Serialize};

/// Which pages a run takes; all of them if every field is empty.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct PageSelection {
    /// Keys of the sites, sorted; all if empty.
    pub sites: BTreeSet<String>,
    /// Takes pages captured at this time or later.
    pub since: Option<Timestamp>,
    /// Takes pages captured before this time.
    pub before: Option<Timestamp>,
    /// Maximum number of these pages, the first ones; 0 for all.
    pub limit: u64,
}

/// What was chosen from an input, and what was left out.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct ChosenPages {
    /// The selection that was applied.
    pub pages: PageSelection,
    /// Number of pages, and of revisits of pages, that were taken.
    pub taken: u64,
    /// Number of records that were left out, by reason. They are not listed among the drops.
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

/// An input file, as it was read.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct InputRecord {
    /// Name of the file, as given.
    pub file: String,
    /// Stored size in bytes.
    pub bytes: u64,
    /// Time of the file's last change, in nanoseconds since 1970-01-01 UTC; `None` if unknown.
    pub modified: Option<i64>,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Number of records by type.
    pub records: BTreeMap<String, u64>,
    /// Size of the decoded HTML of the pages kept, in bytes.
    pub html_bytes: u64,
    /// Where an archive breaks off, if it is incomplete.
    pub cut_short: Option<CutShort>,
    /// The records that were read, if indexes list them.
    #[serde(default)]
    pub listed: Option<ListedPart>,
    /// What was fetched, if the input is at an address.
    #[serde(default)]
    pub fetched: Option<FetchCounts>,
    /// What was chosen, if not everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<ChosenPages>,
}

/// The records of an archive that are listed in indexes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ListedPart {
    /// Names of the indexes.
    pub indexes: Vec<String>,
    /// XXH3-64 of the positions of the records, in hex.
    pub places: String,
}

/// Requests and bytes of an input at an address.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct FetchCounts {
    /// Number of requests, repetitions not counted.
    pub requests: u64,
    /// Bytes received: more than were needed if a request covers several records with gaps between them.
    pub bytes: u64,
}

impl InputRecord {
    /// Says where the input breaks off, if it was not read to its end.
    pub fn problem(&self) -> Option<String> {
        Some(format!("{} {}", self.file, self.cut_short.as_ref()?.problem()))
    }
}

/// Counts of a run.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RunCounts {
    /// Pages that reached a site.
    pub pages: u64,
    /// Feed items that lead to one of these sites.
    pub feed_items: u64,
    /// Feed items that lead to none of these sites.
    pub feed_items_elsewhere: u64,
    /// Pages with constructs that our tokenizer leaves to html5ever's, which is slower.
    pub pages_by_html5ever: u64,
    /// Pages whose trees exceeded a limit, so that elements, attributes or the rest of the page were left out.
    pub pages_outgrown: u64,
    /// Pages that took the fast path: extracted by the wrapper and the model, without scoring.
    pub pages_fast_path: u64,
    /// Pages that were scored block by block.
    pub pages_judged: u64,
    /// Pages on which a site config found almost nothing, so that the text of the engine was used instead.
    pub pages_overruled: u64,
    /// Corrections of templates that match nothing in the model of their site.
    pub corrections_unmatched: u64,
    /// Stored models that are damaged. Others were learnt instead.
    #[serde(default)]
    pub models_damaged: u64,
    /// Sites.
    pub sites: u64,
    /// Articles.
    pub articles: u64,
    /// Articles whose confidence is below `extract.doubtful_below`.
    pub doubtful: u64,
    /// Doubtful articles, by the main reason for the doubt.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub doubtful_by_reason: BTreeMap<String, u64>,
    /// Articles that are marked as duplicates of others of the crawl.
    pub duplicates: u64,
    /// Articles from which boilerplate was removed that articles of several sites share.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_boilerplate: u64,
    /// Articles with fields that were corrected by hand.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub corrected: u64,
    /// Corrections of fields that are outdated: another value is extracted now.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub corrections_outdated: u64,
    /// Articles by route (`wrapper`, `page-wise`).
    pub articles_by_route: BTreeMap<String, u64>,
    /// Articles by statements of their pages or servers about their use (`noindex`, `tdm`, …); empty if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub articles_by_rights: BTreeMap<String, u64>,
    /// Sites by health, including sites that the store knows and that have no page; empty without a store.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites_by_health: BTreeMap<String, u64>,
    /// The sites of `sites_by_health`, by the decision about their models.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites_by_decision: BTreeMap<String, u64>,
    /// Number of articles to expect from all sites, given the previous nights; `None` without such nights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_articles: Option<u64>,
    /// Everything that was left out.
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
    /// Key of the site, as in `health.jsonl`.
    pub site: String,
    /// Why it needs attention, and what to do about it.
    #[serde(flatten)]
    pub health: Assessment,
}

/// An earlier run that this run is compared with.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct EarlierRun {
    /// Its folder, as given.
    pub folder: String,
    /// Time of its start, UTC.
    pub started: String,
    /// Number of pages.
    pub pages: u64,
    /// Number of sites.
    pub sites: u64,
    /// Number of articles.
    pub articles: u64,
    /// Number of doubtful articles.
    pub doubtful: u64,
    /// Number of drops, without records that contain no page.
    pub dropped: u64,
}

/// The previous night, as the store of site models has it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LastNight {
    /// Date of the crawl; empty if its pages have no date.
    pub night: String,
    /// Number of sites.
    pub sites: u64,
}

named! {
/// Whether a run is complete.
#[derive(Default)]
pub enum RunState {
    /// A process is working on the run, or was killed.
    Running => "running",
    /// The run was stopped or failed. The same command resumes it.
    Stopped => "stopped",
    /// All results are written.
    #[default]
    Complete => "complete",
}
}

named! {
/// The current activity of a run.
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

/// Progress of an unfinished run.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RunProgress {
    /// The current phase.
    pub phase: RunPhase,
    /// Total size of all inputs, in bytes.
    pub bytes: u64,
    /// Bytes of inputs that have been read.
    pub bytes_read: u64,
    /// Number of sites; 0 until all inputs are read.
    pub sites: u64,
    /// Number of pages; 0 until all inputs are read.
    pub pages: u64,
    /// Number of sites whose results an earlier process made.
    pub sites_resumed: u64,
    /// Bytes of pages that were spilled to disk.
    pub spool_bytes: u64,
    /// Process id.
    pub process: u32,
    /// Time at which this progress was written, UTC.
    pub updated: String,
    /// Why the run stopped.
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
    /// Stemmers and rules by which terms were made.
    pub terms: String,
    /// Confidence below which an article is doubtful.
    pub doubtful_below: f64,
    /// SHA-256 of the settings that affect results.
    pub config_hash: String,
    /// The settings that differ from the defaults, by table and key, without paths, threads and memory.
    pub settings: toml::Table,
    /// State of the model store after the run added its night, if it used a store (`modelstore::Store::state`).
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
    /// Sites that need attention, the worst first; at most ten for each verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attention: Vec<SiteAlarm>,
    /// Inputs that could not be opened or read to their end, with the reason. Those that are cut short come last; `inputs`
    /// contains them, too.
    pub unreadable: Vec<String>,
    /// Outputs that could not be written, with the reason.
    pub failed_sinks: BTreeMap<String, String>,
    /// The earlier run that this run was compared with, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<EarlierRun>,
    /// The last run that was added to the store of site models before this one, if there are both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_night: Option<LastNight>,
    /// Progress, unless the run is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<RunProgress>,
    /// Time at which this process started, UTC.
    pub started: String,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Seconds by stage; stages 3 to 7 run in parallel and are summed over threads.
    pub stage_seconds: BTreeMap<String, f64>,
    /// Bytes of inputs that this process read; after a resume, less than all.
    pub bytes_read: u64,
    /// Number of threads.
    pub jobs: usize,
    /// Pages per second of wall time.
    pub pages_per_second: f64,
    /// Decoded HTML per second of wall time, in 10⁶ bytes.
    pub html_mb_per_second: f64,
    /// Peak memory of the process in bytes, if the system reports it.
    pub peak_rss_bytes: Option<u64>,
}

impl Ledger {
    /// Version of the format.
    pub const SCHEMA: u32 = 1;

    /// Name of the file in a run folder. The final ledger is written last, and marks the run as complete.
    pub const FILE: &str = "ledger.json";

    /// Records the inputs that were read, and the problems of those that were not.
    pub fn take_inputs(&mut self, inputs: &[InputRecord], unread: &[String]) {
        self.inputs = inputs.to_vec();
        let cut_short = inputs.iter().filter_map(InputRecord::problem);
        self.unreadable = unread.iter().cloned().chain(cut_short).collect();
    }

    /// Inputs that could not be read, with the reason. The next run may be able to read them. Inputs that are cut short are not
    /// among them, since the next run would read them in the same way.
    pub fn unread(&self) -> &[String] {
        let cut_short = self.inputs.iter().filter(|input| input.cut_short.is_some()).count();
        &self.unreadable[..self.unreadable.len().saturating_sub(cut_short)]
    }

    /// The selection of pages that was applied. All inputs have the same; without inputs, it is all pages.
    pub fn selection(&self) -> PageSelection {
        let first = self.inputs.first().and_then(|input| input.chosen.clone());
        first.unwrap_or_default().pages
    }

    /// Reads the ledger of a run folder; `None` if it is missing or unreadable.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join(Self::FILE)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Number of drops, without records that contain no page (requests, metadata and the like) and records that were not chosen.
    pub fn dropped_pages(&self) -> u64 {
        let others = self.dropped_for(&[DropReason::OtherRecord])
            + self.dropped_for(&DropReason::NOT_CHOSEN);
        self.counts.dropped.saturating_sub(others)
    }

    /// Number of drops with one of these reasons.
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
