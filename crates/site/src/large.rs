//! A site that is processed in batches: its pages are loaded when they are needed; or other processes applied models to
//! them, and what came of each is looked up.

use std::collections::BTreeMap;
use std::io;

use model::{CharacterCounts, Extracted, Page, WrittenSiteConfig};
use segment::stored::StoredPage;
use sitemodel::{Outcome, ParsedPage, SiteModel};

use super::Work;
use super::made::SiteStepOutputs;
use super::night::Begun;
use crate::apply::{ApplyContext, Findings, Outcomes, Unassigned, found};
use crate::learn::{ParsedPages, Surveyed, parse};
use crate::site_configs::site_configs;

/// Where models, and what comes of pages by them, are from.
pub enum LargeSite<'a> {
    /// This process. It keeps the pages of the samples where site configs are to be written.
    Here(Vec<(usize, Page)>),
    /// Others, which wrote them down.
    Made(SiteStepOutputs<'a>),
}

impl LargeSite<'_> {
    /// The model that the site is begun with.
    ///
    /// # Errors
    /// If a page, the store or what others wrote cannot be read.
    pub fn begin(&mut self, work: &Work<'_>, site: &mut Surveyed) -> io::Result<Begun> {
        match self {
            Self::Here(samples) => {
                let pages = work.load(&work.sample())?;
                let begun = work.begin(site, &parse(&pages, work.settings, work.clock))?;
                work.keep_sample(pages, samples);
                Ok(begun)
            }
            Self::Made(made) => {
                work.begin_from_other_process(site)?;
                let model = made.model(1)?;
                let (unassigned, night) = made.decided()?;
                Ok(Begun { unassigned, night, ..Begun::of(model) })
            }
        }
    }

    /// What comes of pages by a model.
    pub(crate) fn apply(
        &self,
        work: &Work<'_>,
        applying: &ApplyContext<'_>,
        pages: &[usize],
        then: Unassigned,
    ) -> io::Result<Findings> {
        match self {
            Self::Here(_) => {
                let pages = work.load(pages)?;
                let parsed = parse(&pages, work.settings, work.clock);
                let outcomes = applying.apply(&parsed, &BTreeMap::new(), then, Outcomes::new());
                Ok(found(&work.key, &parsed, outcomes))
            }
            Self::Made(made) => made.findings(pages, &work.pages, then),
        }
    }

    /// Adds templates for unassigned pages to a model.
    ///
    /// # Errors
    /// If a page or what others wrote cannot be read.
    pub fn learn_further(
        &mut self,
        work: &Work<'_>,
        site: &Surveyed,
        pages: &[usize],
        model: &SiteModel,
    ) -> io::Result<SiteModel> {
        match self {
            Self::Here(samples) => {
                let pages = work.load(&work.sample_of(pages))?;
                let parsed = parse(&pages, work.settings, work.clock);
                let (model, _) = work.learn(site, &parsed, Some(model));
                drop(parsed);
                work.keep_sample(pages, samples);
                Ok(model)
            }
            Self::Made(made) => made.model(2),
        }
    }

    /// The articles of other captures, each with the index of the page of its address.
    pub(crate) fn captures(
        &self,
        work: &Work<'_>,
        applying: &ApplyContext<'_>,
        captures: Vec<(usize, StoredPage)>,
    ) -> io::Result<Vec<(Extracted, CharacterCounts)>> {
        match self {
            Self::Here(_) => {
                let pages = work.load_captures(captures)?;
                Ok(applying.captures(&parse(&pages, work.settings, work.clock)))
            }
            Self::Made(made) => made.captures(captures),
        }
    }

    /// Site configs of what was learnt, from the pages of the samples.
    pub(crate) fn site_configs(
        &self,
        work: &Work<'_>,
        applying: &ApplyContext<'_>,
    ) -> io::Result<Vec<WrittenSiteConfig>> {
        match self {
            _ if !work.wants_site_configs() => Ok(Vec::new()),
            Self::Here(samples) => {
                Ok(learnt_site_configs(applying, &parse(samples, work.settings, work.clock)))
            }
            Self::Made(made) => made.site_configs(),
        }
    }
}

impl Work<'_> {
    fn keep_sample(&self, pages: Vec<(usize, Page)>, samples: &mut Vec<(usize, Page)>) {
        if self.wants_site_configs() {
            samples.extend(pages);
        }
    }
}

/// Site configs of what the final model finds on the pages of the samples.
pub fn learnt_site_configs(
    applying: &ApplyContext<'_>,
    samples: &ParsedPages<'_>,
) -> Vec<WrittenSiteConfig> {
    let outcomes = applying.apply(samples, &BTreeMap::new(), Unassigned::Alone, Outcomes::new());
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
