/*!
`sitegrove-lab evaluate`: compares several runs on pages whose text is known.

Reads the gold and the runs, scores every page of the gold with every measure, builds tables of the scores and of the worst
pages (`tables`), compares them with the floors (`floors`), and writes one report (`report`). With `--sweep` there are no runs: the Forest paper's figures are measured and drawn (`sweep`).
With `--metadata`, titles, standfirsts, authors and dates are compared instead (`metadata`).

A page that a run lacks counts as an empty output. Of several outputs for one page, the first is used.
*/

mod floors;
mod metadata;
mod report;
mod sweep;
mod tables;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use ::metadata::is_field_line;
use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use report::FloorVerdict;
use rustc_hash::FxHashMap;
use score::{Output, QualityMeasure, Score};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sink::AtomicFile;
use sitegrove::output_paths::{CommandPaths, OutputKind};
use sitegrove::results::articles_of;
use sweep::Sweep;
use terminal::arguments::whole;
use terminal::printed::Console;

use crate::fields::FieldValues;
use crate::gold::{GoldPage, node_key, parse_lines, read_file, read_gold};

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
    update_floors: bool,
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
    report.worst = tables::worst_pages(&gold.pages, &fields, &runs, &measures, &scores, args.worst);
    if let Some(path) = &args.floors {
        let change = floors::FloorUpdate::of(args.update_floors, args.allow_lower);
        report.floors = Some(floors::hold(path, floors::measured(&report), change)?);
    }

    let text = match args.format {
        ReportFormat::Markdown => report::markdown(&report)?,
        ReportFormat::Json => serde_json::to_string_pretty(&report)? + "\n",
        ReportFormat::Csv => report::csv(&report)?,
    };
    write_report(args, &text, out)?;
    if let (Some(_), Some(verdict)) = (&args.out, &report.floors) {
        out.write_all(report::floors(verdict)?.as_bytes())?;
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

/// The output of one system.
pub(crate) struct EvaluatedRun {
    name: String,
    path: PathBuf,
    pub(crate) pages: FxHashMap<String, RunPage>,
    /// Lines of the file.
    records: usize,
    /// Lines with the URL of an earlier line.
    duplicates: usize,
}

/// The output of one system for one page.
pub(crate) struct RunPage {
    text: String,
    nodes: Vec<String>,
    seconds: Option<f64>,
    pub(crate) fields: FieldValues,
    captions: Vec<String>,
}

#[derive(Deserialize)]
struct RunLine {
    url: String,
    text: Option<String>,
    nodes: Option<Vec<Value>>,
    seconds: Option<f64>,
    #[serde(flatten)]
    fields: FieldValues,
    #[serde(default)]
    images: Vec<model::Image>,
}

/// Reads the runs given on the command line; their names must be unique.
fn read_runs(specs: &[String]) -> anyhow::Result<Vec<EvaluatedRun>> {
    let mut runs: Vec<EvaluatedRun> = Vec::new();
    for spec in specs {
        let (name, path) = name_and_path(spec);
        if let Some(other) = runs.iter().find(|run| run.name == name) {
            let (a, b) = (other.path.display(), path.display());
            bail!("{a} and {b} are both called {name:?}: name them apart as NAME=PATH");
        }
        runs.push(read_run(name, path)?);
    }
    Ok(runs)
}

pub(crate) fn read_run(name: String, path: PathBuf) -> anyhow::Result<EvaluatedRun> {
    let path = if path.is_dir() { articles_of(&path)? } else { path };
    let lines: Vec<RunLine> = parse_lines(&path, &read_file(&path)?)?;
    let mut run = EvaluatedRun {
        name,
        path,
        records: lines.len(),
        duplicates: 0,
        pages: FxHashMap::default(),
    };
    for line in lines {
        if run.pages.contains_key(&line.url) {
            run.duplicates += 1;
            continue;
        }
        let page = RunPage {
            text: line.text.unwrap_or_default(),
            nodes: line.nodes.unwrap_or_default().iter().map(node_key).collect(),
            seconds: line.seconds,
            fields: line.fields,
            captions: line.images.into_iter().filter_map(|image| image.caption).collect(),
        };
        run.pages.insert(line.url, page);
    }
    Ok(run)
}

/// Splits NAME=PATH. Without a name, the last meaningful part of the path is used.
fn name_and_path(spec: &str) -> (String, PathBuf) {
    if let Some((name, path)) = spec.split_once('=')
        && !Path::new(spec).exists()
    {
        return (name.to_owned(), PathBuf::from(path));
    }
    let path = PathBuf::from(spec);
    let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = last(&path).unwrap_or_else(|| spec.to_owned());
    let stem = file.trim_end_matches(".gz").trim_end_matches(".zst").trim_end_matches(".jsonl");
    let folder = path.parent().and_then(last).filter(|_| stem == "articles");
    (folder.unwrap_or_else(|| stem.to_owned()), path)
}
