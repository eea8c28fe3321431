//! A site in the light of earlier nights: its stored model is applied to tonight's sample and assessed, a
//! decision is made, and what is to be kept of tonight is put together.
//!
//! Without a store, or without anything of the site in it, this is learning from tonight's sample, as ever.

mod change;
mod decision;
mod in_hand;
mod kept;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use model::{RetainedHead, SiteNight, Verdict};
use modelstore::{SiteState, Store};
use report::readable::count;
use sitemodel::{
    FEWEST_TO_TELL, KnownPage, Outcome, SiteHealth, SiteModel, TemplateHealth, agreement, assess,
};

use crate::site::Work;
use crate::site::night::change::{changed_templates, site_change, tells_of_pages};
use crate::site::night::decision::{Facts, ModelDecision, StoredModel, TemplateFacts, decide};
use crate::site::night::in_hand::{CandidatePage, retained_candidates};
use crate::site::night::kept::{Night, template_night};
use crate::stages::apply::{Outcomes, Unassigned};
use crate::stages::learn::{ParsedPages, Surveyed, parse};

/// Pages of a template that are compared with the judgement of the page alone.
const COMPARED: usize = 2;
/// Templates that a model of earlier nights may have when it is learnt further. A night adds as many as its sample has
/// pages at most.
const MOST_TEMPLATES: usize = 256;
/// By how much a model learnt anew must fit tonight's pages better to take the place of the old one.
const CLEARLY: f64 = 0.03;
/// Share of pages on which the wrapper of such a model finds the article where the old one's did not.
const FOUND_AGAIN: f64 = 0.5;

/// What becomes of pages that the model has no template for, and what is to be kept of the night.
pub(crate) type Decided = (Unassigned, Option<Night>);

/// The model that a site's pages are begun with.
pub(crate) struct Begun {
    pub(crate) model: SiteModel,
    /// What learning found out about pages, by index.
    pub(super) known: BTreeMap<usize, KnownPage>,
    /// What came of pages of the sample, by this model.
    pub(super) applied: Outcomes,
    /// What becomes of pages that it has no template for.
    pub(crate) unassigned: Unassigned,
    /// What is to be kept of tonight, where there is a store.
    pub(super) night: Option<Night>,
}

impl Begun {
    /// A model that another process began a site with, and what it decided.
    pub(crate) fn from_other_process(model: SiteModel, (unassigned, night): Decided) -> Self {
        Self { unassigned, night, ..Self::of(model) }
    }

    /// What was decided beside the model, for another process.
    pub(crate) fn decided(self) -> (SiteModel, Decided) {
        (self.model, (self.unassigned, self.night))
    }

    pub(crate) fn of(model: SiteModel) -> Self {
        Self {
            model,
            known: BTreeMap::new(),
            applied: Outcomes::new(),
            unassigned: Unassigned::Wait,
            night: None,
        }
    }
}

