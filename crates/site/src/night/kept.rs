//! What the store is to keep of a site's night: a revision of its model, retained pages, and its health;
//! and what changed about a site that was learnt anew: its templates before and after, each with an example page.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use model::{
    FeedItem, PageReading, Revision, SiteChange, SiteNight, SiteResult, TemplateChange,
    TemplateNight, Verdict,
};
use modelstore::{Retained, pack_pages};
use serde::{Deserialize, Serialize};
use sitemodel::{Applied, Outcome, SiblingPage, SiteModel, TemplateHealth};

use super::in_hand::{CandidatePage, template_id};
use crate::Work;
use crate::apply::Outcomes;
use crate::learn::parse;

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

/// Maximum number of templates that are shown of a site.
const MOST_TEMPLATES: usize = 3;
/// Maximum number of expressions that are shown of a template.
const MOST_EXPRESSIONS: usize = 4;
/// Maximum number of characters that are shown of a text.
const MOST_CHARACTERS: usize = 480;

/// Returns the templates of the new model whose pages it reads differently from the old model.
pub(crate) fn changed_templates(
    (old, before): (&SiteModel, &Outcomes),
    (new, after): (&SiteModel, &Outcomes),
    tonight: &[CandidatePage<'_>],
) -> Vec<TemplateChange> {
    let mut of_templates: BTreeMap<u32, Vec<(&str, usize)>> = BTreeMap::new();
    for page in tonight {
        let Some(at) = page.at else { continue };
        if let Some(template) = after.get(&at).and_then(|applied| applied.template) {
            of_templates.entry(template).or_default().push((page.url(), at));
        }
    }
    let change = |(template, mut pages): (u32, Vec<(&str, usize)>)| {
        pages.sort_unstable();
        let one = |&(url, at): &(&str, usize)| {
            let before = before.get(&at).and_then(|applied| reading(old, applied));
            let after = reading(new, after.get(&at)?)?;
            let is_other = |is: &dyn Fn(&PageReading) -> bool| before.as_ref().is_none_or(is);
            let text = is_other(&|before| before.text != after.text);
            let paths = is_other(&|b| (&b.content, &b.prune) != (&after.content, &after.prune));
            (text || paths).then(|| (!text, url.to_owned(), before, after))
        };
        // A page whose text differs is the best example.
        let (_, url, before, after) =
            pages.iter().filter_map(one).min_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)))?;
        let (before, after) = from_the_difference(before, after);
        let id = template_id(new, template)?.to_owned();
        Some(TemplateChange { template: id, pages: pages.len() as u64, url, before, after })
    };
    let mut changes: Vec<TemplateChange> = of_templates.into_iter().filter_map(change).collect();
    changes.sort_by_key(|change| (Reverse(change.pages), change.template.clone()));
    changes.truncate(MOST_TEMPLATES);
    changes
}

/// Cuts the texts of two readings to a passage that begins shortly before they differ.
fn from_the_difference(
    before: Option<PageReading>,
    after: PageReading,
) -> (Option<PageReading>, PageReading) {
    let old = before.as_ref().map_or("", |before| &before.text);
    let same = old.char_indices().zip(after.text.char_indices()).take_while(|(a, b)| a == b);
    let same = match same.last() {
        Some(((at, _), _)) if old != after.text => at,
        _ => 0,
    };
    let ends = |(at, letter): (usize, char)| (letter == '\n').then_some(at + 1);
    let from = old[..same].char_indices().filter_map(ends).next_back().unwrap_or(0);
    // The passage includes the paragraph before the one that differs.
    let above = old.get(..from.saturating_sub(2)).and_then(|above| above.rfind("\n\n"));
    let from = above.map_or(0, |at| at + 2);
    let cut = |reading: PageReading| {
        let mut passage = String::from(if from > 0 { "…" } else { "" });
        let rest = reading.text.get(from..).unwrap_or_default();
        passage.extend(rest.chars().take(MOST_CHARACTERS));
        if rest.chars().nth(MOST_CHARACTERS).is_some() {
            passage.push('…');
        }
        PageReading { text: passage, ..reading }
    };
    (before.map(cut), cut(after))
}

/// Returns what changed in a night, if it is news: changes of pages are news, templates learnt from more pages are not.
pub(crate) fn site_change(
    update: &SiteNight,
    templates: Vec<TemplateChange>,
) -> Option<SiteChange> {
    let is_news = update.health.verdict >= Verdict::Drifting || tells_of_pages(&update.decision);
    (is_news && !templates.is_empty()).then(|| SiteChange {
        night: update.night.clone(),
        verdict: update.health.verdict,
        reason: update.reason.clone(),
        model_revision: update.model_revision,
        templates,
    })
}

/// Whether a decision was made because the site's pages changed.
pub(crate) fn tells_of_pages(decision: &str) -> bool {
    matches!(decision, "replace" | "relearn" | "add-templates")
}

/// Returns how a model reads a page; `None` if it has no template for it.
fn reading(model: &SiteModel, applied: &Applied) -> Option<PageReading> {
    let template = model.templates().get(applied.template? as usize)?;
    let mut reading = PageReading::default();
    if let Some(wrapper) = template.wrapper() {
        let some = |of: &[String]| of.iter().take(MOST_EXPRESSIONS).cloned().collect();
        (reading.content, reading.prune) = (some(&wrapper.content), some(&wrapper.prune));
    }
    if let Outcome::Article(article) = &applied.outcome {
        reading.text.clone_from(&article.text);
        reading.characters = article.text.chars().count() as u64;
        reading.confidence = Some((article.confidence * 10_000.0).round() / 10_000.0);
    }
    Some(reading)
}
