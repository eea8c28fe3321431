//! `sitegrove-lab bench`: the speed of the pipeline, relative to its own parser and tokenizer, in alternating
//! rounds.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use config::Config;
use duplicates::Describer;
use errors::{Stopped, mark_begun};
use grove::{
    DecideParameters, DecidedNodes, Patterns, Pools, ScoredPage, SiblingStatistics, decide,
    second_scores, type_probabilities,
};
use input::read::{Intake, read};
use input::{Input, InputPlaces, expand};
use metadata::PageContext;
use model::{Article, Page};
use region::region_of;
use score::aggregate::percentile;
use serde_json::{Map, Value, json};
use sink::Ledger;
use sitegrove::results::finished_ledger;
use sitemodel::stages::judge::{read_pages, rows_of_type};
use sitemodel::{Settings, SiblingPage, parse_page};
use terminal::arguments::{PrintFormat, whole};
use terminal::printed::Console;
use url::Url;

/// Arguments of `sitegrove-lab bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  sitegrove-lab bench crawl/*.warc.gz --rounds 5

Rates are in 10⁶ bytes of decoded HTML per second; each figure is the median of the rounds. Single steps run in this process, with the pages in memory. Complete runs (`run --sinks jsonl --jobs N`) are separate processes, measured from start to end; seconds of stages are those of the run with one thread. CPU time and memory are reported on Linux only.")]
pub(crate) struct BenchArgs {
    /// WARC files, HTML files, folders, globs
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
    /// Number of times that each measurement is taken
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<usize>)]
    pub(crate) rounds: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PrintFormat,
}

/// Takes all measurements, and prints the rates and their ratios.
///
/// # Errors
/// If an input cannot be read, the temporary run folder cannot be written, or a run fails; [`Stopped`] if it was stopped.
pub(crate) fn run(args: &BenchArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<()> {
    let config = Config::load(None)?;
    let inputs = expand(&args.inputs, &[], InputPlaces::default())?;
    mark_begun();
    let mut pages = Vec::new();
    read_all(&inputs, &config, stop, &mut |intake| {
        if let Intake::Page(page) = intake {
            pages.push(page);
        }
    })?;
    Stopped::check(stop)?;
    let html: usize = pages.iter().map(|p| p.html.len()).sum();
    if html == 0 {
        bail!("no HTML page in the inputs");
    }
    let megabytes = html as f64 / 1e6;
    let alike = pages.iter().filter(|p| dom::parse(&p.html).same_tree(&by_html5ever(p))).count();
    if args.format == PrintFormat::Text {
        writeln!(out, "{} pages, {megabytes:.1} MB of HTML", pages.len())?;
        writeln!(out, "{alike} of them have the same tree with html5ever's tokenizer")?;
    }

    let folder = std::env::temp_dir().join(format!("sitegrove-bench-{}", std::process::id()));
    let measured = Rounds::measure(args, &pages, &inputs, &config, &folder, stop);
    // The folder may not exist if the first run failed early.
    let _ = std::fs::remove_dir_all(&folder);
    let rounds = measured?;
    match args.format {
        PrintFormat::Text => {
            print(out, megabytes, &rounds)?;
            print_costs(out, pages.len(), &rounds)
        }
        PrintFormat::Json => {
            let of = json!({ "pages": pages.len(), "html_mb": megabytes, "same_tree": alike });
            print_json(out, &of, &rounds)
        }
    }
}

struct Rounds {
    parts: [Vec<f64>; PARTS.len()],
    /// Times per capability.
    costs: Vec<Costs>,
    /// The runs with each number of threads.
    runs: Vec<(usize, Vec<WholeRun>)>,
}

impl Rounds {
    fn measure(
        args: &BenchArgs,
        pages: &[Page],
        inputs: &[Input],
        config: &Config,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let runs = thread_counts().into_iter().map(|jobs| (jobs, Vec::new())).collect();
        let mut rounds = Self { parts: Default::default(), costs: Vec::new(), runs };
        let settings = config.settings();
        for round in 0..args.rounds.max(1) {
            let seconds = time_parts(pages, inputs, config, stop)?;
            for (times, seconds) in rounds.parts.iter_mut().zip(seconds) {
                times.push(seconds);
            }
            rounds.costs.push(Costs::of(pages, &settings));
            for (jobs, runs) in &mut rounds.runs {
                Stopped::check(stop)?;
                // Deleted only at the end: ext4 creates files slowly in a folder whose files were just deleted.
                let own = folder.join(format!("{round}-{jobs}"));
                runs.push(WholeRun::measure(&args.inputs, *jobs, &own)?);
            }
        }
        Ok(rounds)
    }
}

/// The parts of the pipeline that are measured in this process.
const PARTS: [&str; 5] = [
    "bare tokenizer", "bare arena parse", "arena parse by html5ever alone",
    "read: records, http, charset", "parse, words, layout",
];

fn time_parts(
    pages: &[Page],
    inputs: &[Input],
    config: &Config,
    stop: &AtomicBool,
) -> Result<[f64; PARTS.len()]> {
    use std::hint::black_box;
    let each = |work: &dyn Fn(&Page)| timed(|| pages.iter().for_each(work));
    let mut outcome = Ok(());
    let tokenizer = each(&|page| _ = black_box(dom::count_tokens(&page.html)));
    let parse = each(&|page| drop(black_box(dom::parse(&page.html))));
    let html5ever = each(&|page| drop(black_box(by_html5ever(page))));
    let reading =
        timed(|| outcome = read_all(inputs, config, stop, &mut |intake| drop(black_box(intake))));
    outcome?;
    let settings = config.settings();
    let stage = each(&|page| drop(black_box(parse_page(page, &settings))));
    Ok([tokenizer, parse, html5ever, reading, stage])
}

fn by_html5ever(page: &Page) -> dom::Document {
    dom::parse_by_html5ever(&page.html, &dom::ParseOptions::CONTENT)
}

fn read_all(
    inputs: &[Input],
    config: &Config,
    stop: &AtomicBool,
    sink: &mut dyn FnMut(Intake),
) -> Result<()> {
    for input in inputs {
        read(input, &config.read, &|_| {}, stop, &mut |intake, _| sink(intake))?;
    }
    Ok(())
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Thread counts to measure: one, two, and the number of cores if that is higher.
fn thread_counts() -> Vec<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, 2];
    counts.extend((cores > 2).then_some(cores));
    counts
}

