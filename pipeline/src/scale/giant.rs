//! A site too large to be worked on at once: learnt from a sample of its pages, extracted in batches.
//!
//! The sample is the pages with the smallest hashes of their addresses, up to half of what may be worked on
//! at once; batches are runs of pages by address, as large. Both depend on the site alone, so that the same
//! comes out whatever the memory, and a batch is a point to go on from. Pages of layouts that the sample
//! does not have are a small site of their own within their batch.

use std::collections::BTreeMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use grouping::{SiteAddresses, Tracking};
use model::{Article, FeedItem, Page, Site, Template};
use sink::{SiteRecord, SiteResult};
use xxhash_rust::xxh3::xxh3_64;

use super::gather::Waiting;
use super::other_copies::OtherCopies;
use super::spool::{Spool, Stored};
use crate::config::Config;
use crate::further::WholeSite;
use crate::known::{Known, KnownTemplate};
use crate::ledger::Clock;
use crate::parsed::ParsedPage;
use crate::sink_name::SinkName;
use crate::site::{feed_items_of, process_apart, record_of, refusal, sample_to_learn};
use crate::site_configs::site_configs;
use crate::stages::cluster::{Clusters, Joined, cluster};
use crate::stages::signify::Sibling;
use crate::template::{LearntTemplate, Outcome, learn_template};

/// Takes the results of a site's parts, by number; says whether to go on.
pub(crate) type Hand<'a> = dyn FnMut(usize, SiteResult) -> ControlFlow<()> + Send + 'a;

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
    let Waiting { key, mut pages, items, others } = site;
    let at_once = config.cluster.whole_site_bytes / 2;
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let addresses = SiteAddresses::of(pages.iter().map(|page| &*page.head.url), tracking);
    let addresses = &Arc::new(addresses);
    let batches = batches(&pages, at_once);
    let all = WholeSite { key: &key, items: &items, addresses, config, clock };
    let mut others = OtherCopies::of(others);
    let sample = clock.read.time(|| spool.load(&key, sample(&pages, at_once)))?;
    // A panic on the way leaves every page to itself, as in a site of usual size.
    let learnt = catch_unwind(AssertUnwindSafe(|| all.learn(&sample))).ok();
    drop(sample);
    let (mut learnt, first) = match learnt {
        Some((learnt, first)) => (Some(learnt), first),
        None => (None, SiteResult::of_articles(&key, Vec::new())),
    };
    if done == 0 && hand(0, SiteResult { more: true, ..first }).is_break() {
        return Ok(());
    }
    let last = batches.len();
    for (number, batch) in (1..).zip(batches) {
        // What is held in memory is let go batch by batch.
        let stored: Vec<Stored> = pages.drain(..batch.len()).collect();
        let others = others.of_pages(&stored);
        if number < done {
            continue;
        }
        let pages = clock.read.time(|| spool.load(&key, stored))?;
        let prefix = format!("b{number}");
        let attempt = || {
            learnt
                .as_mut()
                .map(|Learnt { known, done }| all.extract(Some(known), done, &pages, &prefix))
        };
        let mut result = match catch_unwind(AssertUnwindSafe(attempt)) {
            Ok(Some(result)) => result,
            Ok(None) | Err(_) => {
                let (key, feed_items) = (key.clone(), Vec::new());
                process_apart(&Site { key, pages, feed_items }, config)
            }
        };
        let known = learnt.as_ref().map(|learnt| &learnt.known);
        others.give(&all, known, spool, &prefix, &mut result)?;
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

/// What the sample told.
struct Learnt {
    known: Known,
    /// What came of the pages that templates were learnt from, by address.
    done: BTreeMap<String, Outcome>,
}

impl WholeSite<'_> {
    /// Learns from a sample: gives that, and a result with templates and wrappers but no pages.
    fn learn(&self, sample: &[Page]) -> (Learnt, SiteResult) {
        let (config, clock) = (self.config, self.clock);
        let parsed = self.parse(sample);
        let site = self.joined(&parsed);
        let Clusters { templates: clusters, layouts } =
            clock.cluster.time(|| cluster(&site, &parsed, &config.cluster));
        let (mut templates, mut done) = (Vec::new(), BTreeMap::new());
        let (mut records, mut wrappers, mut articles) = (Vec::new(), Vec::new(), Vec::new());
        for template in clusters {
            let learnt = refusal(template.kind, config).is_none().then(|| {
                let (learnt, outcomes) = self.learn_one(&site, &template, &parsed);
                for (url, outcome) in outcomes {
                    if let Outcome::Article(article, _) = &outcome {
                        articles.push((**article).clone());
                    }
                    done.insert(url, outcome);
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
            templates.push(KnownTemplate { template, learnt });
        }
        let site_configs = if config.emit.sinks.contains(&SinkName::SiteConfig) {
            articles.sort_by(|a: &Article, b| a.url.cmp(&b.url));
            site_configs(&articles, &wrappers.iter().collect::<Vec<_>>(), &parsed)
        } else {
            Vec::new()
        };
        let record = SiteRecord::new(self.key, records, Vec::new());
        let empty = SiteResult::of_articles(self.key, Vec::new());
        let known = Known { layouts, templates };
        (Learnt { known, done }, SiteResult { record, site_configs, ..empty })
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
}
