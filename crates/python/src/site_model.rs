//! Site models in Python, and extraction of single pages.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use grouping::{address_of_file, drop_of, settle};
use model::{DropReason, FeedItem, Page, Site, Wrapper};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use sink::{TableBuilder, drop_record, escape_markup};
use sitegrove::in_memory;
use sitemodel::{Applied, ApplyStatistics, Outcome, SiteHealth, SiteModel, Template, assess};

use crate::detached::{detached, guarded, in_threads};
use crate::errors::{ModelError, failure, input_error};
use crate::settings::{LoadedSettings, PySettings, loaded};
use crate::tables::{PyRecordBatchReader, all_pages, batches_of, pages_of, small_batches};
use crate::values::{Html, PyArticle, PyDrop, PyPage, Reduced, items_of, page_of, short, site_of};

/// What was learnt of a site: its templates, and for each the wrapper that finds articles.
///
/// A model is a value: the same pages and settings give the same model, equal models have equal bytes, and applying
/// it to a page depends on nothing else. It can be pickled and sent to other processes; it holds the settings it
/// was learnt with.
///
/// Made by `learn` and by `SiteModel.from_bytes`.
#[pyclass(frozen, name = "SiteModel", module = "sitegrove")]
#[derive(Clone)]
pub(crate) struct PySiteModel {
    model: Arc<SiteModel>,
    settings: Arc<LoadedSettings>,
    /// Statistics of the pages that this object was applied to.
    seen: Arc<Mutex<ApplyStatistics>>,
}

impl PySiteModel {
    fn new(model: SiteModel, settings: Arc<LoadedSettings>) -> Self {
        Self { model: Arc::new(model), settings, seen: Arc::default() }
    }

    fn seen(&self) -> MutexGuard<'_, ApplyStatistics> {
        // The counts are consistent even if another thread has panicked.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply_to<'p>(
        &self,
        py: Python<'_>,
        page: impl FnOnce() -> Cow<'p, Page> + Send,
        feed_items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ArticleOrDrop> {
        let items = items_of(feed_items)?;
        let applied = detached(py, 1, || {
            let mut page = page();
            if page.site != self.model.site() {
                page.to_mut().site = self.model.site().to_owned();
            }
            let applied = in_memory::apply(&self.model, &page, &items, &self.settings.settings);
            self.seen().add(&applied.seen());
            applied
        })?;
        match applied.applied.outcome {
            Outcome::Article(article) => Ok(ArticleOrDrop::Article(PyArticle(article.article))),
            Outcome::Drop(drop) => Ok(ArticleOrDrop::Drop(PyDrop(*drop))),
            Outcome::Unassigned => Err(failure("the page was not looked at")),
        }
    }

    /// Applies the model to the pages of a batch; returns their results in the same order.
    fn apply_to_batch(
        &self,
        batch: &RecordBatch,
        items: &[FeedItem],
    ) -> Result<RecordBatch, ArrowError> {
        let mut pages = pages_of(batch)?;
        pages.iter_mut().for_each(|page| self.model.site().clone_into(&mut page.site));
        outcomes_of(&pages, &|page| {
            let applied = in_memory::apply(&self.model, page, items, &self.settings.settings);
            self.seen().add(&applied.seen());
            applied.applied
        })
    }
}

/// The results of pages: a row for each page, in the same order.
pub(crate) fn outcomes_of(
    pages: &[Page],
    apply: &(dyn Fn(&Page) -> Applied + Sync),
) -> Result<RecordBatch, ArrowError> {
    let apply = |page: &Page| (!page.url.is_empty()).then(|| apply(page).outcome);
    let all: Vec<Option<Outcome>> = pages.par_iter().map(apply).collect();
    let mut rows = TableBuilder::of_outcomes()?;
    for (outcome, page) in all.iter().zip(pages) {
        match outcome {
            Some(Outcome::Article(extracted)) => rows.push(&extracted.article)?,
            Some(Outcome::Drop(drop)) => rows.push(&drop_record(drop))?,
            None => {
                let detail = "the row has no `url`".to_owned();
                rows.push(&drop_record(&drop_of("", page, DropReason::BadUrl, detail)))?;
            }
            Some(Outcome::Unassigned) => {
                return Err(ArrowError::ComputeError("a page was not looked at".into()));
            }
        }
    }
    rows.take_batch()
}

