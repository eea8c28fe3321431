//! The page about a site: what was learnt about it, why, and how its pages read.

mod blocks;
mod evidence;
mod page;
mod reasons;
mod view;

use std::sync::Arc;

use serde::Deserialize;
use sink::{DropRecord, Ledger, OriginRecord, TemplateRecord};

pub use view::{PagesAgain, SiteView, TemplatePages, WhatDiffers};

/// The records of one site in a run folder.
#[derive(Debug)]
pub struct SiteRecords {
    /// The site's key.
    pub site: String,
    /// The ledger of the run.
    pub ledger: Arc<Ledger>,
    /// Its templates.
    pub templates: Vec<TemplateRecord>,
    /// Its articles.
    pub articles: Vec<ShownArticle>,
    /// Its drops.
    pub drops: Vec<DropRecord<'static>>,
}

/// The fields of `articles.jsonl` that the page shows.
#[derive(Debug, Deserialize)]
pub struct ShownArticle {
    /// Address of the page.
    pub url: String,
    /// Where it was read.
    pub origin: OriginRecord<'static>,
    template: String,
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    modified: Option<String>,
    language: Option<String>,
    text: String,
    #[serde(default)]
    comments: String,
    xpath: Vec<String>,
    prune: Vec<String>,
    cut: Option<String>,
    engine: String,
    route: String,
    confidence: f64,
    #[serde(default)]
    doubtful: bool,
    sources: std::collections::BTreeMap<String, String>,
}
