/*!
`sitegrove-lab evaluate --sweep`: the Forest paper's Figures 5, 6 and 7, measured on any gold.

Reads the archives, takes the layouts from the gold, learns from and extracts each group of siblings with the stages of a run
under every setting of a `plan`, and writes the scores as CSV, Markdown and SVG (`chart`).

Groups are processed in parallel and collected in order: equal input gives equal bytes for any number of threads.
*/

mod chart;
mod plan;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use config::Config;
use dom::Document;
use forest::Recurring;
use metadata::TemplateFields;
use model::{Extracted, FeedItem, Page, Site, StructuralPattern};
use pagewise::{Method, Redundant};
use plan::{SweepFigure, SweepPlan, SweepRow, SweepSetting};
use rayon::prelude::*;
use score::aggregate::{ScoreSummary, mean, summarise, template_groups};
use score::{Score, bootstrap};
use sink::AtomicFile;
use site::learn::ParsedSite;
use sitegrove::run::read_sites;
use sitemodel::stages::extract::{Demands, extract};
use sitemodel::stages::rank::rank;
use sitemodel::stages::signify::signify;
use sitemodel::stages::wrap::{CompiledWrapper, wrap};
use sitemodel::{Engine, ParsedPage, Settings, SiblingPage, page_wise};

use super::EvaluateArgs;
use crate::gold::{GoldFile, GoldPage, pages_by_url, read_gold};

/// The variable of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sweep {
    /// Number of sibling pages to learn from (Figure 5), and the engine that is best for small
    /// layouts.
    Siblings,
    /// Number of signifiers per page (Figure 6), and the factors of the relevance: J, U and J×U
    /// (Figure 7).
    Signifiers,
}

/// Measures the sweep, writes the files to the folder given by `--out` and the tables to `out`.
pub(super) fn sweep(args: &EvaluateArgs, sweep: Sweep, out: &mut dyn Write) -> anyhow::Result<()> {
    let folder = args.out.as_deref().context("--sweep needs --out DIR")?;
    ensure!(!folder.is_file(), "--out {}: with --sweep it is a folder", folder.display());
    let gold = read_gold(&args.gold, &args.datasets)?;
    let config = Config::load(None)?;
    let sites = read_sites(&args.pages, &args.feeds, &config)?;
    let groups = groups(&gold.pages, sites, args.min_group);
    ensure!(
        !groups.is_empty(),
        "no layout of the gold has {} pages in the archives: nothing to measure",
        args.min_group
    );

    let mut text = head(&gold, &groups, &config);
    let with_feeds = !args.feeds.is_empty();
    let plans = match sweep {
        Sweep::Siblings => vec![plan::siblings(with_feeds, &config), plan::few(&config)],
        Sweep::Signifiers => {
            vec![plan::signifiers(with_feeds, &config), plan::measures(with_feeds, &config)]
        }
    };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    for plan in &plans {
        let by_group = measure(plan, &groups, &config);
        let grid = Grid::of(plan, &by_group, groups.iter().map(SiblingGroup::len).sum());
        text.push_str(&grid.markdown());
        AtomicFile::write_whole(&file(folder, plan, "csv"), grid.csv()?.as_bytes())?;
        match plan.figure {
            Some(figure) => {
                let drawn = chart::draw(&grid, figure);
                AtomicFile::write_whole(&file(folder, plan, "svg"), drawn.as_bytes())?;
            }
            None => text.push_str(&differences_markdown(plan, &by_group)),
        }
    }
    out.write_all(text.as_bytes())?;
    Ok(())
}

fn file(folder: &Path, plan: &SweepPlan, extension: &str) -> std::path::PathBuf {
    folder.join(format!("{}.{extension}", plan.name))
}

/// The scores of one group by row and column of a plan; `None` if its gold has nothing to count.
type Summaries = Vec<Vec<Option<ScoreSummary>>>;

