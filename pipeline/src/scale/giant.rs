//! A site too large to be worked on at once: learnt from a sample of its pages, extracted in batches.
//!
//! The sample is the pages with the smallest hashes of their addresses, up to half of what may be worked on
//! at once; batches are runs of pages by address, as large. Both depend on the site alone, so that the same
//! comes out whatever the memory, and a batch is a point to go on from. Pages of layouts that the sample
//! does not have are a small site of their own within their batch.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use model::{Article, Drop, FeedItem, Page, Site, Stage, Template, TemplateKind};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use sink::{BestWrapper, Letters, PageWork, SiteRecord, SiteResult, TemplateRecord};
use xxhash_rust::xxh3::xxh3_64;

use super::gather::Waiting;
use super::spool::{Spool, Stored};
use super::work::Hand;
use crate::config::Config;
use crate::layouts::{Layout, similarity};
use crate::ledger::Clock;
use crate::page_kind::{Impression, Middle};
use crate::parsed::{ParsedPage, parse_page, recurring_tokens};
use crate::parts::join_parts;
use crate::sinks::SinkName;
use crate::site::{
    best_by_hand, by_hand, canonical_of, feed_items_of, process, process_apart, record_of, refusal,
    sample_to_learn, work_of,
};
use crate::site_configs::site_configs;
use crate::stages::cluster::{Addresses, Joined, layouts, likeness, look, split_by_kind, template};
use crate::stages::group::join;
use crate::stages::signify::Sibling;
use crate::template::{LearntTemplate, Outcome, drop_of, learn_template};
use crate::urls::Tracking;

/// Members that stand for a layout when a page is compared with it.
const CORE: usize = 8;

/// Processes a site whose first `done` parts are done already: part 0 is what was learnt, then comes each
/// batch.
///
/// # Errors
/// If its pages cannot be read from the spool.
pub(super) fn work_on(
    site: Waiting,
    done: usize,
    spool: &Spool,
    config: &Config,
    clock: &Clock,
    hand: &mut Hand<'_>,
) -> io::Result<()> {
    let Waiting { key, mut pages, items, drops } = site;
    let at_once = config.cluster.whole_site_bytes / 2;
    let addresses = Addresses::of(pages.iter().map(|page| page.head.url.as_str()));
    let batches = batches(&pages, at_once);
    let all = Everything { key: &key, items: &items, addresses: &addresses, config, clock };
    let sample = clock.read.time(|| spool.load(&key, sample(&pages, at_once)))?;
    // A panic on the way leaves every page to itself, as in a site of usual size.
    let learnt = catch_unwind(AssertUnwindSafe(|| all.learn(&sample))).ok();
    drop(sample);
    let (mut known, first) = match learnt {
        Some((known, first)) => (Some(known), first),
        None => (None, SiteResult::of_articles(&key, Vec::new())),
    };
    if done == 0 && hand(0, SiteResult { drops, more: true, ..first }).is_break() {
        return Ok(());
    }
    let last = batches.len();
    for (number, batch) in (1..).zip(batches) {
        // What is held in memory is let go batch by batch.
        let stored: Vec<Stored> = pages.drain(..batch.len()).collect();
        if number < done {
            continue;
        }
        let pages = clock.read.time(|| spool.load(&key, stored))?;
        let attempt = || known.as_mut().map(|known| all.extract(known, &pages, number));
        let result = match catch_unwind(AssertUnwindSafe(attempt)) {
            Ok(Some(result)) => result,
            Ok(None) | Err(_) => {
                let (key, feed_items) = (key.clone(), Vec::new());
                process_apart(&Site { key, pages, feed_items }, config)
            }
        };
        if hand(number, SiteResult { more: number < last, ..result }).is_break() {
            break;
        }
    }
    Ok(())
}

/// Runs of pages that weigh so much together at most, but at least one page.
fn batches(pages: &[Stored], at_once: u64) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut from, mut weight) = (0, 0);
    for (at, page) in pages.iter().enumerate() {
        if at > from && weight + page.head.weight > at_once {
            batches.push(from..at);
            (from, weight) = (at, 0);
        }
        weight += page.head.weight;
    }
    batches.push(from..pages.len());
    batches
}

