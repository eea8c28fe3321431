/*!
`sitegrove-lab train`: fits the weights of the default engine to pages whose text is known.

Reads the archives and runs the stages up to the blocks for every site (`pages`), labels the blocks by the gold,
and fits the trees (`fit`) in stages (`course`): once for each fold of the gold, without it, and once on
everything. The held-out figures are those of complete runs with weights that were fitted without the
publisher, or without the data set (`report`).

The same inputs give the same weights, byte by byte, for any number of threads.
*/

mod aged;
mod course;
mod fit;
pub(crate) mod pages;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;
use std::time::Instant;

use aged::aged_copies;
use anyhow::{Context, bail, ensure};
use clap::Args;
use config::Config;
use course::{Course, DECIDE, FoldPlan, course, page_scores_of};
use fit::FitError;
use grove::{Figure, TrainingSet, WEIGHTS_SCHEMA, Weights, feature_names};
use model::{Extracted, Site, counts_of};
use pages::TrainingTemplate;
use rayon::prelude::*;
use serde_json::json;
use sink::AtomicFile;
use site::clock::Clock;
use site::process;
use sitegrove::output_paths::{CommandPaths, OutputKind};
use sitegrove::run::read_sites;
use sitemodel::Engine;
use sitemodel::settings::LoadedWeights;
use terminal::arguments::{PrintFormat, whole};
use terminal::printed::Console;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::gold::{GoldArgs, GoldFile, GoldPage, pages_of_corrections, read_gold};

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
    licences: Vec<String>,
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
    no_data_sets: bool,
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
                write(&held_out, path)?;
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

/// The unit that is held out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeaveOut {
    /// Several publishers at a time: all pages of a site are in one part.
    Publishers,
    /// One data set at a time.
    DataSets,
}

impl LeaveOut {
    /// The name in reports and in the weights file.
    fn name(self) -> &'static str {
        match self {
            Self::Publishers => "leave-publishers-out",
            Self::DataSets => "leave-data-set-out",
        }
    }
}

/// Divides templates into parts; returns the part of each template, and the number of parts.
/// Publishers are assigned by a hash of their names, so that a new publisher does not move the others.
fn parts(
    templates: &[TrainingTemplate<'_>],
    leave_out: LeaveOut,
    folds: usize,
) -> (Vec<usize>, usize) {
    match leave_out {
        LeaveOut::Publishers => {
            let part =
                |t: &TrainingTemplate<'_>| (xxh3_64(t.site.as_bytes()) % folds as u64) as usize;
            (templates.iter().map(part).collect(), folds)
        }
        LeaveOut::DataSets => {
            let names: BTreeSet<&str> = templates.iter().map(data_set).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let part = |t: &TrainingTemplate<'_>| {
                names.binary_search(&data_set(t)).unwrap_or(names.len() - 1)
            };
            (templates.iter().map(part).collect(), names.len())
        }
    }
}

/// Whether each template belongs to the given percentage of publishers. Publishers are chosen by a different hash than the
/// parts; a larger percentage includes the publishers of a smaller one.
fn of_publishers(templates: &[TrainingTemplate<'_>], percent: u8) -> Vec<bool> {
    let hash = |t: &TrainingTemplate<'_>| xxh3_64_with_seed(t.site.as_bytes(), 1) % 100;
    templates.iter().map(|t| hash(t) < u64::from(percent)).collect()
}

/// The data set of a template: the data set of its first page with gold.
fn data_set<'a>(template: &TrainingTemplate<'a>) -> &'a str {
    let gold = template.pages.iter().find_map(|page| page.gold.as_ref());
    gold.map_or("", |(gold, _)| gold.dataset.as_str())
}

/// The result for a page of the gold.
struct HeldOut<'a> {
    gold: &'a GoldPage,
    /// F1 by pairs of words; `None` where the page has no gold to count.
    f1: Option<f64>,
    words_f1: Option<f64>,
    /// F1 by pairs of words, without bylines, dates and captions.
    fields_f1: Option<f64>,
    /// `None` if the page gave no article.
    article: Option<Extracted>,
}

/// Runs every site with the weights for each part that its templates belong to. Pages are ordered by template.
fn run_each<'a>(
    sites: &[Site],
    templates: &[TrainingTemplate<'a>],
    parts: &[usize],
    weights: &[Weights],
    config: &Config,
) -> Vec<HeldOut<'a>> {
    let configs: Vec<Config> = weights
        .iter()
        .map(|weights| {
            let loaded = LoadedWeights { weights: weights.clone(), digest: [0; 32] };
            let mut config = Config { loaded: Some(Arc::new(loaded)), ..config.clone() };
            config.rank.engine = Engine::Grove;
            config
        })
        .collect();
    let mut parts_of_site: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (template, &part) in templates.iter().zip(parts) {
        parts_of_site.entry(template.site).or_default().insert(part);
    }
    let runs: Vec<(&Site, usize)> = sites
        .iter()
        .filter_map(|site| Some((site, parts_of_site.get(site.key.as_str())?)))
        .flat_map(|(site, parts)| parts.iter().map(move |&part| (site, part)))
        .collect();
    let articles: Vec<Vec<Extracted>> = runs
        .par_iter()
        .map(|(site, part)| process(site, &configs[*part], &Clock::default()).articles)
        .collect();
    let mut by_part: BTreeMap<(usize, String), Extracted> = BTreeMap::new();
    for ((_, part), articles) in runs.iter().zip(articles) {
        for article in articles {
            by_part.entry((*part, article.url.clone())).or_insert(article);
        }
    }
    let mut held_out = Vec::new();
    for (template, &part) in templates.iter().zip(parts) {
        for page in &template.pages {
            let Some((gold, _)) = &page.gold else { continue };
            let article = by_part.get(&(part, gold.url.clone())).cloned();
            let text = article.as_ref().map_or("", |article| &article.text);
            let scores = page_scores_of(page, text);
            let [f1, words_f1, fields_f1] = scores.map(|score| score.map(|own| own.f1));
            held_out.push(HeldOut { gold, f1, words_f1, fields_f1, article });
        }
    }
    held_out
}

/// Writes the articles, as lines of `articles.jsonl`.
///
/// # Errors
/// If the file cannot be written.
fn write(held_out: &[HeldOut<'_>], path: &Path) -> anyhow::Result<()> {
    let mut lines = String::new();
    for extracted in held_out.iter().filter_map(|page| page.article.as_ref()) {
        lines.push_str(&serde_json::to_string(&extracted.article)?);
        lines.push('\n');
    }
    Ok(AtomicFile::write_whole(path, lines.as_bytes())?)
}
