//! Pages of a site of which something was learnt before.

use std::collections::BTreeMap;
use std::sync::Arc;

use grouping::SiteAddresses;
use model::{Article, Drop, FeedItem, Page, Site, Stage, Template};
use rayon::prelude::*;
use sink::{BestWrapper, Letters, PageWork, SiteRecord, SiteResult, TemplateRecord};

use crate::config::Config;
use crate::known::{Known, KnownTemplate};
use crate::ledger::Clock;
use crate::parsed::{ParsedPage, parse_page};
use crate::parts::join_parts;
use crate::site::{
    best_by_hand, by_hand, feed_items_of, links_of, process_within, record_of, refusal, work_of,
};
use crate::stages::cluster::Joined;
use crate::stages::signify::Sibling;
use crate::template::{Outcome, drop_of};

/// What goes for a whole site, of which some pages are at hand.
#[derive(Debug)]
pub(crate) struct WholeSite<'a> {
    pub(crate) key: &'a str,
    pub(crate) items: &'a [FeedItem],
    pub(crate) addresses: &'a Arc<SiteAddresses>,
    pub(crate) config: &'a Config,
    pub(crate) clock: &'a Clock,
}

impl WholeSite<'_> {
    /// Parses pages.
    pub(crate) fn parse<'b>(&self, pages: &'b [Page]) -> Vec<ParsedPage<'b>> {
        let parse = |page: &'b Page| parse_page(page, self.config);
        self.clock.parse.time(|| pages.par_iter().map(parse).collect())
    }

    /// Pages joined to the feed items that point to them.
    pub(crate) fn joined(&self, pages: &[ParsedPage<'_>]) -> Joined<'_> {
        let links = links_of(pages, self.addresses);
        Joined::of(self.key, self.items, links, pages.len())
    }

    /// Extracts further pages; all as on a small site where nothing is known. What came of some of them already, by address, is taken from `done`.
    /// Templates that only these pages have are named with `prefix`.
    pub(crate) fn extract(
        &self,
        known: Option<&Known>,
        done: &mut BTreeMap<String, Outcome>,
        pages: &[Page],
        prefix: &str,
    ) -> SiteResult {
        let (config, clock) = (self.config, self.clock);
        let mut parsed = self.parse(pages);
        let mut work = work_of(&parsed);
        let links = links_of(&parsed, self.addresses);
        join_parts(&mut parsed, &links);
        let site = self.joined(&parsed);
        let assign = || match known {
            Some(known) => known.layouts.assign(&site, &parsed, &config.cluster),
            None => vec![None; parsed.len()],
        };
        let assigned: Vec<Option<usize>> = clock.cluster.time(assign);
        let templates = known.map_or(&[][..], |known| &known.templates);
        let mut came = Came::default();
        let mut records = Vec::new();
        for (at, KnownTemplate { template, learnt }) in templates.iter().enumerate() {
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
                match done.remove(&parsed[m as usize].page.url) {
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
        let unassigned = assigned.iter().zip(pages).filter(|(at, _)| at.is_none());
        let unassigned: Vec<Page> = unassigned.map(|(_, page)| page.clone()).collect();
        let mut result = SiteResult {
            record: SiteRecord::new(self.key, records, fixed),
            work,
            pages: pages.len(),
            letters: came.letters,
            ..SiteResult::of_articles(self.key, Vec::new())
        };
        if !unassigned.is_empty() {
            self.add_unassigned(unassigned, prefix, &mut came, &mut result);
        }
        result.best = best_by_hand(&came.articles, came.best);
        came.articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
        came.drops.sort();
        SiteResult { articles: came.articles, drops: came.drops, ..result }
    }

    /// Works on pages of unknown layouts as on a small site.
    fn add_unassigned(
        &self,
        pages: Vec<Page>,
        prefix: &str,
        came: &mut Came,
        result: &mut SiteResult,
    ) {
        let (key, feed_items) = (self.key.to_owned(), self.items.to_vec());
        let site = Site { key, pages, feed_items };
        let (mut own, _) = process_within(&site, self.addresses, self.config, self.clock);
        for article in &mut own.articles {
            article.template.insert_str(0, prefix);
        }
        own.record.prefix(prefix);
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

/// What came of the pages.
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

/// A template with its further pages; all else of it was told with those it was learnt from.
fn counted(template: &Template, members: Vec<u32>, parsed: &[ParsedPage<'_>]) -> TemplateRecord {
    record_of(&Template { members, ..template.clone() }, parsed, None, &[])
}
