//! `sitegrove run`: the main job.

mod dry_run;
mod outputs;
mod selection;
mod summary;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use model::{DropReason, PageType, Verdict};

pub(super) use self::outputs::OutputArgs;
pub(super) use self::selection::SelectionArgs;
pub(super) use self::summary::summary;
use config::{Config, Duplicates, SinkName, Unused};
use input::file_type::not_an_archive;
use sink::{InputRecord, Ledger, RunCounts};
use sitemodel::Engine;
use sitemodel::settings::SignifierChoice;
use terminal::format::PrintFormat;
use terminal::messages::LogFormat;
use terminal::observer::{Observer, Quiet};
use terminal::printed::Console;
use terminal::progress_bar::ProgressDisplay;
use terminal::whole_number::whole;

use crate::forecast::forecast;
use crate::run::Upload;
use crate::target::run as run_pipeline;
use config::SinkList;

/// Source of signifiers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SignifiersArg {
    /// Terms of the page, by tf-idf over its siblings
    Tfidf,
    /// Title and description of the feed item that points to the page
    Feeds,
}

/// What makes a run that finished fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A site's model is drifting or broken
    Drifting,
    /// A site's model is broken
    Broken,
    /// The inputs hold no page
    Empty,
}

impl FailOn {
    /// Whether a run with these counts fails.
    fn is_met(self, counts: &RunCounts) -> bool {
        let of = |verdict: Verdict| counts.sites_by_health.contains_key(verdict.as_str());
        match self {
            Self::Drifting => of(Verdict::Drifting) || of(Verdict::Broken),
            Self::Broken => of(Verdict::Broken),
            Self::Empty => counts.pages == 0,
        }
    }
}

