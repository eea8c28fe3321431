//! The page about a site: what was learnt about it, the evidence, and sample pages with their blocks.

mod blocks;
mod evidence;
mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::{Article, FeedItem, Origin, TemplateCorrection, TemplateKind, TemplateSummary};
use sink::{DropRecord, Ledger};
use sitemodel::{ParsedPage, Settings};
use xxhash_rust::xxh3::xxh3_64;

use crate::readable::count;
use blocks::{PageReadAgain, read_blocks};
use evidence::{PatternTable, TemplateEvidence, find_evidence};

/// The records of one site in a run folder.
#[derive(Debug)]
pub struct SiteRecords {
    /// The site's key.
    pub site: String,
    /// The ledger of the run.
    pub ledger: Arc<Ledger>,
    /// The templates as in `wrappers/SITE.json`.
    pub templates: Vec<TemplateSummary>,
    /// In the order of `articles.jsonl`.
    pub articles: Vec<Article>,
    /// In the order of `dropped.jsonl`.
    pub drops: Vec<DropRecord<'static>>,
}

/// The pages of a site that could be read again, parsed and sorted into templates.
#[derive(Debug)]
pub struct PagesAgain<'a> {
    /// In the order of the site.
    pub pages: &'a [ParsedPage<'a>],
    /// For each page, the feed items that point to it.
    pub feed_items: &'a [Vec<&'a FeedItem>],
    /// The templates that were learnt from the pages.
    pub templates: Vec<TemplatePages>,
    /// Index of a page by its origin.
    pub by_origin: BTreeMap<&'a Origin, u32>,
}

/// A template that was learnt from the pages read again.
#[derive(Debug)]
pub struct TemplatePages {
    /// Its id.
    pub id: String,
    /// Its pages, in the order in which they are sampled.
    pub members: Vec<u32>,
    /// The corrections that it was learnt from.
    pub corrections: Vec<TemplateCorrection>,
}

/// Differences between the run and the pages read again, one sentence each.
#[derive(Debug, Default)]
pub struct WhatDiffers {
    /// Missing and changed inputs.
    pub inputs: Vec<String>,
    /// Changed settings, weights and models.
    pub settings: Vec<String>,
    /// Archives without a page of the site, which were not read; their feed items are missing.
    pub unread: usize,
}

/// A site for display.
pub struct SiteView<'a> {
    records: &'a SiteRecords,
    /// Notes for the reader, shown first.
    pub notes: Vec<String>,
    templates: Vec<TemplateView<'a>>,
    /// Drops without a template.
    drops: Vec<&'a DropRecord<'static>>,
}

struct TemplateView<'a> {
    line: &'a TemplateSummary,
    articles: usize,
    drops: Vec<&'a DropRecord<'static>>,
    patterns: Option<PatternTable>,
    samples: Vec<ShownPage<'a>>,
    notes: Vec<String>,
}

struct ShownPage<'a> {
    outcome: PageOutcome<'a>,
    /// `None` if the page could not be read again.
    reading: Option<PageReadAgain>,
    signifiers: Vec<(String, f64)>,
}

#[derive(Clone, Copy)]
enum PageOutcome<'a> {
    Article(&'a Article),
    Drop(&'a DropRecord<'static>),
}

impl<'a> PageOutcome<'a> {
    fn url(self) -> &'a str {
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

impl<'a> SiteView<'a> {
    /// Builds the view of a site, with at most `most` sample pages per template.
    pub fn new(
        records: &'a SiteRecords,
        again: Option<&PagesAgain<'_>>,
        differs: &WhatDiffers,
        settings: &Settings,
        most: usize,
    ) -> Self {
        let outcomes: Vec<PageOutcome<'a>> = (records.articles.iter().map(PageOutcome::Article))
            .chain(records.drops.iter().map(PageOutcome::Drop))
            .collect();
        let mut shown: BTreeSet<&Origin> = BTreeSet::new();
        let mut templates = Vec::new();
        for line in &records.templates {
            let now = again.and_then(|again| Some((again, find_template(line, records, again)?)));
            let members: BTreeSet<u32> =
                now.iter().flat_map(|(_, template)| template.members.iter().copied()).collect();
            let belongs = |outcome: &PageOutcome<'_>| match outcome {
                PageOutcome::Article(article) => article.template == line.id,
                PageOutcome::Drop(drop) => {
                    let index = again.and_then(|again| again.by_origin.get(&*drop.origin));
                    index.is_some_and(|index| members.contains(index))
                }
            };
            let mut own: Vec<PageOutcome<'a>> = outcomes.iter().copied().filter(belongs).collect();
            shown.extend(own.iter().map(|outcome| outcome.origin()));
            // Pages of the sample come first, in its order; pages without an article last.
            own.sort_by_cached_key(|outcome| {
                let url = outcome.url();
                (outcome.article().is_none(), xxh3_64(url.as_bytes()), url)
            });
            templates.push(TemplateView::new(line, &own, now, settings, most));
        }
        let drops = records.drops.iter().filter(|drop| !shown.contains(&*drop.origin)).collect();
        Self { records, notes: notes_of(records, again, differs), templates, drops }
    }
}

