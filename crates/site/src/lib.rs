//! Processes one site: survey, learn, apply, and a second round for pages of layouts that are not in the
//! sample.
//!
//! ```text
//! pages ─► survey ─► sample ─► learn ─► model ─► apply ─► result
//!                                         ▲        └► unassigned ─► sample ─► learn ─┐
//!                                         └──────────────────────────────────────────┘
//! ```
//!
//! A small site is processed as a whole: each page is parsed once. A larger one is processed in batches: each gives a
//! part of the result and is a point to resume from. The articles are the same.
//!
//! The outcomes of pages of a larger site are computed here or by other processes (`large`).

pub mod apply;
pub mod captures;
pub mod clock;
pub mod large;
pub mod learn;
pub mod made;
pub mod night;
pub mod site_configs;
pub mod texts;
pub mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;

use config::{Config, SinkName};
use grouping::{PageHead, Sample};
use model::{FeedItem, Page, Site, SiteResult};
use modelstore::Store;
use segment::declared::{head_of, head_of_page, needs_heads};
use segment::pages::{SegmentPages, StoredSite};
use segment::stored::StoredPage;
use sitemodel::{KnownPage, Outcome, ParsedPage, Settings, SiteModel, unmatched};

use self::apply::{ApplyContext, Findings, Outcomes, Unassigned, found, join, result, unassigned};
use self::captures::{OtherCaptures, batches};
use self::clock::Clock;
use self::large::{LargeSite, learnt_site_configs};
use self::learn::{ParsedPages, Surveyed, parse, sample};
use self::made::SiteStepOutputs;
use self::night::{InitialModel, Night};

/// Receives the results of a site's parts, by number; returns whether to continue.
pub(crate) type Emit<'a> = dyn FnMut(usize, SiteResult) -> ControlFlow<()> + Send + 'a;

/// Like [`Emit`], but for one thread.
type TakeResult<'a> = dyn FnMut(usize, SiteResult) -> ControlFlow<()> + 'a;

/// Processes a site in memory, as a run does.
pub fn process(site: &Site, config: &Config, clock: &Clock) -> SiteResult {
    let stored = SegmentPages::new(Vec::new(), Vec::new());
    let pages = site.pages.iter().cloned().map(|page| StoredPage::held(page, None, None)).collect();
    let (key, items) = (site.key.clone(), site.feed_items.clone());
    let config = &Config {
        run: config::RunConfig { batch_bytes: u64::MAX, ..config.run.clone() },
        ..config.clone()
    };
    let waiting = StoredSite { key, pages, items, others: Vec::new() };
    let mut found = SiteResult::from_articles(&site.key, Vec::new());
    let mut emit = |_, result| {
        found = result;
        ControlFlow::Continue(())
    };
    // Reading pages in memory cannot fail.
    let _ = work_on(waiting, 0, &stored, None, config, clock, &mut emit);
    found
}

/// Processes a site, and emits its parts except the first `done`, which were emitted before.
pub fn work_on(
    site: StoredSite,
    done: usize,
    stored: &SegmentPages,
    store: Option<&Store>,
    config: &Config,
    clock: &Clock,
    emit: &mut Emit<'_>,
) -> io::Result<()> {
    let settings = &config.settings();
    let at_once = site.weight() <= config.run.batch_bytes;
    let (mut work, items) = Work::of(site, stored, store, config, settings, clock);
    if !at_once {
        return work.in_batches(&mut LargeSite::InProcess(Vec::new()), items, done, emit);
    }
    // The HTML is moved, so that only one copy is in memory.
    let stored = work.pages.iter_mut().map(StoredPage::take).enumerate().collect();
    let pages = work.load_captures(stored)?;
    let _ = emit(0, work.whole(&pages, items)?);
    Ok(())
}

/// A site that is being processed, with everything that the work needs.
pub struct Work<'a> {
    /// Key of the site.
    pub key: String,
    /// The best captures of its pages, by address.
    pub pages: Vec<StoredPage>,
    /// Other captures of the same addresses.
    pub others: OtherCaptures,
    stored: &'a SegmentPages,
    store: Option<&'a Store>,
    pub(crate) config: &'a Config,
    pub(crate) settings: &'a Settings,
    pub(crate) clock: &'a Clock,
}

