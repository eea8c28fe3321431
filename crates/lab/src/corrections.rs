/*!
`sitegrove-lab corrections`: measures how marks on one page of a template improve its other pages.

The pages of the gold are extracted with models of their sites. Then the blocks of the most typical page of each template are
marked: as content if most of their words are in the gold, else as not content. Models are learnt again with these marks, and three
times with a random share of the marks flipped. The other pages are compared with their gold before and after: by groups of
siblings in the gold, and for templates below several confidences. The ceilings come from models learnt with the right marks of all
pages, including those compared: as decisions are made for patterns, no marks can make every page right.

The same inputs give the same report, for any number of threads.
*/

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use config::Config;
use model::{Mark, PageType, Site, TemplateCorrection};
use rayon::prelude::*;
use serde::Serialize;
use sitegrove::in_memory::{apply, learn};
use sitegrove::output_paths::CommandPaths;
use sitegrove::run::read_sites;
use sitemodel::corrections::Corrections;
use sitemodel::markable::{MarkablePage, most_typical};
use sitemodel::{Outcome, ParsedPage, Settings, parse_page};
use terminal::arguments::{PrintFormat, whole};
use terminal::printed::{self, Console};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::gold::{GoldArgs, GoldPage, pages_by_url, read_gold};
use crate::train::pages::shares_in_gold;

/// Thresholds of confidence: one page of each template below a threshold is labelled.
const CONFIDENCES: [f64; 6] = [0.7, 0.8, 0.85, 0.9, 0.95, 1.01];
/// Percentages of marks that are flipped.
const NOISE: [u64; 3] = [0, 5, 10];
/// Number of random draws of the flipped marks; results are means over the draws.
const DRAWS: u64 = 3;
/// Index of the ceiling in the results of a page: after the result without marks and the results with noise.
const CEILING: usize = 1 + NOISE.len();