/// Measures every group under every setting of the plan. Numbers of pages are limited to the group's size.
fn measure(plan: &SweepPlan, groups: &[SiblingGroup<'_>], config: &Config) -> Vec<Summaries> {
    groups
        .par_iter()
        .map(|group| {
            let parsed = group.parse(&config.settings());
            let siblings = group.siblings(&parsed);
            let mut rows: Summaries = Vec::with_capacity(plan.rows.len());
            for (at, row) in plan.rows.iter().enumerate() {
                let result = |(column, setting): (usize, &plan::SweepSetting)| {
                    let setting = setting.within(&siblings);
                    let own = |row: &SweepRow| row.settings[column].within(&siblings);
                    match at.checked_sub(1).filter(|&before| own(&plan.rows[before]) == setting) {
                        Some(before) => rows[before][column],
                        None => summary(&siblings, &setting, config),
                    }
                };
                let row = row.settings.iter().enumerate().map(result).collect();
                rows.push(row);
            }
            rows
        })
        .collect()
}

fn head(gold: &GoldFile, groups: &[SiblingGroup<'_>], config: &Config) -> String {
    let pages: usize = groups.iter().map(SiblingGroup::len).sum();
    let listed: usize = groups.iter().map(|group| group.listed_by_feeds(&config.settings())).sum();
    let mut text = String::from("# Sweep\n\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{} groups of {pages} sibling pages, of {} pages of {} (sha256 {}); feeds list {listed}.",
        groups.len(),
        gold.pages.len(),
        gold.path.display(),
        gold.digest
    );
    if !gold.datasets.is_empty() {
        let _ = writeln!(text, "Only the data sets {}.", gold.datasets.join(", "));
    }
    text.push_str(
        "Set of pairs of consecutive words, title-neutral, in percent; mean over groups.\n\n",
    );
    text
}

/// Sibling pages of one layout, and the expected results.
struct SiblingGroup<'g> {
    /// The pages, and the feed items of their sites, as a separate site.
    site: Site,
    gold: Vec<&'g GoldPage>,
}

/// The pages of a group, parsed, in the order in which a run samples them.
struct ParsedGroup<'a> {
    /// Each page with the feed items that link to it.
    pages: Vec<(&'a ParsedPage<'a>, Vec<&'a FeedItem>)>,
    gold: Vec<&'a GoldPage>,
}

/// Groups the gold's pages by data set and layout, as far as they were read; layouts of fewer than
/// `fewest` pages are omitted. Ordered by name.
fn groups<'g>(gold: &'g [GoldPage], sites: Vec<Site>, fewest: usize) -> Vec<SiblingGroup<'g>> {
    let by_url = pages_by_url(gold);
    let mut found: Vec<(&GoldPage, Page)> = Vec::new();
    let mut feeds: BTreeMap<String, Vec<FeedItem>> = BTreeMap::new();
    for site in sites {
        let of_gold = |page: Page| Some((*by_url.get(page.url.as_str())?, page));
        found.extend(site.pages.into_iter().filter_map(of_gold));
        feeds.insert(site.key, site.feed_items);
    }
    let keys: Vec<_> =
        found.iter().map(|(gold, _)| (gold.dataset.as_str(), gold.template.as_deref())).collect();
    let mut groups: BTreeMap<(&str, &str), SiblingGroup<'_>> = BTreeMap::new();
    for ((gold, page), key) in found.into_iter().zip(template_groups(&keys, fewest)) {
        let Some(key) = key else { continue };
        let group = groups.entry(key).or_insert_with(|| {
            let site = Site { key: key.1.to_owned(), pages: Vec::new(), feed_items: Vec::new() };
            SiblingGroup { site, gold: Vec::new() }
        });
        // A layout may be shared by several sites.
        if group.site.pages.iter().all(|other| other.site != page.site) {
            group.site.feed_items.extend_from_slice(&feeds[&page.site]);
        }
        group.site.pages.push(page);
        group.gold.push(gold);
    }
    groups.into_values().collect()
}

