//! Stage 7, extract.
//!
//! Takes: a page and what was learnt about its template.
//! Gives: the article: text, HTML fragment, the XPaths that select it, metadata with sources.
//! Why: this is what users came for.
//! Drops: pages on which neither the wrapper nor the page-wise method finds text (`no-article`).

mod glanced;
mod judged;

use dom::{Document, NodeId, html_of, markdown_of, markdown_of_text, text_of};
use grove::Chosen;
use metadata::{Given, PageContext, metadata_given};
use model::{Article, DropReason, FeedItem, Route};
use url::Url;

use super::wrap::Learnt;
use crate::body::{Body, page_wise};
use crate::config::Config;
use crate::fixed::FixedPage;
use crate::parsed::ParsedPage;

pub use glanced::glanced_body;
pub use judged::judged_body;

/// Name of the engine in articles that a wrapper written by hand gave.
pub const SITE_CONFIG: &str = "site-config";

/// Takes the article out of a page. What a wrapper written by hand finds goes before all. `found` is the body that the engine asked for has found, where
/// it needed no learning; else the wrapper is tried, and then the page-wise method of the settings.
///
/// # Errors
/// With the reason the page is to be dropped for.
pub fn extract(
    parsed: &ParsedPage<'_>,
    template: &str,
    learnt: Option<&Learnt>,
    found: Option<Body>,
    feed_items: &[&FeedItem],
    config: &Config,
) -> Result<Article, DropReason> {
    let least = config.extract.min_words.max(1);
    if let Some(fixed) = &parsed.fixed {
        if fixed.part_of.is_some() {
            return Err(DropReason::JoinedPage);
        }
        if let Some(body) = by_hand(parsed, fixed, least) {
            return Ok(article(parsed, template, body, feed_items, config));
        }
        if fixed.forbids() {
            return Err(DropReason::NoArticle);
        }
    }
    let usable = |body: &Body| {
        let words = |&node: &NodeId| parsed.words.sum(&parsed.document, node);
        body.text.is_some() || body.nodes.iter().map(words).sum::<u32>() >= least
    };
    let alone = || page_wise(parsed, config.extract.page_wise, feed_items, config);
    let body = found
        .filter(usable)
        .or_else(|| learnt.map(|learnt| by_wrapper(parsed, learnt)).filter(usable))
        .or_else(|| alone().filter(usable))
        .ok_or(DropReason::NoArticle)?;
    let body = without_stripped(body, parsed);
    Ok(article(parsed, template, body, feed_items, config))
}

/// A wrapper written by hand says nothing of how sure it is: more than what is learnt, most often.
const BY_HAND_CONFIDENCE: f64 = 0.9;

/// The body as a fixed wrapper has it, if that has words.
fn by_hand(parsed: &ParsedPage<'_>, fixed: &FixedPage, least: u32) -> Option<Body> {
    let (xpath, nodes) = fixed.body.clone()?;
    let text = text_of(&parsed.document, &nodes, &fixed.removed);
    (terms::count_words(&text) >= least).then(|| Body {
        nodes,
        prune: fixed.removed.clone(),
        xpath: vec![xpath],
        prune_xpath: fixed.removed_by.clone(),
        cut: None,
        comments: String::new(),
        engine: SITE_CONFIG.to_owned(),
        route: Route::Wrapper,
        wrapper_version: 0,
        confidence: BY_HAND_CONFIDENCE,
        text: None,
    })
}

/// What a fixed wrapper takes out of a page is no part of any body of it.
fn without_stripped(mut body: Body, parsed: &ParsedPage<'_>) -> Body {
    if let Some(fixed) = parsed.fixed.as_ref().filter(|fixed| !fixed.removed.is_empty()) {
        body.prune.extend(&fixed.removed);
        body.prune.sort_unstable();
        body.prune.dedup();
        body.prune_xpath.extend(fixed.removed_by.iter().cloned());
    }
    body
}

