//! Emit.
//!
//! Takes: the results of each site, in emission order.
//! Gives: the files of the run folder, each complete or absent.
//! Why: the outputs are the same bytes for any number of threads.
//! Drops: nothing; it writes the drops of the other stages.
//!
//! Templates and wrappers of sites are written to one file per site in `wrappers/` or, in a run with many sites, to one line per
//! site in `wrappers.jsonl`. Sites about which nothing was learnt are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use config::{Config, EmitConfig, SinkName};
use model::{Drop, SiteNight, SiteResult, SiteSummary};
use segment::records::Absences;
use sink::{
    AtomicFile, Ledger, Render, Sink, SinkError, compared_night, drop_record, health_record,
    json_lines, make_folder, site_file_name,
};

use crate::run::sinks::{open_sink, remove_stale};

/// File with the health of sites and their models.
const HEALTH: &str = "health.jsonl";
/// File that compares each site tonight with its usual nights.
const COMPARISON: &str = "comparison.json";
const COMPARISON_BEGINS: &[u8] = b"{\"schema\":1,\"sites\":[\n";

/// Files about the sites of a night.
struct NightFiles {
    health: AtomicFile,
    comparison: AtomicFile,
    /// Written so far.
    sites: u64,
}

impl NightFiles {
    fn create(folder: &Path) -> Result<Self, SinkError> {
        let health = AtomicFile::create(&folder.join(HEALTH))?;
        Ok(Self { health, comparison: AtomicFile::create(&folder.join(COMPARISON))?, sites: 0 })
    }
}

/// A chosen sink: in use, or failed with a reason.
struct ChosenSink<'a> {
    name: SinkName,
    sink: Result<Box<dyn Sink + 'a>, SinkError>,
}