impl SiblingGroup<'_> {
    fn len(&self) -> usize {
        self.gold.len()
    }

    /// Parses the pages and joins them with the feed items.
    fn parse(&self, settings: &Settings) -> ParsedSite<'_> {
        ParsedSite::of(&self.site, settings)
    }

    /// Number of pages that a feed item links to.
    fn listed_by_feeds(&self, settings: &Settings) -> usize {
        let parsed = self.parse(settings);
        parsed.items().iter().filter(|items| !items.is_empty()).count()
    }

    /// The parsed pages in the order in which a run samples them.
    fn siblings<'a>(&'a self, parsed: &'a ParsedSite<'a>) -> ParsedGroup<'a> {
        let order = parsed.in_sample_order(0..parsed.pages.len() as u32);
        let mut items = parsed.items();
        let mut page =
            |&m: &u32| (&parsed.pages[m as usize], std::mem::take(&mut items[m as usize]));
        ParsedGroup {
            pages: order.iter().map(&mut page).collect(),
            gold: order.iter().map(|&m| self.gold[m as usize]).collect(),
        }
    }
}

/// Summarises the scores of the group's pages under a setting that fits its size; `None` if no page has gold to count.
fn summary(
    siblings: &ParsedGroup<'_>,
    setting: &SweepSetting,
    config: &Config,
) -> Option<ScoreSummary> {
    let mut config = config.clone();
    config.rank.engine = setting.engine;
    config.signify.source = setting.source;
    config.signify.top = setting.top;
    let settings = config.settings();
    let scores: Vec<Score> = siblings
        .pages
        .chunks_exact(setting.score)
        .zip(siblings.gold.chunks_exact(setting.score))
        .take(setting.parts)
        .flat_map(|(pages, gold)| scores(pages, gold, setting, &settings))
        .collect();
    summarise(&scores)
}

