//! A whole run: the only place that knows order, threads, disk and panics.
//!
//! read → group → for each site in parallel: cluster → signify → rank → wrap → extract → emit.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use model::{Drop, DropReason, Site};
use rayon::prelude::*;
use sink::{AtomicFile, BestWrapper, SiteResult};

use crate::config::Config;
use crate::inputs::{Input, expand};
use crate::ledger::{Clock, Counts, FILE, InputRecord, Ledger, SCHEMA};
use crate::report;
use crate::revisits::{Payload, resolve};
use crate::sinks::SinkName;
use crate::site::process;
use crate::stages::emit::{Outputs, Rendered, Renderers};
use crate::stages::group::{Grouped, group};
use crate::stages::read::{InputSummary, Intake, read};

/// Who is told how far a run is. All methods are called from many threads.
pub trait Observer: Sync {
    /// Reading begins: this many files and bytes.
    fn reading(&self, _files: usize, _bytes: u64) {}
    /// So many bytes more were read.
    fn read(&self, _bytes: u64) {}
    /// Sites are processed from here on: this many, with so many pages.
    fn processing(&self, _sites: usize, _pages: usize) {}
    /// A site is done.
    fn site_done(&self, _site: &str, _pages: usize) {}
}

/// An observer that looks away.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {}

/// What a run gave.
#[derive(Debug)]
pub struct Report {
    /// The books.
    pub ledger: Ledger,
    /// Per site (in order of its articles, most first) its best wrapper.
    pub best: Vec<(String, usize, Option<BestWrapper>)>,
}

/// Why a run stopped before its end.
#[derive(Debug, thiserror::Error)]
#[error("stopped; nothing was written to the run folder")]
pub struct Stopped;

/// Runs the pipeline. Give it all settings, whether an earlier, different run in the output folder
/// may be replaced, a flag that stops it, and someone to tell of progress.
///
/// # Errors
/// Before any work: inputs that are not there, an output folder that holds something else. Later:
/// outputs that cannot be written, and [`Stopped`]. Inputs that turn out unreadable on the way are
/// named in the ledger; the run goes on without their rest.
pub fn run(
    config: &Config,
    overwrite: bool,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report> {
    let begun = Instant::now();
    let started = jiff::Timestamp::now();
    config.emit.check(&config.run.out)?;
    let inputs = expand(&config.run.inputs, &config.run.feeds)?;
    if inputs.is_empty() {
        bail!("no inputs: name WARC files, HTML files or folders, or set run.inputs");
    }
    let sizes = sizes_of(&inputs)?;
    claim(&config.run.out, config, &inputs, &sizes, overwrite)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(config.run.jobs)
        .build()
        .context("cannot start threads")?;
    let clock = Clock::default();
    let mut outcome =
        pool.install(|| run_in_pool(config, &inputs, &sizes, stop, observer, &clock))?;
    let ledger = &mut outcome.ledger;
    ledger.jobs = pool.current_num_threads();
    ledger.started = started.to_string();
    ledger.close(begun, &clock);
    draw_report(config, ledger)?;
    AtomicFile::write_whole(&config.run.out.join(FILE), ledger.to_json().as_bytes())?;
    Ok(outcome)
}

/// Draws the report, if it is among the outputs and its figures are whole. It shows the run's times,
/// so it comes after all that is timed; only the ledger, which says that the run is complete, is later.
fn draw_report(config: &Config, ledger: &mut Ledger) -> Result<()> {
    let name = SinkName::Report;
    let chosen = config.emit.chosen();
    if !chosen.contains(&name) || ledger.failed_sinks.contains_key(name.as_str()) {
        return Ok(());
    }
    if let Err(error) = report::write(&config.run.out, ledger) {
        if ledger.failed_sinks.len() + 1 == chosen.len() {
            return Err(error);
        }
        ledger.failed_sinks.insert(name.as_str().to_owned(), format!("{error:#}"));
    }
    Ok(())
}

fn sizes_of(inputs: &[Input]) -> Result<Vec<u64>> {
    let size = |input: &Input| {
        let path = input.path();
        if input.is_stdin() {
            return Ok(0);
        }
        // Opened, not just looked at: a file that may not be read is an error before any work.
        let file =
            fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(file.metadata().map_or(0, |m| m.len()))
    };
    inputs.iter().map(size).collect()
}

/// Makes sure that the output folder may be written to: it is absent, empty, holds an earlier run
/// of the same files and settings, or may be overwritten.
fn claim(
    folder: &Path,
    config: &Config,
    inputs: &[Input],
    sizes: &[u64],
    overwrite: bool,
) -> Result<()> {
    let shown = folder.display();
    if folder.is_file() {
        bail!("the output folder {shown} is a file; choose another with --out");
    }
    if holds_files(folder) && !overwrite {
        let same = Ledger::read(folder).map(|ledger| {
            let before: BTreeMap<&str, u64> =
                ledger.inputs.iter().map(|i| (i.file.as_str(), i.bytes)).collect();
            let names: Vec<_> = inputs.iter().map(|i| i.path().to_string_lossy()).collect();
            let now: BTreeMap<&str, u64> =
                names.iter().map(AsRef::as_ref).zip(sizes.iter().copied()).collect();
            ledger.config_hash == config.hash() && before == now
        });
        match same {
            Some(true) => {}
            Some(false) => bail!(
                "the output folder {shown} holds a run of other inputs or settings; \
                 choose another with --out, or replace it with --overwrite"
            ),
            None => bail!(
                "the output folder {shown} is not empty and holds no finished run; \
                 choose another with --out, or write into it with --overwrite"
            ),
        }
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create the output folder {shown}"))
}

/// Whether a folder holds more than a stopped run leaves: unfinished files, and the folders of
/// wrappers and the report with nothing else in them. An archive of articles, with its log, is of no
/// single run: it is added to, never replaced.
fn holds_files(folder: &Path) -> bool {
    let counts = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let ours = name == "wrappers" || name == "site-config" || name == report::FOLDER;
        if ours && entry.path().is_dir() {
            holds_files(&entry.path())
        } else {
            let name = name.to_string_lossy();
            !name.ends_with(".partial") && !name.starts_with(SinkName::Sqlite.files()[0])
        }
    };
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(counts))
}