impl Work<'_> {
    /// The model that the pages of a site are begun with, given its pages or those of its sample.
    pub(super) fn begin(&self, site: &mut Surveyed, parsed: &ParsedPages<'_>) -> io::Result<Begun> {
        let Some(store) = self.store else {
            let (model, known) = self.learn(site, parsed, None);
            return Ok(Begun { known, ..Begun::of(model) });
        };
        let state = self.widen(store, site)?;
        let stored = self.stored(&state);
        if self.config.run.reextract {
            return Ok(self.apply_stored_model(site, parsed, &state, stored));
        }
        match (&state.before, stored) {
            (Some(before), Ok(Some(model))) if before.model_revision > 0 => {
                self.replay_committed_run(site, parsed, store, model, before.as_ref().clone())
            }
            (_, Ok(Some(model))) => {
                self.update_from_stored_model(site, parsed, store, &state, model)
            }
            (_, Ok(None)) => self.learn_fresh(site, parsed, store, &state, StoredModel::None),
            (_, Err(why)) => {
                self.learn_fresh(site, parsed, store, &state, StoredModel::Unusable(why))
            }
        }
    }

    /// What the store knows of the site, whose addresses are then known with those of retained pages.
    fn widen(&self, store: &Store, site: &mut Surveyed) -> io::Result<SiteState> {
        let state = store.site(&self.key).map_err(io::Error::other)?;
        let chosen: BTreeSet<&str> = self.pages.iter().map(|page| &*page.head.url).collect();
        let elsewhere = |head: &&RetainedHead| !chosen.contains(&*head.url);
        site.widen(
            self.pages.iter().map(|page| &*page.head.url),
            state.retained.iter().filter(elsewhere).map(|head| &*head.url),
            self.settings,
        );
        Ok(state)
    }

    /// The site as it was when another process began it.
    pub(crate) fn begin_from_other_process(&self, site: &mut Surveyed) -> io::Result<()> {
        self.store.map_or(Ok(()), |store| self.widen(store, site).map(drop))
    }

    fn stored(&self, state: &SiteState) -> Result<Option<SiteModel>, String> {
        let Some(bytes) = &state.model else { return Ok(None) };
        let model = SiteModel::from_bytes(bytes).map_err(|error| error.to_string())?;
        model.fits(self.settings).map_err(|error| error.to_string())?;
        Ok(Some(model))
    }

    /// Learns from all pages in hand.
    fn learn_fresh(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        store: &Store,
        state: &SiteState,
        stored: StoredModel,
    ) -> io::Result<Begun> {
        let (tonight, cut) = self.tonight(site, parsed);
        let retained = self.retained(store, state)?;
        let again = parse(&retained.1, self.settings, self.clock);
        let again = retained_candidates(&again, &retained.0, None, self);
        let facts = Facts {
            stored,
            in_hand: tonight.len() + again.len(),
            unassigned: 0,
            unassigned_in_hand: 0,
            templates: Vec::new(),
        };
        let decision = decide(&facts);
        let hand: Vec<&CandidatePage<'_>> = tonight.iter().chain(&again).collect();
        let (model, known) = self.learn_from_candidates(site, &hand, cut, None);
        let applied = self.apply_to(site, &model, &tonight, &known);
        let (seen, _) = self.seen(&model, &tonight, &applied, None);
        let health = assess(&model, &seen);
        let is_kept = decision != ModelDecision::TooFew;
        let verdict = match is_kept && seen.pages() >= FEWEST_TO_TELL {
            true => Verdict::Healthy,
            false => Verdict::TooFewPages,
        };
        let mut update = self.update(state, &decision, verdict, &health);
        update.unassigned = 0;
        if is_kept {
            update.model_revision = state.revision + 1;
        }
        if let Some(before) = &state.before {
            update = before.as_ref().clone();
        }
        let of = (&model, &applied);
        let retained = self.to_retain(store, state, &tonight, &again, of, &|_| false)?;
        let night = Night {
            update,
            is_known: state.before.is_some(),
            revision: is_kept.then(|| decision.reason()),
            templates: model.templates().len(),
            change: None,
            retained,
        };
        Ok(Begun { model, known, applied, unassigned: Unassigned::Wait, night: Some(night) })
    }

    /// Applies the stored model to tonight's sample, and decides.
    fn update_from_stored_model(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        store: &Store,
        state: &SiteState,
        old: SiteModel,
    ) -> io::Result<Begun> {
        let (mut tonight, cut) = self.tonight(site, parsed);
        let none = BTreeMap::new();
        let applied = self.apply_to(site, &old, &tonight, &none);
        let (old, applied, walls) = match old.with_walls(applied.values()) {
            Some((noted, ids)) => {
                let applied = self.apply_to(site, &noted, &tonight, &none);
                (noted, applied, ids)
            }
            None => (old, applied, Vec::new()),
        };
        for page in &mut tonight {
            let applied = page.at.and_then(|at| applied.get(&at));
            page.template = applied.and_then(|applied| applied.template);
            page.is_unassigned =
                applied.is_some_and(|applied| applied.outcome == Outcome::Unassigned);
        }
        let (seen, alone) = self.seen(&old, &tonight, &applied, Some(COMPARED));
        let mut health = assess(&old, &seen);
        let facts = self.facts(state, &old, &tonight, &health);
        let mut decision = decide(&facts);
        let whole = facts.of_the_whole().unwrap_or(Verdict::TooFewPages);
        let mut verdict = worst(&health).max(whole);
        let mut begun = None;
        let before = applied;
        if decision != ModelDecision::Keep {
            let retained = self.retained(store, state)?;
            let again = parse(&retained.1, self.settings, self.clock);
            let again = retained_candidates(&again, &retained.0, Some(&old), self);
            let (base, too_many) = self.without_retired(state, &old, &facts);
            let (doubted, least) = match &decision {
                ModelDecision::Replace(ids) | ModelDecision::Relearn(ids) => (ids.clone(), CLEARLY),
                ModelDecision::Grow(ids) => (ids.clone(), -CLEARLY),
                _ => (Vec::new(), 0.0),
            };
            let learn = |decision: &ModelDecision| {
                let hand = chosen_for(decision, &facts, &old, &tonight, &again);
                let (model, known) = self.learn_from_candidates(site, &hand, cut, Some(&base));
                let new = self.apply_to(site, &model, &tonight, &known);
                let of = |applied| Fit::of(&old, &doubted, &tonight, applied, &alone);
                let is_better = doubted.is_empty() || of(&new).is_better_than(&of(&before), least);
                (is_better && model.to_bytes() != old.to_bytes()).then_some((model, known, new))
            };
            let mut learnt = learn(&decision);
            if let (None, ModelDecision::Relearn(ids)) = (&learnt, &decision) {
                // What is retained may be of the former layout.
                learnt = learn(&ModelDecision::Replace(ids.clone()));
            }
            if let Some((model, known, new)) = learnt {
                let is_gone = |head: &RetainedHead| match &decision {
                    ModelDecision::Replace(ids) => ids.contains(&head.template),
                    _ => false,
                };
                let of = (&model, &new);
                let kept = self.to_retain(store, state, &tonight, &again, of, &is_gone)?;
                begun = Some((model, known, new, kept, too_many));
            } else {
                // What is learnt anew is no better: the old is as good as it gets, unless it fits much worse.
                let much_worse =
                    |id: &str| facts.templates.iter().any(|own| own.id == id && own.doubted > 0);
                for (id, own) in &mut health.templates {
                    if own.verdict > Verdict::Healthy && !much_worse(id) {
                        own.verdict = Verdict::Healthy;
                    }
                }
                if !doubted.is_empty() {
                    verdict = worst(&health).max(whole);
                }
                decision = ModelDecision::Keep;
            }
        }
        if decision == ModelDecision::Keep && !walls.is_empty() {
            decision = ModelDecision::NoteWalls(walls);
        }
        let mut update = self.update(state, &decision, verdict, &health);
        if decision == ModelDecision::Keep && verdict > Verdict::Healthy {
            update.reason = "nothing learnt from tonight's pages fits them better".to_owned();
        }
        Ok(match begun {
            Some((model, known, applied, retained, too_many)) => {
                update.model_revision = state.revision + 1;
                if too_many > 0 {
                    let removed = count(too_many, "template");
                    update.reason += &format!("; {removed} not seen for longest removed");
                }
                let templates = old.templates().len().min(model.templates().len());
                let revision = Some(update.reason.clone());
                let templates_changed =
                    changed_templates((&old, &before), (&model, &applied), &tonight);
                let change = site_change(&update, templates_changed);
                let night =
                    Night { update, is_known: false, revision, templates, change, retained };
                let night = Some(night);
                Begun { model, known, applied, unassigned: Unassigned::Alone, night }
            }
            None => {
                let of = (&old, &before);
                let kept = self.to_retain(store, state, &tonight, &[], of, &|_| false)?;
                let templates = old.templates().len();
                let is_changed = decision != ModelDecision::Keep;
                update.model_revision += u32::from(is_changed);
                let night = Night {
                    update,
                    is_known: false,
                    revision: is_changed.then(|| decision.reason()),
                    templates,
                    change: None,
                    retained: kept,
                };
                Begun {
                    model: old,
                    known: BTreeMap::new(),
                    applied: before,
                    unassigned: Unassigned::Alone,
                    night: Some(night),
                }
            }
        })
    }

    fn facts(
        &self,
        state: &SiteState,
        old: &SiteModel,
        tonight: &[CandidatePage<'_>],
        health: &SiteHealth,
    ) -> Facts {
        let urls: BTreeSet<&str> = self.pages.iter().map(|page| &*page.head.url).collect();
        let retained: Vec<&RetainedHead> =
            state.retained.iter().filter(|head| !urls.contains(&*head.url)).collect();
        let of = |id: &str| retained.iter().filter(|head| head.template == id).count();
        let template = |(id, own): (&String, &TemplateHealth)| {
            let template = old.templates().iter().find(|template| template.id == *id)?;
            Some(TemplateFacts {
                id: id.clone(),
                verdict: own.verdict,
                learnt_from: template.pages,
                in_hand: own.pages + of(id) as u64,
                is_wanted: template.learnt.is_some(),
                doubted: if own.fits_much_worse(template.pages) { own.pages } else { 0 },
            })
        };
        let unassigned = tonight.iter().filter(|page| page.is_unassigned).count();
        Facts {
            stored: StoredModel::Fits,
            in_hand: tonight.len() + retained.len(),
            unassigned,
            unassigned_in_hand: unassigned + of(""),
            templates: health.templates.iter().filter_map(template).collect(),
        }
    }

    /// The model without templates that were not seen for long, and without those not seen for longest where there are
    /// too many. Gives also how many were too many.
    fn without_retired(
        &self,
        state: &SiteState,
        old: &SiteModel,
        facts: &Facts,
    ) -> (SiteModel, usize) {
        let tonight = self.date();
        let days = i64::from(self.config.run.retire_after);
        let is_old = |seen: &String| {
            let seen = seen.parse::<jiff::civil::Date>().ok();
            seen.zip(tonight)
                .is_some_and(|(seen, tonight)| (tonight - seen).get_days() as i64 > days)
        };
        let is_seen = |id: &str| facts.templates.iter().any(|own| own.id == id);
        let (mut gone, mut unseen) = (Vec::new(), Vec::new());
        for id in old.templates().iter().map(|template| &template.id).filter(|id| !is_seen(id)) {
            match state.last_seen.get(id) {
                Some(seen) if is_old(seen) => gone.push(id.clone()),
                seen => unseen.push((seen, id)),
            }
        }
        unseen.sort_unstable();
        let too_many = (old.templates().len() - gone.len()).saturating_sub(MOST_TEMPLATES);
        unseen.truncate(too_many);
        gone.extend(unseen.iter().map(|(_, id)| (*id).clone()));
        let model = if gone.is_empty() { old.clone() } else { old.without(&gone) };
        (model, unseen.len())
    }

    fn date(&self) -> Option<jiff::civil::Date> {
        let newest = self.pages.iter().filter_map(|page| page.head.fetched).max()?;
        Some(newest.to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    pub(super) fn update(
        &self,
        state: &SiteState,
        decision: &ModelDecision,
        verdict: Verdict,
        health: &SiteHealth,
    ) -> SiteNight {
        SiteNight {
            site: self.key.clone(),
            night: self.date().map(|date| date.to_string()).unwrap_or_default(),
            decision: decision.to_string(),
            reason: decision.reason(),
            model_revision: if *decision == ModelDecision::TooFew { 0 } else { state.revision },
            verdict,
            pages: health.unassigned.1,
            unassigned: health.unassigned.0,
            change: None,
            revision: None,
            sample: None,
            templates: health.templates.iter().map(|(id, own)| template_night(id, own)).collect(),
        }
    }
}

fn worst(health: &SiteHealth) -> Verdict {
    health.templates.values().map(|own| own.verdict).max().unwrap_or(Verdict::TooFewPages)
}

fn chosen_for<'a, 'p>(
    decision: &ModelDecision,
    facts: &Facts,
    old: &SiteModel,
    tonight: &'a [CandidatePage<'p>],
    again: &'a [CandidatePage<'p>],
) -> Vec<&'a CandidatePage<'p>> {
    let (ids, with_retained): (&[String], bool) = match decision {
        ModelDecision::Replace(ids) => (ids, false),
        ModelDecision::Relearn(ids) | ModelDecision::Grow(ids) => (ids, true),
        _ => (&[], true),
    };
    let is_of = |page: &CandidatePage<'_>| {
        let template = page.template.and_then(|at| old.templates().get(at as usize));
        template.is_some_and(|template| ids.contains(&template.id))
            || (page.is_unassigned && facts.adds_templates())
    };
    let again = again.iter().filter(|page| with_retained || page.is_unassigned);
    tonight.iter().chain(again).filter(|page| is_of(page)).collect()
}

