/*!
`sitegrove-lab evaluate`: compares several runs on pages whose text is known.

Reads the gold and the runs (`runs`), scores every page of the gold with every measure, builds tables of the scores
(`tables`) and of the worst pages (`worst`), compares them with the floors (`floors`), and writes one report
(`markdown`, `report`). With `--sweep` there are no runs: the Forest paper's figures are measured and drawn (`sweep`).
With `--metadata`, titles, standfirsts, authors and dates are compared instead (`metadata`).

A page that a run lacks counts as an empty output. Of several outputs for one page, the first is used.
*/

mod floors;
mod markdown;
mod metadata;
mod report;
mod runs;
mod sweep;
mod tables;
mod worst;

use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
};

use ::metadata::is_field_line;
use anyhow::ensure;
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use report::FloorVerdict;
pub(crate) use runs::read_run;
use runs::{EvaluatedRun, RunPage, name_and_path, read_runs};
use score::{Output, QualityMeasure, Score};
use serde::Serialize;
use sink::AtomicFile;
use sitegrove::output_paths::{CommandPaths, OutputKind};
use sweep::Sweep;
use terminal::arguments::whole;
use terminal::printed::Console;

use crate::gold::{GoldPage, read_gold};

/// Name of the rows over all data sets.
const ALL: &str = "ALL";

