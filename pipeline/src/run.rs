//! A whole run: the only place that knows order, threads, disk and panics.
//!
//! read → group → for each site in parallel: cluster → signify → rank → wrap → extract → emit.

mod nightly;
mod reading;
mod replaying;

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use model::Drop;
use modelstore::Store;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sink::{AtomicFile, BestWrapper};

use crate::causes::told;
use crate::config::Config;
use crate::inputs::{Input, expand};
use crate::ledger::{Clock, FILE, Ledger, Phase};
use crate::memory::Shares;
use crate::observer::Observer;
use crate::report;
use crate::revisits::resolve;
use crate::scale::catalogue::{Complete, boot};
use crate::scale::folder::{COMPLETE, Claim, Identity, InputState, RunFolder, state_error};
use crate::scale::gather::{Gathered, Totals, each_site};
use crate::scale::journal::{Heading, Order};
use crate::scale::pulse::{Pulse, place};
use crate::scale::schedule::{Crew, Done, Task};
use crate::scale::spool::Spool;
use crate::sink_name::SinkName;
use crate::stages::emit::{Outputs, Rendered};
use crate::stages::read::{InputSummary, Intake, Source, read};
use crate::tally::{Counted, Tally};
use crate::waiting;

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
/// Before any work: inputs that are not there or of which none can be read, an output folder that holds something else or that another
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
    let (inputs, states) = look_at_inputs(config, stop)?;
    let identity = Identity::of(config, states);
    let (folder, resumes) = match RunFolder::claim(config, &identity, overwrite)? {
        Claim::Begin(folder) => (folder, false),
        Claim::GoOn(folder) => (folder, true),
        Claim::Done(ledger) => {
            return Ok(Report { ledger: *ledger, best: Vec::new(), nothing_to_do: true });
        }
    };
    let store = nightly::open(config)?;
    let pool = ThreadPoolBuilder::new().num_threads(config.run.jobs).build();
    let pool = pool.context("cannot start threads")?;
    let shares = Shares::of(budget, pool.current_num_threads(), config.read.most_memory());
    let spool_at = folder.spool(&config.run.spool);
    let kept = if resumes { on_disk(&spool_at) } else { None };
    let (taken, spool) = match kept {
        Some((taken, spool)) => (Some(taken), spool),
        None => (None, Spool::new(&spool_at, shares.waiting)),
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
    let outcome = pulse.during(|| whole.run(taken, store));
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

/// The inputs, and how they are found. Stops waiting for a file system that does not answer.
///
/// # Errors
/// If there are none, something named is not there, or nothing can be read.
fn look_at_inputs(config: &Config, stop: &AtomicBool) -> Result<(Vec<Input>, Vec<InputState>)> {
    let (named, feeds) = (config.run.inputs.clone(), config.run.feeds.clone());
    let look = move || {
        let inputs = expand(&named, &feeds)?;
        let states: Vec<_> = inputs.iter().map(InputState::of).collect();
        anyhow::Ok((inputs, states))
    };
    let looked = waiting::unless(&|| stop.load(Ordering::Relaxed), look);
    let (inputs, states) = looked.context("cannot start threads")?.ok_or(Stopped::Empty)??;
    if inputs.is_empty() {
        bail!("no inputs: name WARC files, HTML files or folders, or set run.inputs");
    }
    let all = inputs.len();
    let mut problems = Vec::new();
    let mut states_of = Vec::with_capacity(all);
    for (input, (state, problem)) in inputs.iter().zip(states) {
        problems
            .extend(problem.map(|why| format!("cannot read {}: {why}", input.path().display())));
        states_of.push(state);
    }
    if problems.len() == all {
        bail!("{}", problems.join("\n"));
    }
    for problem in problems {
        tracing::warn!("{problem}; the other inputs are read");
    }
    Ok((inputs, states_of))
}

/// What was read before, if all of it is on disk: the machine has not gone down since, and the files hold what was
/// put there.
fn on_disk(folder: &Path) -> Option<(Taken, Spool)> {
    let text = std::fs::read(folder.join(COMPLETE)).ok()?;
    let complete: Complete = serde_json::from_slice(&text).ok()?;
    if complete.boot != boot() {
        return None;
    }
    let reopened = Gathered::reopen(folder, complete.totals)
        .and_then(|gathered| Ok((gathered, Spool::reopen(folder, &complete.parts)?)));
    match reopened {
        Ok((gathered, Some(spool)))
            if complete.has_all_pages() && gathered.sites.len() == complete.totals.sites =>
        {
            Some((Taken { complete, gathered, last: None }, spool))
        }
        _ => {
            tracing::warn!(
                "the pages in {} are not all that were read: all inputs are read again",
                folder.display()
            );
            None
        }
    }
}

/// What there is to work on, once all is read.
#[derive(Debug)]
struct Taken {
    complete: Complete,
    gathered: Gathered,
    /// The last site, or part of one, that is done, if the pages of those before are not here.
    last: Option<Heading>,
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
    fn run(&self, kept: Option<Taken>, mut store: Option<Store>) -> Result<Tally> {
        let taken_up = kept.map_or_else(|| self.take_up(), |kept| Ok(Some(kept)))?;
        let Taken { complete, gathered, last } = taken_up.map_or_else(|| self.read(), Ok)?;
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
        let Gathered { drops, items, sites: read, .. } = gathered;
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
        nightly::begin(store.as_mut(), self.config, &complete.inputs)?;
        if last.is_none() {
            self.last_done(&read)?;
        }
        let (mut journal, done) = self.replay(&mut outputs, &mut tally, store.as_ref())?;
        self.pulse.phase(Phase::Learning, |progress| progress.sites_resumed = done.0 as u64);
        let crew = Crew {
            config: self.config,
            spool: self.spool,
            store: store.as_ref(),
            renderers: outputs.renderers(),
            clock: self.clock,
            stop: self.stop,
            together: self.pool,
            shares: self.shares,
        };
        let mut index = last.as_ref().map_or(0, |last| last.next().0);
        let mut order = Order::behind(&read, last.as_ref().map(|last| &*last.counted.site));
        let other = |what: &str| {
            let what = format!("the pages kept are not those that were read: {what}");
            io::Error::other(what + "; begin anew with --overwrite")
        };
        let list = |hand: &mut dyn FnMut(Task) -> ControlFlow<()>| {
            let mut halted = false;
            each_site(self.spool, &mut items, &mut |mut site| {
                let at = index;
                index += 1;
                if !order.comes(&site.key) {
                    return Err(other(&format!("{} comes where another site should", site.key)));
                }
                if at < done.0 {
                    return Ok(ControlFlow::Continue(()));
                }
                if site.weight() <= self.shares.beside {
                    // Workers need not wait for the disk.
                    self.spool.fetch(&mut site.pages)?;
                }
                let done = if at == done.0 { done.1 } else { 0 };
                let handed = hand(Task { index: at, done, site });
                halted = handed.is_break();
                Ok(handed)
            })?;
            if halted || order.is_at_end() { Ok(()) } else { Err(other("sites are missing")) }
        };
        let path = self.folder.journal();
        let mut sites_done = done.0;
        let worked = crew.work(list, done, |site: Done| {
            journal.add(&site.frame).map_err(|e| state_error("cannot write", &path, e))?;
            sites_done = site.heading.next().0;
            let store = store.as_ref();
            self.take(&site.heading.counted, site.rendered, store, &mut outputs, &mut tally)
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
        nightly::commit(store, self.config)?;
        tally.show(&mut self.pulse.ledger());
        Ok(tally)
    }

    /// Counts and writes what came of a site.
    fn take(
        &self,
        counted: &Counted,
        rendered: Rendered,
        store: Option<&Store>,
        outputs: &mut Outputs,
        tally: &mut Tally,
    ) -> Result<()> {
        self.count(counted, tally);
        nightly::take(store, rendered.result())?;
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
