//! Stage 3, cluster.
//!
//! Takes: the parsed pages of a site and which feed items point to them.
//! Gives: templates, each with its pages and what they are for (article, list, other).
//! Why: Forest ranks patterns over pages of one layout; over mixed layouts it is lost (F1 30).
//! Drops: nothing itself; the run drops pages of list and other templates by their kind.

use std::collections::BTreeSet;

use dom::local_name;
use grouping::{Address, PagesByLink, join_feed_items as join};
use model::{FeedItem, Template, TemplateKind};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;

use crate::config::ClusterConfig;
use crate::layouts::{Layout, Likeness, group_by_layout, similarity};
use crate::page_kind::{Evidence, Impression, Middle, impression, kinds};
use crate::parsed::{ParsedPage, layout_of, recurring_tokens};

/// Members that stand for a layout when a page is compared with it.
const CORE: usize = 8;

/// A site's feed items joined to its pages.
#[derive(Debug)]
pub struct Joined<'a> {
    /// Key of the site.
    pub key: &'a str,
    /// The feed items that lead to the site.
    pub feed_items: &'a [FeedItem],
    /// Per page the indices of the items that point to it.
    pub pages: Vec<Vec<u32>>,
    /// The pages by the links that lead to them.
    pub links: PagesByLink,
}

impl<'a> Joined<'a> {
    /// Joins so many pages to the feed items of the site.
    pub fn of(key: &'a str, feed_items: &'a [FeedItem], links: PagesByLink, pages: usize) -> Self {
        Self { key, feed_items, pages: join(feed_items, &links, pages), links }
    }
}

/// The layouts of a site.
#[derive(Debug)]
pub struct Clusters {
    /// Each layout's pages by kind.
    pub templates: Vec<Template>,
    /// What tells them.
    pub(crate) layouts: Layouts,
}

/// What tells to which template a further page of the site belongs. It borrows nothing of the pages.
#[derive(Debug)]
pub(crate) struct Layouts {
    pub(crate) recurring: FxHashSet<u64>,
    known: Vec<KnownLayout>,
}

/// A layout: a few of its pages, how they look, and its templates by kind.
#[derive(Debug)]
struct KnownLayout {
    core: Vec<(Vec<u64>, Vec<u32>)>,
    middle: Middle,
    templates: Vec<(TemplateKind, usize)>,
}

/// Separates the layouts of a site. `pages` are the site's pages in the site's order.
pub fn cluster(site: &Joined<'_>, pages: &[ParsedPage<'_>], config: &ClusterConfig) -> Clusters {
    let recurring = recurring_tokens(pages);
    let looks = look(site, pages, &recurring, config);
    let (mut templates, mut known) = (Vec::new(), Vec::new());
    for members in layouts(pages, &looks, config) {
        let core = members.iter().take(CORE).map(|&m| m as usize);
        let core = core.map(|m| (looks.paths[m].clone(), looks.feeds[m].clone())).collect();
        let impressions: Vec<Impression> =
            members.iter().map(|&m| looks.impressions[m as usize]).collect();
        let middle = Middle::of(&impressions);
        let mut of_kinds = Vec::new();
        for (kind, members) in split_by_kind(members, &looks.impressions) {
            of_kinds.push((kind, templates.len()));
            templates.push(template(templates.len(), site.key, kind, members, &looks));
        }
        known.push(KnownLayout { core, middle, templates: of_kinds });
    }
    Clusters { templates, layouts: Layouts { recurring, known } }
}

