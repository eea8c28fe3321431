//! The results of one site, which every output receives, and its figures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::serialize_rounded;
use crate::{Doubt, Drop, Extracted, SiteChange, SiteNight, SiteSummary, add_counts};

/// The results of one site.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct SiteResult {
    /// Its articles, by (URL, origin). Outputs receive them here only if one of the outputs asks for them.
    pub articles: Vec<Extracted>,
    /// For outputs: its articles as lines of `articles.jsonl`, in the same order.
    #[serde(skip)]
    pub lines: Vec<u8>,
    /// Its drops, sorted.
    pub drops: Vec<Drop>,
    /// Its templates and wrappers.
    pub summary: SiteSummary,
    /// Key of the site.
    pub site: String,
    /// Number of pages that were grouped into it.
    pub pages: usize,
    /// How the pages were processed.
    pub work: PageWork,
    /// Characters of its pages, and how many were kept.
    pub characters: CharacterCounts,
    /// Its best wrapper, for the summary: template, articles, expression.
    pub best: Option<BestWrapper>,
    /// Its learnt wrappers in the ftr-site-config format; empty unless they are requested.
    pub site_configs: Vec<WrittenSiteConfig>,
    /// Whether this is a part of a site that is too large to be processed at once, and more parts follow. Articles are in
    /// order over all parts; the other figures are those of this part.
    pub more: bool,
    /// Its figures, or the figures of this part; `None` until everything that they count is known.
    pub figures: Option<Box<SiteFigures>>,
    /// In a run with a model store, the data to keep; only in the last part of a site.
    pub night: Option<Box<SiteNight>>,
}

impl SiteResult {
    /// The results of a site of which only the articles are known.
    pub fn from_articles(site: &str, articles: Vec<Extracted>) -> Self {
        Self {
            pages: articles.len(),
            articles,
            summary: SiteSummary { site: site.to_owned(), ..SiteSummary::default() },
            site: site.to_owned(),
            ..Self::default()
        }
    }
}

/// How pages were processed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PageWork {
    /// Pages that html5ever's own tokenizer read.
    pub by_html5ever: u64,
    /// Pages of which a part was left out, because their trees exceeded a limit.
    pub outgrown: u64,
    /// Pages that took the fast path: extracted by the wrapper and learnt scores, without being judged.
    pub fast_path: u64,
    /// Pages that were judged: whose own features and scores were computed.
    pub judged: u64,
    /// Pages on which the engine overruled a site config.
    pub overruled: u64,
    /// Corrections of templates that match no page.
    pub unmatched_corrections: u64,
}

impl PageWork {
    /// Adds the counts of other pages.
    pub fn add(&mut self, other: Self) {
        self.by_html5ever += other.by_html5ever;
        self.outgrown += other.outgrown;
        self.fast_path += other.fast_path;
        self.judged += other.judged;
        self.overruled += other.overruled;
        self.unmatched_corrections += other.unmatched_corrections;
    }
}

/// A file of the ftr-site-config format.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct WrittenSiteConfig {
    /// Its name, safe on any system: `example.com.txt`, or `.example.com.txt` for the hosts below.
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// Numbers of characters without white space, on pages whose article consists of elements of the page.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct CharacterCounts {
    /// Characters in all text of these pages.
    pub pages: u64,
    /// Characters in articles and comments; the rest is boilerplate.
    pub kept: u64,
}

impl CharacterCounts {
    /// Adds the counts of other pages.
    pub fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.kept += other.kept;
    }
}

