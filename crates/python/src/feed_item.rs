//! Feed items as Python has them.

use jiff::Timestamp;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::reduce::reduced;
use crate::shown::short;

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
/// published : datetime.datetime, optional
///     When it was published; must have a time zone.
/// language : str, optional
///     BCP 47 tag.
/// feed : str
///     Address of the feed, or another name that tells feeds apart: pages that one feed lists are more
///     likely to share a layout.
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct FeedItem(pub(crate) model::FeedItem);

#[pymethods]
impl FeedItem {
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
        published: Option<Timestamp>,
        tags: Vec<String>,
        language: Option<String>,
        feed: String,
    ) -> Self {
        let item = model::FeedItem {
            link,
            title,
            description,
            content,
            authors,
            published,
            tags,
            language,
            feed,
        };
        Self(item)
    }

    /// Absolute address of the article.
    #[getter]
    fn link(&self) -> &str {
        &self.0.link
    }

    /// Title, as text.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// Summary, as text.
    #[getter]
    fn description(&self) -> &str {
        &self.0.description
    }

    /// The whole text, where the feed has it.
    #[getter]
    fn content(&self) -> Option<&str> {
        self.0.content.as_deref()
    }

    /// Names of the authors.
    #[getter]
    fn authors(&self) -> Vec<String> {
        self.0.authors.clone()
    }

    /// When it was published, in UTC.
    #[getter]
    fn published(&self) -> Option<Timestamp> {
        self.0.published
    }

    /// Keywords.
    #[getter]
    fn tags(&self) -> Vec<String> {
        self.0.tags.clone()
    }

    /// BCP 47 tag of its language.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.0.language.as_deref()
    }

    /// Address or name of the feed.
    #[getter]
    fn feed(&self) -> &str {
        &self.0.feed
    }

    fn __repr__(&self) -> String {
        format!("<FeedItem {} {:?}>", short(&self.0.link), short(&self.0.title))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        reduced(py, "feed item", &self.0)
    }
}

/// The items of an iterable of `FeedItem`; none for None.
///
/// # Errors
/// If there is something else among them.
pub(crate) fn items_of(items: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<model::FeedItem>> {
    let Some(items) = items.filter(|items| !items.is_none()) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for item in items.try_iter()? {
        all.push(item?.cast::<FeedItem>()?.get().0.clone());
    }
    Ok(all)
}
