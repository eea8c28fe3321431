//! A whole run: the only place that knows order, threads, disk and panics.
//!
//! read → group → for each site in parallel: cluster → signify → rank → wrap → extract → emit.

mod reading;
mod replaying;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail, ensure};
use model::Drop;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sink::{AtomicFile, BestWrapper};

use crate::causes::told;
use crate::config::Config;
use crate::inputs::{Input, expand};
use crate::ledger::{Clock, FILE, Ledger, Phase};
use crate::memory::Shares;
use crate::report;
use crate::revisits::resolve;
use crate::scale::catalogue::{Complete, boot};
use crate::scale::folder::{COMPLETE, Claim, Identity, RunFolder, state_error};
use crate::scale::gather::{Gathered, Totals, each_site};
use crate::scale::pulse::{Pulse, place};
use crate::scale::schedule::{Crew, Done, Task};
use crate::scale::spool::Spool;
use crate::sinks::SinkName;
use crate::stages::emit::{Outputs, Rendered};
use crate::stages::read::{InputSummary, Intake, Source, read};
use crate::tally::{Counted, Tally};

/// Who is told how far a run is. All methods are called from many threads.
pub trait Observer: Sync + std::fmt::Debug {
    /// Reading begins: this many files and bytes.
    fn reading(&self, _files: usize, _bytes: u64) {}
    /// So many bytes more were read.
    fn read(&self, _bytes: u64) {}
    /// Sites are processed from here on: this many, with so many pages.
    fn processing(&self, _sites: usize, _pages: usize) {}
    /// A site, or a part of a very large one, is done.
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
    /// Of the sites with the most articles, most first, the best wrapper.
    pub best: Vec<(String, usize, Option<BestWrapper>)>,
    /// Whether the folder held this very run before, so that nothing was done.
    pub nothing_to_do: bool,
}

/// Why a run stopped before its end.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// There was nothing to keep.
    #[error("stopped; nothing was written")]
    Empty,
    /// What was done is kept: how much that is.
    #[error("stopped {0}; the same command goes on from there")]
    Kept(String),
}

/// Runs the pipeline, or goes on with it where an earlier process left it. Give it all settings, whether an
/// earlier, different run in the output folder may be replaced, a flag that stops it, and someone to tell of
/// progress.
///
/// # Errors
/// Before any work: inputs that are not there, an output folder that holds something else or that another
/// process writes to, too little disk for pages that do not fit into memory. Later: outputs that cannot be
/// written, and [`Stopped`]; then what was done is kept for the next run. Inputs that turn out unreadable on
/// the way are named in the ledger; the run goes on without their rest.
pub fn run(
    config: &Config,
    overwrite: bool,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report> {
    let clock = Clock::default();
    config.emit.check(&config.run.out)?;
    let budget = config.run.budget()?;
    let inputs = expand(&config.run.inputs, &config.run.feeds)?;
    if inputs.is_empty() {
        bail!("no inputs: name WARC files, HTML files or folders, or set run.inputs");
    }
    let identity = Identity::of(config, &inputs)?;
    let (folder, resumes) = match RunFolder::claim(config, &identity, overwrite)? {
        Claim::Begin(folder) => (folder, false),
        Claim::GoOn(folder) => (folder, true),
        Claim::Done(ledger) => {
            return Ok(Report { ledger: *ledger, best: Vec::new(), nothing_to_do: true });
        }
    };
    let pool = ThreadPoolBuilder::new().num_threads(config.run.jobs).build();
    let pool = pool.context("cannot start threads")?;
    let shares = Shares::of(budget, pool.current_num_threads(), config.read.most_memory());
    let spool_at = folder.spool(&config.run.spool);
    let complete = resumes.then(|| on_disk(&spool_at)).flatten();
    let spool = match &complete {
        Some(_) => Spool::reopen(&spool_at),
        None => Spool::new(&spool_at, shares.waiting),
    };
    let mut ledger = Ledger::begin(config, pool.current_num_threads());
    if let Some(progress) = &mut ledger.progress {
        progress.bytes = identity.bytes();
    }
    let metrics = &config.run.metrics;
    let metrics = (!metrics.as_os_str().is_empty()).then(|| metrics.clone());
    let told_at = place(folder.path(), &folder.state());
    let pulse = Pulse::new(ledger, &clock, &spool, told_at, metrics);
    let whole = Whole {
        config,
        inputs: &inputs,
        identity: &identity,
        folder: &folder,
        spool: &spool,
        spool_at: &spool_at,
        pool: &pool,
        shares,
        clock: &clock,
        pulse: &pulse,
        stop,
        observer,
    };
    let outcome = pulse.during(|| whole.run(complete));
    let tally = match outcome {
        Ok(tally) => tally,
        Err(error) if matches!(error.downcast_ref(), Some(Stopped::Empty)) => {
            pulse.forget();
            drop(std::fs::remove_dir_all(&spool_at));
            folder.finish()?;
            return Err(error);
        }
        Err(error) => {
            pulse.stopped(&error);
            return Err(error);
        }
    };
    let mut ledger = pulse.close();
    draw_report(config, &mut ledger).inspect_err(|error| pulse.stopped(error))?;
    AtomicFile::write_whole(&config.run.out.join(FILE), ledger.to_json().as_bytes())?;
    pulse.tell_metrics(&ledger);
    drop(spool_at.exists().then(|| std::fs::remove_dir_all(&spool_at)));
    // What a failed output still needs is kept: the next run writes it from the journal.
    if ledger.failed_sinks.is_empty() || !ledger.unreadable.is_empty() {
        folder.finish()?;
    }
    Ok(Report { ledger, best: tally.into_best(), nothing_to_do: false })
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
        ledger.failed_sinks.insert(name.as_str().to_owned(), told(&error));
    }
    Ok(())
}

