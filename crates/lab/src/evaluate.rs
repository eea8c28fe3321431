/*!
`sitegrove-lab evaluate`: compares several runs on pages whose text is known.

Reads the gold and the runs, scores every page of the gold with every measure, builds tables of the scores and of the worst
pages (`tables`), compares them with the floors, and writes one report (`report`). With `--sweep` there are no runs: the Forest paper's figures are measured and drawn (`sweep`).
With `--metadata`, titles, standfirsts, authors and dates are compared instead (`metadata`).

A page that a run lacks counts as an empty output. Of several outputs for one page, the first is used.
*/

mod metadata;
mod report;
mod sweep;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use ::metadata::is_field_line;
use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use report::{Broken, EvaluationReport, FloorVerdict};
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
    allow_lower: bool,
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
        let change = FloorUpdate::of(args.update_floors, args.allow_lower);
        report.floors = Some(hold(path, measured(&report), change)?);
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

/// Tolerance below a floor, in percentage points, for rounding.
const EPSILON: f64 = 0.05;

/// Run → `measure/data set` → percent.
type FloorFigures = BTreeMap<String, BTreeMap<String, f64>>;

/// Figures that a run must not fall below, and the settings that they depend on: figures with another gold, another minimum
/// group size or other data sets are not comparable. A floor is a row of the main tables, in percent of F1. Unless lowering is
/// allowed, floors only rise.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FloorsFile {
    gold_digest: String,
    min_group: usize,
    /// The requested data sets; empty for all.
    datasets: Vec<String>,
    floors: FloorFigures,
}

/// The permitted changes to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FloorUpdate {
    /// The file stays as it is.
    Keep,
    /// Floors may rise, and new ones may be added.
    Raise,
    /// Floors may also fall.
    Any,
}

impl FloorUpdate {
    fn of(update: bool, allow_lower: bool) -> Self {
        match (update, allow_lower) {
            (false, _) => Self::Keep,
            (true, false) => Self::Raise,
            (true, true) => Self::Any,
        }
    }
}

impl FloorVerdict {
    /// Whether a figure is below its floor, and the floor was not lowered.
    fn is_broken(&self) -> bool {
        !self.broken.is_empty() && !self.updated
    }
}

/// The figures of a report that can have floors.
fn measured(report: &EvaluationReport) -> FloorsFile {
    let mut floors = FloorFigures::new();
    for tables in &report.measures {
        for row in &tables.rows {
            for (run, f1) in report.runs.iter().zip(&row.f1) {
                let Some(f1) = *f1 else { continue };
                let key = format!("{}/{}", tables.measure, row.label());
                floors.entry(run.name.clone()).or_default().insert(key, f1);
            }
        }
    }
    let (gold_digest, datasets) = (report.gold_digest.clone(), report.datasets.clone());
    FloorsFile { gold_digest, min_group: report.min_group, datasets, floors }
}

/// Compares figures with the floors in a file, and changes the file as far as `change` permits.
///
/// If lowering is refused, the file is unchanged and the verdict has broken floors.
fn hold(path: &Path, measured: FloorsFile, change: FloorUpdate) -> anyhow::Result<FloorVerdict> {
    let mut floors = stored(path, &measured, change)?;
    let mut verdict = compare(path, &floors, &measured.floors);
    if change == FloorUpdate::Any || change == FloorUpdate::Raise && verdict.broken.is_empty() {
        for (run, figures) in &measured.floors {
            let floors = floors.entry(run.clone()).or_default();
            for (key, &value) in figures {
                let value = (value * 100.0).round() / 100.0;
                let floor = floors.entry(key.clone()).or_insert(value);
                *floor = if change == FloorUpdate::Any { value } else { floor.max(value) };
            }
        }
        let text = serde_json::to_string_pretty(&FloorsFile { floors, ..measured })? + "\n";
        AtomicFile::write_whole(path, text.as_bytes())?;
        verdict.updated = true;
    }
    verdict.refused = change == FloorUpdate::Raise && !verdict.updated;
    Ok(verdict)
}

/// Reads the floors of a file, if they were measured with the same settings; empty if the file is to be created or
/// replaced.
fn stored(path: &Path, measured: &FloorsFile, change: FloorUpdate) -> anyhow::Result<FloorFigures> {
    if change != FloorUpdate::Keep && !path.exists() {
        return Ok(FloorFigures::new());
    }
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let file: FloorsFile = serde_json::from_str(&text).with_context(|| format!("{shown}"))?;
    for (run, floors) in &file.floors {
        for (key, floor) in floors {
            ensure!(
                (0.0..=100.0).contains(floor),
                "{shown}: {run}, {key}: {floor} is not a percentage"
            );
        }
    }
    let is_same_gold = file.gold_digest == measured.gold_digest;
    let is_same = is_same_gold
        && (file.min_group, &file.datasets) == (measured.min_group, &measured.datasets);
    match (is_same, change) {
        (true, _) => Ok(file.floors),
        (false, FloorUpdate::Any) => Ok(FloorFigures::new()),
        (false, _) if !is_same_gold => bail!(
            "{shown} holds floors of another gold (sha256 {}, not {}): use that gold, or measure everything again with --update-floors --allow-lower",
            file.gold_digest,
            measured.gold_digest
        ),
        (false, _) => bail!(
            "{shown} holds floors for --min-group {} --datasets {:?}: use the same, or measure everything again with --update-floors --allow-lower",
            file.min_group,
            file.datasets.join(",")
        ),
    }
}

fn compare(path: &Path, floors: &FloorFigures, measured: &FloorFigures) -> FloorVerdict {
    let get = |figures: &FloorFigures, run: &str, key: &str| figures.get(run)?.get(key).copied();
    let (mut held, mut not_measured, mut broken) = (0, 0, Vec::new());
    for (run, keys) in floors {
        for (key, &floor) in keys {
            match get(measured, run, key) {
                None => not_measured += 1,
                Some(value) if value < floor - EPSILON => broken.push(Broken {
                    run: run.clone(),
                    key: key.clone(),
                    floor,
                    measured: value,
                }),
                Some(_) => held += 1,
            }
        }
    }
    let figures = measured.iter().flat_map(|(run, keys)| keys.keys().map(move |key| (run, key)));
    let without_floor = figures.filter(|(run, key)| get(floors, run, key).is_none()).count();
    let file = path.display().to_string();
    FloorVerdict { file, held, not_measured, without_floor, broken, updated: false, refused: false }
}
