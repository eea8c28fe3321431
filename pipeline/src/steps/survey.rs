//! Survey: reads inputs and writes everything that later steps need of them, pages in the order of outputs.
//!
//! A page is written with its head (address, digests, weight, declared addresses and parts of its article) and its
//! compressed HTML. Inputs are read only once: the later steps read surveys.

use std::path::Path;
use std::sync::atomic::AtomicU64;

use anyhow::{Context, Result};
use config::files::sha256_of;
use config::memory::MemoryShares;
use errors::{Stopped, mark_begun};
use grouping::Tracking;
use input::reader::{InputReader, Timer};
use input::selection::selection_of;
use model::CutShort;
use segment::collect::{Collector, SegmentFiles};
use segment::identity::{StepIdentity, StepKind};
use segment::work_folder::WorkFolder;

use super::files::LocalFiles;
use crate::output_paths::{CommandPaths, OutputKind};
use crate::run::RunRequest;
use crate::run::{find_inputs, thread_pool};

/// The counts of a survey.
#[derive(Debug, Default)]
pub struct SurveySummary {
    /// Number of pages, including older captures.
    pub pages: u64,
    /// Number of inputs that were read.
    pub inputs: usize,
    /// Inputs that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Archives that are cut short, with the place.
    pub cut_short: Vec<(String, CutShort)>,
}

/// Surveys the inputs from the settings, and writes the survey to `out`.
///
/// # Errors
/// If inputs do not exist or none can be read, or the survey cannot be written. No file is left behind.
pub fn survey(request: RunRequest<'_>, out: &Path) -> Result<SurveySummary> {
    let RunRequest { config, stop, observer } = request;
    let local = LocalFiles::fetch(request, &[], out)?;
    let out = &*local.out;
    let (inputs, states) = find_inputs(config, stop)?;
    let paths = inputs
        .iter()
        .fold(CommandPaths::default(), |all, input| all.reads("an input", input.path()));
    paths.writes("--out", out, OutputKind::Step).check()?;
    mark_begun();
    let budget = config.run.budget()?;
    let pool = thread_pool(config)?;
    let shares = MemoryShares::of(budget, pool.current_num_threads(), config.read.most_memory());
    let folder = WorkFolder::beside(out)?;
    observer.reading(inputs.len(), states.iter().map(|state| state.bytes).sum());
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let identity = StepIdentity::of(StepKind::Survey, 0, config, Vec::new());
    let files = SegmentFiles {
        folder: folder.path(),
        limit: shares.pages,
        identity: identity.clone(),
        written: &AtomicU64::new(0),
    };
    let collector = Collector::new(tracking, Some(files), Some(config.settings()));
    let reader = InputReader {
        config,
        inputs: &inputs,
        states: &states,
        selection: &selection_of(&config.run)?,
        files: shares.files,
        timer: &Timer::default(),
        stop,
        progress: &|bytes| observer.read(bytes),
    };
    let read = reader.read(&|_, intake, source| collector.take(intake, source))?;
    Stopped::check(stop)?;
    let mut surveyed = SurveySummary::default();
    let mut names = Vec::new();
    for input in &read.0 {
        match input {
            Ok((record, _)) => {
                let of =
                    record.chosen.as_ref().map(|own| own.pages.to_string()).unwrap_or_default();
                names.push(format!("{} {}{of}", record.file, record.sha256));
                let cut_short = record.cut_short.clone();
                surveyed.cut_short.extend(cut_short.map(|at| (record.file.clone(), at)));
                surveyed.inputs += 1;
            }
            Err(why) => {
                names.push(why.clone());
                surveyed.unreadable.push(why.clone());
            }
        }
    }
    names.sort_unstable();
    let identity = StepIdentity { surveys: vec![sha256_of(&names.join("\n"))], ..identity };
    let pages = collector.finish_into(out, &identity, read);
    surveyed.pages = pages.with_context(|| format!("cannot write {}", out.display()))?;
    local.put(stop)?;
    Ok(surveyed)
}