impl Layouts {
    /// The templates of further pages, by number; none for one that is of an unknown layout, or of a
    /// kind that its layout did not have.
    pub(crate) fn assign(
        &self,
        site: &Joined<'_>,
        pages: &[ParsedPage<'_>],
        config: &ClusterConfig,
    ) -> Vec<Option<usize>> {
        let looks = look(site, pages, &self.recurring, config);
        let assign = |at: usize| {
            let (paths, feeds) = (&looks.paths[at], &looks.feeds[at]);
            let page = Layout { paths, url: &pages[at].page.url, feeds };
            self.template_of(&page, &looks.impressions[at], config)
        };
        (0..pages.len()).into_par_iter().map(assign).collect()
    }

    fn template_of(
        &self,
        page: &Layout<'_>,
        impression: &Impression,
        config: &ClusterConfig,
    ) -> Option<usize> {
        let likeness = likeness(config);
        let mean = |layout: &KnownLayout| {
            let of = |(paths, feeds): &(Vec<u64>, Vec<u32>)| {
                similarity(page, &Layout { paths, url: "", feeds }, &likeness)
            };
            layout.core.iter().map(of).sum::<f64>() / layout.core.len().max(1) as f64
        };
        let (mut best, mut most) = (None, f64::MIN);
        for layout in &self.known {
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

/// A template by its number.
fn template(
    at: usize,
    site: &str,
    kind: TemplateKind,
    members: Vec<u32>,
    looks: &Looks,
) -> Template {
    Template {
        id: format!("t{}", at + 1),
        site: site.to_owned(),
        kind,
        signature: signature(&members, &looks.paths),
        members,
    }
}

/// How pages look.
#[derive(Debug)]
struct Looks {
    /// Hashes of each page's tag paths.
    paths: Vec<Vec<u64>>,
    /// Per page the feeds that list it.
    feeds: Vec<Vec<u32>>,
    /// What each page is taken for by itself.
    impressions: Vec<Impression>,
}

/// Looks at pages of a site.
fn look(
    site: &Joined<'_>,
    pages: &[ParsedPage<'_>],
    recurring: &FxHashSet<u64>,
    config: &ClusterConfig,
) -> Looks {
    let feeds = feeds_of_pages(site);
    let paths: Vec<Vec<u64>> = pages.par_iter().map(|page| layout_of(page, recurring)).collect();
    let mut impressions: Vec<Impression> = pages
        .par_iter()
        .zip(&feeds)
        .map(|(page, feeds)| {
            let listed_by_feed = !feeds.is_empty();
            let pages_below = site.links.site().below(&page.page.url);
            let min_words = config.min_words;
            impression(page, &Evidence { listed_by_feed, pages_below, min_words })
        })
        .collect();
    prove(&mut impressions, pages, &site.links);
    Looks { paths, feeds, impressions }
}

/// How alike pages of one layout are, by the settings.
fn likeness(config: &ClusterConfig) -> Likeness {
    Likeness { threshold: config.similarity, feed_bonus: config.feed_bonus, sample: config.sample }
}

/// The pages of each layout.
fn layouts(pages: &[ParsedPage<'_>], looks: &Looks, config: &ClusterConfig) -> Vec<Vec<u32>> {
    let layouts: Vec<Layout<'_>> = pages
        .iter()
        .zip(looks.paths.iter().zip(&looks.feeds))
        .map(|(p, (paths, feeds))| Layout { paths, url: &p.page.url, feeds })
        .collect();
    group_by_layout(&layouts, &likeness(config))
}

/// A list leads to at least so many other pages of the crawl.
const LEADS_TO: usize = 3;

/// Finds out which of the pages that look like lists lead to other pages of the crawl.
fn prove(impressions: &mut [Impression], pages: &[ParsedPage<'_>], links: &PagesByLink) {
    for (impression, page) in impressions.iter_mut().zip(pages) {
        if impression.needs_proof() {
            *impression = impression.with_proof(leads_on(page, links));
        }
    }
}

fn leads_on(page: &ParsedPage<'_>, links: &PagesByLink) -> bool {
    let Ok(base) = Url::parse(&page.page.url) else { return false };
    let own = links.meant_by(&page.page.url);
    let document = &page.document;
    let anchors = document.ids().filter(|&id| document.is(id, &local_name!("a")));
    let mut found: BTreeSet<&Address> = BTreeSet::new();
    for href in anchors.filter_map(|id| document.attribute(id, &local_name!("href"))) {
        let to = base.join(href).ok();
        let to = to.and_then(|url| links.meant_by(url.as_str()));
        found.extend(to.filter(|to| Some(*to) != own));
        if found.len() >= LEADS_TO {
            return true;
        }
    }
    false
}

/// Sets the pages of a layout apart by kind, the most numerous first.
fn split_by_kind(
    members: Vec<u32>,
    impressions: &[Impression],
) -> impl Iterator<Item = (TemplateKind, Vec<u32>)> {
    let of_members: Vec<Impression> = members.iter().map(|&m| impressions[m as usize]).collect();
    let kinds = kinds(&of_members);
    let of =
        |kind| members.iter().zip(&kinds).filter(|(_, k)| **k == kind).map(|(&m, _)| m).collect();
    let mut parts: Vec<(TemplateKind, Vec<u32>)> =
        [TemplateKind::Article, TemplateKind::List, TemplateKind::Other]
            .into_iter()
            .map(|kind| (kind, of(kind)))
            .filter(|(_, members): &(_, Vec<u32>)| !members.is_empty())
            .collect();
    parts.sort_by_key(|(_, members)| (std::cmp::Reverse(members.len()), members[0]));
    parts.into_iter()
}

/// Per page the feeds that list it, as sorted numbers.
fn feeds_of_pages(site: &Joined<'_>) -> Vec<Vec<u32>> {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let numbered: Vec<u32> = site
        .feed_items
        .iter()
        .map(|item| {
            let next = numbers.len() as u32;
            *numbers.entry(item.feed.as_str()).or_insert(next)
        })
        .collect();
    site.pages
        .iter()
        .map(|items| {
            let mut feeds: Vec<u32> = items.iter().map(|&i| numbered[i as usize]).collect();
            feeds.sort_unstable();
            feeds.dedup();
            feeds
        })
        .collect()
}

/// A hash of the tag paths that more than half of the members have.
fn signature(members: &[u32], paths: &[Vec<u64>]) -> u64 {
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for &member in members {
        for &path in &paths[member as usize] {
            *counts.entry(path).or_default() += 1;
        }
    }
    let shared = counts.iter().filter(|(_, count)| **count as usize * 2 > members.len());
    // A sum does not depend on the map's order.
    shared.fold(0, |sum, (path, _)| sum.wrapping_add(path.wrapping_mul(*path | 1)))
}
