//! The ledger of a run: what was read, kept and dropped, time and memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Result;
use model::DropReason;
use serde::{Deserialize, Serialize};
use sitemodel::{Meter, Step};

use crate::config::Config;
use crate::error_chain::Problem;
use crate::selection::{Chosen, Selection};
use crate::stages::read::{CutShort, InputSummary};

/// Version of the format of `ledger.json`.
pub const SCHEMA: u32 = 1;

/// Name of the ledger in a run folder. The final ledger is written last and marks the run as complete.
pub const FILE: &str = "ledger.json";

/// Reasons of what is not chosen, which is counted and not listed.
pub(crate) const NOT_CHOSEN: [DropReason; 3] =
    [DropReason::OtherSite, DropReason::OtherDate, DropReason::OverLimit];

/// Time spent in a part of the work, summed over threads.
#[derive(Debug, Default)]
pub struct Timer(AtomicU64);

impl Timer {
    /// Runs `work` and adds the time it took.
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_add(nanos, Ordering::Relaxed);
        result
    }

    /// Seconds added up so far.
    pub fn seconds(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64 / 1e9
    }
}

/// Time spent in each part, summed over the threads that waited for it.
#[derive(Debug, Default)]
pub struct Clock {
    /// Reading inputs.
    pub read: Timer,
    /// Grouping by site.
    pub group: Timer,
    /// Parsing HTML and counting words.
    pub parse: Timer,
    /// Separating layouts.
    pub cluster: Timer,
    /// Terms and tf-idf.
    pub signify: Timer,
    /// Ranking patterns.
    pub rank: Timer,
    /// Writing and testing XPaths.
    pub wrap: Timer,
    /// Text, HTML and metadata.
    pub extract: Timer,
    /// Comparing articles, to find those that are the same.
    pub compare: Timer,
    /// Writing files.
    pub emit: Timer,
}

impl Clock {
    fn seconds(&self) -> BTreeMap<String, f64> {
        [
            ("1-read", &self.read),
            ("2-group", &self.group),
            ("3-parse", &self.parse),
            ("3-cluster", &self.cluster),
            ("4-signify", &self.signify),
            ("5-rank", &self.rank),
            ("6-wrap", &self.wrap),
            ("7-extract", &self.extract),
            ("8-compare", &self.compare),
            ("8-emit", &self.emit),
        ]
        .map(|(name, timer)| (name.to_owned(), (timer.seconds() * 1000.0).round() / 1000.0))
        .into()
    }
}

impl Meter for Clock {
    fn measure(&self, step: Step, work: &mut dyn FnMut()) {
        let timer = match step {
            Step::Parse => &self.parse,
            Step::Cluster => &self.cluster,
            Step::Signify => &self.signify,
            Step::Rank => &self.rank,
            Step::Wrap => &self.wrap,
            Step::Extract => &self.extract,
        };
        timer.time(work);
    }
}

/// An input file as it was read.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct InputRecord {
    /// The file as named.
    pub file: String,
    /// Its length.
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
    /// What was chosen of it, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
}

impl From<&InputSummary> for InputRecord {
    fn from(summary: &InputSummary) -> Self {
        Self {
            file: summary.file.clone(),
            bytes: summary.bytes,
            modified: None,
            sha256: summary.sha256.clone(),
            records: summary.records.iter().map(|(&k, &n)| (k.to_owned(), n)).collect(),
            html_bytes: summary.html_bytes,
            cut_short: summary.cut_short.clone(),
            chosen: None,
        }
    }
}

impl InputRecord {
    /// Why it was not read to its end, if so.
    pub(crate) fn problem(&self) -> Option<String> {
        Some(format!("{} {}", self.file, self.cut_short.as_ref()?.problem()))
    }
}

/// Counts of a run.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Counts {
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
    /// Sites.
    pub sites: u64,
    /// Articles.
    pub articles: u64,
    /// Of these, articles whose confidence is below `extract.doubtful_below`.
    pub doubtful: u64,
    /// Articles that are the same as others of the crawl, and are marked as that.
    pub duplicates: u64,
    /// Articles by route (`wrapper`, `page-wise`).
    pub articles_by_route: BTreeMap<String, u64>,
    /// Sites by the health of their stored models; empty without a store.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites_by_health: BTreeMap<String, u64>,
    /// The same sites by what was decided about their models.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sites_by_decision: BTreeMap<String, u64>,
    /// Everything left out.
    pub dropped: u64,
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

/// State of a run.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A process is working on it, or was killed.
    Running,
    /// It was stopped, or failed; the same command resumes it.
    Stopped,
    /// Everything is written.
    #[default]
    Complete,
}

impl State {
    /// Its name in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Complete => "complete",
        }
    }
}

/// Phase of a run.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Reading inputs.
    #[default]
    Reading,
    /// Reading the results of an earlier process.
    Resuming,
    /// Learning sites and extracting their articles.
    Learning,
    /// Finishing the outputs.
    Writing,
}

