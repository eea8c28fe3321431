//! Pages as Python has them.

use jiff::Timestamp;
use model::{Charset, CharsetEvidence, Origin, Overruled, PageHtml};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyTuple;

use crate::reduce::reduced;
use crate::shown::short;

/// HTML as it is given: text, or bytes whose encoding is to be found out.
#[derive(FromPyObject)]
pub(crate) enum Html {
    /// Text.
    #[pyo3(transparent, annotation = "str")]
    Text(PyBackedStr),
    /// Bytes.
    #[pyo3(transparent, annotation = "bytes")]
    Bytes(PyBackedBytes),
}

/// A page of a site. Decodes bytes, by what they say of themselves and `http_charset`.
pub(crate) fn page_of(
    url: &str,
    site: String,
    html: Html,
    http_charset: Option<&str>,
) -> model::Page {
    let (html, charset) = match html {
        Html::Text(text) => (PageHtml::of(text), given_as_text()),
        Html::Bytes(bytes) => decoded(bytes.to_vec(), url, http_charset),
    };
    page(url.to_owned(), site, html, charset)
}

/// Bytes of HTML as text.
pub(crate) fn decoded(
    bytes: Vec<u8>,
    url: &str,
    http_charset: Option<&str>,
) -> (PageHtml, Charset) {
    let hints = charset::CharsetHints { http_charset, language: None, url: Some(url), xml: false };
    let (html, charset) = charset::decode(bytes, &hints);
    (html.into(), charset)
}

/// The character set of a page that was given as text.
pub(crate) fn given_as_text() -> Charset {
    Charset { name: "UTF-8", evidence: CharsetEvidence::ValidUtf8, overruled: Overruled::default() }
}

/// A page that comes from no file.
pub(crate) fn page(url: String, site: String, html: PageHtml, charset: Charset) -> model::Page {
    let origin = Origin { file: "".into(), offset: 0, record_id: String::new(), truncated: None };
    model::Page { url, site, fetched: None, origin, charset, html }
}

/// Key of the site that an address belongs to; empty for what is no address.
pub(crate) fn site_of(url: &str) -> String {
    grouping::site_key(url).unwrap_or_default()
}

/// Key of the site that an address belongs to.
///
/// Parameters
/// ----------
/// url : str
///     An absolute address.
///
/// Returns
/// -------
/// str or None
///     The registrable domain by the public suffix list (``example.co.uk``), the host where there is no
///     suffix, the folder of a ``file:`` address; None for what is no address.
///
/// Examples
/// --------
/// >>> import sitegrove
/// >>> sitegrove.site_key("https://www.news.example.co.uk/a")
/// 'example.co.uk'
#[pyfunction]
pub(crate) fn site_key(url: &str) -> Option<String> {
    grouping::site_key(url)
}

/// An HTML page: its address, its HTML as text, and where it came from.
///
/// Parameters
/// ----------
/// url : str
///     Absolute address that the page was fetched from.
/// html : str or bytes
///     The page. Of bytes the encoding is found out as browsers do: byte order mark, `http_charset`,
///     ``<meta>``, then the bytes themselves.
/// fetched : datetime.datetime, optional
///     When it was fetched; must have a time zone.
/// http_charset : str, optional
///     The ``charset`` of the HTTP ``Content-Type``; counts for bytes only.
///
/// Examples
/// --------
/// >>> from sitegrove import Page
/// >>> page = Page("https://example.org/news/1", b"<meta charset=iso-8859-2><p>\xb1")
/// >>> page.site, page.charset, page.html[-1]
/// ('example.org', 'ISO-8859-2', 'ą')
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct Page(pub(crate) model::Page);

#[pymethods]
impl Page {
    #[new]
    #[pyo3(signature = (url, html, *, fetched=None, http_charset=None))]
    fn new(url: &str, html: Html, fetched: Option<Timestamp>, http_charset: Option<&str>) -> Self {
        Self(model::Page { fetched, ..page_of(url, site_of(url), html, http_charset) })
    }

    /// Address that the page was fetched from.
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    /// The HTML, decoded.
    #[getter]
    fn html(&self) -> &str {
        &self.0.html
    }

    /// Key of the site, as `site_key` gives it; empty where there is none.
    #[getter]
    fn site(&self) -> &str {
        &self.0.site
    }

    /// When it was fetched, in UTC; None if that is not known.
    #[getter]
    fn fetched(&self) -> Option<Timestamp> {
        self.0.fetched
    }

    /// Name of the encoding by which it was decoded; ``UTF-8`` for pages given as text.
    #[getter]
    fn charset(&self) -> &'static str {
        self.0.charset.name
    }

    /// What the choice of the encoding rests on: ``bom``, ``http``, ``meta``, ``detector`` and the like.
    #[getter]
    fn charset_evidence(&self) -> &'static str {
        self.0.charset.evidence.as_str()
    }

    /// File that the page came from; empty where there is none.
    #[getter]
    fn file(&self) -> &str {
        &self.0.origin.file
    }

    /// Byte offset of its record, or of the compressed member that holds it, in `file`.
    #[getter]
    fn offset(&self) -> u64 {
        self.0.origin.offset
    }

    /// ``WARC-Record-ID`` without angle brackets; empty where there is none.
    #[getter]
    fn record_id(&self) -> &str {
        &self.0.origin.record_id
    }

    /// Why the record is not the whole page (``WARC-Truncated``), or None if it is.
    #[getter]
    fn truncated(&self) -> Option<&str> {
        self.0.origin.truncated.as_deref()
    }

    fn __repr__(&self) -> String {
        format!("<Page {} ({} characters)>", short(&self.0.url), self.0.html.chars().count())
    }

    fn __eq__(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        (&a.url, &a.site, a.fetched, &a.origin) == (&b.url, &b.site, b.fetched, &b.origin)
            && (a.charset, &a.html) == (b.charset, &b.html)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        reduced(py, "page", &self.0)
    }
}
