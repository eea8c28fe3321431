//! Emit.
//!
//! Takes: the results of each site, in emission order.
//! Gives: the files of the run folder, each complete or absent.
//! Why: the outputs are the same bytes for any number of threads.
//! Drops: nothing; it writes the drops of the other stages.

pub(crate) mod wrapper_files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use config::{Config, EmitConfig, SinkName};
use model::{Drop, SiteNight, SiteResult, SiteSummary};
use segment::records::Absences;
use sink::{
    AtomicFile, Ledger, Render, Sink, SinkError, compared_night, drop_record, health_record,
    json_lines,
};

use self::wrapper_files::{WrapperFiles, WrapperForm};
use crate::run::sinks::{open_sink, remove_stale};

/// How sites and their models are.
const HEALTH: &str = "health.jsonl";
/// Each site tonight and usually.
const COMPARISON: &str = "comparison.json";
const COMPARISON_BEGINS: &[u8] = b"{\"schema\":1,\"sites\":[\n";

/// The files about the sites of a night.
struct NightFiles {
    health: AtomicFile,
    comparison: AtomicFile,
    /// Written so far.
    sites: u64,
}

/// A chosen sink: in use, or failed with the reason.
struct ChosenSink<'a> {
    name: SinkName,
    sink: Result<Box<dyn Sink + 'a>, SinkError>,
}

/// The open files of a run folder. If dropped before [`Outputs::finish`], they are removed.
pub struct Outputs<'a> {
    folder: PathBuf,
    config: EmitConfig,
    sinks: Vec<ChosenSink<'a>>,
    dropped: AtomicFile,
    /// In a run with a store of models.
    nights: Option<NightFiles>,
    wrappers: WrapperFiles,
    form: WrapperForm,
    /// Templates and wrappers of a site of which more parts follow.
    open: Option<SiteSummary>,
}

impl<'a> Outputs<'a> {
    /// Opens the files of the folder of a run with so many sites, which must exist. A sink that cannot be opened counts as failed. What waits
    /// for other programs looks at `stop`.
    ///
    /// # Errors
    /// If what every run writes cannot be created: `dropped.jsonl`, `wrappers/`; if waiting for other programs is
    /// stopped.
    pub fn create(
        folder: &Path,
        config: &Config,
        sites: usize,
        stop: &'a AtomicBool,
    ) -> Result<Self, SinkError> {
        let form = WrapperForm::of(sites);
        let mut sinks = Vec::new();
        for name in config.emit.chosen() {
            match open_sink(name, folder, config, stop) {
                Err(error) if error.is_stopped() => return Err(error),
                sink => sinks.push(ChosenSink { name, sink }),
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            config: config.emit.clone(),
            wrappers: WrapperFiles::create(folder, form)?,
            form,
            sinks,
            dropped: AtomicFile::create(&folder.join("dropped.jsonl"))?,
            nights: match config.run.models() {
                Some(_) => Some(NightFiles {
                    health: AtomicFile::create(&folder.join(HEALTH))?,
                    comparison: AtomicFile::create(&folder.join(COMPARISON))?,
                    sites: 0,
                }),
                None => None,
            },
            open: None,
        })
    }

    /// Whether any of them reads the articles of sites.
    pub(crate) fn read_articles(&self) -> bool {
        self.sinks.iter().any(|chosen| chosen.sink.as_ref().is_ok_and(|sink| sink.reads_articles()))
    }

    /// The renderers for these outputs.
    pub fn renderers(&self) -> Renderers {
        let render =
            |chosen: &ChosenSink<'_>| chosen.sink.as_ref().ok().and_then(|sink| sink.render());
        Renderers::new(self.sinks.iter().map(render).collect(), self.form)
    }

    /// Writes the result of one site. Call it in emission order. If a sink fails, its unfinished files are
    /// removed and the others continue.
    ///
    /// # Errors
    /// If what every run writes cannot be written (a full disk or the like), or no sink is left.
    pub fn emit(&mut self, site: Rendered) -> Result<(), SinkError> {
        let Rendered { mut result, by_sink, dropped, wrappers } = site;
        if result.more || self.open.is_some() {
            let part = std::mem::take(&mut result.summary);
            match &mut self.open {
                Some(open) => open.absorb(part),
                none => *none = Some(part),
            }
            if !result.more
                && let Some(whole) = self.open.take()
            {
                result.summary = whole;
            }
        }
        for (chosen, bytes) in self.sinks.iter_mut().zip(&by_sink) {
            if let Ok(sink) = &mut chosen.sink
                && let Err(error) = sink.take(&result, bytes.as_deref().unwrap_or_default())
            {
                chosen.sink = Err(error);
            }
        }
        self.dropped.write_bytes(&dropped)?;
        if let Some(night) = &result.night {
            self.emit_night(night)?;
        }
        if !result.more {
            let rendered = wrappers.unwrap_or_else(|| self.form.render(&result.summary));
            if let Some(rendered) = rendered {
                self.wrappers.write(&result.site, &rendered)?;
            }
        }
        self.any_left()
    }

