//! The arguments of `sitegrove run`, some of them shared with the steps, and how they change the settings.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use config::{Config, Duplicates, MOST_JOBS, SinkList, SinkName};
use model::{PageType, RightsStatement};
use sitemodel::Engine;
use sitemodel::settings::SignifierChoice;
use terminal::arguments::{PrintFormat, at_least_one, whole};

use super::FailOn;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SignifiersArg {
    /// Terms of the page, by tf-idf over its siblings
    Tfidf,
    /// Title and description of the feed item that points to the page
    Feeds,
}

/// Arguments of `sitegrove run`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove run configs/quickstart.toml
  sitegrove run crawl/*.warc.gz --out out/tonight
  sitegrove run crawl/ --feeds feeds/ -j 8 -o out/tonight
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
  sitegrove run rows.parquet --input-base s3://commoncrawl/ -o out/sites

The same command resumes a run that was stopped or killed, and does nothing if the run is complete. `sitegrove status DIR` shows the progress.

Exit codes: 0 success; 1 finished, but an input could not be read to its end, damaged inputs gave no page, an output could not be written, or --fail-on applies; 2 could not run; 130 stopped by Ctrl-C or SIGTERM (the same command resumes).")]
pub struct RunArgs {
    /// A configuration file (.toml), if any, followed by WARC, ARC, WACZ, HTML or MHTML files, indexes of
    /// archives (CDX, CDXJ, tables), tables of pages (Parquet, CSV, JSONL), folders, globs or addresses (https://, s3://, hdfs://); @FILE reads a list of them, - reads
    /// an archive from standard input
    #[arg(value_name = "CONFIG|INPUT")]
    inputs: Vec<String>,
    /// Folder or address (https://, s3://, hdfs://) that the archives named in an index are relative to [default: what
    /// is beside the index]
    #[arg(long, value_name = "DIR|ADDRESS")]
    input_base: Option<PathBuf>,
    /// Configuration file, as for the other commands; the same as naming it first
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output folder, or an address s3://BUCKET/PREFIX, to which files are uploaded when the run is complete
    /// [default: sitegrove-out]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// RSS, Atom or JSON Feed files, folders or globs (repeatable)
    #[arg(long, value_name = "PATH")]
    feeds: Vec<String>,
    #[command(flatten)]
    extraction: ExtractionArgs,
    #[command(flatten)]
    outputs: OutputArgs,
    /// Memory limit, such as 800MiB or 16GB; pages that do not fit are kept on disk [default: half of the
    /// machine's memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,
    /// Folder for pages that do not fit into memory [default: one in the output folder]
    #[arg(long, value_name = "DIR")]
    spool: Option<PathBuf>,
    /// With an output at an address: folder in which the run is kept until its files are uploaded [default: the
    /// system's folder of temporary files]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Write metrics for Prometheus to this file and keep it up to date
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,
    /// Compare with the run in this folder: the report shows what changed, and the metrics name its counts
    #[arg(long, value_name = "RUN_DIR")]
    compare: Option<PathBuf>,
    /// Use and improve the site models in this file, which grows from run to run
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Extract pages again with the models in the models file, which is not changed; in the archive, the new
    /// results replace the earlier ones. Without inputs, the pages in the models file are extracted
    #[arg(long, requires = "models")]
    reextract: bool,
    /// Limit the total size of the pages that the models file retains, such as 500MiB [default: 4GiB]
    #[arg(long, value_name = "SIZE", requires = "models")]
    models_size: Option<String>,
    /// Exit with code 1 and name the sites if one is of this health (with --models): missing, blocked, broken, shrunken,
    /// drifting, too-few-pages; if more are (missing>3); if there are fewer articles than usual (articles<80%), or than a number
    /// (articles<500); or if no page was found (empty); comma-separated
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(super) fail_on: Vec<FailOn>,
    /// Replace the run in the output folder
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Only read the inputs and print what a run would process and need; writes nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Format of the summary
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: PrintFormat,
    #[command(flatten)]
    selection: SelectionArgs,
}

impl RunArgs {
    /// Returns the settings. Flags override the configuration file, which overrides the defaults.
    pub(super) fn config(&self) -> Result<Config> {
        let (file, inputs) = match self.inputs.split_first() {
            Some((first, _)) if first.ends_with(".toml") && self.config.is_some() => {
                bail!("two configuration files, {first} and that of --config; give one of them")
            }
            Some((first, rest)) if first.ends_with(".toml") => (Some(Path::new(first)), rest),
            _ => (self.config.as_deref(), self.inputs.as_slice()),
        };
        let mut config = Config::load(file)?;
        config.run.inputs.extend(inputs.iter().cloned());
        set(&mut config.run.input_base, &self.input_base);
        config.run.feeds.extend(self.feeds.iter().cloned());
        set(&mut config.run.out, &self.out);
        self.extraction.apply(&mut config)?;
        self.outputs.apply(&mut config)?;
        set(&mut config.run.memory, &self.memory);
        set(&mut config.run.spool, &self.spool);
        set(&mut config.run.work, &self.work);
        set(&mut config.run.metrics, &self.metrics);
        set(&mut config.run.compare, &self.compare);
        set(&mut config.run.models, &self.models);
        self.selection.apply(&mut config);
        config.run.reextract |= self.reextract;
        set(&mut config.run.models_size, &self.models_size);
        if let Some(own) = self.fail_on.iter().find(|own| own.needs_nights())
            && config.run.models().is_none()
        {
            bail!(
                "--fail-on {own} needs --models: without earlier nights nothing is known of sites"
            );
        }
        Ok(config)
    }
}

fn jobs(text: &str) -> Result<usize, String> {
    let number = whole::<usize>(text)?;
    let too_many = || format!("give at most {MOST_JOBS}");
    (number <= MOST_JOBS).then_some(number).ok_or_else(too_many)
}

fn statement(text: &str) -> Result<RightsStatement, String> {
    let names = RightsStatement::ALL.map(RightsStatement::as_str).join(", ");
    RightsStatement::parse(text).ok_or_else(|| format!("give one of {names}"))
}

/// Choices that decide what is learnt, extracted and written.
#[derive(Args, Debug)]
pub(in crate::commands) struct ExtractionArgs {
    /// Extraction engine: grove, forest, coverage, forest-j, forest-u, sigfeed, description, words-leaves,
    /// euclid, blocks, density or text-density [default: grove]
    #[arg(long, value_name = "NAME")]
    engine: Option<Engine>,
    /// Source of the terms that distinguish a page from its siblings [default: tfidf]
    #[arg(long, value_name = "SOURCE")]
    signifiers: Option<SignifiersArg>,
    /// Site configs (wrappers written by hand, in the ftr-site-config format): a file HOST.txt or a folder of
    /// such files. They take precedence over learnt wrappers (repeatable)
    #[arg(long, value_name = "FILE|DIR")]
    site_configs: Vec<PathBuf>,
    /// Corrections of articles and templates to apply: files of JSON lines (docs/CORRECTIONS.md), or archives of
    /// articles (repeatable)
    #[arg(long, value_name = "FILE|ARCHIVE")]
    corrections: Vec<PathBuf>,
    /// Outputs to write, comma-separated: jsonl, csv, parquet, bulk, warc, sqlite, index, dataset (see
    /// --dataset), siteconfig, report; or all [default: jsonl,report]
    #[arg(long, value_name = "LIST")]
    sinks: Option<SinkList>,
    /// Include each article as Markdown in the outputs jsonl, parquet and bulk
    #[arg(long)]
    markdown: bool,
    /// Divide the text of each article into passages of at most so many words, in the outputs jsonl, parquet, bulk,
    /// warc and index
    #[arg(long, value_name = "WORDS", value_parser = whole::<u32>)]
    passages: Option<u32>,
    /// Types of pages to write, comma-separated: article, documentation, service, forum, collection, listing,
    /// product; without it, all
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    page_types: Vec<PageType>,
    /// Leave out articles whose pages or servers say one of these, comma-separated: noindex, noarchive, noai, tdm, rsl,
    /// robots (docs/FORMATS.md, Rights); without it, none
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = statement)]
    skip: Vec<RightsStatement>,
    /// Name of the robot whose rules of use count beside those for all robots, such as CCBot
    #[arg(long, value_name = "NAME")]
    robot: Option<String>,
    /// Columns of tables that articles keep, comma-separated; also url_surtkey and crawl
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    extra: Vec<String>,
    /// What to do with articles that are the same as others of the crawl [default: flag]
    #[arg(long, value_name = "HOW")]
    duplicates: Option<Duplicates>,
    /// Number of threads; 0 is one per core [default: 0]
    #[arg(long, short, value_name = "N", value_parser = jobs)]
    jobs: Option<usize>,
}

impl ExtractionArgs {
    pub(in crate::commands) fn apply(&self, config: &mut Config) -> Result<()> {
        set(&mut config.rank.engine, &self.engine);
        if let Some(signifiers) = self.signifiers {
            config.signify.source = match signifiers {
                SignifiersArg::Tfidf => SignifierChoice::TfIdf,
                SignifiersArg::Feeds => SignifierChoice::Feeds,
            };
        }
        set(&mut config.emit.sinks, &self.sinks.as_ref().map(|list| list.0.clone()));
        if !self.site_configs.is_empty() {
            config.wrap.site_configs.extend(self.site_configs.iter().cloned());
            config.read_site_configs()?;
        }
        config.run.corrections.extend(self.corrections.iter().cloned());
        config.emit.markdown |= self.markdown;
        set(&mut config.emit.passages, &self.passages);
        set_list(&mut config.emit.page_types, &self.page_types);
        set_list(&mut config.emit.skip, &self.skip);
        set(&mut config.group.robot, &self.robot);
        set_list(&mut config.read.extra, &self.extra);
        set(&mut config.emit.duplicates, &self.duplicates);
        set(&mut config.run.jobs, &self.jobs);
        Ok(())
    }
}

/// Outputs that grow from run to run.
#[derive(Args, Debug)]
pub(in crate::commands) struct OutputArgs {
    /// Add the articles to this archive, an SQLite file that is created if necessary; adds sqlite to the
    /// outputs
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
    /// Add the articles to the search index in this folder; adds index to the outputs
    #[arg(long, value_name = "DIR")]
    index: Option<PathBuf>,
    /// Add the articles to the data set in this folder, or at this address (s3://) if the output is at one, too:
    /// Parquet files partitioned by date; adds dataset to the outputs
    #[arg(long, value_name = "DIR")]
    dataset: Option<PathBuf>,
    /// Remove articles whose addresses are gone (status 404 or 410, or a redirect elsewhere) from the index instead
    /// of marking them
    #[arg(long)]
    forget_gone: bool,
}

impl OutputArgs {
    pub(crate) fn apply(&self, config: &mut Config) -> Result<()> {
        let emit = &mut config.emit;
        let named = [
            (&self.archive, &mut emit.archive, SinkName::Sqlite),
            (&self.index, &mut emit.index, SinkName::Index),
            (&self.dataset, &mut emit.dataset, SinkName::Dataset),
        ];
        for (path, setting, sink) in named {
            if let Some(path) = path {
                setting.clone_from(path);
                emit.sinks.push(sink);
            }
        }
        emit.forget_gone |= self.forget_gone;
        if self.forget_gone && !emit.sinks.contains(&SinkName::Index) {
            bail!("--forget-gone needs an index: name it with --index, or choose --sinks index");
        }
        config.read_corrections()
    }
}

/// Which pages of the inputs to take.
#[derive(Args, Debug)]
#[command(next_help_heading = "Choice of pages")]
pub(in crate::commands) struct SelectionArgs {
    /// Only pages of this site, named by its host (repeatable)
    #[arg(long, value_name = "HOST")]
    site: Vec<String>,
    /// Only pages captured on this date or later: 2026-10-05, or with a time, 2026-10-05T03:00:00Z
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only pages captured on this date or earlier; the date itself is included
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Only the first N of these pages, in the order of the inputs' paths
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<u64>,
}

impl SelectionArgs {
    pub(crate) fn apply(&self, config: &mut Config) {
        let run = &mut config.run;
        set_list(&mut run.sites, &self.site);
        set(&mut run.since, &self.since);
        set(&mut run.until, &self.until);
        set(&mut run.limit, &self.limit);
    }
}

pub(in crate::commands) fn set<T: Clone>(setting: &mut T, value: &Option<T>) {
    if let Some(value) = value {
        setting.clone_from(value);
    }
}

fn set_list<T: Clone>(setting: &mut Vec<T>, values: &Vec<T>) {
    if !values.is_empty() {
        setting.clone_from(values);
    }
}
