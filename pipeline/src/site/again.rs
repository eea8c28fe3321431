//! A site whose captures are read again: its stored model is applied as it is, and nothing is kept.

use std::collections::BTreeMap;

use model::Verdict;
use modelstore::SiteState;
use sitemodel::{SiteModel, assess};

use super::Work;
use super::decision::Decision;
use super::kept::Night;
use super::night::Begun;
use crate::stages::apply::Unassigned;
use crate::stages::learn::{ParsedPages, Surveyed};

impl Work<'_> {
    /// The stored model; where there is none that can be used, one that is learnt for this run only.
    pub(super) fn read_again(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        state: &SiteState,
        stored: Result<Option<SiteModel>, String>,
    ) -> Begun {
        let is_stored = matches!(stored, Ok(Some(_)));
        let (model, known, why) = match stored {
            Ok(Some(model)) => (model, BTreeMap::new(), "read again".to_owned()),
            other => {
                let why = other.err().unwrap_or_else(|| "no model".to_owned());
                let (model, known) = self.learn(site, parsed, None);
                (model, known, why)
            }
        };
        let (pages, _) = self.tonight(site, parsed);
        let applied = self.apply_to(site, &model, &pages, &known);
        let (seen, _) = self.seen(&model, &pages, &applied, None);
        let health = assess(&model, &seen);
        let worst = health.templates.values().map(|own| own.verdict).max();
        let verdict = worst.filter(|_| is_stored).unwrap_or(Verdict::TooFewPages);
        let decision = if is_stored { Decision::Keep } else { Decision::TooFew };
        let mut update = self.update(state, &decision, verdict, &health);
        update.reason = why;
        let templates = model.templates().len();
        let night = Night { update, is_known: true, revision: None, templates, retained: None };
        let unassigned = if is_stored { Unassigned::Alone } else { Unassigned::Wait };
        Begun { model, known, applied, unassigned, night: Some(night) }
    }
}
