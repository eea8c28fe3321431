//! Complete runs as in the program, and the steps of a distributed run. They read and write files.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use config::Config;
use errors::error_chain;
use input::{InputPlaces, expand};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use segment::identity::SiteShare;
use sitegrove::run::RunReport;
use sitegrove::run::RunRequest;
use sitegrove::run::target::run as run_pipeline;
use sitegrove::steps::{apply, learn, merge, survey};
use terminal::progress_bar::{Observer, Quiet};

use crate::detached::until_signal;
use crate::errors::{failure, failure_of, input_error};
use crate::settings::{PySettings, changed, loaded};

/// Progress of a run, as the callback receives it.
#[pyclass(frozen, get_all, name = "Progress", module = "sitegrove")]
#[derive(Clone, Debug, Default)]
pub(crate) struct PyProgress {
    /// ``reading``, then ``learning``.
    phase: &'static str,
    /// Bytes of all inputs.
    bytes: u64,
    /// Bytes that were read.
    bytes_read: u64,
    /// Sites to work on; 0 until all is read.
    sites: u64,
    /// Sites, or parts of large ones, that are done.
    sites_done: u64,
    /// Pages of these sites.
    pages: u64,
    /// Pages that are done.
    pages_done: u64,
    /// The site that was done last; empty before the first.
    site: String,
}

#[pymethods]
impl PyProgress {
    fn __repr__(&self) -> String {
        let Self { phase, bytes, bytes_read, pages, pages_done, .. } = self;
        format!("<Progress {phase}: {bytes_read} of {bytes} bytes, {pages_done} of {pages} pages>")
    }
}

/// Counts events for a thread that reads the counts from time to time.
#[derive(Debug)]
struct ProgressCounts(Mutex<PyProgress>);

impl ProgressCounts {
    fn new() -> Self {
        Self(Mutex::new(PyProgress { phase: "reading", ..PyProgress::default() }))
    }

    fn locked(&self) -> MutexGuard<'_, PyProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for ProgressCounts {
    fn reading(&self, _files: usize, bytes: u64) {
        self.locked().bytes = bytes;
    }

    fn read(&self, bytes: u64) {
        self.locked().bytes_read += bytes;
    }

    fn processing(&self, sites: usize, pages: usize) {
        let mut progress = self.locked();
        progress.phase = "learning";
        (progress.sites, progress.pages) = (sites as u64, pages as u64);
    }

    fn site_done(&self, site: &str, pages: usize) {
        let mut progress = self.locked();
        progress.sites_done += 1;
        progress.pages_done += pages as u64;
        site.clone_into(&mut progress.site);
    }
}

/// The ledger of a run; an exception if an output could not be uploaded.
fn ledger_of(report: RunReport) -> PyResult<String> {
    let failed = report.upload.unwrap_or_default();
    let Some((object, why)) = failed.failed.first() else { return Ok(report.ledger.to_json()) };
    let kept = failed.kept.unwrap_or_default();
    Err(failure(format!(
        "cannot write {object}: {why}; {} keeps the complete results, and the same call uploads what is missing",
        kept.display()
    )))
}