/// A complete run in a separate process, to measure its time and memory.
struct WholeRun {
    seconds: f64,
    cpu_seconds: Option<f64>,
    ledger: Ledger,
}

impl WholeRun {
    fn measure(inputs: &[String], jobs: usize, folder: &Path) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program")?;
        let mut command = Command::new(program);
        command.args(["run", "--quiet", "--sinks", "jsonl", "--jobs"]);
        command.arg(jobs.to_string()).arg("--out").arg(folder).arg("--").args(inputs);
        let cpu_before = cpu_seconds_of_children();
        let start = Instant::now();
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .context("cannot start a run")?;
        let seconds = start.elapsed().as_secs_f64();
        // Exit status 1: an input could not be read to its end. The steps measured in this process accept that, too.
        if !matches!(status.code(), Some(0 | 1)) {
            bail!("the run to measure ended with {status}");
        }
        let cpu_seconds = cpu_seconds_of_children().zip(cpu_before).map(|(now, was)| now - was);
        Ok(Self { seconds, cpu_seconds, ledger: finished_ledger(folder)? })
    }
}

/// CPU time of the processes that this one has waited for: fields 16 and 17 of `/proc/self/stat`, in
/// hundredths of a second (proc_pid_stat(5); Linux only).
fn cpu_seconds_of_children() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the name of the program and may contain any characters.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some((ticks(16)? + ticks(17)?) as f64 / 100.0)
}

