//! A whole run: read → settle → process → find duplicates → emit. Only this module knows about order, threads and disk.
//!
//! The path of a page from a WARC file to a line of `articles.jsonl`:
//!
//! 1. *Read*. `input::reader::InputReader` reads files in parallel. `input::read` parses each record (WARC, HTTP, charset) and passes
//!    the `model::Page` on as an `Intake`, with the digest of its payload; what is not a page is a drop with a reason.
//!    `segment::collect::Collector` keeps the page as a `StoredPage`: its head, and its HTML in memory or, above the limit, on disk.
//! 2. *Settle*. When all inputs are read, `segment::settle::settle_sites` groups pages into sites by registrable domain and sorts the
//!    sites by the hash of their key, the order of all outputs. It picks the best capture of each address, and joins revisits,
//!    redirects and feed items to pages. Records that gave no page go to `dropped.jsonl` first (`emission::write_drops`).
//! 3. *Process* (`run::process`). One thread lists the sites in order and loads their pages; each worker thread takes the next one
//!    from this queue. A site larger than [`MemoryShares::parallel_site`] waits until the sites before it are done, and all threads
//!    then share its pages. No further site is listed while the sites in progress weigh more than [`MemoryShares::in_progress`]. A
//!    worker calls [`site::work_on`], which parses each page once (`sitemodel::ParsedPage`). `sitemodel::learn_parsed` learns a
//!    model from at most 200 of them, or updates the stored one, and finds their article bodies. `SiteModel::apply_parsed` assigns
//!    every page to a template, takes the body from learning or finds it, and builds the `model::Article` in an `Extracted`. Pages
//!    that fit no template are learnt from in a second round; those still left are extracted one by one. [`site::apply`] joins the
//!    parts of articles into a `model::SiteResult`, sorted by address.
//! 4. *Keep*. The same thread serialises each article to its line of `articles.jsonl`. Site results are appended in order to the file
//!    `results` (`run::site_results`: compressed, with checksums), each after its counts and the descriptions of its articles. A
//!    resumed run continues there.
//! 5. *Find duplicates*. When all sites are done, the descriptions are compared (`segment::duplicates`), which gives the fields
//!    `cluster`, `duplicate_of` and `similarity`.
//! 6. *Emit*. `run::emission` reads the results again, splices these fields into the lines, and passes them to every output (`sink`):
//!    `articles.jsonl` takes the lines as they are; other outputs parse the fields they need and render them in the thread pool. A
//!    file gets its final name when it is complete.
//!
//! The steps ([`crate::steps`]) call the same functions for a part of the inputs or sites.

pub(crate) mod corrections;
pub(crate) mod emission;
pub(crate) mod folder;
pub(crate) mod forecast;
mod inputs;
pub mod ledger;
pub(crate) mod nightly;
mod process;
pub(crate) mod sinks;
pub(crate) mod site_results;
pub mod target;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use config::Config;
use config::memory::MemoryShares;
use errors::{Problem, Stopped, mark_begun, problem_of};
use grouping::Tracking;
use input::Input;
use input::reader::InputReader;
use input::selection::warn_of_missing;
use model::BestWrapper;
use modelstore::Store;
use rayon::{ThreadPool, ThreadPoolBuilder};
use report::readable::size;
use segment::collect::{Collector, SegmentFiles, Segments};
use segment::frames::is_damage;
use segment::identity::{StepIdentity, StepKind};
use segment::settle::{SettledSites, settle_sites};
use segment::work_folder::make_work_folder;
use sink::{Ledger, RunPhase, SinkError};
use site::clock::Clock;
use terminal::progress_bar::Observer;

use self::emission::{Emission, write_drops};
use crate::emit::Outputs;
use crate::output_paths::CommandPaths;
use crate::results::check_earlier;
use crate::run::folder::{Claim, RunFolder, state_error};
use crate::run::ledger::{RunTally, begin_ledger};
use crate::run::nightly::SiteAnswers;
use crate::run::sinks::check_outputs;
use folder::Identity;
use ledger::{Status, place};

pub use self::inputs::read_sites;
pub(crate) use self::inputs::{find as find_inputs, read_grouped};
pub(crate) use crate::run::emission::finish_folder;

/// The outcome of a run.
#[derive(Debug)]
pub struct RunReport {
    /// The ledger.
    pub ledger: Ledger,
    /// The sites with the most articles, in descending order, with their best wrappers.
    pub best: Vec<(String, usize, Option<BestWrapper>)>,
    /// Whether the folder already contained this run, so that nothing was done.
    pub nothing_to_do: bool,
    /// What became of the files, if the outputs are at an address.
    pub upload: Option<Upload>,
}