/// The pages to learn from, in their order.
fn sample(pages: &[Stored], at_once: u64) -> Vec<Stored> {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.sort_by_cached_key(|&at| (xxh3_64(pages[at].head.url.as_bytes()), at));
    let mut weight = 0;
    order.retain(|&at| {
        let fits = weight + pages[at].head.weight <= at_once;
        weight += if fits { pages[at].head.weight } else { 0 };
        fits
    });
    order.sort_unstable();
    order.into_iter().map(|at| pages[at].clone()).collect()
}

/// What goes for the whole site.
struct Everything<'a> {
    key: &'a str,
    items: &'a [FeedItem],
    addresses: &'a Addresses,
    config: &'a Config,
    clock: &'a Clock,
}

/// What the sample told.
struct Known {
    recurring: FxHashSet<u64>,
    layouts: Vec<KnownLayout>,
    templates: Vec<KnownTemplate>,
    /// What came of the pages that templates were learnt from, by address.
    done: BTreeMap<String, Outcome>,
}

/// A layout: a few of its pages, and how they look.
struct KnownLayout {
    core: Vec<(Vec<u64>, Vec<u32>)>,
    middle: Middle,
    templates: Vec<(TemplateKind, usize)>,
}

struct KnownTemplate {
    template: Template,
    /// None where its pages are dropped for their kind.
    learnt: Option<LearntTemplate>,
}