fn print(out: &mut dyn Write, megabytes: f64, rounds: &Rounds) -> Result<()> {
    let Rounds { parts, runs, .. } = rounds;
    let [tokenizer, parse, ..] = parts.each_ref().map(|times| megabytes / median(times));
    let line = |name: &str, seconds: f64| {
        let rate = megabytes / seconds;
        let ratios = format!("{:>12.2} {:>12.2}", rate / tokenizer, rate / parse);
        format!("{name:<32} {seconds:>9.3} {rate:>9.1} {ratios}")
    };
    writeln!(
        out,
        "\n{:<32} {:>9} {:>9} {:>12} {:>12}",
        "", "s", "MB/s", "of tokenizer", "of parse"
    )?;
    for (name, times) in PARTS.iter().zip(parts) {
        writeln!(out, "{}", line(name, median(times)))?;
    }
    writeln!(out, "\nstages of a run with one thread")?;
    let of_one = runs.first().map(|(_, of_one)| of_one.as_slice()).unwrap_or_default();
    let names = of_one.first().map(|run| run.ledger.stage_seconds.keys());
    for name in names.into_iter().flatten() {
        let seconds = median_of(of_one, |run| run.ledger.stage_seconds.get(name).copied());
        // Ledgers record milliseconds: the rate of a stage that takes only a few would be inaccurate.
        if seconds >= 0.01 {
            writeln!(out, "{}", line(name, seconds))?;
        }
    }
    writeln!(
        out,
        "\n{:<71} {:>8} {:>9}",
        "end to end, in a separate process", "CPU s", "peak MiB"
    )?;
    let mut seconds = Vec::new();
    for (jobs, of_jobs) in runs {
        let own = median_of(of_jobs, |run| Some(run.seconds));
        seconds.push(own);
        let threads = if *jobs == 1 { "thread" } else { "threads" };
        let peak = |run: &WholeRun| run.ledger.peak_rss_bytes.map(|bytes| bytes as f64 / 1048576.0);
        let (cpu, peak) = (median_of(of_jobs, |run| run.cpu_seconds), median_of(of_jobs, peak));
        writeln!(out, "{} {cpu:>8.2} {peak:>9.0}", line(&format!("{jobs} {threads}"), own))?;
    }
    if let [one, two, ..] = seconds[..] {
        writeln!(out, "\ntwo threads are {:.2} times as fast as one", one / two)?;
    }
    Ok(())
}

/// Prints the medians in microseconds per page.
fn print_costs(out: &mut dyn Write, pages: usize, rounds: &Rounds) -> Result<()> {
    let costs = costs_of(rounds);
    let all: f64 = costs.iter().map(|cost| cost.1).sum();
    writeln!(out, "\n{:<36} {:>8} {:>6}", "what a page costs by itself", "µs", "%")?;
    for (name, seconds) in costs.iter().chain([&("all", all)]) {
        let (each, share) = (1e6 * seconds / pages as f64, 100.0 * seconds / all);
        writeln!(out, "{name:<36} {each:>8.0} {share:>6.1}")?;
    }
    Ok(())
}

/// Medians of the seconds of each capability.
fn costs_of(rounds: &Rounds) -> Vec<(&'static str, f64)> {
    let names = rounds.costs.first().map(|costs| costs.0.iter()).into_iter().flatten();
    names
        .enumerate()
        .map(|(at, (name, _))| {
            (*name, median(&rounds.costs.iter().map(|costs| costs.0[at].1).collect::<Vec<_>>()))
        })
        .collect()
}

/// Prints the medians in seconds, as one JSON object.
fn print_json(out: &mut Console<'_>, inputs: &Value, rounds: &Rounds) -> Result<()> {
    let parts = PARTS.iter().zip(&rounds.parts);
    let parts: Map<String, Value> =
        parts.map(|(name, times)| ((*name).to_owned(), median(times).into())).collect();
    let runs = rounds.runs.iter().map(|(jobs, runs)| {
        let peak = |run: &WholeRun| run.ledger.peak_rss_bytes.map(|bytes| bytes as f64);
        json!({
            "jobs": jobs,
            "seconds": median_of(runs, |run| Some(run.seconds)),
            "cpu_seconds": median_of(runs, |run| run.cpu_seconds),
            "peak_rss_bytes": median_of(runs, peak),
        })
    });
    let runs: Vec<Value> = runs.collect();
    let costs: Map<String, Value> =
        costs_of(rounds).into_iter().map(|(name, cost)| (name.to_owned(), cost.into())).collect();
    let figures = json!({ "inputs": inputs, "seconds": parts, "costs": costs, "runs": runs });
    Ok(out.json_line(&figures)?)
}