/// The recomputed template for a template of the run: the one with the same id, or the one with most of its
/// articles.
fn find_template<'p>(
    line: &TemplateSummary,
    records: &SiteRecords,
    pages: &'p PagesAgain<'_>,
) -> Option<&'p TemplatePages> {
    if let Some(same) = pages.templates.iter().find(|template| template.id == line.id) {
        return Some(same);
    }
    let of_run = records.articles.iter().filter(|article| article.template == line.id);
    let indices: BTreeSet<u32> =
        of_run.filter_map(|article| pages.by_origin.get(&article.origin).copied()).collect();
    let votes = |template: &TemplatePages| {
        template.members.iter().filter(|index| indices.contains(index)).count()
    };
    pages.templates.iter().rev().max_by_key(|template| votes(template)).filter(|t| votes(t) > 0)
}

impl<'a> TemplateView<'a> {
    fn new(
        line: &'a TemplateSummary,
        own: &[PageOutcome<'a>],
        again: Option<(&PagesAgain<'_>, &TemplatePages)>,
        settings: &Settings,
        most: usize,
    ) -> Self {
        let articles = own.iter().filter(|outcome| outcome.article().is_some()).count();
        // Pages of lists and the like have no article to show; one of them can be corrected.
        let is_shown = line.kind == TemplateKind::Article || articles > 0;
        let samples = if is_shown { most } else { most.min(1) };
        let samples = &own[..own.len().min(samples)];
        let index = |outcome: &PageOutcome<'_>| {
            again.and_then(|(pages, _)| pages.by_origin.get(outcome.origin()).copied())
        };
        let needed: Vec<u32> = samples.iter().filter_map(index).collect();
        let known = match again {
            Some((pages, template)) if !needed.is_empty() => {
                find_evidence(pages, template, settings, &needed)
            }
            _ => TemplateEvidence::default(),
        };
        let view = |outcome: &PageOutcome<'a>| {
            let index = index(outcome);
            let own = index.and_then(|index| known.pages.get(&index));
            let parsed = again.zip(index).map(|((pages, _), index)| &pages.pages[index as usize]);
            let mut reading = parsed.map(|parsed| read_blocks(parsed, outcome.article(), own));
            // Nothing of a dropped page is kept, whatever the scores of its blocks.
            if let (Some(reading), Some(table), Some(_)) =
                (&mut reading, &known.patterns, outcome.article())
            {
                reading.mark(table.threshold);
            }
            ShownPage {
                outcome: *outcome,
                reading,
                signifiers: own.map(|own| own.signifiers.clone()).unwrap_or_default(),
            }
        };
        let samples: Vec<ShownPage<'a>> = samples.iter().map(view).collect();
        let mut notes = Vec::new();
        if known.failed {
            notes.push(
                "Judging this layout again failed, so that there are no scores; please report it."
                    .to_owned(),
            );
        }
        notes.extend(again.iter().flat_map(|(_, template)| &template.corrections).map(note_of));
        let now = again.map_or(line.pages, |(_, template)| template.members.len());
        if now != line.pages {
            notes.push(format!(
                "The run had {} pages of this layout; read again there are {now}. Scores and patterns are \
                 those of the pages read again.",
                line.pages
            ));
        }
        let drops = own.iter().filter_map(|outcome| match outcome {
            PageOutcome::Drop(drop) => Some(*drop),
            PageOutcome::Article(_) => None,
        });
        Self { line, articles, drops: drops.collect(), patterns: known.patterns, samples, notes }
    }
}

fn note_of(correction: &TemplateCorrection) -> String {
    let TemplateCorrection { url, by, at, reason, blocks, .. } = correction;
    let given = |before: &str, text: &str| match text {
        "" => String::new(),
        text => format!("{before}{text}"),
    };
    format!(
        "Learnt with {} of {url}{}{}{}.",
        count(blocks.len(), "mark"),
        given(" by ", by),
        given(", ", at),
        given(": ", reason)
    )
}

fn notes_of(
    records: &SiteRecords,
    again: Option<&PagesAgain<'_>>,
    differs: &WhatDiffers,
) -> Vec<String> {
    let mut notes = differs.inputs.clone();
    let found = |origin: &Origin| again.is_some_and(|again| again.by_origin.contains_key(origin));
    let missing = records.articles.iter().filter(|article| !found(&article.origin)).count();
    if missing > 0 {
        notes.push(format!(
            "{missing} of {} pages with an article could not be read again: of these only what the run \
             folder holds is shown, without what was left out of them.",
            records.articles.len()
        ));
    }
    if again.is_some() {
        notes.extend(differs.settings.iter().cloned());
    }
    if again.is_some() && differs.unread > 0 && records.ledger.counts.feed_items > 0 {
        notes.push(format!(
            "{} of the run without a page of this site {} not read again. Feeds in {} are not known here, \
             so scores may differ slightly.",
            count(differs.unread, "archive"),
            if differs.unread == 1 { "was" } else { "were" },
            if differs.unread == 1 { "it" } else { "them" },
        ));
    }
    notes
}
