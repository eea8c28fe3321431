//! Builds the view of a site from its records and its pages.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use sink::TemplateRecord;
use sitemodel::{NoMeter, Sibling};
use xxhash_rust::xxh3::xxh3_64;

use super::evidence::{Evidence, PatternTable, evidence};
use super::reading::{Reading, reading};
use super::records::{DropLine, Records};
use super::reread::Reread;
use super::settings::Settings;
use crate::memory::weight;
use crate::numerals::count;
use crate::stages::learn::{ParsedSite, sample};
use model::{Article, Origin};

/// A site for display.
pub(super) struct SiteView<'a> {
    pub(super) records: &'a Records,
    /// Notes for the reader, shown first.
    pub(super) notes: Vec<String>,
    pub(super) templates: Vec<TemplateView<'a>>,
    /// Drops without a template.
    pub(super) drops: Vec<&'a DropLine>,
}

/// A template for display.
pub(super) struct TemplateView<'a> {
    pub(super) line: &'a TemplateRecord,
    pub(super) articles: usize,
    pub(super) drops: Vec<&'a DropLine>,
    pub(super) patterns: Option<PatternTable>,
    pub(super) samples: Vec<PageView<'a>>,
    pub(super) notes: Vec<String>,
}

/// A page for display.
pub(super) struct PageView<'a> {
    pub(super) outcome: Outcome<'a>,
    /// `None` if the page could not be read again.
    pub(super) reading: Option<Reading>,
    pub(super) signifiers: Vec<(String, f64)>,
}

/// The result of the run for a page.
#[derive(Clone, Copy)]
pub(super) enum Outcome<'a> {
    Article(&'a Article),
    Drop(&'a DropLine),
}

impl<'a> Outcome<'a> {
    pub(super) fn url(self) -> &'a str {
        match self {
            Self::Article(article) => &article.url,
            Self::Drop(drop) => &drop.url,
        }
    }

    fn origin(self) -> &'a Origin {
        match self {
            Self::Article(article) => &article.origin,
            Self::Drop(drop) => &drop.origin,
        }
    }

    fn article(self) -> Option<&'a Article> {
        match self {
            Self::Article(article) => Some(article),
            Self::Drop(_) => None,
        }
    }
}

/// The pages of the site that could be read again, parsed and sorted into templates.
struct Pages<'a> {
    site: ParsedSite<'a>,
    templates: Vec<TemplateNow>,
    /// Index of a page by its origin.
    by_origin: BTreeMap<Origin, u32>,
}

/// A template as it is learnt from the pages read again.
struct TemplateNow {
    id: String,
    /// Its pages, in the order in which they are sampled.
    members: Vec<u32>,
}

impl<'a> Pages<'a> {
    fn of(reread: &'a Reread, settings: &Settings) -> Option<Self> {
        let of_site = reread.site.as_ref()?;
        let (stored, settings) = (settings.stored_model(&of_site.key), &settings.config.settings());
        let site = ParsedSite::of(of_site, settings);
        let items = site.items();
        let sibling = |at: usize| Sibling { page: &site.pages[at], feed_items: &items[at] };
        let model = stored.unwrap_or_else(|| {
            let weights = of_site.pages.iter().map(|page| (&*page.url, weight(&page.html)));
            let chosen = sample(weights, settings);
            let siblings: Vec<Sibling<'_>> = chosen.chosen.iter().map(|&at| sibling(at)).collect();
            site.surveyed.learn(&siblings, chosen.cut_by_bytes, None, settings, &NoMeter).model
        });
        let assigned: Vec<Option<u32>> = (0..site.pages.len())
            .into_par_iter()
            .map(|at| model.template_of(&sibling(at), settings))
            .collect();
        let members = |number: u32| {
            let own = (0..).zip(&assigned).filter(move |(_, to)| **to == Some(number));
            site.in_sample_order(own.map(|(at, _)| at))
        };
        let templates = (0..).zip(model.templates()).map(|(number, template)| TemplateNow {
            id: template.id.clone(),
            members: members(number),
        });
        let templates = templates.collect();
        let by_origin = of_site.pages.iter().map(|page| page.origin.clone()).zip(0..).collect();
        drop(items);
        Some(Self { site, templates, by_origin })
    }
}

/// Builds the view of a site, with at most `most` sample pages per template.
pub(super) fn look<'a>(
    records: &'a Records,
    settings: &Settings,
    reread: &Reread,
    most: usize,
) -> SiteView<'a> {
    let pages = Pages::of(reread, settings);
    let outcomes: Vec<Outcome<'a>> = (records.articles.iter().map(Outcome::Article))
        .chain(records.drops.iter().map(Outcome::Drop))
        .collect();
    let mut shown: BTreeSet<&Origin> = BTreeSet::new();
    let mut templates = Vec::new();
    for line in &records.templates {
        let again = pages.as_ref().and_then(|pages| Some((pages, again(line, records, pages)?)));
        let origins_again: BTreeSet<u32> =
            again.iter().flat_map(|(_, template)| template.members.iter().copied()).collect();
        let belongs = |outcome: &Outcome<'_>| match outcome {
            Outcome::Article(article) => article.template == line.id,
            Outcome::Drop(drop) => {
                let index = pages.as_ref().and_then(|p| p.by_origin.get(&drop.origin));
                index.is_some_and(|index| origins_again.contains(index))
            }
        };
        let mut own: Vec<Outcome<'a>> = outcomes.iter().copied().filter(belongs).collect();
        shown.extend(own.iter().map(|outcome| outcome.origin()));
        // Pages of the sample come first, in its order; pages without an article last.
        own.sort_by_cached_key(|outcome| {
            let url = outcome.url();
            (outcome.article().is_none(), xxh3_64(url.as_bytes()), url)
        });
        templates.push(template(line, &own, again, settings, most));
    }
    let no_template = |outcome: &Outcome<'a>| match outcome {
        Outcome::Drop(drop) if !shown.contains(&drop.origin) => Some(*drop),
        _ => None,
    };
    let drops = outcomes.iter().filter_map(no_template).collect();
    SiteView { records, notes: notes(records, settings, reread, pages.as_ref()), templates, drops }
}