fn run_in_pool(
    config: &Config,
    inputs: &[Input],
    sizes: &[u64],
    stop: &AtomicBool,
    observer: &dyn Observer,
    clock: &Clock,
) -> Result<Report> {
    observer.reading(inputs.len(), sizes.iter().sum());
    let (summaries, intakes, unreadable) = read_all(config, inputs, stop, observer, clock);
    if stop.load(Ordering::Relaxed) {
        bail!(Stopped);
    }
    let grouped = clock.group.time(|| group(intakes, &config.group));
    observer.processing(grouped.sites.len(), grouped.sites.iter().map(|s| s.pages.len()).sum());
    let mut tally = Tally::default();
    tally.drops(&grouped.drops);

    let mut outputs = Outputs::create(&config.run.out, config)?;
    let renderers = outputs.renderers();
    outputs.emit_drops(&grouped.drops)?;
    process_in_order(&grouped.sites, config, &renderers, stop, clock, |done| {
        observer.site_done(&done.site, done.pages);
        tally.add(done);
        clock.emit.time(|| outputs.emit(&done.rendered)).map_err(Into::into)
    })?;
    let failed = clock.emit.time(|| outputs.finish())?;

    tally.other_records(&summaries);
    let mut ledger = ledger_of(config, &summaries, unreadable, &grouped, tally.counts, tally.drops);
    ledger.failed_sinks = failed;
    let mut best = tally.best;
    best.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(Report { ledger, best })
}

