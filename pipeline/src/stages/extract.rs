//! Stage 7, extract.
//!
//! Takes: a page and what was learnt about its template.
//! Gives: the article: text, HTML fragment, the XPaths that select it, metadata with sources.
//! Why: this is what users came for.
//! Drops: pages on which neither the wrapper nor the page-wise method finds text (`no-article`).

mod judged;

use dom::{Document, NodeId, html_of, markdown_of, markdown_of_text, text_of};
use metadata::{PageContext, metadata};
use model::{Article, DropReason, FeedItem, Route};
use url::Url;

use super::wrap::Learnt;
use crate::body::{Body, page_wise};
use crate::config::Config;
use crate::parsed::ParsedPage;

pub use judged::judged_body;

/// Takes the article out of a page. `found` is the body that the engine asked for has found, where
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
    Ok(article(parsed, template, body, feed_items, config))
}

fn by_wrapper(parsed: &ParsedPage<'_>, learnt: &Learnt) -> Body {
    Body {
        nodes: wrapper::select(&learnt.paths, &parsed.document),
        prune: wrapper::select_nested(&learnt.prune, &parsed.document),
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
    let text = body.text.unwrap_or_else(|| text_of(document, &body.nodes, &body.prune));
    // Only what an output has is made.
    let (with_html, with_markdown) = (config.emit.wants_html(), config.emit.wants_markdown());
    let base = base_of(parsed).filter(|_| with_html || with_markdown);
    let of_nodes =
        |render: Render| base.as_ref().map(|base| render(document, &body.nodes, &body.prune, base));
    let html = with_html.then(|| of_nodes(html_of)).flatten().unwrap_or_default();
    let markdown = with_markdown.then(|| {
        let own = of_nodes(markdown_of).filter(|_| !elsewhere);
        own.unwrap_or_else(|| markdown_of_text(&text))
    });
    let language = terms::detect(&text).map(|found| found.language);
    let context = PageContext {
        document,
        url: &page.url,
        fetched: page.fetched,
        feed_items,
        body: Some(&body.nodes),
        text_language: language.as_ref().map(|l| l.as_str()),
        body_text: &text,
    };
    Article {
        url: page.url.clone(),
        site: page.site.clone(),
        template: template.to_owned(),
        origin: page.origin.clone(),
        fetched: page.fetched,
        charset: page.charset.name,
        metadata: metadata(&context),
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
fn base_of(parsed: &ParsedPage<'_>) -> Option<Url> {
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
