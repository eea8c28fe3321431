//! Articles and drops as Python has them.

use model::{FieldKind, FieldVisitor, RecordField, rounded};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyList, PyTuple, PyType};
use serde::Serialize;
use serde_json::Value;
use sink::drop_record;

use crate::errors::SitegroveError;
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

/// Gives the class of articles a property for each field of the record.
pub(crate) fn add_properties(class: &Bound<'_, PyType>) -> PyResult<()> {
    let py = class.py();
    let property = py.import("builtins")?.getattr("property")?;
    for field in model::Article::FIELDS {
        let get = move |of: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let article = of.get_item(0)?.cast_into::<Article>()?;
            let mut wanted = WantedField { py: of.py(), name: field.name, found: None };
            article.get().0.visit_fields(&mut wanted);
            wanted.found.unwrap_or_else(|| Err(PyAttributeError::new_err(field.name)))
        };
        let get = PyCFunction::new_closure(py, None, None, get)?;
        class
            .setattr(field.name, property.call1((get, py.None(), py.None(), plain(field.doc)))?)?;
    }
    Ok(())
}

/// Documentation without the links of Markdown.
fn plain(doc: &str) -> String {
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

/// The value of one field of an article.
struct WantedField<'py> {
    py: Python<'py>,
    name: &'static str,
    found: Option<PyResult<Py<PyAny>>>,
}

impl FieldVisitor for WantedField<'_> {
    fn visit<T: Serialize>(&mut self, field: &'static RecordField, value: &T) {
        if field.name == self.name {
            let value = serde_json::to_value(value);
            let value = value.map_err(|error| SitegroveError::new_err(error.to_string()));
            let value = value.and_then(|value| python_of(self.py, &field.kind, value));
            self.found = Some(value.map(Bound::unbind));
        }
    }
}

/// A value of this kind as Python has it. Dictionaries have all keys.
fn python_of<'py>(py: Python<'py>, kind: &FieldKind, value: Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match (kind, value) {
        (FieldKind::Time, Value::String(time)) => {
            let time = time.parse::<jiff::Timestamp>();
            let time = time.map_err(|error| SitegroveError::new_err(error.to_string()))?;
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

#[pymethods]
impl Article {
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
