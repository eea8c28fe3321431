//! Articles and drops as Python has them.

use jiff::Timestamp;
use model::Field;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use sink::{article_record, drop_record};

use crate::json::to_python;
use crate::reduce::reduced;
use crate::shown::short;

/// An article: the main text of a page and what is known of it.
///
/// Its attributes are the fields of ``articles.jsonl`` (``docs/FORMATS.md``); `to_dict` gives the record itself.
/// Articles are made by `extract`, `SiteModel.apply` and the like. They are values: equal if all fields are, and
/// they can be pickled.
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct Article(pub(crate) model::Article);

fn text(field: &Option<Field<String>>) -> Option<&str> {
    field.as_ref().map(|field| &*field.value)
}

fn list(field: &Option<Field<Vec<String>>>) -> Vec<String> {
    field.as_ref().map_or_else(Vec::new, |field| field.value.clone())
}

#[pymethods]
impl Article {
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

    /// Id of its template; empty for a page that was looked at by itself.
    #[getter]
    fn template(&self) -> &str {
        &self.0.template
    }

    /// The type of the pages of its template: ``article``, ``documentation``, ``service``, ``forum``,
    /// ``collection``, ``listing`` or ``product``. None for other engines than ``grove``.
    #[getter]
    fn page_type(&self) -> Option<&str> {
        self.0.page_type.map(|own| own.page_type.as_str())
    }

    /// The probability of ``page_type``, 0 to 1.
    #[getter]
    fn page_type_probability(&self) -> Option<f64> {
        self.0.page_type.map(|own| (own.probability * 10_000.0).round() / 10_000.0)
    }

    /// Headline without the site's name.
    #[getter]
    fn title(&self) -> Option<&str> {
        text(&self.0.metadata.title)
    }

    /// Names of the authors, in page order.
    #[getter]
    fn authors(&self) -> Vec<String> {
        list(&self.0.metadata.authors)
    }

    /// When it was published: an RFC 3339 date or date-time, as exact as the page is.
    #[getter]
    fn published(&self) -> Option<&str> {
        text(&self.0.metadata.published)
    }

    /// When it was last changed, in the same form.
    #[getter]
    fn modified(&self) -> Option<&str> {
        text(&self.0.metadata.modified)
    }

    /// BCP 47 tag of its language.
    #[getter]
    fn language(&self) -> Option<&str> {
        text(&self.0.metadata.language)
    }

    /// How sure it is, from 0 to 1, that the text is in the language that was detected in it. None if it is too short.
    #[getter]
    fn language_score(&self) -> Option<f64> {
        self.0.language_score.map(|score| (score * 10_000.0).round() / 10_000.0)
    }

    /// Summary by the publisher.
    #[getter]
    fn description(&self) -> Option<&str> {
        text(&self.0.metadata.description)
    }

    /// Absolute address of the lead image.
    #[getter]
    fn image(&self) -> Option<&str> {
        text(&self.0.metadata.image)
    }

    /// Keywords, in page order.
    #[getter]
    fn tags(&self) -> Vec<String> {
        list(&self.0.metadata.tags)
    }

    /// Absolute canonical address.
    #[getter]
    fn canonical(&self) -> Option<&str> {
        text(&self.0.metadata.canonical)
    }

    /// Name of the publication.
    #[getter]
    fn site_name(&self) -> Option<&str> {
        text(&self.0.metadata.site_name)
    }

    /// Section of the publication.
    #[getter]
    fn section(&self) -> Option<&str> {
        text(&self.0.metadata.section)
    }

