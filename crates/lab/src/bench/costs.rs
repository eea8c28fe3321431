//! Measures the cost of a page by capability: times the functions of a run one by one on pages in memory.
//!
//! Each page is processed as if it were the only page of its site. The times of comparing siblings, of wrappers and of the
//! fields of templates are part of the stages of a run.

use std::hint::black_box;
use std::time::Instant;

use duplicates::Describer;
use grove::{
    DecideParameters, DecidedNodes, Patterns, Pools, ScoredPage, SiblingStatistics, decide,
    second_scores, type_probabilities,
};
use metadata::PageContext;
use model::{Article, Page};
use region::region_of;
use sitemodel::stages::judge::{read_pages, rows_of_type};
use sitemodel::{Settings, SiblingPage, parse_page};
use url::Url;

/// Seconds by capability, in the order of a run.
#[derive(Default)]
pub(super) struct Costs(pub(super) Vec<(&'static str, f64)>);

impl Costs {
    /// Measures the costs of all pages together.
    pub(super) fn of(pages: &[Page], settings: &Settings) -> Self {
        let mut costs = Self::default();
        for page in pages {
            costs.add_page(page, settings);
        }
        costs
    }

    fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = black_box(work());
        let seconds = start.elapsed().as_secs_f64();
        match self.0.iter_mut().find(|own| own.0 == name) {
            Some(own) => own.1 += seconds,
            None => self.0.push((name, seconds)),
        }
        value
    }

    fn add_page(&mut self, page: &Page, settings: &Settings) {
        let weights = &settings.weights().weights;
        let parsed = self.time("tree, words, kinds of elements", || parse_page(page, settings));
        let document = &parsed.document;
        let siblings = [SiblingPage { page: &parsed, feed_items: &[] }];
        let mut blocks = self.time("features of blocks", || read_pages(&siblings));
        let blocks = &mut blocks[0];
        let types = self.time("page type", || {
            type_probabilities(&weights.types, &rows_of_type(&parsed, blocks))
        });
        blocks.set_types(&types);
        let (patterns, of_nodes) = self.time("patterns", || Patterns::of(&[document]));
        let patterns = &patterns;
        let first = self.time("scores of blocks", || weights.page.probabilities(&blocks.rows));
        let scored = ScoredPage { page: blocks, patterns: &of_nodes[0], scores: &first };
        let second = self.time("scores by patterns", || {
            let pools = Pools::of(&[scored], patterns);
            let template = SiblingStatistics { patterns, pools: &pools };
            second_scores(document, &scored, &template, &weights.sibling)
        });
        let scored = ScoredPage { scores: &second, ..scored };
        let DecidedNodes { keep, prune } = self.time("decisions", || {
            let parameters = DecideParameters { factor: 1.0, switch_cost: weights.switch_cost };
            let decisions = decide(&[scored], patterns, &[], None, &parameters);
            DecidedNodes::of(document, &of_nodes[0], &decisions)
        });
        let Ok(base) = Url::parse(&page.url) else { return };
        let region = self.time("article as a tree", || region_of(document, &keep, &prune, &base));
        let Some(region) = region else { return };
        let text = self.time("text", || region.text());
        let html = self.time("HTML, pictures, tables", || {
            drop((region.images(), region.tables(), region.embeds(), region.footnotes()));
            region.html()
        });
        let markdown = self.time("Markdown", || region.markdown(&base));
        let detected = self.time("language", || terms::detect(&text));
        let metadata = self.time("metadata", || {
            metadata::metadata(&PageContext {
                json_ld: Some(parsed.json_ld()),
                scan: Some(parsed.scan()),
                fetched: page.fetched,
                body: Some(&keep),
                detected,
                body_text: &text,
                ..PageContext::new(document, &page.url)
            })
        });
        let repeated = self.time("repeated text, digest of the page", || {
            (terms::share_repeated(&text), page.html.digest())
        });
        let mut article = Article { url: page.url.clone(), text, html, ..Article::default() };
        article.quality.repeated = repeated.0;
        article.markdown = Some(markdown);
        article.set_metadata(metadata);
        let describer = Describer::new(settings.tracking().clone());
        self.time("description for duplicates", || describer.describe(&article));
        drop(self.time("line of JSON", || serde_json::to_vec(&article)));
    }
}
