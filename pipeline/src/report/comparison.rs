//! `report/compared.json`: what differs between a run and an earlier one.
//!
//! Both files of figures are in the order of sites, so they are read side by side and only the lists that are shown
//! are in memory.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::iter::Peekable;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use model::SiteFigures;
use serde::{Deserialize, Serialize};
use sink::{AtomicFile, SCHEMA, SiteRowsSink};
use xxhash_rust::xxh3::xxh3_64;

use super::folder_of;
use super::lines::SiteLines;
use crate::results::unlike;
use sink::{EarlierRun, Ledger};

/// Name of the file in the report's folder.
pub(super) const FILE: &str = "compared.json";
/// Maximum number of sites in each list.
const LISTED: usize = 50;
/// Difference of the mean confidence from which a site counts as changed.
pub(super) const CONFIDENCE: f64 = 0.05;

/// What differs between two runs.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Comparison {
    schema: u32,
    pub(super) before: RunFigures,
    pub(super) now: RunFigures,
    /// Drops by reason, of all reasons that either run has.
    pub(super) drops: Vec<DropChange>,
    /// `None` if one of the runs was made without the output `report`.
    pub(super) sites: Option<SiteChanges>,
}

/// The figures of a run.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct RunFigures {
    #[serde(flatten)]
    pub(super) run: EarlierRun,
    /// Mean over its articles; `None` without any, and if it was made without the output `report`.
    pub(super) confidence: Option<f64>,
}

/// Drops of one reason.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct DropChange {
    pub(super) reason: String,
    pub(super) before: u64,
    pub(super) now: u64,
}

/// Sites that differ.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct SiteChanges {
    /// Sites of this run that the earlier one does not have.
    pub(super) gained: SiteList,
    /// Sites of the earlier run that this one does not have.
    pub(super) lost: SiteList,
    /// Sites of both with clearly more or fewer articles, or another mean confidence.
    pub(super) changed: SiteList,
}

/// The sites of a list, those with the largest difference first.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct SiteList {
    /// How many there are; not all need be listed.
    pub(super) count: u64,
    pub(super) sites: Vec<Changed>,
}

/// A site with its figures in both runs.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Changed {
    pub(super) site: String,
    pub(super) articles: [usize; 2],
    pub(super) doubtful: [usize; 2],
    pub(super) confidence: [Option<f64>; 2],
}

impl Changed {
    fn of(before: Option<&SiteFigures>, now: Option<&SiteFigures>) -> Self {
        let both = [before, now];
        let site = both.into_iter().flatten().next().map(|figures| figures.site.clone());
        Self {
            site: site.unwrap_or_default(),
            articles: both.map(|of| of.map_or(0, |figures| figures.articles)),
            doubtful: both.map(|of| of.map_or(0, |figures| figures.doubtful)),
            confidence: both.map(|of| of.and_then(|figures| figures.confidence)),
        }
    }

    /// Whether the difference is more than that of two ordinary nights: a fifth of the articles and at least two, or a
    /// twentieth of confidence.
    fn is_clear(&self) -> bool {
        let [before, now] = self.articles;
        let differ = before.abs_diff(now);
        let fewer_or_more = differ >= 2 && 5 * differ >= before.max(now);
        let [Some(was), Some(is)] = self.confidence else { return fewer_or_more };
        fewer_or_more || (was - is).abs() >= CONFIDENCE
    }

    /// The articles to be expected right, more or fewer: what lists are sorted by.
    fn weight(&self) -> f64 {
        let [before, now] =
            [0, 1].map(|run| self.articles[run] as f64 * self.confidence[run].unwrap_or(0.0));
        (before - now).abs()
    }
}

impl SiteList {
    fn add(&mut self, site: Changed) {
        self.count += 1;
        self.sites.push(site);
        if self.sites.len() >= 4 * LISTED {
            self.keep_the_largest();
        }
    }

    fn keep_the_largest(&mut self) {
        self.sites
            .sort_by(|a, b| b.weight().total_cmp(&a.weight()).then_with(|| a.site.cmp(&b.site)));
        self.sites.truncate(LISTED);
    }
}

/// Compares a run with an earlier one.
///
/// # Errors
/// If the earlier folder contains no finished run, or the figures of one of them cannot be read.
pub(super) fn compare(
    run: &Path,
    ledger: &Ledger,
    earlier: &Path,
    before: &Ledger,
) -> Result<Comparison> {
    let figures = |run: &Path| folder_of(run).join(SiteRowsSink::FILE);
    let files = [figures(earlier), figures(run)];
    let mut sums = [Sums::default(), Sums::default()];
    let sites = match files.iter().all(|file| file.is_file()) {
        true => {
            let [before, now] = files.map(|file| SiteLines::open(&file));
            Some(sites(before?, now?, &mut sums)?)
        }
        false => None,
    };
    let figures = |run: &Path, ledger: &Ledger, sums: &Sums| RunFigures {
        run: EarlierRun {
            folder: run.display().to_string(),
            started: ledger.started.clone(),
            pages: ledger.counts.pages,
            sites: ledger.counts.sites,
            articles: ledger.counts.articles,
            doubtful: ledger.counts.doubtful,
            dropped: ledger.dropped_pages(),
        },
        confidence: sums.mean(),
    };
    let reasons: BTreeSet<&String> = before.drops.keys().chain(ledger.drops.keys()).collect();
    let drops = reasons.into_iter().map(|reason| DropChange {
        reason: reason.clone(),
        before: before.drops.get(reason).copied().unwrap_or(0),
        now: ledger.drops.get(reason).copied().unwrap_or(0),
    });
    Ok(Comparison {
        schema: SCHEMA,
        before: figures(earlier, before, &sums[0]),
        now: figures(run, ledger, &sums[1]),
        drops: drops.collect(),
        sites,
    })
}

