//! Chooses the pages to be labelled: typical pages of doubtful templates.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use dom::{Document, normalize_space};
use grouping::address_hash;
use model::{Article, NamedElement, Page, Site};
use serde::{Deserialize, Serialize};
use sink::escape_markup;
use sitemodel::markable::{MarkableBlock, MarkablePage, most_typical};
use sitemodel::{ParsedPage, Settings, parse_page};
use terminal::progress_bar::Quiet;

use super::{LabelForm, LabelsExportArgs};
use crate::commands::inspect::decapitalised;
use crate::commands::inspect::reread::{RunRecords, RunSettings, reread_all};
use crate::results::Results;
use crate::run::RunRequest;

/// A page to be labelled: a line of `labels.jsonl`.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct LabelTask {
    pub(super) url: String,
    site: String,
    /// Its template, and the mean confidence of the articles of that template.
    template: String,
    confidence: f64,
    /// Number of words of its article.
    #[serde(default)]
    pub(super) article_words: u32,
    /// The page, as HTML or as text; the form that was not asked for is empty.
    #[serde(default)]
    html: String,
    #[serde(default)]
    text: String,
    pub(super) elements: Vec<NamedElement>,
    /// Its blocks, numbered from 1.
    pub(super) items: Vec<LabelItem>,
}

/// A block of a page to be labelled.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct LabelItem {
    pub(super) xpath: String,
    pub(super) element: u32,
    pub(super) words: u32,
    pub(super) hash: String,
}

/// Number of pages of a template that the typical ones are chosen from.
const CHOSEN_FROM: usize = 20;

/// Returns the pages of a run to be labelled, by site and template, the number of doubtful templates, and whether the pages of
/// all their sites were available.
pub(super) fn tasks_of_run(
    args: &LabelsExportArgs,
    stop: &AtomicBool,
) -> Result<(Vec<LabelTask>, usize, bool)> {
    let results = Results::open(&args.run)?;
    let settings = RunSettings::new(results.ledger())?;
    let records = RunRecords::find(&results, None)?;
    let addresses = records.addresses();
    let request = RunRequest { config: &settings.config, stop, observer: &Quiet };
    let again = reread_all(results.ledger(), &addresses, request)?;
    for (_, what) in &again.problems {
        tracing::warn!(at = %args.run.display(), "{}", decapitalised(what));
    }
    let settings = settings.config.settings();
    let sites: BTreeMap<&str, &Site> =
        again.sites.iter().map(|site| (site.key.as_str(), site)).collect();
    let (mut tasks, mut templates, mut is_whole) = (Vec::new(), 0, true);
    for key in results.sites()? {
        let site = sites.get(key.as_str());
        let records = records.of_site(&key)?;
        // The sum of confidences and the articles of each template.
        let mut of_templates: BTreeMap<&str, (f64, Vec<&Article>)> = BTreeMap::new();
        for article in records.articles.iter().filter(|article| !article.template.is_empty()) {
            let (sum, articles) = of_templates.entry(&article.template).or_default();
            *sum += article.confidence;
            articles.push(article);
        }
        for (template, (sum, articles)) in of_templates {
            let confidence = sum / articles.len() as f64;
            if confidence < args.below {
                templates += 1;
                let of = (template, confidence);
                is_whole &= site.is_some();
                let typical = site.map(|site| typical_pages(site, of, articles, args, &settings));
                tasks.extend(typical.into_iter().flatten());
            }
        }
    }
    Ok((tasks, templates, is_whole))
}

fn typical_pages(
    site: &Site,
    (template, confidence): (&str, f64),
    mut articles: Vec<&Article>,
    args: &LabelsExportArgs,
    settings: &Settings,
) -> Vec<LabelTask> {
    articles.sort_by_cached_key(|own| (address_hash(&own.url), own.url.clone()));
    articles.dedup_by(|a, b| a.url == b.url);
    let page = |own: &&Article| site.pages.iter().find(|page| page.url == own.url);
    let pages: Vec<&Page> = articles.iter().filter_map(page).take(CHOSEN_FROM).collect();
    let parsed: Vec<ParsedPage<'_>> = pages.iter().map(|page| parse_page(page, settings)).collect();
    let mut left: Vec<&ParsedPage<'_>> = parsed.iter().collect();
    let mut tasks = Vec::new();
    while tasks.len() < args.per_template
        && let Some(at) = most_typical(&left)
    {
        let page = left.remove(at);
        let article = articles.iter().find(|own| own.url == page.page.url);
        let words = article.map_or(0, |own| own.word_count);
        tasks.push(LabelTask::of(page, args.form, &site.key, (template, confidence), words));
    }
    tasks
}

/// Maximum number of characters of a block that are written: its beginning is enough to tell what it is.
const MOST_CHARACTERS: usize = 500;

impl LabelTask {
    fn of(
        page: &ParsedPage<'_>,
        form: LabelForm,
        site: &str,
        (template, confidence): (&str, f64),
        article_words: u32,
    ) -> Self {
        let document = &page.document;
        let MarkablePage { elements, blocks } = MarkablePage::of(page);
        let (html, text) = match form {
            LabelForm::Items => (html_with_item_ids(document, &blocks), String::new()),
            LabelForm::Blocks => (String::new(), numbered(document, &blocks)),
        };
        let item = |block: MarkableBlock| LabelItem {
            xpath: block.xpath,
            element: block.named,
            words: block.words,
            hash: block.hash,
        };
        let items = blocks.into_iter().map(item).collect();
        Self {
            url: page.page.url.clone(),
            site: site.to_owned(),
            template: template.to_owned(),
            confidence: (confidence * 1_000.0).round() / 1_000.0,
            article_words,
            html,
            text,
            elements,
            items,
        }
    }
}

/// Returns the text of a block, cut at `MOST_CHARACTERS`.
fn beginning(document: &Document, block: &MarkableBlock) -> String {
    let texts = (block.first..=block.last).filter_map(|id| document.text(id));
    let text = normalize_space(&texts.collect::<String>());
    text.chars().take(MOST_CHARACTERS).collect()
}

/// Writes the blocks as elements in document order, each with its tag, id and class, and its number in `_item_id`.
fn html_with_item_ids(document: &Document, blocks: &[MarkableBlock]) -> String {
    let mut html = String::from("<html><head><meta charset=\"utf-8\"></head><body>\n");
    for (number, block) in (1..).zip(blocks) {
        let name = document.name(block.element).map_or("div", |name| &**name);
        let tag = match name {
            "html" | "body" | "td" | "th" => "div",
            name if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => name,
            _ => "div",
        };
        // Writing to a string cannot fail.
        let _ = write!(html, "<{tag} _item_id=\"{number}\"");
        for name in [dom::local_name!("id"), dom::local_name!("class")] {
            if let Some(value) = document.attribute(block.element, &name) {
                let _ = write!(html, " {name}=\"{}\"", escape_markup(value));
            }
        }
        let _ = writeln!(html, ">{}</{tag}>", escape_markup(&beginning(document, block)));
    }
    html.push_str("</body></html>\n");
    html
}

/// Writes the blocks as numbered lines, each with its tag.
fn numbered(document: &Document, blocks: &[MarkableBlock]) -> String {
    let mut text = String::new();
    for (number, block) in (1..).zip(blocks) {
        let name = document.name(block.element).map_or("", |name| &**name);
        let _ = writeln!(text, "{number} [{name}] {}", beginning(document, block));
    }
    text
}
