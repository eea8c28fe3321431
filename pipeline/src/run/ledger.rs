//! Begins and closes the ledger of a run, counts results, and keeps `ledger.json` and the metrics file up to date
//! while the run works.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use config::Config;
use errors::error_chain;
use model::{
    Access, BestWrapper, DAMAGED_MODEL, DropReason, NightFigures, OF_FEEDS, Rights, SiteNight,
    SiteResult, Source, Verdict, add_counts, counts_of,
};
use serde::{Deserialize, Serialize};
use sink::{
    AtomicFile, InputRecord, Ledger, RunCounts, RunPhase, RunProgress, RunState, SiteAlarm,
};
use site::clock::Clock;
use site::texts::{ArticleText, some_texts};

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
        outputs_hash: config.outputs_hash(),
        progress: Some(RunProgress { process, ..RunProgress::default() }),
        started: jiff::Timestamp::now().to_string(),
        jobs,
        ..Ledger::default()
    }
}

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

/// Number of sites whose wrappers are kept, more than a summary shows.
const MOST: usize = 100;

/// Maximum number of sites named for each verdict.
pub(crate) const ALARMS: usize = 10;

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct SiteCounts {
    pub(crate) site: String,
    /// Whether more parts of the site follow.
    pub(crate) more: bool,
    counts: RunCounts,
    /// Figures for the model store, drops included.
    pub(crate) figures: NightFigures,
    /// Some of its texts, if a store knows those of earlier nights.
    pub(crate) texts: Vec<ArticleText>,
    best: Option<BestWrapper>,
}

impl SiteCounts {
    pub(crate) fn of(result: &SiteResult) -> Self {
        let (articles, work) = (&result.articles, &result.work);
        let doubts = articles.iter().filter_map(|article| article.doubt);
        let rights = articles.iter().filter_map(|article| article.rights.as_ref());
        let counts = RunCounts {
            pages: result.pages as u64,
            pages_by_html5ever: work.by_html5ever,
            pages_outgrown: work.outgrown,
            pages_fast_path: work.fast_path,
            pages_judged: work.judged,
            pages_overruled: work.overruled,
            corrections_unmatched: work.unmatched_corrections,
            articles: articles.len() as u64,
            doubtful: articles.iter().filter(|article| article.doubtful).count() as u64,
            dropped: result.drops.len() as u64,
            articles_by_route: counts_of(articles.iter().map(|own| own.route.as_str().to_owned())),
            doubtful_by_reason: counts_of(doubts.map(|doubt| doubt.as_str().to_owned())),
            articles_by_rights: counts_of(
                rights.flat_map(Rights::statements).map(|statement| statement.as_str().to_owned()),
            ),
            ..RunCounts::default()
        };
        let templates = articles.iter().map(|article| article.template.clone());
        let mut figures = NightFigures {
            pages: counts.pages,
            articles: counts.articles,
            templates: counts_of(templates.filter(|template| !template.is_empty())),
            drops: counts_of(result.drops.iter().map(|drop| drop.reason.as_str().to_owned())),
            ..NightFigures::default()
        };
        for article in articles {
            add_article(&mut figures, article.word_count, article.confidence);
            figures.partial += u64::from(article.access == Some(Access::Partial));
            let sources = &article.sources;
            let fields = [
                ("authors", !article.authors.is_empty(), &sources.authors),
                ("published", article.published.is_some(), &sources.published),
                ("title", article.title.is_some(), &sources.title),
            ];
            for (field, _, source) in fields.iter().filter(|(_, is_found, _)| *is_found) {
                *figures.fields.entry((*field).to_owned()).or_default() += 1;
                if source.as_ref().is_some_and(|own| own.source == Source::Feed) {
                    *figures.fields.entry(format!("{OF_FEEDS}{field}")).or_default() += 1;
                }
            }
        }
        let (site, best) = (result.site.clone(), result.best.clone());
        Self { site, more: result.more, counts, figures, texts: some_texts(articles), best }
    }

    pub(crate) fn pages(&self) -> usize {
        self.counts.pages as usize
    }

    pub(crate) fn articles(&self) -> usize {
        self.counts.articles as usize
    }

    /// Sets the number of duplicates, and of articles from which boilerplate was removed.
    pub(crate) fn set_compared(&mut self, duplicates: usize, without_boilerplate: usize) {
        self.counts.duplicates = duplicates as u64;
        self.counts.without_boilerplate = without_boilerplate as u64;
    }
}