impl RunReport {
    /// A report that there was nothing to do.
    fn of_finished(ledger: Ledger) -> Self {
        Self { ledger, best: Vec::new(), nothing_to_do: true, upload: None }
    }
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

/// Adds to an error that the results of `kept` are saved and that the same command resumes, unless it says what to do.
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

/// Advice for a damaged file of pages that were read.
const READS_AGAIN: &str = "give the same command again; it reads the inputs again";

/// Whether the cause is a file whose checksums do not match.
fn has_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_damage))
}

/// Adds `advice` to an error about a damaged file, unless it says what to do.
pub(crate) fn advise_if_damaged(error: anyhow::Error, advice: &str) -> anyhow::Error {
    match problem_of(&error) {
        Problem { at, what, next } if next.is_empty() && has_damage(&error) => {
            Problem::new(at, what, advice).into()
        }
        _ => error,
    }
}

/// The error of a run that was stopped while it waited for another process.
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
/// allows replacing a different run there.
///
/// # Errors
/// Before any work: inputs that do not exist or of which none can be read, an output folder that contains
/// something else or that another process writes to, too little disk space for pages that do not fit into
/// memory. Later: outputs that cannot be written, and [`Stopped`]; the results so far are then kept for the
/// next run. Inputs that cannot be read to their end are no error: the ledger names them.
pub fn run(request: RunRequest<'_>, overwrite: bool) -> Result<RunReport> {
    run_prepared(request, &PreparedRun::of(request)?, overwrite)
}

/// What a run or a step is given.
#[derive(Clone, Copy, Debug)]
pub struct RunRequest<'a> {
    /// Inputs, outputs and how pages are processed.
    pub config: &'a Config,
    /// Stops the work once it is set.
    pub stop: &'a AtomicBool,
    /// Shows how far the work is.
    pub observer: &'a dyn Observer,
}

#[derive(Debug)]
pub(crate) struct PreparedRun {
    clock: Clock,
    budget: u64,
    inputs: Vec<Input>,
    pub(crate) identity: Identity,
}

impl PreparedRun {
    /// Checks the settings, finds the inputs, and checks all paths.
    pub(crate) fn of(RunRequest { config, stop, .. }: RunRequest<'_>) -> Result<Self> {
        let clock = Clock::default();
        check_outputs(&config.emit, &config.run.out)?;
        let budget = config.run.budget()?;
        check_earlier(config)?;
        let (inputs, states) = inputs::find(config, stop)?;
        CommandPaths::of_run(config, &inputs).check()?;
        let identity = Identity::of(config, states)?;
        mark_begun();
        Ok(Self { clock, budget, inputs, identity })
    }
}

/// Runs the pipeline in a local folder. Uploads to an address are made by the caller ([`target::run`]).
pub(crate) fn run_prepared(
    request: RunRequest<'_>,
    prepared: &PreparedRun,
    overwrite: bool,
) -> Result<RunReport> {
    let RunRequest { config, stop, observer } = request;
    let PreparedRun { clock, budget, inputs, identity } = prepared;
    let (folder, resumes) = match RunFolder::claim(config, identity, overwrite)? {
        Claim::Begin(folder) => (folder, false),
        Claim::Resume(folder) => (folder, true),
        Claim::Done(mut ledger) => {
            emission::compare_finished(config, &mut ledger)?;
            return Ok(RunReport::of_finished(*ledger));
        }
    };
    let store = match nightly::open(config, stop, stopped_waiting(resumes)) {
        Err(error) if matches!(error.downcast_ref(), Some(Stopped::Empty)) => {
            folder.finish()?;
            return Err(error);
        }
        opened => opened?,
    };
    let pool = thread_pool(config)?;
    let shares = MemoryShares::of(*budget, pool.current_num_threads(), config.read.most_memory());
    let work_folder = folder.work_folder(&config.run.spool);
    let mut ledger = begin_ledger(config, pool.current_num_threads());
    if let Some(progress) = &mut ledger.progress {
        progress.bytes = identity.bytes();
    }
    let metrics = &config.run.metrics;
    let metrics = (!metrics.as_os_str().is_empty()).then(|| metrics.clone());
    let ledger_at = place(folder.path(), &folder.state());
    let written = AtomicU64::new(0);
    let status = Status::new(ledger, clock, &written, ledger_at, metrics);
    let context = RunContext {
        config,
        inputs,
        identity,
        folder: &folder,
        store: store.as_ref(),
        work_folder: &work_folder,
        written: &written,
        pool: &pool,
        shares,
        clock,
        status: &status,
        stop,
        observer,
    };
    let outcome = status.during(|| context.run(resumes));
    let tally = match outcome {
        Ok(tally) => tally,
        Err(error) if matches!(error.downcast_ref(), Some(Stopped::Empty)) => {
            status.forget();
            drop(std::fs::remove_dir_all(&work_folder));
            folder.finish()?;
            return Err(error);
        }
        Err(error) => {
            if has_damage(&error) {
                Segments::forget(&work_folder);
            }
            status.stopped(&error);
            return Err(advise_if_damaged(error, READS_AGAIN));
        }
    };
    let ledger = context.finish(status.close())?;
    // The next run writes a failed output from the results, unless inputs have to be read again anyway.
    if ledger.failed_sinks.is_empty() || !ledger.unread().is_empty() {
        folder.finish()?;
    }
    Ok(RunReport { ledger, best: tally.into_best(), nothing_to_do: false, upload: None })
}

