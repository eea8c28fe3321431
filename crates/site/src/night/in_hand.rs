//! The pages that a site may be learnt from tonight: those of tonight's sample, and those retained from earlier nights.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use model::{FeedItem, Page, RetainedHead};
use modelstore::{RETAIN, Retained, SiteState, Store, retain};
use sitemodel::{
    Applied, ApplyOptions, ApplyStatistics, EarlierReading, KnownPage, LearningResult,
    MIN_PAGES_FOR_VERDICT, Outcome, ParsedPage, SiblingPage, SiteModel, Way, agreement,
};

use crate::Work;
use crate::apply::{Outcomes, Unassigned};
use crate::learn::{ParsedPages, Surveyed, sample};

/// Pages of a template that are also extracted by themselves, if one of the first disagrees with the model.
const MOST_COMPARED: usize = 6;
/// Agreement below which a page disagrees.
const DISPUTED: f64 = 0.9;

pub(crate) struct CandidatePage<'a> {
    /// Index of the page in the site; `None` for a retained page.
    pub(crate) at: Option<usize>,
    pub(crate) sibling: (&'a ParsedPage<'a>, Vec<&'a FeedItem>),
    /// Number of its template in the stored model.
    pub(crate) template: Option<u32>,
    /// Whether the stored model has no place for it.
    pub(crate) is_unassigned: bool,
}

/// Pages and templates that are not retained, because they are walls.
pub(crate) struct Walls {
    pub(crate) pages: BTreeSet<usize>,
    /// Ids of templates that give nothing but walls.
    pub(crate) templates: Vec<String>,
}

pub(crate) fn is_wall(applied: &Applied) -> bool {
    matches!(&applied.outcome, Outcome::Drop(drop) if drop.reason.is_wall())
}

pub(crate) fn wall_pages(applied: &Outcomes) -> BTreeSet<usize> {
    applied.iter().filter(|(_, applied)| is_wall(applied)).map(|(at, _)| *at).collect()
}

/// The id of the template with this number.
pub(crate) fn template_id(model: &SiteModel, number: u32) -> Option<&str> {
    model.templates().get(number as usize).map(|template| &*template.id)
}

impl CandidatePage<'_> {
    pub(crate) fn url(&self) -> &str {
        &self.sibling.0.page.url
    }

    pub(crate) fn sibling(&self) -> SiblingPage<'_> {
        SiblingPage { page: self.sibling.0, feed_items: &self.sibling.1 }
    }
}

