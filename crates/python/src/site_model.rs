//! Site models as Python has them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use arrow_schema::ArrowError;
use grouping::settle;
use model::Site;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use sink::TableBuilder;
use sitegrove::in_memory;
use sitemodel::{ApplyStatistics, Outcome, assess};

use crate::apply_table::{Applying, With};
use crate::article::{Article, Drop};
use crate::detached::detached;
use crate::errors::{ModelError, SitegroveError, input_error};
use crate::feed_item::items_of;
use crate::page::{Html, Page, page_of, site_of};
use crate::pages_in::{all_pages, batches_of};
use crate::seen::locked;
use crate::settings::{Chosen, Settings, chosen};
use crate::shown::table_of;
use crate::stream::RecordBatchReader;
use crate::template::{Health, Template};

/// What was learnt of a site: its templates, and for each the wrapper that finds articles.
///
/// A model is a value: the same pages and settings give the same model, equal models have equal bytes, and applying
/// it to a page depends on nothing else. It can be pickled and sent to other processes; it holds the settings it
/// was learnt with.
///
/// Made by `learn` and by `SiteModel.from_bytes`.
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct SiteModel {
    pub(crate) model: Arc<sitemodel::SiteModel>,
    pub(crate) chosen: Arc<Chosen>,
    /// What applying this object saw.
    pub(crate) seen: Arc<Mutex<ApplyStatistics>>,
}

impl SiteModel {
    fn new(model: sitemodel::SiteModel, chosen: Arc<Chosen>) -> Self {
        Self { model: Arc::new(model), chosen, seen: Arc::default() }
    }
}

/// What came of a page.
#[derive(IntoPyObject)]
#[expect(clippy::large_enum_variant, reason = "it is moved into an object of Python at once")]
pub(crate) enum ArticleOrDrop {
    /// Its article.
    Article(Article),
    /// Why it has none.
    Drop(Drop),
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
    previous: Option<&Bound<'_, SiteModel>>,
    settings: Option<&Bound<'_, Settings>>,
    threads: usize,
) -> PyResult<SiteModel> {
    let mut pages = pages_of(pages)?;
    let feed_items = items_of(feed_items)?;
    let chosen = chosen(settings)?;
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
        in_memory::learn(site, previous.as_deref(), &chosen.settings)
    })?;
    Ok(SiteModel::new(model, chosen))
}

/// The site that all pages are of.
fn only_site(pages: &[model::Page]) -> PyResult<String> {
    let sites: BTreeSet<&str> = pages.iter().map(|page| &*page.site).collect();
    let mut names = sites.iter();
    match (names.next(), sites.len()) {
        (None, _) => Err(input_error("there are no pages to learn from".to_owned(), None, None)),
        (Some(&""), 1) => Err(input_error(
            "the addresses of the pages tell no site; name it with `site`".to_owned(),
            None,
            None,
        )),
        (Some(site), 1) => Ok((*site).to_owned()),
        (_, several) => {
            let some: Vec<&str> = sites.iter().take(3).copied().collect();
            let message = format!(
                "the pages are of {several} sites ({}, …): learn each by itself (`Page.site`, \
                 `site_key`), or name one with `site`",
                some.join(", ")
            );
            Err(input_error(message, None, None))
        }
    }
}

