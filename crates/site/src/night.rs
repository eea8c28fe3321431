//! Processes a site with a model store: applies the stored model to tonight's sample, assesses it, decides what becomes
//! of it, and collects what the store is to keep of the night.
//!
//! Without a store, or if the store has nothing of the site, a model is learnt from tonight's sample as usual.

mod decision;
mod in_hand;
pub mod kept;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use model::{
    Assessment, DAMAGED_MODEL, NightFigures, RetainedHead, SharedWords, SiteNight, TemplateNight,
    Verdict,
};
use modelstore::{SiteState, Store};
use report::readable::count;
use sitemodel::{
    EarlierReading, KnownPage, ModelError, Outcome, SiteHealth, SiteModel, TemplateHealth,
    agreement, assess, not_learnt,
};

pub(crate) use self::kept::Night;
use crate::Work;
use crate::apply::{Outcomes, Unassigned};
use crate::learn::{ParsedPages, Surveyed, parse};
use crate::night::decision::{Facts, ModelDecision, TemplateFacts, decide, decide_without_model};
use crate::night::in_hand::{CandidatePage, Walls, retained_candidates, template_id, wall_pages};
use crate::night::kept::{NewRevision, of_new, revision, template_night};
use in_hand::{OTHERS, changed_texts, shared_words};
use kept::{changed_templates, site_change, tells_of_pages};

/// Pages of a template that are also extracted by themselves, for comparison.
const COMPARED: usize = 2;
/// Maximum number of templates of a stored model when it is learnt further. A night adds at most as many as its sample
/// has pages.
const MOST_TEMPLATES: usize = 256;
/// How much better than the old model a new one must fit tonight's pages to replace it.
const CLEARLY: f64 = 0.03;
/// How much larger the share of pages must be on which the wrapper finds the article, if the new model fits only as well.
const FOUND_AGAIN: f64 = 0.5;

/// What becomes of pages without a template, and what the store is to keep of the night.
pub type Decided = (Unassigned, Option<Night>);

/// The model that a site's pages are processed with first.
pub struct InitialModel {
    pub(crate) model: SiteModel,
    /// What learning found out about pages, by index.
    pub(crate) known: BTreeMap<usize, KnownPage>,
    /// Outcomes of pages of the sample by this model.
    pub(crate) applied: Outcomes,
    /// What becomes of pages without a template.
    pub(crate) unassigned: Unassigned,
    /// What the store is to keep of the night; `None` without a store.
    pub(crate) night: Option<Night>,
}

impl InitialModel {
    /// Returns the model, and what was decided beside it, for another process.
    pub fn decided(self) -> (SiteModel, Decided) {
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
    /// Chooses the model that the site's pages are processed with first, given all pages or those of the sample.
    pub(crate) fn begin(
        &self,
        site: &mut Surveyed,
        parsed: &ParsedPages<'_>,
    ) -> io::Result<InitialModel> {
        let Some(store) = self.store else {
            let (model, known) = self.learn(site, parsed, None);
            return Ok(InitialModel { known, ..InitialModel::of(model) });
        };
        let state = self.widen(store, site)?;
        // Section pages link to pages that are new tonight.
        let with_tonight = |model: SiteModel| model.with_addresses(&site.addresses);
        let stored = self.stored(&state).map(|model| model.map(with_tonight));
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
            (_, stored) => self.learn_fresh(site, parsed, store, &state, stored.err()),
        }
    }

    /// Returns what the store knows of the site, and adds the addresses of retained pages to the survey.
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

