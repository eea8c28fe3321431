/*!
`sitegrove train`: fits the weights of the default engine to pages whose text is known.

Reads the archives and runs the stages up to the blocks for every site (`pages`), labels the blocks by the gold
(`labels`), and fits the trees (`fit`) in stages (`course`): once for each fold of the gold, without it, and once on
everything (`folds`). The held-out figures are those of complete runs with weights that were fitted without the
publisher, or without the data set (`trial`, `report`).

The same inputs give the same weights, byte by byte, for any number of threads.
*/

mod course;
mod figures;
mod fit;
mod folds;
mod labels;
mod pages;
mod report;
mod trial;

use std::{
    collections::BTreeMap, io::Write, path::PathBuf, sync::atomic::AtomicBool, time::Instant,
};

use anyhow::{Context, bail, ensure};
use clap::Args;
use grove::{DecideParameters, Figure, TrainingSet, WEIGHTS_SCHEMA, Weights, feature_names};
use serde_json::json;
use sink::AtomicFile;

use super::{evaluate::read, format::Format, whole_number::whole};
use crate::{
    config::Config, inputs, printed::Console, progress::ledger::Clock, run, stages::group::group,
};
use course::{Plan, course};
use folds::{LeaveOut, of_publishers, parts};

/// The cost of a switch: `docs/ALGORITHM.md` describes how it was chosen.
const DECIDE: DecideParameters = DecideParameters { factor: 1.0, switch_cost: 0.15 };

