//! What the store is to keep of a site's night: a revision of its model, retained pages, and its health.

use std::collections::BTreeMap;
use std::io;

use model::{FeedItem, Revision, SiteChange, SiteNight, SiteResult, TemplateNight, Verdict};
use modelstore::{Retained, pack_pages};
use serde::{Deserialize, Serialize};
use sitemodel::{SiblingPage, SiteModel, TemplateHealth};

use crate::Work;
use crate::learn::parse;
use crate::night::in_hand::template_id;

/// Which model becomes the new revision.
#[derive(Deserialize, Serialize)]
pub(crate) enum NewRevision {
    /// The final model of the site, for this reason.
    Final(String),
    /// The model of the first round: what the second round learns comes from walls.
    Initial(Box<Revision>),
}

/// What the store is to keep of a site's night.
#[derive(Deserialize, Serialize)]
pub struct Night {
    pub(crate) update: SiteNight,
    /// Whether the store already contains the run: then nothing is kept.
    pub(crate) is_known: bool,
    pub(crate) revision: Option<NewRevision>,
    /// Templates that the model had at the beginning.
    pub(crate) templates: usize,
    pub(crate) change: Option<SiteChange>,
    pub(crate) retained: Option<Vec<Retained>>,
}

impl Night {
    /// A night of which nothing is to be kept.
    pub(crate) fn known(update: SiteNight, templates: usize, change: Option<SiteChange>) -> Self {
        Self { update, is_known: true, revision: None, templates, change, retained: None }
    }

    /// Writes the model's revision and the verdict on its template on every article. A template without a page in tonight's
    /// sample has no verdict: its articles get the worst one of the others, also if this run was committed before.
    pub(crate) fn stamp(&self, result: &mut SiteResult) {
        let judged = self.update.templates.iter().filter(|own| own.pages > 0);
        let of_templates: BTreeMap<&str, Verdict> =
            judged.map(|own| (&*own.template, own.verdict)).collect();
        let worst = of_templates.values().copied().max().unwrap_or_default();
        for article in &mut result.articles {
            let own = of_templates.get(&*article.template).copied();
            article.model_revision = Some(self.update.model_revision);
            article.health = Some(own.unwrap_or(worst));
        }
    }

    /// Adds to the site's last result what the store is to keep of the night, once the model is final.
    pub(crate) fn finish(
        mut self,
        model: &SiteModel,
        work: &Work<'_>,
        result: &mut SiteResult,
    ) -> io::Result<()> {
        self.stamp(result);
        let update = &mut self.update;
        if !self.is_known {
            let is_final = matches!(self.revision, None | Some(NewRevision::Final(_)));
            for template in model.templates().iter().skip(self.templates) {
                let is_new = update.templates.iter().all(|own| own.template != template.id);
                if is_new && is_final && !update.second_round {
                    update.templates.push(of_new(template));
                }
            }
            update.templates.sort_by(|a, b| a.template.cmp(&b.template));
            update.templates.dedup_by(|a, b| a.template == b.template);
            update.revision = self.revision.map(|new| match new {
                NewRevision::Final(reason) => revision(model, update.model_revision, reason),
                NewRevision::Initial(revision) => *revision,
            });
            if let Some(mut retained) = self.retained {
                if is_final {
                    place(&mut retained, model, work);
                }
                update.sample = Some(pack_pages(&retained)?);
            }
        }
        update.change = self.change;
        result.night = Some(Box::new(self.update));
        Ok(())
    }
}

/// Assigns retained pages without a template to the templates that the final model has for them.
fn place(retained: &mut [Retained], model: &SiteModel, work: &Work<'_>) {
    for own in retained.iter_mut().filter(|own| own.template.is_empty()) {
        let pages = [(0, own.page.clone())];
        let items: Vec<&FeedItem> = own.items.iter().collect();
        let parsed = parse(&pages, work.settings, work.clock);
        let id = parsed.first().and_then(|(_, page)| {
            let sibling = SiblingPage { page: page.as_ref().ok()?, feed_items: &items };
            template_id(model, model.template_of(&sibling, work.settings)?)
        });
        own.template = id.unwrap_or_default().to_owned();
    }
}

pub(crate) fn of_new(template: &sitemodel::Template) -> TemplateNight {
    TemplateNight {
        template: template.id.clone(),
        by_wrapper_expected: template.expected.share_by_wrapper(),
        confidence_expected: template.expected.mean_confidence(),
        ..TemplateNight::default()
    }
}

pub(crate) fn revision(model: &SiteModel, number: u32, reason: String) -> Revision {
    let head = model.head();
    let hex = |digest: &[u8; 32]| data_encoding::HEXLOWER.encode(digest);
    Revision {
        number,
        reason,
        pages: head.pages,
        templates: model.templates().len() as u64,
        format: sitemodel::FORMAT,
        engine: head.engine.clone(),
        weights: head.weights.as_ref().map(hex),
        settings: hex(&head.settings),
        model: model.to_bytes(),
    }
}

/// Loss of mean confidence from which the articles of a template are drifting, and broken.
const LESS_SURE: f64 = 0.25;
const UNSURE: f64 = 0.5;
/// Loss from which they are broken if the pages extracted by themselves agree with less than `DISPUTED` of the text.
const LESS_SURE_AND_DISPUTED: f64 = 0.1;
const DISPUTED: f64 = 0.3;

/// Judges a template by its articles: if they are as good as before, it is no fault that its wrapper finds fewer of them.
fn of_articles(own: &TemplateHealth) -> Verdict {
    let lost = own.confidence_expected - own.confidence;
    let is_disputed = own.agreement.is_some_and(|agreement| agreement < DISPUTED);
    match own.verdict {
        Verdict::TooFewPages => Verdict::TooFewPages,
        _ if lost >= UNSURE || is_disputed && lost >= LESS_SURE_AND_DISPUTED => Verdict::Broken,
        _ if lost >= LESS_SURE || is_disputed => Verdict::Drifting,
        _ => Verdict::Healthy,
    }
}

pub(crate) fn template_night(id: &str, own: &TemplateHealth) -> TemplateNight {
    TemplateNight {
        template: id.to_owned(),
        verdict: of_articles(own),
        pages: own.pages,
        by_wrapper: own.by_wrapper,
        by_wrapper_expected: own.by_wrapper_expected,
        confidence: own.confidence,
        confidence_expected: own.confidence_expected,
        agreement: own.agreement,
    }
}
