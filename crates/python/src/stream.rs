//! Record batches as Python has them: through the Arrow PyCapsule interface, which pyarrow, polars, duckdb, pandas
//! and others take.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch as Batch, StructArray};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use input::read::BrokenOff;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{
    ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule,
};

use crate::detached::detached;
use crate::errors::{SitegroveError, broken_off, input_error};

/// Batches that are made when they are asked for.
pub(crate) type Made = Box<dyn Iterator<Item = Result<Batch, ArrowError>> + Send>;

/// A stream of Arrow record batches, made as they are asked for.
///
/// It can be read once: by iterating over it, or by a library that takes the Arrow PyCapsule interface
/// (``__arrow_c_stream__``): ``pyarrow.table(reader)``, ``polars.DataFrame(reader)``,
/// ``duckdb.sql("FROM reader")``, ``pandas.DataFrame.from_arrow(reader)`` (pandas 3), …
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct RecordBatchReader {
    schema: SchemaRef,
    made: Mutex<Option<Made>>,
}

impl RecordBatchReader {
    /// Batches of a schema.
    pub(crate) fn new(schema: SchemaRef, made: Made) -> Self {
        Self { schema, made: Mutex::new(Some(made)) }
    }
}

/// A schema as the type of rows.
fn row_type(schema: &SchemaRef) -> Arc<Field> {
    let metadata = schema.metadata().clone();
    Arc::new(
        Field::new("", DataType::Struct(schema.fields().clone()), false).with_metadata(metadata),
    )
}

/// What went wrong, as an exception.
fn exception(py: Python<'_>, error: ArrowError) -> PyErr {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<BrokenOff>() {
            Ok(error) => broken_off(py, *error),
            Err(other) => SitegroveError::new_err(other.to_string()),
        },
        ArrowError::InvalidArgumentError(message) => input_error(message, None, None),
        other => SitegroveError::new_err(other.to_string()),
    }
}

#[pymethods]
impl RecordBatchReader {
    /// The stream as a capsule: for libraries.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).take();
        let made = made.ok_or_else(|| SitegroveError::new_err("the stream was read already"))?;
        let arrays = made.map(|batch| Ok(Arc::new(StructArray::from(batch?)) as _));
        let reader = Box::new(ArrayIterator::new(arrays, row_type(&self.schema)));
        Ok(to_stream_pycapsule(py, reader, requested_schema)?)
    }

    /// The schema as a capsule: for libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.schema)?)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let next = detached(py, 1, || {
            self.made.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.next()
        })?;
        next.transpose().map(|batch| batch.map(RecordBatch)).map_err(|error| exception(py, error))
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatchReader of {}>", self.column_names().join(", "))
    }
}

/// An Arrow record batch: give it to ``pyarrow.record_batch``, ``polars.DataFrame`` and the like.
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct RecordBatch(Batch);

#[pymethods]
impl RecordBatch {
    /// The batch as capsules: for libraries.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let array = StructArray::from(self.0.clone());
        Ok(to_array_pycapsules(py, row_type(&self.0.schema()), &array, requested_schema)?)
    }

    /// The schema as a capsule: for libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, &*self.0.schema())?)
    }

    /// Number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<RecordBatch of {} rows, {} columns>", self.0.num_rows(), self.0.num_columns())
    }
}