/// Fit the default engine's weights to pages whose text is known.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sitegrove train --gold gold.jsonl --out weights.json crawl/*.warc.gz
  sitegrove train --gold gold.jsonl --no-data-sets \\
      --out weights.json crawl/*.warc.gz

To use the weights, set `weights = \"weights.json\"` under [grove] in a configuration file. Fitting on a thousand pages takes some minutes.")]
pub struct TrainArgs {
    /// WARC files, HTML files, folders or globs with the pages of the gold
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// JSONL file (also .gz) of pages with url, dataset, template, site, gold_text, gold_title, page_title, gold_optional
    #[arg(long, value_name = "FILE")]
    pub gold: PathBuf,
    /// Only these data sets of the gold, comma-separated
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub datasets: Vec<String>,
    /// Licence of a data set, recorded in the weights file (repeatable)
    #[arg(long = "licence", value_name = "NAME=LICENCE")]
    pub licences: Vec<String>,
    /// Output file for the weights
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Write the articles of the gold's pages to this file (JSONL), each with weights fitted without its
    /// publisher
    #[arg(long, value_name = "FILE")]
    pub held_out: Option<PathBuf>,
    /// Number of folds of publishers for the held-out figures
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole::<usize>)]
    pub folds: usize,
    /// Do not compute figures by data set, which take as long as the rest
    #[arg(long)]
    pub no_data_sets: bool,
    /// Percentages of the publishers, comma-separated, for a learning curve: fit to each as well, and print what
    /// such weights make of the pages of publishers that they have not seen
    #[arg(long, value_name = "PERCENTAGES", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..100))]
    pub curve: Vec<u8>,
    /// Output format; JSON has the figures that the weights file records
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// Fits the weights, writes them, and prints their quality.
///
/// # Errors
/// If the gold or the archives cannot be read, nothing can be learnt from them, or a file cannot be written.
pub fn run(args: &TrainArgs, console: &mut Console<'_>) -> anyhow::Result<()> {
    // The tables are for people.
    let mut nowhere = std::io::sink();
    let out: &mut dyn Write = match args.format {
        Format::Text if !console.is_quiet() => console,
        _ => &mut nowhere,
    };
    ensure!(args.folds >= 2, "--folds {}: at least 2", args.folds);
    let begun = Instant::now();
    let config = Config::load(None)?;
    let gold = read::gold(&args.gold, &args.datasets)?;
    let licences = licences(&args.licences)?;
    let inputs = inputs::expand(&args.inputs, &[])?;
    let stop = AtomicBool::new(false);
    let (_, intakes, unreadable) = run::read_all(
        &config,
        &inputs,
        &stop,
        &crate::progress::observer::Quiet,
        &Clock::default(),
    );
    ensure!(unreadable.is_empty(), "{}", unreadable.join("\n"));
    let sites = group(intakes, &config.group).sites;
    let settings = config.settings();
    let parsed = pages::parse(&sites, &settings);
    let mut templates = pages::templates(&sites, &parsed, &gold.pages, &settings);
    let found: usize = templates.iter().map(pages::Siblings::with_gold).sum();
    ensure!(found > 0, "no page of {} is in the inputs", args.gold.display());
    writeln!(
        out,
        "{found} of {} pages of the gold are in the inputs, in {} parts of templates of {} sites\n",
        gold.pages.len(),
        templates.len(),
        sites.len()
    )?;

    let mut like = Weights {
        schema: WEIGHTS_SCHEMA,
        gold: gold.digest.clone(),
        trained_on: trained_on(&templates, &licences),
        figures: Vec::new(),
        switch_cost: DECIDE.switch_cost,
        features: feature_names(),
        types: Vec::new(),
        page: grove::Trees::default(),
        sibling: grove::Trees::default(),
        ending: grove::Trees::default(),
        confidence: grove::Trees::default(),
    };
    let mut fitted = None;
    let mut columns = Vec::new();
    for leave_out in [LeaveOut::Publishers, LeaveOut::DataSets] {
        let (parts, count) = parts(&templates, leave_out, args.folds);
        if leave_out == LeaveOut::DataSets && (args.no_data_sets || count < 2) {
            continue;
        }
        let learnt_from = vec![true; templates.len()];
        let plan = Plan { parts, count, learnt_from, decide: DECIDE };
        let course = course(&mut templates, &plan).context("cannot fit")?;
        let held_out = trial::held_out(&sites, &templates, &plan, &course, &like, &config);
        let table = report::Table::of(&templates, &course, &held_out);
        table.print(leave_out.name(), out)?;
        report::types(&templates, &course, out)?;
        // The next course takes minutes: show the results so far.
        out.flush()?;
        like.figures.extend(table.figures(leave_out.name()));
        if leave_out == LeaveOut::Publishers {
            figures::reliability(&held_out, out)?;
            if let Some(path) = &args.held_out {
                trial::write(&held_out, path)?;
            }
            fitted = Some(course.weights(count, &like));
        }
        columns.push((leave_out.name().to_owned(), held_out));
    }
    let Some(fitted) = fitted else { bail!("nothing was fitted") };
    let to_them = trial::fitted(&sites, &templates, &fitted, &config);
    columns.insert(0, ("fitted to them".to_owned(), to_them));
    figures::side_by_side("Side by side", &columns, out)?;
    let mut curve = Vec::new();
    for &percent in &args.curve {
        let learnt_from = of_publishers(&templates, percent);
        let (parts, count) = parts(&templates, LeaveOut::Publishers, args.folds);
        let own = templates.iter().zip(&learnt_from).filter(|(_, own)| **own);
        let pages: usize = own.map(|(template, _)| template.with_gold()).sum();
        let plan = Plan { parts, count, learnt_from, decide: DECIDE };
        let course = course(&mut templates, &plan)
            .with_context(|| format!("cannot fit to {percent} % of the publishers"))?;
        let held_out = trial::held_out(&sites, &templates, &plan, &course, &like, &config);
        curve.push((format!("{percent} % of publishers, {pages} pages"), held_out));
    }
    if !curve.is_empty() {
        curve.push((format!("all, {found} pages"), columns.remove(1).1));
        figures::side_by_side("Learning curve", &curve, out)?;
    }
    let weights = Weights { figures: like.figures, ..fitted };
    AtomicFile::write_whole(&args.out, weights.to_json().as_bytes())?;
    let (trees, seconds) = (weights.number_of_trees(), begun.elapsed().as_secs_f64());
    if args.format == Format::Json {
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
    templates: &[pages::Siblings<'_>],
    licences: &BTreeMap<String, String>,
) -> Vec<TrainingSet> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let pages = templates.iter().flat_map(|template| &template.pages);
    for (gold, _) in pages.filter_map(|page| page.gold.as_ref()) {
        *counts.entry(&gold.dataset).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(name, pages)| TrainingSet {
            name: name.to_owned(),
            pages,
            licence: licences.get(name).cloned().unwrap_or_else(|| "not stated".to_owned()),
        })
        .collect()
}

/// A share as percent, for [`Figure`]s.
fn percent(name: String, share: f64) -> Figure {
    Figure { name, value: (share * 10_000.0).round() / 100.0 }
}