/// How well outcomes fit tonight's pages that the old model put into some of its templates.
struct Fit {
    /// The mean of their confidence and, where there is a judgement of the page alone, the agreement with that.
    judged: f64,
    /// Share of pages on which a wrapper found the article.
    by_wrapper: f64,
}

impl Fit {
    fn of(
        old: &SiteModel,
        ids: &[String],
        tonight: &[CandidatePage<'_>],
        applied: &Outcomes,
        alone: &BTreeMap<usize, String>,
    ) -> Self {
        let (mut sum, mut by_wrapper, mut pages) = (0.0, 0_u32, 0_u32);
        for page in tonight {
            let template = page.template.and_then(|at| old.templates().get(at as usize));
            if !template.is_some_and(|template| ids.contains(&template.id)) {
                continue;
            }
            let Some(at) = page.at else { continue };
            let (confidence, text) = match applied.get(&at).map(|applied| &applied.outcome) {
                Some(Outcome::Article(article)) => {
                    by_wrapper += u32::from(article.route.is_of_template());
                    (article.confidence, &*article.text)
                }
                _ => (0.0, ""),
            };
            let agrees = alone.get(&at).map(|alone| agreement(text, alone));
            sum += agrees.map_or(confidence, |agrees| (confidence + agrees) / 2.0);
            pages += 1;
        }
        let pages = f64::from(pages.max(1));
        Self { judged: sum / pages, by_wrapper: f64::from(by_wrapper) / pages }
    }

    /// Whether it fits better by so much at least; or as well, and the wrapper finds again what it no longer
    /// found.
    fn is_better_than(&self, old: &Self, least: f64) -> bool {
        self.judged > old.judged + least
            || (self.judged > old.judged - CLEARLY
                && self.by_wrapper >= old.by_wrapper + FOUND_AGAIN)
    }
}

impl Work<'_> {
    /// The model that this run applied when it was taken in, and what changed then.
    fn replay_committed_run(
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
    pub(crate) fn apply_stored_model(
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
        let decision = if is_stored { ModelDecision::Keep } else { ModelDecision::TooFew };
        let mut update = self.update(state, &decision, verdict, &health);
        update.reason = why;
        let templates = model.templates().len();
        let night = Night::known(update, templates, None);
        let unassigned = if is_stored { Unassigned::Alone } else { Unassigned::Wait };
        Begun { model, known, applied, unassigned, night: Some(night) }
    }
}
