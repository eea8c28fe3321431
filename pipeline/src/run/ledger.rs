//! Begins and closes the ledger of a run, and counts results.

use std::collections::BTreeMap;
use std::time::Instant;

use config::Config;
use model::{
    Access, BestWrapper, DAMAGED_MODEL, DropReason, NightFigures, OF_FEEDS, Rights, SiteNight,
    SiteResult, Source, Verdict, add_counts, counts_of,
};
use serde::{Deserialize, Serialize};
use sink::{InputRecord, Ledger, RunCounts, RunProgress, RunState, SiteAlarm};
use site::clock::Clock;
use site::texts::{ArticleText, some_texts};

pub(crate) fn begin_ledger(config: &Config, jobs: usize) -> Ledger {
    let process = std::process::id();
    Ledger {
        schema: Ledger::SCHEMA,
        state: RunState::Running,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine: config.rank.engine.name().to_owned(),
        terms: terms::Analyzer::version(),
        doubtful_below: config.extract.doubtful_below,
        config_hash: config.hash(),
        settings: config.differences(),
        outputs_hash: config.outputs_hash(),
        progress: Some(RunProgress { process, ..RunProgress::default() }),
        started: jiff::Timestamp::now().to_string(),
        jobs,
        ..Ledger::default()
    }
}

pub(crate) fn close_ledger(ledger: &mut Ledger, begun: Instant, clock: &Clock) {
    let seconds = begun.elapsed().as_secs_f64();
    let html: u64 = ledger.inputs.iter().map(|i| i.html_bytes).sum();
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    ledger.seconds = rounded(seconds);
    ledger.stage_seconds = clock.seconds();
    ledger.pages_per_second = rounded(ledger.counts.pages as f64 / seconds);
    ledger.html_mb_per_second = rounded(html as f64 / 1e6 / seconds);
    ledger.peak_rss_bytes = peak_rss();
}

/// Peak resident memory of this process, from `/proc` (Linux only).
fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Number of sites whose wrappers are kept, more than a summary shows.
const MOST: usize = 100;

/// Maximum number of sites named for each verdict.
pub(crate) const ALARMS: usize = 10;

#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct SiteCounts {
    pub(crate) site: String,
    /// Whether more parts of the site follow.
    pub(crate) more: bool,
    counts: RunCounts,
    /// Figures for the model store, drops included.
    pub(crate) figures: NightFigures,
    /// Some of its texts, if a store knows those of earlier nights.
    pub(crate) texts: Vec<ArticleText>,
    best: Option<BestWrapper>,
}

impl SiteCounts {
    pub(crate) fn of(result: &SiteResult) -> Self {
        let (articles, work) = (&result.articles, &result.work);
        let doubts = articles.iter().filter_map(|article| article.doubt);
        let rights = articles.iter().filter_map(|article| article.rights.as_ref());
        let counts = RunCounts {
            pages: result.pages as u64,
            pages_by_html5ever: work.by_html5ever,
            pages_outgrown: work.outgrown,
            pages_fast_path: work.fast_path,
            pages_judged: work.judged,
            pages_overruled: work.overruled,
            corrections_unmatched: work.unmatched_corrections,
            articles: articles.len() as u64,
            doubtful: articles.iter().filter(|article| article.doubtful).count() as u64,
            dropped: result.drops.len() as u64,
            articles_by_route: counts_of(articles.iter().map(|own| own.route.as_str().to_owned())),
            doubtful_by_reason: counts_of(doubts.map(|doubt| doubt.as_str().to_owned())),
            articles_by_rights: counts_of(
                rights.flat_map(Rights::statements).map(|statement| statement.as_str().to_owned()),
            ),
            ..RunCounts::default()
        };
        let templates = articles.iter().map(|article| article.template.clone());
        let mut figures = NightFigures {
            pages: counts.pages,
            articles: counts.articles,
            templates: counts_of(templates.filter(|template| !template.is_empty())),
            drops: counts_of(result.drops.iter().map(|drop| drop.reason.as_str().to_owned())),
            ..NightFigures::default()
        };
        for article in articles {
            add_article(&mut figures, article.word_count, article.confidence);
            figures.partial += u64::from(article.access == Some(Access::Partial));
            let sources = &article.sources;
            let fields = [
                ("authors", !article.authors.is_empty(), &sources.authors),
                ("published", article.published.is_some(), &sources.published),
                ("title", article.title.is_some(), &sources.title),
            ];
            for (field, _, source) in fields.iter().filter(|(_, is_found, _)| *is_found) {
                *figures.fields.entry((*field).to_owned()).or_default() += 1;
                if source.as_ref().is_some_and(|own| own.source == Source::Feed) {
                    *figures.fields.entry(format!("{OF_FEEDS}{field}")).or_default() += 1;
                }
            }
        }
        let (site, best) = (result.site.clone(), result.best.clone());
        Self { site, more: result.more, counts, figures, texts: some_texts(articles), best }
    }

    pub(crate) fn pages(&self) -> usize {
        self.counts.pages as usize
    }

    pub(crate) fn articles(&self) -> usize {
        self.counts.articles as usize
    }

    /// Sets the number of duplicates, and of articles from which boilerplate was removed.
    pub(crate) fn set_compared(&mut self, duplicates: usize, without_boilerplate: usize) {
        self.counts.duplicates = duplicates as u64;
        self.counts.without_boilerplate = without_boilerplate as u64;
    }
}

