//! What came of one site: what every output is given.

use serde::{Deserialize, Serialize};

use crate::article::Extracted;
use crate::characters::CharacterCounts;
use crate::discard::Drop;
use crate::night::SiteNight;
use crate::site_figures::SiteFigures;
use crate::site_summary::SiteSummary;
use crate::wrapper::Support;

/// All that came of one site.
#[derive(Debug, Deserialize, Serialize)]
pub struct SiteResult {
    /// Its articles, by (URL, origin).
    pub articles: Vec<Extracted>,
    /// What was dropped on the way, sorted.
    pub drops: Vec<Drop>,
    /// Its templates and wrappers.
    pub summary: SiteSummary,
    /// Key of the site.
    pub site: String,
    /// Pages that reached it.
    pub pages: usize,
    /// How those were worked on.
    pub work: PageWork,
    /// How much of its pages was kept.
    pub characters: CharacterCounts,
    /// Its best wrapper, for the summary: template, articles, expression.
    pub best: Option<BestWrapper>,
    /// What was learnt of it in the ftr-site-config format; empty unless that is asked for.
    pub site_configs: Vec<SiteConfigFile>,
    /// Whether this is a part of a site too large to be worked on at once, and more of it follows. Its articles
    /// are in order over all parts; the other figures are of this part.
    pub more: bool,
    /// For a part, its figures; `None` for a whole site.
    pub figures: Option<Box<SiteFigures>>,
    /// In a run with a store of models, what is to be kept; on the last part of a site.
    pub night: Option<Box<SiteNight>>,
}

impl SiteResult {
    /// A site of which nothing is known but its articles.
    pub fn of_articles(site: &str, articles: Vec<Extracted>) -> Self {
        Self {
            pages: articles.len(),
            work: PageWork::default(),
            articles,
            drops: Vec::new(),
            summary: SiteSummary { site: site.to_owned(), ..SiteSummary::default() },
            site: site.to_owned(),
            characters: CharacterCounts::default(),
            best: None,
            site_configs: Vec::new(),
            more: false,
            figures: None,
            night: None,
        }
    }
}

/// How pages were worked on.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PageWork {
    /// Pages that html5ever's own tokenizer read.
    pub by_html5ever: u64,
    /// Pages of which something was left out, as their trees outgrew a limit.
    pub outgrown: u64,
    /// Pages that took the fast path: by the wrapper and what was learnt, without being judged.
    pub fast_path: u64,
    /// Pages that were judged.
    pub judged: u64,
    /// Pages on which the engine overruled a site config.
    pub overruled: u64,
}

impl PageWork {
    /// Adds that of other pages.
    pub fn add(&mut self, other: Self) {
        self.by_html5ever += other.by_html5ever;
        self.outgrown += other.outgrown;
        self.fast_path += other.fast_path;
        self.judged += other.judged;
        self.overruled += other.overruled;
    }
}

/// The wrapper of a site that gave the most articles.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct BestWrapper {
    /// Articles it gave.
    pub articles: usize,
    /// Its expressions.
    pub content: Vec<String>,
    /// Its confidence.
    pub confidence: f64,
    /// Evidence for it.
    pub support: Support,
}

/// A file of the ftr-site-config format.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct SiteConfigFile {
    /// Its name: `example.com.txt`, or `.example.com.txt` for hosts below; safe on any system.
    pub name: String,
    /// Its lines.
    pub text: String,
}