/// Applies a function to the pages of an Arrow table, batch by batch, when batches are requested.
pub(crate) fn apply_to_table(
    pages: &Bound<'_, PyAny>,
    threads: usize,
    mut apply: impl FnMut(&RecordBatch) -> Result<RecordBatch, ArrowError> + Send + 'static,
) -> PyResult<PyRecordBatchReader> {
    let no_table = || input_error("`pages` is no Arrow table: it has no __arrow_c_stream__");
    let schema = Arc::clone(TableBuilder::of_outcomes().map_err(failure)?.schema());
    let batches = batches_of(pages)?.ok_or_else(no_table)?;
    let outcomes = small_batches(batches).map(move |batch| {
        let batch = batch?;
        let work = || in_threads(threads, || apply(&batch));
        guarded(work).and_then(|done| done).map_err(ArrowError::ComputeError)?
    });
    Ok(PyRecordBatchReader::new(schema, Box::new(outcomes)))
}

/// The result of a page.
#[derive(IntoPyObject)]
#[expect(clippy::large_enum_variant, reason = "it is moved into an object of Python at once")]
pub(crate) enum ArticleOrDrop {
    /// Its article.
    Article(PyArticle),
    /// Why it has none.
    Drop(PyDrop),
}

/// Learn the model of a site from its pages.
///
/// The more pages the better; from about five of one layout on, wrappers can be trusted. Of many pages a sample is
/// learnt from (setting ``sample.pages``), but all are looked at once. The result does not depend on the order of
/// the pages.
///
/// Parameters
/// ----------
/// pages : iterable of (str, str or bytes) or Page, or an Arrow table
///     Address and HTML of each page. An Arrow table (anything with ``__arrow_c_stream__`` or
///     ``__arrow_c_array__``) has the columns ``url`` and ``html``, as `read_warc_table` gives them.
/// site : str, optional
///     Key of the site. Without it, all pages must be of one site, as `site_key` tells.
/// feed_items : iterable of FeedItem
///     Items of the site's feeds.
/// previous : SiteModel, optional
///     An earlier model of the site: templates that are found again keep their ids, and the version of a
///     wrapper rises where it changed.
/// settings : Settings, optional
///     The defaults, if not given.
/// threads : int
///     Threads to learn with. They end with the call, so that a later ``fork`` is safe.
///
/// Returns
/// -------
/// SiteModel
///
/// Raises
/// ------
/// InputError
///     If there is no page, or pages are of several sites and none is named.
///
/// Examples
/// --------
/// >>> import sitegrove
/// >>> def page(n):
/// ...     story = f"<p>The mayor of town {n} said that bridge {n} stays open all winter, as he did before.</p>"
/// ...     return (f"https://example.org/news/{n}-a-story",
/// ...             f"<ul class=menu><li><a href=/>Home</a></ul><div class=story><h1>Story {n}</h1>{story * 6}</div>"
/// ...             f"<div class=foot>All rights reserved.</div>")
/// >>> model = sitegrove.learn([page(n) for n in range(8)])
/// >>> model.site, len(model.templates)
/// ('example.org', 1)
#[pyfunction]
#[pyo3(signature = (pages, *, site=None, feed_items=None, previous=None, settings=None, threads=1))]
pub(crate) fn learn(
    py: Python<'_>,
    pages: &Bound<'_, PyAny>,
    site: Option<String>,
    feed_items: Option<&Bound<'_, PyAny>>,
    previous: Option<&Bound<'_, PySiteModel>>,
    settings: Option<&Bound<'_, PySettings>>,
    threads: usize,
) -> PyResult<PySiteModel> {
    let mut pages = pages_given(pages)?;
    let feed_items = items_of(feed_items)?;
    let settings = loaded(settings)?;
    let previous = previous.map(|previous| Arc::clone(&previous.get().model));
    let key = match site {
        Some(site) => site,
        None => only_site(&pages)?,
    };
    let model = detached(py, threads, || {
        pages.iter_mut().for_each(|page| page.site.clone_from(&key));
        let mut feed_items = feed_items;
        feed_items.sort();
        feed_items.dedup();
        let site = Site { key, pages: settle(pages).best, feed_items };
        in_memory::learn(site, previous.as_deref(), &settings.settings)
    })?;
    Ok(PySiteModel::new(model, settings))
}

