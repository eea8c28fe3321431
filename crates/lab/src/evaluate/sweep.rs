/*!
`sitegrove-lab evaluate --sweep`: the Forest paper's Figures 5, 6 and 7, measured on any gold.

Reads the archives, takes the layouts from the gold (`groups`), learns from and extracts each group of siblings with the
stages of a run (`trial`) under every setting of a `plan`, and writes the scores as CSV, Markdown (`grid`,
`differences`) and SVG (`chart`).

Groups are processed in parallel and collected in order: equal input gives equal bytes for any number of threads.
*/

mod chart;
mod grid;
mod groups;
mod plan;
mod trial;

use std::{fmt::Write as _, io::Write, path::Path};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use config::Config;
use groups::{SiblingGroup, groups};
use plan::{SweepPlan, SweepRow};
use rayon::prelude::*;
use score::aggregate::ScoreSummary;
use sink::AtomicFile;
use sitegrove::run::read_sites;

use super::EvaluateArgs;
use crate::gold::{GoldFile, read_gold};

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
        let grid = grid::Grid::of(plan, &by_group, groups.iter().map(SiblingGroup::len).sum());
        text.push_str(&grid.markdown());
        AtomicFile::write_whole(&file(folder, plan, "csv"), grid.csv()?.as_bytes())?;
        match plan.figure {
            Some(figure) => {
                let drawn = chart::draw(&grid, figure);
                AtomicFile::write_whole(&file(folder, plan, "svg"), drawn.as_bytes())?;
            }
            None => text.push_str(&grid::differences_markdown(plan, &by_group)),
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
                        None => trial::summary(&siblings, &setting, config),
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
