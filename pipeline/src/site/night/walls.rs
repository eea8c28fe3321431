//! What a site serves instead of its pages is not learnt from, and not retained.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use modelstore::{SiteState, Store};
use sitemodel::{Applied, ApplyOptions, SiteModel};

use crate::site::Work;
use crate::site::night::in_hand::{
    CandidatePage, Walls, is_wall, retained_candidates, template_id, wall_pages,
};
use crate::stages::apply::Outcomes;
use crate::stages::learn::parse;

/// The numbers of the templates of which tonight only walls come.
fn only_walls(applied: &Outcomes) -> BTreeSet<u32> {
    let mut of: BTreeMap<u32, bool> = BTreeMap::new();
    for applied in applied.values() {
        if let Some(template) = applied.template {
            *of.entry(template).or_insert(true) &= is_wall(applied);
        }
    }
    of.into_iter().filter(|(_, only)| *only).map(|(template, _)| template).collect()
}

impl Work<'_> {
    /// Tonight's walls, and the templates, but for those known, of which only walls come: of tonight's pages, and of those
    /// retained.
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

    /// The ids of the templates of which only walls come, of tonight's pages and of the retained ones that they were learnt
    /// from.
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