/// Adds an article. The summands are rounded to multiples of 2⁻²⁰, so that sums are exact and do not depend on how a site is
/// divided into parts.
fn add_article(figures: &mut NightFigures, words: u32, confidence: f64) {
    const STEPS: f64 = 1_048_576.0;
    let rounded = |value: f64| (value * STEPS).round() / STEPS;
    let length = libm::log(f64::from(words) + 1.0);
    figures.words += u64::from(words);
    figures.lengths[0] += rounded(length);
    figures.lengths[1] += rounded(length * length);
    figures.confidence += rounded(confidence);
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RunTally {
    counts: RunCounts,
    drops: BTreeMap<String, u64>,
    best: Vec<(String, usize, Option<BestWrapper>)>,
    /// Whether more parts of the last site in `best` follow.
    open: bool,
    /// The sites that need attention, by verdict, each with its usual number of articles.
    alarms: BTreeMap<Verdict, Vec<(f64, SiteAlarm)>>,
    /// Usual number of articles of all sites; `None` if none has earlier nights.
    usual_articles: Option<f64>,
}

impl RunTally {
    pub(crate) fn corrected(&mut self, articles: u64, outdated: u64) {
        self.counts.corrected += articles;
        self.counts.corrections_outdated += outdated;
    }

    /// Counts drops that belong to no site.
    pub(crate) fn add_drops(&mut self, reason: &str, n: u64) {
        *self.drops.entry(reason.to_owned()).or_default() += n;
        self.counts.dropped += n;
    }

    /// Counts records that `dropped.jsonl` does not list: those that are not pages, and those that were not chosen.
    pub(crate) fn unlisted(&mut self, other_records: u64, inputs: &[InputRecord]) {
        if other_records > 0 {
            self.add_drops(DropReason::OtherRecord.as_str(), other_records);
        }
        let chosen = inputs.iter().filter_map(|input| input.chosen.as_ref());
        for (reason, n) in chosen.flat_map(|chosen| &chosen.left_out) {
            self.add_drops(reason, *n);
        }
    }

    pub(crate) fn add(&mut self, done: &SiteCounts) {
        add_counts(&mut self.drops, &done.figures.drops);
        let (counts, own) = (&mut self.counts, &done.counts);
        counts.pages += own.pages;
        counts.pages_by_html5ever += own.pages_by_html5ever;
        counts.pages_outgrown += own.pages_outgrown;
        counts.pages_fast_path += own.pages_fast_path;
        counts.pages_judged += own.pages_judged;
        counts.pages_overruled += own.pages_overruled;
        counts.corrections_unmatched += own.corrections_unmatched;
        counts.articles += own.articles;
        counts.duplicates += own.duplicates;
        counts.without_boilerplate += own.without_boilerplate;
        counts.doubtful += own.doubtful;
        counts.dropped += own.dropped;
        add_counts(&mut counts.articles_by_route, &own.articles_by_route);
        add_counts(&mut counts.articles_by_rights, &own.articles_by_rights);
        add_counts(&mut counts.doubtful_by_reason, &own.doubtful_by_reason);
        match self.best.last_mut() {
            Some((_, articles, best)) if self.open => {
                *articles += own.articles as usize;
                let given = |of: &Option<BestWrapper>| of.as_ref().map_or(0, |best| best.articles);
                if given(&done.best) > given(best) {
                    best.clone_from(&done.best);
                }
            }
            _ => {
                counts.sites += 1;
                self.best.push((done.site.clone(), own.articles as usize, done.best.clone()));
            }
        }
        self.open = done.more;
        if self.best.len() > 2 * MOST && !self.open {
            self.sort();
            self.best.truncate(MOST);
        }
    }

    pub(crate) fn night(&mut self, night: &SiteNight) {
        let health = &night.health;
        let counts = &mut self.counts;
        *counts.sites_by_health.entry(health.verdict.as_str().to_owned()).or_default() += 1;
        *counts.sites_by_decision.entry(night.decision.clone()).or_default() += 1;
        counts.models_damaged += u64::from(night.reason.starts_with(DAMAGED_MODEL));
        let usual = night.usual.as_ref().map(|usual| usual.articles);
        if let Some(usual) = usual {
            *self.usual_articles.get_or_insert(0.0) += usual;
        }
        if health.verdict.needs_attention() {
            let alarm = SiteAlarm { site: night.site.clone(), health: health.clone() };
            let of_verdict = self.alarms.entry(health.verdict).or_default();
            of_verdict.push((usual.unwrap_or(0.0), alarm));
            of_verdict.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.site.cmp(&b.1.site)));
            of_verdict.truncate(ALARMS);
        }
    }

    fn sort(&mut self) {
        self.best.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    }

    pub(crate) fn show(&self, ledger: &mut Ledger) {
        let RunCounts { feed_items, feed_items_elsewhere, .. } = ledger.counts;
        let usual_articles = self.usual_articles.map(|usual| usual.round() as u64);
        ledger.counts =
            RunCounts { feed_items, feed_items_elsewhere, usual_articles, ..self.counts.clone() };
        let alarms = self.alarms.values().rev().flatten();
        ledger.attention = alarms.map(|(_, alarm)| alarm.clone()).collect();
        ledger.drops.clone_from(&self.drops);
    }

    /// The sites with the most articles in descending order, with their number of articles and best wrapper.
    pub(crate) fn into_best(mut self) -> Vec<(String, usize, Option<BestWrapper>)> {
        self.sort();
        self.best.truncate(MOST);
        self.best
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn figures_are_the_same_however_a_site_is_divided(
            articles in prop::collection::vec((0..50_000_u32, 0.0..1.0_f64), 1..200),
            size in 1..40_usize,
        ) {
            let figures = |articles: &[(u32, f64)]| {
                let mut figures = NightFigures::default();
                articles.iter().for_each(|own| add_article(&mut figures, own.0, own.1));
                figures
            };
            let mut of_parts = NightFigures::default();
            articles.chunks(size).for_each(|part| of_parts.add(&figures(part)));
            prop_assert_eq!(of_parts, figures(&articles));
        }
    }
}