    /// How much of the article those without a subscription get, where the page tells: ``full``; ``partial``: the page has
    /// the beginning only; ``paid``: it is for subscribers, but the page seems to have all of it.
    #[getter]
    fn access(&self) -> Option<&'static str> {
        sink::access_of(&self.0)
    }

    /// Address of its licence, or a statement of the rights.
    #[getter]
    fn license(&self) -> Option<&str> {
        text(&self.0.metadata.license)
    }

    /// The number of words of ``text``; in scripts without spaces, of pairs of characters.
    #[getter]
    fn word_count(&self) -> u32 {
        sink::word_count(&self.0.text)
    }

    /// A hash of the words of ``text``: XXH3-128 of ``" ".join(text.split())``, as 32 hex digits.
    #[getter]
    fn content_hash(&self) -> String {
        sink::content_hash(&self.0.text)
    }

    /// The body as plain text: paragraphs separated by one blank line.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// The body as an HTML fragment: absolute links, images kept, nothing that runs.
    #[getter]
    fn html(&self) -> &str {
        &self.0.html
    }

    /// The body as Markdown, with ``Settings(markdown=True)``; else None.
    #[getter]
    fn markdown(&self) -> Option<&str> {
        self.0.markdown.as_deref()
    }

    /// The posts of a thread, as dictionaries with ``author``, ``date`` and ``text``; empty for other pages.
    #[getter]
    fn posts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let post = |own: &model::Post| {
            let dict = PyDict::new(py);
            dict.set_item("author", own.author.as_deref())?;
            dict.set_item("date", own.date.as_deref())?;
            dict.set_item("text", &own.text)?;
            Ok(dict)
        };
        self.0.posts.iter().map(post).collect()
    }

    /// The pictures of ``html``, as dictionaries with ``url``, ``caption``, ``alt``, ``credit``, ``width``, ``height`` and
    /// ``record``: in articles of a run, the record that has the picture, as a dictionary with ``url``, ``file`` and ``offset``.
    #[getter]
    fn images<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let image = |own: &model::Image| {
            let dict = PyDict::new(py);
            dict.set_item("url", &own.url)?;
            dict.set_item("caption", own.caption.as_deref())?;
            dict.set_item("alt", own.alt.as_deref())?;
            dict.set_item("credit", own.credit.as_deref())?;
            dict.set_item("width", own.width)?;
            dict.set_item("height", own.height)?;
            let record = |record: &model::RecordPlace| {
                let dict = PyDict::new(py);
                dict.set_item("url", &record.url)?;
                dict.set_item("file", &record.file)?;
                dict.set_item("offset", record.offset)?;
                PyResult::Ok(dict)
            };
            dict.set_item("record", own.record.as_ref().map(record).transpose()?)?;
            Ok(dict)
        };
        self.0.images.iter().map(image).collect()
    }

    /// The data tables of ``html``, as dictionaries with ``caption``, ``header_rows`` and ``rows``.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let table = |own: &model::Table| {
            let dict = PyDict::new(py);
            dict.set_item("caption", own.caption.as_deref())?;
            dict.set_item("header_rows", own.header_rows)?;
            dict.set_item("rows", &own.rows)?;
            Ok(dict)
        };
        self.0.tables.iter().map(table).collect()
    }

    /// What the page embeds from elsewhere, as dictionaries with ``kind``, ``url`` and ``title``.
    #[getter]
    fn embeds<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let embed = |own: &model::Embed| {
            let dict = PyDict::new(py);
            dict.set_item("kind", own.kind.as_str())?;
            dict.set_item("url", &own.url)?;
            dict.set_item("title", own.title.as_deref())?;
            Ok(dict)
        };
        self.0.embeds.iter().map(embed).collect()
    }

    /// The notes that the text refers to, as dictionaries with ``id``, ``label`` and ``text``.
    #[getter]
    fn footnotes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let note = |own: &model::Footnote| {
            let dict = PyDict::new(py);
            dict.set_item("id", &own.id)?;
            dict.set_item("label", &own.label)?;
            dict.set_item("text", &own.text)?;
            Ok(dict)
        };
        self.0.footnotes.iter().map(note).collect()
    }

    /// Readers' comments as plain text; empty if there are none.
    #[getter]
    fn comments(&self) -> &str {
        &self.0.comments
    }

    /// XPath expressions that select the body on this page.
    #[getter]
    fn xpath(&self) -> Vec<String> {
        self.0.xpath.clone()
    }

    /// XPath expressions of what is taken out of it.
    #[getter]
    fn prune(&self) -> Vec<String> {
        self.0.prune.clone()
    }

    /// XPath of the node that the article ends before, on this page.
    #[getter]
    fn cut(&self) -> Option<&str> {
        self.0.cut.as_deref()
    }

    /// Name of the engine that found the body.
    #[getter]
    fn engine(&self) -> &str {
        &self.0.engine
    }

    /// How the body was found: ``wrapper``, ``patterns``, ``page-wise``, ``json-ld`` or ``feed``.
    #[getter]
    fn route(&self) -> &'static str {
        self.0.route.as_str()
    }

    /// Version of the wrapper, 0 without one.
    #[getter]
    fn wrapper_version(&self) -> u32 {
        self.0.wrapper_version
    }

    /// How sure it is that the body is right, 0 to 1, to four decimals: for the default engine the F1 to be
    /// expected.
    #[getter]
    fn confidence(&self) -> f64 {
        (self.0.confidence * 10_000.0).round() / 10_000.0
    }

    /// Whether the confidence is below the setting ``extract.doubtful_below``.
    #[getter]
    fn doubtful(&self) -> bool {
        self.0.doubtful
    }

    /// What became of the site config of its host: ``used``, ``overruled`` (it found hardly any of the text that the
    /// engine finds, which is taken) or ``no-body``; ``None`` if there is none for it.
    #[getter]
    fn site_config(&self) -> Option<&'static str> {
        self.0.site_config.map(model::SiteConfigRole::as_str)
    }

    /// In articles of a run: when the crawl asked for the address again and there was no page any more, in UTC.
    #[getter]
    fn gone(&self) -> Option<Timestamp> {
        self.0.gone.as_ref().map(|gone| gone.at)
    }

    /// The status of that answer: 404 or 410, or that of a redirect.
    #[getter]
    fn gone_status(&self) -> Option<u16> {
        self.0.gone.as_ref().map(|gone| gone.status)
    }

    /// The address that the redirect led to.
    #[getter]
    fn moved_to(&self) -> Option<&str> {
        self.0.gone.as_ref().and_then(|gone| gone.moved_to.as_deref())
    }

    /// When the page was fetched, in UTC.
    #[getter]
    fn fetched(&self) -> Option<Timestamp> {
        self.0.fetched
    }

    /// The record of ``articles.jsonl``: a dict that `json.dumps` takes.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &article_record(&self.0))
    }

    fn __repr__(&self) -> String {
        let article = &self.0;
        let title = short(self.title().unwrap_or("without a title"));
        let (url, words) = (short(&article.url), article.text.split_whitespace().count());
        format!("<Article {title:?} {url} ({words} words, confidence {:.2})>", article.confidence)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        reduced(py, "article", &self.0)
    }
}

/// A page without an article, and why.
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct Drop(pub(crate) model::Drop);

#[pymethods]
impl Drop {
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

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        reduced(py, "drop", &self.0)
    }
}
