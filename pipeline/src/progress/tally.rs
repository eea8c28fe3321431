//! Counts the results of sites as they come in.

use std::collections::BTreeMap;

use model::{BestWrapper, PageWork, SiteResult};
use model::{Drop, DropReason, Route, Verdict};
use serde::{Deserialize, Serialize};
use sink::{InputRecord, Ledger, RunCounts};

/// Number of sites whose wrappers are kept: more than a summary shows.
const MOST: usize = 100;

/// The counts of a site, or of a part of it.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct SiteCounts {
    pub(crate) site: String,
    /// Whether it is a part, and more of the site follows.
    pub(crate) more: bool,
    pub(crate) pages: usize,
    articles: usize,
    duplicates: usize,
    doubtful: usize,
    work: PageWork,
    by_route: BTreeMap<Route, u64>,
    drops: BTreeMap<DropReason, u64>,
    best: Option<BestWrapper>,
    /// How its stored model fares, and what was decided about it.
    model: Option<(Verdict, String)>,
}

impl SiteCounts {
    /// Counts a result.
    pub(crate) fn of(result: &SiteResult) -> Self {
        let mut by_route = BTreeMap::new();
        for article in &result.articles {
            *by_route.entry(article.route).or_default() += 1;
        }
        let mut drops = BTreeMap::new();
        for drop in &result.drops {
            *drops.entry(drop.reason).or_default() += 1;
        }
        Self {
            site: result.site.clone(),
            more: result.more,
            pages: result.pages,
            articles: result.articles.len(),
            duplicates: result.articles.iter().filter(|of| of.duplicate_of.is_some()).count(),
            doubtful: result.articles.iter().filter(|article| article.doubtful).count(),
            work: result.work,
            by_route,
            drops,
            best: result.best.clone(),
            model: result.night.as_ref().map(|night| (night.verdict, night.decision.clone())),
        }
    }
}

/// The counts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunTally {
    counts: RunCounts,
    drops: BTreeMap<String, u64>,
    best: Vec<(String, usize, Option<BestWrapper>)>,
    /// Whether more parts follow of the last site in `best`.
    open: bool,
}

impl RunTally {
    /// Counts a drop that belongs to no site.
    pub(crate) fn drop(&mut self, drop: &Drop) {
        self.drops(drop.reason, 1);
    }

    fn drops(&mut self, reason: DropReason, n: u64) {
        *self.drops.entry(reason.as_str().to_owned()).or_default() += n;
        self.counts.dropped += n;
    }

    /// Counts the records that are not listed: they are many and no pages.
    pub(crate) fn other_records(&mut self, records: u64) {
        if records > 0 {
            self.drops(DropReason::OtherRecord, records);
        }
    }

    /// Counts the records of inputs that were not chosen: they are not listed either.
    pub(crate) fn left_out(&mut self, inputs: &[InputRecord]) {
        let chosen = inputs.iter().filter_map(|input| input.chosen.as_ref());
        for (reason, n) in chosen.flat_map(|chosen| &chosen.left_out) {
            *self.drops.entry(reason.clone()).or_default() += n;
            self.counts.dropped += n;
        }
    }

    /// Adds the counts of a site, or of a part of it.
    pub(crate) fn add(&mut self, done: &SiteCounts) {
        for (&reason, &n) in &done.drops {
            self.drops(reason, n);
        }
        let counts = &mut self.counts;
        counts.pages += done.pages as u64;
        counts.pages_by_html5ever += done.work.by_html5ever;
        counts.pages_outgrown += done.work.outgrown;
        counts.pages_fast_path += done.work.fast_path;
        counts.pages_judged += done.work.judged;
        counts.pages_overruled += done.work.overruled;
        counts.articles += done.articles as u64;
        counts.duplicates += done.duplicates as u64;
        counts.doubtful += done.doubtful as u64;
        for (&route, n) in &done.by_route {
            *counts.articles_by_route.entry(route.as_str().to_owned()).or_default() += n;
        }
        if let Some((verdict, decision)) = &done.model {
            *counts.sites_by_health.entry(verdict.as_str().to_owned()).or_default() += 1;
            *counts.sites_by_decision.entry(decision.clone()).or_default() += 1;
        }
        match self.best.last_mut() {
            Some((_, articles, best)) if self.open => {
                *articles += done.articles;
                let given = |of: &Option<BestWrapper>| of.as_ref().map_or(0, |best| best.articles);
                if given(&done.best) > given(best) {
                    best.clone_from(&done.best);
                }
            }
            _ => {
                counts.sites += 1;
                self.best.push((done.site.clone(), done.articles, done.best.clone()));
            }
        }
        self.open = done.more;
        if self.best.len() > 2 * MOST && !self.open {
            self.sort();
            self.best.truncate(MOST);
        }
    }

    fn sort(&mut self) {
        self.best.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }

    /// Writes the counts to the ledger.
    pub(crate) fn show(&self, ledger: &mut Ledger) {
        let RunCounts { feed_items, feed_items_elsewhere, .. } = ledger.counts;
        ledger.counts = RunCounts { feed_items, feed_items_elsewhere, ..self.counts.clone() };
        ledger.drops.clone_from(&self.drops);
    }

    /// The sites with the most articles, most first, with their number of articles and best wrapper.
    pub(crate) fn into_best(mut self) -> Vec<(String, usize, Option<BestWrapper>)> {
        self.sort();
        self.best.truncate(MOST);
        self.best
    }
}
