//! Applies a model to a page: extract.

use model::{
    Article, CharacterCounts, Contained, Drop, DropReason, Extracted, FeedItem, Page, Stage,
    contain_panics,
};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::characters::character_counts;
use crate::learn::{Evidence, Known, learn_parsed};
use crate::lists::{Lists, refusal};
use crate::meter::{Meter, NoMeter, Step};
use crate::model::{SiteModel, Template};
use crate::parsed::{ParsedPage, parse_page};
use crate::settings::Settings;
use crate::stages::cluster::{Assigned, Layouts};
use crate::stages::extract::{Demands, extract};
use crate::stages::signify::Sibling;
use crate::template::{Learnt, Way};
use crate::walls;

/// The outcome of a page.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Outcome {
    /// An article.
    Article(Box<Extracted>),
    /// A drop with its reason.
    Drop(Box<Drop>),
    /// The model has no template for it: another round of learning may add one, or [`SiteModel::apply_alone`]
    /// extracts it by itself.
    Unassigned,
}

/// The outcome of a page, with its counts.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Applied {
    /// The outcome.
    pub outcome: Outcome,
    /// Number of its template.
    pub template: Option<u32>,
    /// How it was processed.
    pub way: Way,
    /// Characters of the page and of its article.
    pub characters: CharacterCounts,
}

/// Options for applying a model to a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// What learning found out about it: the entry of [`crate::Learning::known`] for this page.
    pub known: Option<&'a Known>,
    /// Whether it is a later part of an article, for which the minimum number of words does not apply.
    pub part: bool,
}

/// The place of a page in the model.
enum Place<'a> {
    /// A template: its number, and what was learnt about it.
    Template(u32, &'a Template, &'a Learnt),
    /// A template, or a kind of page, that is dropped.
    Refused(DropReason, Option<u32>),
    /// No place.
    None,
}

impl SiteModel {
    /// The outcome of a page, given the feed items that point to it. Depends on nothing else: for a page of
    /// the sample, it is the outcome of the run. Never panics.
    pub fn apply(&self, page: &Page, feed_items: &[&FeedItem], settings: &Settings) -> Applied {
        match contain_panics(|| parse_page(page, settings)) {
            Ok(parsed) => {
                let sibling = Sibling { page: &parsed, feed_items };
                self.apply_parsed(&sibling, Hints::default(), settings, &NoMeter)
            }
            Err(panic) => self.failed(page, Stage::Cluster, &panic),
        }
    }

    /// The same for a parsed page.
    pub fn apply_parsed(
        &self,
        sibling: &Sibling<'_>,
        hints: Hints<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let apply = || self.apply_unguarded(sibling, hints, settings, meter);
        contain_panics(apply)
            .unwrap_or_else(|panic| self.failed(sibling.page.page, Stage::Extract, &panic))
    }

    fn apply_unguarded(
        &self,
        sibling: &Sibling<'_>,
        hints: Hints<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let parsed = sibling.page;
        let drop = |stage, reason| Applied::dropped(self.drop_parsed(parsed, stage, reason));
        match meter.step(Step::Cluster, || self.place(sibling, hints.known, settings)) {
            Place::Refused(reason, template) => {
                Applied { template, ..drop(Stage::Cluster, reason) }
            }
            Place::Template(number, template, learnt) => {
                let applied = self.take(sibling, template, learnt, hints, settings, meter);
                Applied { template: Some(number), ..applied }
            }
            Place::None => Applied::unassigned(),
        }
    }

