//! `report/compared.json`: what differs between a run and an earlier one.
//!
//! Both files of figures are in the order of sites, so they are read side by side and only the lists that are shown
//! are in memory.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::iter::Peekable;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use model::{DropReason, SiteFigures};
use serde::{Deserialize, Serialize};
use sink::{AtomicFile, EarlierRun, Ledger, SCHEMA};
use xxhash_rust::xxh3::xxh3_64;

use crate::figures::{SiteLines, foreign_line, site_lines};
use crate::readable::grouped;
use crate::{COMPARISON, sites_file};

const LISTED: usize = 50;
/// Difference of the mean confidence from which a site counts as changed.
const CONFIDENCE: f64 = 0.05;

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Comparison {
    schema: u32,
    pub(crate) before: RunFigures,
    pub(crate) now: RunFigures,
    /// Drops by reason, for every reason that occurs in either run.
    pub(crate) drops: Vec<DropChange>,
    /// `None` if one of the runs was made without the output `report`.
    pub(crate) sites: Option<SiteChanges>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct RunFigures {
    #[serde(flatten)]
    pub(crate) run: EarlierRun,
    /// Mean over its articles; `None` without articles, or if the run was made without the output `report`.
    pub(crate) confidence: Option<f64>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct DropChange {
    pub(crate) reason: String,
    pub(crate) before: u64,
    pub(crate) now: u64,
}

#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct SiteChanges {
    /// Sites of this run that the earlier one does not have.
    pub(crate) gained: SiteList,
    /// Sites of the earlier run that this one does not have.
    pub(crate) lost: SiteList,
    /// Sites of both runs that have clearly more or fewer articles, or a clearly different mean confidence.
    pub(crate) changed: SiteList,
}

/// The sites of a list, those with the largest difference first.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct SiteList {
    /// Number of all such sites; `sites` may be shorter.
    pub(crate) count: u64,
    pub(crate) sites: Vec<ComparedSite>,
}

/// A site with its figures in both runs.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ComparedSite {
    pub(crate) site: String,
    pub(crate) articles: [u64; 2],
    pub(crate) doubtful: [u64; 2],
    pub(crate) confidence: [Option<f64>; 2],
}

impl ComparedSite {
    fn new(before: Option<&SiteFigures>, now: Option<&SiteFigures>) -> Self {
        let both = [before, now];
        let site = both.into_iter().flatten().next().map(|figures| figures.site.clone());
        Self {
            site: site.unwrap_or_default(),
            articles: both.map(|of| of.map_or(0, |figures| figures.articles)),
            doubtful: both.map(|of| of.map_or(0, |figures| figures.doubtful)),
            confidence: both.map(|of| of.and_then(|figures| figures.confidence)),
        }
    }

    /// Whether the difference is larger than usual between two nights: a fifth of the articles and at least two, or 0.05
    /// of confidence.
    fn is_clear(&self) -> bool {
        let [before, now] = self.articles;
        let differ = before.abs_diff(now);
        let fewer_or_more = differ >= 2 && 5 * differ >= before.max(now);
        let [Some(was), Some(is)] = self.confidence else { return fewer_or_more };
        fewer_or_more || (was - is).abs() >= CONFIDENCE
    }

    /// Whether the mean confidence is clearly lower than before.
    pub(crate) fn is_less_confident(&self) -> bool {
        matches!(self.confidence, [Some(was), Some(is)] if was - is >= CONFIDENCE)
    }

    /// The sort key of lists: the difference in the expected number of correct articles.
    fn weight(&self) -> f64 {
        let [before, now] =
            [0, 1].map(|run| self.articles[run] as f64 * self.confidence[run].unwrap_or(0.0));
        (before - now).abs()
    }
}

impl SiteList {
    fn add(&mut self, site: ComparedSite) {
        self.count += 1;
        self.sites.push(site);
        if self.sites.len() >= 4 * LISTED {
            self.keep_largest();
        }
    }

    fn keep_largest(&mut self) {
        self.sites
            .sort_by(|a, b| b.weight().total_cmp(&a.weight()).then_with(|| a.site.cmp(&b.site)));
        self.sites.truncate(LISTED);
    }
}

pub(crate) fn compare_runs(
    run: &Path,
    ledger: &Ledger,
    earlier: &Path,
    before: &Ledger,
) -> Result<Comparison> {
    let files = [sites_file(earlier), sites_file(run)];
    let mut sums = [ArticleSums::default(), ArticleSums::default()];
    let sites = match files.iter().all(|file| file.is_file()) {
        true => {
            let [before, now] = files.map(|file| InOrder::open(&file));
            Some(compare_sites(before?, now?, &mut sums)?)
        }
        false => None,
    };
    let reasons: BTreeSet<&String> = before.drops.keys().chain(ledger.drops.keys()).collect();
    let drops = reasons.into_iter().map(|reason| DropChange {
        reason: reason.clone(),
        before: before.drops.get(reason).copied().unwrap_or(0),
        now: ledger.drops.get(reason).copied().unwrap_or(0),
    });
    Ok(Comparison {
        schema: SCHEMA,
        before: RunFigures::new(earlier, before, &sums[0]),
        now: RunFigures::new(run, ledger, &sums[1]),
        drops: drops.collect(),
        sites,
    })
}

impl RunFigures {
    fn new(run: &Path, ledger: &Ledger, sums: &ArticleSums) -> Self {
        let run = EarlierRun {
            folder: run.display().to_string(),
            started: ledger.started.clone(),
            pages: ledger.counts.pages,
            sites: ledger.counts.sites,
            articles: ledger.counts.articles,
            doubtful: ledger.counts.doubtful,
            dropped: ledger.dropped_pages(),
        };
        Self { run, confidence: sums.mean() }
    }
}

