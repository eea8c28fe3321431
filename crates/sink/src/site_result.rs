//! What came of one site: what every sink is given.

use model::{Article, Drop};

use crate::{SiteConfigFile, SiteRecord};

/// All that came of one site.
#[derive(Debug)]
pub struct SiteResult {
    /// Its articles, by (URL, origin).
    pub articles: Vec<Article>,
    /// What was dropped on the way, sorted.
    pub drops: Vec<Drop>,
    /// Its templates and wrappers.
    pub record: SiteRecord,
    /// Key of the site.
    pub site: String,
    /// Its best wrapper, for the summary: template, articles, expression.
    pub best: Option<BestWrapper>,
    /// What was learnt of it in the ftr-site-config format; empty unless that is asked for.
    pub site_configs: Vec<SiteConfigFile>,
}

/// The wrapper of a site that gave the most articles.
#[derive(Clone, Debug)]
pub struct BestWrapper {
    /// Articles it gave.
    pub articles: usize,
    /// Its expressions.
    pub content: Vec<String>,
    /// Its confidence.
    pub confidence: f64,
}
