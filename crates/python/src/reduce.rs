//! Values to be pickled.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde::Serialize;

use crate::errors::SitegroveError;

/// What `__reduce__` gives for a value of a kind.
pub(crate) fn reduced<'py>(
    py: Python<'py>,
    kind: &str,
    value: &impl Serialize,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let bytes =
        rmp_serde::to_vec_named(value).map_err(|e| SitegroveError::new_err(e.to_string()))?;
    let restore = py.import("sitegrove._sitegrove")?.getattr("_restore")?;
    Ok((restore, (kind, PyBytes::new(py, &bytes)).into_pyobject(py)?))
}
