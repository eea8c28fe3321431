//! Reads archives for Python: page by page, or as tables.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use input::read::{ArchiveReader, BrokenOff, Intake};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::detached::detached;
use crate::errors::{broken_off, failure, file_error};
use crate::settings::{PySettings, loaded};
use crate::tables::{PyRecordBatchReader, batch_of_pages};
use crate::values::{PyFeedItem, PyPage};

/// Number of bytes that are requested from a file object at once.
const AT_ONCE: usize = 256 << 10;

type Archive = ArchiveReader<Box<dyn Read + Send>>;

struct FileObject(Py<PyAny>);

impl Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (buffer.len(),))?;
            let bytes: PyBackedBytes = read.extract().map_err(|_| {
                PyTypeError::new_err("the file object gives no bytes; open it with mode 'rb'")
            })?;
            let into = buffer.get_mut(..bytes.len());
            let into = into.ok_or_else(|| io::Error::other("read() gave more than asked for"))?;
            into.copy_from_slice(&bytes);
            Ok(bytes.len())
        })
    }
}

/// Opens a path or a file object.
fn open(source: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PySettings>>) -> PyResult<Archive> {
    let settings = loaded(settings)?;
    if source.hasattr("read")? {
        let name: String =
            source.getattr("name").and_then(|name| name.extract()).unwrap_or_default();
        let object = FileObject(source.clone().unbind());
        let reader: Box<dyn Read + Send> = Box::new(BufReader::with_capacity(AT_ONCE, object));
        return Ok(ArchiveReader::new(reader, &name, &settings.config.read));
    }
    let path: PathBuf = source.extract()?;
    let shown = path.to_string_lossy().into_owned();
    let failed = |error| file_error(format!("cannot read {shown}: {error}"), &shown, None);
    source.py().detach(|| ArchiveReader::open(&path, &settings.config.read)).map_err(failed)
}

/// What an archive contained in addition to pages, so far.
#[derive(Default)]
struct BesidePages {
    dropped: BTreeMap<&'static str, u64>,
    feed_items: Vec<model::FeedItem>,
}

fn next_page(
    archive: &mut Archive,
    beside: &mut BesidePages,
) -> Option<Result<model::Page, BrokenOff>> {
    let mut drop = |reason: &'static str| *beside.dropped.entry(reason).or_default() += 1;
    for intake in archive {
        match intake {
            Ok(Intake::Page(mut page)) => match grouping::site_key(&page.url) {
                Some(site) => {
                    page.site = site;
                    return Some(Ok(page));
                }
                None => drop(model::DropReason::BadUrl.as_str()),
            },
            Ok(Intake::Feed(items)) => beside.feed_items.extend(items),
            Ok(Intake::Drop(dropped)) => drop(dropped.reason.as_str()),
            Ok(Intake::Revisit(_)) => drop(model::DropReason::Revisit.as_str()),
            // The response is also returned as a drop.
            Ok(Intake::Redirect { .. } | Intake::SiteFile(_)) => {}
            Err(error) => return Some(Err(error)),
        }
    }
    None
}

/// The pages of a web archive, in its order: an iterator of `Page`.
#[pyclass(frozen, module = "sitegrove")]
pub(crate) struct WarcReader(Mutex<(Archive, BesidePages)>);

impl WarcReader {
    fn locked(&self) -> MutexGuard<'_, (Archive, BesidePages)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl WarcReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyPage>> {
        let next = detached(py, 1, || {
            let (archive, beside) = &mut *self.locked();
            next_page(archive, beside)
        })?;
        next.transpose().map(|page| page.map(PyPage)).map_err(|error| broken_off(py, error))
    }

    /// How much was left out so far, by reason: records that are no page, and damage.
    #[getter]
    fn dropped(&self, py: Python<'_>) -> BTreeMap<&'static str, u64> {
        py.detach(|| self.locked().1.dropped.clone())
    }

    /// The items of feeds that were met so far.
    #[getter]
    fn feed_items(&self, py: Python<'_>) -> Vec<PyFeedItem> {
        let items = py.detach(|| self.locked().1.feed_items.clone());
        items.into_iter().map(PyFeedItem).collect()
    }

    fn __repr__(&self) -> &'static str {
        "<WarcReader>"
    }
}

/// Read the pages of a web archive, one by one.
///
/// WARC, ARC and their compression (gzip, zstd, lz4, bzip2, xz) are recognised by their first bytes, and so are WACZ files,
/// whose archives are read one after the other. Damage is counted and
/// passed over, never raised. Several captures of one address come as they are.
///
/// Parameters
/// ----------
/// source : path or binary file object
///     The archive. A file object has ``read(n)``; it is read from where it stands, and need not seek;
///     a WACZ file must be a path.
/// settings : Settings, optional
///     Its tables ``read`` (limits, status codes) are used.
///
/// Returns
/// -------
/// WarcReader
///     An iterator of `Page`, with counts of what was left out.
///
/// Raises
/// ------
/// InputError
///     If the file cannot be opened, or while iterating if the system fails to read it; `path` and `offset`
///     say where.
#[pyfunction]
#[pyo3(signature = (source, *, settings=None))]
pub(crate) fn read_warc(
    source: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PySettings>>,
) -> PyResult<WarcReader> {
    Ok(WarcReader(Mutex::new((open(source, settings)?, BesidePages::default()))))
}

/// Read the pages of a web archive as Arrow record batches.
///
/// Columns: ``url``, ``site``, ``fetched`` (timestamp, UTC), ``file``, ``offset``, ``record_id``, ``truncated``,
/// ``charset``, ``charset_evidence``, ``headers``, ``html``.
///
/// Parameters
/// ----------
/// source : path or binary file object
///     As for `read_warc`.
/// settings : Settings, optional
///     As for `read_warc`.
/// batch_bytes : int
///     Bytes of HTML after which a batch ends.
///
/// Returns
/// -------
/// RecordBatchReader
///     Batches are read when they are asked for.
///
/// Raises
/// ------
/// InputError
///     As `read_warc`.
#[pyfunction]
#[pyo3(signature = (source, *, settings=None, batch_bytes=8 << 20))]
pub(crate) fn read_warc_table(
    source: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PySettings>>,
    batch_bytes: usize,
) -> PyResult<PyRecordBatchReader> {
    let mut archive = open(source, settings)?;
    let mut beside = BesidePages::default();
    let next = move || -> Option<Result<RecordBatch, ArrowError>> {
        let (mut pages, mut bytes) = (Vec::new(), 0);
        while let Some(page) = next_page(&mut archive, &mut beside) {
            match page {
                Ok(page) => {
                    bytes += page.html.len();
                    pages.push(page);
                }
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
            }
            if bytes >= batch_bytes {
                break;
            }
        }
        (!pages.is_empty()).then(|| batch_of_pages(&pages))
    };
    let schema = batch_of_pages(&[]).map_err(failure)?.schema();
    Ok(PyRecordBatchReader::new(schema, Box::new(std::iter::from_fn(next))))
}
