//! A site that is read again: in a run that was taken in before, or its captures with the stored model as it is.
//! Nothing is kept.

use std::collections::BTreeMap;
use std::io;

use model::{SiteNight, Verdict};
use modelstore::{SiteState, Store};
use sitemodel::{SiteModel, assess};

use super::Work;
use super::change::{changed_templates, site_change, tells_of_pages};
use super::decision::Decision;
use super::kept::Night;
use super::night::Begun;
use crate::stages::apply::{Outcomes, Unassigned};
use crate::stages::learn::{ParsedPages, Surveyed};

impl Work<'_> {
    /// The model that this run applied when it was taken in, and what changed then.
    pub(super) fn taken_in_before(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        store: &Store,
        model: SiteModel,
        before: SiteNight,
    ) -> io::Result<Begun> {
        let mut change = None;
        if tells_of_pages(&before.decision) {
            let former = store.model(&self.key, before.model_revision.checked_sub(1));
            let former = former.map_err(io::Error::other)?;
            if let Some(former) = former.and_then(|bytes| SiteModel::from_bytes(&bytes).ok()) {
                let (pages, _) = self.tonight(site, parsed);
                let by = |model| self.apply_to(site, model, &pages, &BTreeMap::new());
                let (old, new) = (by(&former), by(&model));
                let changed = changed_templates((&former, &old), (&model, &new), &pages);
                change = site_change(&before, changed);
            }
        }
        let templates = model.templates().len();
        Ok(Begun {
            model,
            known: BTreeMap::new(),
            applied: Outcomes::new(),
            unassigned: Unassigned::Alone,
            night: Some(Night::known(before, templates, change)),
        })
    }

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
        let night = Night::known(update, templates, None);
        let unassigned = if is_stored { Unassigned::Alone } else { Unassigned::Wait };
        Begun { model, known, applied, unassigned, night: Some(night) }
    }
}
