//! `sitegrove run`: the main job.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::{Args, ValueEnum};
use model::Verdict;

use super::progress::Progress;
use crate::config::Config;
use crate::ledger::Counts;
use crate::observer::{Observer, Quiet};
use crate::printed::line;
use crate::run::{Report, run as run_pipeline};
use crate::sink_name::SinkName;
use crate::sinks::SinkList;
use sitemodel::Engine;
use sitemodel::settings::SignifierChoice;

/// Where signifiers come from.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SignifiersArg {
    /// The page's own terms by tf-idf over its siblings
    Tfidf,
    /// Title and description of the feed item that points to the page
    Feeds,
}

/// From which health of a site's model on a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Drifting or broken
    Drifting,
    /// Broken
    Broken,
}

impl FailOn {
    /// Whether a run with these counts fails.
    fn is_met(self, counts: &Counts) -> bool {
        let of = |verdict: Verdict| counts.sites_by_health.contains_key(verdict.as_str());
        of(Verdict::Broken) || (self == Self::Drifting && of(Verdict::Drifting))
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
  sitegrove run crawl/ --memory 4GB --spool /scratch --metrics run.prom --out out/tonight

The same command again goes on with a run that was stopped or killed, and does nothing if all is done.
`sitegrove status DIR` tells how far a run is.

Exit codes: 0 done; 1 done, but some input could not be read to its end, some output could not be
written, there was no page at all, or --fail-on says so; 2 could not run; 130 stopped by Ctrl-C or SIGTERM, to be gone on
with.")]
pub struct RunArgs {
    /// A configuration (.toml) first, if any; then WARC files, HTML files, folders, globs
    #[arg(value_name = "CONFIG|INPUT")]
    pub inputs: Vec<String>,
    /// Folder for the results
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// RSS, Atom or JSON Feed files, folders of them, globs (repeatable)
    #[arg(long, value_name = "PATH")]
    pub feeds: Vec<String>,
    /// How articles are found: grove, forest, coverage, forest-j, forest-u, sigfeed, description,
    /// words-leaves, euclid, blocks, density, text-density
    #[arg(long, value_name = "NAME")]
    pub engine: Option<Engine>,
    /// Where signifiers come from
    #[arg(long, value_name = "SOURCE")]
    pub signifiers: Option<SignifiersArg>,
    /// Wrappers written by hand, in the ftr-site-config format: a file (HOST.txt) or a folder of them;
    /// they go before what is learnt (repeatable)
    #[arg(long, value_name = "FILE|DIR")]
    pub site_configs: Vec<PathBuf>,
    /// What to write, comma-separated: jsonl, csv, parquet, bulk, warc, sqlite, index,
    /// siteconfig, report; or all
    #[arg(long, value_name = "LIST")]
    pub sinks: Option<SinkList>,
    /// Add the articles to this archive (an SQLite file, made if absent); chooses sqlite
    #[arg(long, value_name = "FILE")]
    pub archive: Option<PathBuf>,
    /// Write each article as Markdown too, into jsonl, parquet and bulk
    #[arg(long)]
    pub markdown: bool,
    /// Add the articles to the search index in this folder, which grows from run to run
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Threads; 0 takes one a core
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Memory to take, like 800MiB or 16GB; pages that do not fit wait on disk [default: half the
    /// machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Folder for pages that do not fit into memory [default: one in the output folder]
    #[arg(long, value_name = "DIR")]
    pub spool: Option<PathBuf>,
    /// Keep a file current with metrics for Prometheus
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// Use and improve the models of sites in this file, which grows from night to night
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,
    /// Limit the pages that the models file retains, all together, like 500MiB or 4GiB [default: 4GiB]
    #[arg(long, value_name = "SIZE", requires = "models")]
    pub models_size: Option<String>,
    /// Exit with code 1 if a site's model drifts or is broken; drifting stands for both
    #[arg(long, value_name = "HEALTH", requires = "models")]
    pub fail_on: Option<FailOn>,
    /// Replace whatever run the output folder holds
    #[arg(long)]
    pub overwrite: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

impl RunArgs {
    /// The settings: defaults, then the configuration file, then the flags.
    ///
    /// # Errors
    /// If the configuration cannot be read or holds something unknown.
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
        if let Some(engine) = self.engine {
            config.rank.engine = engine;
        }
        if let Some(signifiers) = self.signifiers {
            config.signify.source = match signifiers {
                SignifiersArg::Tfidf => SignifierChoice::TfIdf,
                SignifiersArg::Feeds => SignifierChoice::Feeds,
            };
        }
        if let Some(sinks) = &self.sinks {
            config.emit.sinks.clone_from(&sinks.0);
        }
        if !self.site_configs.is_empty() {
            config.wrap.site_configs.extend(self.site_configs.iter().cloned());
            config.read_site_configs()?;
        }
        if let Some(archive) = &self.archive {
            config.emit.archive.clone_from(archive);
            config.emit.sinks.push(SinkName::Sqlite);
        }
        config.emit.markdown |= self.markdown;
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
        if let Some(size) = &self.models_size {
            config.run.models_size.clone_from(size);
        }
        if let Some(jobs) = self.jobs {
            config.run.jobs = jobs;
        }
        Ok(config)
    }
}

/// Runs the pipeline and prints a summary. Gives whether there were pages and every
/// input was read to its end.
///
/// # Errors
/// As [`crate::run::run`].
pub fn run(args: &RunArgs, stop: &AtomicBool, out: &mut dyn Write) -> Result<bool> {
    let config = args.config()?;
    if config.emit.markdown && !config.emit.wants_markdown() {
        let have = SinkName::ALL.into_iter().filter(|name| name.has_markdown());
        let have: Vec<&str> = have.map(SinkName::as_str).collect();
        tracing::warn!(
            "no output of this run holds Markdown: of all outputs only {} do",
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
                "Nothing to do: {folder} holds this run already ({} articles from {} pages of {} sites, \
                 begun {}). --overwrite makes it again.",
                ledger.counts.articles, ledger.counts.pages, ledger.counts.sites, ledger.started,
            )?;
        }
        let is_healthy = args.fail_on.is_none_or(|own| !own.is_met(&report.ledger.counts));
        return Ok(report.ledger.counts.pages > 0 && is_healthy);
    }
    for problem in &report.ledger.unreadable {
        tracing::error!("{problem}; what could be read is kept");
    }
    for (name, problem) in &report.ledger.failed_sinks {
        tracing::error!("the output {name} could not be written: {problem}; the others are whole");
    }
    let found_pages = report.ledger.counts.pages > 0;
    if !found_pages {
        tracing::error!("no page was found in the inputs; dropped.jsonl says what was");
    }
    if !args.quiet {
        summary(&report, &config, out)?;
    }
    let whole = report.ledger.unreadable.is_empty() && report.ledger.failed_sinks.is_empty();
    let is_healthy = args.fail_on.is_none_or(|own| !own.is_met(&report.ledger.counts));
    Ok(found_pages && whole && is_healthy)
}

/// Most sites the summary shows.
const SITES_SHOWN: usize = 15;

fn summary(report: &Report, config: &Config, out: &mut dyn Write) -> Result<()> {
    let ledger = &report.ledger;
    let counts = &ledger.counts;
    writeln!(
        out,
        "{} articles from {} pages of {} sites in {:.1} s ({:.0} pages/s, {:.0} MB of html/s, {} threads)",
        counts.articles,
        counts.pages,
        counts.sites,
        ledger.seconds,
        ledger.pages_per_second,
        ledger.html_mb_per_second,
        ledger.jobs,
    )?;
    writeln!(out, "\n{:<28} {:>8}  {:>10}  best wrapper", "site", "articles", "confidence")?;
    for (site, articles, best) in report.best.iter().take(SITES_SHOWN) {
        let (confidence, wrapper) = match best {
            Some(best) => (format!("{:.2}", best.confidence), best.content.join("  |  ")),
            None if *articles > 0 => ("-".to_owned(), "(page by page)".to_owned()),
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
        writeln!(out, "\nLeft out: {} ({})", counts.dropped, reasons.join(", "))?;
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