fn by_wrapper(parsed: &ParsedPage<'_>, learnt: &Learnt) -> Body {
    let Chosen { keep, prune } = learnt.select(&parsed.document);
    Body {
        nodes: keep,
        prune,
        xpath: learnt.wrapper.content.clone(),
        prune_xpath: learnt.wrapper.prune.clone(),
        cut: None,
        comments: String::new(),
        engine: learnt.wrapper.engine.clone(),
        route: Route::Wrapper,
        wrapper_version: learnt.wrapper.version,
        confidence: learnt.wrapper.confidence,
        text: None,
    }
}

/// How nodes are written.
type Render = fn(&Document, &[NodeId], &[NodeId], &Url) -> String;

fn article(
    parsed: &ParsedPage<'_>,
    template: &str,
    body: Body,
    feed_items: &[&FeedItem],
    config: &Config,
) -> Article {
    let (page, document) = (parsed.page, &parsed.document);
    let elsewhere = body.text.is_some();
    let mut text = body.text.unwrap_or_else(|| text_of(document, &body.nodes, &body.prune));
    // Only what an output has is made.
    let (with_html, with_markdown) = (config.emit.wants_html(), config.emit.wants_markdown());
    let base = base_of(parsed).filter(|_| with_html || with_markdown);
    let of_nodes =
        |render: Render| base.as_ref().map(|base| render(document, &body.nodes, &body.prune, base));
    let mut html = with_html.then(|| of_nodes(html_of)).flatten().unwrap_or_default();
    let mut markdown = with_markdown.then(|| {
        let own = of_nodes(markdown_of).filter(|_| !elsewhere);
        own.unwrap_or_else(|| markdown_of_text(&text))
    });
    if let Some(fixed) = parsed.fixed.as_ref().filter(|_| body.engine == SITE_CONFIG) {
        for part in &fixed.more {
            text.push_str("\n\n");
            text.push_str(&part.text);
            if with_html {
                html.push('\n');
                html.push_str(&part.html);
            }
            if let Some(markdown) = &mut markdown {
                markdown.push_str("\n\n");
                markdown.push_str(&markdown_of_text(&part.text));
            }
        }
    }
    let language = terms::detect(&text).map(|found| found.language);
    let context = PageContext {
        document,
        url: &page.url,
        json_ld: Some(parsed.json_ld()),
        fetched: page.fetched,
        feed_items,
        body: Some(&body.nodes),
        text_language: language.as_ref().map(|l| l.as_str()),
        body_text: &text,
    };
    let given = parsed.fixed.as_ref().map_or_else(Given::default, |fixed| Given {
        title: fixed.given.title.as_deref(),
        authors: &fixed.given.authors,
        published: fixed.given.date.as_deref(),
    });
    Article {
        url: page.url.clone(),
        site: page.site.clone(),
        template: template.to_owned(),
        origin: page.origin.clone(),
        fetched: page.fetched,
        charset: page.charset,
        metadata: metadata_given(&context, &given),
        text,
        html,
        markdown,
        xpath: body.xpath,
        prune: body.prune_xpath,
        cut: body.cut,
        comments: body.comments,
        engine: body.engine,
        route: body.route,
        wrapper_version: body.wrapper_version,
        confidence: body.confidence,
        doubtful: body.confidence < config.extract.doubtful_below,
    }
}

/// What relative links are resolved against: the page's `<base>`, else its URL; for a saved file
/// the canonical address, if it names one.
pub(crate) fn base_of(parsed: &ParsedPage<'_>) -> Option<Url> {
    let head = parsed.document.head();
    let own = Url::parse(&parsed.page.url).ok()?;
    let own = match head.link("canonical").and_then(|c| Url::parse(c).ok()) {
        Some(canonical) if own.scheme() == "file" => canonical,
        _ => own,
    };
    // A base of `javascript:` or `data:` counts for nothing, as in browsers.
    let base = head.base.as_deref().and_then(|base| own.join(base).ok());
    Some(base.filter(|base| !base.cannot_be_a_base()).unwrap_or(own))
}