    /// Extends the survey in the same way as the process that began the site.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn begin_from_other_process(&self, site: &mut Surveyed) -> io::Result<()> {
        self.store.map_or(Ok(()), |store| self.widen(store, site).map(drop))
    }

    fn stored(&self, state: &SiteState) -> Result<Option<SiteModel>, String> {
        let Some(bytes) = &state.model else { return Ok(None) };
        let model = SiteModel::from_bytes(bytes).map_err(|error| match error {
            ModelError::Version(_) => error.to_string(),
            damage => format!("{DAMAGED_MODEL}: {damage}"),
        })?;
        model.fits(self.settings).map_err(|error| error.to_string())?;
        Ok(Some(model))
    }

    /// Learns from all pages in hand: tonight's sample and the retained pages.
    fn learn_fresh(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        store: &Store,
        state: &SiteState,
        unusable: Option<String>,
    ) -> io::Result<InitialModel> {
        let (tonight, cut) = self.tonight(site, parsed);
        let retained = self.retained(store, state)?;
        let again = parse(&retained.1, self.settings, self.clock);
        let again = retained_candidates(&again, &retained.0, None, self);
        let hand: Vec<&CandidatePage<'_>> = tonight.iter().chain(&again).collect();
        let (mut model, mut known) = self.learn_from_candidates(site, &hand, cut, None, &[]);
        let mut applied = self.apply_to(site, &model, &tonight, &known);
        let in_hand = tonight.len() + again.len() - wall_pages(&applied).len();
        let decision = decide_without_model(unusable, in_hand);
        let is_kept = decision != ModelDecision::TooFew;
        let walls = self.walls(&model, &BTreeSet::new(), &applied, &again);
        let of = (&model, &applied, &walls);
        let retained = self.to_retain(store, state, &tonight, &again, of, &|_| false)?;
        let (seen, _) = self.seen(&model, &tonight, &applied, None);
        let mut update = self.update(state, &decision, &assess(&model, &seen));
        update.unassigned = 0;
        if !walls.pages.is_empty() {
            update.reason += &format!("; {} not learnt from", count(walls.pages.len(), "wall"));
        }
        let mut new_revision = is_kept.then(|| NewRevision::Final(decision.reason()));
        if is_kept {
            update.model_revision = state.revision + 1;
        }
        if is_kept && !walls.templates.is_empty() {
            model = model.without(&walls.templates);
            known.clear();
            applied = self.apply_to(site, &model, &tonight, &known);
            update.second_round = true;
            update.templates.extend(model.templates().iter().map(of_new));
            let own = revision(&model, update.model_revision, update.reason.clone());
            new_revision = Some(NewRevision::Initial(Box::new(own)));
        }
        if let Some(before) = &state.before {
            update = before.as_ref().clone();
        }
        let (is_known, revision) = (state.before.is_some(), new_revision);
        let templates = model.templates().len();
        let night = Night { update, is_known, revision, templates, change: None, retained };
        Ok(InitialModel { model, known, applied, unassigned: Unassigned::Wait, night: Some(night) })
    }

    /// Applies the stored model to tonight's sample, and decides what becomes of it.
    fn update_from_stored_model(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        store: &Store,
        state: &SiteState,
        mut old: SiteModel,
    ) -> io::Result<InitialModel> {
        let (mut tonight, cut) = self.tonight(site, parsed);
        let none = BTreeMap::new();
        let mut applied = self.apply_to(site, &old, &tonight, &none);
        let noted = old.with_walls(applied.values());
        let noted = noted.map(|(with_lines, ids)| {
            old = with_lines;
            applied = self.apply_to(site, &old, &tonight, &none);
            ids
        });
        let learnt_from_walls = self.learnt_from_walls(store, state, &old, &applied)?;
        if !learnt_from_walls.is_empty() {
            old = old.without(&learnt_from_walls);
            applied = self.apply_to(site, &old, &tonight, &none);
        }
        let noted = noted.filter(|ids| ids.iter().any(|id| !learnt_from_walls.contains(id)));
        for page in &mut tonight {
            let applied = page.at.and_then(|at| applied.get(&at));
            page.template = applied.and_then(|applied| applied.template);
            page.is_unassigned =
                applied.is_some_and(|applied| applied.outcome == Outcome::Unassigned);
        }
        let of_night = (&mut tonight, &mut applied);
        let (lost_texts, notices) =
            self.lost_texts((store, site), &old, &learnt_from_walls, of_night)?;
        let noticed = old.with_notices(&notices).map(|(with_lines, ids)| {
            old = with_lines;
            applied = self.apply_to(site, &old, &tonight, &none);
            ids
        });
        let noted = match noticed {
            Some(ids) => Some(noted.into_iter().flatten().chain(ids).collect()),
            None => noted,
        };
        let lost: u64 = lost_texts.iter().flatten().map(|lost| lost.pages).sum();
        let (seen, alone) = self.seen(&old, &tonight, &applied, Some(COMPARED));
        let mut health = assess(&old, &seen);
        let mut facts = self.facts(state, &old, &tonight, &health);
        let differ = self.texts_differ(store, &applied)?;
        let earlier = match differ || decide(&facts).learns_other_layouts() {
            true => self.earlier_readings(store, &old, &tonight)?,
            false => Vec::new(),
        };
        facts.changed = changed_texts(&earlier, &old, &tonight, &applied);
        let mut decision = decide(&facts);
        let mut reason = decision.reason_of(&health);
        let is_former = |head: &RetainedHead| learnt_from_walls.contains(&head.template);
        let mut begun = None;
        let mut not_kept = Walls { pages: wall_pages(&applied), templates: Vec::new() };
        if decision != ModelDecision::Keep {
            let retained = self.retained(store, state)?;
            let again = parse(&retained.1, self.settings, self.clock);
            let again = retained_candidates(&again, &retained.0, Some(&old), self);
            let (base, too_many) = self.without_retired(state, &old, &facts);
            let (doubted, least) = match &decision {
                ModelDecision::Replace(ids) | ModelDecision::Relearn(ids) => (ids.clone(), CLEARLY),
                ModelDecision::Restore(ids) => (ids.clone(), 0.0),
                ModelDecision::Grow(ids) | ModelDecision::LearnElements(ids) => {
                    (ids.clone(), -CLEARLY)
                }
                _ => (Vec::new(), 0.0),
            };
            let walls = not_kept.pages.clone();
            let before = &applied;
            let learn = |decision: &ModelDecision| {
                let mut hand = chosen_for(decision, &facts, &old, &tonight, &again);
                hand.retain(|page| page.at.is_none_or(|at| !walls.contains(&at)));
                let (model, known) =
                    self.learn_from_candidates(site, &hand, cut, Some(&base), &earlier);
                let new = self.apply_to(site, &model, &tonight, &known);
                let of = |applied| Fit::of((&old, &doubted), &tonight, applied, &alone, &earlier);
                let is_better = match decision {
                    ModelDecision::Restore(_) => of(&new).before.is_some_and(|own| own >= OTHERS),
                    _ => doubted.is_empty() || of(&new).is_better_than(&of(before), least),
                };
                (is_better && model.to_bytes() != old.to_bytes()).then_some((model, known, new))
            };
            let mut learnt = learn(&decision);
            if let (None, ModelDecision::Relearn(ids)) = (&learnt, &decision) {
                // Retained pages may have the former layout.
                learnt = learn(&ModelDecision::Replace(ids.clone()));
            }
            let learnt = learnt.and_then(|(model, known, new)| {
                let ids: BTreeSet<&str> = old.templates().iter().map(|own| &*own.id).collect();
                not_kept = self.walls(&model, &ids, &new, &again);
                let of_walls = not_kept.templates.len();
                let all_new = model.templates().iter().filter(|own| !ids.contains(&*own.id));
                let is_nothing = doubted.is_empty() && of_walls > 0 && all_new.count() == of_walls;
                (!is_nothing).then_some((model, known, new))
            });
            if let Some((model, known, new)) = learnt {
                let is_gone = |head: &RetainedHead| match &decision {
                    ModelDecision::Replace(ids) | ModelDecision::Restore(ids) => {
                        ids.contains(&head.template) || is_former(head)
                    }
                    _ => is_former(head),
                };
                for (id, own) in &mut health.templates {
                    if doubted.contains(id) {
                        let one = std::slice::from_ref(id);
                        let fit = Fit::of((&old, one), &tonight, &new, &alone, &earlier);
                        (own.by_wrapper, own.confidence) = (fit.by_wrapper, fit.confidence);
                        own.agreement = fit.agreement;
                    }
                }
                if let ModelDecision::Correct(ids) = &decision
                    && let Some(lost) = words_lost((&old, ids), &tonight, (&applied, &new))
                {
                    reason += &lost;
                }
                let of = (&model, &new, &not_kept);
                let kept = self.to_retain(store, state, &tonight, &again, of, &is_gone)?;
                let changed = changed_templates((&old, &applied), (&model, &new), &tonight);
                let new = match not_kept.templates.is_empty() {
                    true => (model, known, new),
                    false => {
                        let model = model.without(&not_kept.templates);
                        let new = self.apply_to(site, &model, &tonight, &none);
                        (model, BTreeMap::new(), new)
                    }
                };
                begun = Some((new, changed, kept, too_many));
            } else {
                reason = match decision {
                    _ if !not_kept.templates.is_empty() => "walls are not learnt from".to_owned(),
                    ModelDecision::Replace(_)
                    | ModelDecision::Relearn(_)
                    | ModelDecision::Restore(_)
                    | ModelDecision::LearnElements(_) => {
                        format!("{reason}; nothing learnt from tonight's pages fits them better")
                    }
                    _ => ModelDecision::Keep.reason(),
                };
                decision = ModelDecision::Keep;
            }
        }
        if let (ModelDecision::Keep, Some(ids)) = (&decision, noted) {
            decision = ModelDecision::NoteWalls(ids);
            reason = decision.reason();
        }
        let mut update = self.update(state, &decision, &health);
        update.reason = reason;
        for lost in lost_texts.iter().flatten().filter(|lost| !lost.template.is_empty()) {
            if update.templates.iter().all(|own| own.template != lost.template) {
                update.templates.push(TemplateNight {
                    template: lost.template.clone(),
                    verdict: if lost.kind.is_some() { Verdict::Blocked } else { Verdict::Broken },
                    pages: lost.pages,
                    ..TemplateNight::default()
                });
            }
        }
        update.lost_texts = lost_texts;
        if lost > 0 {
            let pages = count(lost as usize, "page");
            update.reason += &format!("; {pages} without their texts not learnt from");
        }
        let has_new_walls = !not_kept.templates.is_empty() || lost > 0;
        update.second_round = has_new_walls;
        let unassigned = if has_new_walls { Unassigned::Wait } else { Unassigned::Alone };
        if let Some(((model, known, applied), changed, retained, too_many)) = begun {
            update.shared_words = shared_words(&earlier, tonight.iter(), &applied);
            update.model_revision = state.revision + 1;
            if too_many > 0 {
                let removed = count(too_many, "template");
                update.reason += &format!("; {removed} not seen for longest removed");
            }
            let templates = old.templates().len().min(model.templates().len());
            let change = site_change(&update, changed);
            let own = update.reason.clone();
            let new_revision = match has_new_walls {
                true => {
                    let new = model.templates().iter().skip(templates);
                    update.templates.extend(new.map(of_new));
                    let own = revision(&model, update.model_revision, own);
                    NewRevision::Initial(Box::new(own))
                }
                false => NewRevision::Final(own),
            };
            let revision = Some(new_revision);
            let night = Night { update, is_known: false, revision, templates, change, retained };
            return Ok(InitialModel { model, known, applied, unassigned, night: Some(night) });
        }
        if unassigned == Unassigned::Alone {
            // Unassigned pages may turn out to be walls, which are not retained.
            self.apply_alone(site, &old, &tonight, &mut applied);
            not_kept.pages = wall_pages(&applied);
        }
        update.shared_words = shared_words(&earlier, tonight.iter(), &applied);
        let of = (&old, &applied, &not_kept);
        let retained = self.to_retain(store, state, &tonight, &[], of, &is_former)?;
        let is_changed = decision != ModelDecision::Keep || !learnt_from_walls.is_empty();
        if !learnt_from_walls.is_empty() {
            let removed = count(learnt_from_walls.len(), "template");
            update.reason += &format!("; {removed} learnt from walls removed");
        }
        update.model_revision += u32::from(is_changed);
        let new_revision = is_changed.then(|| {
            let own = revision(&old, update.model_revision, update.reason.clone());
            NewRevision::Initial(Box::new(own))
        });
        let (revision, templates) = (new_revision, old.templates().len());
        let night = Night { update, is_known: false, revision, templates, change: None, retained };
        let (model, known) = (old, none);
        Ok(InitialModel { model, known, applied, unassigned, night: Some(night) })
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
                tonight: own.pages,
                with_new_element: own.with_new_element,
            })
        };
        let unassigned = tonight.iter().filter(|page| page.is_unassigned).count();
        Facts {
            unassigned,
            unassigned_in_hand: unassigned + of(""),
            templates: health.templates.iter().filter_map(template).collect(),
            changed: Vec::new(),
            to_correct: self.to_correct(old, tonight),
        }
    }

    /// Returns the templates that have not learnt from their corrections yet and have pages tonight to learn from.
    fn to_correct(&self, old: &SiteModel, tonight: &[CandidatePage<'_>]) -> Vec<String> {
        if self.settings.corrections.is_none() {
            return Vec::new();
        }
        let of_pages: BTreeMap<&str, u32> =
            tonight.iter().filter_map(|page| Some((page.url(), page.template?))).collect();
        let mut ids = not_learnt(old, self.settings, &of_pages);
        ids.retain(|id| of_pages.values().any(|at| template_id(old, *at) == Some(id)));
        ids
    }

    /// Returns the model without templates that were not seen for long and, if there are too many, without those not seen
    /// for longest. Also returns how many were too many.
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

    pub(crate) fn update(
        &self,
        state: &SiteState,
        decision: &ModelDecision,
        health: &SiteHealth,
    ) -> SiteNight {
        let agreements: Vec<f64> =
            health.templates.values().filter_map(|own| own.agreement).collect();
        let agreement = agreements.iter().sum::<f64>() / agreements.len() as f64;
        let templates: Vec<_> =
            health.templates.iter().map(|(id, own)| template_night(id, own)).collect();
        let worst = templates.iter().map(|own| own.verdict).max();
        SiteNight {
            site: self.key.clone(),
            night: self.date().map(|date| date.to_string()).unwrap_or_default(),
            // The verdict on the site needs all of its pages.
            health: Assessment { verdict: worst.unwrap_or_default(), ..Assessment::default() },
            figures: NightFigures {
                agreement: (!agreements.is_empty()).then_some(agreement),
                ..NightFigures::default()
            },
            decision: decision.to_string(),
            reason: decision.reason(),
            model_revision: if *decision == ModelDecision::TooFew { 0 } else { state.revision },
            sampled: health.unassigned.1,
            unassigned: health.unassigned.0,
            templates,
            ..SiteNight::default()
        }
    }
}

