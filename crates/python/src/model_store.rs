//! Model stores in Python.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use database::WaitPolicy;
use modelstore::{Store, StoreError};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use sitegrove::{in_memory, models_table};
use sitemodel::SiteModel;

use crate::detached::{detached, until_signal};
use crate::errors::{ModelError, failure_of, file_error, input_error};
use crate::settings::{LoadedSettings, PySettings, loaded};
use crate::site_model::{PySiteModel, apply_to_table, outcomes_of};
use crate::tables::{PyRecordBatchReader, pages_of};
use crate::values::to_python;

/// A store of site models, as runs with ``models`` keep it: per site all revisions of its model, and how it was
/// night by night. It is opened for reading: nothing here changes it, and runs may write to it meanwhile.
///
/// Like a mapping from keys of sites to their newest models: ``len(store)``, ``key in store``, ``store[key]``, and
/// iteration over the keys of sites that have a model.
///
/// Made by `open_models`.
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct ModelStore(Store);

/// Open a store of site models for reading.
///
/// Parameters
/// ----------
/// path : path
///     The file that ``run(..., models=path)`` or ``sitegrove run --models`` wrote.
///
/// Returns
/// -------
/// ModelStore
///
/// Raises
/// ------
/// InputError
///     If the file is not there, is damaged, or is no store that this version knows.
#[pyfunction]
pub(crate) fn open_models(py: Python<'_>, path: PathBuf) -> PyResult<ModelStore> {
    detached(py, 1, || Store::open_read_only(&path))?
        .map(ModelStore)
        .map_err(|error| failed(&path, &error))
}

/// Add the revisions of tables to a store of site models, under their numbers.
///
/// Parameters
/// ----------
/// path : path
///     The store; made where there is none.
/// tables : list of path
///     Parquet files that `ModelStore.export` wrote.
///
/// Returns
/// -------
/// (int, int)
///     Revisions that were added, and those that the store had.
///
/// Raises
/// ------
/// InputError
///     If the store cannot be written.
/// SitegroveError
///     If a table cannot be read, or has other bytes than the store under the number of a revision. The store is then
///     as it was.
#[pyfunction]
pub(crate) fn import_models(
    py: Python<'_>,
    path: PathBuf,
    tables: Vec<PathBuf>,
) -> PyResult<(usize, usize)> {
    let stop = AtomicBool::new(false);
    let waiting = WaitPolicy::new(&stop, |_, _| ());
    let import = || {
        let store = Store::open(&path, waiting)?;
        Ok(models_table::import(&store, &tables, waiting))
    };
    let done =
        until_signal(py, &stop, || Ok(()), import)?.map_err(|error| failed(&path, &error))?;
    let imported = done.map_err(failure_of)?;
    Ok((imported.added, imported.known))
}

/// The exception for a store that cannot be read.
fn failed(path: &std::path::Path, error: &StoreError) -> PyErr {
    file_error(error, &path.to_string_lossy(), None)
}

impl ModelStore {
    /// Reads from the store with `look`, without the GIL.
    fn read<T: Send>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&Store) -> Result<T, StoreError> + Send,
    ) -> PyResult<T> {
        detached(py, 1, || look(&self.0))?.map_err(|error| failed(self.0.path(), &error))
    }

    fn keys(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let sites = self.read(py, Store::sites)?;
        Ok(sites.into_iter().filter(|site| site.revision > 0).map(|site| site.site).collect())
    }
}