impl<'a> ChosenSink<'a> {
    /// Calls the sink, if it is in use; if that fails, its unfinished files are removed.
    fn call(&mut self, act: impl FnOnce(&mut (dyn Sink + 'a)) -> Result<(), SinkError>) {
        if let Ok(sink) = &mut self.sink
            && let Err(error) = act(&mut **sink)
        {
            self.sink = Err(error);
        }
    }
}

/// The open files of a run folder. If dropped before [`Outputs::finish`], they are removed.
pub(crate) struct Outputs<'a> {
    folder: PathBuf,
    config: EmitConfig,
    sinks: Vec<ChosenSink<'a>>,
    dropped: AtomicFile,
    /// Set in a run with a model store.
    nights: Option<NightFiles>,
    wrappers: WrapperFiles,
    form: WrapperForm,
    /// Templates and wrappers of the current site, if more parts follow.
    open: Option<SiteSummary>,
}

impl<'a> Outputs<'a> {
    /// Opens the output files in the run folder, which must exist, for a run with `sites` sites. A sink that cannot be opened
    /// counts as failed, unless `stop` ended a wait for another program.
    pub(crate) fn create(
        config: &Config,
        sites: usize,
        stop: &'a AtomicBool,
    ) -> Result<Self, SinkError> {
        let folder = &config.run.out;
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
            nights: config.run.models().map(|_| NightFiles::create(folder)).transpose()?,
            open: None,
        })
    }

    pub(crate) fn renderers(&self) -> Renderers {
        let sinks = || self.sinks.iter().map(|chosen| chosen.sink.as_ref().ok());
        Renderers {
            of_sinks: sinks().map(|sink| sink.and_then(|sink| sink.render())).collect(),
            form: self.form,
            read_articles: sinks().flatten().any(|sink| sink.reads_articles()),
        }
    }

    /// Writes the result of one site. Call it in emission order. If a sink fails, the others continue; it is an error if no
    /// sink is left, or if what every run writes cannot be written.
    pub(crate) fn emit(&mut self, site: Rendered) -> Result<(), SinkError> {
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
            chosen.call(|sink| sink.take(&result, bytes.as_deref().unwrap_or_default()));
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

    /// Writes the health of a site, in a run with a model store.
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

    /// The error of a sink if all sinks have failed, in which case it is pointless to continue.
    fn any_left(&mut self) -> Result<(), SinkError> {
        if self.sinks.is_empty() || self.sinks.iter().any(|chosen| chosen.sink.is_ok()) {
            return Ok(());
        }
        self.sinks.swap_remove(0).sink.map(|_| ())
    }

    /// Writes drops that belong to no site.
    pub(crate) fn emit_drops(&mut self, drops: &[Drop]) -> Result<(), SinkError> {
        self.dropped.write_bytes(&json_lines(drops.iter().map(drop_record)))
    }

    /// Passes the name of the night to the outputs. Call it before anything is written.
    pub(crate) fn begin_night(&mut self, night: &str) -> Result<(), SinkError> {
        self.sinks.iter_mut().for_each(|chosen| chosen.call(|sink| sink.begin_night(night)));
        self.any_left()
    }

    /// Passes responses without a page to the outputs. Call it before any site is written.
    pub(crate) fn take_absences(&mut self, absences: &Absences) -> Result<(), SinkError> {
        absences
            .each(&mut |some| {
                let sinks = self.sinks.iter_mut();
                sinks.for_each(|chosen| chosen.call(|sink| sink.take_absences(some)));
                Ok::<_, io::Error>(())
            })
            .map_err(|source| SinkError {
                what: "cannot read the answers without a page kept in",
                path: self.folder.clone(),
                source,
            })?;
        self.any_left()
    }

    /// Renames all files to their final names and removes files of an earlier run that this run does not write. Returns the
    /// failed sinks with their errors; fails if all sinks failed, or if a wait for another program was stopped.
    pub(crate) fn finish(self) -> Result<BTreeMap<String, String>, SinkError> {
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

/// Renders results of sites in the thread pool, many sites at a time, so that writing them in order is only copying.
pub(crate) struct Renderers {
    /// `None` for a sink that renders nothing.
    of_sinks: Vec<Option<Render>>,
    form: WrapperForm,
    /// Whether any sink needs the fields of articles.
    pub(crate) read_articles: bool,
}

/// A site's result, rendered for every sink.
pub(crate) struct Rendered {
    pub(crate) result: SiteResult,
    /// One for each sink; `None` for a sink that renders nothing.
    by_sink: Vec<Option<Vec<u8>>>,
    dropped: Vec<u8>,
    /// Its templates and wrappers; `None` for a part of a site, because they cover all parts.
    wrappers: Option<Option<Vec<u8>>>,
}

impl Renderers {
    pub(crate) fn render(&self, result: SiteResult, part: usize) -> Rendered {
        let is_whole = part == 0 && !result.more;
        let render = |render: &Option<Render>| render.as_ref().map(|render| render(&result));
        Rendered {
            by_sink: self.of_sinks.iter().map(render).collect(),
            dropped: json_lines(result.drops.iter().map(drop_record)),
            wrappers: is_whole.then(|| self.form.render(&result.summary)),
            result,
        }
    }
}

/// Name of the folder with a file for each site.
pub(crate) const WRAPPER_FOLDER: &str = "wrappers";
/// Name of the file with a line for each site.
pub(crate) const WRAPPER_LINES: &str = "wrappers.jsonl";
/// Runs with more sites write lines.
const MOST_FILES: usize = 1_000;

/// How the wrappers of a run are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum WrapperForm {
    Files,
    Lines,
}

impl WrapperForm {
    /// The form for a run with this number of sites.
    pub(crate) fn of(sites: usize) -> Self {
        if sites > MOST_FILES { Self::Lines } else { Self::Files }
    }

    /// Renders the templates and wrappers of a site; `None` if nothing was learnt about it.
    pub(crate) fn render(self, summary: &SiteSummary) -> Option<Vec<u8>> {
        let is_learnt = summary.templates.iter().any(|template| {
            template.wrapper.is_some() || !template.fields.is_empty() || template.pages > 1
        });
        if !is_learnt && summary.site_configs.is_empty() {
            return None;
        }
        let mut json = match self {
            Self::Files => serde_json::to_vec_pretty(summary),
            Self::Lines => serde_json::to_vec(summary),
        }
        .unwrap_or_default();
        json.push(b'\n');
        Some(json)
    }
}

struct WrapperFiles {
    folder: PathBuf,
    /// Files of sites, which are renamed when all outputs are complete.
    sites: Vec<AtomicFile>,
    lines: Option<AtomicFile>,
    /// Files of an earlier run.
    stale: BTreeSet<PathBuf>,
}

impl WrapperFiles {
    /// Begins the files in a run folder, which must exist.
    fn create(run: &Path, form: WrapperForm) -> Result<Self, SinkError> {
        let folder = run.join(WRAPPER_FOLDER);
        let files = fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path());
        // Files with other names do not belong to a run.
        let stale = files
            .filter(|path| path.extension().is_some_and(|end| end == "json" || end == "partial"));
        let mut stale: BTreeSet<PathBuf> = stale.collect();
        let lines = run.join(WRAPPER_LINES);
        let lines = match form {
            WrapperForm::Files => {
                make_folder(&folder)?;
                stale.extend([AtomicFile::temporary(&lines), lines]);
                None
            }
            WrapperForm::Lines => Some(AtomicFile::create(&lines)?),
        };
        Ok(Self { folder, sites: Vec::new(), lines, stale })
    }

    fn write(&mut self, site: &str, rendered: &[u8]) -> Result<(), SinkError> {
        if let Some(lines) = &mut self.lines {
            return lines.write_bytes(rendered);
        }
        let mut file =
            AtomicFile::create(&self.folder.join(format!("{}.json", site_file_name(site))))?;
        file.write_bytes(rendered)?;
        file.close()?;
        self.stale.remove(file.path());
        self.stale.remove(&AtomicFile::temporary(file.path()));
        self.sites.push(file);
        Ok(())
    }

    /// Renames all files to their final names and removes those of an earlier run that this one does not write.
    fn finish(self) -> Result<(), SinkError> {
        AtomicFile::finish_all(self.sites)?;
        if let Some(lines) = self.lines {
            lines.finish()?;
        }
        // A leftover that cannot be removed does no harm.
        for stale in self.stale {
            let _ = fs::remove_file(stale);
        }
        let _ = fs::remove_dir(self.folder);
        Ok(())
    }
}