/// The figures of one site.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct SiteFigures {
    /// Key of the site.
    pub site: String,
    /// Number of pages that were grouped into it.
    pub pages: u64,
    /// Its layouts.
    pub layouts: u64,
    /// Layouts with a wrapper.
    pub wrappers: u64,
    /// Its articles.
    pub articles: u64,
    /// Its doubtful articles.
    pub doubtful: u64,
    /// Articles by route.
    pub articles_by_route: BTreeMap<String, u64>,
    /// Mean confidence of its articles, 0 to 1; `None` without articles.
    pub confidence: Option<f64>,
    /// Characters of its pages, without white space, and how many were kept.
    pub characters: CharacterCounts,
    /// Its wrapper that gave the most articles.
    pub best: Option<BestWrapper>,
    /// Pages left out, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Articles by confidence, in classes of 5 percent; a class is named by its lower edge.
    pub confidences: BTreeMap<u32, u64>,
    /// Articles by the number of characters of their text; a class is named by its lower edge.
    pub lengths: BTreeMap<u32, u64>,
    /// Articles that have each metadata field, by the name of the field.
    #[serde(default)]
    pub fields: BTreeMap<String, u64>,
    /// Articles by primary language subtag; `other` for invalid tags.
    #[serde(default)]
    pub languages: BTreeMap<String, u64>,
    /// Articles with a date of publication, by month: `2026-01`.
    #[serde(default)]
    pub months: BTreeMap<String, u64>,
    /// Articles by page type; only with engine `grove`.
    #[serde(default)]
    pub page_types: BTreeMap<String, u64>,
    /// Doubtful articles with the lowest confidence, lowest first: at most [`SiteFigures::LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<WorstArticle>,
    /// Templates with little evidence, those with the most pages first: at most [`SiteFigures::LISTED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weak: Vec<WeakTemplate>,
    /// In a run with a model store, the changes of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SiteChange>,
}

impl SiteFigures {
    /// Maximum number of articles in `worst`, and of templates in `weak`.
    pub const LISTED: usize = 3;

    /// Adds the counts of other pages and articles.
    pub fn count(&mut self, other: &Self) {
        self.pages += other.pages;
        self.articles += other.articles;
        self.doubtful += other.doubtful;
        self.characters.add(other.characters);
        for (all, own) in [
            (&mut self.articles_by_route, &other.articles_by_route),
            (&mut self.drops, &other.drops),
            (&mut self.fields, &other.fields),
            (&mut self.languages, &other.languages),
            (&mut self.months, &other.months),
            (&mut self.page_types, &other.page_types),
        ] {
            add_counts(all, own);
        }
        add_counts(&mut self.confidences, &other.confidences);
        add_counts(&mut self.lengths, &other.lengths);
    }
}

/// A doubtful article.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct WorstArticle {
    /// Address of the page.
    pub url: String,
    /// Its title, cut to 120 characters.
    pub title: Option<String>,
    /// Id of its template; empty for none.
    pub template: String,
    /// How the body was found.
    pub route: String,
    /// Characters of its text.
    pub characters: usize,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
    /// The main reason for the doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

/// A template with little evidence for its wrapper, or article pages without a wrapper.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct WeakTemplate {
    /// Its id.
    pub template: String,
    /// Pages of the run that belong to it.
    pub pages: usize,
    /// Whether it has a wrapper; the following numbers are 0 without one.
    pub wrapper: bool,
    /// Pages the wrapper was learnt from.
    pub learnt_from: u32,
    /// Pages held out for a test.
    pub held_back: u32,
    /// Held-out pages on which a wrapper learnt without them selects the same nodes.
    pub held_back_agreeing: u32,
    /// Confidence of the wrapper, 0 to 1; 0 without one.
    pub confidence: f64,
    /// Address of one of its pages; empty if none is known.
    pub example: String,
}

/// The wrapper of a site that gave the most articles.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct BestWrapper {
    /// Articles it gave.
    pub articles: usize,
    /// Its expressions.
    pub content: Vec<String>,
    /// Its confidence.
    #[serde(serialize_with = "serialize_rounded")]
    pub confidence: f64,
    /// Pages it was learnt from; 0 for expressions of a site config.
    pub learnt_from: u32,
    /// Pages held out for a test.
    pub held_back: u32,
    /// Held-out pages on which a wrapper learnt without them selects the same nodes.
    pub held_back_agreeing: u32,
}
