//! The page about a site: what was learnt about it, why, and how its pages read.

mod blocks;
mod evidence;
mod page;
mod reasons;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Article, FeedItem, Origin};
use sink::{DropRecord, Ledger, TemplateRecord};
use sitemodel::ParsedPage;

pub use view::SiteView;

/// The records of one site in a run folder.
#[derive(Debug)]
pub struct SiteRecords {
    /// The site's key.
    pub site: String,
    /// The ledger of the run.
    pub ledger: Arc<Ledger>,
    /// As `wrappers/SITE.json` lists them.
    pub templates: Vec<TemplateRecord>,
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

/// A template as it is learnt from the pages read again.
#[derive(Debug)]
pub struct TemplatePages {
    /// Its id.
    pub id: String,
    /// Its pages, in the order in which they are sampled.
    pub members: Vec<u32>,
}

/// What differs from the run when its pages are read again, one sentence each.
#[derive(Debug, Default)]
pub struct WhatDiffers {
    /// Missing and changed inputs.
    pub inputs: Vec<String>,
    /// Settings, weights, models.
    pub settings: Vec<String>,
    /// Archives without a page of the site, which were not read; their feed items are missing.
    pub unread: usize,
}