/// Mark one page of each template by its gold, and compare its other pages before and after.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove-lab corrections --gold gold.jsonl crawl/*.warc.gz
  sitegrove-lab corrections --gold gold.jsonl --weights weights.json \\
      --format json crawl/*.warc.gz

Pages of a template are those of one layout and kind, as a run finds them. Groups are those of the gold.")]
pub(crate) struct CorrectionsArgs {
    #[command(flatten)]
    pub(crate) of: GoldArgs,
    /// Weights of the default engine, such as some that were fitted without these pages
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Show the N groups that lose most
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<usize>)]
    pub(crate) worst: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: PrintFormat,
}

/// A page of the gold with the scores of several models.
struct MeasuredPage<'a> {
    gold: &'a GoldPage,
    template: Option<u32>,
    /// Mean confidence of its template.
    confidence: f64,
    is_marked: bool,
    /// F1 without marks, with marks at each level of [`NOISE`], and with correct marks of all pages.
    f1: Vec<f64>,
}

#[derive(Serialize)]
struct GroupFigures {
    name: String,
    groups: usize,
    pages: usize,
    /// Mean F1 without marks, and with marks at each level of [`NOISE`].
    before: f64,
    after: Vec<f64>,
    /// Number of groups that lose more than a point, and the largest loss.
    losing: usize,
    most_lost: f64,
    /// Mean F1 of the tenth of the groups that was worst before, without and with marks.
    worst_before: f64,
    worst_after: f64,
    /// With correct marks of all pages: mean F1, mean F1 of the same tenth, and number of groups that lose more than a point.
    ceiling: f64,
    worst_ceiling: f64,
    losing_ceiling: usize,
}

/// The gain from labelling one page of each template below a confidence.
#[derive(Serialize)]
struct LabellingGain {
    below: f64,
    labels: usize,
    templates: usize,
    articles: f64,
    other_types: f64,
}

#[derive(Serialize)]
struct CorrectionsReport {
    labelled: usize,
    figures: Vec<GroupFigures>,
    bought: Vec<LabellingGain>,
    worst: Vec<(String, Vec<f64>)>,
}

/// Measures the effect of marks, and prints the tables.
///
/// # Errors
/// If a file cannot be read, or no template has two pages of the gold.
pub(crate) fn run(args: &CorrectionsArgs, out: &mut Console<'_>) -> anyhow::Result<()> {
    paths_of(args).check()?;
    let mut config = Config::load(None)?;
    if let Some(weights) = &args.weights {
        config.loaded = Some(Arc::new(config::read_weights(weights)?));
    }
    let gold = read_gold(&args.of.gold, &args.of.datasets)?;
    let sites = read_sites(&args.of.inputs, &[], &config)?;
    let by_url = pages_by_url(&gold.pages);
    let settings = config.settings();
    let measured: Vec<MeasuredPage<'_>> =
        sites.par_iter().flat_map_iter(|site| measure(site, &by_url, &settings)).collect();
    let labelled = measured.iter().filter(|page| page.is_marked).count();
    ensure!(
        labelled > 0,
        "no template has two pages of {}: give more pages",
        args.of.gold.display()
    );
    let report = report(&measured, labelled, args.worst);
    match args.format {
        PrintFormat::Text => print(&report, out),
        PrintFormat::Json => Ok(out.json_line(&report)?),
    }
}

fn paths_of(args: &CorrectionsArgs) -> CommandPaths {
    // Every argument is named, so that a new argument with a path cannot be forgotten.
    let CorrectionsArgs { of, weights, worst: _, format: _ } = args;
    let GoldArgs { inputs, gold, datasets: _ } = of;
    let paths = CommandPaths::default().reads("--gold", gold);
    let paths = paths.reads("--weights", weights.as_deref().unwrap_or(Path::new("")));
    inputs.iter().fold(paths, |paths, input| paths.reads("an input", Path::new(input)))
}

fn measure<'a>(
    site: &'a Site,
    gold: &BTreeMap<&str, &'a GoldPage>,
    settings: &Settings,
) -> Vec<MeasuredPage<'a>> {
    if site.pages.iter().all(|page| !gold.contains_key(&*page.url)) {
        return Vec::new();
    }
    let model = learn(site.clone(), None, settings);
    let mut pages: Vec<MeasuredPage<'_>> = Vec::new();
    let mut parsed: Vec<ParsedPage<'_>> = Vec::new();
    for page in &site.pages {
        let Some(&gold) = gold.get(&*page.url) else { continue };
        let applied = apply(&model, page, &site.feed_items, settings).applied;
        let Some(f1) = f1(gold, &applied.outcome) else { continue };
        let template = applied.template.and_then(|at| model.templates().get(at as usize));
        pages.push(MeasuredPage {
            gold,
            template: applied.template,
            confidence: template.map_or(0.0, |own| own.expected.mean_confidence()),
            is_marked: false,
            f1: vec![f1],
        });
        parsed.push(parse_page(page, settings));
    }
    let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        members.entry(page.template.unwrap_or(u32::MAX)).or_default().push(at);
    }
    members.retain(|template, own| *template != u32::MAX && own.len() > 1);
    for own in members.values() {
        let siblings: Vec<&ParsedPage<'_>> = own.iter().map(|&at| &parsed[at]).collect();
        if let Some(typical) = most_typical(&siblings) {
            pages[own[typical]].is_marked = true;
        }
    }
    for (noise, all_marked) in NOISE.map(|noise| (noise, false)).into_iter().chain([(0, true)]) {
        if members.is_empty() {
            pages.iter_mut().for_each(|page| page.f1.push(page.f1[0]));
            continue;
        }
        let draws = if noise == 0 { 1 } else { DRAWS };
        let mut sums = vec![0.0; pages.len()];
        for draw in 0..draws {
            let marked = pages.iter().zip(&parsed).filter(|(page, _)| page.is_marked || all_marked);
            let marked = marked.map(|(page, parsed)| correction(page.gold, parsed, noise, draw));
            let corrections = Corrections::new(marked, String::new());
            let mut corrected = settings.clone();
            corrected.corrections = Some(Arc::new(corrections));
            let model = learn(site.clone(), None, &corrected);
            for ((page, parsed), sum) in pages.iter().zip(&parsed).zip(&mut sums) {
                let applied = apply(&model, parsed.page, &site.feed_items, &corrected).applied;
                *sum += f1(page.gold, &applied.outcome).unwrap_or_default();
            }
        }
        pages.iter_mut().zip(sums).for_each(|(page, sum)| page.f1.push(sum / draws as f64));
    }
    pages
}

fn f1(gold: &GoldPage, outcome: &Outcome) -> Option<f64> {
    Some(gold.score_pairs(outcome.article().map_or("", |article| &*article.text))?.f1)
}

/// Marks the blocks of a page by its gold. `noise` percent of the marks are flipped, different ones in each draw. Titles and
/// optional text get no marks.
fn correction(gold: &GoldPage, page: &ParsedPage<'_>, noise: u64, draw: u64) -> TemplateCorrection {
    let markable = MarkablePage::of(page);
    let blocks = grove::blocks(&page.document, &page.words, &page.link_words);
    let of_gold = shares_in_gold(&page.document, &blocks, gold);
    let mut marked = Vec::new();
    for (at, (own, block)) in of_gold.iter().zip(&markable.blocks).enumerate() {
        if own.aside > 0.5 {
            continue;
        }
        let seed = draw << 32 | at as u64;
        let flip = xxh3_64_with_seed(page.page.url.as_bytes(), seed) % 100 < noise;
        let is_content = (own.text > 0.5) != flip;
        marked.push(block.marked(if is_content { Mark::Content } else { Mark::NotContent }));
    }
    TemplateCorrection {
        url: page.page.url.clone(),
        by: "gold".to_owned(),
        at: String::new(),
        reason: String::new(),
        elements: markable.elements,
        blocks: marked,
    }
}

/// A group of sibling pages of the gold, without the marked pages.
struct MeasuredGroup<'a> {
    name: String,
    dataset: &'a str,
    is_article: bool,
    pages: Vec<&'a MeasuredPage<'a>>,
}

/// Minimum number of pages of a group.
const FEWEST: usize = 3;

fn groups<'a>(measured: &'a [MeasuredPage<'a>]) -> Vec<MeasuredGroup<'a>> {
    let mut all: BTreeMap<(&str, &str), Vec<&MeasuredPage<'_>>> = BTreeMap::new();
    for page in measured {
        if let Some(template) = &page.gold.template {
            all.entry((&page.gold.dataset, template)).or_default().push(page);
        }
    }
    let group = |((dataset, name), mut pages): ((&'a str, &str), Vec<&'a MeasuredPage<'a>>)| {
        let is_other = |page: &&&MeasuredPage<'_>| {
            page.gold.page_type.is_some_and(|own| own != PageType::Article)
        };
        let is_article = pages.iter().filter(is_other).count() * 2 < pages.len();
        let is_group = pages.len() >= FEWEST;
        pages.retain(|page| !page.is_marked);
        let name = format!("{dataset} {name}");
        (is_group && !pages.is_empty()).then_some(MeasuredGroup {
            name,
            dataset,
            is_article,
            pages,
        })
    };
    all.into_iter().filter_map(group).collect()
}

impl MeasuredGroup<'_> {
    /// Its mean F1, in percent; `of_page` chooses the result of each page.
    fn mean(&self, of_page: impl Fn(&MeasuredPage<'_>) -> usize) -> f64 {
        let sum: f64 = self.pages.iter().map(|page| page.f1[of_page(page)]).sum();
        100.0 * sum / self.pages.len() as f64
    }

    /// Its mean F1, in percent, by result.
    fn results(&self) -> Vec<f64> {
        (0..=CEILING).map(|at| self.mean(|_| at)).collect()
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

fn report(measured: &[MeasuredPage<'_>], labelled: usize, worst: usize) -> CorrectionsReport {
    let groups = groups(measured);
    let datasets: BTreeSet<&str> = groups.iter().map(|group| group.dataset).collect();
    let of = |is: &dyn Fn(&MeasuredGroup<'_>) -> bool| -> Vec<&MeasuredGroup<'_>> {
        groups.iter().filter(|group| is(group)).collect()
    };
    let mut figures: Vec<GroupFigures> = datasets
        .iter()
        .map(|name| GroupFigures::of(name, &of(&|group| group.dataset == *name)))
        .collect();
    figures.push(GroupFigures::of("groups of articles", &of(&|group| group.is_article)));
    figures.push(GroupFigures::of("groups of other types", &of(&|group| !group.is_article)));
    figures.push(GroupFigures::of("ALL", &of(&|_| true)));
    let bought = CONFIDENCES.map(|below| {
        let is_bought = |page: &MeasuredPage<'_>| page.confidence < below;
        let labels = measured.iter().filter(|page| page.is_marked && is_bought(page)).count();
        let mean_of = |is_article: bool| {
            let own = of(&|group| group.is_article == is_article);
            mean(own.iter().map(|group| group.mean(|page| usize::from(is_bought(page)))))
        };
        LabellingGain {
            below,
            labels,
            templates: labelled,
            articles: mean_of(true),
            other_types: mean_of(false),
        }
    });
    let mut losing: Vec<(String, Vec<f64>)> =
        groups.iter().map(|group| (group.name.clone(), group.results())).collect();
    let change = |own: &(String, Vec<f64>)| own.1[1] - own.1[0];
    losing.sort_by(|a, b| change(a).total_cmp(&change(b)).then_with(|| a.0.cmp(&b.0)));
    losing.truncate(worst);
    CorrectionsReport { labelled, figures, bought: bought.into(), worst: losing }
}

impl GroupFigures {
    fn of(name: &str, groups: &[&MeasuredGroup<'_>]) -> Self {
        let mut all: Vec<Vec<f64>> = groups.iter().map(|group| group.results()).collect();
        all.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        let worst = &all[..all.len().div_ceil(10)];
        let mean_of = |of: &[Vec<f64>], at: usize| mean(of.iter().map(|own| own[at]));
        let losing = |at: usize| all.iter().filter(|own| own[0] - own[at] > 1.0).count();
        Self {
            name: name.to_owned(),
            groups: groups.len(),
            pages: groups.iter().map(|group| group.pages.len()).sum(),
            before: mean_of(&all, 0),
            after: (1..CEILING).map(|at| mean_of(&all, at)).collect(),
            losing: losing(1),
            most_lost: all.iter().map(|own| own[0] - own[1]).fold(0.0, f64::max),
            worst_before: mean_of(worst, 0),
            worst_after: mean_of(worst, 1),
            ceiling: mean_of(&all, CEILING),
            worst_ceiling: mean_of(worst, CEILING),
            losing_ceiling: losing(CEILING),
        }
    }
}

fn print(report: &CorrectionsReport, out: &mut Console<'_>) -> anyhow::Result<()> {
    writeln!(
        out,
        "One page of each of {} templates is marked; F1 of the others, in percent, means over groups. In brackets and as ceiling: with the right marks of all pages.\n",
        report.labelled
    )?;
    let noise: Vec<String> = NOISE.iter().map(|own| format!("{own} % flipped")).collect();
    writeln!(
        out,
        "| | groups | pages | before | {} | lose > 1 | most lost | worst tenth | ceiling |\n|---|--:|--:|--:|{}--:|--:|--:|--:|",
        noise.join(" | "),
        "--:|".repeat(NOISE.len())
    )?;
    let shown = |values: &[f64], separator: &str| {
        values.iter().map(|value| format!("{value:.1}")).collect::<Vec<_>>().join(separator)
    };
    for own in &report.figures {
        let GroupFigures {
            groups, pages, before, losing, losing_ceiling, most_lost, ceiling, ..
        } = own;
        let (name, after) = (printed::line(&own.name), shown(&own.after, " | "));
        let worst =
            format!("{:.1} to {:.1} ({:.1})", own.worst_before, own.worst_after, own.worst_ceiling);
        writeln!(
            out,
            "| {name} | {groups} | {pages} | {before:.1} | {after} | {losing} ({losing_ceiling}) | {most_lost:.1} | {worst} | {ceiling:.1} |"
        )?;
    }
    writeln!(out, "\n| templates marked | labels | articles | other types |\n|---|--:|--:|--:|")?;
    for LabellingGain { below, labels, articles, other_types, .. } in &report.bought {
        let name = if *below > 1.0 { "all".to_owned() } else { format!("below {below:.2}") };
        writeln!(out, "| {name} | {labels} | {articles:.1} | {other_types:.1} |")?;
    }
    for (name, results) in &report.worst {
        writeln!(out, "- {}: {}", printed::line(name), shown(results, ", "))?;
    }
    Ok(())
}