impl Work<'_> {
    /// Returns tonight's sample, and whether the limit in bytes cut it short.
    pub(crate) fn tonight<'p>(
        &self,
        site: &'p Surveyed,
        parsed: &'p ParsedPages<'_>,
    ) -> (Vec<CandidatePage<'p>>, bool) {
        let good: Vec<(usize, &ParsedPage<'_>)> =
            parsed.iter().filter_map(|(at, page)| Some((*at, page.as_ref().ok()?))).collect();
        let weights = good.iter().map(|(at, page)| (&*page.page.url, self.pages[*at].head.weight));
        let sample = sample(weights, self.settings);
        let page = |&chosen: &usize| {
            let (at, page) = good[chosen];
            CandidatePage {
                at: Some(at),
                sibling: (page, site.items_of(at)),
                template: None,
                is_unassigned: false,
            }
        };
        (sample.chosen.iter().map(page).collect(), sample.cut_by_bytes)
    }

    /// Returns the retained pages whose addresses tonight's pages do not have, with the feed items that pointed to them.
    #[expect(clippy::type_complexity, reason = "two lists of one length")]
    pub(crate) fn retained(
        &self,
        store: &Store,
        state: &SiteState,
    ) -> io::Result<(Vec<Vec<FeedItem>>, Vec<(usize, Page)>)> {
        if state.retained.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let tonight: BTreeSet<&str> = self.pages.iter().map(|page| &*page.head.url).collect();
        let mut pages = store.sample(&self.key).map_err(io::Error::other)?;
        pages.retain(|retained| !tonight.contains(&*retained.page.url));
        let (items, pages) = pages.into_iter().map(|own| (own.items, own.page)).unzip();
        let pages: Vec<Page> = pages;
        Ok((items, pages.into_iter().enumerate().collect()))
    }

    /// Learns from pages in hand. Also returns what learning found out about tonight's pages, by index.
    pub(crate) fn learn_from_candidates(
        &self,
        site: &Surveyed,
        hand: &[&CandidatePage<'_>],
        cut: bool,
        previous: Option<&SiteModel>,
        earlier: &[EarlierReading],
    ) -> (SiteModel, BTreeMap<usize, KnownPage>) {
        let siblings: Vec<SiblingPage<'_>> = hand.iter().map(|page| page.sibling()).collect();
        let LearningResult { model, known } =
            site.learn(&siblings, cut, previous, earlier, self.settings, self.clock);
        let known = hand.iter().zip(known).filter_map(|(page, known)| Some((page.at?, known)));
        (model, known.collect())
    }

    pub(crate) fn apply_to(
        &self,
        site: &Surveyed,
        model: &SiteModel,
        tonight: &[CandidatePage<'_>],
        known: &BTreeMap<usize, KnownPage>,
    ) -> Outcomes {
        let pages: Vec<(usize, &ParsedPage<'_>)> =
            tonight.iter().filter_map(|page| Some((page.at?, page.sibling.0))).collect();
        self.applying(site, model).each(&pages, known, Unassigned::Wait)
    }

    /// Extracts by itself each of tonight's pages for which a model has no template.
    pub(crate) fn apply_alone(
        &self,
        site: &Surveyed,
        model: &SiteModel,
        tonight: &[CandidatePage<'_>],
        applied: &mut Outcomes,
    ) {
        let left = tonight.iter().filter(|page| page.is_unassigned);
        let pages: Vec<(usize, &ParsedPage<'_>)> =
            left.filter_map(|page| Some((page.at?, page.sibling.0))).collect();
        let applying = self.applying(site, model);
        applied.extend(applying.each(&pages, &BTreeMap::new(), Unassigned::Alone));
    }

    /// Returns the statistics of applying a model to tonight's sample. Of the first `compared` pages of each template
    /// with enough pages to tell, those that did not take the fast path are also extracted by themselves and compared.
    /// The texts of these extractions are returned too, by index.
    pub(crate) fn seen(
        &self,
        model: &SiteModel,
        tonight: &[CandidatePage<'_>],
        applied: &Outcomes,
        compared: Option<usize>,
    ) -> (ApplyStatistics, BTreeMap<usize, String>) {
        let mut seen = ApplyStatistics::default();
        applied.values().for_each(|applied| seen.add(applied));
        let mut of_templates: BTreeMap<u32, Vec<&CandidatePage<'_>>> = BTreeMap::new();
        for page in tonight {
            if let Some(template) = page.template {
                of_templates.entry(template).or_default().push(page);
            }
        }
        let mut texts = BTreeMap::new();
        let enough = |pages: &&Vec<&CandidatePage<'_>>| pages.len() as u64 >= MIN_PAGES_FOR_VERDICT;
        for own in of_templates.values().filter(enough) {
            let mut disputed = false;
            for (count, page) in own.iter().enumerate() {
                // More pages are compared if one of the first disagrees.
                if count >= compared.map_or(0, |most| if disputed { MOST_COMPARED } else { most }) {
                    break;
                }
                let Some((at, own)) = page.at.and_then(|at| Some((at, applied.get(&at)?))) else {
                    continue;
                };
                // Pages on the fast path resemble the sample, so comparing them adds no information.
                if own.way == Way::FastPath && !disputed {
                    continue;
                }
                let alone = model.apply_alone(
                    &page.sibling(),
                    ApplyOptions::default(),
                    self.settings,
                    self.clock,
                );
                seen.compare(own, &alone);
                if let Outcome::Article(article) = alone.outcome {
                    let text = match &own.outcome {
                        Outcome::Article(own) => &*own.text,
                        Outcome::Drop(_) | Outcome::Unassigned => "",
                    };
                    disputed |= agreement(text, &article.text) < DISPUTED;
                    texts.insert(at, article.article.text);
                }
            }
        }
        (seen, texts)
    }

    /// Chooses the pages to retain, with the ids of a model's templates and without walls; `None` if they stay as they are.
    /// `again` has the retained pages, if they were unpacked.
    pub(crate) fn to_retain(
        &self,
        store: &Store,
        state: &SiteState,
        tonight: &[CandidatePage<'_>],
        again: &[CandidatePage<'_>],
        (model, applied, walls): (&SiteModel, &Outcomes, &Walls),
        is_gone: &dyn Fn(&RetainedHead) -> bool,
    ) -> io::Result<Option<Vec<Retained>>> {
        let id = |page: &CandidatePage<'_>| {
            // Finding the template reads the whole page; applying the model has already done so.
            let known = page.at.and_then(|at| applied.get(&at)?.template);
            let number = known.or_else(|| model.template_of(&page.sibling(), self.settings));
            number.and_then(|number| template_id(model, number)).unwrap_or_default().to_owned()
        };
        let renamed: BTreeMap<&str, String> =
            again.iter().map(|page| (&*page.sibling.0.page.url, id(page))).collect();
        let mut heads: Vec<RetainedHead> = Vec::new();
        for head in state.retained.iter().filter(|head| !is_gone(head)) {
            let template = renamed.get(&*head.url).cloned();
            let template = template.unwrap_or_else(|| head.template.clone());
            if !walls.templates.contains(&template) {
                heads.push(RetainedHead { template, ..head.clone() });
            }
        }
        let of_store = heads.len();
        let is_wall =
            |page: &&CandidatePage<'_>| page.at.is_some_and(|at| walls.pages.contains(&at));
        let tonight: Vec<&CandidatePage<'_>> =
            tonight.iter().filter(|page| !is_wall(page)).collect();
        for page in &tonight {
            let of = page.sibling.0.page;
            heads.push(RetainedHead {
                url: of.url.clone(),
                template: id(page),
                fetched: of.fetched.map(|at| at.to_string()).unwrap_or_default(),
                html_bytes: of.html.len() as u64,
            });
        }
        let kept = retain(&heads, RETAIN);
        let mut sorted: Vec<&RetainedHead> = kept.iter().map(|&at| &heads[at]).collect();
        sorted.sort_by(|a, b| a.url.cmp(&b.url));
        if sorted.len() == state.retained.len()
            && sorted.iter().zip(&state.retained).all(|(new, old)| **new == *old)
        {
            return Ok(None);
        }
        let stored = match kept.iter().any(|&at| at < of_store) {
            true => store.sample(&self.key).map_err(io::Error::other)?,
            false => Vec::new(),
        };
        let mut stored: BTreeMap<String, Retained> =
            stored.into_iter().map(|own| (own.page.url.clone(), own)).collect();
        let page = |&at: &usize| {
            let template = heads[at].template.clone();
            if at < of_store {
                return Some(Retained { template, ..stored.remove(&heads[at].url)? });
            }
            let (page, items) = &tonight[at - of_store].sibling;
            let items = items.iter().map(|item| (*item).clone()).collect();
            Some(Retained { template, page: page.page.clone(), items })
        };
        Ok(Some(kept.iter().filter_map(page).collect()))
    }
}

/// Returns retained pages as candidates, with their templates in a model, if there is one.
pub(crate) fn retained_candidates<'p>(
    parsed: &'p ParsedPages<'_>,
    items: &'p [Vec<FeedItem>],
    model: Option<&SiteModel>,
    work: &Work<'_>,
) -> Vec<CandidatePage<'p>> {
    let page = |(at, page): &'p (usize, Result<ParsedPage<'_>, &Page>)| {
        let page = page.as_ref().ok()?;
        let items: Vec<&FeedItem> = items.get(*at).into_iter().flatten().collect();
        let mut own = CandidatePage {
            at: None,
            sibling: (page, items),
            template: None,
            is_unassigned: false,
        };
        if let Some(model) = model {
            own.template = model.template_of(&own.sibling(), work.settings);
            own.is_unassigned = model.is_unassigned(&own.sibling(), work.settings);
        }
        Some(own)
    };
    parsed.iter().filter_map(page).collect()
}
