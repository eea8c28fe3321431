//! A whole run: read → group → learn → apply → emit. The only code that knows order, threads and disk.
//!
//! | step | where |
//! |---|---|
//! | find the inputs, lock the run folder | `run/inputs.rs`, `resume/folder.rs` |
//! | **read** the inputs, **group** pages by site, or reuse what an earlier process read | `run/reading.rs`, `shuffle/` |
//! | **learn** each site's model and **apply** it to its pages, sites in parallel, after those that an earlier process did | `run/processing.rs`, `workers.rs`, `site.rs`, `resume/journal.rs` |
//! | find articles that are the same, **emit** results in the order of sites | `run/emission.rs`, `duplicates.rs`, `stages/emit.rs` |
//! | finish the outputs, write the report and the ledger | `run/finishing.rs` |

pub(crate) mod emission;
mod finishing;
mod inputs;
pub(crate) mod nightly;
mod processing;
mod reading;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use model::BestWrapper;
use modelstore::Store;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sink::{Ledger, RunPhase, SinkError};

use self::emission::Emission;
use self::reading::Taken;
use crate::config::Config;
use crate::error_chain::{Problem, problem_of};
use crate::frames::is_damage;
use crate::inputs::Input;
use crate::memory::Shares;
use crate::output_paths::CommandPaths;
use crate::progress::ledger::{Clock, begin_ledger};
use crate::progress::observer::Observer;
use crate::progress::status::{Status, place};
use crate::progress::tally::Tally;
use crate::results::check_earlier;
use crate::resume::folder::{COMPLETE, Claim, RunFolder};
use crate::resume::identity::Identity;
use crate::shuffle::spool::Spool;
use crate::stages::emit::Outputs;

pub(crate) use self::finishing::finish_folder;
pub use self::inputs::read_sites;
pub(crate) use self::inputs::{find as find_inputs, read_all};

/// The outcome of a run.
#[derive(Debug)]
pub struct Report {
    /// The ledger.
    pub ledger: Ledger,
    /// The sites with the most articles, most first, with their best wrappers.
    pub best: Vec<(String, usize, Option<BestWrapper>)>,
    /// Whether the folder already contained this run, so that nothing was done.
    pub nothing_to_do: bool,
    /// What became of the files, if the outputs are at an address.
    pub upload: Option<Upload>,
}

/// What became of the files of a run whose outputs are at an address.
#[derive(Debug, Default, serde::Serialize)]
pub struct Upload {
    /// Where they are.
    pub to: String,
    /// Files that were uploaded by this process.
    pub objects: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Objects that could not be written, with the reason.
    pub failed: Vec<(String, String)>,
    /// The folder with the results, if they are kept.
    pub kept: Option<PathBuf>,
}

/// Why a run stopped before its end.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// Nothing was worth keeping.
    #[error("stopped; nothing was written")]
    Empty,
    /// The results so far are kept: how many.
    #[error("stopped {0}; the same command resumes from there")]
    Kept(String),
}

/// Whether something was begun that must be ended in order.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Says that from here on the command looks at its stop flag when a signal comes, and cleans up.
pub fn mark_begun() {
    BEGUN.store(true, Ordering::Relaxed);
}

/// Whether a command has begun anything. Before, it reads settings, lists and the like: whatever it waits for, a
/// signal may end the process.
pub fn has_begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

/// An error after which the same command resumes, and what of the sites is kept until then.
fn resumable(error: anyhow::Error, kept: &str) -> anyhow::Error {
    let Problem { at, what, next } = problem_of(&error);
    if error.is::<Stopped>() || !next.is_empty() {
        return error;
    }
    let next = match has_damage(&error) {
        true => format!("the results of {kept} are kept: {READS_AGAIN}"),
        false => format!(
            "the results of {kept} are kept: fix the cause and give the same command again to resume"
        ),
    };
    error.context(Problem::new(at, what, next))
}