impl<'a> Work<'a> {
    /// Begins to process a site whose pages and captures are in `stored`. Also returns its feed items.
    pub fn of(
        site: StoredSite,
        stored: &'a SegmentPages,
        store: Option<&'a Store>,
        config: &'a Config,
        settings: &'a Settings,
        clock: &'a Clock,
    ) -> (Self, Vec<FeedItem>) {
        let StoredSite { key, pages, items, others } = site;
        let others = OtherCaptures::of(others);
        (Self { key, pages, others, stored, store, config, settings, clock }, items)
    }

    /// Processes all pages at once; each is parsed only once.
    fn whole(&mut self, pages: &[(usize, Page)], items: Vec<FeedItem>) -> io::Result<SiteResult> {
        let mut parsed = parse(pages, self.settings, self.clock);
        let heads = self.needs_heads(&items).then(|| heads(&parsed, self.settings));
        let mut site = self.survey(items, heads.as_deref());
        let begun = self.begin(&mut site, &parsed)?;
        let InitialModel { mut model, known, applied, unassigned: then, night } = begun;
        let outcomes = self.applying(&site, &model).apply(&parsed, &known, then, applied);
        let mut findings = found(&self.key, &parsed, outcomes);
        let mut sampled = self.sample();
        let left = unassigned(&findings);
        if !left.is_empty() {
            let rest = take_pages(&mut parsed, &left);
            let (further, known) = self.learn(&site, &rest, Some(&model));
            model = further;
            let applying = self.applying(&site, &model);
            let outcomes = applying.apply(&rest, &known, Unassigned::Alone, Outcomes::new());
            findings.extend(found(&self.key, &rest, outcomes));
            sampled.extend(self.sample_of(&left.into_iter().collect::<Vec<_>>()));
            parsed.extend(rest);
        }
        let applying = self.applying(&site, &model);
        let mut result = self.result(&LargeSite::InProcess(Vec::new()), &applying, findings)?;
        if self.wants_site_configs() {
            let samples = take_pages(&mut parsed, &sampled.into_iter().collect());
            result.site_configs = learnt_site_configs(&applying, &samples);
        }
        self.conclude(&model, night, &mut result)?;
        Ok(result)
    }

    /// Builds the whole result of a site from outcomes of pages that other processes computed.
    pub fn assemble(
        &mut self,
        made: SiteStepOutputs<'_>,
        items: Vec<FeedItem>,
    ) -> io::Result<SiteResult> {
        let mut site = self.surveyed(items)?;
        let mut large = LargeSite::FromSteps(made);
        let InitialModel { night, .. } = large.begin(self, &mut site)?;
        let model = made.model(2)?;
        let applying = self.applying(&site, &model);
        let all: Vec<usize> = (0..self.pages.len()).collect();
        let findings = large.apply(self, &applying, &all, Unassigned::Alone)?;
        let mut result = self.result(&large, &applying, findings)?;
        result.site_configs = large.site_configs(self, &applying)?;
        self.conclude(&model, night, &mut result)?;
        Ok(result)
    }

