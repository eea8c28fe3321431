//! `--dry-run`: reads the inputs, keeps nothing, and forecasts what a run would process and need.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use config::memory::MemoryShares;
use config::{Config, SinkName};
use errors::Stopped;
use grouping::site_key;
use input::Input;
use input::file_type::not_an_archive;
use input::read::{Intake, own_address};
use input::reader::{InputReader, Timer};
use input::selection::{selection_of, warn_of_missing};
use model::DropReason;
use serde::Serialize;
use sink::{InputRecord, Ledger, PageSelection, RunState};

use crate::output_paths::CommandPaths;
use crate::run::RunRequest;
use crate::run::sinks::check_outputs;
use crate::run::target::RemoteTarget;
use crate::run::{find_inputs, thread_pool};

/// Memory of the program itself and of its buffers, in bytes.
const PROGRAM: u64 = 60 << 20;
/// Memory for processing a site, per byte of its HTML (docs/PERFORMANCE.md, Memory).
const WORKING: u64 = 5;
/// Bytes of HTML per byte that is kept on disk.
const PACKED: u64 = 5;

#[derive(Debug, Serialize)]
pub(crate) struct InputForecast {
    pub(crate) file: String,
    pub(crate) format: &'static str,
    pub(crate) bytes: u64,
    /// Chosen pages and revisits.
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
    #[serde(skip)]
    is_damaged: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Forecast {
    pub(crate) out: PathBuf,
    /// Contents of the run folder: `new`, `unfinished run`, `finished run` or `other files`.
    pub(crate) out_holds: &'static str,
    pub(crate) selection: PageSelection,
    pub(crate) inputs: Vec<InputForecast>,
    /// Pages, other captures and revisits included.
    pub(crate) pages: u64,
    pub(crate) sites: u64,
    pub(crate) html_bytes: u64,
    pub(crate) jobs: usize,
    pub(crate) memory_limit: u64,
    pub(crate) memory: u64,
    /// Disk space for pages that do not fit into memory.
    pub(crate) spool_bytes: u64,
    /// Expected disk space of the results.
    pub(crate) results_bytes: u64,
}

impl Forecast {
    /// Whether a run over the inputs would succeed: all can be read to their end, and there are pages, or only undamaged
    /// records that are not pages.
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

/// Reads the inputs of a run and forecasts what it would process and need.
pub(crate) fn forecast(RunRequest { config, stop, observer }: RunRequest<'_>) -> Result<Forecast> {
    let target = RemoteTarget::of(config)?;
    let (out, config) =
        (config.run.out.clone(), target.as_ref().map_or(config, RemoteTarget::config));
    check_outputs(&config.emit, &config.run.out)?;
    let budget = config.run.budget()?;
    let selection = selection_of(&config.run)?;
    let (inputs, states) = find_inputs(config, stop)?;
    CommandPaths::of_run(config, &inputs).check()?;
    observer.reading(inputs.len(), states.iter().map(|state| state.bytes).sum());
    let jobs = thread_pool(config)?.current_num_threads();
    let shares = MemoryShares::of(budget, jobs, config.read.most_memory());
    let counts: Vec<Mutex<InputCounts>> = inputs.iter().map(|_| Mutex::default()).collect();
    let reader = InputReader {
        config,
        inputs: &inputs,
        states: &states,
        selection: &selection,
        files: shares.files,
        timer: &Timer::default(),
        stop,
        progress: &|bytes| observer.read(bytes),
    };
    let read = reader.read(&|number, intake, _| {
        counts[number].lock().unwrap_or_else(PoisonError::into_inner).add(intake);
        true
    })?;
    Stopped::check(stop)?;
    let mut sites = Sites::new();
    let mut of_inputs = Vec::with_capacity(inputs.len());
    for ((input, counts), read) in inputs.iter().zip(counts).zip(read.0) {
        let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
        of_inputs.push(counts.forecast(input, read));
        for (site, bytes) in counts.sites {
            *sites.entry(site).or_default() += bytes;
        }
    }
    let hashes = sites.keys().map(|site| xxhash_rust::xxh3::xxh3_64(site.as_bytes()));
    let mut hashes: Vec<u64> = hashes.collect();
    hashes.sort_unstable();
    warn_of_missing(&selection, &hashes);
    let html_bytes: u64 = of_inputs.iter().map(|input| input.html_bytes).sum();
    let spool_bytes = if html_bytes > shares.pages { html_bytes / PACKED } else { 0 };
    let mut largest: Vec<u64> =
        sites.values().map(|bytes| (*bytes).min(config.run.batch_bytes)).collect();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    let working = largest.iter().take(jobs).sum::<u64>() * WORKING;
    let memory = (PROGRAM + html_bytes.min(shares.pages) + working).min(budget);
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

#[derive(Debug, Default)]
struct InputCounts {
    pages: u64,
    sites: Sites,
    is_damaged: bool,
}

impl InputCounts {
    fn add(&mut self, intake: Intake) {
        let (site, bytes) = match intake {
            Intake::Page(page) => {
                let url = own_address(&page).unwrap_or_else(|| page.url.clone());
                (site_key(&url), page.html.len() as u64)
            }
            Intake::Revisit(revisit) => (site_key(&revisit.url), 0),
            Intake::Drop(drop) => {
                self.is_damaged |= DropReason::DAMAGE.contains(&drop.reason);
                return;
            }
            Intake::Feed(_) | Intake::Redirect { .. } | Intake::SiteFile(_) => return,
        };
        self.pages += 1;
        *self.sites.entry(site.unwrap_or_default()).or_default() += bytes;
    }

    fn forecast(&self, input: &Input, read: Result<(InputRecord, u64), String>) -> InputForecast {
        let is_empty = read
            .as_ref()
            .is_ok_and(|(record, _)| record.records.is_empty() && record.cut_short.is_none());
        let (bytes, left_out, problem) = match read {
            Ok((record, _)) => {
                let problem = match &record.cut_short {
                    Some(cut_short) => Some(cut_short.problem()),
                    None => is_empty.then(|| not_an_archive(input.path())),
                };
                (record.bytes, record.chosen.unwrap_or_default().left_out, problem)
            }
            Err(why) => (0, BTreeMap::new(), Some(why)),
        };
        InputForecast {
            file: input.path().to_string_lossy().into_owned(),
            format: input.format(),
            bytes,
            pages: self.pages,
            html_bytes: self.sites.values().sum(),
            left_out,
            problem,
            is_empty,
            is_damaged: self.is_damaged,
        }
    }
}

fn holds(out: &std::path::Path) -> &'static str {
    match Ledger::read(out).map(|ledger| ledger.state) {
        Some(RunState::Complete) => "finished run",
        Some(RunState::Running | RunState::Stopped) => "unfinished run",
        None if out.join(crate::run::folder::STATE).exists() => "unfinished run",
        None => match std::fs::read_dir(out).map(|mut entries| entries.next().is_none()) {
            Ok(true) | Err(_) => "new",
            Ok(false) => "other files",
        },
    }
}

fn results(config: &Config, html_bytes: u64) -> u64 {
    // The wrappers and dropped.jsonl, which every run writes.
    let outputs = config.emit.chosen().into_iter();
    let per_thousand = 3 + outputs.map(SinkName::size_per_thousand).sum::<u64>();
    html_bytes / 1000 * per_thousand
}
