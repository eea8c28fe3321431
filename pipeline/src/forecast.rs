//! What a run would process and need: reads the inputs and keeps nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use grouping::site_key;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use serde::Serialize;

use crate::config::Config;
use crate::file_type::not_an_archive;
use crate::inputs::Input;
use crate::memory::Shares;
use crate::output_paths::CommandPaths;
use crate::progress::ledger::{Ledger, State};
use crate::progress::observer::Observer;
use crate::run::{Stopped, find_inputs};
use crate::selecting::{LeftOut, Selecting};
use crate::selection::{Selection, warn_of_missing};
use crate::sink_name::SinkName;
use crate::stages::group::own_address;
use crate::stages::read::{DAMAGE, Intake, read};
use crate::target::Target;

/// Memory of the program itself and of its buffers, in bytes.
const PROGRAM: u64 = 60 << 20;
/// Memory for processing a site, per byte of its HTML (docs/PERFORMANCE.md, Memory).
const WORKING: u64 = 5;
/// HTML per byte of what is kept of it on disk.
const PACKED: u64 = 5;

/// An input as it was read.
#[derive(Debug, Serialize)]
pub(crate) struct InputForecast {
    pub(crate) file: String,
    /// What it was read as.
    pub(crate) format: &'static str,
    pub(crate) bytes: u64,
    /// Pages and revisits of pages that are chosen.
    pub(crate) pages: u64,
    pub(crate) html_bytes: u64,
    /// Records that are not chosen, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) left_out: BTreeMap<String, u64>,
    /// Why it could not be read to its end, or what it is instead of an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// Whether it holds no record at all.
    #[serde(skip)]
    pub(crate) is_empty: bool,
    /// Whether something in it is damaged.
    #[serde(skip)]
    pub(crate) is_damaged: bool,
}

/// What a run would process and need.
#[derive(Debug, Serialize)]
pub(crate) struct Forecast {
    /// Folder of the results.
    pub(crate) out: PathBuf,
    /// What is in that folder: `new`, `unfinished run`, `finished run` or `other files`.
    pub(crate) out_holds: &'static str,
    pub(crate) selection: Selection,
    pub(crate) inputs: Vec<InputForecast>,
    /// Pages, other captures and revisits included.
    pub(crate) pages: u64,
    pub(crate) sites: u64,
    pub(crate) html_bytes: u64,
    /// Threads.
    pub(crate) jobs: usize,
    /// Memory limit.
    pub(crate) memory_limit: u64,
    /// Memory that the run is likely to take.
    pub(crate) memory: u64,
    /// Disk space for pages that do not fit into memory.
    pub(crate) spool_bytes: u64,
    /// Disk space that the results are likely to take.
    pub(crate) results_bytes: u64,
}

impl Forecast {
    /// Whether a run over the inputs would succeed: all can be read to their end, and there are pages, or
    /// undamaged records of which none is a page.
    pub(crate) fn is_sound(&self) -> bool {
        let is_broken = |input: &InputForecast| input.problem.is_some() && !input.is_empty;
        !self.inputs.iter().any(is_broken)
            && (self.pages > 0
                || self.inputs.iter().any(|input| !input.is_empty)
                    && !self.inputs.iter().any(|input| input.is_damaged))
    }
}

/// HTML of each site, by key.
type Sites = BTreeMap<String, u64>;

