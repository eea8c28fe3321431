//! `sitegrove run`: the main job.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use model::{DropReason, PageType, Verdict};

use super::progress::Progress;
use crate::config::Config;
use crate::printed::line;
use crate::progress::ledger::{Counts, Ledger};
use crate::progress::observer::{Observer, Quiet};
use crate::run::{Report, run as run_pipeline};
use crate::sink_name::SinkName;
use crate::sinks::SinkList;
use sitemodel::Engine;
use sitemodel::settings::SignifierChoice;

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
    fn is_met(self, counts: &Counts) -> bool {
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
  sitegrove run crawl/ --feeds feeds/ --signifiers feeds --out out/tonight --jobs 8
  sitegrove run saved-pages/ --engine euclid --out out/pages
  sitegrove run crawl/ --site-configs my-wrappers/ --sinks jsonl,siteconfig --out out/tonight
  sitegrove run crawl/ --sinks jsonl,parquet --index articles.index --out out/tonight
  sitegrove run crawl/ --models models.sqlite --fail-on broken --out out/tonight
  sitegrove run --reextract --models models.sqlite --archive articles.sqlite --out out/again
  sitegrove run crawl/ --memory 4GB --spool /scratch --metrics run.prom --out out/tonight

The same command resumes a run that was stopped or killed, and does nothing if the run is complete.
`sitegrove status DIR` shows the progress.

Exit codes: 0 success; 1 finished, but an input could not be read to its end or holds no record, an output could
not be written, or --fail-on says so; 2 could not run; 130 stopped by Ctrl-C or SIGTERM (the same command
resumes).")]
pub struct RunArgs {
    /// A configuration file (.toml), if any, followed by WARC, ARC, WACZ, HTML or MHTML files, folders or
    /// globs; @FILE reads a list of them, - reads an archive from standard input
    #[arg(value_name = "CONFIG|INPUT")]
    pub inputs: Vec<String>,
    /// Output folder [default: sitegrove-out]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// RSS, Atom or JSON Feed files, folders or globs (repeatable)
    #[arg(long, value_name = "PATH")]
    pub feeds: Vec<String>,
    /// Extraction engine: grove, forest, coverage, forest-j, forest-u, sigfeed, description, words-leaves,
    /// euclid, blocks, density, text-density [default: grove]
    #[arg(long, value_name = "NAME")]
    pub engine: Option<Engine>,
    /// Source of the terms that tell a page from its siblings [default: tfidf]
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
    /// Add the articles to this archive, an SQLite file that is created if necessary; adds sqlite to the
    /// outputs
    #[arg(long, value_name = "FILE")]
    pub archive: Option<PathBuf>,
    /// Include each article as Markdown in the outputs jsonl, parquet and bulk
    #[arg(long)]
    pub markdown: bool,
    /// Types of pages to write, comma-separated: article, documentation, service, forum, collection, listing,
    /// product (default: all)
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub page_types: Vec<PageType>,
    /// Add the articles to the search index in this folder; adds index to the outputs
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Number of threads; 0 is one per core [default: 0]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Memory limit, such as 800MiB or 16GB; pages that do not fit are kept on disk [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Folder for pages that do not fit into memory [default: one in the output folder]
    #[arg(long, value_name = "DIR")]
    pub spool: Option<PathBuf>,
    /// Write metrics for Prometheus to this file and keep it up to date
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// Use and improve the models of sites in this file, which grows from night to night
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,
    /// Read captures again with the models in the models file, which stays as it is; in the archive, what is
    /// found replaces what was read of them before. Without inputs, the pages that the models file retains
    #[arg(long, requires = "models")]
    pub reextract: bool,
    /// Limit the pages that the models file retains, all together, like 500MiB or 4GiB [default: 4GiB]
    #[arg(long, value_name = "SIZE", requires = "models")]
    pub models_size: Option<String>,
    /// Exit with code 1 if a site's model drifts or is broken (with --models), or no page was found; comma-separated
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
    /// Replace the run in the output folder
    #[arg(long)]
    pub overwrite: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}

impl RunArgs {
    /// The settings: defaults, then the configuration file, then the flags.
    ///
    /// # Errors
    /// If the configuration cannot be read or contains an unknown key.
    pub fn config(&self) -> Result<Config> {
        let (file, inputs) = match self.inputs.split_first() {
            Some((first, rest)) if first.ends_with(".toml") => (Some(Path::new(first)), rest),
            _ => (None, self.inputs.as_slice()),
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
            jobs: self.jobs,
        };
        choices.apply(&mut config)?;
        if let Some(archive) = &self.archive {
            config.emit.archive.clone_from(archive);
            config.emit.sinks.push(SinkName::Sqlite);
        }
        if let Some(index) = &self.index {
            config.emit.index.clone_from(index);
            config.emit.sinks.push(SinkName::Index);
        }
        if let Some(memory) = &self.memory {
            config.run.memory.clone_from(memory);
        }
        if let Some(spool) = &self.spool {
            config.run.spool.clone_from(spool);
        }
        if let Some(metrics) = &self.metrics {
            config.run.metrics.clone_from(metrics);
        }
        if let Some(models) = &self.models {
            config.run.models.clone_from(models);
        }
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
    pub(super) jobs: Option<usize>,
}

impl Choices<'_> {
    /// Changes the settings accordingly.
    ///
    /// # Errors
    /// If a site config cannot be read.
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
pub fn run(args: &RunArgs, stop: &AtomicBool, out: &mut dyn Write) -> Result<bool> {
    let config = args.config()?;
    if config.emit.markdown && !config.emit.wants_markdown() {
        let have = SinkName::ALL.into_iter().filter(|name| name.has_markdown());
        let have: Vec<&str> = have.map(SinkName::as_str).collect();
        tracing::warn!(
            "--markdown has no effect: none of the chosen outputs contains Markdown; these do: {}",
            have.join(", ")
        );
    }
    let report = if args.quiet {
        run_pipeline(&config, args.overwrite, stop, &Quiet)?
    } else {
        let progress = Progress::new();
        let report = run_pipeline(&config, args.overwrite, stop, &progress as &dyn Observer);
        progress.clear();
        report?
    };
    if report.nothing_to_do {
        if !args.quiet {
            let (ledger, folder) = (&report.ledger, config.run.out.display());
            writeln!(
                out,
                "Nothing to do: {folder} already contains this run ({} articles from {} pages of {} sites, \
                 started {}). Use --overwrite to repeat it.",
                ledger.counts.articles, ledger.counts.pages, ledger.counts.sites, ledger.started,
            )?;
        }
        return Ok(succeeded(&report.ledger, &args.fail_on));
    }
    for problem in &report.ledger.unreadable {
        tracing::error!("{problem}; everything before it was read");
    }
    for (name, problem) in &report.ledger.failed_sinks {
        tracing::error!(
            "cannot write the output {name}: {problem}; the other outputs are complete"
        );
    }
    if report.ledger.counts.pages == 0 && !is_empty_night(&report.ledger) {
        tracing::error!("no page was found in the inputs; see dropped.jsonl for what was found");
    }
    if !args.quiet {
        summary(&report, &config, out)?;
    }
    let whole = report.ledger.unreadable.is_empty() && report.ledger.failed_sinks.is_empty();
    Ok(whole && succeeded(&report.ledger, &args.fail_on))
}

/// Whether a run found pages, or an empty night, and nothing that it is to fail on.
fn succeeded(ledger: &Ledger, fail_on: &[FailOn]) -> bool {
    let is_met = |own: &FailOn| own.is_met(&ledger.counts);
    (ledger.counts.pages > 0 || is_empty_night(ledger)) && !fail_on.iter().any(is_met)
}

/// Damage in inputs. With it and without a page, the crawl itself has probably failed.
const DAMAGE: [DropReason; 5] = [
    DropReason::BadRecord,
    DropReason::BadCompression,
    DropReason::CutShort,
    DropReason::Junk,
    DropReason::BadHttp,
];

/// Whether the inputs are sound and hold no page, as after a night on which nothing was crawled.
fn is_empty_night(ledger: &Ledger) -> bool {
    ledger.counts.pages == 0
        && ledger.inputs.iter().any(|input| !input.records.is_empty())
        && !DAMAGE.iter().any(|reason| ledger.drops.contains_key(reason.as_str()))
}

/// Maximum number of sites in the summary.
const SITES_SHOWN: usize = 15;

pub(super) fn summary(report: &Report, config: &Config, out: &mut dyn Write) -> Result<()> {
    let ledger = &report.ledger;
    let counts = &ledger.counts;
    writeln!(
        out,
        "{} articles from {} pages of {} sites in {:.1} s ({:.0} pages/s, {:.0} MB of HTML/s, {} threads)",
        counts.articles,
        counts.pages,
        counts.sites,
        ledger.seconds,
        ledger.pages_per_second,
        ledger.html_mb_per_second,
        ledger.jobs,
    )?;
    if counts.pages == 0 {
        let records: u64 = ledger.inputs.iter().flat_map(|input| input.records.values()).sum();
        let inputs = ledger.inputs.len();
        writeln!(out, "\nNo page among the {records} records of {inputs} inputs.")?;
    } else {
        writeln!(out, "\n{:<28} {:>8}  {:>10}  best wrapper", "site", "articles", "confidence")?;
    }
    for (site, articles, best) in report.best.iter().take(SITES_SHOWN) {
        let (confidence, wrapper) = match best {
            Some(best) => (format!("{:.2}", best.confidence), best.content.join("  |  ")),
            None if *articles > 0 => ("-".to_owned(), "(single pages)".to_owned()),
            None => ("-".to_owned(), "(no articles)".to_owned()),
        };
        let (site, wrapper) = (line(site), line(&wrapper));
        writeln!(out, "{site:<28} {articles:>8}  {confidence:>10}  {wrapper}")?;
    }
    if report.best.len() > SITES_SHOWN {
        writeln!(out, "… and {} more sites", counts.sites - SITES_SHOWN as u64)?;
    }
    if counts.dropped > 0 {
        let reasons: Vec<String> =
            ledger.drops.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
        writeln!(out, "\nDropped: {} ({})", counts.dropped, reasons.join(", "))?;
    }
    if counts.pages_overruled > 0 {
        writeln!(
            out,
            "\nSite configs: on {} pages the engine's text was used, as they find next to nothing of it; \
             site_configs in wrappers/SITE.json says where",
            counts.pages_overruled
        )?;
    }
    if let Some(models) = config.run.models() {
        let joined = |of: &BTreeMap<String, u64>| {
            of.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
        };
        let (health, decisions) =
            (joined(&counts.sites_by_health), joined(&counts.sites_by_decision));
        writeln!(
            out,
            "\nModels in {}: {health} ({decisions}); health.jsonl says more",
            models.display()
        )?;
    }
    let mut written = config.emit.chosen();
    written.retain(|name| !ledger.failed_sinks.contains_key(name.as_str()));
    let (here, elsewhere): (Vec<SinkName>, Vec<SinkName>) =
        written.into_iter().partition(|name| name.is_in_run_folder(&config.emit));
    let always = ["wrappers/", "dropped.jsonl", "ledger.json"].map(str::to_owned);
    let files: Vec<String> =
        (here.into_iter().map(|name| name.shown(&config.emit))).chain(always).collect();
    writeln!(out, "\nResults in {}: {}", config.run.out.display(), files.join(", "))?;
    for name in elsewhere {
        writeln!(out, "Added to {}", name.path(&config.run.out, &config.emit).display())?;
    }
    Ok(())
}