/// Compare runs with gold text, side by side.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sitegrove-lab evaluate out/quickstart --gold data/gold.jsonl
  sitegrove-lab evaluate ours=out/tonight theirs=theirs.jsonl.gz \\
      --gold gold.jsonl.gz --worst 20
  sitegrove-lab evaluate out/quickstart --gold data/gold.jsonl \\
      --floors floors.json
  sitegrove-lab evaluate out/tonight peers/*.jsonl --gold gold.jsonl \\
      --by type
  sitegrove-lab evaluate out/tonight peers/*.jsonl --gold gold.jsonl \\
      --metadata --worst 10
  sitegrove-lab evaluate --gold data/gold.jsonl --sweep siblings \\
      --pages data/crawl --feeds data/feeds --out out/figures

Exit codes: 0 success; 1 a run is below its floor; 2 could not evaluate.")]
pub(crate) struct EvaluateArgs {
    /// Runs to compare: run folders (their articles.jsonl), or JSONL files (also .gz, .zst) of objects with
    /// url and text; as PATH or NAME=PATH. Differences are relative to the first run.
    #[arg(value_name = "RUN", required_unless_present = "sweep")]
    pub(crate) runs: Vec<String>,
    /// JSONL file (also .gz) of pages with url, dataset, template, site, gold_text, gold_title, gold_summary, gold_author, gold_date, page_title, gold_optional, gold_nodes.
    #[arg(long, value_name = "FILE")]
    pub(crate) gold: PathBuf,
    /// Only these data sets of the gold, comma-separated.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) datasets: Vec<String>,
    /// Minimum number of pages of a template that form a group; pages of smaller templates count as single
    /// pages.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<usize>)]
    pub(crate) min_group: usize,
    /// What the rows of the tables are: data sets, page types (gold without types counts as articles), or languages (of the gold
    /// texts, as detected; those of fewer than 10 pages together).
    #[arg(long, value_name = "KEY", default_value = "dataset", conflicts_with_all = ["floors", "sweep", "metadata"])]
    pub(crate) by: PageKey,
    /// Measures, comma-separated, or `all`. Default: pairs, pairs-fields, pairs-raw, words, lcs-words,
    /// lcs-chars, substring, and nodes if the gold marks any.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) measures: Vec<String>,
    /// Compare titles, standfirsts, authors and dates (title, subtitle, authors, published of the runs)
    /// instead of texts; --worst N then lists N pages per field.
    #[arg(long, conflicts_with_all = ["measures", "floors", "sweep"])]
    pub(crate) metadata: bool,
    /// Show the N worst pages of the first run under the first measure, with what was missed and what was extra (not in CSV).
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>)]
    pub(crate) worst: usize,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Markdown)]
    pub(crate) format: ReportFormat,
    /// Write the report to this file instead of printing it; with --sweep, the folder for its figures.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Exit with 1 if a run is below its floor in this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) floors: Option<PathBuf>,
    /// Raise the floors to the measured values; create the file if it does not exist.
    #[arg(long, requires = "floors")]
    pub(crate) update_floors: bool,
    /// Allow --update-floors to lower floors, or to use another gold file.
    #[arg(long, requires = "update_floors")]
    pub(crate) allow_lower: bool,
    /// Instead of comparing runs, extract the gold's groups of siblings with different numbers of siblings or
    /// signifiers, and write CSV and SVG files to the folder --out.
    #[arg(
        long,
        value_enum,
        requires_all = ["pages", "out"],
        conflicts_with_all = ["runs", "measures", "worst", "format", "floors"]
    )]
    pub(crate) sweep: Option<Sweep>,
    /// For --sweep: WARC files, HTML files, folders or globs with the pages of the gold.
    #[arg(long, value_name = "PATH", num_args = 1.., requires = "sweep")]
    pub(crate) pages: Vec<String>,
    /// For --sweep: feeds, folders or globs (repeatable); adds the methods that need them.
    #[arg(long, value_name = "PATH", requires = "sweep")]
    pub(crate) feeds: Vec<String>,
}

/// What the rows of the tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PageKey {
    /// Data sets.
    Dataset,
    /// Page types.
    Type,
    /// Languages of the gold texts.
    Language,
}

/// Format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Markdown tables.
    Markdown,
    /// JSON with all figures, nested.
    Json,
    /// One figure per line.
    Csv,
}

/// Evaluates the runs and writes the report to `out`, or to the file given by `--out`. Returns whether all floors are met.
///
/// # Errors
/// If a file cannot be read (with the line), a name is unknown, or the floors were measured on another gold.
pub(crate) fn run(args: &EvaluateArgs, out: &mut Console<'_>) -> anyhow::Result<bool> {
    paths_of(args).check()?;
    if let Some(what) = args.sweep {
        return sweep::sweep(args, what, out).map(|()| true);
    }
    ensure!(
        args.worst == 0 || args.format != ReportFormat::Csv,
        "--worst needs --format markdown or json"
    );
    ensure!(!args.runs.is_empty(), "no run to evaluate");
    let gold = read_gold(&args.gold, &args.datasets)?;
    let runs = read_runs(&args.runs)?;
    if args.metadata {
        let text = metadata::report(&gold, &runs, args.worst, args.format)?;
        return write_report(args, &text, out).map(|()| true);
    }
    let measures = choose_measures(&args.measures, &gold.pages)?;

    let fields: Vec<Vec<String>> = gold.pages.par_iter().map(|page| fields(page, &runs)).collect();
    let scores = score_pages(&gold.pages, &fields, &runs, &measures);
    let mut report = tables::report(&gold, &runs, &measures, &scores, args.min_group, args.by);
    report.worst = worst::pages(&gold.pages, &fields, &runs, &measures, &scores, args.worst);
    if let Some(path) = &args.floors {
        let change = floors::FloorUpdate::of(args.update_floors, args.allow_lower);
        report.floors = Some(floors::hold(path, floors::measured(&report), change)?);
    }

    let text = match args.format {
        ReportFormat::Markdown => markdown::render(&report)?,
        ReportFormat::Json => serde_json::to_string_pretty(&report)? + "\n",
        ReportFormat::Csv => report::csv(&report)?,
    };
    write_report(args, &text, out)?;
    if let (Some(_), Some(verdict)) = (&args.out, &report.floors) {
        out.write_all(markdown::floors(verdict)?.as_bytes())?;
    }
    Ok(!report.floors.as_ref().is_some_and(FloorVerdict::is_broken))
}

fn paths_of(args: &EvaluateArgs) -> CommandPaths {
    // Every argument is named, so that a new argument with a path cannot be forgotten.
    let EvaluateArgs {
        runs,
        gold,
        out,
        floors,
        sweep,
        pages,
        feeds,
        format,
        datasets: _,
        min_group: _,
        by: _,
        measures: _,
        metadata: _,
        worst: _,
        update_floors,
        allow_lower: _,
    } = args;
    let (none, output) = (
        Path::new(""),
        match (sweep, format) {
            (Some(_), _) => OutputKind::Folder,
            (None, ReportFormat::Json) => OutputKind::Json,
            (None, _) => OutputKind::Text,
        },
    );
    let mut paths = CommandPaths::default().reads("--gold", gold).writes(
        "--out",
        out.as_deref().unwrap_or(none),
        output,
    );
    let floors = floors.as_deref().unwrap_or(none);
    paths = match update_floors {
        true => paths.writes("--floors", floors, OutputKind::Json),
        false => paths.reads("--floors", floors),
    };
    for run in runs {
        let (_, run) = name_and_path(run);
        paths = paths.reads("RUN", &run).reads_run("RUN", &run);
    }
    pages.iter().chain(feeds).fold(paths, |paths, path| paths.reads("an input", Path::new(path)))
}

fn choose_measures(names: &[String], gold: &[GoldPage]) -> anyhow::Result<Vec<QualityMeasure>> {
    let marks_nodes = gold.iter().any(|page| !page.nodes.is_empty());
    let can_be_measured = |measure: &QualityMeasure| marks_nodes || measure.name() != "nodes";
    let usual = [
        "pairs", "pairs-fields", "pairs-raw", "words", "lcs-words", "lcs-chars", "substring",
        "nodes",
    ];
    if names.iter().any(|name| name == "all") {
        return Ok(QualityMeasure::all().into_iter().filter(can_be_measured).collect());
    }
    let usual = usual.into_iter().filter(|_| names.is_empty());
    let mut measures: Vec<QualityMeasure> = Vec::new();
    for name in names.iter().map(String::as_str).chain(usual) {
        let measure = name.parse().map_err(anyhow::Error::msg)?;
        if can_be_measured(&measure) && !measures.contains(&measure) {
            measures.push(measure);
        }
        ensure!(
            names.is_empty() || measures.contains(&measure),
            "--measures nodes: no page of the gold has gold_nodes"
        );
    }
    Ok(measures)
}

/// Scores by run, measure and page of the gold; `None` if the gold of the page has nothing to
/// count.
type Scores = Vec<Vec<Vec<Option<Score>>>>;

fn score_pages(
    gold: &[GoldPage],
    fields: &[Vec<String>],
    runs: &[EvaluatedRun],
    measures: &[QualityMeasure],
) -> Scores {
    let of_run = |run: &EvaluatedRun| {
        let by_page: Vec<Vec<Option<Score>>> = gold
            .par_iter()
            .zip(fields)
            .map(|(page, fields)| {
                score::score(&page.as_gold(fields), &run.output(&page.url), measures)
            })
            .collect();
        (0..measures.len()).map(|m| by_page.iter().map(|scores| scores[m]).collect()).collect()
    };
    runs.iter().map(of_run).collect()
}

/// Bylines and dates in the gold text and in the text of every run, and the captions of every run. The same text is
/// removed from all runs before they are compared.
fn fields(page: &GoldPage, runs: &[EvaluatedRun]) -> Vec<String> {
    let of_runs: Vec<&RunPage> = runs.iter().filter_map(|run| run.pages.get(&page.url)).collect();
    let texts = std::iter::once(&page.text).chain(of_runs.iter().map(|of_run| &of_run.text));
    let lines = texts.flat_map(|text| text.lines()).filter(|line| is_field_line(line));
    let captions = of_runs.iter().flat_map(|of_run| &of_run.captions);
    let all: BTreeSet<&str> = lines.chain(captions.map(String::as_str)).collect();
    all.into_iter().map(str::to_owned).collect()
}

impl EvaluatedRun {
    fn output(&self, url: &str) -> Output<'_> {
        let page = self.pages.get(url);
        page.map(|page| Output { text: &page.text, nodes: &page.nodes }).unwrap_or_default()
    }
}

fn write_report(args: &EvaluateArgs, text: &str, out: &mut Console<'_>) -> anyhow::Result<()> {
    match (&args.out, args.format) {
        (Some(path), _) => Ok(AtomicFile::write_whole(path, text.as_bytes())?),
        (None, ReportFormat::Json) => Ok(out.as_json().write_all(text.as_bytes())?),
        (None, _) => Ok(out.write_all(text.as_bytes())?),
    }
}
