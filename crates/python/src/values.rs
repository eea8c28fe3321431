//! Pages, feed items, articles and drops in Python: views of the records of the crate `model`.

use jiff::Timestamp;
use model::{
    Article, Charset, CharsetEvidence, Drop, FeedItem, FieldKind, FieldVisitor, Origin, Overruled,
    Page, PageHtml, RecordField, rounded,
};
use pyo3::PyClass;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyList, PyString, PyTuple};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sink::drop_record;

use crate::errors::failure;

/// Maximum length of a text in a `repr`, in characters.
const LONGEST: usize = 80;

/// Shortens a long text.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Converts a record to the result of `json.loads`: records are documented as JSON.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    record: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(record).map_err(failure)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The result of `__reduce__`: a function, and its arguments.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// The result of `__reduce__` for a value of a kind.
fn reduced<'py>(py: Python<'py>, kind: &str, value: &impl Serialize) -> PyResult<Reduced<'py>> {
    let bytes = rmp_serde::to_vec_named(value).map_err(failure)?;
    let restore = py.import("sitegrove._sitegrove")?.getattr("_restore")?;
    Ok((restore, (kind, PyBytes::new(py, &bytes)).into_pyobject(py)?))
}

/// Reads a pickled value back.
#[pyfunction]
#[pyo3(name = "_restore")]
pub(crate) fn restore<'py>(
    py: Python<'py>,
    kind: &str,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match kind {
        "article" => Bound::new(py, PyArticle(unpickle(bytes)?))?.into_any(),
        "drop" => Bound::new(py, PyDrop(unpickle(bytes)?))?.into_any(),
        "page" => Bound::new(py, PyPage(unpickle(bytes)?))?.into_any(),
        "feed item" => Bound::new(py, PyFeedItem(unpickle(bytes)?))?.into_any(),
        _ => return Err(failure(format!("no kind of value is called `{kind}`"))),
    })
}

fn unpickle<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    rmp_serde::from_slice(bytes)
        .map_err(|error| failure(format!("the pickled bytes cannot be read: {error}")))
}

/// Adds a property for each field of a record to the classes of articles and feed items.
pub(crate) fn add_properties(py: Python<'_>) -> PyResult<()> {
    add_fields::<PyArticle>(py, Article::FIELDS, |own, field| own.0.visit_fields(field))?;
    add_fields::<PyFeedItem>(py, FeedItem::FIELDS, |own, field| own.0.visit_fields(field))
}

fn add_fields<T: PyClass>(
    py: Python<'_>,
    fields: &'static [RecordField],
    visit: fn(&T, &mut WantedField<'_>),
) -> PyResult<()> {
    let property = py.import("builtins")?.getattr("property")?;
    for field in fields {
        let get = move |of: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let value = of.get_item(0)?.cast_into::<T>()?;
            let mut wanted = WantedField { py: of.py(), name: field.name, found: None };
            visit(&value.borrow(), &mut wanted);
            wanted.found.unwrap_or_else(|| Err(PyAttributeError::new_err(field.name)))
        };
        let get = PyCFunction::new_closure(py, None, None, get)?;
        let doc = without_links(field.doc);
        let value = property.call1((get, py.None(), py.None(), doc))?;
        py.get_type::<T>().setattr(field.name, value)?;
    }
    Ok(())
}

/// Removes the links from Markdown.
fn without_links(doc: &str) -> String {
    let mut plain = String::new();
    let mut rest = doc.trim();
    while let Some((before, link)) = rest.split_once('[')
        && let Some((text, after)) = link.split_once("](")
        && let Some((_, after)) = after.split_once(')')
    {
        plain.push_str(before);
        plain.push_str(text);
        rest = after;
    }
    plain + rest
}

struct WantedField<'py> {
    py: Python<'py>,
    name: &'static str,
    found: Option<PyResult<Py<PyAny>>>,
}