/// Runs the pipeline in a thread of its own, while this one tells `progress` and looks for signals. Returns the ledger.
#[pyfunction]
#[pyo3(name = "_run")]
#[expect(clippy::too_many_arguments, reason = "called by `_run.py` alone")]
pub(crate) fn run(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    out: PathBuf,
    feeds: Vec<PathBuf>,
    overwrite: bool,
    settings: Option<&Bound<'_, PySettings>>,
    tables: &Bound<'_, PyDict>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mut config = changed(loaded(settings)?.config.clone(), tables)?;
    for (given, of_settings) in [(inputs, &mut config.run.inputs), (feeds, &mut config.run.feeds)] {
        if !given.is_empty() {
            *of_settings = texts(&given);
        }
    }
    config.run.out = out;
    let places = InputPlaces { base: &config.run.input_base, ..InputPlaces::default() };
    py.detach(|| expand(&config.run.inputs, &config.run.feeds, places))
        .map_err(|error| input_error(error_chain(&error)))?;

    let (stop, counts) = (AtomicBool::new(false), ProgressCounts::new());
    let report = || {
        let now = counts.locked().clone();
        progress.map_or(Ok(()), |progress| progress.call1((now,)).map(|_| ()))
    };
    let request = RunRequest { config: &config, stop: &stop, observer: &counts };
    let run = || run_pipeline(request, overwrite);
    ledger_of(until_signal(py, &stop, report, run)?.map_err(failure_of)?)
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Calls a step with settings, in a thread of its own and threads that the step starts. Signals stop it.
fn call<T: Send>(
    py: Python<'_>,
    settings: Option<&Bound<'_, PySettings>>,
    change: impl FnOnce(&mut Config),
    step: impl FnOnce(RunRequest<'_>) -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    let mut config = loaded(settings)?.config.clone();
    change(&mut config);
    let stop = AtomicBool::new(false);
    let request = RunRequest { config: &config, stop: &stop, observer: &Quiet };
    until_signal(py, &stop, || Ok(()), || step(request))?.map_err(failure_of)
}

fn share(text: &str) -> PyResult<SiteShare> {
    text.parse().map_err(|message: String| input_error(message))
}

/// Number of pages and of inputs, and what could not be read to its end.
#[pyfunction]
#[pyo3(name = "_survey")]
pub(crate) fn survey_inputs(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    feeds: Vec<PathBuf>,
    out: PathBuf,
    settings: Option<&Bound<'_, PySettings>>,
) -> PyResult<(u64, usize, Vec<String>)> {
    let change = |config: &mut Config| {
        (config.run.inputs, config.run.feeds) = (texts(&inputs), texts(&feeds));
    };
    let surveyed = call(py, settings, change, |request| survey::survey(request, &out))?;
    let cut_short = surveyed.cut_short.iter().map(|(file, at)| format!("{file} {}", at.problem()));
    let unreadable = surveyed.unreadable.iter().cloned().chain(cut_short).collect();
    Ok((surveyed.pages, surveyed.inputs, unreadable))
}

/// The round, and numbers of sites: finished, large, and with something left to do.
#[pyfunction]
#[pyo3(name = "_learn")]
pub(crate) fn learn_share(
    py: Python<'_>,
    files: Vec<PathBuf>,
    of: &str,
    out: PathBuf,
    settings: Option<&Bound<'_, PySettings>>,
) -> PyResult<(u8, usize, usize, usize)> {
    let of = share(of)?;
    let learnt = call(py, settings, |_| {}, |request| learn::learn(request, &files, of, &out))?;
    Ok((learnt.round, learnt.finished, learnt.large, learnt.further))
}

/// The round, and numbers of pages: all, and those that no template is for.
#[pyfunction]
#[pyo3(name = "_apply")]
pub(crate) fn apply_models(
    py: Python<'_>,
    files: Vec<PathBuf>,
    out: PathBuf,
    settings: Option<&Bound<'_, PySettings>>,
) -> PyResult<(u8, u64, u64)> {
    let applied = call(py, settings, |_| {}, |request| apply::apply(request, &files, &out))?;
    Ok((applied.round, applied.pages, applied.unassigned))
}

/// The number of articles that were described.
#[pyfunction]
#[pyo3(name = "_describe")]
pub(crate) fn describe_share(
    py: Python<'_>,
    files: Vec<PathBuf>,
    of: &str,
    out: PathBuf,
    settings: Option<&Bound<'_, PySettings>>,
) -> PyResult<u64> {
    let of = share(of)?;
    call(py, settings, |_| {}, |request| merge::describe(request, &files, of, &out))
}

/// Writes a run folder. Returns its ledger.
#[pyfunction]
#[pyo3(name = "_merge")]
pub(crate) fn merge_files(
    py: Python<'_>,
    files: Vec<PathBuf>,
    of: &str,
    out: PathBuf,
    overwrite: bool,
    settings: Option<&Bound<'_, PySettings>>,
) -> PyResult<String> {
    let of = share(of)?;
    let merge = |request: RunRequest<'_>| merge::merge(request, &files, of, overwrite);
    ledger_of(call(py, settings, |config| config.run.out = out, merge)?)
}