/// Reads the inputs of a run and foretells what it would process and need.
///
/// # Errors
/// As a run, before it begins; with [`Stopped`].
pub(crate) fn forecast(
    config: &Config,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Forecast> {
    let target = Target::of(config)?;
    let (out, config) = (config.run.out.clone(), target.as_ref().map_or(config, Target::config));
    config.emit.check(&config.run.out)?;
    let budget = config.run.budget()?;
    let selection = Selection::of(&config.run)?;
    let (inputs, states) = find_inputs(config, stop)?;
    CommandPaths::of_run(config, &inputs).check()?;
    observer.reading(inputs.len(), states.iter().map(|state| state.bytes).sum());
    let pool = ThreadPoolBuilder::new().num_threads(config.run.jobs).build();
    let jobs = pool.context("cannot start threads")?.current_num_threads();
    let shares = Shares::of(budget, jobs, config.read.most_memory());
    let readers = ThreadPoolBuilder::new().num_threads(shares.files).build();
    let readers = readers.context("cannot start threads")?;
    let selecting = Selecting::new(selection.clone());
    let read_one = |input: &Input| read_one(input, config, &selecting, stop, observer);
    let all: Vec<(InputForecast, Sites)> = if selecting.is_in_order() {
        inputs.iter().map(read_one).collect()
    } else {
        readers.install(|| inputs.par_iter().map(read_one).collect())
    };
    if stop.load(Ordering::Relaxed) {
        bail!(Stopped::Empty);
    }
    let mut sites = Sites::new();
    let mut of_inputs = Vec::with_capacity(all.len());
    for (input, own) in all {
        for (site, bytes) in own {
            *sites.entry(site).or_default() += bytes;
        }
        of_inputs.push(input);
    }
    let hashes = sites.keys().map(|site| xxhash_rust::xxh3::xxh3_64(site.as_bytes()));
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    warn_of_missing(&selection, &hashes);
    let html_bytes: u64 = of_inputs.iter().map(|input| input.html_bytes).sum();
    let spool_bytes = if html_bytes > shares.waiting { html_bytes / PACKED } else { 0 };
    let mut largest: Vec<u64> =
        sites.values().map(|bytes| (*bytes).min(config.run.batch_bytes)).collect();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    let working = largest.iter().take(jobs).sum::<u64>() * WORKING;
    let memory = (PROGRAM + html_bytes.min(shares.waiting) + working).min(budget);
    Ok(Forecast {
        out_holds: holds(&config.run.out),
        out,
        selection,
        pages: of_inputs.iter().map(|input| input.pages).sum(),
        sites: sites.len() as u64,
        inputs: of_inputs,
        html_bytes,
        jobs,
        memory_limit: budget,
        memory,
        spool_bytes,
        results_bytes: results(config, html_bytes),
    })
}

fn read_one(
    input: &Input,
    config: &Config,
    selecting: &Selecting,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> (InputForecast, Sites) {
    let (mut left_out, mut sites, mut pages) = (LeftOut::default(), Sites::new(), 0);
    let mut is_damaged = false;
    let mut take = |intake, _| {
        let (site, bytes) = match selecting.admit(intake, &mut left_out) {
            Some(Intake::Page(page)) => {
                let url = own_address(&page).unwrap_or_else(|| page.url.clone());
                (site_key(&url), page.html.len() as u64)
            }
            Some(Intake::Revisit(revisit)) => (site_key(&revisit.url), 0),
            Some(Intake::Drop(drop)) => {
                is_damaged |= DAMAGE.contains(&drop.reason);
                return;
            }
            _ => return,
        };
        pages += 1;
        *sites.entry(site.unwrap_or_default()).or_default() += bytes;
    };
    let summary = read(input, &config.read, &|bytes| observer.read(bytes), stop, &mut take);
    let file = input.path().to_string_lossy().into_owned();
    let is_empty = summary
        .as_ref()
        .is_ok_and(|summary| summary.records.is_empty() && summary.cut_short.is_none());
    let (record, problem) = match summary {
        Ok(summary) => {
            let problem = match &summary.cut_short {
                Some(cut_short) => Some(cut_short.problem()),
                None => is_empty.then(|| not_an_archive(input.path())),
            };
            (Some(selecting.record(&summary, left_out)), problem)
        }
        Err(error) => (None, Some(error.to_string())),
    };
    let bytes = record.as_ref().map_or(0, |record| record.bytes);
    let chosen = record.and_then(|record| record.chosen).unwrap_or_default();
    let left_out = chosen.left_out;
    let html_bytes = sites.values().sum();
    let format = input.format();
    let input = InputForecast {
        file,
        format,
        bytes,
        pages,
        html_bytes,
        left_out,
        problem,
        is_empty,
        is_damaged,
    };
    (input, sites)
}

/// What is in a folder for results.
fn holds(out: &std::path::Path) -> &'static str {
    match Ledger::read(out).map(|ledger| ledger.state) {
        Some(State::Complete) => "finished run",
        Some(State::Running | State::Stopped) => "unfinished run",
        None if out.join(crate::resume::folder::STATE).exists() => "unfinished run",
        None => match std::fs::read_dir(out).map(|mut entries| entries.next().is_none()) {
            Ok(true) | Err(_) => "new",
            Ok(false) => "other files",
        },
    }
}

/// Disk space of the results.
fn results(config: &Config, html_bytes: u64) -> u64 {
    // The wrappers and dropped.jsonl, which every run writes.
    let outputs = config.emit.chosen().into_iter();
    let per_thousand = 3 + outputs.map(SinkName::size_per_thousand).sum::<u64>();
    html_bytes / 1000 * per_thousand
}