/// Adds an article. The summands are rounded to multiples of 2⁻²⁰, so that sums are exact and do not depend on how a site is
/// divided into parts.
fn add_article(figures: &mut NightFigures, words: u32, confidence: f64) {
    const STEPS: f64 = 1_048_576.0;
    let rounded = |value: f64| (value * STEPS).round() / STEPS;
    let length = libm::log(f64::from(words) + 1.0);
    figures.words += u64::from(words);
    figures.lengths[0] += rounded(length);
    figures.lengths[1] += rounded(length * length);
    figures.confidence += rounded(confidence);
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RunTally {
    counts: RunCounts,
    drops: BTreeMap<String, u64>,
    best: Vec<(String, usize, Option<BestWrapper>)>,
    /// Whether more parts of the last site in `best` follow.
    open: bool,
    /// The sites that need attention, by verdict, each with its usual number of articles.
    alarms: BTreeMap<Verdict, Vec<(f64, SiteAlarm)>>,
    /// Usual number of articles of all sites; `None` if none has earlier nights.
    usual_articles: Option<f64>,
}

impl RunTally {
    pub(crate) fn corrected(&mut self, articles: u64, outdated: u64) {
        self.counts.corrected += articles;
        self.counts.corrections_outdated += outdated;
    }

    /// Counts drops that belong to no site.
    pub(crate) fn add_drops(&mut self, reason: &str, n: u64) {
        *self.drops.entry(reason.to_owned()).or_default() += n;
        self.counts.dropped += n;
    }

    /// Counts records that `dropped.jsonl` does not list: those that are not pages, and those that were not chosen.
    pub(crate) fn unlisted(&mut self, other_records: u64, inputs: &[InputRecord]) {
        if other_records > 0 {
            self.add_drops(DropReason::OtherRecord.as_str(), other_records);
        }
        let chosen = inputs.iter().filter_map(|input| input.chosen.as_ref());
        for (reason, n) in chosen.flat_map(|chosen| &chosen.left_out) {
            self.add_drops(reason, *n);
        }
    }

    pub(crate) fn add(&mut self, done: &SiteCounts) {
        add_counts(&mut self.drops, &done.figures.drops);
        let (counts, own) = (&mut self.counts, &done.counts);
        counts.pages += own.pages;
        counts.pages_by_html5ever += own.pages_by_html5ever;
        counts.pages_outgrown += own.pages_outgrown;
        counts.pages_fast_path += own.pages_fast_path;
        counts.pages_judged += own.pages_judged;
        counts.pages_overruled += own.pages_overruled;
        counts.corrections_unmatched += own.corrections_unmatched;
        counts.articles += own.articles;
        counts.duplicates += own.duplicates;
        counts.without_boilerplate += own.without_boilerplate;
        counts.doubtful += own.doubtful;
        counts.dropped += own.dropped;
        add_counts(&mut counts.articles_by_route, &own.articles_by_route);
        add_counts(&mut counts.articles_by_rights, &own.articles_by_rights);
        add_counts(&mut counts.doubtful_by_reason, &own.doubtful_by_reason);
        match self.best.last_mut() {
            Some((_, articles, best)) if self.open => {
                *articles += own.articles as usize;
                let given = |of: &Option<BestWrapper>| of.as_ref().map_or(0, |best| best.articles);
                if given(&done.best) > given(best) {
                    best.clone_from(&done.best);
                }
            }
            _ => {
                counts.sites += 1;
                self.best.push((done.site.clone(), own.articles as usize, done.best.clone()));
            }
        }
        self.open = done.more;
        if self.best.len() > 2 * MOST && !self.open {
            self.sort();
            self.best.truncate(MOST);
        }
    }

    pub(crate) fn night(&mut self, night: &SiteNight) {
        let health = &night.health;
        let counts = &mut self.counts;
        *counts.sites_by_health.entry(health.verdict.as_str().to_owned()).or_default() += 1;
        *counts.sites_by_decision.entry(night.decision.clone()).or_default() += 1;
        counts.models_damaged += u64::from(night.reason.starts_with(DAMAGED_MODEL));
        let usual = night.usual.as_ref().map(|usual| usual.articles);
        if let Some(usual) = usual {
            *self.usual_articles.get_or_insert(0.0) += usual;
        }
        if health.verdict.needs_attention() {
            let alarm = SiteAlarm { site: night.site.clone(), health: health.clone() };
            let of_verdict = self.alarms.entry(health.verdict).or_default();
            of_verdict.push((usual.unwrap_or(0.0), alarm));
            of_verdict.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.site.cmp(&b.1.site)));
            of_verdict.truncate(ALARMS);
        }
    }

    fn sort(&mut self) {
        self.best.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }

    pub(crate) fn show(&self, ledger: &mut Ledger) {
        let RunCounts { feed_items, feed_items_elsewhere, .. } = ledger.counts;
        let usual_articles = self.usual_articles.map(|usual| usual.round() as u64);
        ledger.counts =
            RunCounts { feed_items, feed_items_elsewhere, usual_articles, ..self.counts.clone() };
        let alarms = self.alarms.values().rev().flatten();
        ledger.attention = alarms.map(|(_, alarm)| alarm.clone()).collect();
        ledger.drops.clone_from(&self.drops);
    }

    /// The sites with the most articles in descending order, with their number of articles and best wrapper.
    pub(crate) fn into_best(mut self) -> Vec<(String, usize, Option<BestWrapper>)> {
        self.sort();
        self.best.truncate(MOST);
        self.best
    }
}

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn figures_are_the_same_however_a_site_is_divided(
            articles in prop::collection::vec((0..50_000_u32, 0.0..1.0_f64), 1..200),
            size in 1..40_usize,
        ) {
            let figures = |articles: &[(u32, f64)]| {
                let mut figures = NightFigures::default();
                articles.iter().for_each(|own| add_article(&mut figures, own.0, own.1));
                figures
            };
            let mut of_parts = NightFigures::default();
            articles.chunks(size).for_each(|part| of_parts.add(&figures(part)));
            prop_assert_eq!(of_parts, figures(&articles));
        }
    }
}
