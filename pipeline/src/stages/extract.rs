//! Stage 7, extract.
//!
//! Takes: a page and what was learnt about its template.
//! Gives: the article: text, HTML fragment, the XPaths that select it, metadata with sources.
//! Why: this is what users came for.
//! Drops: pages on which neither the wrapper nor the page-wise method finds text (`no-article`).

use dom::{NodeId, html_of, text_of};
use metadata::{PageContext, metadata};
use model::{Article, DropReason, FeedItem, Route};
use url::Url;

use super::wrap::Learnt;
use crate::body::{Body, page_wise};
use crate::config::ExtractConfig;
use crate::engine::Engine;
use crate::parsed::ParsedPage;

/// Takes the article out of a page.
///
/// `engine` is the one asked for: where it works on single pages it is tried when there is no
/// wrapper, before the page-wise method of the settings.
///
/// # Errors
/// With the reason the page is to be dropped for.
pub fn extract(
    parsed: &ParsedPage<'_>,
    template: &str,
    learnt: Option<&Learnt>,
    feed_items: &[&FeedItem],
    engine: Engine,
    config: &ExtractConfig,
) -> Result<Article, DropReason> {
    let document = &parsed.document;
    let by_wrapper = learnt.and_then(|learnt| {
        let nodes = wrapper::select(&learnt.paths, document);
        has_words(parsed, &nodes, config).then(|| Body {
            nodes,
            xpath: learnt.wrapper.content.clone(),
            engine: learnt.wrapper.engine.clone(),
            route: Route::Wrapper,
            wrapper_version: learnt.wrapper.version,
            confidence: learnt.wrapper.confidence,
            text: None,
        })
    });
    let usable = |body: &Body| body.text.is_some() || has_words(parsed, &body.nodes, config);
    let body = by_wrapper
        .or_else(|| page_wise(parsed, engine, feed_items).filter(usable))
        .or_else(|| page_wise(parsed, config.page_wise, feed_items).filter(usable))
        .ok_or(DropReason::NoArticle)?;
    Ok(article(parsed, template, body, feed_items))
}

fn has_words(parsed: &ParsedPage<'_>, nodes: &[NodeId], config: &ExtractConfig) -> bool {
    let words = nodes.iter().map(|&n| parsed.words.sum(&parsed.document, n)).sum::<u32>();
    words >= config.min_words.max(1)
}

fn article(
    parsed: &ParsedPage<'_>,
    template: &str,
    body: Body,
    feed_items: &[&FeedItem],
) -> Article {
    let (page, document) = (parsed.page, &parsed.document);
    let text = body.text.unwrap_or_else(|| text_of(document, &body.nodes, &[]));
    let base = base_of(parsed);
    let html = base.map_or_else(String::new, |base| html_of(document, &body.nodes, &[], &base));
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
        xpath: body.xpath,
        prune: Vec::new(),
        engine: body.engine,
        route: body.route,
        wrapper_version: body.wrapper_version,
        confidence: body.confidence,
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
    Some(head.base.as_deref().and_then(|base| own.join(base).ok()).unwrap_or(own))
}