/// The site of the pages; an exception unless all belong to one site.
fn only_site(pages: &[Page]) -> PyResult<String> {
    let sites: BTreeSet<&str> = pages.iter().map(|page| &*page.site).collect();
    let mut names = sites.iter();
    match (names.next(), sites.len()) {
        (None, _) => Err(input_error("there are no pages to learn from")),
        (Some(&""), 1) => {
            Err(input_error("the addresses of the pages tell no site; name it with `site`"))
        }
        (Some(site), 1) => Ok((*site).to_owned()),
        (_, several) => {
            let some: Vec<&str> = sites.iter().take(3).copied().collect();
            Err(input_error(format!(
                "the pages are of {several} sites ({}, …): learn each by itself (`Page.site`, \
                 `site_key`), or name one with `site`",
                some.join(", ")
            )))
        }
    }
}

/// Converts a table, or an iterable of `Page` and (url, html), to pages.
fn pages_given(pages: &Bound<'_, PyAny>) -> PyResult<Vec<Page>> {
    if let Some(batches) = batches_of(pages)? {
        return pages.py().detach(|| all_pages(batches));
    }
    let mut all = Vec::new();
    for page in pages.try_iter()? {
        let page = page?;
        all.push(match page.cast::<PyPage>() {
            Ok(page) => page.get().0.clone(),
            Err(_) => {
                let (url, html): (String, Html) = page.extract()?;
                page_of(&url, site_of(&url), html, None)
            }
        });
    }
    Ok(all)
}