fn chosen_for<'a, 'p>(
    decision: &ModelDecision,
    facts: &Facts,
    old: &SiteModel,
    tonight: &'a [CandidatePage<'p>],
    again: &'a [CandidatePage<'p>],
) -> Vec<&'a CandidatePage<'p>> {
    let (ids, with_retained): (&[String], bool) = match decision {
        ModelDecision::Replace(ids) | ModelDecision::Restore(ids) => (ids, false),
        ModelDecision::Relearn(ids) | ModelDecision::Grow(ids) | ModelDecision::Correct(ids) => {
            (ids, true)
        }
        // A text that all of tonight's pages have is not on the retained ones.
        ModelDecision::LearnElements(ids) => (ids, facts.has_few_pages_of(ids)),
        _ => (&[], true),
    };
    let is_of = |page: &CandidatePage<'_>| {
        let template = page.template.and_then(|at| template_id(old, at));
        template.is_some_and(|id| ids.iter().any(|own| own == id))
            || (page.is_unassigned && facts.adds_templates())
    };
    let again = again.iter().filter(|page| with_retained || page.is_unassigned);
    tonight.iter().chain(again).filter(|page| is_of(page)).collect()
}

/// Describes how many words the texts of some templates have lost by new outcomes, if they have lost most.
fn words_lost(
    (old, ids): (&SiteModel, &[String]),
    tonight: &[CandidatePage<'_>],
    (before, after): (&Outcomes, &Outcomes),
) -> Option<String> {
    let is_of = |page: &&CandidatePage<'_>| {
        let template = page.template.and_then(|at| template_id(old, at));
        template.is_some_and(|id| ids.iter().any(|own| own == id))
    };
    let words = |applied: &Outcomes| {
        let of_page = |page: &CandidatePage<'_>| {
            let article = applied.get(&page.at?)?.outcome.article()?;
            Some(f64::from(article.word_count))
        };
        tonight.iter().filter(is_of).filter_map(of_page).sum::<f64>()
    };
    let (before, after) = (words(before), words(after));
    (2.0 * after < before).then(|| {
        let percent = 100.0 * (1.0 - after / before);
        format!("; by corrections, its texts have {percent:.0} % fewer words")
    })
}

