//! Processes one site: survey, learn, apply, and a second round for pages of layouts that are not in the
//! sample.
//!
//! ```text
//! pages ─► survey ─► sample ─► learn ─► model ─► apply ─► result
//!                                         ▲        └► unassigned ─► sample ─► learn ─┐
//!                                         └──────────────────────────────────────────┘
//! ```
//!
//! A small site is processed as a whole: each page is parsed once. A larger one is processed in batches; each
//! is a part of its result and a point to resume from. The articles are the same.

mod again;
mod change;
mod decision;
mod in_hand;
mod kept;
mod night;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use grouping::PageHead;
use model::{Article, FeedItem, Page, Site, SiteConfigFile, SiteResult};
use modelstore::Store;
use sitemodel::{Applied, Known, Learning, Outcome, ParsedPage, Settings, Sibling, SiteModel};

use self::night::Begun;
use crate::captures::OtherCaptures;
use crate::config::Config;
use crate::progress::ledger::Clock;
use crate::shuffle::partition::StoredSite;
use crate::shuffle::spool::Spool;
use crate::shuffle::stored::Stored;
use crate::sink_name::SinkName;
use crate::site_configs::site_configs;
use crate::stages::apply::{Applying, Outcomes, Unassigned, join, result};
use crate::stages::learn::{ParsedPages, Surveyed, head_of, needs_heads, parse, sample};

/// Receives the results of a site's parts, by number; returns whether to continue.
pub(crate) type Emit<'a> = dyn FnMut(usize, SiteResult) -> ControlFlow<()> + Send + 'a;

/// Processes a site in memory, as a run does.
pub fn process(site: &Site, config: &Config, clock: &Clock) -> SiteResult {
    let spool = Spool::new(Path::new(""), u64::MAX);
    let pages = site.pages.iter().cloned().map(Stored::held).collect();
    let (key, items) = (site.key.clone(), site.feed_items.clone());
    let config = &Config {
        run: crate::config::RunConfig { batch_bytes: u64::MAX, ..config.run.clone() },
        ..config.clone()
    };
    let waiting = StoredSite { key, pages, items, others: Vec::new() };
    let mut found = SiteResult::of_articles(&site.key, Vec::new());
    let mut emit = |_, result| {
        found = result;
        ControlFlow::Continue(())
    };
    // Pages in memory can be read.
    let _ = work_on(waiting, 0, &spool, None, config, clock, &mut emit);
    found
}

/// Processes a site whose first `done` parts are done already.
///
/// # Errors
/// If its pages cannot be read from the spool.
pub(crate) fn work_on(
    site: StoredSite,
    done: usize,
    spool: &Spool,
    store: Option<&Store>,
    config: &Config,
    clock: &Clock,
    emit: &mut Emit<'_>,
) -> io::Result<()> {
    let settings = &config.settings();
    let at_once = site.weight() <= config.run.batch_bytes;
    let StoredSite { key, pages, items, others } = site;
    let others = OtherCaptures::of(others);
    let mut work = Work { key, pages, others, spool, store, config, settings, clock };
    if at_once { work.whole(items, emit) } else { work.in_batches(items, done, emit) }
}

/// A site that is being processed.
struct Work<'a> {
    key: String,
    pages: Vec<Stored>,
    others: OtherCaptures,
    spool: &'a Spool,
    /// The store of models, if there is one.
    store: Option<&'a Store>,
    config: &'a Config,
    settings: &'a Settings,
    clock: &'a Clock,
}

impl<'a> Work<'a> {
    /// All pages at once.
    fn whole(&mut self, items: Vec<FeedItem>, emit: &mut Emit<'_>) -> io::Result<()> {
        let all: Vec<usize> = (0..self.pages.len()).collect();
        let pages = self.load(&all)?;
        self.release(&all);
        let parsed = parse(&pages, self.settings, self.clock);
        let heads = needs_heads(&items, self.settings).then(|| heads(&parsed, self.settings));
        let mut site = self.survey(items, heads.as_deref());
        let Begun { model, known, applied, unassigned: then, night } =
            self.begin(&mut site, &parsed)?;
        let applying = self.applying(&site, &model);
        let mut outcomes = applying.apply_further(&parsed, &known, then, applied);
        let left = unassigned(&outcomes);
        let (left, mut parsed): (ParsedPages<'_>, ParsedPages<'_>) =
            parsed.into_iter().partition(|(at, _)| left.contains(at));
        let model = if left.is_empty() {
            model
        } else {
            let (model, known) = self.learn(&site, &left, Some(&model));
            let applying = self.applying(&site, &model);
            outcomes.extend(applying.apply(&left, &known, Unassigned::Alone));
            model
        };
        parsed.extend(left);
        let applying = self.applying(&site, &model);
        let mut result = self.result(&applying, &parsed, outcomes)?;
        result.site_configs = self.site_configs(&result.articles, &model, &parsed);
        if let Some(night) = night {
            night.finish(&model, self, &mut result)?;
        }
        let _ = emit(0, result);
        Ok(())
    }