    /// Processes one batch after the other. Articles that need the final model come last: those with an unassigned page,
    /// and those of which another capture may be needed.
    pub fn in_batches(
        &mut self,
        large: &mut LargeSite<'_>,
        items: Vec<FeedItem>,
        done: usize,
        emit: &mut TakeResult<'_>,
    ) -> io::Result<()> {
        let mut site = self.surveyed(items)?;
        let InitialModel { mut model, unassigned: then, mut night, .. } =
            large.begin(self, &mut site)?;
        let batches = self.batches(site.units());
        let first_round = batches.len();
        let mut waiting: Vec<Vec<usize>> = Vec::new();
        let mut left: BTreeSet<usize> = BTreeSet::new();
        for (number, batch) in batches.into_iter().enumerate() {
            let applying = self.applying(&site, &model);
            let mut findings = large.apply(self, &applying, &batch.concat(), then)?;
            let waits = match then {
                Unassigned::Wait => self.waiting(&site, &findings),
                Unassigned::Alone => BTreeSet::new(),
            };
            left.append(&mut unassigned(&findings));
            let (later, now): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
                batch.into_iter().partition(|unit| unit.iter().any(|page| waits.contains(page)));
            let later_pages: BTreeSet<usize> = later.iter().flatten().copied().collect();
            findings.retain(|page, _| !later_pages.contains(page));
            waiting.extend(later);
            if number >= done {
                let mut result = self.result(large, &applying, findings)?;
                if let Some(night) = &night {
                    night.stamp(&mut result);
                }
                if emit(number, SiteResult { more: true, ..result }).is_break() {
                    return Ok(());
                }
            }
            self.release(&now.concat());
        }
        if !left.is_empty() {
            let left: Vec<usize> = left.into_iter().collect();
            model = large.learn_further(self, &site, &left, &model)?;
        }
        let mut batches = self.batches(waiting);
        if batches.is_empty() {
            // An empty last part marks the end of the site.
            batches.push(Vec::new());
        }
        let last = first_round + batches.len() - 1;
        let applying = self.applying(&site, &model);
        for (number, batch) in (first_round..).zip(batches).filter(|(number, _)| *number >= done) {
            let pages = batch.concat();
            let findings = large.apply(self, &applying, &pages, Unassigned::Alone)?;
            let mut result = self.result(large, &applying, findings)?;
            if number == last {
                result.site_configs = large.site_configs(self, &applying)?;
                self.conclude(&model, night.take(), &mut result)?;
            } else if let Some(night) = &night {
                night.stamp(&mut result);
            }
            self.release(&pages);
            if emit(number, SiteResult { more: number < last, ..result }).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Returns the pages whose outcomes depend on the final model.
    pub(crate) fn waiting(&self, site: &Surveyed, findings: &Findings) -> BTreeSet<usize> {
        let waits = |page: &usize| match &findings[page].applied.outcome {
            Outcome::Article(_) => false,
            Outcome::Drop(drop) => self.others.may_help(drop, site),
            Outcome::Unassigned => true,
        };
        findings.keys().copied().filter(waits).collect()
    }

    /// Returns what is needed to apply a model to pages of the site.
    pub fn applying<'b>(&self, site: &'b Surveyed, model: &'b SiteModel) -> ApplyContext<'b>
    where
        'a: 'b,
    {
        ApplyContext { site, model, settings: self.settings, meter: self.clock }
    }

    /// Loads pages, given by index.
    ///
    /// # Errors
    /// If a page cannot be read.
    pub fn load(&self, pages: &[usize]) -> io::Result<Vec<(usize, Page)>> {
        let stored = pages.iter().map(|&page| (page, self.pages[page].clone())).collect();
        self.load_captures(stored)
    }

    /// Loads captures, each given with the index of its page.
    fn load_captures(&self, captures: Vec<(usize, StoredPage)>) -> io::Result<Vec<(usize, Page)>> {
        let (pages, stored): (Vec<usize>, Vec<StoredPage>) = captures.into_iter().unzip();
        let loaded = self.clock.read.time(|| self.stored.load(&self.key, stored))?;
        Ok(pages.into_iter().zip(loaded).collect())
    }

    /// Frees the HTML of pages that are not needed again.
    fn release(&mut self, pages: &[usize]) {
        pages.iter().for_each(|&page| self.pages[page].release());
    }

    fn survey(&self, items: Vec<FeedItem>, heads: Option<&[PageHead]>) -> Surveyed {
        let urls = self.pages.iter().map(|page| &*page.head.url);
        Surveyed::of(&self.key, urls, items, heads, self.settings)
    }

    /// Surveys the site before learning, without loading pages that another process surveyed.
    pub fn surveyed(&self, items: Vec<FeedItem>) -> io::Result<Surveyed> {
        let heads = self.needed_heads(&items)?;
        Ok(self.survey(items, heads.as_deref()))
    }

    fn needs_heads(&self, items: &[FeedItem]) -> bool {
        needs_heads(self.pages.iter().map(|page| &*page.head.url), items, self.settings)
    }

    fn needed_heads(&self, items: &[FeedItem]) -> io::Result<Option<Vec<PageHead>>> {
        if !self.needs_heads(items) {
            return Ok(None);
        }
        let mut heads: Vec<Option<PageHead>> =
            self.pages.iter().map(StoredPage::page_head).collect();
        let unknown = (0..heads.len()).filter(|&page| heads[page].is_none());
        for batch in self.batches(unknown.map(|page| vec![page]).collect()) {
            for (at, page) in self.load(&batch.concat())? {
                heads[at] = Some(head_of_page(&page, self.settings));
            }
        }
        Ok(Some(heads.into_iter().flatten().collect()))
    }

    /// Splits units into batches of at most half of `batch_bytes`, with at least one unit each.
    fn batches(&self, units: Vec<Vec<usize>>) -> Vec<Vec<Vec<usize>>> {
        let weight =
            |unit: &Vec<usize>| unit.iter().map(|&page| self.pages[page].head.weight).sum();
        batches(units, self.config.run.batch_bytes / 2, weight)
    }

    /// Learns from a sample of parsed pages. Also returns what learning found out about these pages.
    fn learn(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        previous: Option<&SiteModel>,
    ) -> (SiteModel, BTreeMap<usize, KnownPage>) {
        let (sample, cut) = self.tonight(site, parsed);
        self.learn_from_candidates(site, &sample.iter().collect::<Vec<_>>(), cut, previous, &[])
    }

    /// Chooses a sample of some pages, given by index.
    pub fn sample_of(&self, pages: &[usize]) -> Vec<usize> {
        let heads = pages.iter().map(|&page| &self.pages[page].head);
        let Sample { chosen, .. } =
            sample(heads.map(|head| (&*head.url, head.weight)), self.settings);
        chosen.into_iter().map(|at| pages[at]).collect()
    }

    /// Chooses a sample of all pages, by index.
    pub fn sample(&self) -> Vec<usize> {
        self.sample_of(&(0..self.pages.len()).collect::<Vec<_>>())
    }

    /// Completes the last result of a site, given its final model: adds what the store is to keep of the night, and names
    /// and counts the corrections that match nothing.
    fn conclude(
        &self,
        model: &SiteModel,
        night: Option<Night>,
        result: &mut SiteResult,
    ) -> io::Result<()> {
        for (correction, why) in unmatched(model, self.settings) {
            result.work.unmatched_corrections += 1;
            let first = correction.blocks.first();
            tracing::warn!(
                at = %correction.url,
                next = "mark the page again, or remove the line from the corrections",
                "the correction of {} has no effect: {why}",
                first.map_or("no block", |block| &*block.xpath)
            );
        }
        night.map_or(Ok(()), |night| night.finish(model, self, result))
    }

    /// Whether site configs are to be written.
    pub fn wants_site_configs(&self) -> bool {
        self.config.emit.sinks.contains(&SinkName::SiteConfig)
    }

    /// Returns the result of pages, including the articles of their other captures.
    fn result(
        &mut self,
        large: &LargeSite<'_>,
        applying: &ApplyContext<'_>,
        mut findings: Findings,
    ) -> io::Result<SiteResult> {
        join(applying.site, &mut findings);
        let heads = findings.keys().map(|at| (*at, &self.pages[*at].head));
        let others = self.others.take_of(heads);
        let mut result = result(applying.site, applying.model, findings);
        let mut try_some = |captures| large.captures(self, applying, captures);
        let most = self.config.run.batch_bytes / 2;
        others.try_for(applying.site, most, &mut result, &mut try_some)?;
        Ok(result)
    }
}

fn take_pages<'p>(parsed: &mut ParsedPages<'p>, pages: &BTreeSet<usize>) -> ParsedPages<'p> {
    let (taken, rest) = std::mem::take(parsed).into_iter().partition(|(at, _)| pages.contains(at));
    *parsed = rest;
    taken
}

fn heads(parsed: &ParsedPages<'_>, settings: &Settings) -> Vec<PageHead> {
    let head = |(_, parsed): &(usize, Result<ParsedPage<'_>, &Page>)| match parsed {
        Ok(parsed) => head_of(parsed, settings),
        Err(page) => head_of_page(page, settings),
    };
    parsed.iter().map(head).collect()
}
