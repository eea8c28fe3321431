//! The steps of a distributed run: from files to files.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use errors::error_chain;
use pyo3::prelude::*;
use segment::identity::SiteShare;
use sitegrove::steps::{apply, describe, learn, merge, survey};
use terminal::progress_bar::Quiet;

use crate::detached::detached;
use crate::errors::{SitegroveError, input_error};
use crate::settings::{Settings, chosen};

type Chosen<'a, 'py> = Option<&'a Bound<'py, Settings>>;

/// Calls a step with settings, in the calling thread and those that it starts.
fn call<T: Send>(
    py: Python<'_>,
    settings: Chosen<'_, '_>,
    step: impl FnOnce(config::Config, &AtomicBool) -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    let config = chosen(settings)?.config.clone();
    let done = detached(py, 1, || step(config, &AtomicBool::new(false)))?;
    done.map_err(|error| SitegroveError::new_err(error_chain(&error)))
}

fn share(text: &str) -> PyResult<SiteShare> {
    text.parse().map_err(|message: String| input_error(message, None, None))
}

/// Number of pages and of inputs, and what could not be read to its end.
#[pyfunction]
#[pyo3(name = "_survey")]
pub(crate) fn survey_inputs(
    py: Python<'_>,
    inputs: Vec<PathBuf>,
    feeds: Vec<PathBuf>,
    out: PathBuf,
    settings: Chosen<'_, '_>,
) -> PyResult<(u64, usize, Vec<String>)> {
    let texts = |paths: Vec<PathBuf>| -> Vec<String> {
        paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
    };
    let (inputs, feeds) = (texts(inputs), texts(feeds));
    let surveyed = call(py, settings, |mut config, stop| {
        (config.run.inputs, config.run.feeds) = (inputs, feeds);
        survey::survey(&config, &out, stop, &Quiet)
    })?;
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
    settings: Chosen<'_, '_>,
) -> PyResult<(u8, usize, usize, usize)> {
    let of = share(of)?;
    let learnt =
        call(py, settings, |config, stop| learn::learn(&config, &files, of, &out, stop, &Quiet))?;
    Ok((learnt.round, learnt.finished, learnt.large, learnt.further))
}

/// The round, and numbers of pages: all, and those that no template is for.
#[pyfunction]
#[pyo3(name = "_apply")]
pub(crate) fn apply_models(
    py: Python<'_>,
    files: Vec<PathBuf>,
    out: PathBuf,
    settings: Chosen<'_, '_>,
) -> PyResult<(u8, u64, u64)> {
    let applied =
        call(py, settings, |config, stop| apply::apply(&config, &files, &out, stop, &Quiet))?;
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
    settings: Chosen<'_, '_>,
) -> PyResult<u64> {
    let of = share(of)?;
    call(py, settings, |config, stop| describe::describe(&config, &files, of, &out, stop, &Quiet))
}

/// Writes a run folder.
#[pyfunction]
#[pyo3(name = "_merge")]
pub(crate) fn merge_files(
    py: Python<'_>,
    files: Vec<PathBuf>,
    of: &str,
    out: PathBuf,
    overwrite: bool,
    settings: Chosen<'_, '_>,
) -> PyResult<()> {
    let of = share(of)?;
    call(py, settings, |mut config, stop| {
        config.run.out = out;
        merge::merge(&config, &files, of, overwrite, stop, &Quiet)
    })?;
    Ok(())
}