/// Reads all inputs, files in parallel, and resolves the revisits in them.
pub(crate) fn read_all(
    config: &Config,
    inputs: &[Input],
    stop: &AtomicBool,
    observer: &dyn Observer,
    clock: &Clock,
) -> (Vec<InputSummary>, Vec<Intake>, Vec<String>) {
    let progress = |bytes| observer.read(bytes);
    let results: Vec<_> = inputs
        .par_iter()
        .map(|input| {
            let mut intakes = Vec::new();
            let mut sink = |intake| intakes.push(intake);
            let summary = clock.read.time(|| read(input, &config.read, &progress, stop, &mut sink));
            (summary, intakes)
        })
        .collect();
    let (mut summaries, mut intakes, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    let mut payloads = Vec::new();
    for (summary, of_input) in results {
        let before = intakes.len();
        intakes.extend(of_input);
        match summary {
            Ok(mut summary) => {
                let of_file = std::mem::take(&mut summary.payloads).into_iter();
                payloads.extend(of_file.map(|p| Payload { place: before + p.place, ..p }));
                summaries.push(summary);
            }
            Err(error) => unreadable.push(error.to_string()),
        }
    }
    resolve(&mut intakes, &payloads);
    (summaries, intakes, unreadable)
}

/// Processes sites in parallel and hands the results over in order. Threads take the next site in
/// turn, and at most a few finished ones wait for an earlier one, so memory stays bounded.
fn process_in_order(
    sites: &[Site],
    config: &Config,
    renderers: &Renderers,
    stop: &AtomicBool,
    clock: &Clock,
    mut take: impl FnMut(&Done) -> Result<()> + Send,
) -> Result<()> {
    let threads = rayon::current_num_threads();
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let waiting: Mutex<Waiting<'_>> =
        Mutex::new(Waiting { done: BTreeMap::new(), next: 0, take: &mut take, error: None });
    rayon::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|_| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let halted = stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
                    let Some(site) = sites.get(index).filter(|_| !halted) else { break };
                    let result = process(site, config, clock);
                    let done = Done::new(result, site.pages.len(), renderers, clock);
                    let mut waiting = match waiting.lock() {
                        Ok(waiting) => waiting,
                        Err(poisoned) => poisoned.into_inner(),
                    };
                    waiting.deliver(index, done);
                    if waiting.error.is_some() {
                        failed.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let waiting = waiting.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    match waiting.error {
        Some(error) => Err(error),
        None if stop.load(Ordering::Relaxed) => bail!(Stopped),
        None => Ok(()),
    }
}

/// What is left of a site once it is processed: its bytes, and what is counted.
struct Done {
    site: String,
    pages: usize,
    articles: usize,
    by_route: BTreeMap<&'static str, u64>,
    drops: BTreeMap<DropReason, u64>,
    best: Option<BestWrapper>,
    rendered: Rendered,
}

impl Done {
    fn new(result: SiteResult, pages: usize, renderers: &Renderers, clock: &Clock) -> Self {
        let mut by_route = BTreeMap::new();
        for article in &result.articles {
            *by_route.entry(article.route.as_str()).or_default() += 1;
        }
        let mut drops = BTreeMap::new();
        for drop in &result.drops {
            *drops.entry(drop.reason).or_default() += 1;
        }
        Self {
            site: result.site.clone(),
            pages,
            articles: result.articles.len(),
            by_route,
            drops,
            best: result.best.clone(),
            rendered: clock.emit.time(|| renderers.render(result)),
        }
    }
}

/// Results that wait for those of earlier sites.
struct Waiting<'a> {
    done: BTreeMap<usize, Done>,
    next: usize,
    take: &'a mut (dyn FnMut(&Done) -> Result<()> + Send),
    error: Option<anyhow::Error>,
}

impl Waiting<'_> {
    fn deliver(&mut self, index: usize, done: Done) {
        self.done.insert(index, done);
        while let Some(done) = self.done.remove(&self.next) {
            self.next += 1;
            if self.error.is_none()
                && let Err(error) = (self.take)(&done)
            {
                self.error = Some(error);
            }
        }
    }
}

/// What is counted while results come in.
#[derive(Default)]
struct Tally {
    counts: Counts,
    drops: BTreeMap<String, u64>,
    best: Vec<(String, usize, Option<BestWrapper>)>,
}

impl Tally {
    fn drops(&mut self, drops: &[Drop]) {
        for drop in drops {
            *self.drops.entry(drop.reason.as_str().to_owned()).or_default() += 1;
            self.counts.dropped += 1;
        }
    }

    /// Counts the records that are listed nowhere: they are many and hold no page.
    fn other_records(&mut self, summaries: &[InputSummary]) {
        let others: u64 = summaries.iter().map(|summary| summary.other_records).sum();
        if others > 0 {
            self.drops.insert(DropReason::OtherRecord.as_str().to_owned(), others);
            self.counts.dropped += others;
        }
    }

    fn add(&mut self, done: &Done) {
        for (reason, n) in &done.drops {
            *self.drops.entry(reason.as_str().to_owned()).or_default() += n;
            self.counts.dropped += n;
        }
        self.counts.articles += done.articles as u64;
        for (&route, n) in &done.by_route {
            *self.counts.articles_by_route.entry(route.to_owned()).or_default() += n;
        }
        self.best.push((done.site.clone(), done.articles, done.best.clone()));
    }
}

fn ledger_of(
    config: &Config,
    summaries: &[InputSummary],
    unreadable: Vec<String>,
    grouped: &Grouped,
    counts: Counts,
    drops: BTreeMap<String, u64>,
) -> Ledger {
    let pages = grouped.sites.iter().map(|s| s.pages.len() as u64).sum();
    let feed_items = grouped.sites.iter().map(|s| s.feed_items.len() as u64).sum();
    let mut inputs: Vec<InputRecord> = summaries.iter().map(InputRecord::from).collect();
    inputs.sort_by(|a, b| a.file.cmp(&b.file));
    Ledger {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine: config.rank.engine.name().to_owned(),
        terms: terms::Analyzer::version(),
        config_hash: config.hash(),
        inputs,
        counts: Counts {
            pages,
            feed_items,
            feed_items_elsewhere: grouped.strangers,
            sites: grouped.sites.len() as u64,
            ..counts
        },
        drops,
        unreadable,
        failed_sinks: BTreeMap::new(),
        started: String::new(),
        seconds: 0.0,
        stage_seconds: BTreeMap::new(),
        jobs: 0,
        pages_per_second: 0.0,
        html_mb_per_second: 0.0,
        peak_rss_bytes: None,
    }
}