/// What was read before, if all of it is on disk: the machine has not gone down since.
fn on_disk(spool: &Path) -> Option<Complete> {
    let text = std::fs::read(spool.join(COMPLETE)).ok()?;
    serde_json::from_slice(&text).ok().filter(|complete: &Complete| complete.boot == boot())
}

/// What there is to work on, once all is read.
#[derive(Debug)]
struct Taken {
    complete: Complete,
    gathered: Gathered,
    /// Number of the first site whose pages are here: those before are done.
    first: usize,
}

/// A run with everything it needs.
#[derive(Debug)]
struct Whole<'a> {
    config: &'a Config,
    inputs: &'a [Input],
    identity: &'a Identity,
    folder: &'a RunFolder,
    spool: &'a Spool,
    spool_at: &'a Path,
    pool: &'a ThreadPool,
    shares: Shares,
    clock: &'a Clock,
    pulse: &'a Pulse<'a>,
    stop: &'a AtomicBool,
    observer: &'a dyn Observer,
}

impl Whole<'_> {
    /// Reads, or takes what was read before; then processes all sites and finishes the outputs.
    fn run(&self, complete: Option<Complete>) -> Result<Tally> {
        let taken_up = match complete {
            Some(complete) => {
                let gathered = Gathered::reopen(self.spool_at, complete.totals);
                Some(Taken { complete, gathered, first: 0 })
            }
            None => self.take_up()?,
        };
        let Taken { complete, gathered, first } = taken_up.map_or_else(|| self.read(), Ok)?;
        {
            let mut ledger = self.pulse.ledger();
            ledger.inputs.clone_from(&complete.inputs);
            ledger.unreadable.clone_from(&complete.unreadable);
            ledger.counts.feed_items = complete.totals.items;
            ledger.counts.feed_items_elsewhere = complete.totals.strangers;
        }
        let Totals { sites, pages, .. } = complete.totals;
        self.pulse.phase(Phase::Resuming, |progress| {
            (progress.sites, progress.pages) = (sites as u64, pages);
        });
        self.observer.processing(sites, pages as usize);
        let mut tally = Tally::default();
        let mut outputs = Outputs::create(&self.config.run.out, self.config)?;
        let Gathered { drops, items, .. } = gathered;
        let mut items = items.finish().map_err(|e| self.spool_error(e))?;
        let mut drops = drops.finish().map_err(|e| self.spool_error(e))?;
        loop {
            let some = drops.by_ref().take(DROPS_AT_ONCE).map(|drop| Ok(drop?.0));
            let some: Vec<Drop> =
                some.collect::<io::Result<_>>().map_err(|e| self.spool_error(e))?;
            if some.is_empty() {
                break;
            }
            some.iter().for_each(|drop| tally.drop(drop));
            outputs.emit_drops(&some)?;
        }
        tally.other_records(complete.other_records);
        self.folder.of_what_was_read(&complete.digest())?;
        let (mut journal, done) = self.replay(&mut outputs, &mut tally)?;
        // Pages of the sites before are not here.
        ensure!(done.0 >= first, "{} changed meanwhile", self.folder.journal().display());
        self.pulse.phase(Phase::Learning, |progress| progress.sites_resumed = done.0 as u64);
        let crew = Crew {
            config: self.config,
            spool: self.spool,
            renderers: outputs.renderers(),
            clock: self.clock,
            stop: self.stop,
            together: self.pool,
            shares: self.shares,
        };
        let mut index = first;
        let list = |hand: &mut dyn FnMut(Task) -> ControlFlow<()>| {
            each_site(self.spool, &mut items, &mut |mut site| {
                let at = index;
                index += 1;
                if at < done.0 {
                    return Ok(ControlFlow::Continue(()));
                }
                if site.weight() <= self.shares.beside {
                    // Workers need not wait for the disk.
                    self.spool.fetch(&mut site.pages)?;
                }
                Ok(hand(Task { index: at, done: if at == done.0 { done.1 } else { 0 }, site }))
            })
        };
        let path = self.folder.journal();
        let mut sites_done = done.0;
        let worked = crew.work(list, done, |site: Done| {
            journal.add(&site.frame).map_err(|e| state_error("cannot write", &path, e))?;
            sites_done = site.heading.next().0;
            self.take(&site.heading.counted, site.rendered, &mut outputs, &mut tally)
        });
        let kept = || format!("{sites_done} of {sites} sites are done and kept");
        worked.with_context(|| {
            format!("{}; once the cause is gone, the same command goes on from there", kept())
        })?;
        if self.stop.load(Ordering::Relaxed) {
            outputs.keep();
            bail!(Stopped::Kept(format!("after {sites_done} of {sites} sites")));
        }
        self.pulse.phase(Phase::Writing, |_| ());
        let failed = self.clock.emit.time(|| outputs.finish())?;
        self.pulse.ledger().failed_sinks = failed;
        tally.show(&mut self.pulse.ledger());
        Ok(tally)
    }

    /// Counts and writes what came of a site.
    fn take(
        &self,
        counted: &Counted,
        rendered: Rendered,
        outputs: &mut Outputs,
        tally: &mut Tally,
    ) -> Result<()> {
        self.count(counted, tally);
        self.clock.emit.time(|| outputs.emit(rendered)).map_err(Into::into)
    }

    fn count(&self, site: &Counted, tally: &mut Tally) {
        self.observer.site_done(&site.site, site.pages);
        tally.add(site);
        tally.show(&mut self.pulse.ledger());
    }

    fn spool_error(&self, error: io::Error) -> anyhow::Error {
        let what = "cannot keep the pages read in";
        state_error(what, self.spool_at, error).context(
            "nothing is written yet; once there is room, the same command begins again (another folder \
             is named by --spool, more memory given by --memory)",
        )
    }
}

/// Drops without a site that are written at once.
const DROPS_AT_ONCE: usize = 1_024;

/// Reads all inputs into memory, files in parallel, and resolves the revisits in them: for commands that
/// look at a few pages.
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
            let (mut intakes, mut digests) = (Vec::new(), Vec::new());
            let mut take = |intake, source: Source| {
                intakes.push(intake);
                digests.push(source.digest);
            };
            let summary = clock.read.time(|| read(input, &config.read, &progress, stop, &mut take));
            (summary, (intakes, digests))
        })
        .collect();
    let (mut summaries, mut intakes, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    let mut digests = Vec::new();
    for (summary, (of_input, of_payloads)) in results {
        intakes.extend(of_input);
        digests.extend(of_payloads);
        match summary {
            Ok(summary) => summaries.push(summary),
            Err(error) => unreadable.push(error.to_string()),
        }
    }
    resolve(&mut intakes, &digests);
    (summaries, intakes, unreadable)
}
