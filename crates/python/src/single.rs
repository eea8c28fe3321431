//! One page by itself.

use std::borrow::Cow;

use grouping::address_of_file;
use pyo3::prelude::*;
use sitegrove::in_memory;
use sitemodel::Outcome;

use crate::article::Article;
use crate::detached::detached;
use crate::errors::input_error;
use crate::feed_item::items_of;
use crate::page::{Html, page_of, site_of};
use crate::settings::{Settings, chosen};
use crate::shown::short;

/// Whether a text names a page, rather than being one.
fn is_name(text: &str) -> bool {
    let text = text.trim();
    let is_address =
        ["http://", "https://", "file://"].iter().any(|scheme| text.starts_with(scheme));
    let is_file = [".html", ".htm", ".xhtml"].iter().any(|extension| text.ends_with(extension));
    !text.contains(['<', '\n']) && (is_address && !text.contains(' ') || is_file)
}

/// Extract the article of one page by itself.
///
/// Several pages of one site give better articles: see `learn`.
///
/// Parameters
/// ----------
/// html : str or bytes
///     The page. Of bytes the encoding is found out as browsers do.
/// url : str, optional
///     Its absolute address. Without it links stay relative to ``file:///files/page.html``.
/// feed_items : iterable of FeedItem
///     Items of feeds; those whose link leads to the page are used.
/// settings : Settings, optional
///     The defaults, if not given.
///
/// Returns
/// -------
/// Article or None
///     None if the page has no article.
///
/// Raises
/// ------
/// InputError
///     If `html` is the address of a page, or the name of a file.
///
/// Examples
/// --------
/// >>> import sitegrove
/// >>> words = "The mayor of the town said that the bridge stays open all winter. " * 8
/// >>> page = f"<title>News</title><ul><li><a href=/>Home</a></ul><article><h1>A bridge</h1><p>{words}</article>"
/// >>> article = sitegrove.extract(page, "https://example.org/news/1")
/// >>> article.title, article.text[-22:]
/// ('A bridge', 'stays open all winter.')
#[pyfunction]
#[pyo3(signature = (html, url=None, *, feed_items=None, settings=None))]
pub(crate) fn extract(
    py: Python<'_>,
    html: Html,
    url: Option<&str>,
    feed_items: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, Settings>>,
) -> PyResult<Option<Article>> {
    if let Html::Text(text) = &html
        && is_name(text)
    {
        let what =
            format!("{}: this is an address or a file name; pass the HTML itself", short(text));
        return Err(input_error(what, None, None));
    }
    let items = items_of(feed_items)?;
    let chosen = chosen(settings)?;
    let applied = detached(py, 1, || {
        let url = url.map_or_else(|| address_of_file("", "page.html").into(), Cow::Borrowed);
        let page = page_of(&url, site_of(&url), html, None);
        in_memory::extract(&page, &items, &chosen.single)
    })?;
    Ok(match applied.outcome {
        Outcome::Article(article) => Some(Article(article.article)),
        Outcome::Drop(_) | Outcome::Unassigned => None,
    })
}