/// Arguments of `sitegrove run`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove run configs/quickstart.toml
  sitegrove run crawl/*.warc.gz --out out/tonight
  sitegrove run crawl/ --feeds feeds/ --signifiers feeds -j 8 -o out/tonight
  sitegrove run saved-pages/ --engine euclid --out out/pages
  sitegrove run crawl/ --site-configs my-wrappers/ -o out/tonight
  sitegrove run crawl/ --sinks parquet --index articles.index -o out/tonight
  sitegrove run crawl/ --models models.sqlite --fail-on broken -o out/tonight
  sitegrove run --reextract --models models.sqlite -o out/again
  sitegrove run crawl/ --memory 4GB --spool /scratch -o out/tonight
  sitegrove run s3://crawl/night/ --work /scratch -o s3://out/night
  sitegrove run crawl/ --dry-run
  sitegrove run crawl/ --site blog.example --since 2026-10-01 -o out/try
  sitegrove run crawl/ --limit 500 -o out/try

The same command resumes a run that was stopped or killed, and does nothing if the run is complete. `sitegrove status DIR` shows the progress.

Exit codes: 0 success; 1 finished, but an input could not be read to its end, damaged inputs gave no page, an output could not be written, or --fail-on applies; 2 could not run; 130 stopped by Ctrl-C or SIGTERM (the same command resumes).")]
pub struct RunArgs {
    /// A configuration file (.toml), if any, followed by WARC, ARC, WACZ, HTML or MHTML files, indexes of
    /// archives (CDX, CDXJ), folders, globs or addresses (https://, s3://, hdfs://); @FILE reads a list of them, - reads
    /// an archive from standard input
    #[arg(value_name = "CONFIG|INPUT")]
    pub inputs: Vec<String>,
    /// Configuration file, as for the other commands; the same as naming it first
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Output folder, or an address s3://BUCKET/PREFIX, to which files are uploaded when the run is complete
    /// [default: sitegrove-out]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// RSS, Atom or JSON Feed files, folders or globs (repeatable)
    #[arg(long, value_name = "PATH")]
    pub feeds: Vec<String>,
    /// Extraction engine: grove, forest, coverage, forest-j, forest-u, sigfeed, description, words-leaves,
    /// euclid, blocks, density or text-density [default: grove]
    #[arg(long, value_name = "NAME")]
    pub engine: Option<Engine>,
    /// Source of the terms that distinguish a page from its siblings [default: tfidf]
    #[arg(long, value_name = "SOURCE")]
    pub signifiers: Option<SignifiersArg>,
    /// Site configs (wrappers written by hand, in the ftr-site-config format): a file HOST.txt or a folder of
    /// such files. They take precedence over learnt wrappers (repeatable)
    #[arg(long, value_name = "FILE|DIR")]
    pub site_configs: Vec<PathBuf>,
    /// Outputs to write, comma-separated: jsonl, csv, parquet, bulk, warc, sqlite, index, siteconfig, report;
    /// or all [default: jsonl,report]
    #[arg(long, value_name = "LIST")]
    pub sinks: Option<SinkList>,
    /// Outputs that grow.
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// Include each article as Markdown in the outputs jsonl, parquet and bulk
    #[arg(long)]
    pub markdown: bool,
    /// Types of pages to write, comma-separated: article, documentation, service, forum, collection, listing,
    /// product [default: all]
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub page_types: Vec<PageType>,
    /// What to do with articles that are the same as others of the crawl [default: flag]
    #[arg(long, value_name = "HOW")]
    pub duplicates: Option<Duplicates>,
    /// Number of threads; 0 is one per core [default: 0]
    #[arg(long, short, value_name = "N", value_parser = whole::<usize>)]
    pub jobs: Option<usize>,
    /// Memory limit, such as 800MiB or 16GB; pages that do not fit are kept on disk [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Folder for pages that do not fit into memory [default: one in the output folder]
    #[arg(long, value_name = "DIR")]
    pub spool: Option<PathBuf>,
    /// With an output at an address: folder in which the run is kept until its files are uploaded [default: the
    /// system's folder of temporary files]
    #[arg(long, value_name = "DIR")]
    pub work: Option<PathBuf>,
    /// Write metrics for Prometheus to this file and keep it up to date
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// Compare with the run in this folder: the report shows what changed, and the metrics name its counts
    #[arg(long, value_name = "RUN_DIR")]
    pub compare: Option<PathBuf>,
    /// Use and improve the site models in this file, which grows from run to run
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,
    /// Extract pages again with the models in the models file, which is not changed; in the archive, the new
    /// results replace the earlier ones. Without inputs, the pages in the models file are extracted
    #[arg(long, requires = "models")]
    pub reextract: bool,
    /// Limit the total size of the pages that the models file retains, such as 500MiB [default: 4GiB]
    #[arg(long, value_name = "SIZE", requires = "models")]
    pub models_size: Option<String>,
    /// Exit with code 1 if a site's model drifts or is broken (with --models), or if no page was found;
    /// comma-separated
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
    /// Replace the run in the output folder
    #[arg(long)]
    pub overwrite: bool,
    /// Only read the inputs and print what a run would process and need; writes nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Format of the summary
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: PrintFormat,
    /// Which pages to take.
    #[command(flatten)]
    pub selection: SelectionArgs,
}

impl RunArgs {
    /// The settings: defaults, then the configuration file, then the flags.
    ///
    /// # Errors
    /// If the configuration cannot be read or contains an unknown key.
    pub fn config(&self) -> Result<Config> {
        let (file, inputs) = match self.inputs.split_first() {
            Some((first, _)) if first.ends_with(".toml") && self.config.is_some() => {
                bail!("two configuration files, {first} and that of --config; give one of them")
            }
            Some((first, rest)) if first.ends_with(".toml") => (Some(Path::new(first)), rest),
            _ => (self.config.as_deref(), self.inputs.as_slice()),
        };
        let mut config = Config::load(file)?;
        config.run.inputs.extend(inputs.iter().cloned());
        config.run.feeds.extend(self.feeds.iter().cloned());
        if let Some(out) = &self.out {
            config.run.out.clone_from(out);
        }
        let choices = Choices {
            engine: self.engine,
            signifiers: self.signifiers,
            sinks: self.sinks.as_ref(),
            site_configs: &self.site_configs,
            markdown: self.markdown,
            page_types: &self.page_types,
            duplicates: self.duplicates,
            jobs: self.jobs,
        };
        choices.apply(&mut config)?;
        self.outputs.apply(&mut config)?;
        if let Some(memory) = &self.memory {
            config.run.memory.clone_from(memory);
        }
        if let Some(spool) = &self.spool {
            config.run.spool.clone_from(spool);
        }
        if let Some(work) = &self.work {
            config.run.work.clone_from(work);
        }
        if let Some(metrics) = &self.metrics {
            config.run.metrics.clone_from(metrics);
        }
        if let Some(compare) = &self.compare {
            config.run.compare.clone_from(compare);
        }
        if let Some(models) = &self.models {
            config.run.models.clone_from(models);
        }
        self.selection.apply(&mut config);
        config.run.reextract |= self.reextract;
        if let Some(size) = &self.models_size {
            config.run.models_size.clone_from(size);
        }
        let of_models = |own: &FailOn| *own != FailOn::Empty;
        if self.fail_on.iter().any(of_models) && config.run.models().is_none() {
            bail!(
                "--fail-on drifting and --fail-on broken need --models: without it no health is known"
            );
        }
        Ok(config)
    }
}

/// Choices of the command line that decide what is learnt, extracted and written.
pub(super) struct Choices<'a> {
    pub(super) engine: Option<Engine>,
    pub(super) signifiers: Option<SignifiersArg>,
    pub(super) sinks: Option<&'a SinkList>,
    pub(super) site_configs: &'a [PathBuf],
    pub(super) markdown: bool,
    pub(super) page_types: &'a [PageType],
    pub(super) duplicates: Option<Duplicates>,
    pub(super) jobs: Option<usize>,
}

impl Choices<'_> {
    /// Changes the settings accordingly.
    pub(super) fn apply(&self, config: &mut Config) -> Result<()> {
        if let Some(engine) = self.engine {
            config.rank.engine = engine;
        }
        if let Some(signifiers) = self.signifiers {
            config.signify.source = match signifiers {
                SignifiersArg::Tfidf => SignifierChoice::TfIdf,
                SignifiersArg::Feeds => SignifierChoice::Feeds,
            };
        }
        if let Some(sinks) = self.sinks {
            config.emit.sinks.clone_from(&sinks.0);
        }
        if !self.site_configs.is_empty() {
            config.wrap.site_configs.extend(self.site_configs.iter().cloned());
            config.read_site_configs()?;
        }
        config.emit.markdown |= self.markdown;
        if !self.page_types.is_empty() {
            config.emit.page_types.clone_from(&self.page_types.to_vec());
        }
        if let Some(duplicates) = self.duplicates {
            config.emit.duplicates = duplicates;
        }
        if let Some(jobs) = self.jobs {
            config.run.jobs = jobs;
        }
        Ok(())
    }
}

/// Runs the pipeline and prints a summary. Returns whether pages were found, every input was read to its end
/// and every output was written.
///
/// # Errors
/// As [`crate::run::run`].
pub fn run(
    args: &RunArgs,
    progress: Option<LogFormat>,
    stop: &AtomicBool,
    out: &mut Console<'_>,
) -> Result<bool> {
    let config = args.config()?;
    warn_of_settings(&config);
    if args.dry_run {
        let forecast = watched(progress, "learning", |observer| forecast(&config, stop, observer))?;
        dry_run::print(&forecast, args.format, out)?;
        return Ok(forecast.is_sound());
    }
    let report = watched(progress, "learning", |observer| {
        run_pipeline(&config, args.overwrite, stop, observer)
    })?;
    warn_of_results(&report.ledger);
    warn_of_upload(report.upload.as_ref());
    summary(&report, &config, args.format, out)?;
    let is_uploaded = report.upload.as_ref().is_none_or(|upload| upload.failed.is_empty());
    let whole =
        report.ledger.unreadable.is_empty() && report.ledger.failed_sinks.is_empty() && is_uploaded;
    Ok(whole && succeeded(&report.ledger, &args.fail_on))
}

/// Does some work and shows how far it is, if that is wanted: `verb` says what is done with the pages.
pub(super) fn watched<T>(
    progress: Option<LogFormat>,
    verb: &'static str,
    work: impl FnOnce(&dyn Observer) -> Result<T>,
) -> Result<T> {
    let Some(form) = progress else { return work(&Quiet) };
    let progress = ProgressDisplay::new(form, verb);
    let done = work(&progress);
    progress.clear();
    done
}

/// Warns of settings that have no effect.
pub(super) fn warn_of_settings(config: &Config) {
    if config.emit.markdown && !config.emit.wants_markdown() {
        let have = SinkName::ALL.iter().copied().filter(|name| name.has_markdown());
        let have: Vec<&str> = have.map(SinkName::as_str).collect();
        tracing::warn!(
            at = "--markdown",
            next = format!("these contain it: {}", have.join(", ")),
            "has no effect: none of the chosen outputs contains Markdown"
        );
    }
    for setting in config.unfitted() {
        tracing::warn!(
            at = setting,
            next = "remove it unless you have measured that it helps",
            "the weights of the engine grove were fitted with the default of this setting"
        );
    }
    for Unused { setting, engines } in config.unused() {
        let engine = config.rank.engine.name();
        tracing::warn!(
            at = setting,
            next = format!("these engines use it: {}", engines.join(", ")),
            "has no effect with the engine {engine}"
        );
    }
}

/// Maximum number of inputs that are named in messages.
const INPUTS_NAMED: usize = 5;

/// Reports what could not be read or written.
pub(super) fn warn_of_results(ledger: &Ledger) {
    for problem in ledger.unread() {
        tracing::error!(next = "everything before it was read", "{problem}");
    }
    for input in &ledger.inputs {
        if let Some(cut_short) = &input.cut_short {
            tracing::error!(at = input.file, "{}", cut_short.problem());
        }
    }
    for (name, problem) in &ledger.failed_sinks {
        tracing::error!(
            next = "the other outputs are complete",
            "cannot write the output {name}: {problem}"
        );
    }
    let empty = |input: &&InputRecord| input.records.is_empty();
    for input in ledger.inputs.iter().filter(empty).take(INPUTS_NAMED) {
        tracing::warn!(
            at = input.file,
            next = "no page was read from it",
            "{}",
            not_an_archive(Path::new(&input.file))
        );
    }
    let more = ledger.inputs.iter().filter(empty).count().saturating_sub(INPUTS_NAMED);
    if more > 0 {
        tracing::warn!(next = "dropped.jsonl lists them", "{more} more inputs contain no record");
    }
    if ledger.counts.pages == 0 && !is_empty_night(ledger) {
        tracing::error!(
            next = "give WARC, ARC, WACZ, HTML or MHTML files",
            "no page was found in the inputs"
        );
    }
}

/// Reports objects that could not be written.
fn warn_of_upload(upload: Option<&Upload>) {
    let Some(Upload { failed, kept: Some(kept), .. }) = upload else { return };
    for (object, why) in failed.iter().take(INPUTS_NAMED) {
        tracing::error!(at = object, "cannot be written: {why}");
    }
    let more = failed.len().saturating_sub(INPUTS_NAMED);
    if !failed.is_empty() {
        tracing::error!(
            at = %kept.display(),
            next = "the same command uploads what is missing",
            "keeps the complete results, as {} could not be written",
            match more {
                0 => "objects".to_owned(),
                more => format!("these objects and {more} more"),
            }
        );
    }
}

/// Whether a run found pages, or the inputs are sound and hold none, and --fail-on does not apply.
fn succeeded(ledger: &Ledger, fail_on: &[FailOn]) -> bool {
    let is_met = |own: &FailOn| own.is_met(&ledger.counts);
    (ledger.counts.pages > 0 || is_empty_night(ledger)) && !fail_on.iter().any(is_met)
}

/// Whether the inputs are sound and hold no page, as after a night on which nothing was crawled.
fn is_empty_night(ledger: &Ledger) -> bool {
    ledger.counts.pages == 0
        && ledger.inputs.iter().any(|input| !input.records.is_empty())
        && !DropReason::DAMAGE.iter().any(|reason| ledger.drops.contains_key(reason.as_str()))
}
