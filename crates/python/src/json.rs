//! Records as values of Python: by way of JSON, the form in which they are documented.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::errors::SitegroveError;

/// A record as what `json.loads` makes of it.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    record: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(record).map_err(|e| SitegroveError::new_err(e.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The text that `json.dumps` makes of a value. Paths are texts.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let options = PyDict::new(py);
    options.set_item("default", py.import("os")?.getattr("fspath")?)?;
    py.import("json")?.call_method("dumps", (value,), Some(&options))?.extract()
}