#[pymethods]
impl ModelStore {
    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    /// List the sites, by key.
    ///
    /// Returns
    /// -------
    /// list of dict
    ///     ``site``, ``revision`` (newest; 0 where it has too few pages for a model), ``verdict`` of the last night,
    ///     ``first_seen``, ``last_seen`` (dates of the crawl), ``retained`` (pages kept to learn from again),
    ///     ``bytes`` (packed, of both).
    fn sites<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.read(py, Store::sites)?)
    }

    /// List the revisions of a site's model, oldest first.
    ///
    /// Parameters
    /// ----------
    /// site : str
    ///     Key of the site.
    ///
    /// Returns
    /// -------
    /// list of dict
    ///     ``revision``, ``night``, ``reason`` (why it was learnt), ``pages``, ``templates``, ``format``,
    ///     ``engine``, ``weights`` (SHA-256, or None), ``bytes``. Empty for a site that is not in the store.
    fn revisions<'py>(&self, py: Python<'py>, site: &str) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.read(py, |store| store.revisions(site))?)
    }

    /// List the nights of a site, in the order in which they were run.
    ///
    /// Parameters
    /// ----------
    /// site : str
    ///     Key of the site.
    ///
    /// Returns
    /// -------
    /// list of dict
    ///     ``run``, ``night``, ``decision``, ``reason``, ``revision`` (the one applied), ``health``, ``pages``,
    ///     ``unassigned``. Empty for a site that is not in the store.
    fn nights<'py>(&self, py: Python<'py>, site: &str) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.read(py, |store| store.nights(site))?)
    }

    /// Load a model.
    ///
    /// Parameters
    /// ----------
    /// site : str
    ///     Key of the site.
    /// revision : int, optional
    ///     Number of the revision; the newest, if not given.
    /// settings : Settings, optional
    ///     The settings of the runs; the defaults, if not given.
    ///
    /// Returns
    /// -------
    /// SiteModel
    ///
    /// Raises
    /// ------
    /// KeyError
    ///     If the store has no such model.
    /// ModelError
    ///     If the model was learnt with other settings, weights or another version of the format.
    #[pyo3(signature = (site, revision=None, settings=None))]
    fn load(
        &self,
        py: Python<'_>,
        site: &str,
        revision: Option<u32>,
        settings: Option<&Bound<'_, PySettings>>,
    ) -> PyResult<PySiteModel> {
        let Some(bytes) = self.read(py, |store| store.model(site, revision))? else {
            let which = revision.map_or_else(String::new, |number| format!(", revision {number}"));
            return Err(PyKeyError::new_err(format!("{site}{which}")));
        };
        PySiteModel::from_bytes(py, &bytes, settings).map_err(|error| {
            let message = format!("{}: {site}: {}", self.0.path().display(), error.value(py));
            ModelError::new_err(message)
        })
    }

    /// Apply the newest models to the pages of an Arrow table, of any sites, batch by batch.
    ///
    /// Parameters
    /// ----------
    /// pages : Arrow table
    ///     As for `SiteModel.apply_table`. The site of a page is that of its address.
    /// settings : Settings, optional
    ///     The settings of the runs; the defaults, if not given.
    /// threads : int
    ///     Threads to work with.
    ///
    /// Returns
    /// -------
    /// RecordBatchReader
    ///     As from `SiteModel.apply_table`: a row for each page, in the order of `pages`. A page whose site has no model
    ///     is extracted by itself. Memory is bounded by batches of 8 MiB of HTML, and by the models of their sites
    ///     and of 500 others.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If `pages` has not the columns, or is no table.
    /// SitegroveError
    ///     When batches are read: if the store cannot be read, or a model was learnt with other settings.
    #[pyo3(signature = (pages, *, settings=None, threads=1))]
    fn apply_table(
        &self,
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        settings: Option<&Bound<'_, PySettings>>,
        threads: usize,
    ) -> PyResult<PyRecordBatchReader> {
        let path = self.0.path().to_owned();
        let store = detached(py, 1, || Store::open_read_only(&path))?;
        let store = store.map_err(|error| failed(&path, &error))?;
        let mut models = KeptModels { store, settings: loaded(settings)?, kept: BTreeMap::new() };
        apply_to_table(pages, threads, move |batch| models.apply(batch))
    }

    /// Write revisions as a table, a Parquet file: a row for each, by site and number.
    ///
    /// Parameters
    /// ----------
    /// out : path
    ///     The file to write. It appears when it is complete. ``docs/NIGHTLY.md`` has its columns.
    /// sites : list of str, optional
    ///     Keys of sites; all, if not given.
    /// since : str, optional
    ///     Only revisions that were learnt in this night or later, ``YYYY-MM-DD``.
    ///
    /// Returns
    /// -------
    /// int
    ///     Number of rows.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     If `since` is no date.
    /// SitegroveError
    ///     If the store has no such site, or the file cannot be written.
    #[pyo3(signature = (out, *, sites=Vec::new(), since=String::new()))]
    fn export(
        &self,
        py: Python<'_>,
        out: PathBuf,
        sites: Vec<String>,
        since: String,
    ) -> PyResult<usize> {
        if !since.is_empty() && since.parse::<jiff::civil::Date>().is_err() {
            return Err(input_error(format!("since: {since:?} is no date, YYYY-MM-DD")));
        }
        detached(py, 1, || models_table::export(&self.0, &sites, &since, &out))?.map_err(failure_of)
    }

    fn __getitem__(&self, py: Python<'_>, site: &str) -> PyResult<PySiteModel> {
        self.load(py, site, None, None)
    }

    fn __contains__(&self, py: Python<'_>, site: &str) -> PyResult<bool> {
        Ok(!self.read(py, |store| store.revisions(site))?.is_empty())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.keys(py)?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.keys(py)?.into_pyobject(py)?.try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let summary = self.read(py, Store::summary)?;
        let (path, sites, revisions) = (self.0.path().display(), summary.sites, summary.revisions);
        Ok(format!("<ModelStore {path}: {sites} sites, {revisions} revisions>"))
    }
}

/// Number of models that are kept in memory in addition to the models of the current batch.
const KEPT: usize = 500;

/// The newest models of a store, loaded when pages need them.
struct KeptModels {
    store: Store,
    settings: Arc<LoadedSettings>,
    /// Models by site; `None` if the store has no model of the site.
    kept: BTreeMap<String, Option<SiteModel>>,
}

impl KeptModels {
    fn apply(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let pages = pages_of(batch)?;
        let sites: BTreeSet<&str> = pages.iter().map(|page| &*page.site).collect();
        if self.kept.len() > KEPT {
            self.kept.retain(|site, _| sites.contains(site.as_str()));
        }
        for site in sites {
            if !self.kept.contains_key(site) {
                let model = self.load(site)?;
                self.kept.insert(site.to_owned(), model);
            }
        }
        outcomes_of(&pages, &|page| match self.kept.get(&page.site) {
            Some(Some(model)) => {
                in_memory::apply(model, page, &[], &self.settings.settings).applied
            }
            _ => in_memory::extract(page, &[], &self.settings.single),
        })
    }

    fn load(&self, site: &str) -> Result<Option<SiteModel>, ArrowError> {
        let failed = |what: String| {
            ArrowError::ComputeError(format!("{}: {site}: {what}", self.store.path().display()))
        };
        let bytes = self.store.model(site, None).map_err(|error| failed(error.to_string()))?;
        let model = bytes.map(|bytes| {
            let model = SiteModel::from_bytes(&bytes).map_err(|error| failed(error.to_string()))?;
            model.fits(&self.settings.settings).map_err(|error| failed(error.to_string()))?;
            Ok(model)
        });
        model.transpose()
    }
}
