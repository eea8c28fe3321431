//! A site that is processed in batches. Either this process loads pages when it needs them, or other processes have
//! applied the models, and the outcomes are looked up.

use std::collections::BTreeMap;
use std::io;

use model::{CharacterCounts, Extracted, Page, WrittenSiteConfig};
use segment::stored::StoredPage;
use sitemodel::{ParsedPage, SiteModel};

use super::Work;
use super::made::SiteStepOutputs;
use super::night::InitialModel;
use crate::apply::{ApplyContext, Findings, Outcomes, Unassigned, found};
use crate::learn::{ParsedPages, Surveyed, parse};
use crate::site_configs::site_configs;

/// Where the models and the outcomes of pages come from.
pub enum LargeSite<'a> {
    /// From this process. It keeps the pages of the samples if site configs are to be written.
    InProcess(Vec<(usize, Page)>),
    /// From files that other processes wrote.
    FromSteps(SiteStepOutputs<'a>),
}

impl LargeSite<'_> {
    /// Returns the model that the site's pages are processed with first.
    ///
    /// # Errors
    /// If a page, the store, or a file of another process cannot be read.
    pub fn begin(&mut self, work: &Work<'_>, site: &mut Surveyed) -> io::Result<InitialModel> {
        match self {
            Self::InProcess(samples) => {
                let pages = work.load(&work.sample())?;
                let begun = work.begin(site, &parse(&pages, work.settings, work.clock))?;
                work.keep_sample(pages, samples);
                Ok(begun)
            }
            Self::FromSteps(made) => {
                work.begin_from_other_process(site)?;
                let model = made.model(1)?;
                let (unassigned, night) = made.decided()?;
                Ok(InitialModel { unassigned, night, ..InitialModel::of(model) })
            }
        }
    }

    /// Applies a model to pages, or looks up the outcomes.
    pub(crate) fn apply(
        &self,
        work: &Work<'_>,
        applying: &ApplyContext<'_>,
        pages: &[usize],
        then: Unassigned,
    ) -> io::Result<Findings> {
        match self {
            Self::InProcess(_) => {
                let pages = work.load(pages)?;
                let parsed = parse(&pages, work.settings, work.clock);
                let outcomes = applying.apply(&parsed, &BTreeMap::new(), then, Outcomes::new());
                Ok(found(&work.key, &parsed, outcomes))
            }
            Self::FromSteps(made) => made.findings(pages, &work.pages, then),
        }
    }

    /// Adds templates for unassigned pages to a model.
    ///
    /// # Errors
    /// If a page or a file of another process cannot be read.
    pub fn learn_further(
        &mut self,
        work: &Work<'_>,
        site: &Surveyed,
        pages: &[usize],
        model: &SiteModel,
    ) -> io::Result<SiteModel> {
        match self {
            Self::InProcess(samples) => {
                let pages = work.load(&work.sample_of(pages))?;
                let parsed = parse(&pages, work.settings, work.clock);
                let (model, _) = work.learn(site, &parsed, Some(model));
                drop(parsed);
                work.keep_sample(pages, samples);
                Ok(model)
            }
            Self::FromSteps(made) => made.model(2),
        }
    }

    /// Returns the articles of other captures, each given with the index of its page.
    pub(crate) fn captures(
        &self,
        work: &Work<'_>,
        applying: &ApplyContext<'_>,
        captures: Vec<(usize, StoredPage)>,
    ) -> io::Result<Vec<(Extracted, CharacterCounts)>> {
        match self {
            Self::InProcess(_) => {
                let pages = work.load_captures(captures)?;
                Ok(applying.captures(&parse(&pages, work.settings, work.clock)))
            }
            Self::FromSteps(made) => made.captures(captures),
        }
    }

    /// Returns site configs for what was learnt, tested on the pages of the samples.
    pub(crate) fn site_configs(
        &self,
        work: &Work<'_>,
        applying: &ApplyContext<'_>,
    ) -> io::Result<Vec<WrittenSiteConfig>> {
        match self {
            _ if !work.wants_site_configs() => Ok(Vec::new()),
            Self::InProcess(samples) => {
                Ok(learnt_site_configs(applying, &parse(samples, work.settings, work.clock)))
            }
            Self::FromSteps(made) => made.site_configs(),
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

/// Writes site configs for the articles that the final model finds on the pages of the samples.
pub fn learnt_site_configs(
    applying: &ApplyContext<'_>,
    samples: &ParsedPages<'_>,
) -> Vec<WrittenSiteConfig> {
    let outcomes = applying.apply(samples, &BTreeMap::new(), Unassigned::Alone, Outcomes::new());
    let articles = outcomes.into_values().filter_map(|applied| applied.outcome.into_article());
    let mut articles: Vec<Extracted> = articles.collect();
    articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
    let parsed: Vec<&ParsedPage<'_>> =
        samples.iter().filter_map(|(_, page)| page.as_ref().ok()).collect();
    site_configs(&articles, applying.model, &parsed)
}
