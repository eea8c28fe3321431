//! Learns a site again from its pages, with the settings of the run and the store of models that it used.

use anyhow::Result;
use model::{FeedItem, Site};
use modelstore::Store;
use rayon::prelude::*;
use report::{PagesAgain, SiteRecords, SiteView, TemplatePages, WhatDiffers};
use sink::Ledger;
use sitemodel::{NoMeter, Settings, Sibling, SiteModel};

use super::reread::Reread;
use crate::config::Config;
use crate::error_chain::error_chain;
use crate::memory::weight;
use crate::stages::learn::{ParsedSite, sample};

/// Settings and models to look at the sites of a run with.
pub(super) struct RunSettings {
    pub(super) config: Config,
    /// What differs from the run's, one sentence each; empty if nothing does.
    differences: Vec<String>,
    /// The store of models, if the run used one and it still holds what it held then.
    store: Option<Store>,
}

impl RunSettings {
    /// The settings that the ledger of a run names, and the store that it used.
    ///
    /// # Errors
    /// If the default settings cannot be read.
    pub(super) fn new(ledger: &Ledger) -> Result<Self> {
        let default = Config::load(None)?;
        let mut differences = Vec::new();
        let config = default.with(ledger.settings.clone()).unwrap_or_else(|error| {
            differences.push(assumed(
                &format!("The settings of the run cannot be used: {}", error_chain(&error)),
                "the default settings",
            ));
            default
        });
        if differences.is_empty() && config.hash() != ledger.config_hash {
            let what = match ledger.version.as_str() {
                env!("CARGO_PKG_VERSION") => {
                    "The weights or the site configs that the run used have changed".to_owned()
                }
                other => format!("The run was made by version {other}"),
            };
            differences.push(assumed(&what, "those of today"));
        }
        let store = open_store(&config, ledger).unwrap_or_else(|problem| {
            differences.push(assumed(&problem, "models learnt from this run's pages alone"));
            None
        });
        Ok(Self { config, differences, store })
    }

    /// The page about a site, with at most `most` sample pages for each template, and its notes.
    ///
    /// # Errors
    /// If the page cannot be written.
    pub(super) fn page_of_site(
        &self,
        records: &SiteRecords,
        reread: Reread,
        most: usize,
    ) -> Result<(String, Vec<String>)> {
        let settings = self.config.settings();
        let parsed = reread.site.as_ref().map(|site| (site, ParsedSite::of(site, &settings)));
        let items = parsed.as_ref().map(|(_, parsed)| parsed.items()).unwrap_or_default();
        let again = parsed
            .as_ref()
            .map(|(site, parsed)| self.sort_into_templates(site, parsed, &items, &settings));
        let differs = WhatDiffers {
            inputs: reread.problems,
            settings: self.differences.clone(),
            unread: reread.unread,
        };
        let view = SiteView::new(records, again.as_ref(), &differs, &settings, most);
        Ok((view.to_html()?, view.notes))
    }

    fn sort_into_templates<'a>(
        &self,
        site: &'a Site,
        parsed: &'a ParsedSite<'a>,
        items: &'a [Vec<&'a FeedItem>],
        settings: &Settings,
    ) -> PagesAgain<'a> {
        let sibling = |at: usize| Sibling { page: &parsed.pages[at], feed_items: &items[at] };
        let model = self.stored_model(&site.key).unwrap_or_else(|| {
            let weights = site.pages.iter().map(|page| (&*page.url, weight(&page.html)));
            let chosen = sample(weights, settings);
            let siblings: Vec<Sibling<'_>> = chosen.chosen.iter().map(|&at| sibling(at)).collect();
            let learning =
                parsed.surveyed.learn(&siblings, chosen.cut_by_bytes, None, settings, &NoMeter);
            learning.model
        });
        let assigned: Vec<Option<u32>> = (0..parsed.pages.len())
            .into_par_iter()
            .map(|at| model.template_of(&sibling(at), settings))
            .collect();
        let members = |number: u32| {
            let own = (0..).zip(&assigned).filter(move |(_, to)| **to == Some(number));
            parsed.in_sample_order(own.map(|(at, _)| at))
        };
        let templates = (0..).zip(model.templates()).map(|(number, template)| TemplatePages {
            id: template.id.clone(),
            members: members(number),
        });
        let origins = site.pages.iter().map(|page| &page.origin);
        PagesAgain {
            pages: &parsed.pages,
            feed_items: items,
            templates: templates.collect(),
            by_origin: origins.zip(0..).collect(),
        }
    }

    /// The model of a site that the run applied, if it is in a store.
    fn stored_model(&self, site: &str) -> Option<SiteModel> {
        let state = self.store.as_ref()?.site(site).ok()?;
        SiteModel::from_bytes(&state.model?).ok()
    }
}

/// The store of models that a run used, if any.
fn open_store(config: &Config, ledger: &Ledger) -> Result<Option<Store>, String> {
    let (Some(path), Some(then)) = (config.run.models(), &ledger.store_state) else {
        return Ok(None);
    };
    let store = Store::open_read_only(path)
        .map_err(|error| format!("The models of the run cannot be read: {error}"))?;
    match store.state().map_err(|error| format!("The models of the run cannot be read: {error}"))? {
        now if now == *then => Ok(Some(store)),
        _ => Err(format!("The store {} has changed since the run", path.display())),
    }
}

/// Says what is different, and what is used instead.
fn assumed(what: &str, with: &str) -> String {
    format!(
        "{what}. Scores and patterns below are computed with {with}, and may differ from those of the run. Articles and \
         wrappers are the run's own."
    )
}