    /// Finds the place of a page.
    fn place(
        &self,
        sibling: &Sibling<'_>,
        known: Option<&Known>,
        settings: &Settings,
    ) -> Place<'_> {
        let refusal = |kind| refusal(kind, sibling.page, &self.addresses, settings);
        let known = known.and_then(|known| known.template).map(Assigned::Template);
        match known.unwrap_or_else(|| self.assign(sibling, settings)) {
            Assigned::Template(number) => {
                let template = &self.templates[number as usize];
                match (refusal(template.kind), &template.learnt) {
                    (Some(reason), _) => Place::Refused(reason, Some(number)),
                    (None, Some(learnt)) => Place::Template(number, template, learnt),
                    (None, None) => Place::None,
                }
            }
            Assigned::Kind(kind) => match refusal(kind) {
                Some(reason) => Place::Refused(reason, None),
                None => Place::None,
            },
            Assigned::No => Place::None,
        }
    }

    /// Whether the model has no template for a page: whether its outcome is [`Outcome::Unassigned`].
    pub fn is_unassigned(&self, sibling: &Sibling<'_>, settings: &Settings) -> bool {
        let place = || matches!(self.place(sibling, None, settings), Place::None);
        contain_panics(place).unwrap_or(false)
    }

    /// The outcome of a page of a template.
    fn take(
        &self,
        sibling: &Sibling<'_>,
        template: &Template,
        learnt: &Learnt,
        hints: Hints<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let page_type = learnt.page_type();
        if page_type.is_some_and(|own| !settings.page_types().wants(own.page_type)) {
            let drop = self.drop_parsed(sibling.page, Stage::Extract, DropReason::PageType);
            return Applied::dropped(drop);
        }
        let found = hints.known.and_then(|known| known.found.clone());
        let (body, way) = found.unwrap_or_else(|| learnt.body(sibling, settings, meter));
        let wrapper = learnt.wrapper.as_ref();
        let lists = Lists { sibling, template, learnt, addresses: &self.addresses, settings };
        let is_list = |body: &Body| lists.is_list(body);
        let wanted = Demands { part: hints.part, is_list: &is_list, page_type };
        let extract = || extract(sibling, &template.id, wrapper, body, wanted, settings);
        // Only grove compares siblings.
        let wall = |article: &Article| {
            learnt.judgement()?;
            walls::reason(article, sibling.page, &template.repeated)
        };
        let extracted = || {
            let mut article = extract()?;
            if let Some(reason) = wall(&article) {
                return Err(reason);
            }
            if learnt.judgement().is_some() {
                walls::note_paywall(&mut article, &template.repeated);
            }
            Ok(article)
        };
        meter.step(Step::Extract, || match extracted() {
            Ok(article) => Applied {
                characters: character_counts(&sibling.page.document, &article),
                outcome: Outcome::Article(Box::new(article)),
                template: None,
                way,
            },
            Err(reason) => {
                let drop = self.drop_parsed(sibling.page, Stage::Extract, reason);
                Applied { way, ..Applied::dropped(drop) }
            }
        })
    }

    /// The first round of learning that has a template for a page, or drops its kind, decides.
    fn assign(&self, sibling: &Sibling<'_>, settings: &Settings) -> Assigned {
        let tells = |round: &Layouts| match round.assign(sibling, &self.addresses, settings) {
            Assigned::No => None,
            Assigned::Kind(kind)
                if refusal(kind, sibling.page, &self.addresses, settings).is_none() =>
            {
                None
            }
            assigned => Some(assigned),
        };
        self.rounds.iter().find_map(tells).unwrap_or(Assigned::No)
    }

    /// Number of the template that a page belongs to.
    pub fn template_of(&self, sibling: &Sibling<'_>, settings: &Settings) -> Option<u32> {
        match self.assign(sibling, settings) {
            Assigned::Template(number) => Some(number),
            Assigned::Kind(_) | Assigned::No => None,
        }
    }

    /// The outcome of a page without a template: a model is learnt from this page alone. Its article has no
    /// template.
    pub fn apply_alone(
        &self,
        sibling: &Sibling<'_>,
        hints: Hints<'_>,
        settings: &Settings,
        meter: &dyn Meter,
    ) -> Applied {
        let alone = || {
            let evidence =
                Evidence { site: &self.head.site, addresses: &self.addresses, cut: false };
            let learning = learn_parsed(&evidence, &[*sibling], None, settings, meter);
            let hints = Hints { known: learning.known.first(), ..hints };
            learning.model.apply_unguarded(sibling, hints, settings, meter)
        };
        let mut applied = contain_panics(alone)
            .unwrap_or_else(|panic| self.failed(sibling.page.page, Stage::Extract, &panic));
        applied.template = None;
        match &mut applied.outcome {
            Outcome::Article(article) => article.template.clear(),
            Outcome::Drop(_) => {}
            // A model that was learnt from the page has a template for it, except beyond a limit.
            Outcome::Unassigned => {
                let drop = self.drop_parsed(sibling.page, Stage::Extract, DropReason::NoArticle);
                applied = Applied::dropped(drop);
            }
        }
        applied
    }

    fn drop_parsed(&self, parsed: &ParsedPage<'_>, stage: Stage, reason: DropReason) -> Drop {
        let reason = match reason {
            _ if parsed.document.notes().given_up => DropReason::TooMuchWork,
            DropReason::NoContent | DropReason::NoArticle if walls::is_script_shell(parsed) => {
                DropReason::ScriptShell
            }
            _ => reason,
        };
        self.drop_of(parsed.page, stage, reason)
    }

    /// The outcome of a page on which something panicked.
    fn failed(&self, page: &Page, stage: Stage, panic: &Contained) -> Applied {
        let detail =
            format!("processing this page failed: {panic}; please report it with the page");
        Applied::dropped(Drop { detail, ..self.drop_of(page, stage, DropReason::Internal) })
    }

    fn drop_of(&self, page: &Page, stage: Stage, reason: DropReason) -> Drop {
        Drop {
            site: self.head.site.clone(),
            url: page.url.clone(),
            origin: page.origin.clone(),
            stage,
            reason,
            detail: String::new(),
            gone: None,
        }
    }
}

impl Applied {
    /// A page that was dropped without being looked at.
    pub fn dropped(drop: Drop) -> Self {
        Self {
            outcome: Outcome::Drop(Box::new(drop)),
            template: None,
            way: Way::Other,
            characters: CharacterCounts::default(),
        }
    }

    fn unassigned() -> Self {
        Self {
            outcome: Outcome::Unassigned,
            template: None,
            way: Way::Other,
            characters: CharacterCounts::default(),
        }
    }
}
