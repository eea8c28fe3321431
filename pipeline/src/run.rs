//! A whole run: read → group → learn → apply → emit. The only code that knows order, threads and disk.
//!
//! | step | where |
//! |---|---|
//! | find the inputs, claim the run folder | `run/inputs.rs`, `resume/folder.rs` |
//! | **read** the inputs, **group** pages by site, or take what an earlier process read | `run/reading.rs`, `shuffle/` |
//! | take over what an earlier process finished | `run/replaying.rs`, `resume/journal.rs` |
//! | **learn** each site's model and **apply** it to its pages, sites in parallel | `run/processing.rs`, `workers.rs`, `site.rs` |
//! | **emit** results in the order of sites | `run/processing.rs`, `stages/emit.rs` |
//! | finish the outputs, draw the report, write the ledger | `run/finishing.rs` |

mod finishing;
mod inputs;
mod nightly;
mod processing;
mod reading;
mod replaying;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use model::BestWrapper;
use modelstore::Store;
use rayon::{ThreadPool, ThreadPoolBuilder};

use self::reading::Taken;
use crate::config::Config;
use crate::inputs::Input;
use crate::memory::Shares;
use crate::progress::ledger::{Clock, Ledger, Phase};
use crate::progress::observer::Observer;
use crate::progress::status::{Status, place};
use crate::progress::tally::Tally;
use crate::resume::folder::{Claim, Identity, RunFolder};
use crate::shuffle::spool::Spool;
use crate::stages::emit::Outputs;

pub(crate) use self::inputs::read_all;

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
    #[error("stopped {0}; the same command resumes from there")]
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
    let (inputs, states) = inputs::find(config, stop)?;
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
    let kept = if resumes { reading::on_disk(&spool_at) } else { None };
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
    let status = Status::new(ledger, &clock, &spool, told_at, metrics);
    let context = RunContext {
        config,
        inputs: &inputs,
        identity: &identity,
        folder: &folder,
        spool: &spool,
        store: store.as_ref(),
        spool_at: &spool_at,
        pool: &pool,
        shares,
        clock: &clock,
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
            status.stopped(&error);
            return Err(error);
        }
    };
    let ledger = context.finish(status.close())?;
    // What a failed output still needs is kept: the next run writes it from the journal.
    if ledger.failed_sinks.is_empty() || !ledger.unreadable.is_empty() {
        folder.finish()?;
    }
    Ok(Report { ledger, best: tally.into_best(), nothing_to_do: false })
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
        let mut outputs = Outputs::create(&self.config.run.out, self.config)?;
        let mut tally = Tally::default();
        self.emit_drops(&mut sites, &mut outputs, &mut tally)?;
        let (mut journal, done) = self.replay(&mut outputs, &mut tally)?;
        self.status.phase(Phase::Learning, |progress| progress.sites_resumed = done.0 as u64);
        self.process(sites, done, &mut journal, &mut outputs, &mut tally)?;
        self.status.phase(Phase::Writing, |_| ());
        let failed = self.clock.emit.time(|| outputs.finish())?;
        self.status.ledger().failed_sinks = failed;
        self.commit_models()?;
        tally.show(&mut self.status.ledger());
        Ok(tally)
    }
}
