//! Begins and closes the ledger of a run, and measures the time that its parts take.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use sink::{InputRecord, Ledger, RunCounts, RunProgress, RunState};
use sitemodel::{Meter, ModelStep};

use crate::config::Config;
use crate::stages::read::InputSummary;

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
    fn measure(&self, step: ModelStep, work: &mut dyn FnMut()) {
        let timer = match step {
            ModelStep::Parse => &self.parse,
            ModelStep::Cluster => &self.cluster,
            ModelStep::Signify => &self.signify,
            ModelStep::Rank => &self.rank,
            ModelStep::Wrap => &self.wrap,
            ModelStep::Extract => &self.extract,
        };
        timer.time(work);
    }
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

/// The ledger of a run that starts with `jobs` threads.
pub(crate) fn begin_ledger(config: &Config, jobs: usize) -> Ledger {
    let process = std::process::id();
    Ledger {
        schema: Ledger::SCHEMA,
        state: RunState::Running,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine: config.rank.engine.name().to_owned(),
        terms: terms::Analyzer::version(),
        doubtful_below: config.extract.doubtful_below,
        config_hash: config.hash(),
        settings: config.differences(),
        store_state: None,
        outputs_hash: config.emit.hash(),
        inputs: Vec::new(),
        counts: RunCounts::default(),
        drops: BTreeMap::new(),
        unreadable: Vec::new(),
        failed_sinks: BTreeMap::new(),
        compared: None,
        last_night: None,
        progress: Some(RunProgress { process, ..RunProgress::default() }),
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

/// Fills in times and rates.
pub(crate) fn close_ledger(ledger: &mut Ledger, begun: Instant, clock: &Clock) {
    let seconds = begun.elapsed().as_secs_f64();
    let html: u64 = ledger.inputs.iter().map(|i| i.html_bytes).sum();
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    ledger.seconds = rounded(seconds);
    ledger.stage_seconds = clock.seconds();
    ledger.pages_per_second = rounded(ledger.counts.pages as f64 / seconds);
    ledger.html_mb_per_second = rounded(html as f64 / 1e6 / seconds);
    ledger.peak_rss_bytes = peak_rss();
}

/// Peak resident memory of this process, from `/proc` (Linux only).
fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