/// Sums over the sites of a run.
#[derive(Default)]
struct Sums {
    articles: usize,
    confidence: f64,
}

impl Sums {
    fn add(&mut self, figures: &SiteFigures) {
        self.articles += figures.articles;
        self.confidence += figures.confidence.unwrap_or(0.0) * figures.articles as f64;
    }

    fn mean(&self) -> Option<f64> {
        let mean = self.confidence / self.articles as f64;
        (self.articles > 0).then(|| (mean * 10_000.0).round() / 10_000.0)
    }
}

/// A file of figures whose order is checked.
struct InOrder {
    lines: Peekable<SiteLines>,
    path: std::path::PathBuf,
    last: Option<(u64, String)>,
}

impl InOrder {
    fn of(lines: SiteLines) -> Self {
        Self { path: lines.path().to_owned(), lines: lines.peekable(), last: None }
    }

    /// The key of the next site.
    fn key(&mut self) -> Option<(u64, String)> {
        let next = self.lines.peek()?.as_ref().ok()?;
        Some((xxh3_64(next.site.as_bytes()), next.site.clone()))
    }

    fn take(&mut self) -> Result<Option<SiteFigures>> {
        let key = self.key();
        let Some(figures) = self.lines.next().transpose()? else { return Ok(None) };
        ensure!(self.last < key, "{} is not in the order of sites", self.path.display());
        self.last = key;
        Ok(Some(figures))
    }
}

fn sites(before: SiteLines, now: SiteLines, sums: &mut [Sums; 2]) -> Result<SiteChanges> {
    let (mut before, mut now) = (InOrder::of(before), InOrder::of(now));
    let mut changes = SiteChanges::default();
    loop {
        let order = match (before.key(), now.key()) {
            (Some(was), Some(is)) => was.cmp(&is),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let was = if order.is_le() { before.take()? } else { None };
        let is = if order.is_ge() { now.take()? } else { None };
        for (sums, figures) in sums.iter_mut().zip([&was, &is]) {
            figures.iter().for_each(|figures| sums.add(figures));
        }
        let change = Changed::of(was.as_ref(), is.as_ref());
        match (was, is) {
            (None, None) => {
                // A line that cannot be read has no key: its error comes from taking it.
                before.take()?;
                break;
            }
            (Some(_), None) => changes.lost.add(change),
            (None, Some(_)) => changes.gained.add(change),
            (Some(_), Some(_)) if change.is_clear() => changes.changed.add(change),
            (Some(_), Some(_)) => {}
        }
    }
    for list in [&mut changes.gained, &mut changes.lost, &mut changes.changed] {
        list.keep_the_largest();
    }
    Ok(changes)
}

/// Writes a comparison into the report's folder.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(run: &Path, comparison: &Comparison) -> Result<()> {
    let mut json = serde_json::to_vec_pretty(comparison)?;
    json.push(b'\n');
    Ok(AtomicFile::write_whole(&folder_of(run).join(FILE), &json)?)
}

/// The comparison in the report's folder, if there is one.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read(run: &Path) -> Result<Option<Comparison>> {
    let path = folder_of(run).join(FILE);
    match std::fs::read(&path) {
        Ok(json) => Ok(Some(serde_json::from_slice(&json).with_context(|| unlike(&path, 1))?)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_differences_are_no_changes() {
        let site = |articles, confidence: [f64; 2]| Changed {
            site: String::new(),
            articles,
            doubtful: [0, 0],
            confidence: confidence.map(Some),
        };
        for (articles, confidence, clear) in [
            ([10, 10], [0.9, 0.9], false),
            ([10, 9], [0.9, 0.9], false),
            ([10, 8], [0.9, 0.9], true),
            ([100, 90], [0.9, 0.9], false),
            ([1, 0], [0.9, 0.9], false),
            ([10, 10], [0.9, 0.84], true),
            ([0, 2], [0.9, 0.9], true),
        ] {
            assert_eq!(site(articles, confidence).is_clear(), clear, "{articles:?} {confidence:?}");
        }
        assert!(site([10, 2], [0.9, 0.9]).weight() > site([10, 10], [0.9, 0.5]).weight());
    }
}
