//! `sitegrove survey`, `learn`, `apply` and `merge`: a run in steps of any number of processes.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::Args;
use model::PageType;
use sitemodel::Engine;

use super::progress::Progress;
use super::run::{Choices, SignifiersArg, summary};
use crate::config::Config;
use crate::progress::observer::Quiet;
use crate::sinks::SinkList;
use crate::steps::{Share, apply, learn, merge, survey};

/// Settings that all steps of a crawl must be given alike.
#[derive(Args, Debug)]
pub struct SettingsArgs {
    /// Configuration file (configs/default.toml has all keys); inputs and folders in it are not used
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How articles are found [default: grove]
    #[arg(long, value_name = "NAME")]
    pub engine: Option<Engine>,
    /// Source of the terms that distinguish an article from its siblings [default: tfidf]
    #[arg(long, value_enum)]
    pub signifiers: Option<SignifiersArg>,
    /// Use these site configs: a file or a folder
    #[arg(long, value_name = "PATH")]
    pub site_configs: Vec<PathBuf>,
    /// Outputs that merging is to write, comma-separated; they decide what is kept of articles [default: jsonl,report]
    #[arg(long, value_name = "NAMES")]
    pub sinks: Option<SinkList>,
    /// Also write each article as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Write only articles of these types of pages, comma-separated
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub page_types: Vec<PageType>,
    /// Number of threads; 0 is one per core [default: 0]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
}

impl SettingsArgs {
    fn config(&self) -> Result<Config> {
        let mut config = Config::load(self.config.as_deref())?;
        (config.run.inputs, config.run.feeds) = (Vec::new(), Vec::new());
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
        Ok(config)
    }

    fn say(&self, out: &mut dyn Write, what: &str) -> Result<()> {
        if !self.quiet {
            writeln!(out, "{what}")?;
        }
        Ok(())
    }
}

/// Arguments of `sitegrove survey`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove survey crawl/00.warc.gz crawl/01.warc.gz --out steps/survey-0.parquet
  sitegrove survey --feeds feeds/ --out steps/survey-feeds.parquet

Every input belongs to one survey. docs/CLUSTER.md shows all steps of a crawl.

