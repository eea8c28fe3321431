//! Keeps walls, which are served instead of the site's pages, out of what is learnt and retained.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use model::{DropReason, LostTexts};
use modelstore::{SiteState, Store};
use sitemodel::{
    Applied, ApplyOptions, MIN_PAGES_FOR_VERDICT, Outcome, ParsedPage, SiteModel, find_lost_texts,
};

use crate::Work;
use crate::apply::Outcomes;
use crate::learn::{Surveyed, parse};
use crate::night::in_hand::{
    CandidatePage, Walls, is_wall, retained_candidates, template_id, wall_pages,
};
use crate::verdict::UsualLengths;

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