/// What to do about a damaged file with what was read.
const READS_AGAIN: &str = "give the same command again; it reads the inputs again";

/// Whether a temporary file is damaged.
fn has_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_damage))
}

/// What a run is that was stopped while it waited for others.
fn stopped_waiting(keeps_results: bool) -> Stopped {
    match keeps_results {
        true => Stopped::Kept("while waiting for another program".to_owned()),
        false => Stopped::Empty,
    }
}

/// The error of an output, or `stopped` if a wait was stopped.
pub(crate) fn stopped_or(error: SinkError, stopped: Stopped) -> anyhow::Error {
    if error.is_stopped() { stopped.into() } else { error.into() }
}

/// Runs the pipeline, or resumes the run that an earlier process left in the output folder. `overwrite`
/// allows replacing a different run there; setting `stop` stops this one.
///
/// # Errors
/// Before any work: inputs that do not exist or of which none can be read, an output folder that contains
/// something else or that another process writes to, too little disk space for pages that do not fit into
/// memory. Later: outputs that cannot be written, and [`Stopped`]; the results so far are then kept for the
/// next run. Inputs that cannot be read to their end are no error: the ledger names them.
pub fn run(
    config: &Config,
    overwrite: bool,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report> {
    let prepared = Prepared::of(config, stop)?;
    run_prepared(config, &prepared, overwrite, stop, observer)
}

/// What a run is to work on, before anything is written.
#[derive(Debug)]
pub(crate) struct Prepared {
    clock: Clock,
    budget: u64,
    inputs: Vec<Input>,
    pub(crate) identity: Identity,
}

impl Prepared {
    /// Checks the settings, finds the inputs, and checks all paths.
    ///
    /// # Errors
    /// As [`run`], before any work.
    pub(crate) fn of(config: &Config, stop: &AtomicBool) -> Result<Self> {
        let clock = Clock::default();
        config.emit.check(&config.run.out)?;
        let budget = config.run.budget()?;
        check_earlier(config)?;
        let (inputs, states) = inputs::find(config, stop)?;
        CommandPaths::of_run(config, &inputs).check()?;
        let identity = Identity::of(config, states)?;
        mark_begun();
        Ok(Self { clock, budget, inputs, identity })
    }
}

/// Runs the pipeline in a local folder.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_prepared(
    config: &Config,
    prepared: &Prepared,
    overwrite: bool,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Report> {
    let Prepared { clock, budget, inputs, identity } = prepared;
    let (folder, resumes) = match RunFolder::claim(config, identity, overwrite)? {
        Claim::Begin(folder) => (folder, false),
        Claim::Resume(folder) => (folder, true),
        Claim::Done(mut ledger) => {
            finishing::compare_finished(config, &mut ledger)?;
            let best = Vec::new();
            return Ok(Report { ledger: *ledger, best, nothing_to_do: true, upload: None });
        }
    };
    let store = match nightly::open(config, stop, stopped_waiting(resumes)) {
        Err(error) if matches!(error.downcast_ref(), Some(Stopped::Empty)) => {
            folder.finish()?;
            return Err(error);
        }
        opened => opened?,
    };
    let pool = ThreadPoolBuilder::new().num_threads(config.run.jobs).build();
    let pool = pool.context("cannot start threads")?;
    let shares = Shares::of(*budget, pool.current_num_threads(), config.read.most_memory());
    let spool_at = folder.spool(&config.run.spool);
    let kept = if resumes { reading::on_disk(&spool_at) } else { None };
    let (taken, spool) = match kept {
        Some((taken, spool)) => (Some(taken), spool),
        None => (None, Spool::new(&spool_at, shares.waiting)),
    };
    let mut ledger = begin_ledger(config, pool.current_num_threads());
    if let Some(progress) = &mut ledger.progress {
        progress.bytes = identity.bytes();
    }
    let metrics = &config.run.metrics;
    let metrics = (!metrics.as_os_str().is_empty()).then(|| metrics.clone());
    let ledger_at = place(folder.path(), &folder.state());
    let status = Status::new(ledger, clock, &spool, ledger_at, metrics);
    let context = RunContext {
        config,
        inputs,
        identity,
        folder: &folder,
        spool: &spool,
        store: store.as_ref(),
        spool_at: &spool_at,
        pool: &pool,
        shares,
        clock,
        status: &status,
        stop,
        observer,
    };
    let outcome = status.during(|| context.run(taken));
    let tally = match outcome {
        Ok(tally) => tally,
        Err(error) if matches!(error.downcast_ref(), Some(Stopped::Empty)) => {
            status.forget();
            drop(std::fs::remove_dir_all(&spool_at));
            folder.finish()?;
            return Err(error);
        }
        Err(error) => {
            if has_damage(&error) {
                // What was read is not used again.
                let _ = std::fs::remove_file(spool_at.join(COMPLETE));
            }
            status.stopped(&error);
            return Err(match problem_of(&error) {
                Problem { at, what, next } if next.is_empty() && has_damage(&error) => {
                    Problem::new(at, what, READS_AGAIN).into()
                }
                _ => error,
            });
        }
    };
    let ledger = context.finish(status.close())?;
    // If an output failed, keep the state: the next run writes that output from the journal.
    if ledger.failed_sinks.is_empty() || !ledger.unread().is_empty() {
        folder.finish()?;
    }
    Ok(Report { ledger, best: tally.into_best(), nothing_to_do: false, upload: None })
}

/// A run with everything it needs.
#[derive(Debug)]
struct RunContext<'a> {
    config: &'a Config,
    inputs: &'a [Input],
    identity: &'a Identity,
    folder: &'a RunFolder,
    spool: &'a Spool,
    /// The store of site models, if there is one.
    store: Option<&'a Store>,
    spool_at: &'a Path,
    pool: &'a ThreadPool,
    shares: Shares,
    clock: &'a Clock,
    status: &'a Status<'a>,
    stop: &'a AtomicBool,
    observer: &'a dyn Observer,
}