/// Progress of a run that is not complete.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
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
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Ledger {
    /// Format version.
    pub schema: u32,
    /// State of the run.
    pub state: State,
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
    /// What the store of models held when the run had added its night, if it used one ([`modelstore::Store::state`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_state: Option<String>,
    /// SHA-256 of the chosen outputs and their settings.
    pub outputs_hash: String,
    /// The inputs, sorted by name; empty until all are read.
    pub inputs: Vec<InputRecord>,
    /// Counts.
    pub counts: Counts,
    /// Drops by reason.
    pub drops: BTreeMap<String, u64>,
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
    pub progress: Option<Progress>,
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

/// Says that a folder has no ledger: it contains no run, or no finished one (`what`).
pub(crate) fn no_ledger(folder: &Path, what: &str) -> Problem {
    let (what, next) = match std::fs::metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            ("the folder does not exist".to_owned(), "")
        }
        Err(error) => (format!("the folder cannot be read: {error}"), ""),
        Ok(found) if !found.is_dir() => ("is a file, not the folder of a run".to_owned(), ""),
        Ok(_) if folder.join(FILE).exists() => {
            (format!("contains no {what} that this version of sitegrove can read"), "")
        }
        Ok(_) => (format!("contains no {what}"), "`sitegrove run … --out DIR` makes one"),
    };
    Problem::new(folder.display(), what, next)
}

impl Ledger {
    /// The ledger of a run that starts with `jobs` threads.
    pub(crate) fn begin(config: &Config, jobs: usize) -> Self {
        let process = std::process::id();
        Self {
            schema: SCHEMA,
            state: State::Running,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine: config.rank.engine.name().to_owned(),
            terms: terms::Analyzer::version(),
            doubtful_below: config.extract.doubtful_below,
            config_hash: config.hash(),
            settings: config.differences(),
            store_state: None,
            outputs_hash: config.emit.hash(),
            inputs: Vec::new(),
            counts: Counts::default(),
            drops: BTreeMap::new(),
            unreadable: Vec::new(),
            failed_sinks: BTreeMap::new(),
            compared: None,
            last_night: None,
            progress: Some(Progress { process, ..Progress::default() }),
            started: jiff::Timestamp::now().to_string(),
            seconds: 0.0,
            stage_seconds: BTreeMap::new(),
            bytes_read: 0,
            jobs,
            pages_per_second: 0.0,
            html_mb_per_second: 0.0,
            peak_rss_bytes: None,
        }
    }

    /// Notes the inputs that were read, and what is wrong with those that were not.
    pub(crate) fn take_inputs(&mut self, inputs: &[InputRecord], unread: &[String]) {
        self.inputs = inputs.to_vec();
        let cut_short = inputs.iter().filter_map(InputRecord::problem);
        self.unreadable = unread.iter().cloned().chain(cut_short).collect();
    }

    /// Inputs that could not be read, with the reason. The next run may be able to read them, unlike those that are
    /// cut short, which it would read as this one did.
    pub(crate) fn unread(&self) -> &[String] {
        let cut_short = self.inputs.iter().filter(|input| input.cut_short.is_some()).count();
        &self.unreadable[..self.unreadable.len().saturating_sub(cut_short)]
    }

    /// Fills in times and rates.
    pub fn close(&mut self, begun: Instant, clock: &Clock) {
        let seconds = begun.elapsed().as_secs_f64();
        let html: u64 = self.inputs.iter().map(|i| i.html_bytes).sum();
        let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
        self.seconds = rounded(seconds);
        self.stage_seconds = clock.seconds();
        self.pages_per_second = rounded(self.counts.pages as f64 / seconds);
        self.html_mb_per_second = rounded(html as f64 / 1e6 / seconds);
        self.peak_rss_bytes = peak_rss();
    }

    /// The pages that were chosen; all, unless all inputs say otherwise.
    pub(crate) fn selection(&self) -> Selection {
        let first = self.inputs.first().and_then(|input| input.chosen.clone());
        first.unwrap_or_default().pages
    }

    /// Reads the ledger of a run folder, if there is a readable one.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join(FILE)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The ledger of a finished run.
    ///
    /// # Errors
    /// If the folder contains no finished run.
    pub fn of_run(folder: &Path) -> Result<Self> {
        let shown = folder.display();
        let ledger = Self::read(folder).ok_or_else(|| no_ledger(folder, "finished run"))?;
        if ledger.state != State::Complete {
            let next =
                format!("give its command again to resume it, or see `sitegrove status {shown}`");
            anyhow::bail!(Problem::new(shown, "contains an unfinished run", next));
        }
        Ok(ledger)
    }

    /// Drops without records that hold no page (requests, metadata and the like), and without what was not chosen.
    pub fn dropped_pages(&self) -> u64 {
        let others = self.dropped_for(&[DropReason::OtherRecord]) + self.dropped_for(&NOT_CHOSEN);
        self.counts.dropped.saturating_sub(others)
    }

    /// Number of drops for some reasons.
    pub(crate) fn dropped_for(&self, reasons: &[DropReason]) -> u64 {
        reasons.iter().filter_map(|reason| self.drops.get(reason.as_str())).sum()
    }

    /// The contents of `ledger.json`.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// Peak resident memory of this process, from `/proc` (Linux only).
pub fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