/// How well outcomes fit those of tonight's pages that the old model put into some of its templates.
pub(crate) struct Fit {
    /// Mean over the pages of the average of confidence, agreement with the page extracted by itself, and agreement with
    /// an earlier capture, as far as these are known.
    judged: f64,
    /// Share of pages on which a wrapper found the article.
    pub(crate) by_wrapper: f64,
    pub(crate) confidence: f64,
    /// Mean agreement with pages extracted by themselves; `None` without any.
    pub(crate) agreement: Option<f64>,
    /// Mean agreement with earlier captures, in the words that pages still have; `None` without any.
    before: Option<f64>,
}

impl Fit {
    fn of(
        (old, ids): (&SiteModel, &[String]),
        tonight: &[CandidatePage<'_>],
        applied: &Outcomes,
        alone: &BTreeMap<usize, String>,
        earlier: &[EarlierReading],
    ) -> Self {
        let (mut sum, mut by_wrapper, mut pages) = (0.0, 0_u32, 0_u32);
        let (mut confidences, mut agreements) = (0.0, Vec::new());
        let mut shared = SharedWords::default();
        for page in tonight {
            let template = page.template.and_then(|at| template_id(old, at));
            let is_of = template.is_some_and(|id| ids.iter().any(|own| own == id));
            let Some(at) = page.at.filter(|_| is_of) else { continue };
            let (confidence, text) = match applied.get(&at).map(|applied| &applied.outcome) {
                Some(Outcome::Article(article)) => {
                    by_wrapper += u32::from(article.route.is_of_template());
                    (article.confidence, &*article.text)
                }
                _ => (0.0, ""),
            };
            let agrees = alone.get(&at).map(|alone| agreement(text, alone));
            let before = shared_words(earlier, std::iter::once(page), applied);
            shared.add(&before);
            let judged: Vec<f64> =
                [Some(confidence), agrees, before.mean_agreement()].into_iter().flatten().collect();
            sum += judged.iter().sum::<f64>() / judged.len() as f64;
            confidences += confidence;
            agreements.extend(agrees);
            pages += 1;
        }
        let pages = f64::from(pages.max(1));
        let agreement = agreements.iter().sum::<f64>() / agreements.len() as f64;
        Self {
            judged: sum / pages,
            by_wrapper: f64::from(by_wrapper) / pages,
            confidence: confidences / pages,
            agreement: (!agreements.is_empty()).then_some(agreement),
            before: shared.mean_agreement(),
        }
    }

    /// Whether it fits better by more than `least`, or fits as well while wrappers find the article on many more pages.
    fn is_better_than(&self, old: &Self, least: f64) -> bool {
        self.judged > old.judged + least
            || (self.judged > old.judged - CLEARLY
                && self.by_wrapper >= old.by_wrapper + FOUND_AGAIN)
    }
}

impl Work<'_> {
    /// Repeats a run that the store already contains: returns the model that it applied and what changed then.
    fn replay_committed_run(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        store: &Store,
        model: SiteModel,
        before: SiteNight,
    ) -> io::Result<InitialModel> {
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
        let unassigned = match before.second_round {
            true => Unassigned::Wait,
            false => Unassigned::Alone,
        };
        let night = Some(Night::known(before, templates, change));
        Ok(InitialModel { unassigned, night, ..InitialModel::of(model) })
    }

    /// Applies the stored model; if it is missing or cannot be used, learns one for this run only.
    pub(crate) fn apply_stored_model(
        &self,
        site: &Surveyed,
        parsed: &ParsedPages<'_>,
        state: &SiteState,
        stored: Result<Option<SiteModel>, String>,
    ) -> InitialModel {
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
        let decision = if is_stored { ModelDecision::Keep } else { ModelDecision::TooFew };
        let mut update = self.update(state, &decision, &health);
        update.reason.clone_from(&why);
        update.health.evidence = why;
        let templates = model.templates().len();
        let night = Night::known(update, templates, None);
        let unassigned = if is_stored { Unassigned::Alone } else { Unassigned::Wait };
        InitialModel { model, known, applied, unassigned, night: Some(night) }
    }
}