fn median_of(runs: &[WholeRun], figure: impl Fn(&WholeRun) -> Option<f64>) -> f64 {
    median(&runs.iter().filter_map(figure).collect::<Vec<_>>())
}

fn median(values: &[f64]) -> f64 {
    percentile(values, 0.5).unwrap_or(f64::NAN)
}

/// Seconds by capability, in the order of a run.
#[derive(Default)]
struct Costs(Vec<(&'static str, f64)>);

impl Costs {
    /// Measures the costs of all pages together.
    fn of(pages: &[Page], settings: &Settings) -> Self {
        let mut costs = Self::default();
        for page in pages {
            costs.add_page(page, settings);
        }
        costs
    }

    fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = black_box(work());
        let seconds = start.elapsed().as_secs_f64();
        match self.0.iter_mut().find(|own| own.0 == name) {
            Some(own) => own.1 += seconds,
            None => self.0.push((name, seconds)),
        }
        value
    }

    fn add_page(&mut self, page: &Page, settings: &Settings) {
        let weights = &settings.weights().weights;
        let parsed = self.time("tree, words, kinds of elements", || parse_page(page, settings));
        let document = &parsed.document;
        let siblings = [SiblingPage { page: &parsed, feed_items: &[] }];
        let mut blocks = self.time("features of blocks", || read_pages(&siblings));
        let blocks = &mut blocks[0];
        let types = self.time("page type", || {
            type_probabilities(&weights.types, &rows_of_type(&parsed, blocks))
        });
        blocks.set_types(&types);
        let (patterns, of_nodes) = self.time("patterns", || Patterns::of(&[document]));
        let patterns = &patterns;
        let first = self.time("scores of blocks", || weights.page.probabilities(&blocks.rows));
        let scored = ScoredPage { page: blocks, patterns: &of_nodes[0], scores: &first };
        let second = self.time("scores by patterns", || {
            let pools = Pools::of(&[scored], patterns);
            let template = SiblingStatistics { patterns, pools: &pools };
            second_scores(document, &scored, &template, &weights.sibling)
        });
        let scored = ScoredPage { scores: &second, ..scored };
        let DecidedNodes { keep, prune } = self.time("decisions", || {
            let parameters = DecideParameters { factor: 1.0, switch_cost: weights.switch_cost };
            let decisions = decide(&[scored], patterns, &[], None, &parameters);
            DecidedNodes::of(document, &of_nodes[0], &decisions)
        });
        let Ok(base) = Url::parse(&page.url) else { return };
        let region = self.time("article as a tree", || region_of(document, &keep, &prune, &base));
        let Some(region) = region else { return };
        let text = self.time("text", || region.text());
        let html = self.time("HTML, pictures, tables", || {
            drop((region.images(), region.tables(), region.embeds(), region.footnotes()));
            region.html()
        });
        let markdown = self.time("Markdown", || region.markdown(&base));
        let detected = self.time("language", || terms::detect(&text));
        let metadata = self.time("metadata", || {
            metadata::metadata(&PageContext {
                json_ld: Some(parsed.json_ld()),
                scan: Some(parsed.scan()),
                fetched: page.fetched,
                body: Some(&keep),
                detected,
                body_text: &text,
                ..PageContext::new(document, &page.url)
            })
        });
        let repeated = self.time("repeated text, digest of the page", || {
            (terms::share_repeated(&text), page.html.digest())
        });
        let mut article = Article { url: page.url.clone(), text, html, ..Article::default() };
        article.quality.repeated = repeated.0;
        article.markdown = Some(markdown);
        article.set_metadata(metadata);
        let describer = Describer::new(settings.tracking().clone());
        self.time("description for duplicates", || describer.describe(&article));
        drop(self.time("line of JSON", || serde_json::to_vec(&article)));
    }
}
