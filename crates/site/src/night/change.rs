//! Describes what changed about a site that was learnt anew: its templates before and after, each with an example page.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::{PageReading, SiteChange, SiteNight, TemplateChange, Verdict};
use sitemodel::{Applied, Outcome, SiteModel};

use crate::apply::Outcomes;
use crate::night::in_hand::{CandidatePage, template_id};

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
