//! Keeps `ledger.json` and the metrics file up to date while a run works.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use errors::error_chain;
use model::{DropReason, Verdict};
use sink::{AtomicFile, Ledger, RunPhase, RunProgress, RunState};
use site::clock::Clock;

use crate::run::ledger::close_ledger;

const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Status<'a> {
    ledger: Mutex<Ledger>,
    clock: &'a Clock,
    /// Bytes of pages spilled to disk.
    written: &'a AtomicU64,
    begun: Instant,
    bytes: AtomicU64,
    /// Folder of the ledger while the run is not complete.
    path: PathBuf,
    metrics: Option<PathBuf>,
    ended: Mutex<bool>,
    bell: Condvar,
}

impl<'a> Status<'a> {
    pub(crate) fn new(
        ledger: Ledger,
        clock: &'a Clock,
        written: &'a AtomicU64,
        path: PathBuf,
        metrics: Option<PathBuf>,
    ) -> Self {
        Self {
            ledger: Mutex::new(ledger),
            clock,
            written,
            begun: Instant::now(),
            bytes: AtomicU64::new(0),
            path,
            metrics,
            ended: Mutex::new(false),
            bell: Condvar::new(),
        }
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn read(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn phase(&self, phase: RunPhase, set: impl FnOnce(&mut RunProgress)) {
        let mut ledger = self.ledger();
        if let Some(progress) = &mut ledger.progress {
            progress.phase = phase;
            set(progress);
        }
    }

    /// The ledger with the current times.
    fn now(&self) -> Ledger {
        let mut ledger = self.ledger().clone();
        close_ledger(&mut ledger, self.begun, self.clock);
        ledger.bytes_read = self.bytes.load(Ordering::Relaxed);
        if let Some(progress) = &mut ledger.progress {
            progress.bytes_read = ledger.bytes_read;
            progress.spool_bytes = self.written.load(Ordering::Relaxed);
            progress.updated = jiff::Timestamp::now().to_string();
        }
        ledger
    }

    pub(crate) fn close(&self) -> Ledger {
        let mut ledger = self.now();
        ledger.state = RunState::Complete;
        ledger.progress = None;
        ledger
    }

    /// Writes the ledger and the metrics. A failure does not stop the run; the files then show an old time.
    pub(crate) fn write(&self, state: RunState) {
        let mut ledger = self.now();
        ledger.state = state;
        if let Err(error) = AtomicFile::write_whole(&self.path, ledger.to_json().as_bytes()) {
            tracing::debug!("{error}");
        }
        self.write_metrics(&ledger);
    }

    pub(crate) fn stopped(&self, why: &anyhow::Error) {
        if let Some(progress) = &mut self.ledger().progress {
            progress.stopped = error_chain(why);
        }
        self.write(RunState::Stopped);
    }

    /// Removes the ledger of a run without results.
    pub(crate) fn forget(&self) {
        // A ledger that cannot be removed does no harm: it says that the run is unfinished.
        let _ = std::fs::remove_file(&self.path);
    }

    pub(crate) fn write_metrics(&self, ledger: &Ledger) {
        let Some(path) = &self.metrics else { return };
        if let Err(error) = AtomicFile::write_whole(path, metrics_text(ledger).as_bytes()) {
            tracing::warn!(at = %path.display(), "{error}");
        }
    }

    /// Runs `work` and writes the status every second.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
                while !*ended {
                    self.write(RunState::Running);
                    let waited = self.bell.wait_timeout(ended, INTERVAL);
                    ended = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            });
            let end = End(self);
            let result = work();
            drop(end);
            result
        })
    }
}

/// Stops the status thread when dropped, even if the work panics.
struct End<'a, 'b>(&'a Status<'b>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.bell.notify_all();
    }
}

/// Folder of the ledger of an unfinished run: the run folder, unless it contains a finished run.
pub(crate) fn place(folder: &Path, state: &Path) -> PathBuf {
    let finished = Ledger::read(folder).is_some_and(|ledger| ledger.state == RunState::Complete);
    let of = if finished { state } else { folder };
    of.join(sink::Ledger::FILE)
}