impl FieldVisitor for WantedField<'_> {
    fn visit<T: Serialize>(&mut self, field: &'static RecordField, value: &T) {
        if field.name == self.name {
            let value = serde_json::to_value(value).map_err(failure);
            let value = value.and_then(|value| python_of(self.py, &field.kind, value));
            self.found = Some(value.map(Bound::unbind));
        }
    }
}

/// Converts a value of this kind to Python. Dictionaries have all keys.
fn python_of<'py>(py: Python<'py>, kind: &FieldKind, value: Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match (kind, value) {
        (FieldKind::Time, Value::String(time)) => {
            let time = time.parse::<Timestamp>().map_err(failure)?;
            time.into_pyobject(py)?.into_any()
        }
        (FieldKind::List(of), Value::Array(values)) => {
            let values = values.into_iter().map(|value| python_of(py, of, value));
            PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        (FieldKind::Record(fields), Value::Object(mut values)) => {
            let dict = PyDict::new(py);
            for field in *fields {
                let value = values.remove(field.name).unwrap_or_default();
                dict.set_item(field.name, python_of(py, &field.kind, value)?)?;
            }
            dict.into_any()
        }
        (FieldKind::Number, Value::Number(number)) => {
            rounded(number.as_f64().unwrap_or_default()).into_pyobject(py)?.into_any()
        }
        (_, Value::Number(number)) => {
            number.as_u64().unwrap_or_default().into_pyobject(py)?.into_any()
        }
        (_, Value::Bool(value)) => value.into_pyobject(py)?.to_owned().into_any(),
        (_, Value::String(text)) => text.into_pyobject(py)?.into_any(),
        _ => py.None().into_bound(py),
    })
}

/// HTML as given: text, or bytes whose encoding is to be determined.
pub(crate) enum Html {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl<'py> FromPyObject<'_, 'py> for Html {
    type Error = PyErr;

    fn extract(html: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = html.cast::<PyString>() {
            // Halves of surrogate pairs, which a Python string may contain, are replaced.
            let whole = |_| PyString::new(html.py(), &text.to_string_lossy()).try_into();
            return Ok(Self::Text(text.to_owned().try_into().or_else(whole)?));
        }
        let bytes = html.extract().map_err(|_| {
            let kind = html.get_type();
            PyTypeError::new_err(format!("the HTML must be str or bytes, not {kind}"))
        })?;
        Ok(Self::Bytes(bytes))
    }
}

/// Makes a page of a site. Bytes are decoded by their own declarations and `http_charset`.
pub(crate) fn page_of(url: &str, site: String, html: Html, http_charset: Option<&str>) -> Page {
    let (html, charset) = match html {
        Html::Text(text) => (PageHtml::new(text), given_as_text()),
        Html::Bytes(bytes) => decoded(bytes.to_vec(), url, http_charset),
    };
    page(url.to_owned(), site, html, charset)
}

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

/// Makes a page that does not come from a file.
pub(crate) fn page(url: String, site: String, html: PageHtml, charset: Charset) -> Page {
    Page { url, site, fetched: None, origin: Origin::default(), charset, notes: None, html }
}

/// Key of the site that an address belongs to; empty if it is not an address.
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
#[pyclass(frozen, name = "Page", module = "sitegrove")]
pub(crate) struct PyPage(pub(crate) Page);

#[pymethods]
impl PyPage {
    #[new]
    #[pyo3(signature = (url, html, *, fetched=None, http_charset=None))]
    fn new(url: &str, html: Html, fetched: Option<Timestamp>, http_charset: Option<&str>) -> Self {
        Self(Page { fetched, ..page_of(url, site_of(url), html, http_charset) })
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced(py, "page", &self.0)
    }
}