/// The recomputed template for a template of the run: the one with the same id, or the one with most of its
/// articles.
fn again<'p>(
    line: &TemplateRecord,
    records: &Records,
    pages: &'p Pages<'_>,
) -> Option<&'p TemplateNow> {
    if let Some(same) = pages.templates.iter().find(|template| template.id == line.id) {
        return Some(same);
    }
    let of_run = records.articles.iter().filter(|article| article.template == line.id);
    let indices: BTreeSet<u32> =
        of_run.filter_map(|article| pages.by_origin.get(&article.origin).copied()).collect();
    let votes = |template: &TemplateNow| {
        template.members.iter().filter(|index| indices.contains(index)).count()
    };
    pages.templates.iter().rev().max_by_key(|template| votes(template)).filter(|t| votes(t) > 0)
}

fn template<'a>(
    line: &'a TemplateRecord,
    own: &[Outcome<'a>],
    again: Option<(&Pages<'_>, &TemplateNow)>,
    settings: &Settings,
    most: usize,
) -> TemplateView<'a> {
    let articles = own.iter().filter(|outcome| outcome.article().is_some()).count();
    // Pages of lists and the like have no article to show.
    let samples = if line.kind == "article" || articles > 0 { most } else { 0 };
    let samples = &own[..own.len().min(samples)];
    let index = |outcome: &Outcome<'_>| {
        again.and_then(|(pages, _)| pages.by_origin.get(outcome.origin()).copied())
    };
    let needed: Vec<u32> = samples.iter().filter_map(index).collect();
    let known = match again {
        Some((pages, template)) if !needed.is_empty() => {
            evidence(&pages.site, &template.members, &settings.config, &needed)
        }
        _ => Evidence::default(),
    };
    let view = |outcome: &Outcome<'a>| {
        let index = index(outcome);
        let own = index.and_then(|index| known.pages.get(&index));
        let parsed = again.zip(index).map(|((pages, _), index)| &pages.site.pages[index as usize]);
        let mut reading = parsed.map(|parsed| reading(parsed, outcome.article(), own));
        // Of a page that was dropped nothing is kept, whatever its blocks score.
        if let (Some(reading), Some(table), Some(_)) =
            (&mut reading, &known.patterns, outcome.article())
        {
            reading.mark(table.threshold);
        }
        PageView {
            outcome: *outcome,
            reading,
            signifiers: own.map(|own| own.signifiers.clone()).unwrap_or_default(),
        }
    };
    let samples: Vec<PageView<'a>> = samples.iter().map(view).collect();
    let mut notes = Vec::new();
    if known.failed {
        notes.push(
            "Judging this layout again failed, so that there are no scores; please report it."
                .to_owned(),
        );
    }
    let now = again.map_or(line.pages, |(_, template)| template.members.len());
    if now != line.pages {
        notes.push(format!(
            "The run had {} pages of this layout; read again there are {now}. Scores and patterns are \
             those of the pages read again.",
            line.pages
        ));
    }
    let drops = own.iter().filter_map(|outcome| match outcome {
        Outcome::Drop(drop) => Some(*drop),
        Outcome::Article(_) => None,
    });
    TemplateView {
        line,
        articles,
        drops: drops.collect(),
        patterns: known.patterns,
        samples,
        notes,
    }
}

fn notes(
    records: &Records,
    settings: &Settings,
    reread: &Reread,
    pages: Option<&Pages<'_>>,
) -> Vec<String> {
    let mut notes = reread.problems.clone();
    let found = |origin: &Origin| pages.is_some_and(|pages| pages.by_origin.contains_key(origin));
    let missing = records.articles.iter().filter(|article| !found(&article.origin)).count();
    if missing > 0 {
        notes.push(format!(
            "{missing} of {} pages with an article could not be read again: of these only what the run \
             folder holds is shown, without what was left out of them.",
            records.articles.len()
        ));
    }
    if pages.is_some() {
        notes.extend(settings.differences.iter().cloned());
    }
    if pages.is_some() && reread.unread > 0 && records.ledger.counts.feed_items > 0 {
        notes.push(format!(
            "{} of the run without a page of this site {} not read again. Feeds in {} are not known here, \
             so scores may differ slightly.",
            count(reread.unread, "archive"),
            if reread.unread == 1 { "was" } else { "were" },
            if reread.unread == 1 { "it" } else { "them" },
        ));
    }
    notes
}