    /// Writes how a site is, in a run with a store of models.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub(crate) fn emit_night(&mut self, night: &SiteNight) -> Result<(), SinkError> {
        let Some(NightFiles { health, comparison, sites }) = &mut self.nights else {
            return Ok(());
        };
        health.write_bytes(&json_lines(std::iter::once(health_record(night))))?;
        comparison.write_bytes(if *sites == 0 { COMPARISON_BEGINS } else { b",\n" })?;
        *sites += 1;
        let json = serde_json::to_vec(&compared_night(night)).unwrap_or_default();
        comparison.write_bytes(&json)
    }

    /// The error of a sink, if all sinks have failed: then continuing is pointless.
    fn any_left(&mut self) -> Result<(), SinkError> {
        if self.sinks.is_empty() || self.sinks.iter().any(|chosen| chosen.sink.is_ok()) {
            return Ok(());
        }
        self.sinks.swap_remove(0).sink.map(|_| ())
    }

    /// Writes drops that belong to no site.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn emit_drops(&mut self, drops: &[Drop]) -> Result<(), SinkError> {
        self.dropped.write_bytes(&json_lines(drops.iter().map(drop_record)))
    }

    /// Passes on to the outputs the name of the night. Call it before anything is written.
    pub(crate) fn begin_night(&mut self, night: &str) -> Result<(), SinkError> {
        for chosen in &mut self.sinks {
            if let Ok(sink) = &mut chosen.sink
                && let Err(error) = sink.begin_night(night)
            {
                chosen.sink = Err(error);
            }
        }
        self.any_left()
    }

    /// Passes on to the outputs what the crawl answered without a page. Call it before any site is written.
    pub(crate) fn take_absences(&mut self, absences: &Absences) -> Result<(), SinkError> {
        absences
            .each(&mut |some| {
                for chosen in &mut self.sinks {
                    if let Ok(sink) = &mut chosen.sink
                        && let Err(error) = sink.take_absences(some)
                    {
                        chosen.sink = Err(error);
                    }
                }
                Ok::<_, io::Error>(())
            })
            .map_err(|source| SinkError {
                what: "cannot read the answers without a page kept in",
                path: self.folder.clone(),
                source,
            })?;
        self.any_left()
    }

    /// Renames all files to their final names and removes files of an earlier run that this one does not
    /// write. Returns the sinks that failed, with their errors.
    ///
    /// # Errors
    /// If what every run writes cannot be finished, or no sink could be; if waiting for other programs is stopped.
    pub fn finish(self) -> Result<BTreeMap<String, String>, SinkError> {
        // A ledger marks a run as complete. There must be none until the new one is written, or a crash
        // between two files would look like a finished run.
        match fs::remove_file(self.folder.join(Ledger::FILE)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                let path = self.folder.join(Ledger::FILE);
                return Err(SinkError { what: "cannot replace", path, source });
            }
            _ => {}
        }
        let all = self.sinks.len();
        let mut failed = BTreeMap::new();
        let mut last = None;
        for ChosenSink { name, sink } in self.sinks {
            if let Err(error) = sink.and_then(Sink::finish) {
                if error.is_stopped() {
                    return Err(error);
                }
                failed.insert(name.as_str().to_owned(), error.to_string());
                last = Some(error);
            }
        }
        if let Some(error) = last.filter(|_| failed.len() == all) {
            return Err(error);
        }
        self.dropped.finish()?;
        match self.nights {
            Some(NightFiles { health, mut comparison, sites }) => {
                health.finish()?;
                comparison.write_bytes(if sites == 0 { COMPARISON_BEGINS } else { b"" })?;
                comparison.write_bytes(b"\n]}\n")?;
                comparison.finish()?;
            }
            // A leftover that cannot be removed does no harm.
            None => {
                for name in [HEALTH, COMPARISON] {
                    drop(fs::remove_file(self.folder.join(name)));
                }
            }
        }
        self.wrappers.finish()?;
        let chosen = self.config.chosen();
        for name in SinkName::ALL.iter().copied() {
            let written = chosen.contains(&name) && !failed.contains_key(name.as_str());
            remove_stale(name, &self.folder, &self.config, written);
        }
        Ok(failed)
    }
}

/// Turns results of sites into output. Runs in the thread pool, many sites at a time, so that writing in order is only
/// copying.
#[derive(Clone, Default)]
pub struct Renderers(Vec<Option<Render>>, WrapperForm);

/// A site's result with its bytes for every sink.
#[derive(Debug)]
pub struct Rendered {
    pub(crate) result: SiteResult,
    /// One for each sink; none where it renders nothing.
    by_sink: Vec<Option<Vec<u8>>>,
    pub(crate) dropped: Vec<u8>,
    /// What is written of its templates and wrappers, if anything is; none for a part of a site, since that covers all parts.
    pub(crate) wrappers: Option<Option<Vec<u8>>>,
}

impl Rendered {
    /// The result of the site.
    pub fn result(&self) -> &SiteResult {
        &self.result
    }

    pub(crate) fn result_mut(&mut self) -> &mut SiteResult {
        &mut self.result
    }
}

impl std::fmt::Debug for Renderers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Renderers").field(&self.0.len()).finish()
    }
}

impl Renderers {
    /// Those of sinks; `None` for one that renders nothing.
    pub(crate) fn new(of_sinks: Vec<Option<Render>>, form: WrapperForm) -> Self {
        Self(of_sinks, form)
    }

    /// Renders the result of a site, or of its part with this number.
    pub fn render(&self, result: SiteResult, part: usize) -> Rendered {
        let is_whole = part == 0 && !result.more;
        let by_sink = self.0.iter().map(|render| render.as_ref().map(|render| render(&result)));
        Rendered {
            by_sink: by_sink.collect(),
            dropped: json_lines(result.drops.iter().map(drop_record)),
            wrappers: is_whole.then(|| self.1.render(&result.summary)),
            result,
        }
    }
}
