//! The pages that a site may be learnt from tonight: those of tonight's sample, and those retained from earlier nights.
//! Retained captures of tonight's pages, read by the stored model, are evidence, too. Walls, which are served instead of the
//! site's pages, are kept out of what is learnt and retained.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use model::{DropReason, FeedItem, LostTexts, Page, RetainedHead, SharedWords};
use modelstore::{RETAIN, Retained, SiteState, Store, retain};
use sitemodel::{
    Applied, ApplyOptions, ApplyStatistics, EarlierReading, KnownPage, LearningResult,
    MIN_PAGES_FOR_VERDICT, Outcome, ParsedPage, SiblingPage, SiteModel, Way, agreement,
    find_lost_texts,
};

use crate::Work;
use crate::apply::{Outcomes, Unassigned};
use crate::learn::{ParsedPages, Surveyed, parse, sample};
use crate::texts::KnownTexts;
use crate::verdict::{OTHERS as OTHER_TEXTS, UsualLengths};

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

/// Agreement with earlier texts below which the texts of a template have changed.
pub(crate) const OTHERS: f64 = 0.97;

impl Work<'_> {
    /// Whether tonight's texts differ from the known texts of their addresses.
    pub(crate) fn texts_differ(&self, store: &Store, applied: &Outcomes) -> io::Result<bool> {
        let known = store.texts(&self.key).map_err(io::Error::other)?;
        let known = KnownTexts::of(known.as_deref());
        let articles = applied.values().filter_map(|applied| match &applied.outcome {
            Outcome::Article(article) => Some(&**article),
            Outcome::Drop(_) | Outcome::Unassigned => None,
        });
        Ok(known.differing(&known.known_of(articles)) >= OTHER_TEXTS)
    }

    /// Reads the earlier captures of tonight's pages with a model.
    pub(crate) fn earlier_readings(
        &self,
        store: &Store,
        model: &SiteModel,
        tonight: &[CandidatePage<'_>],
    ) -> io::Result<Vec<EarlierReading>> {
        let urls: BTreeSet<&str> = tonight.iter().map(CandidatePage::url).collect();
        let mut retained = store.sample(&self.key).map_err(io::Error::other)?;
        retained.retain(|own| urls.contains(&*own.page.url));
        let (items, pages): (Vec<Vec<FeedItem>>, Vec<Page>) =
            retained.into_iter().map(|own| (own.items, own.page)).unzip();
        let pages: Vec<(usize, Page)> = pages.into_iter().enumerate().collect();
        let parsed = parse(&pages, self.settings, self.clock);
        let again = retained_candidates(&parsed, &items, None, self);
        let applied = self.of_retained(model, &again);
        let reading = |(page, applied): (&CandidatePage<'_>, &Applied)| {
            let Outcome::Article(article) = &applied.outcome else { return None };
            Some(EarlierReading::of(page.sibling.0, article))
        };
        Ok(again.iter().zip(&applied).filter_map(reading).collect())
    }
}

/// Compares how outcomes and earlier captures of the same pages read the words that both have.
pub(crate) fn shared_words<'p>(
    earlier: &[EarlierReading],
    pages: impl Iterator<Item = &'p CandidatePage<'p>>,
    applied: &Outcomes,
) -> SharedWords {
    let mut all = SharedWords::default();
    for page in pages {
        let Some(reading) = earlier.iter().find(|own| own.url == page.url()) else { continue };
        let outcome = page.at.and_then(|at| applied.get(&at)).map(|applied| &applied.outcome);
        if let Some(Outcome::Article(article)) = outcome {
            all.add(&reading.compare(page.sibling.0, &article.text));
        }
    }
    all
}