/// A figure in both runs, with its change, as text.
#[derive(Debug)]
pub(crate) struct ComparedFigure<'a> {
    pub(crate) name: &'a str,
    pub(crate) shown: [String; 3],
}

impl<'a> ComparedFigure<'a> {
    fn new(name: &'a str, was: u64, is: u64) -> Self {
        Self { name, shown: [grouped(was), grouped(is), difference(was, is)] }
    }
}

impl Comparison {
    pub(crate) fn totals(&self) -> Vec<ComparedFigure<'static>> {
        let (was, is) = (&self.before.run, &self.now.run);
        let mut totals = vec![
            ComparedFigure::new("Articles", was.articles, is.articles),
            ComparedFigure::new("Doubtful articles", was.doubtful, is.doubtful),
            ComparedFigure::new("Pages", was.pages, is.pages),
            ComparedFigure::new("Sites", was.sites, is.sites),
            ComparedFigure::new("Dropped", was.dropped, is.dropped),
        ];
        if let (Some(was), Some(is)) = (self.before.confidence, self.now.confidence) {
            let change = format!("{:+.2}", is - was).replace('-', "−");
            let shown = [format!("{was:.2}"), format!("{is:.2}"), change];
            totals.push(ComparedFigure { name: "Mean confidence", shown });
        }
        totals
    }

    /// The drops of both runs by reason, without records that hold no page.
    pub(crate) fn drops_of_pages(&self) -> impl Iterator<Item = ComparedFigure<'_>> {
        let other = DropReason::OtherRecord.as_str();
        let drops = self.drops.iter().filter(move |drop| drop.reason != other);
        drops.map(|drop| ComparedFigure::new(&drop.reason, drop.before, drop.now))
    }
}

impl SiteChanges {
    pub(crate) fn lists(&self) -> [(&'static str, &SiteList); 3] {
        [
            ("Sites that changed", &self.changed),
            ("Sites gained", &self.gained),
            ("Sites lost", &self.lost),
        ]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lists().iter().all(|(_, list)| list.count == 0)
    }
}

/// A difference with its share of the earlier number: `−12 (−6 %)`.
fn difference(before: u64, now: u64) -> String {
    let sign = if now < before { "−" } else { "+" };
    let change = before.abs_diff(now);
    match (change, before) {
        (0, _) => "=".to_owned(),
        (_, 0) => format!("{sign}{}", grouped(change)),
        _ => {
            let percent = 100.0 * change as f64 / before as f64;
            let percent = if percent < 1.0 { "<1".to_owned() } else { format!("{percent:.0}") };
            format!("{sign}{} ({sign}{percent} %)", grouped(change))
        }
    }
}

#[derive(Default)]
struct ArticleSums {
    articles: u64,
    confidence: f64,
}

impl ArticleSums {
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
    fn open(path: &Path) -> Result<Self> {
        Ok(Self { lines: site_lines(path)?.peekable(), path: path.to_owned(), last: None })
    }

    fn key(&mut self) -> Option<(u64, String)> {
        let next = self.lines.peek()?.as_ref().ok()?;
        Some((xxh3_64(next.site.as_bytes()), next.site.clone()))
    }

    fn next_site(&mut self) -> Result<Option<SiteFigures>> {
        let key = self.key();
        let Some(figures) = self.lines.next().transpose()? else { return Ok(None) };
        ensure!(self.last < key, "{} is not in the order of sites", self.path.display());
        self.last = key;
        Ok(Some(figures))
    }
}

fn compare_sites(
    mut before: InOrder,
    mut now: InOrder,
    sums: &mut [ArticleSums; 2],
) -> Result<SiteChanges> {
    let mut changes = SiteChanges::default();
    loop {
        let order = match (before.key(), now.key()) {
            (Some(was), Some(is)) => was.cmp(&is),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let was = if order.is_le() { before.next_site()? } else { None };
        let is = if order.is_ge() { now.next_site()? } else { None };
        for (sums, figures) in sums.iter_mut().zip([&was, &is]) {
            figures.iter().for_each(|figures| sums.add(figures));
        }
        let change = ComparedSite::new(was.as_ref(), is.as_ref());
        match (was, is) {
            (None, None) => {
                // A line that cannot be read has no key: reading it again below returns the error.
                before.next_site()?;
                break;
            }
            (Some(_), None) => changes.lost.add(change),
            (None, Some(_)) => changes.gained.add(change),
            (Some(_), Some(_)) if change.is_clear() => changes.changed.add(change),
            (Some(_), Some(_)) => {}
        }
    }
    for list in [&mut changes.gained, &mut changes.lost, &mut changes.changed] {
        list.keep_largest();
    }
    Ok(changes)
}

impl Comparison {
    /// Writes the comparison into the report's folder.
    pub(crate) fn write(&self, run: &Path) -> Result<()> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(AtomicFile::write_whole(&run.join(COMPARISON), &json)?)
    }

    /// The comparison in the report's folder, if there is one.
    pub(crate) fn read(run: &Path) -> Result<Option<Self>> {
        let path = run.join(COMPARISON);
        match std::fs::read(&path) {
            Ok(json) => {
                let read = serde_json::from_slice(&json).with_context(|| foreign_line(&path, 1));
                Ok(Some(read?))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_differences_are_no_changes() {
        let site = |articles, confidence: [f64; 2]| ComparedSite {
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

    #[test]
    fn differences_have_signs_and_shares() {
        for (before, now, shown) in [
            (10, 10, "="),
            (0, 3, "+3"),
            (200, 188, "−12 (−6 %)"),
            (1000, 1001, "+1 (+<1 %)"),
            (4, 0, "−4 (−100 %)"),
        ] {
            assert_eq!(difference(before, now), shown);
        }
    }
}
