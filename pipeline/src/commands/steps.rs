//! `sitegrove survey`, `learn`, `apply`, `describe` and `merge`: the steps of a distributed run.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use config::Config;
use report::readable::count;
use segment::identity::SiteShare;
use serde_json::json;
use terminal::arguments::PrintFormat;
use terminal::command_line::CommandContext;

use super::print_note;
use super::run::arguments::{ExtractionArgs, OutputArgs, SelectionArgs, set};
use super::run::{READS_OTHERS, summary, warn_of_results, warn_of_settings, watched};
use crate::run::{RunRequest, advise_if_damaged};
use crate::steps::{apply, learn, merge, survey};

/// Settings that all steps of a crawl must be given alike.
#[derive(Args, Debug)]
#[command(next_help_heading = "Settings")]
struct SettingsArgs {
    /// Configuration file (configs/default.toml has all keys); inputs and folders in it are not used
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    extraction: ExtractionArgs,
    /// Use and improve the site models in this file: learning reads it, merging adds this crawl
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Format of the message at the end
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

impl SettingsArgs {
    fn config(&self) -> Result<Config> {
        let mut config = Config::load(self.config.as_deref())?;
        (config.run.inputs, config.run.feeds) = (Vec::new(), Vec::new());
        self.extraction.apply(&mut config)?;
        set(&mut config.run.models, &self.models);
        // Only a survey reads pages.
        let run = &mut config.run;
        (run.sites, run.since, run.until, run.limit) = Default::default();
        Ok(config)
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove survey crawl/00.warc.gz crawl/01.warc.gz \\
      --out steps/survey-0.parquet
  sitegrove survey --feeds feeds/ --out steps/survey-feeds.parquet

Every input belongs to one survey. docs/CLUSTER.md shows all steps of a crawl.

Exit codes: 0 success; 1 an input could not be read to its end; 2 no survey was written.")]
pub(super) struct SurveyArgs {
    /// WARC, ARC, WACZ, HTML or MHTML files, indexes of archives (CDX, CDXJ, tables), tables of pages (Parquet, CSV,
    /// JSONL), folders, globs or addresses (https://, s3://, hdfs://); @FILE reads a list of them
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// Folder or address (https://, s3://, hdfs://) that the archives named in an index are relative to [default: what
    /// is beside the index]
    #[arg(long, value_name = "DIR|ADDRESS")]
    input_base: Option<PathBuf>,
    /// RSS, Atom or JSON Feed files, folders or globs (repeatable)
    #[arg(long, value_name = "PATH")]
    feeds: Vec<String>,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Memory limit, such as 800MiB or 16GB; pages that do not fit are kept on disk [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove learn steps/survey-*.parquet --share 1/8 \\
      --out steps/learn-1.parquet
  sitegrove learn steps/{survey,learn,apply}-*.parquet --share 1/8 \\
      --out steps/again-1.parquet

The first round takes all surveys of the crawl and nothing else. The second also takes the files that learn and apply wrote in the first. Learn every share of a round once.")]
pub(super) struct LearnArgs {
    /// All surveys of the crawl; for the second round, all other files of its steps, too
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The share of the sites to learn, and how many shares there are
    #[arg(long, value_name = "N/OF", default_value = "1/1")]
    share: SiteShare,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    settings: SettingsArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove apply steps/survey-0.parquet steps/learn-*.parquet \\
      --out steps/apply-0.parquet
  sitegrove apply steps/survey-0.parquet steps/{learn,again}-*.parquet \\
      --out steps/rest-0.parquet

With files of the second round of learn, only the pages that still need it are processed.")]
pub(super) struct ApplyArgs {
    /// Surveys whose pages are to be read, one or more, and all files of `sitegrove learn`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    settings: SettingsArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove describe steps/*.parquet --share 1/8 --out steps/describe-1.parquet

Needed where the results are merged in shares: duplicates and shared text are looked for among the articles of all shares. Every share is described once; the shares need not be those of the merge.")]
pub(super) struct DescribeArgs {
    /// All files of all steps of the crawl, in any order
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The share of the sites whose articles to describe, and how many shares there are
    #[arg(long, value_name = "N/OF", default_value = "1/1")]
    share: SiteShare,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    settings: SettingsArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove merge steps/*.parquet --out out/tonight
  sitegrove merge steps/*.parquet --share 1/8 --out out/tonight-1

Shares need the files of `sitegrove describe` of all sites, too, unless neither duplicates nor shared text are looked for. The concatenated outputs of all shares equal the output of one merge of everything.

Exit codes: 0 success; 1 merged, but an input could not be read to its end, or an output could not be written; 2 not merged.")]
pub(super) struct MergeArgs {
    /// All files of all steps of the crawl, in any order
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the results
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// The share of the sites to write, and how many shares there are
    #[arg(long, value_name = "N/OF", default_value = "1/1")]
    share: SiteShare,
    #[command(flatten)]
    outputs: OutputArgs,
    /// Compare with the run in this folder, as `sitegrove run --compare` does
    #[arg(long, value_name = "RUN_DIR")]
    compare: Option<PathBuf>,
    /// Replace the results in that folder
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Like [`watched`], but the error of a damaged file says what to do.
fn watch_step<T>(
    with: &CommandContext<'_, '_>,
    verb: &'static str,
    config: &Config,
    step: impl FnOnce(RunRequest<'_>) -> Result<T>,
) -> Result<T> {
    watched(with, verb, config, step)
        .map_err(|error| advise_if_damaged(error, "make the file again"))
}

/// Surveys inputs. Returns whether all of them were read to their end.
pub(super) fn survey(args: &SurveyArgs, with: CommandContext<'_, '_>) -> Result<bool> {
    let mut config = args.settings.config()?;
    config.run.inputs.clone_from(&args.inputs);
    config.run.feeds.clone_from(&args.feeds);
    set(&mut config.run.input_base, &args.input_base);
    set(&mut config.run.memory, &args.memory);
    args.selection.apply(&mut config);
    warn_of_settings(&config);
    let surveyed =
        watch_step(&with, "reading", &config, |request| survey::survey(request, &args.out))?;
    for problem in &surveyed.unreadable {
        tracing::error!(next = READS_OTHERS, "{problem}");
    }
    for (file, cut_short) in &surveyed.cut_short {
        tracing::error!(at = file, "{}", cut_short.problem());
    }
    let (pages, inputs) = (surveyed.pages, surveyed.inputs);
    let (file, format) = (args.out.display(), args.settings.format);
    let value = json!({ "pages": pages, "inputs": inputs, "file": args.out });
    let (pages, inputs) = (count(pages as usize, "page"), count(inputs, "input"));
    print_note(format, format_args!("{pages} of {inputs} in {file}"), &value, with.out)?;
    Ok(surveyed.unreadable.is_empty() && surveyed.cut_short.is_empty())
}

pub(super) fn learn(args: &LearnArgs, with: CommandContext<'_, '_>) -> Result<()> {
    let config = args.settings.config()?;
    let learnt = watch_step(&with, "learning", &config, |request| {
        learn::learn(request, &args.files, args.share, &args.out)
    })?;
    let file = args.out.display();
    let said = match learnt.round {
        1 => format!(
            "{} finished, {} of larger sites in {file}",
            count(learnt.finished, "site"),
            count(learnt.large, "model")
        ),
        _ => format!(
            "of {} larger sites, {} need another round: {file}",
            learnt.large, learnt.further
        ),
    };
    let value = json!({
        "round": learnt.round,
        "finished": learnt.finished,
        "large": learnt.large,
        "further": learnt.further,
        "file": args.out,
    });
    Ok(print_note(args.settings.format, format_args!("{said}"), &value, with.out)?)
}

pub(super) fn apply(args: &ApplyArgs, with: CommandContext<'_, '_>) -> Result<()> {
    let config = args.settings.config()?;
    let applied = watch_step(&with, "applying", &config, |request| {
        apply::apply(request, &args.files, &args.out)
    })?;
    let apply::ApplySummary { round, pages, unassigned } = applied;
    let file = args.out.display();
    let said = match round {
        1 => format!(
            "{} of larger sites, {unassigned} of them without a template, in {file}",
            count(pages as usize, "page")
        ),
        _ => format!("{} of larger sites in {file}", count(pages as usize, "remaining page")),
    };
    let value =
        json!({ "round": round, "pages": pages, "unassigned": unassigned, "file": args.out });
    Ok(print_note(args.settings.format, format_args!("{said}"), &value, with.out)?)
}

pub(super) fn describe(args: &DescribeArgs, with: CommandContext<'_, '_>) -> Result<()> {
    let config = args.settings.config()?;
    let articles = watch_step(&with, "describing", &config, |request| {
        merge::describe(request, &args.files, args.share, &args.out)
    })?;
    let value = json!({ "articles": articles, "file": args.out });
    let (articles, file) = (count(articles as usize, "article"), args.out.display());
    let said = format_args!("{articles} described in {file}");
    Ok(print_note(args.settings.format, said, &value, with.out)?)
}

/// Merges the files of all steps. Returns whether all inputs were read to their end and all outputs written.
pub(super) fn merge(args: &MergeArgs, with: CommandContext<'_, '_>) -> Result<bool> {
    let mut config = args.settings.config()?;
    config.run.out.clone_from(&args.out);
    args.outputs.apply(&mut config)?;
    set(&mut config.run.compare, &args.compare);
    let report = watch_step(&with, "merging", &config, |request| {
        merge::merge(request, &args.files, args.share, args.overwrite)
    })?;
    let is_whole = warn_of_results(&report, &config);
    summary(&report, &config, args.settings.format, with.out)?;
    Ok(is_whole)
}
