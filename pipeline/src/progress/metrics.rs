//! The ledger as metrics for Prometheus.

use std::fmt::Write as _;

use model::{DropReason, Verdict};
use sink::{EarlierRun, Ledger, RunProgress, RunState};

/// Reasons of drops of pages that are copies of others.
const COPIES: [DropReason; 3] =
    [DropReason::DuplicateUrl, DropReason::DuplicateText, DropReason::DuplicateArticle];

/// The ledger in Prometheus' text exposition format 0.0.4.
pub(crate) fn text(ledger: &Ledger) -> String {
    let mut to = Families::default();
    let counts = &ledger.counts;
    let states = [RunState::Running, RunState::Stopped, RunState::Complete];
    let state = states.map(|own| (own.as_str(), f64::from(u8::from(own == ledger.state))));
    to.labelled("run_state", "gauge", "1 for the state that the run is in.", "state", &state);
    to.one("pages_total", "counter", "Pages processed.", counts.pages);
    to.one("sites_total", "counter", "Sites processed.", counts.sites);
    to.one("articles_total", "counter", "Articles extracted.", counts.articles);
    let help = "Articles whose confidence is below extract.doubtful_below.";
    to.one("doubtful_articles_total", "counter", help, counts.doubtful);
    let drops = ledger.drops.iter().map(|(reason, &n)| (reason.as_str(), n as f64));
    let drops: Vec<(&str, f64)> = drops.collect();
    to.labelled("dropped_total", "counter", "What was left out, by reason.", "reason", &drops);
    let mut copies: Vec<(&str, f64)> = COPIES
        .iter()
        .map(|reason| {
            let name = reason.as_str();
            (name, ledger.drops.get(name).copied().unwrap_or(0) as f64)
        })
        .collect();
    copies.push(("marked", counts.duplicates as f64));
    let help = "Pages dropped as copies of others, by reason, and articles marked as copies.";
    to.labelled("duplicates_total", "counter", help, "reason", &copies);
    if !counts.sites_by_health.is_empty() {
        let sites = Verdict::ALL.map(|own| {
            let name = own.as_str();
            (name, counts.sites_by_health.get(name).copied().unwrap_or(0) as f64)
        });
        let help = "Sites by the health of their stored models.";
        to.labelled("sites_by_health", "gauge", help, "health", &sites);
        let decisions = counts.sites_by_decision.iter();
        let decisions: Vec<(&str, f64)> =
            decisions.map(|(name, &n)| (name.as_str(), n as f64)).collect();
        let help = "Sites by what was decided about their stored models.";
        to.labelled("sites_by_decision", "gauge", help, "decision", &decisions);
    }
    if let Some(last) = &ledger.last_night {
        let help = "Sites of the night before, as the store of site models has it.";
        to.gauge("last_night_sites", help, last.sites as f64);
    }
    if let Some(earlier) = &ledger.compared {
        to.earlier(earlier);
    }
    let stages = ledger.stage_seconds.iter();
    let stages: Vec<(&str, f64)> =
        stages.map(|(stage, &seconds)| (stage.as_str(), seconds)).collect();
    let help = "Time by stage, summed over threads.";
    to.labelled("stage_seconds_total", "counter", help, "stage", &stages);
    to.gauge("run_seconds", "Wall time of this process.", ledger.seconds);
    if let Ok(started) = ledger.started.parse::<jiff::Timestamp>() {
        let help = "When this process began, in seconds since 1970-01-01 UTC.";
        to.gauge("run_start_timestamp_seconds", help, started.as_second() as f64);
    }
    let unreadable = ledger.unreadable.len() as f64;
    to.gauge("unreadable_inputs", "Inputs not read to their end.", unreadable);
    to.gauge("failed_sinks", "Outputs not written.", ledger.failed_sinks.len() as f64);
    if let Some(peak) = ledger.peak_rss_bytes {
        to.gauge("peak_memory_bytes", "Most resident memory so far.", peak as f64);
    }
    if let Some(progress) = &ledger.progress {
        to.progress(progress);
    }
    to.0
}

/// Families of metrics.
#[derive(Default)]
struct Families(String);

impl Families {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to memory cannot fail.
        let _ = writeln!(self.0, "# HELP sitegrove_{name} {help}\n# TYPE sitegrove_{name} {kind}");
    }

    /// A family with one sample for each value of a label.
    fn labelled(&mut self, name: &str, kind: &str, help: &str, label: &str, of: &[(&str, f64)]) {
        self.head(name, kind, help);
        for (value, number) in of {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = writeln!(self.0, "sitegrove_{name}{{{label}=\"{value}\"}} {number}");
        }
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, number: u64) {
        self.head(name, kind, help);
        let _ = writeln!(self.0, "sitegrove_{name} {number}");
    }

    fn gauge(&mut self, name: &str, help: &str, number: f64) {
        self.head(name, "gauge", help);
        let _ = writeln!(self.0, "sitegrove_{name} {number}");
    }

    /// The run that this one is compared with.
    fn earlier(&mut self, run: &EarlierRun) {
        for (name, help, number) in [
            ("earlier_run_pages", "Pages of the run that this one is compared with.", run.pages),
            ("earlier_run_sites", "Sites of that run.", run.sites),
            ("earlier_run_articles", "Articles of that run.", run.articles),
            ("earlier_run_doubtful_articles", "Doubtful articles of that run.", run.doubtful),
        ] {
            self.gauge(name, help, number as f64);
        }
    }

    fn progress(&mut self, progress: &RunProgress) {
        self.gauge("input_bytes", "Bytes of all inputs.", progress.bytes as f64);
        self.one("read_bytes_total", "counter", "Bytes of inputs read.", progress.bytes_read);
        let help = "Sites found, once all is read.";
        self.gauge("sites_expected", help, progress.sites as f64);
        let help = "Pages found, once all is read.";
        self.gauge("pages_expected", help, progress.pages as f64);
        self.gauge("spool_bytes", "Bytes of pages on disk.", progress.spool_bytes as f64);
    }
}