/// What a web feed (RSS, Atom, JSON Feed) says of an article.
///
/// Parameters
/// ----------
/// link : str
///     Absolute address of the article.
/// title, description : str
///     As text, without markup.
/// content : str, optional
///     The whole text, where the feed has it.
/// authors, tags : list of str
///     As the feed names them.
/// published : str, optional
///     When it was published, as the feed writes it.
/// language : str, optional
///     BCP 47 tag.
/// feed : str
///     Address of the feed, or another name that tells feeds apart: pages that one feed lists are more
///     likely to share a layout.
#[pyclass(frozen, eq, name = "FeedItem", module = "sitegrove")]
#[derive(PartialEq)]
pub(crate) struct PyFeedItem(pub(crate) FeedItem);

#[pymethods]
impl PyFeedItem {
    #[new]
    #[pyo3(signature = (link, *, title=String::new(), description=String::new(), content=None,
        authors=Vec::new(), published=None, tags=Vec::new(), language=None, feed=String::new()))]
    #[expect(clippy::too_many_arguments, reason = "each is a field, by its name")]
    fn new(
        link: String,
        title: String,
        description: String,
        content: Option<String>,
        authors: Vec<String>,
        published: Option<String>,
        tags: Vec<String>,
        language: Option<String>,
        feed: String,
    ) -> Self {
        Self(FeedItem {
            link,
            title,
            description,
            content,
            authors,
            published,
            tags,
            language,
            feed,
        })
    }

    fn __repr__(&self) -> String {
        format!("<FeedItem {} {:?}>", short(&self.0.link), short(&self.0.title))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced(py, "feed item", &self.0)
    }
}

/// The items of an iterable of `FeedItem`; empty for `None`.
pub(crate) fn items_of(items: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<FeedItem>> {
    let Some(items) = items.filter(|items| !items.is_none()) else { return Ok(Vec::new()) };
    items.try_iter()?.map(|item| Ok(item?.cast::<PyFeedItem>()?.get().0.clone())).collect()
}

/// An article: the main text of a page and what is known of it.
///
/// Its attributes are the fields of ``articles.jsonl`` (``docs/FORMATS.md``); `to_dict` gives the record itself.
/// Articles are made by `extract`, `SiteModel.apply` and the like. They are values: equal if all fields are, and
/// they can be pickled.
#[pyclass(frozen, eq, name = "Article", module = "sitegrove")]
#[derive(PartialEq)]
pub(crate) struct PyArticle(pub(crate) Article);

#[pymethods]
impl PyArticle {
    /// The record of ``articles.jsonl``: a dict that `json.dumps` takes.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __repr__(&self) -> String {
        let article = &self.0;
        let title = short(article.title.as_deref().unwrap_or("without a title"));
        let (url, words) = (short(&article.url), article.text.split_whitespace().count());
        format!("<Article {title:?} {url} ({words} words, confidence {:.2})>", article.confidence)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced(py, "article", &self.0)
    }
}

/// A page without an article, and why.
#[pyclass(frozen, eq, name = "Drop", module = "sitegrove")]
#[derive(PartialEq)]
pub(crate) struct PyDrop(pub(crate) Drop);

#[pymethods]
impl PyDrop {
    /// Address of the page.
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    /// Key of its site.
    #[getter]
    fn site(&self) -> &str {
        &self.0.site
    }

    /// Step at which it was left out: ``read``, ``group``, ``cluster`` or ``extract``.
    #[getter]
    fn stage(&self) -> &'static str {
        self.0.stage.as_str()
    }

    /// Why, in one word: ``list-page``, ``no-content``, ``no-article`` and others (``docs/FORMATS.md``).
    #[getter]
    fn reason(&self) -> &'static str {
        self.0.reason.as_str()
    }

    /// More of it, for people; often empty.
    #[getter]
    fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The record of ``dropped.jsonl``: a dict that `json.dumps` takes.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &drop_record(&self.0))
    }

    fn __repr__(&self) -> String {
        let detail = match &*self.0.detail {
            "" => self.0.reason.meaning(),
            detail => detail,
        };
        format!("<Drop {} {}: {}>", self.reason(), short(&self.0.url), short(detail))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        reduced(py, "drop", &self.0)
    }
}
