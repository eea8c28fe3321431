//! Keeps walls, which are served instead of the site's pages, out of what is learnt and retained.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use model::{DropReason, LostTexts, Verdict};
use modelstore::{SiteState, Store};
use sitemodel::{
    Applied, ApplyOptions, MIN_PAGES_FOR_VERDICT, Outcome, ParsedPage, SiteModel, find_lost_texts,
};

use crate::Work;
use crate::apply::Outcomes;
use crate::learn::parse;
use crate::night::in_hand::{
    CandidatePage, Walls, is_wall, retained_candidates, template_id, wall_pages,
};

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
pub(crate) type Notices = BTreeMap<u32, BTreeSet<u64>>;

/// Ratio of the lengths of tonight's texts to the usual ones below which lost texts are looked for.
const SHORTER: f64 = 0.8;

impl Work<'_> {
    /// Finds the pages of each template that have lost their texts, compared with retained pages, and removes them from
    /// what is learnt from and assessed. `None` if there is no reason to look. Also returns the lines of notices in place of the
    /// texts, by number of the template.
    pub(crate) fn lost_texts(
        &self,
        store: &Store,
        model: &SiteModel,
        learnt_from_walls: &[String],
        (tonight, applied): (&mut Vec<CandidatePage<'_>>, &mut Outcomes),
    ) -> io::Result<(Option<Vec<LostTexts>>, Notices)> {
        let unassigned = tonight.iter().filter(|page| page.is_unassigned).count() as u64;
        let calls = applied.values().any(is_wall)
            || unassigned >= MIN_PAGES_FOR_VERDICT
            || self.are_shorter(store, applied)?;
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
        let (mut all, mut notices, of) = (Vec::new(), Notices::new(), tonight.len() as u64);
        let templates: BTreeSet<Option<u32>> = tonight.iter().map(|page| page.template).collect();
        for template in templates {
            let own: Vec<&CandidatePage<'_>> =
                tonight.iter().filter(|page| page.template == template).collect();
            let pages: Vec<&ParsedPage<'_>> = own.iter().map(|page| page.sibling.0).collect();
            let Some(lost) = find_lost_texts(&pages, &earlier) else { continue };
            let id = template.and_then(|number| template_id(model, number)).unwrap_or_default();
            let without: BTreeSet<Option<usize>> =
                lost.pages.iter().map(|&at| own[at].at).collect();
            all.push(LostTexts { template: id.to_owned(), of, ..lost.texts });
            notices.extend(template.map(|number| (number, lost.notice)));
            tonight.retain(|page| !without.contains(&page.at));
            applied.retain(|at, _| !without.contains(&Some(*at)));
        }
        Ok((Some(all), notices))
    }

    /// Whether texts are shorter than those of earlier nights.
    fn are_shorter(&self, store: &Store, applied: &Outcomes) -> io::Result<bool> {
        let night = self.date().map(|date| date.to_string()).unwrap_or_default();
        let history = store.history(&self.key, &night).map_err(io::Error::other)?;
        let usual = history.iter().filter(|past| past.verdict < Verdict::Blocked);
        let usual = usual.fold((0.0, 0), |(lengths, articles), past| {
            (lengths + past.figures.lengths[0], articles + past.figures.articles)
        });
        let length = |applied: &Applied| match &applied.outcome {
            Outcome::Article(article) => Some(libm::log(f64::from(article.word_count) + 1.0)),
            Outcome::Drop(drop) => {
                let is_lost = matches!(drop.reason, DropReason::NoContent | DropReason::NoArticle);
                is_lost.then_some(0.0)
            }
            Outcome::Unassigned => None,
        };
        let lengths: Vec<f64> = applied.values().filter_map(length).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        Ok(lengths.len() as u64 >= MIN_PAGES_FOR_VERDICT
            && usual.1 > 0
            && mean <= usual.0 / usual.1 as f64 + libm::log(SHORTER))
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

    pub(crate) fn of_retained(
        &self,
        model: &SiteModel,
        again: &[CandidatePage<'_>],
    ) -> Vec<Applied> {
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
