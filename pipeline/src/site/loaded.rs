//! A site whose pages this process has: in memory, parsed once; or on disk, loaded batch by batch.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use model::{CharacterCounts, Extracted, Page, SiteConfigFile};
use sitemodel::{Known, Outcome, ParsedPage, SiteModel};

use super::night::Begun;
use super::{Hand, Work};
use crate::shuffle::stored::Stored;
use crate::site_configs::site_configs;
use crate::stages::apply::{Applying, Findings, Outcomes, Unassigned, found};
use crate::stages::learn::{ParsedPages, Surveyed, parse};

/// A site whose pages are parsed, all of them.
pub(super) struct InMemory<'p> {
    parsed: ParsedPages<'p>,
    /// What learning found out about pages, and what came of them by the model that the site is begun with.
    known: BTreeMap<usize, Known>,
    applied: Outcomes,
    /// Pages that a second round learnt from.
    further: Vec<usize>,
}

impl<'p> InMemory<'p> {
    pub(super) fn new(parsed: ParsedPages<'p>) -> Self {
        Self { parsed, known: BTreeMap::new(), applied: Outcomes::new(), further: Vec::new() }
    }

    /// Takes some pages out.
    fn take(&mut self, pages: &[usize]) -> ParsedPages<'p> {
        let wanted: BTreeSet<usize> = pages.iter().copied().collect();
        let (taken, rest) =
            std::mem::take(&mut self.parsed).into_iter().partition(|(at, _)| wanted.contains(at));
        self.parsed = rest;
        taken
    }
}

impl Hand for InMemory<'_> {
    fn begin(&mut self, work: &Work<'_>, site: &mut Surveyed) -> io::Result<Begun> {
        let mut begun = work.begin(site, &self.parsed)?;
        self.known = std::mem::take(&mut begun.known);
        self.applied = std::mem::take(&mut begun.applied);
        Ok(begun)
    }

    fn apply(
        &mut self,
        work: &Work<'_>,
        applying: &Applying<'_>,
        pages: &[usize],
        then: Unassigned,
    ) -> io::Result<Findings> {
        let taken = self.take(pages);
        let done = std::mem::take(&mut self.applied);
        let outcomes = applying.apply_further(&taken, &self.known, then, done);
        let findings = found(&work.key, &taken, outcomes);
        self.parsed.extend(taken);
        Ok(findings)
    }

    fn learn_further(
        &mut self,
        work: &Work<'_>,
        site: &Surveyed,
        pages: &[usize],
        model: &SiteModel,
    ) -> io::Result<SiteModel> {
        let left = self.take(pages);
        let (model, known) = work.learn(site, &left, Some(model));
        self.known = known;
        self.parsed.extend(left);
        self.further = work.sample_of(pages);
        Ok(model)
    }

    fn captures(
        &mut self,
        work: &Work<'_>,
        applying: &Applying<'_>,
        captures: Vec<(usize, Stored)>,
    ) -> io::Result<Vec<(Extracted, CharacterCounts)>> {
        work.try_captures(applying, captures)
    }

    fn site_configs(
        &mut self,
        work: &Work<'_>,
        applying: &Applying<'_>,
    ) -> io::Result<Vec<SiteConfigFile>> {
        let pages = [work.sample(), std::mem::take(&mut self.further)].concat();
        let taken = self.take(&pages);
        Ok(learnt_site_configs(applying, &taken))
    }
}

/// A site whose pages are loaded when they are needed.
#[derive(Default)]
pub(crate) struct Batched {
    /// The pages of the samples, where site configs are to be written.
    samples: Vec<(usize, Page)>,
}

impl Batched {
    fn keep(&mut self, work: &Work<'_>, pages: Vec<(usize, Page)>) {
        if work.wants_site_configs() {
            self.samples.extend(pages);
        }
    }
}

impl Hand for Batched {
    fn begin(&mut self, work: &Work<'_>, site: &mut Surveyed) -> io::Result<Begun> {
        let pages = work.load(&work.sample())?;
        let begun = work.begin(site, &parse(&pages, work.settings, work.clock))?;
        self.keep(work, pages);
        Ok(begun)
    }

    fn apply(
        &mut self,
        work: &Work<'_>,
        applying: &Applying<'_>,
        pages: &[usize],
        then: Unassigned,
    ) -> io::Result<Findings> {
        let pages = work.load(pages)?;
        let parsed = parse(&pages, work.settings, work.clock);
        let outcomes = applying.apply(&parsed, &BTreeMap::new(), then);
        Ok(found(&work.key, &parsed, outcomes))
    }

    fn learn_further(
        &mut self,
        work: &Work<'_>,
        site: &Surveyed,
        pages: &[usize],
        model: &SiteModel,
    ) -> io::Result<SiteModel> {
        let pages = work.load(&work.sample_of(pages))?;
        let parsed = parse(&pages, work.settings, work.clock);
        let (model, _) = work.learn(site, &parsed, Some(model));
        drop(parsed);
        self.keep(work, pages);
        Ok(model)
    }

    fn captures(
        &mut self,
        work: &Work<'_>,
        applying: &Applying<'_>,
        captures: Vec<(usize, Stored)>,
    ) -> io::Result<Vec<(Extracted, CharacterCounts)>> {
        work.try_captures(applying, captures)
    }

    fn site_configs(
        &mut self,
        work: &Work<'_>,
        applying: &Applying<'_>,
    ) -> io::Result<Vec<SiteConfigFile>> {
        let parsed = parse(&self.samples, work.settings, work.clock);
        Ok(learnt_site_configs(applying, &parsed))
    }
}

impl Work<'_> {
    /// The articles of captures.
    fn try_captures(
        &self,
        applying: &Applying<'_>,
        captures: Vec<(usize, Stored)>,
    ) -> io::Result<Vec<(Extracted, CharacterCounts)>> {
        let pages = self.load_captures(captures)?;
        Ok(applying.captures(&parse(&pages, self.settings, self.clock)))
    }
}

/// Site configs of what the final model finds on the pages of the samples.
pub(crate) fn learnt_site_configs(
    applying: &Applying<'_>,
    samples: &ParsedPages<'_>,
) -> Vec<SiteConfigFile> {
    let outcomes = applying.apply(samples, &BTreeMap::new(), Unassigned::Alone);
    let articles = outcomes.into_values().filter_map(|applied| match applied.outcome {
        Outcome::Article(article) => Some(*article),
        _ => None,
    });
    let mut articles: Vec<Extracted> = articles.collect();
    articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
    let parsed: Vec<&ParsedPage<'_>> =
        samples.iter().filter_map(|(_, page)| page.as_ref().ok()).collect();
    site_configs(&articles, applying.model, &parsed)
}
