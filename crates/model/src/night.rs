//! What a run with a store of models found of a site.

use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// What a run with a store of models found of a site.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SiteNight {
    /// Key of the site.
    pub site: String,
    /// Date of its newest page, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// How its model fares.
    pub verdict: Verdict,
    /// What was decided about the model.
    pub decision: String,
    /// Why.
    pub reason: String,
    /// The revision that was applied; 0 for a model that is not kept.
    pub model_revision: u32,
    /// Pages that were looked at to tell.
    pub pages: u64,
    /// Of those, pages of no template.
    pub unassigned: u64,
    /// How its templates are, by id.
    pub templates: Vec<TemplateNight>,
    /// What changed, where the site did.
    pub change: Option<SiteChange>,
    /// What the store is to take in, as its own bytes; empty where it took this run in before.
    pub update: Vec<u8>,
}

/// What changed about a site whose model was learnt anew, template by template.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SiteChange {
    /// The date of the night, `YYYY-MM-DD`; empty where pages have no dates.
    pub night: String,
    /// How the model fared before.
    pub verdict: Verdict,
    /// Why it was learnt anew.
    pub reason: String,
    /// The revision it has now.
    pub model_revision: u32,
    /// Its templates whose pages are read differently now, those with the most pages first.
    pub templates: Vec<TemplateChange>,
}

/// A template before and after its site was learnt anew.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateChange {
    /// Its id.
    pub template: String,
    /// Pages of it in the night's sample.
    pub pages: u64,
    /// A page that shows the difference.
    pub url: String,
    /// What the model before makes of that page; `None` if it has no template for it.
    pub before: Option<PageReading>,
    /// What the new model makes of it.
    pub after: PageReading,
}

/// What a model makes of a page.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PageReading {
    /// The wrapper of the page's template: what it selects.
    pub content: Vec<String>,
    /// What it removes from that.
    pub prune: Vec<String>,
    /// A passage of the text, from where the readings differ; empty if there is no article.
    pub text: String,
    /// Characters of the whole text.
    pub characters: u64,
    /// Confidence; `None` if there is no article.
    pub confidence: Option<f64>,
}

/// How a template fared in a night.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TemplateNight {
    /// Its id.
    pub template: String,
    /// How it is.
    pub verdict: Verdict,
    /// Pages that were looked at.
    pub pages: u64,
    /// Share of pages on which the wrapper found the article.
    pub by_wrapper: f64,
    /// The same of the pages learnt from.
    pub by_wrapper_expected: f64,
    /// Mean confidence.
    pub confidence: f64,
    /// The same of the pages learnt from.
    pub confidence_expected: f64,
    /// Mean agreement with the engine's judgement of single pages, 0 to 1; `None` where none was judged.
    pub agreement: Option<f64>,
}
