//! Files at addresses, for `_stepfiles.py`, which keeps the files of steps.

use std::collections::BTreeMap;
use std::io;

use input::objects::Objects;
use input::source::objects;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::detached::detached;
use crate::errors::failure;

/// The objects below a prefix of a bucket, or the files in a folder of HDFS.
#[pyclass(frozen, name = "_Objects", module = "sitegrove")]
pub(crate) struct PyObjects {
    address: String,
}

impl PyObjects {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        what: &str,
        work: impl FnOnce(&dyn Objects) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        let done = detached(py, 1, || work(&*objects(&self.address)?))?;
        done.map_err(|error| failure(format!("{}: cannot {what}: {error}", self.address)))
    }
}

#[pymethods]
impl PyObjects {
    #[new]
    fn new(address: String) -> Self {
        Self { address }
    }

    fn list(&self, py: Python<'_>) -> PyResult<BTreeMap<String, u64>> {
        self.with(py, "list it", |objects| objects.list())
    }

    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let contents =
            self.with(py, &format!("read {name}"), |objects| match objects.get(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                read => read.map(Some),
            })?;
        Ok(contents.map(|contents| PyBytes::new(py, &contents)))
    }

    fn put(&self, py: Python<'_>, name: &str, contents: &[u8]) -> PyResult<()> {
        let contents = contents.to_vec();
        self.with(py, &format!("write {name}"), |objects| objects.put(name, contents))
    }

    fn delete(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.with(py, &format!("remove {name}"), |objects| objects.delete(name))
    }
}