Exit codes: 0 success; 1 an input could not be read to its end; 2 no survey was written.")]
pub struct SurveyArgs {
    /// WARC, ARC and HTML files, folders and globs
    pub inputs: Vec<String>,
    /// RSS, Atom and JSON feeds: files, folders and globs
    #[arg(long, value_name = "PATH")]
    pub feeds: Vec<String>,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Memory limit, such as 800MiB or 16GB; pages that do not fit are kept on disk [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Settings.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Arguments of `sitegrove learn`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove learn steps/survey-*.parquet --share 1/8 --out steps/learn-1.parquet
  sitegrove learn steps/{survey,learn,apply}-*.parquet --share 1/8 --out steps/again-1.parquet

The first round takes all surveys of the crawl, and nothing else. The second takes what the first round of learning and
applying wrote, too. Every share of a round is learnt once.")]
pub struct LearnArgs {
    /// All surveys of the crawl; for the second round, all other files of its steps, too
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The share of the sites to learn, and how many shares there are
    #[arg(long, value_name = "N/OF", default_value = "1/1")]
    pub share: Share,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Settings.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Arguments of `sitegrove apply`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove apply steps/survey-0.parquet steps/learn-*.parquet --out steps/apply-0.parquet
  sitegrove apply steps/survey-0.parquet steps/{learn,again}-*.parquet --out steps/rest-0.parquet

With files of the second round of learning, what that left to do is done.")]
pub struct ApplyArgs {
    /// Surveys whose pages are to be read, one or more, and all files of `sitegrove learn`
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Settings.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Arguments of `sitegrove merge`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove merge steps/*.parquet --out out/tonight
  sitegrove merge steps/*.parquet --share 1/8 --out out/tonight-1

The lines of all shares, one after the other, are those of the whole.

Exit codes: 0 success; 1 merged, but an input could not be read to its end, or an output not be written; 2 not merged.")]
pub struct MergeArgs {
    /// All files of all steps of the crawl, in any order
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Folder for the results
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// The share of the sites to write, and how many shares there are
    #[arg(long, value_name = "N/OF", default_value = "1/1")]
    pub share: Share,
    /// Replace the results in that folder
    #[arg(long)]
    pub overwrite: bool,
    /// Settings.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Surveys inputs. Returns whether all of them were read to their end.
///
/// # Errors
/// As [`survey::survey`].
pub fn survey(args: &SurveyArgs, stop: &AtomicBool, out: &mut dyn Write) -> Result<bool> {
    let mut config = args.settings.config()?;
    config.run.inputs.clone_from(&args.inputs);
    config.run.feeds.clone_from(&args.feeds);
    if let Some(memory) = &args.memory {
        config.run.memory.clone_from(memory);
    }
    let surveyed = if args.settings.quiet {
        survey::survey(&config, &args.out, stop, &Quiet)?
    } else {
        let progress = Progress::new();
        let surveyed = survey::survey(&config, &args.out, stop, &progress);
        progress.clear();
        surveyed?
    };
    for problem in &surveyed.unreadable {
        tracing::error!("{problem}; everything before it was read");
    }
    let (pages, inputs) = (surveyed.pages, surveyed.inputs);
    args.settings
        .say(out, &format!("{pages} pages of {inputs} inputs in {}", args.out.display()))?;
    Ok(surveyed.unreadable.is_empty())
}

/// Learns a share of the sites.
///
/// # Errors
/// As [`learn::learn`].
pub fn learn(args: &LearnArgs, stop: &AtomicBool, out: &mut dyn Write) -> Result<()> {
    let config = args.settings.config()?;
    let learnt = learn::learn(&config, &args.files, args.share, &args.out, stop)?;
    let file = args.out.display();
    let said = match learnt.round {
        1 => format!(
            "{} sites finished, {} models of larger sites in {file}",
            learnt.finished, learnt.large
        ),
        _ => format!(
            "of {} larger sites, {} have something left to do: {file}",
            learnt.large, learnt.further
        ),
    };
    args.settings.say(out, &said)
}

/// Applies models to the pages of surveys.
///
/// # Errors
/// As [`apply::apply`].
pub fn apply(args: &ApplyArgs, stop: &AtomicBool, out: &mut dyn Write) -> Result<()> {
    let config = args.settings.config()?;
    let applied = apply::apply(&config, &args.files, &args.out, stop)?;
    let apply::Applied { round, pages, unassigned } = applied;
    let file = args.out.display();
    let said = match round {
        1 => format!(
            "{pages} pages of larger sites, {unassigned} of them without a template, in {file}"
        ),
        _ => format!("{pages} pages of larger sites that were left in {file}"),
    };
    args.settings.say(out, &said)
}

/// Merges what steps wrote. Returns whether all inputs were read to their end and all outputs written.
///
/// # Errors
/// As [`merge::merge`].
pub fn merge(args: &MergeArgs, stop: &AtomicBool, out: &mut dyn Write) -> Result<bool> {
    let mut config = args.settings.config()?;
    config.run.out.clone_from(&args.out);
    let report = merge::merge(&config, &args.files, args.share, args.overwrite, stop)?;
    for problem in &report.ledger.unreadable {
        tracing::error!("{problem}; everything before it was read");
    }
    for (name, problem) in &report.ledger.failed_sinks {
        tracing::error!(
            "cannot write the output {name}: {problem}; the other outputs are complete"
        );
    }
    if !args.settings.quiet {
        summary(&report, &config, out)?;
    }
    Ok(report.ledger.unreadable.is_empty() && report.ledger.failed_sinks.is_empty())
}
