/*!
Defines the extension module `sitegrove._sitegrove` of the Python package `sitegrove` (`python/sitegrove`).

The binding is thin: what a function does is in the crates below, and here are names, types and errors of Python.
Three rules hold for everything that takes longer than a millisecond:

1. It runs in `detached::detached`: without the GIL, and a panic becomes an `InternalError`.
2. It never touches the global thread pool of rayon, which a forked child inherits without its threads.
3. It keeps nothing of the interpreter while it is detached.
*/

mod detached;
mod errors;
mod model_store;
mod objects;
mod run;
mod settings;
mod site_model;
mod tables;
mod values;
mod warc;

use pyo3::prelude::*;
use tikv_jemallocator::Jemalloc;

// The same allocator as in the program: with the allocator of the C library, the same pages take longer.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The extension module of `sitegrove`: import `sitegrove` instead.
#[pymodule]
#[pyo3(name = "_sitegrove")]
mod extension {
    use super::*;

    #[pymodule_export]
    use crate::detached::panic_for_tests;
    #[pymodule_export]
    use crate::model_store::{ModelStore, import_models, open_models};
    #[pymodule_export]
    use crate::objects::PyObjects;
    #[pymodule_export]
    use crate::run::{
        PyProgress, apply_models, describe_share, learn_share, merge_files, run, survey_inputs,
    };
    #[pymodule_export]
    use crate::settings::PySettings;
    #[pymodule_export]
    use crate::site_model::{PyHealth, PySiteModel, PyTemplate, extract, extract_table, learn};
    #[pymodule_export]
    use crate::tables::{PyRecordBatch, PyRecordBatchReader, read_lines};
    #[pymodule_export]
    use crate::values::{PyArticle, PyDrop, PyFeedItem, PyPage, restore, site_key};
    #[pymodule_export]
    use crate::warc::{WarcReader, read_warc, read_warc_table};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::values::add_properties(module.py())?;
        module.add("_reads_addresses", cfg!(feature = "remote"))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