/// Learns from the first pages and scores all pages.
fn scores(
    pages: &[(&ParsedPage<'_>, Vec<&FeedItem>)],
    gold: &[&GoldPage],
    setting: &SweepSetting,
    settings: &Settings,
) -> Vec<Score> {
    let siblings: Vec<SiblingPage<'_>> =
        pages.iter().map(|(page, feed_items)| SiblingPage { page, feed_items }).collect();
    let wrapper = learn(&siblings[..setting.learn_from], setting, settings);
    let documents: Vec<&Document> = siblings.iter().map(|page| &page.page.document).collect();
    let tables = settings.tables();
    let redundant = (setting.engine == Engine::PageWise(Method::Blocks))
        .then(|| Redundant::of(&documents, &tables.methods.blocks));
    let own = |article: &Extracted| setting.steps_in || article.engine == setting.engine.name();
    let fields = &TemplateFields::default();
    let demands = Demands { part: false, is_list: &|_| false, page_type: None, fields };
    let score = |(sibling, gold): (&SiblingPage<'_>, &&GoldPage)| {
        let found = page_wise(sibling, setting.engine, redundant.as_ref(), tables);
        let article = extract(sibling, "", wrapper.as_ref(), found, demands, settings);
        let text = article.ok().filter(own).map_or_else(String::new, |own| own.article.text);
        gold.score_pairs(&text)
    };
    siblings.iter().zip(gold).filter_map(score).collect()
}

/// Finds signifiers, ranks patterns and learns a wrapper. Unlike in a run, a single page is enough, because the
/// paper's Figure 5 begins with one page.
fn learn(
    siblings: &[SiblingPage<'_>],
    setting: &SweepSetting,
    settings: &Settings,
) -> Option<CompiledWrapper> {
    let Engine::Forest(measure) = setting.engine else { return None };
    let signified = signify(siblings, &settings.tables().signify);
    let parsed: Vec<&ParsedPage<'_>> = siblings.iter().map(|sibling| sibling.page).collect();
    let recurring = Recurring::of(parsed.iter().map(|page| &page.document));
    let ranked: Vec<StructuralPattern> = rank(&parsed, &signified, &recurring, measure);
    wrap(setting.engine.name(), &parsed, &recurring, &ranked, None)
}

struct Grid {
    axis: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<(String, Vec<SweepCell>)>,
    /// Groups and pages measured.
    size: (usize, usize),
    /// Whether to show precision and recall in addition to F1.
    whole: bool,
}

/// The mean over groups, for one method at one value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SweepCell {
    groups: usize,
    pages: usize,
    precision: f64,
    recall: f64,
    f1: f64,
}

impl SweepCell {
    fn of<'s>(summaries: impl Iterator<Item = &'s ScoreSummary>) -> Self {
        let summaries: Vec<&ScoreSummary> = summaries.collect();
        let part = |pick: fn(&ScoreSummary) -> f64| {
            mean(&summaries.iter().map(|&summary| pick(summary)).collect::<Vec<f64>>())
        };
        Self {
            groups: summaries.len(),
            pages: summaries.iter().map(|summary| summary.pages).sum(),
            precision: part(|summary| summary.precision).unwrap_or(0.0),
            recall: part(|summary| summary.recall).unwrap_or(0.0),
            f1: part(|summary| summary.f1).unwrap_or(0.0),
        }
    }
}

impl Grid {
    /// Means of the groups' summaries, by row and column.
    fn of(plan: &SweepPlan, by_group: &[Summaries], pages: usize) -> Self {
        let cell = |row: usize, column: usize| {
            SweepCell::of(by_group.iter().filter_map(move |group| group[row][column].as_ref()))
        };
        let cells = |row: usize| (0..plan.columns.len()).map(|c| cell(row, c)).collect();
        Self {
            axis: plan.axis,
            columns: plan.columns.clone(),
            rows: plan.rows.iter().enumerate().map(|(r, row)| (row.at.clone(), cells(r))).collect(),
            size: (by_group.len(), pages),
            whole: matches!(plan.figure, Some(SweepFigure::Bars { .. })),
        }
    }

    /// One line per cell, shares from 0 to 1.
    fn csv(&self) -> anyhow::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let column = if self.whole { "measure" } else { "method" };
        let head = [self.axis, column, "groups", "scored_pages", "precision", "recall", "f1"];
        writer.write_record(head)?;
        for (at, cells) in &self.rows {
            for (name, cell) in self.columns.iter().zip(cells) {
                let (groups, pages) = (cell.groups.to_string(), cell.pages.to_string());
                let [p, r, f1] = [cell.precision, cell.recall, cell.f1].map(|v| format!("{v:.4}"));
                writer.write_record([at, *name, &groups, &pages, &p, &r, &f1])?;
            }
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// The table as Markdown, in percent.
    fn markdown(&self) -> String {
        let mut text = format!("| {} |", self.axis);
        for name in &self.columns {
            let parts = if self.whole { ": P / R / F1" } else { "" };
            let _ = write!(text, " {name}{parts} |");
        }
        let _ = writeln!(text, "\n|--:|{}", "--:|".repeat(self.columns.len()));
        for (at, cells) in &self.rows {
            let _ = write!(text, "| {at} |");
            for cell in cells {
                let f1 = cell.f1 * 100.0;
                let _ = if self.whole {
                    let (p, r) = (cell.precision * 100.0, cell.recall * 100.0);
                    write!(text, " {p:.1} / {r:.1} / {f1:.1} |")
                } else {
                    write!(text, " {f1:.1} |")
                };
            }
            text.push('\n');
        }
        text.push('\n');
        text
    }
}

/// Seed of the intervals: arbitrary, but fixed.
const SEED: u64 = 1;

/// The difference of every other column from the first, in points of F1.
fn differences_markdown(plan: &SweepPlan, by_group: &[Summaries]) -> String {
    let (first, others) = (plan.columns[0], &plan.columns[1..]);
    let mut text = format!("Less {first}, in points, [95 % interval over groups]:\n\n");
    let _ = write!(text, "| {} |", plan.axis);
    for other in others {
        let _ = write!(text, " {other} |");
    }
    let _ = writeln!(text, "\n|--:|{}", "--:|".repeat(others.len()));
    for (at, row) in plan.rows.iter().enumerate() {
        let _ = write!(text, "| {} |", row.at);
        for other in 1..plan.columns.len() {
            let differences: Vec<f64> = by_group
                .iter()
                .filter_map(|group| Some(group[at][other]?.f1 - group[at][0]?.f1))
                .collect();
            let Some(interval) = bootstrap::paired(&differences, SEED) else { continue };
            let [mean, low, high] =
                [interval.mean, interval.low, interval.high].map(|share| share * 100.0);
            let _ = write!(text, " {mean:+.1} [{low:+.1}, {high:+.1}] |");
        }
        text.push('\n');
    }
    text.push('\n');
    text
}
