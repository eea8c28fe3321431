/*!
`sitegrove-lab train`: fits the weights of the default engine to pages whose text is known.

Reads the archives and runs the stages up to the blocks for every site (`pages`), labels the blocks by the gold,
and fits the trees (`fit`) in stages (`course`): once for each fold of the gold, without it, and once on
everything (`trial`). The held-out figures are those of complete runs with weights that were fitted without the
publisher, or without the data set (`trial`, `report`).

The same inputs give the same weights, byte by byte, for any number of threads.
*/

mod aged;
mod course;
mod fit;
pub(crate) mod pages;
mod report;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::time::Instant;

use aged::aged_copies;
use anyhow::{Context, bail, ensure};
use clap::Args;
use config::Config;
use course::{Course, DECIDE, FoldPlan, course};
use fit::FitError;
use grove::{Figure, TrainingSet, WEIGHTS_SCHEMA, Weights, feature_names};
use model::{Site, counts_of};
use pages::TrainingTemplate;
use serde_json::json;
use sink::AtomicFile;
use sitegrove::output_paths::{CommandPaths, OutputKind};
use sitegrove::run::read_sites;
use terminal::arguments::PrintFormat;
use terminal::arguments::whole;
use terminal::printed::Console;
use trial::{HeldOut, LeaveOut, of_publishers, parts, run_each};

use crate::gold::{GoldArgs, GoldFile, pages_of_corrections, read_gold};