/// Returns the ids of templates whose texts differ from those of earlier captures, although the words are still there.
pub(crate) fn changed_texts(
    earlier: &[EarlierReading],
    model: &SiteModel,
    tonight: &[CandidatePage<'_>],
    applied: &Outcomes,
) -> Vec<String> {
    let templates: BTreeSet<u32> = tonight.iter().filter_map(|page| page.template).collect();
    let is_changed = |template: &u32| {
        let of_template = tonight.iter().filter(|page| page.template == Some(*template));
        let shared = shared_words(earlier, of_template, applied);
        shared.pages >= MIN_PAGES_FOR_VERDICT
            && shared.mean_agreement().is_some_and(|own| own < OTHERS)
    };
    let changed = templates.into_iter().filter(is_changed);
    changed.filter_map(|at| template_id(model, at).map(str::to_owned)).collect()
}

/// Returns the numbers of the templates whose pages are all walls tonight.
fn only_walls(applied: &Outcomes) -> BTreeSet<u32> {
    let mut of: BTreeMap<u32, bool> = BTreeMap::new();
    for applied in applied.values() {
        if let Some(template) = applied.template {
            *of.entry(template).or_insert(true) &= is_wall(applied);
        }
    }
    of.into_iter().filter(|(_, only)| *only).map(|(template, _)| template).collect()
}

/// Hashes of the lines of notices, by number of the template.
type Notices = BTreeMap<u32, BTreeSet<u64>>;

/// Number of standard errors by which texts must be shorter if no phrase names what stands in their place.
const ERRORS: f64 = 3.0;

/// The logarithm of the length of a page's text, 0 without one.
fn length(applied: Option<&Applied>) -> f64 {
    match applied.map(|applied| &applied.outcome) {
        Some(Outcome::Article(article)) => libm::log(f64::from(article.word_count) + 1.0),
        _ => 0.0,
    }
}

/// Whether texts are shorter than those of usual nights.
fn are_shorter(usual: &UsualLengths, applied: &Outcomes) -> bool {
    let length = |applied: &Applied| {
        let is_text = match &applied.outcome {
            Outcome::Article(_) => true,
            Outcome::Drop(drop) => {
                matches!(drop.reason, DropReason::NoContent | DropReason::NoArticle)
            }
            Outcome::Unassigned => false,
        };
        is_text.then(|| length(Some(applied)))
    };
    let lengths: Vec<f64> = applied.values().filter_map(length).collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    lengths.len() as u64 >= MIN_PAGES_FOR_VERDICT && usual.is_shorter(mean, lengths.len(), 0.0)
}

impl Work<'_> {
    /// Finds the pages of each template that have lost their texts, compared with retained pages, and removes them from
    /// what is learnt from and assessed. `None` if there is no reason to look, or in doubt. Pages whose articles are not
    /// shorter than usual have lost nothing: what they lack are comments, teasers or captions. Also returns the lines of notices in
    /// place of the texts, by number of the template.
    pub(crate) fn lost_texts(
        &self,
        (store, site): (&Store, &Surveyed),
        model: &SiteModel,
        learnt_from_walls: &[String],
        (tonight, applied): (&mut Vec<CandidatePage<'_>>, &mut Outcomes),
    ) -> io::Result<(Option<Vec<LostTexts>>, Notices)> {
        let unassigned = tonight.iter().filter(|page| page.is_unassigned).count() as u64;
        let night = self.date().map(|date| date.to_string()).unwrap_or_default();
        let history = store.history(&self.key, &night).map_err(io::Error::other)?;
        let Some(usual) = UsualLengths::of(&history) else {
            return Ok((None, Notices::new()));
        };
        let calls = applied.values().any(is_wall)
            || unassigned >= MIN_PAGES_FOR_VERDICT
            || are_shorter(&usual, applied);
        if !calls {
            return Ok((None, Notices::new()));
        }
        let mut retained = store.sample(&self.key).map_err(io::Error::other)?;
        retained.retain(|own| !learnt_from_walls.contains(&own.template));
        let retained: Vec<_> = retained.into_iter().map(|own| own.page).enumerate().collect();
        let retained = parse(&retained, self.settings, self.clock);
        let earlier: Vec<&ParsedPage<'_>> =
            retained.iter().filter_map(|(_, page)| page.as_ref().ok()).collect();
        if earlier.is_empty() {
            return Ok((None, Notices::new()));
        }
        let (mut all, mut notices) = (Vec::new(), Notices::new());
        let (mut is_doubtful, of) = (false, tonight.len() as u64);
        let templates: BTreeSet<Option<u32>> = tonight.iter().map(|page| page.template).collect();
        for template in templates {
            let own: Vec<&CandidatePage<'_>> =
                tonight.iter().filter(|page| page.template == template).collect();
            let pages: Vec<&ParsedPage<'_>> = own.iter().map(|page| page.sibling.0).collect();
            let Some(lost) = find_lost_texts(&pages, &earlier) else { continue };
            let mut alone = Outcomes::new();
            if template.is_none() {
                self.apply_alone(site, model, tonight, &mut alone);
            }
            let outcome = |at| alone.get(&at).or_else(|| applied.get(&at));
            // Pages without a notice were chosen because they are short, so the others of the template count, too.
            let some = own.iter().enumerate();
            let some = some.filter(|(at, _)| lost.texts.kind.is_none() || lost.pages.contains(at));
            let mut lengths: Vec<f64> =
                some.map(|(_, page)| length(page.at.and_then(outcome))).collect();
            lengths.sort_by(f64::total_cmp);
            let is_named = lost.texts.kind.is_some_and(|kind| kind != DropReason::DuplicateText);
            let errors = if is_named { 0.0 } else { ERRORS };
            if !usual.is_shorter(lengths[(lengths.len() - 1) / 2], lengths.len(), errors) {
                is_doubtful |= lost.texts.kind.is_some();
                continue;
            }
            let id = template.and_then(|number| template_id(model, number)).unwrap_or_default();
            let without: BTreeSet<Option<usize>> =
                lost.pages.iter().map(|&at| own[at].at).collect();
            all.push(LostTexts { template: id.to_owned(), of, ..lost.texts });
            notices.extend(template.map(|number| (number, lost.notice)));
            tonight.retain(|page| !without.contains(&page.at));
            applied.retain(|at, _| !without.contains(&Some(*at)));
        }
        // If there may be a notice, it is no remainder of lost texts.
        Ok(((!is_doubtful || !all.is_empty()).then_some(all), notices))
    }

    /// Returns tonight's walls, and the templates, except `known` ones, that give nothing but walls, from tonight's pages
    /// and from retained ones.
    pub(crate) fn walls(
        &self,
        model: &SiteModel,
        known: &BTreeSet<&str>,
        applied: &Outcomes,
        again: &[CandidatePage<'_>],
    ) -> Walls {
        let pages = wall_pages(applied);
        let mut walls = only_walls(applied);
        walls.retain(|at| template_id(model, *at).is_some_and(|id| !known.contains(id)));
        if walls.is_empty() {
            return Walls { pages, templates: Vec::new() };
        }
        for applied in self.of_retained(model, again) {
            if let Some(template) = applied.template.filter(|_| !is_wall(&applied)) {
                walls.remove(&template);
            }
        }
        Walls { pages, templates: ids(model, &walls) }
    }

    /// Returns the ids of templates that were learnt from walls: both tonight's pages and the retained ones that they
    /// were learnt from are all walls.
    pub(crate) fn learnt_from_walls(
        &self,
        store: &Store,
        state: &SiteState,
        model: &SiteModel,
        applied: &Outcomes,
    ) -> io::Result<Vec<String>> {
        let retained: BTreeSet<&str> = state.retained.iter().map(|head| &*head.template).collect();
        let mut walls = only_walls(applied);
        walls.retain(|at| template_id(model, *at).is_some_and(|id| retained.contains(id)));
        if walls.is_empty() {
            return Ok(Vec::new());
        }
        let (items, pages) = self.retained(store, state)?;
        let again = parse(&pages, self.settings, self.clock);
        let again = retained_candidates(&again, &items, None, self);
        let again = self.of_retained(model, &again);
        walls.retain(|template| {
            let mut own = again.iter().filter(|applied| applied.template == Some(*template));
            own.clone().next().is_some() && own.all(is_wall)
        });
        Ok(ids(model, &walls))
    }

    fn of_retained(&self, model: &SiteModel, again: &[CandidatePage<'_>]) -> Vec<Applied> {
        let hints = ApplyOptions::default();
        let one = |page: &CandidatePage<'_>| {
            model.apply_parsed(&page.sibling(), hints, self.settings, self.clock)
        };
        again.iter().map(one).collect()
    }
}

fn ids(model: &SiteModel, numbers: &BTreeSet<u32>) -> Vec<String> {
    let of = numbers.iter().filter_map(|number| template_id(model, *number));
    of.map(str::to_owned).collect()
}