#[pymethods]
impl PySiteModel {
    /// Apply the model to a page.
    ///
    /// A page that no template is for is looked at by itself; its article names no template.
    ///
    /// Parameters
    /// ----------
    /// html : str or bytes
    ///     The page.
    /// url : str
    ///     Its absolute address.
    /// feed_items : iterable of FeedItem
    ///     Items of feeds; those whose link leads to the page are used.
    ///
    /// Returns
    /// -------
    /// Article or Drop
    ///     The article, or why there is none. Nothing is raised for any page.
    #[pyo3(signature = (html, url, *, feed_items=None))]
    fn apply(
        &self,
        py: Python<'_>,
        html: Html,
        url: &str,
        feed_items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ArticleOrDrop> {
        let site = self.model.site();
        self.apply_to(py, || Cow::Owned(page_of(url, site.to_owned(), html, None)), feed_items)
    }

    /// Apply the model to a `Page`: its article or drop has what is known of the page, such as when it was
    /// fetched and where it lies.
    ///
    /// Parameters
    /// ----------
    /// page : Page
    ///     The page.
    /// feed_items : iterable of FeedItem
    ///     As for `apply`.
    ///
    /// Returns
    /// -------
    /// Article or Drop
    #[pyo3(signature = (page, *, feed_items=None))]
    fn apply_page(
        &self,
        py: Python<'_>,
        page: &Bound<'_, PyPage>,
        feed_items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ArticleOrDrop> {
        let page = page.get();
        self.apply_to(py, || Cow::Borrowed(&page.0), feed_items)
    }

    /// Apply the model to the pages of an Arrow table, batch by batch. All are taken for pages of the model's site.
    ///
    /// Parameters
    /// ----------
    /// pages : Arrow table
    ///     Anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``: a table of pyarrow, a DataFrame of
    ///     polars or pandas, a relation of duckdb, what `read_warc_table` gives. It has the columns ``url`` and
    ///     ``html`` (text, or bytes to be decoded); those that `read_warc_table` gives beside them are used
    ///     where they are there.
    /// feed_items : iterable of FeedItem
    ///     As for `apply`.
    /// threads : int
    ///     Threads to work with.
    ///
    /// Returns
    /// -------
    /// RecordBatchReader
    ///     A row for each page, in the order of `pages`: the fields of articles (``docs/FORMATS.md``,
    ///     ``articles.parquet``), and ``stage``, ``reason``, ``detail`` for pages without one. ``reason`` is null
    ///     for articles, and ``bad-url`` for rows without ``url``. Work is done when batches are asked for; memory is bounded by batches of 8 MiB of
    ///     HTML, whatever `pages` are cut into.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If `pages` has not the columns, or is no table.
    #[pyo3(signature = (pages, *, feed_items=None, threads=1))]
    fn apply_table(
        &self,
        pages: &Bound<'_, PyAny>,
        feed_items: Option<&Bound<'_, PyAny>>,
        threads: usize,
    ) -> PyResult<PyRecordBatchReader> {
        let (own, items) = (self.clone(), items_of(feed_items)?);
        apply_to_table(pages, threads, move |batch| own.apply_to_batch(batch, &items))
    }

    /// Key of the site.
    #[getter]
    fn site(&self) -> &str {
        self.model.site()
    }

    /// Name of the engine that learnt it.
    #[getter]
    fn engine(&self) -> &str {
        &self.model.head().engine
    }

    /// Number of pages that were learnt from.
    #[getter]
    fn pages(&self) -> u64 {
        self.model.head().pages
    }

    /// The settings it was learnt with, by which it is applied.
    #[getter]
    fn settings(&self) -> PySettings {
        PySettings(Arc::clone(&self.settings))
    }

    /// The templates, in the order in which they were learnt.
    #[getter]
    fn templates(&self) -> Vec<PyTemplate> {
        self.model.templates().iter().map(PyTemplate::new).collect()
    }

    /// XPath expressions that select the body of articles, by id of the template; templates without a wrapper
    /// are left out.
    #[getter]
    fn wrappers(&self) -> BTreeMap<String, Vec<String>> {
        let of =
            |template: &Template| Some((template.id.clone(), template.wrapper()?.content.clone()));
        self.model.templates().iter().filter_map(of).collect()
    }

    /// Whether the model still fits the site, by all pages that this object was applied to so far: how often
    /// wrappers matched, against what was learnt. It is no part of the model's value.
    #[getter]
    fn health(&self) -> PyHealth {
        PyHealth::new(assess(&self.model, &self.seen()))
    }

    /// The model as bytes: the same for equal models, on any machine.
    ///
    /// Settings are not in them, only their digest.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, 1, || self.model.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Read a model back.
    ///
    /// Parameters
    /// ----------
    /// data : bytes
    ///     What `to_bytes` gave. Any other bytes are an error, whoever made them.
    /// settings : Settings, optional
    ///     The settings it was learnt with; the defaults, if not given.
    ///
    /// Returns
    /// -------
    /// SiteModel
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     If the bytes are no model, are damaged or of another version of the format, or the model was learnt
    ///     with other settings or weights.
    #[staticmethod]
    #[pyo3(signature = (data, settings=None))]
    pub(crate) fn from_bytes(
        py: Python<'_>,
        data: &[u8],
        settings: Option<&Bound<'_, PySettings>>,
    ) -> PyResult<Self> {
        let settings = loaded(settings)?;
        let model = detached(py, 1, || SiteModel::from_bytes(data))?
            .map_err(|error| ModelError::new_err(error.to_string()))?;
        model.fits(&settings.settings).map_err(|error| {
            ModelError::new_err(format!("{error}; give the settings it was learnt with"))
        })?;
        Ok(Self::new(model, settings))
    }

    /// Seconds that applying the model to a page takes, mean of so many rounds, with nothing of Python in
    /// between: what `apply` is compared with (``scripts/measure/bench-python``).
    fn _seconds_to_apply(
        &self,
        py: Python<'_>,
        html: Html,
        url: &str,
        rounds: u32,
    ) -> PyResult<f64> {
        let page = page_of(url, self.site().to_owned(), html, None);
        let spent = detached(py, 1, || {
            let begun = Instant::now();
            for _ in 0..rounds.max(1) {
                in_memory::apply(&self.model, &page, &[], &self.settings.settings);
            }
            begun.elapsed()
        })?;
        Ok(spent.as_secs_f64() / f64::from(rounds.max(1)))
    }

    fn __repr__(&self) -> String {
        let templates: Vec<String> = self.model.templates().iter().map(line_of).collect();
        let (site, pages) = (self.model.site(), self.pages());
        format!("<SiteModel of {site}, learnt from {pages} pages:{}>", templates.concat())
    }

    fn _repr_html_(&self) -> String {
        table_of(&self.model)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.model == other.model
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let (py, model) = (slf.py(), slf.get());
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        let settings = Bound::new(py, model.settings())?;
        Ok((from_bytes, (model.to_bytes(py)?, settings).into_pyobject(py)?))
    }
}

/// Describes a template on a new line.
fn line_of(template: &Template) -> String {
    let paths = template.wrapper().map_or_else(String::new, |w| w.content.join(" | "));
    format!("\n  {} {} ({} pages) {paths}", template.id, template.kind.as_str(), template.pages)
}

/// A template: pages of one layout and one kind, with the wrapper that was learnt of them.
#[pyclass(frozen, get_all, eq, name = "Template", module = "sitegrove")]
#[derive(PartialEq)]
pub(crate) struct PyTemplate {
    /// Name within the site, 12 hex digits. It stays when the template is learnt anew.
    id: String,
    /// What its pages are for: ``article``, ``list`` or ``other``. Pages of the last two are dropped.
    kind: &'static str,
    /// Pages that it was learnt from.
    pages: u64,
    /// Addresses of some of them.
    examples: Vec<String>,
    /// XPath expressions that select the body of articles; empty where no wrapper was learnt.
    content: Vec<String>,
    /// XPath expressions of what is taken out of it.
    prune: Vec<String>,
    /// XPath expressions of the elements that show a field, by its name (``title``, ``subtitle``, ``authors``, ``published``).
    fields: BTreeMap<String, Vec<String>>,
    /// How sure the wrapper is, 0 to 1; None without one.
    confidence: Option<f64>,
    /// Version of the wrapper, from 1; 0 without one.
    version: u32,
}

impl PyTemplate {
    fn new(template: &Template) -> Self {
        let wrapper = template.wrapper();
        let paths = |of: fn(&Wrapper) -> &Vec<String>| wrapper.map(of).cloned().unwrap_or_default();
        Self {
            id: template.id.clone(),
            kind: template.kind.as_str(),
            pages: template.pages,
            examples: template.examples.clone(),
            content: paths(|wrapper| &wrapper.content),
            prune: paths(|wrapper| &wrapper.prune),
            fields: template.fields(),
            confidence: wrapper.map(|wrapper| wrapper.confidence),
            version: wrapper.map_or(0, |wrapper| wrapper.version),
        }
    }
}

#[pymethods]
impl PyTemplate {
    fn __repr__(&self) -> String {
        let Self { id, kind, pages, .. } = self;
        let paths = short(&self.content.join(" | "));
        format!("<Template {id} {kind} ({pages} pages) {paths}>")
    }
}

/// Whether a model still fits its site, by the pages it was applied to.
#[pyclass(frozen, get_all, eq, name = "Health", module = "sitegrove")]
#[derive(PartialEq)]
pub(crate) struct PyHealth {
    /// ``healthy``, ``drifting``, ``broken``, or ``too-few-pages`` if there are too few pages to say.
    verdict: &'static str,
    /// The same by id of each template that pages were of.
    templates: BTreeMap<String, &'static str>,
    /// Pages that no template is for.
    unassigned: u64,
    /// Pages that the model was applied to.
    pages: u64,
}

impl PyHealth {
    fn new(health: SiteHealth) -> Self {
        let (unassigned, pages) = health.unassigned;
        let templates = health.templates.into_iter();
        Self {
            verdict: health.site.as_str(),
            templates: templates.map(|(id, verdict)| (id, verdict.verdict.as_str())).collect(),
            unassigned,
            pages,
        }
    }
}

#[pymethods]
impl PyHealth {
    fn __repr__(&self) -> String {
        let Self { verdict, unassigned, pages, .. } = self;
        format!("<Health {verdict} ({pages} pages, {unassigned} of no template)>")
    }
}

/// Writes a model as an HTML table of its templates, with their XPaths and a page of each.
fn table_of(model: &SiteModel) -> String {
    let head = model.head();
    let mut html = format!(
        "<div><strong>SiteModel</strong> of {}: {} templates, learnt from {} pages by {}\
         <table><thead><tr><th>template</th><th>kind</th><th>pages</th><th>confidence</th>\
         <th>XPath</th><th>a page of it</th></tr></thead><tbody>",
        escape_markup(&head.site),
        model.templates().len(),
        head.pages,
        escape_markup(&head.engine),
    );
    for template in model.templates() {
        let wrapper = template.wrapper();
        let confidence = wrapper.map_or("–".to_owned(), |w| format!("{:.2}", w.confidence));
        let paths = wrapper.map_or(&[][..], |wrapper| &wrapper.content);
        let paths: Vec<String> =
            paths.iter().map(|path| format!("<code>{}</code>", escape_markup(path))).collect();
        let example = template.examples.first().map_or("", String::as_str);
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{confidence}</td><td>{}</td>\
             <td>{}</td></tr>",
            escape_markup(&template.id),
            template.kind.as_str(),
            template.pages,
            paths.join("<br>"),
            escape_markup(&short(example)),
        );
    }
    html.push_str("</tbody></table></div>");
    html
}

/// Whether a text is the address or file name of a page, not its HTML.
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
/// markdown : bool
///     Whether the article is given as Markdown too.
/// passages : int, optional
///     Most words of the passages that the text is divided into; those of the settings by default, which have none.
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
///     If there is no `url`, and `html` is the address of a page, or the name of a file.
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
#[pyo3(signature = (
    html, url=None, *, feed_items=None, markdown=false, passages=None, settings=None
))]
pub(crate) fn extract(
    py: Python<'_>,
    html: Html,
    url: Option<&str>,
    feed_items: Option<&Bound<'_, PyAny>>,
    markdown: bool,
    passages: Option<u32>,
    settings: Option<&Bound<'_, PySettings>>,
) -> PyResult<Option<PyArticle>> {
    if let (Html::Text(text), None) = (&html, url)
        && is_name(text)
    {
        let what = "this is an address or a file name; pass the HTML itself";
        return Err(input_error(format!("{}: {what}", short(text))));
    }
    let items = items_of(feed_items)?;
    let settings = loaded(settings)?;
    let applied = detached(py, 1, || {
        let url = url.map_or_else(|| address_of_file("", "page.html").into(), Cow::Borrowed);
        let page = page_of(&url, site_of(&url), html, None);
        let mut wanted = Cow::Borrowed(&settings.single);
        if markdown && !wanted.forms.markdown {
            wanted.to_mut().forms.markdown = true;
        }
        if let Some(most_words) = passages {
            wanted.to_mut().forms.passages = most_words;
        }
        in_memory::extract(&page, &items, &wanted)
    })?;
    Ok(applied.outcome.into_article().map(|own| PyArticle(own.article)))
}

/// Extract the articles of the pages of an Arrow table, each page by itself, batch by batch.
///
/// Several pages of one site give better articles: see `learn`, and `ModelStore.apply_table` for the pages of many
/// sites.
///
/// Parameters
/// ----------
/// pages : Arrow table
///     As for `SiteModel.apply_table`.
/// settings : Settings, optional
///     The defaults, if not given.
/// threads : int
///     Threads to work with.
///
/// Returns
/// -------
/// RecordBatchReader
///     As from `SiteModel.apply_table`: a row for each page, in the order of `pages`.
///
/// Raises
/// ------
/// InputError
///     If `pages` has not the columns, or is no table.
#[pyfunction]
#[pyo3(signature = (pages, *, settings=None, threads=1))]
pub(crate) fn extract_table(
    pages: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PySettings>>,
    threads: usize,
) -> PyResult<PyRecordBatchReader> {
    let settings = loaded(settings)?;
    apply_to_table(pages, threads, move |batch| {
        outcomes_of(&pages_of(batch)?, &|page| in_memory::extract(page, &[], &settings.single))
    })
}