/// The ledger in Prometheus' text exposition format 0.0.4.
fn metrics_text(ledger: &Ledger) -> String {
    let mut to = Families::default();
    let counts = &ledger.counts;
    let states = [RunState::Running, RunState::Stopped, RunState::Complete];
    let state = states.map(|own| (own.as_str(), f64::from(u8::from(own == ledger.state))));
    to.labelled("run_state", "1 for the state that the run is in.", "state", &state);
    to.of("pages_total", "Pages processed.", counts.pages as f64);
    to.of("sites_total", "Sites processed.", counts.sites as f64);
    to.of("articles_total", "Articles extracted.", counts.articles as f64);
    let help = "Articles whose confidence is below extract.doubtful_below.";
    to.of("doubtful_articles_total", help, counts.doubtful as f64);
    let drops = samples(&ledger.drops);
    to.labelled("dropped_total", "What was left out, by reason.", "reason", &drops);
    let mut copies = DropReason::COPIES.map(|own| sample(&ledger.drops, own.as_str())).to_vec();
    copies.push(("marked", counts.duplicates as f64));
    let help = "Pages dropped as copies of others, by reason, and articles marked as copies.";
    to.labelled("duplicates_total", help, "reason", &copies);
    if !counts.sites_by_health.is_empty() {
        let sites = Verdict::ALL.map(|own| sample(&counts.sites_by_health, own.as_str()));
        let help = "Sites that the store knows, by how they are.";
        to.labelled("sites_by_health", help, "health", &sites);
        let decisions = samples(&counts.sites_by_decision);
        let help = "Sites by what was decided about their stored models.";
        to.labelled("sites_by_decision", help, "decision", &decisions);
    }
    if let Some(usual) = counts.usual_articles {
        let help = "Articles that the usual nights of these sites let expect.";
        to.of("usual_articles", help, usual as f64);
    }
    if let Some(last) = &ledger.last_night {
        let help = "Sites of the night before, as the store of site models has it.";
        to.of("last_night_sites", help, last.sites as f64);
    }
    if let Some(run) = &ledger.compared {
        let help = "Pages of the run that this one is compared with.";
        to.of("earlier_run_pages", help, run.pages as f64);
        to.of("earlier_run_sites", "Sites of that run.", run.sites as f64);
        to.of("earlier_run_articles", "Articles of that run.", run.articles as f64);
        let help = "Doubtful articles of that run.";
        to.of("earlier_run_doubtful_articles", help, run.doubtful as f64);
    }
    let stages = ledger.stage_seconds.iter();
    let stages: Vec<_> = stages.map(|(stage, &seconds)| (stage.as_str(), seconds)).collect();
    to.labelled("stage_seconds_total", "Time by stage, summed over threads.", "stage", &stages);
    to.of("run_seconds", "Wall time of this process.", ledger.seconds);
    if let Ok(started) = ledger.started.parse::<jiff::Timestamp>() {
        let help = "When this process began, in seconds since 1970-01-01 UTC.";
        to.of("run_start_timestamp_seconds", help, started.as_second() as f64);
    }
    let unreadable = ledger.unreadable.len() as f64;
    to.of("unreadable_inputs", "Inputs not read to their end.", unreadable);
    to.of("failed_sinks", "Outputs not written.", ledger.failed_sinks.len() as f64);
    if let Some(peak) = ledger.peak_rss_bytes {
        to.of("peak_memory_bytes", "Most resident memory so far.", peak as f64);
    }
    if let Some(progress) = &ledger.progress {
        to.of("input_bytes", "Bytes of all inputs.", progress.bytes as f64);
        to.of("read_bytes_total", "Bytes of inputs read.", progress.bytes_read as f64);
        to.of("sites_expected", "Sites found, once all is read.", progress.sites as f64);
        to.of("pages_expected", "Pages found, once all is read.", progress.pages as f64);
        to.of("spool_bytes", "Bytes of pages on disk.", progress.spool_bytes as f64);
    }
    to.0
}

/// All numbers by name.
fn samples(of: &BTreeMap<String, u64>) -> Vec<(&str, f64)> {
    of.keys().map(|name| sample(of, name)).collect()
}

fn sample<'a>(of: &BTreeMap<String, u64>, name: &'a str) -> (&'a str, f64) {
    (name, of.get(name).copied().unwrap_or(0) as f64)
}

#[derive(Default)]
struct Families(String);

impl Families {
    fn head(&mut self, name: &str, help: &str) {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        // Writing to memory cannot fail.
        let _ = writeln!(self.0, "# HELP sitegrove_{name} {help}\n# TYPE sitegrove_{name} {kind}");
    }

    /// A family with one sample for each value of a label.
    fn labelled(&mut self, name: &str, help: &str, label: &str, of: &[(&str, f64)]) {
        self.head(name, help);
        for (value, number) in of {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = writeln!(self.0, "sitegrove_{name}{{{label}=\"{value}\"}} {number}");
        }
    }

    /// A family with one sample.
    fn of(&mut self, name: &str, help: &str, number: f64) {
        self.head(name, help);
        let _ = writeln!(self.0, "sitegrove_{name} {number}");
    }
}