/// Fit the default engine's weights to pages whose text is known.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sitegrove-lab train --gold gold.jsonl --out weights.json crawl/*.warc.gz
  sitegrove-lab train --gold gold.jsonl --no-data-sets \\
      --out weights.json crawl/*.warc.gz

To use the weights, set `weights = \"weights.json\"` under [grove] in a configuration file. Fitting on a thousand pages takes some minutes.")]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) of: GoldArgs,
    /// Licence of a data set, recorded in the weights file (repeatable)
    #[arg(long = "licence", value_name = "NAME=LICENCE")]
    pub(crate) licences: Vec<String>,
    /// Learn from corrections, too: texts of articles, and marked blocks. A JSONL file, or an archive of articles (repeatable)
    #[arg(long, value_name = "FILE|ARCHIVE")]
    pub(crate) corrections: Vec<PathBuf>,
    /// Output file for the weights
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Write the articles of the gold's pages to this file (JSONL), each with weights fitted without its
    /// publisher
    #[arg(long, value_name = "FILE")]
    pub(crate) held_out: Option<PathBuf>,
    /// Number of folds of publishers for the held-out figures
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole::<usize>)]
    pub(crate) folds: usize,
    /// Do not compute figures by data set, which take as long as the rest
    #[arg(long)]
    pub(crate) no_data_sets: bool,
    /// Percentages of the publishers, comma-separated, for a learning curve: fit to each as well, and print what
    /// such weights make of the pages of publishers that they have not seen
    #[arg(long, value_name = "PERCENTAGES", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..100))]
    pub(crate) curve: Vec<u8>,
    /// Output format; JSON has the figures that the weights file records
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PrintFormat,
}

/// Fits the weights, writes them, and prints their quality.
///
/// # Errors
/// If the gold or the archives cannot be read, nothing can be learnt from them, or a file cannot be written.
pub(crate) fn run(args: &TrainArgs, console: &mut Console<'_>) -> anyhow::Result<()> {
    // With JSON output or `--quiet`, the tables are not printed.
    let mut nowhere = std::io::sink();
    let out: &mut dyn Write = match args.format {
        PrintFormat::Text if !console.is_quiet() => console,
        _ => &mut nowhere,
    };
    paths_of(args).check()?;
    ensure!(args.folds >= 2, "--folds {}: at least 2", args.folds);
    let begun = Instant::now();
    let config = Config::load(None)?;
    let mut gold = read_gold(&args.of.gold, &args.of.datasets)?;
    gold.pages.extend(pages_of_corrections(&args.corrections)?);
    let licences = licences(&args.licences)?;
    let sites = read_sites(&args.of.inputs, &[], &config)?;
    let settings = config.settings();
    let parsed = pages::parse(&sites, &settings);
    let mut templates = pages::templates(&sites, &parsed, &gold.pages, &settings);
    let found: usize = templates.iter().map(TrainingTemplate::with_gold).sum();
    ensure!(found > 0, "no page of {} is in the inputs", args.of.gold.display());
    writeln!(
        out,
        "{found} of {} pages of the gold are in the inputs, in {} parts of templates of {} sites\n",
        gold.pages.len(),
        templates.len(),
        sites.len()
    )?;
    let like = empty_weights(&gold, trained_on(&templates, &licences));
    let copies = aged_copies(&sites, &gold.pages);
    let parsed_copies = pages::parse(&copies, &settings);
    let originals = templates.len();
    templates.extend(pages::templates(&copies, &parsed_copies, &gold.pages, &settings));
    let copied: BTreeSet<&str> = copies.iter().map(|copy| copy.pages[0].url.as_str()).collect();
    let is_copied = |own: &TrainingTemplate<'_>| {
        own.pages.iter().all(|page| copied.contains(page.parsed.page.url.as_str()))
    };
    templates.iter_mut().filter(|own| is_copied(own)).for_each(|own| own.weight_of_type = 0.5);

    let mut training =
        Training { like, sites: &sites, templates, originals, folds: args.folds, config };
    let mut fitted = None;
    let mut columns = Vec::new();
    for leave_out in [LeaveOut::Publishers, LeaveOut::DataSets] {
        let (parts, count) = parts(&training.templates, leave_out, args.folds);
        if leave_out == LeaveOut::DataSets && (args.no_data_sets || count < 2) {
            continue;
        }
        let learnt_from = vec![true; training.templates.len()];
        let plan = FoldPlan { parts, count, learnt_from };
        let (course, held_out) = training.fit_and_test(&plan).context("cannot fit")?;
        let table = report::HeldOutTable::of(training.originals(), &course, &held_out);
        table.print(leave_out.name(), out)?;
        report::types(training.originals(), &course, out)?;
        // The next course takes minutes: show the results so far.
        out.flush()?;
        training.like.figures.extend(table.figures(leave_out.name()));
        if leave_out == LeaveOut::Publishers {
            report::reliability(&held_out, out)?;
            if let Some(path) = &args.held_out {
                trial::write(&held_out, path)?;
            }
            fitted = course.weights.into_iter().last();
        }
        columns.push((leave_out.name().to_owned(), held_out));
    }
    let Some(fitted) = fitted else { bail!("nothing was fitted") };
    let (templates, whole) = (training.originals(), vec![0; training.originals]);
    let to_them = run_each(&sites, templates, &whole, from_ref(&fitted), &training.config);
    columns.insert(0, ("fitted to them".to_owned(), to_them));
    report::side_by_side("Side by side", &columns, out)?;
    if !args.curve.is_empty() {
        let mut curve = training.learn_from_shares(&args.curve)?;
        curve.push((format!("all, {found} pages"), columns.remove(1).1));
        report::side_by_side("Learning curve", &curve, out)?;
    }
    let weights = Weights { figures: training.like.figures, ..fitted };
    AtomicFile::write_whole(&args.out, weights.to_json().as_bytes())?;
    let (trees, seconds) = (weights.number_of_trees(), begun.elapsed().as_secs_f64());
    if args.format == PrintFormat::Json {
        let figures: BTreeMap<&str, f64> =
            weights.figures.iter().map(|figure| (&*figure.name, figure.value)).collect();
        return Ok(console.json_line(&json!({
            "file": args.out,
            "trees": trees,
            "seconds": seconds,
            "figures": figures,
        }))?);
    }
    writeln!(out, "{}: {trees} trees, fitted in {seconds:.0} s", args.out.display())?;
    Ok(())
}

fn paths_of(args: &TrainArgs) -> CommandPaths {
    // Every argument is named, so that a new argument with a path cannot be forgotten.
    let TrainArgs {
        of: GoldArgs { inputs, gold, datasets: _ },
        corrections,
        out,
        held_out,
        licences: _,
        folds: _,
        no_data_sets: _,
        curve: _,
        format: _,
    } = args;
    let paths = CommandPaths::default()
        .reads("--gold", gold)
        .writes("--out", out, OutputKind::Json)
        .writes("--held-out", held_out.as_deref().unwrap_or(Path::new("")), OutputKind::Json);
    let paths = corrections.iter().fold(paths, |all, own| all.reads("--corrections", own));
    inputs.iter().fold(paths, |paths, input| paths.reads("an input", Path::new(input)))
}

/// The data that weights are fitted to.
struct Training<'a> {
    sites: &'a [Site],
    /// The templates of the inputs, then the templates of their aged copies.
    templates: Vec<TrainingTemplate<'a>>,
    /// Number of templates of the inputs.
    originals: usize,
    /// Weights without trees, with the figures so far.
    like: Weights,
    /// Number of parts that publishers are divided into.
    folds: usize,
    config: Config,
}

impl<'a> Training<'a> {
    fn originals(&self) -> &[TrainingTemplate<'a>] {
        &self.templates[..self.originals]
    }

    /// Fits trees without each part of a plan, and runs the sites of the part with them.
    fn fit_and_test(&mut self, plan: &FoldPlan) -> Result<(Course, Vec<HeldOut<'a>>), FitError> {
        let course = course(&mut self.templates, self.originals, plan, &self.like)?;
        let (parts, weights) = (&plan.parts, &course.weights[..plan.count]);
        let held_out = run_each(self.sites, self.originals(), parts, weights, &self.config);
        Ok((course, held_out))
    }

    /// Fits weights to each of these percentages of the publishers; returns the results for held-out publishers.
    fn learn_from_shares(
        &mut self,
        shares: &[u8],
    ) -> anyhow::Result<Vec<(String, Vec<HeldOut<'a>>)>> {
        let mut curve = Vec::new();
        for &percent in shares {
            let learnt_from = of_publishers(&self.templates, percent);
            let (parts, count) = parts(&self.templates, LeaveOut::Publishers, self.folds);
            let own = self.originals().iter().zip(&learnt_from).filter(|(_, own)| **own);
            let pages: usize = own.map(|(template, _)| template.with_gold()).sum();
            let plan = FoldPlan { parts, count, learnt_from };
            let (_, held_out) = self
                .fit_and_test(&plan)
                .with_context(|| format!("cannot fit to {percent} % of the publishers"))?;
            curve.push((format!("{percent} % of publishers, {pages} pages"), held_out));
        }
        Ok(curve)
    }
}

/// Weights without trees and figures.
fn empty_weights(gold: &GoldFile, trained_on: Vec<TrainingSet>) -> Weights {
    Weights {
        schema: WEIGHTS_SCHEMA,
        gold: gold.digest.clone(),
        trained_on,
        switch_cost: DECIDE.switch_cost,
        features: feature_names(),
        ..Weights::default()
    }
}

/// The licences given on the command line, by data set.
fn licences(args: &[String]) -> anyhow::Result<BTreeMap<String, String>> {
    args.iter()
        .map(|arg| {
            let (name, licence) = arg
                .split_once('=')
                .with_context(|| format!("--licence {arg}: must be NAME=LICENCE"))?;
            Ok((name.to_owned(), licence.to_owned()))
        })
        .collect()
}

fn trained_on(
    templates: &[TrainingTemplate<'_>],
    licences: &BTreeMap<String, String>,
) -> Vec<TrainingSet> {
    let pages = templates.iter().flat_map(|template| &template.pages);
    let gold = pages.filter_map(|page| page.gold.as_ref());
    counts_of(gold.map(|(gold, _)| gold.dataset.as_str()))
        .into_iter()
        .map(|(name, pages)| TrainingSet {
            name: name.to_owned(),
            pages,
            licence: licences.get(name).cloned().unwrap_or_else(|| "not stated".to_owned()),
        })
        .collect()
}

fn percent(name: String, share: f64) -> Figure {
    Figure { name, value: (share * 10_000.0).round() / 100.0 }
}