    /// One batch after the other; pages that wait for the second round come last.
    fn in_batches(
        &mut self,
        items: Vec<FeedItem>,
        done: usize,
        emit: &mut Emit<'_>,
    ) -> io::Result<()> {
        let heads = match needs_heads(&items, self.settings) {
            true => Some(self.heads()?),
            false => None,
        };
        let mut site = self.survey(items, heads.as_deref());
        drop(heads);
        let (Begun { model, unassigned: then, night, .. }, mut site_configs) =
            self.begin_large(&mut site)?;
        let batches = self.batches(site.units());
        let first_round = batches.len();
        let mut waiting: Vec<Vec<usize>> = Vec::new();
        for (number, batch) in batches.into_iter().enumerate() {
            let pages = self.load(&batch.concat())?;
            let parsed = parse(&pages, self.settings, self.clock);
            let applying = self.applying(&site, &model);
            let is_left = |(at, parsed): &&(usize, Result<ParsedPage<'_>, &Page>)| {
                then == Unassigned::Wait
                    && parsed.as_ref().is_ok_and(|parsed| applying.is_unassigned(*at, parsed))
            };
            let left: BTreeSet<usize> = parsed.iter().filter(is_left).map(|(at, _)| *at).collect();
            let (later, now): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
                batch.into_iter().partition(|unit| unit.iter().any(|page| left.contains(page)));
            waiting.extend(later);
            let now: BTreeSet<usize> = now.into_iter().flatten().collect();
            if number >= done {
                let parsed = parsed.into_iter().filter(|(at, _)| now.contains(at)).collect();
                let outcomes = applying.apply(&parsed, &BTreeMap::new(), then);
                let mut result = self.result(&applying, &parsed, outcomes)?;
                if let Some(night) = &night {
                    night.stamp(&mut result);
                }
                let site_configs = std::mem::take(&mut site_configs);
                let result = SiteResult { more: true, site_configs, ..result };
                if emit(number, result).is_break() {
                    return Ok(());
                }
            }
            self.release(&now.into_iter().collect::<Vec<_>>());
        }
        let model = match waiting.is_empty() {
            true => model,
            false => self.learn_further(&site, &waiting.concat(), &model)?,
        };
        let mut batches = self.batches(waiting);
        if batches.is_empty() {
            // An empty last part marks the end of the site.
            batches.push(Vec::new());
        }
        let last = first_round + batches.len() - 1;
        let mut night = night;
        for (number, batch) in (first_round..).zip(batches).filter(|(number, _)| *number >= done) {
            let all = batch.concat();
            let pages = self.load(&all)?;
            self.release(&all);
            let parsed = parse(&pages, self.settings, self.clock);
            let applying = self.applying(&site, &model);
            let outcomes = applying.apply(&parsed, &BTreeMap::new(), Unassigned::Alone);
            let mut result = self.result(&applying, &parsed, outcomes)?;
            match night.take() {
                Some(own) if number == last => own.finish(&model, self, &mut result)?,
                Some(own) => {
                    own.stamp(&mut result);
                    night = Some(own);
                }
                None => {}
            }
            if emit(number, SiteResult { more: number < last, ..result }).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn applying<'b>(&self, site: &'b Surveyed, model: &'b SiteModel) -> Applying<'b>
    where
        'a: 'b,
    {
        Applying { site, model, settings: self.settings, meter: self.clock }
    }

    /// Pages by their indices.
    fn load(&self, pages: &[usize]) -> io::Result<Vec<(usize, Page)>> {
        let stored = pages.iter().map(|&page| self.pages[page].clone()).collect();
        let loaded = self.clock.read.time(|| self.spool.load(&self.key, stored))?;
        Ok(pages.iter().copied().zip(loaded).collect())
    }

    /// Frees the HTML of pages that are not needed again.
    fn release(&mut self, pages: &[usize]) {
        pages.iter().for_each(|&page| self.pages[page].release());
    }

    fn survey(&self, items: Vec<FeedItem>, heads: Option<&[PageHead]>) -> Surveyed {
        let urls = self.pages.iter().map(|page| &*page.head.url);
        Surveyed::of(&self.key, urls, items, heads, self.settings)
    }

    /// The heads of all pages.
    fn heads(&self) -> io::Result<Vec<PageHead>> {
        let mut all = Vec::with_capacity(self.pages.len());
        for batch in self.batches((0..self.pages.len()).map(|page| vec![page]).collect()) {
            let pages = self.load(&batch.concat())?;
            all.extend(heads(&parse(&pages, self.settings, self.clock), self.settings));
        }
        Ok(all)
    }

    /// Splits units into batches of at most half of `batch_bytes`, with at least one unit each.
    fn batches(&self, units: Vec<Vec<usize>>) -> Vec<Vec<Vec<usize>>> {
        let most = self.config.run.batch_bytes / 2;
        let mut batches: Vec<Vec<Vec<usize>>> = Vec::new();
        let mut weight = 0;
        for unit in units {
            let own: u64 = unit.iter().map(|&page| self.pages[page].head.weight).sum();
            weight += own;
            match batches.last_mut() {
                Some(batch) if weight <= most => batch.push(unit),
                _ => {
                    weight = own;
                    batches.push(vec![unit]);
                }
            }
        }
        batches
    }

    /// Learns from a sample of parsed pages. Also returns what learning found out about these pages.
    fn learn(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        previous: Option<&SiteModel>,
    ) -> (SiteModel, BTreeMap<usize, Known>) {
        let good: Vec<(usize, &ParsedPage<'_>)> =
            parsed.iter().filter_map(|(at, page)| Some((*at, page.as_ref().ok()?))).collect();
        let weights = good.iter().map(|(at, page)| (&*page.page.url, self.pages[*at].head.weight));
        let sample = sample(weights, self.settings);
        let items: Vec<Vec<&FeedItem>> =
            sample.chosen.iter().map(|&chosen| site.items_of(good[chosen].0)).collect();
        let siblings: Vec<Sibling<'_>> = (sample.chosen.iter().zip(&items))
            .map(|(&chosen, feed_items)| Sibling { page: good[chosen].1, feed_items })
            .collect();
        let Learning { model, known } =
            site.learn(&siblings, sample.cut_by_bytes, previous, self.settings, self.clock);
        let known = sample.chosen.iter().map(|&chosen| good[chosen].0).zip(known);
        (model, known.collect())
    }

    /// The pages of the sample of some pages of a large site.
    fn sample_of(&self, pages: &[usize]) -> io::Result<Vec<(usize, Page)>> {
        let heads = pages.iter().map(|&page| &self.pages[page].head);
        let chosen = sample(heads.map(|head| (&*head.url, head.weight)), self.settings);
        self.load(&chosen.chosen.iter().map(|&at| pages[at]).collect::<Vec<_>>())
    }

    /// The model that a large site is begun with, from its sample. Gives also site configs, if they are asked
    /// for.
    fn begin_large(&self, site: &mut Surveyed) -> io::Result<(Begun, Vec<SiteConfigFile>)> {
        let pages = self.sample_of(&(0..self.pages.len()).collect::<Vec<_>>())?;
        let parsed = parse(&pages, self.settings, self.clock);
        let begun = self.begin(site, &parsed)?;
        if !self.config.emit.sinks.contains(&SinkName::SiteConfig) {
            return Ok((begun, Vec::new()));
        }
        let applying = self.applying(site, &begun.model);
        let outcomes = applying.apply(&parsed, &begun.known, Unassigned::Wait);
        let articles = outcomes.into_values().filter_map(|applied| match applied.outcome {
            Outcome::Article(article) => Some(*article),
            _ => None,
        });
        let mut articles: Vec<Article> = articles.collect();
        articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
        let site_configs = self.site_configs(&articles, &begun.model, &parsed);
        Ok((begun, site_configs))
    }

    /// Adds templates to a model, from the sample of some pages of a large site.
    fn learn_further(
        &self,
        site: &Surveyed,
        pages: &[usize],
        previous: &SiteModel,
    ) -> io::Result<SiteModel> {
        let pages = self.sample_of(pages)?;
        let parsed = parse(&pages, self.settings, self.clock);
        Ok(self.learn(site, &parsed, Some(previous)).0)
    }

    fn site_configs(
        &self,
        articles: &[Article],
        model: &SiteModel,
        parsed: &ParsedPages<'_>,
    ) -> Vec<SiteConfigFile> {
        if !self.config.emit.sinks.contains(&SinkName::SiteConfig) {
            return Vec::new();
        }
        let parsed: Vec<&ParsedPage<'_>> =
            parsed.iter().filter_map(|(_, page)| page.as_ref().ok()).collect();
        site_configs(articles, model, &parsed)
    }

    /// The result of pages, including the articles of their other captures.
    fn result(
        &mut self,
        applying: &Applying<'_>,
        parsed: &ParsedPages<'_>,
        mut outcomes: Outcomes,
    ) -> io::Result<SiteResult> {
        join(applying.site, &mut outcomes);
        let mut result = result(applying, parsed, outcomes);
        let heads = parsed.iter().map(|(at, _)| (*at, &self.pages[*at].head));
        let others = self.others.of_pages(heads);
        others.try_for(applying, self.spool, self.config.run.batch_bytes / 2, &mut result)?;
        Ok(result)
    }
}

/// The pages that wait for the second round.
fn unassigned(outcomes: &Outcomes) -> BTreeSet<usize> {
    let waits =
        |(at, applied): (&usize, &Applied)| (applied.outcome == Outcome::Unassigned).then_some(*at);
    outcomes.iter().filter_map(waits).collect()
}

/// The heads of parsed pages.
fn heads(parsed: &ParsedPages<'_>, settings: &Settings) -> Vec<PageHead> {
    let head = |(_, parsed): &(usize, Result<ParsedPage<'_>, &Page>)| match parsed {
        Ok(parsed) => head_of(parsed, settings),
        Err(page) => PageHead::of(page, None, ""),
    };
    parsed.iter().map(head).collect()
}
