//! Learns sites from pages in memory and applies models to single pages, for bindings and other callers without a run
//! folder. Results equal those of a run on the same pages.

use std::borrow::Cow;
use std::sync::Arc;

use config::memory::weight;
use grouping::{AddressDigest, PageHead, PagesByLink, SiteAddresses, join_feed_items};
use model::{CharacterCounts, FeedItem, Page, Site, contain_panics};
use rayon::prelude::*;
use segment::declared::{head_of, head_of_page, needs_heads};
use site::learn::{Surveyed, parse, sample};
use sitemodel::{
    Applied, ApplyOptions, LearningResult, NoMeter, Outcome, ParsedPage, Settings, SiblingPage,
    SiteEvidence, SiteModel, Way, learn_parsed, parse_page,
};

/// Learns the model of a site as a run does: from a sample of its pages, then from a sample of the pages that fit no
/// template. Templates of a `previous` model are learnt anew and keep their ids.
///
/// Parses each page up to three times and holds the trees of a sample at once. Works in the caller's thread pool.
pub fn learn(site: Site, previous: Option<&SiteModel>, settings: &Settings) -> SiteModel {
    let Site { key, pages, feed_items } = site;
    let heads: Option<Vec<PageHead>> =
        needs_heads(pages.iter().map(|page| &*page.url), &feed_items, settings)
            .then(|| pages.par_iter().map(|page| head_of_page(page, settings)).collect());
    let urls = pages.iter().map(|page| &*page.url);
    let surveyed = Surveyed::of(&key, urls, feed_items, heads.as_deref(), settings);
    let learning = InMemory { site: surveyed, pages, settings };
    let all: Vec<usize> = (0..learning.pages.len()).collect();
    let model = learning.learn_from(&all, previous);
    let left = learning.unassigned(&model);
    match left.is_empty() {
        true => model,
        false => learning.learn_from(&left, Some(&model)),
    }
}

struct InMemory<'a> {
    site: Surveyed,
    pages: Vec<Page>,
    settings: &'a Settings,
}

impl InMemory<'_> {
    fn learn_from(&self, pages: &[usize], previous: Option<&SiteModel>) -> SiteModel {
        let weights = pages.iter().map(|&at| (&*self.pages[at].url, weight(&self.pages[at].html)));
        let sample = sample(weights, self.settings);
        // Parsing takes pages with their indices, so they are copied.
        let lent: Vec<(usize, Page)> = (sample.chosen.iter())
            .map(|&chosen| (pages[chosen], self.pages[pages[chosen]].clone()))
            .collect();
        let parsed = parse(&lent, self.settings, &NoMeter);
        let items: Vec<Vec<&FeedItem>> =
            parsed.iter().map(|(at, _)| self.site.items_of(*at)).collect();
        let siblings: Vec<SiblingPage<'_>> = (parsed.iter().zip(&items))
            .filter_map(|((_, page), feed_items)| {
                Some(SiblingPage { page: page.as_ref().ok()?, feed_items })
            })
            .collect();
        let LearningResult { model, .. } =
            self.site.learn(&siblings, sample.cut_by_bytes, previous, &[], self.settings, &NoMeter);
        model
    }

    /// The pages that fit no template.
    fn unassigned(&self, model: &SiteModel) -> Vec<usize> {
        let is_left = |at: &usize| {
            let items = self.site.items_of(*at);
            let look = || {
                let parsed = parse_page(&self.pages[*at], self.settings);
                let sibling = SiblingPage { page: &parsed, feed_items: &items };
                model.is_unassigned(&sibling, self.settings)
            };
            contain_panics(look).unwrap_or(false)
        };
        (0..self.pages.len()).into_par_iter().filter(is_left).collect()
    }
}

/// The outcome of a page.
#[derive(Debug)]
pub struct AppliedPage {
    /// Its article, or the reason for having none.
    pub applied: Applied,
    /// Whether it fits no template of the model, and was extracted by itself.
    pub unassigned: bool,
}

impl AppliedPage {
    /// The outcome that [`sitemodel::ApplyStatistics`] counts: that of the model itself.
    pub fn seen(&self) -> Cow<'_, Applied> {
        match self.unassigned {
            false => Cow::Borrowed(&self.applied),
            true => Cow::Owned(Applied {
                outcome: Outcome::Unassigned,
                template: None,
                way: Way::Other,
                characters: CharacterCounts::default(),
                new_elements: Vec::new(),
            }),
        }
    }
}

/// Applies a model to a page; a page that fits no template is extracted by itself. Uses the feed items that link to the page.
/// The outcome depends on nothing else.
pub fn apply(
    model: &SiteModel,
    page: &Page,
    items: &[FeedItem],
    settings: &Settings,
) -> AppliedPage {
    let take = || {
        let parsed = parse_page(page, settings);
        let items = own_items(&parsed, items, model.addresses(), settings);
        let sibling = SiblingPage { page: &parsed, feed_items: &items };
        let applied = model.apply_parsed(&sibling, ApplyOptions::default(), settings, &NoMeter);
        match applied.outcome {
            Outcome::Unassigned => AppliedPage {
                applied: model.apply_alone(&sibling, ApplyOptions::default(), settings, &NoMeter),
                unassigned: true,
            },
            _ => AppliedPage { applied, unassigned: false },
        }
    };
    // If the parser panics, the model's own outcome says so.
    contain_panics(take).unwrap_or_else(|_| AppliedPage {
        applied: model.apply(page, &[], settings),
        unassigned: false,
    })
}

/// Extracts a page about whose site nothing is known.
pub fn extract(page: &Page, items: &[FeedItem], settings: &Settings) -> Applied {
    let addresses = AddressDigest::of(std::iter::once(&*page.url), settings.tracking());
    let evidence =
        SiteEvidence { site: &page.site, addresses: &addresses, cut: false, earlier: &[] };
    let LearningResult { model, .. } = learn_parsed(&evidence, &[], None, settings, &NoMeter);
    apply(&model, page, items, settings).applied
}

/// The feed items that link to this page rather than to another page of the site, such as its print version with the same
/// canonical address.
fn own_items<'a>(
    page: &ParsedPage<'_>,
    items: &'a [FeedItem],
    addresses: &AddressDigest,
    settings: &Settings,
) -> Vec<&'a FeedItem> {
    if items.is_empty() {
        return Vec::new();
    }
    let target = |link: &str| addresses.target(link, settings.tracking());
    let own = target(&page.page.url);
    let of_other = |item: &FeedItem| target(&item.link).is_some_and(|other| Some(other) != own);
    let url = std::iter::once(&*page.page.url);
    let site = Arc::new(SiteAddresses::of(url, settings.tracking().clone()));
    let links = PagesByLink::of(site, &[head_of(page, settings)]);
    let joined = join_feed_items(items, &links, 1);
    let joined = joined.iter().flatten().filter_map(|&item| items.get(item as usize));
    joined.filter(|item| !of_other(item)).collect()
}
