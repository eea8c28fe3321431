//! Begins and closes the ledger of a run, and measures the time that its parts take.

use std::collections::BTreeMap;
use std::time::Instant;

use config::Config;
use input::reader::Timer;
use model::{BestWrapper, Drop, DropReason, PageWork, Route, SiteResult, Verdict};
use serde::{Deserialize, Serialize};
use sink::{InputRecord, Ledger, RunCounts, RunProgress, RunState};
use sitemodel::{Meter, Step};

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

/// Number of sites whose wrappers are kept: more than a summary shows.
const MOST: usize = 100;

/// The counts of a site, or of a part of it.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct SiteCounts {
    pub(crate) site: String,
    /// Whether it is a part, and more of the site follows.
    pub(crate) more: bool,
    pub(crate) pages: usize,
    articles: usize,
    duplicates: usize,
    doubtful: usize,
    work: PageWork,
    by_route: BTreeMap<Route, u64>,
    drops: BTreeMap<DropReason, u64>,
    best: Option<BestWrapper>,
    /// How its stored model fares, and what was decided about it.
    model: Option<(Verdict, String)>,
}

impl SiteCounts {
    /// Counts a result.
    pub(crate) fn of(result: &SiteResult) -> Self {
        let mut by_route = BTreeMap::new();
        for article in &result.articles {
            *by_route.entry(article.route).or_default() += 1;
        }
        let mut drops = BTreeMap::new();
        for drop in &result.drops {
            *drops.entry(drop.reason).or_default() += 1;
        }
        Self {
            site: result.site.clone(),
            more: result.more,
            pages: result.pages,
            articles: result.articles.len(),
            duplicates: result.articles.iter().filter(|of| of.duplicate_of.is_some()).count(),
            doubtful: result.articles.iter().filter(|article| article.doubtful).count(),
            work: result.work,
            by_route,
            drops,
            best: result.best.clone(),
            model: result.night.as_ref().map(|night| (night.verdict, night.decision.clone())),
        }
    }
}

/// The counts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunTally {
    counts: RunCounts,
    drops: BTreeMap<String, u64>,
    best: Vec<(String, usize, Option<BestWrapper>)>,
    /// Whether more parts follow of the last site in `best`.
    open: bool,
}

impl RunTally {
    /// Counts a drop that belongs to no site.
    pub(crate) fn drop(&mut self, drop: &Drop) {
        self.drops(drop.reason, 1);
    }

    fn drops(&mut self, reason: DropReason, n: u64) {
        *self.drops.entry(reason.as_str().to_owned()).or_default() += n;
        self.counts.dropped += n;
    }

    /// Counts the records that are not listed: they are many and no pages.
    pub(crate) fn other_records(&mut self, records: u64) {
        if records > 0 {
            self.drops(DropReason::OtherRecord, records);
        }
    }

    /// Counts the records of inputs that were not chosen: they are not listed either.
    pub(crate) fn left_out(&mut self, inputs: &[InputRecord]) {
        let chosen = inputs.iter().filter_map(|input| input.chosen.as_ref());
        for (reason, n) in chosen.flat_map(|chosen| &chosen.left_out) {
            *self.drops.entry(reason.clone()).or_default() += n;
            self.counts.dropped += n;
        }
    }

    /// Adds the counts of a site, or of a part of it.
    pub(crate) fn add(&mut self, done: &SiteCounts) {
        for (&reason, &n) in &done.drops {
            self.drops(reason, n);
        }
        let counts = &mut self.counts;
        counts.pages += done.pages as u64;
        counts.pages_by_html5ever += done.work.by_html5ever;
        counts.pages_outgrown += done.work.outgrown;
        counts.pages_fast_path += done.work.fast_path;
        counts.pages_judged += done.work.judged;
        counts.pages_overruled += done.work.overruled;
        counts.articles += done.articles as u64;
        counts.duplicates += done.duplicates as u64;
        counts.doubtful += done.doubtful as u64;
        for (&route, n) in &done.by_route {
            *counts.articles_by_route.entry(route.as_str().to_owned()).or_default() += n;
        }
        if let Some((verdict, decision)) = &done.model {
            *counts.sites_by_health.entry(verdict.as_str().to_owned()).or_default() += 1;
            *counts.sites_by_decision.entry(decision.clone()).or_default() += 1;
        }
        match self.best.last_mut() {
            Some((_, articles, best)) if self.open => {
                *articles += done.articles;
                let given = |of: &Option<BestWrapper>| of.as_ref().map_or(0, |best| best.articles);
                if given(&done.best) > given(best) {
                    best.clone_from(&done.best);
                }
            }
            _ => {
                counts.sites += 1;
                self.best.push((done.site.clone(), done.articles, done.best.clone()));
            }
        }
        self.open = done.more;
        if self.best.len() > 2 * MOST && !self.open {
            self.sort();
            self.best.truncate(MOST);
        }
    }

    fn sort(&mut self) {
        self.best.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }

    /// Writes the counts to the ledger.
    pub(crate) fn show(&self, ledger: &mut Ledger) {
        let RunCounts { feed_items, feed_items_elsewhere, .. } = ledger.counts;
        ledger.counts = RunCounts { feed_items, feed_items_elsewhere, ..self.counts.clone() };
        ledger.drops.clone_from(&self.drops);
    }

    /// The sites with the most articles, most first, with their number of articles and best wrapper.
    pub(crate) fn into_best(mut self) -> Vec<(String, usize, Option<BestWrapper>)> {
        self.sort();
        self.best.truncate(MOST);
        self.best
    }
}