impl RunContext<'_> {
    /// Everything between the claim of the run folder and the report.
    fn run(&self, kept: Option<Taken>) -> Result<Tally> {
        let taken = self.taken(kept)?;
        let mut sites = self.sites(taken)?;
        let outputs = Outputs::create(&self.config.run.out, self.config, self.stop);
        let mut outputs = outputs.map_err(|error| stopped_or(error, stopped_waiting(true)))?;
        let mut tally = Tally::default();
        let records = self.emit_drops(&mut sites, &mut outputs, &mut tally)?;
        let drops = tally.clone();
        let (mut journal, done) = self.resumed(&mut tally)?;
        self.status.phase(RunPhase::Learning, |progress| progress.sites_resumed = done.0 as u64);
        self.process(sites, &records, done, &mut journal, &mut tally)?;
        self.status.phase(RunPhase::Writing, |_| ());
        self.make_spool_folder()?;
        let emission = Emission {
            config: self.config,
            journal: &self.folder.journal(),
            folder: self.spool_at,
            store: self.growing(),
            pool: self.pool,
            clock: self.clock,
            stop: self.stop,
        };
        let mut tally = drops;
        let written = emission.marks().and_then(|marks| {
            emission.write(marks, &mut outputs, &mut tally)?;
            let finished = self.clock.emit.time(|| outputs.finish());
            finished.map_err(|error| stopped_or(error, stopped_waiting(true)))
        });
        let failed = written.map_err(|error| resumable(error, "all sites"))?;
        self.status.ledger().failed_sinks = failed;
        self.status.ledger().store_state = match (self.growing(), self.store) {
            (Some(store), _) => {
                Some(nightly::commit(store, self.config, self.stop, stopped_waiting(true))?)
            }
            (None, Some(store)) => Some(store.state()?),
            (None, None) => None,
        };
        tally.show(&mut self.status.ledger());
        Ok(tally)
    }
}