impl Everything<'_> {
    /// Pages joined to the feed items that point to them.
    fn joined(&self, pages: &[ParsedPage<'_>]) -> Joined<'_> {
        let addresses: Vec<&str> = pages.iter().map(|page| page.page.url.as_str()).collect();
        let tracking = Tracking::new(&[]);
        // A page elsewhere that has this address itself is the one that is meant.
        let canonical = |page: &ParsedPage<'_>| {
            let url = canonical_of(page)?;
            let key = tracking.key(&url)?;
            (!self.addresses.has(&key)).then_some(url)
        };
        let canonical: Vec<Option<String>> = match self.items {
            [] => vec![None; pages.len()],
            _ => pages.iter().map(canonical).collect(),
        };
        let pages = join(&addresses, self.items, &canonical, &self.config.group);
        Joined { key: self.key, feed_items: self.items, pages }
    }

    fn parse<'b>(&self, pages: &'b [Page]) -> Vec<ParsedPage<'b>> {
        let parse = |page: &'b Page| parse_page(page, self.config);
        self.clock.parse.time(|| pages.par_iter().map(parse).collect())
    }

    /// Learns from a sample: gives that, and a result with templates and wrappers but no pages.
    fn learn(&self, sample: &[Page]) -> (Known, SiteResult) {
        let (config, clock) = (self.config, self.clock);
        let parsed = self.parse(sample);
        let site = self.joined(&parsed);
        let recurring = recurring_tokens(&parsed);
        let (looks, groups) = clock.cluster.time(|| {
            let looks = look(&site, &parsed, &recurring, self.addresses, &config.cluster);
            let groups = layouts(&parsed, &looks, &config.cluster);
            (looks, groups)
        });
        let mut known =
            Known { recurring, layouts: Vec::new(), templates: Vec::new(), done: BTreeMap::new() };
        let (mut records, mut wrappers, mut articles) = (Vec::new(), Vec::new(), Vec::new());
        for members in groups {
            let core = members.iter().take(CORE).map(|&m| m as usize);
            let core = core.map(|m| (looks.paths[m].clone(), looks.feeds[m].clone())).collect();
            let impressions: Vec<Impression> =
                members.iter().map(|&m| looks.impressions[m as usize]).collect();
            let mut templates = Vec::new();
            for (kind, members) in split_by_kind(members, &looks.impressions) {
                let at = known.templates.len();
                templates.push((kind, at));
                let template = template(at, self.key, kind, members, &looks);
                let learnt = refusal(kind, config).is_none().then(|| {
                    let (learnt, outcomes) = self.learn_one(&site, &template, &parsed);
                    for (url, outcome) in outcomes {
                        if let Outcome::Article(article, _) = &outcome {
                            articles.push((**article).clone());
                        }
                        known.done.insert(url, outcome);
                    }
                    learnt
                });
                let (wrapper, ranked) = match &learnt {
                    Some(learnt) => (learnt.learnt.as_ref(), learnt.ranked()),
                    None => (None, &[][..]),
                };
                let mut record = record_of(&template, &parsed, wrapper, ranked);
                record.clear_pages();
                records.push(record);
                wrappers.extend(wrapper.map(|learnt| learnt.wrapper.clone()));
                known.templates.push(KnownTemplate { template, learnt });
            }
            known.layouts.push(KnownLayout { core, middle: Middle::of(&impressions), templates });
        }
        let site_configs = if config.emit.sinks.contains(&SinkName::SiteConfig) {
            articles.sort_by(|a: &Article, b| a.url.cmp(&b.url));
            site_configs(&articles, &wrappers.iter().collect::<Vec<_>>(), &parsed)
        } else {
            Vec::new()
        };
        let record = SiteRecord::new(self.key, records, Vec::new());
        let empty = SiteResult::of_articles(self.key, Vec::new());
        (known, SiteResult { record, site_configs, ..empty })
    }

    /// Learns a template; gives what came of the pages it was learnt from.
    fn learn_one(
        &self,
        site: &Joined<'_>,
        template: &Template,
        parsed: &[ParsedPage<'_>],
    ) -> (LearntTemplate, Vec<(String, Outcome)>) {
        let sample = sample_to_learn(template, parsed, self.config);
        let items: Vec<Vec<&FeedItem>> = sample.iter().map(|&m| feed_items_of(site, m)).collect();
        let siblings: Vec<Sibling<'_>> = (sample.iter().zip(&items))
            .map(|(&index, items)| Sibling {
                index,
                page: &parsed[index as usize],
                feed_items: items,
            })
            .collect();
        let (learnt, outcomes) = learn_template(template, &siblings, self.config, self.clock);
        let urls = sample.iter().map(|&m| parsed[m as usize].page.url.clone());
        (learnt, urls.zip(outcomes).collect())
    }

    /// Extracts a batch of pages.
    fn extract(&self, known: &mut Known, pages: &[Page], number: usize) -> SiteResult {
        let (config, clock) = (self.config, self.clock);
        let mut parsed = self.parse(pages);
        let mut work = work_of(&parsed);
        join_parts(&mut parsed, config);
        let site = self.joined(&parsed);
        let assigned: Vec<Option<usize>> = clock.cluster.time(|| {
            let looks = look(&site, &parsed, &known.recurring, self.addresses, &config.cluster);
            let assign = |at: usize| {
                let page = Layout {
                    paths: &looks.paths[at],
                    url: &parsed[at].page.url,
                    feeds: &looks.feeds[at],
                };
                known.assign(&page, &looks.impressions[at], config)
            };
            (0..parsed.len()).into_par_iter().map(assign).collect()
        });
        let mut came = Came::default();
        let mut records = Vec::new();
        for (at, KnownTemplate { template, learnt }) in known.templates.iter().enumerate() {
            let of_template =
                (0..parsed.len() as u32).filter(|&m| assigned[m as usize] == Some(at));
            let members: Vec<u32> = of_template.collect();
            if members.is_empty() {
                continue;
            }
            let Some(learnt) = learnt else {
                if let Some(reason) = refusal(template.kind, config) {
                    let dropped = members.iter().map(|&m| &parsed[m as usize]);
                    came.drops.extend(dropped.map(|page| drop_of(page, Stage::Cluster, reason)));
                }
                records.push(counted(template, members, &parsed));
                continue;
            };
            let before = came.articles.len();
            let mut others = Vec::new();
            for &m in &members {
                match known.done.remove(&parsed[m as usize].page.url) {
                    Some(outcome) => came.take(outcome),
                    None => others.push(m),
                }
            }
            let items: Vec<Vec<&FeedItem>> =
                others.iter().map(|&m| feed_items_of(&site, m)).collect();
            let siblings: Vec<Sibling<'_>> = (others.iter().zip(&items))
                .map(|(&index, items)| Sibling {
                    index,
                    page: &parsed[index as usize],
                    feed_items: items,
                })
                .collect();
            let outcomes = learnt.extract(&siblings, config, clock, &mut work);
            outcomes.into_iter().for_each(|one| came.take(one));
            if let Some(learnt) = &learnt.learnt {
                came.offer(&learnt.wrapper, came.articles.len() - before);
            }
            records.push(counted(template, members, &parsed));
        }
        let fixed = by_hand(&parsed);
        let strangers = assigned.iter().zip(pages).filter(|(at, _)| at.is_none());
        let strangers: Vec<Page> = strangers.map(|(_, page)| page.clone()).collect();
        let mut result = SiteResult {
            record: SiteRecord::new(self.key, records, fixed),
            work,
            pages: pages.len(),
            letters: came.letters,
            ..SiteResult::of_articles(self.key, Vec::new())
        };
        if !strangers.is_empty() {
            self.add_strangers(strangers, number, &mut came, &mut result);
        }
        result.best = best_by_hand(&came.articles, came.best);
        came.articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
        came.drops.sort();
        SiteResult { articles: came.articles, drops: came.drops, ..result }
    }

    /// Works on pages of layouts that the sample does not have as on a small site.
    fn add_strangers(
        &self,
        pages: Vec<Page>,
        number: usize,
        came: &mut Came,
        result: &mut SiteResult,
    ) {
        let (key, feed_items) = (self.key.to_owned(), self.items.to_vec());
        let mut own = process(&Site { key, pages, feed_items }, self.config, self.clock);
        let prefix = format!("b{number}");
        for article in &mut own.articles {
            article.template.insert_str(0, &prefix);
        }
        own.record.prefix(&prefix);
        came.articles.append(&mut own.articles);
        came.drops.append(&mut own.drops);
        result.letters.add(own.letters);
        // They were parsed by the same tokenizer before.
        result.work.add(PageWork { by_html5ever: 0, outgrown: 0, ..own.work });
        // Their wrappers by hand were counted with the others'.
        own.record.clear_fixed();
        result.record.absorb(own.record);
    }
}

