//! Values that were pickled.

use pyo3::prelude::*;
use serde::de::DeserializeOwned;

use crate::article::{Article, Drop};
use crate::errors::SitegroveError;
use crate::feed_item::FeedItem;
use crate::page::Page;

fn read<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    let wrong =
        |error| SitegroveError::new_err(format!("the pickled bytes cannot be read: {error}"));
    rmp_serde::from_slice(bytes).map_err(wrong)
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
        "article" => Bound::new(py, Article(read(bytes)?))?.into_any(),
        "drop" => Bound::new(py, Drop(read(bytes)?))?.into_any(),
        "page" => Bound::new(py, Page(read(bytes)?))?.into_any(),
        "feed item" => Bound::new(py, FeedItem(read(bytes)?))?.into_any(),
        _ => return Err(SitegroveError::new_err(format!("no kind of value is called `{kind}`"))),
    })
}
