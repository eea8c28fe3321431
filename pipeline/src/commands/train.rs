/*!
`sitegrove train`: fits the weights of the default engine to pages whose text is known.

Reads the archives and goes with every site through the stages of a run up to the blocks (`pages`), labels the blocks
by the gold (`labels`), and fits the trees (`fit`) twice over: for each part of the gold without it, which gives the
honest figures, and on everything, which gives the weights (`folds`).
*/

mod fit;
mod folds;
mod labels;
mod pages;
mod trial;

use std::{io::Write, path::PathBuf, sync::atomic::AtomicBool, time::Instant};

use anyhow::ensure;
use clap::Args;

use super::evaluate::read;
use crate::{config::Config, inputs, ledger::Clock, run, stages::group::group};

/// Fit the default engine's weights to pages whose text is known.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  sitegrove train --gold gold.jsonl --out weights.json crawl/*.warc.gz")]
pub struct TrainArgs {
    /// WARC files, HTML files, folders, globs that hold the pages of the gold
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// JSONL file (also .gz) of pages with url, dataset, template, site, gold_text, gold_title, page_title, gold_optional
    #[arg(long, value_name = "FILE")]
    pub gold: PathBuf,
    /// Only these data sets of the gold, by name with commas between
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub datasets: Vec<String>,
    /// Parts the publishers are dealt into for the honest figures
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub folds: usize,
}

/// Fits, and prints what the weights are worth.
///
/// # Errors
/// If the gold or the archives cannot be read, or nothing can be learnt from them.
pub fn run(args: &TrainArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    ensure!(args.folds >= 2, "--folds {}: at least 2", args.folds);
    let config = Config::load(None)?;
    let gold = read::gold(&args.gold, &args.datasets)?;
    let inputs = inputs::expand(&args.inputs, &[])?;
    let stop = AtomicBool::new(false);
    let begun = Instant::now();
    let (_, intakes, unreadable) =
        run::read_all(&config, &inputs, &stop, &run::Quiet, &Clock::default());
    ensure!(unreadable.is_empty(), "{}", unreadable.join("\n"));
    let sites = group(intakes, &config.group).sites;
    let parsed = pages::parse(&sites, &config);
    let templates = pages::templates(&sites, &parsed, &gold.pages, &config);
    eprintln_time("prepared", begun);
    trial::run(&templates, args.folds, begun, out)
}

#[allow(clippy::print_stderr)]
fn eprintln_time(what: &str, begun: Instant) {
    eprintln!("{what}: {:.1} s", begun.elapsed().as_secs_f64());
}