/// What came of the pages of a batch.
#[derive(Default)]
struct Came {
    articles: Vec<Article>,
    drops: Vec<Drop>,
    letters: Letters,
    best: Option<BestWrapper>,
}

impl Came {
    fn take(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Article(article, letters) => {
                self.letters.add(letters);
                self.articles.push(*article);
            }
            Outcome::Drop(drop) => self.drops.push(*drop),
        }
    }

    /// Keeps a wrapper if it gave the most articles.
    fn offer(&mut self, wrapper: &model::Wrapper, articles: usize) {
        if self.best.as_ref().is_none_or(|best| articles > best.articles) {
            let (confidence, support) = (wrapper.confidence, wrapper.support);
            let content = wrapper.content.clone();
            self.best = Some(BestWrapper { articles, content, confidence, support });
        }
    }
}

/// A template with its pages of a batch; all else of it was told with the sample.
fn counted(template: &Template, members: Vec<u32>, parsed: &[ParsedPage<'_>]) -> TemplateRecord {
    record_of(&Template { members, ..template.clone() }, parsed, None, &[])
}

impl Known {
    /// The template of a page; none if it is of an unknown layout, or of a kind that its layout did not have.
    fn assign(&self, page: &Layout<'_>, impression: &Impression, config: &Config) -> Option<usize> {
        let likeness = likeness(&config.cluster);
        let mean = |layout: &KnownLayout| {
            let of = |(paths, feeds): &(Vec<u64>, Vec<u32>)| {
                similarity(page, &Layout { paths, url: "", feeds }, &likeness)
            };
            layout.core.iter().map(of).sum::<f64>() / layout.core.len().max(1) as f64
        };
        let (mut best, mut most) = (None, f64::MIN);
        for layout in &self.layouts {
            let alike = mean(layout);
            if alike > most {
                (best, most) = (Some(layout), alike);
            }
        }
        let layout = best.filter(|_| most >= likeness.threshold)?;
        let kind = layout.middle.kind(impression);
        layout.templates.iter().find(|(of, _)| *of == kind).map(|(_, at)| *at)
    }
}