/// The pages of a table, or of an iterable of `Page` and (url, html).
///
/// # Errors
/// If there is something else among them.
fn pages_of(pages: &Bound<'_, PyAny>) -> PyResult<Vec<model::Page>> {
    if let Some(batches) = batches_of(pages)? {
        return pages.py().detach(|| all_pages(batches));
    }
    let mut all = Vec::new();
    for page in pages.try_iter()? {
        let page = page?;
        all.push(match page.cast::<Page>() {
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
impl SiteModel {
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
        self.taken(py, || Cow::Owned(page_of(url, site.to_owned(), html, None)), feed_items)
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
        page: &Bound<'_, Page>,
        feed_items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ArticleOrDrop> {
        let page = page.get();
        self.taken(py, || Cow::Borrowed(&page.0), feed_items)
    }

    /// Apply the model to the pages of an Arrow table, batch by batch.
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
    ///     for articles. Work is done when batches are asked for; memory is bounded by batches of 8 MiB of
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
    ) -> PyResult<RecordBatchReader> {
        let no_table = || {
            let message = "`pages` is no Arrow table: it has no __arrow_c_stream__";
            input_error(message.to_owned(), None, None)
        };
        let failed = |error: ArrowError| SitegroveError::new_err(error.to_string());
        let schema = Arc::clone(TableBuilder::of_outcomes().map_err(failed)?.schema());
        let batches = batches_of(pages)?.ok_or_else(no_table)?;
        let with = With {
            model: Arc::clone(&self.model),
            chosen: Arc::clone(&self.chosen),
            seen: Arc::clone(&self.seen),
            items: items_of(feed_items)?,
            threads,
        };
        let applying = Applying::new(with, batches);
        Ok(RecordBatchReader::new(schema, Box::new(applying)))
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
    fn settings(&self) -> Settings {
        Settings(Arc::clone(&self.chosen))
    }

    /// The templates, in the order in which they were learnt.
    #[getter]
    fn templates(&self) -> Vec<Template> {
        self.model.templates().iter().map(Template::of).collect()
    }

    /// XPath expressions that select the body of articles, by id of the template; templates without a wrapper
    /// are left out.
    #[getter]
    fn wrappers(&self) -> BTreeMap<String, Vec<String>> {
        let of = |template: &sitemodel::Template| {
            Some((template.id.clone(), template.wrapper()?.content.clone()))
        };
        self.model.templates().iter().filter_map(of).collect()
    }

    /// Whether the model still fits the site, by all pages that this object was applied to so far: how often
    /// wrappers matched, against what was learnt. It is no part of the model's value.
    #[getter]
    fn health(&self) -> Health {
        Health::of(assess(&self.model, &locked(&self.seen)))
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
        settings: Option<&Bound<'_, Settings>>,
    ) -> PyResult<Self> {
        let chosen = chosen(settings)?;
        let model = detached(py, 1, || sitemodel::SiteModel::from_bytes(data))?
            .map_err(|error| ModelError::new_err(error.to_string()))?;
        model.fits(&chosen.settings).map_err(|error| {
            ModelError::new_err(format!("{error}; give the settings it was learnt with"))
        })?;
        Ok(Self::new(model, chosen))
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
                in_memory::apply(&self.model, &page, &[], &self.chosen.settings);
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

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, model) = (slf.py(), slf.get());
        let from_bytes = slf.get_type().getattr("from_bytes")?;
        let settings = Bound::new(py, model.settings())?;
        Ok((from_bytes, (model.to_bytes(py)?, settings).into_pyobject(py)?))
    }
}

impl SiteModel {
    fn taken<'p>(
        &self,
        py: Python<'_>,
        page: impl FnOnce() -> Cow<'p, model::Page> + Send,
        feed_items: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ArticleOrDrop> {
        let items = items_of(feed_items)?;
        let taken = detached(py, 1, || {
            let mut page = page();
            if page.site != self.model.site() {
                page.to_mut().site = self.model.site().to_owned();
            }
            let taken = in_memory::apply(&self.model, &page, &items, &self.chosen.settings);
            locked(&self.seen).add(&taken.seen());
            taken
        })?;
        match taken.applied.outcome {
            Outcome::Article(article) => Ok(ArticleOrDrop::Article(Article(article.article))),
            Outcome::Drop(drop) => Ok(ArticleOrDrop::Drop(Drop(*drop))),
            Outcome::Unassigned => Err(SitegroveError::new_err("the page was not looked at")),
        }
    }
}

/// A template on a line of its own.
fn line_of(template: &sitemodel::Template) -> String {
    let paths = template.wrapper().map_or_else(String::new, |w| w.content.join(" | "));
    format!("\n  {} {} ({} pages) {paths}", template.id, template.kind.as_str(), template.pages)
}