pub(crate) fn thread_pool(config: &Config) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(config.run.jobs).build();
    pool.context("cannot start threads")
}

#[derive(Debug)]
struct RunContext<'a> {
    config: &'a Config,
    inputs: &'a [Input],
    identity: &'a Identity,
    folder: &'a RunFolder,
    store: Option<&'a Store>,
    /// Folder for page data that does not fit into memory.
    work_folder: &'a Path,
    /// Bytes of pages written there.
    written: &'a AtomicU64,
    pool: &'a ThreadPool,
    shares: MemoryShares,
    clock: &'a Clock,
    status: &'a Status<'a>,
    stop: &'a AtomicBool,
    observer: &'a dyn Observer,
}

impl RunContext<'_> {
    /// Does everything between claiming the run folder and closing the ledger.
    fn run(&self, resumes: bool) -> Result<RunTally> {
        let segments = self.read(resumes)?;
        let mut sites = self.settle(segments)?;
        let mut outputs = Outputs::create(self.config, sites.totals.sites, self.stop)
            .map_err(|error| stopped_or(error, stopped_waiting(true)))?;
        let mut tally = RunTally::default();
        self.begin_night(&sites, &mut outputs)?;
        let to = Some((&mut outputs, &mut tally));
        let (records, answers) = write_drops(&mut sites, self.work_folder, self.config, to)
            .map_err(|error| self.advise_if_io(error))?;
        // Results go to the file `results`; emitting reads them from there and counts them again.
        self.process(sites, &records, tally.clone())?;
        self.emit(outputs, &answers, &mut tally)?;
        tally.show(&mut self.status.ledger());
        Ok(tally)
    }

    /// Reads all inputs, or opens the segments that an earlier process of the same run completed.
    fn read(&self, resumes: bool) -> Result<Segments> {
        let kept = if resumes { Segments::reopen(self.work_folder) } else { Ok(None) };
        match kept {
            Ok(Some(segments)) => return Ok(segments),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(next = "reading all inputs again", "{error}");
            }
        }
        make_work_folder(self.work_folder)
            .map_err(|e| state_error("cannot create the folder", self.work_folder, e))?;
        self.check_space()?;
        self.observer.reading(self.inputs.len(), self.identity.bytes());
        let files = SegmentFiles {
            folder: self.work_folder,
            limit: self.shares.pages,
            identity: StepIdentity::of(StepKind::Survey, 0, self.config, Vec::new()),
            written: self.written,
        };
        let tracking = Tracking::new(&self.config.group.tracking_parameters);
        let collector = Collector::new(tracking, Some(files), None);
        let progress = |bytes| {
            self.status.read(bytes);
            self.observer.read(bytes);
        };
        let reader = InputReader {
            config: self.config,
            inputs: self.inputs,
            states: &self.identity.inputs,
            selection: &self.identity.selection,
            files: self.shares.files,
            timer: &self.clock.read,
            stop: self.stop,
            progress: &progress,
        };
        let read = reader.read(&|_, intake, digest| collector.take(intake, digest))?;
        if self.stop.load(Ordering::Relaxed) {
            bail!(match self.folder.has_results() {
                true => Stopped::Kept("while the inputs were read again".to_owned()),
                false => Stopped::Empty,
            });
        }
        collector.finish(read).map_err(|error| self.cannot_keep(error))
    }

    fn settle(&self, segments: Segments) -> Result<SettledSites> {
        let settle =
            || settle_sites(segments, &self.config.group, Some(self.work_folder), &|_| true);
        let sites = self.clock.group.time(settle).map_err(|error| self.cannot_keep(error))?;
        warn_of_missing(&self.identity.selection, &sites.hashes);
        {
            let mut ledger = self.status.ledger();
            ledger.take_inputs(&sites.inputs, &sites.unreadable);
            ledger.counts.feed_items = sites.totals.items;
            ledger.counts.feed_items_elsewhere = sites.totals.unmatched_items;
        }
        self.status.phase(RunPhase::Resuming, |progress| {
            (progress.sites, progress.pages) = (sites.totals.sites as u64, sites.totals.pages);
        });
        self.observer.processing(sites.totals.sites, sites.totals.pages as usize);
        Ok(sites)
    }

    /// Tells the model store and the append-only outputs which night this run is.
    fn begin_night(&self, sites: &SettledSites, outputs: &mut Outputs<'_>) -> Result<()> {
        outputs.begin_night(&nightly::night_name(&sites.inputs))?;
        if let Some(store) = self.growing() {
            let run = nightly::run_of(self.config, &sites.inputs);
            self.status.ledger().last_night = nightly::begin(store, &run)?;
        }
        Ok(())
    }

    /// Finds duplicates, writes all outputs, and commits the model store.
    fn emit(
        &self,
        outputs: Outputs<'_>,
        answers: &SiteAnswers,
        tally: &mut RunTally,
    ) -> Result<()> {
        self.status.phase(RunPhase::Writing, |_| ());
        let emission = Emission {
            config: self.config,
            results: &self.folder.results(),
            folder: self.work_folder,
            store: self.growing().map(|store| (store, answers)),
            is_whole: self.identity.selection.is_all(),
            pool: self.pool,
            clock: self.clock,
            stop: self.stop,
        };
        let described = emission.describe();
        let written = described
            .and_then(|marks| emission.write(marks, outputs, tally, stopped_waiting(true)));
        let failed = written.map_err(|error| resumable(error, "all sites"))?;
        self.status.ledger().failed_sinks = failed;
        self.status.ledger().store_state = match (self.growing(), self.store) {
            (Some(store), _) => {
                Some(nightly::commit(store, self.config, self.stop, stopped_waiting(true))?)
            }
            (None, Some(store)) => Some(store.state()?),
            (None, None) => None,
        };
        Ok(())
    }

    /// Turns an I/O error on a spill file into an error that says what to do.
    fn cannot_keep(&self, error: io::Error) -> anyhow::Error {
        if is_damage(&error) {
            return error.into();
        }
        let what = "cannot keep the pages read in";
        let what = format!("{:#}", state_error(what, self.work_folder, error));
        let next = "free some space and give the same command again, or choose another folder with --spool \
                    or more memory with --memory";
        Problem::new("", what, next).into()
    }

    /// Like `cannot_keep`, but only for I/O errors; returns others unchanged.
    fn advise_if_io(&self, error: anyhow::Error) -> anyhow::Error {
        match error.downcast::<io::Error>() {
            Ok(error) => self.cannot_keep(error),
            Err(error) => error,
        }
    }

    /// If the pages will probably not fit into memory, checks that they fit on disk.
    fn check_space(&self) -> Result<()> {
        let (html, needed) = self.identity.inputs.iter().fold((0, 0), |(html, needed), input| {
            let name = input.file.to_ascii_lowercase();
            let packed = [".gz", ".zst", ".lz4", ".bz2", ".xz", ".wacz"]
                .iter()
                .any(|end| name.ends_with(end));
            // HTML compresses to about a fifth, in archives and in segments.
            if packed {
                (html + 5 * input.bytes, needed + input.bytes * 5 / 4)
            } else {
                (html + input.bytes, needed + input.bytes / 4)
            }
        });
        if html <= self.shares.pages {
            return Ok(());
        }
        let Ok(of) = rustix::fs::statvfs(self.work_folder) else { return Ok(()) };
        let free = of.f_bavail.saturating_mul(of.f_frsize);
        if free < needed {
            bail!(
                "{}: {} of free space is too little for the pages that do not fit into memory (about {} \
                 of HTML, {} on disk); free some space, name another folder with --spool, or give more \
                 memory with --memory",
                self.work_folder.display(),
                size(free),
                size(html),
                size(needed),
            );
        }
        Ok(())
    }
}
