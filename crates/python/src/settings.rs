//! Settings in Python.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use config::Config;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sitemodel::Settings;

use crate::errors::{SettingsError, settings_error};
use crate::values::{Reduced, to_python};

/// Settings that decide what is learnt and what comes of a page.
///
/// Parameters
/// ----------
/// file : path, optional
///     A configuration file (TOML), as the program takes it. What it does not name has its default.
/// engine : str, optional
///     How articles are found: ``grove`` (the default), ``forest``, ``euclid`` and others.
/// markdown : bool, optional
///     Whether articles are given as Markdown too.
/// weights : path, optional
///     A weights file of the engine ``grove``, as ``sitegrove-lab train`` writes it.
/// site_configs : list of path, optional
///     Wrappers written by hand, in the format of ftr-site-config: files and folders.
/// **tables : dict
///     Any other setting, by the tables of the configuration file: ``cluster={"similarity": 0.4}``.
///
/// Raises
/// ------
/// SettingsError
///     If the file cannot be read, or a key or value is not known.
///
/// Examples
/// --------
/// >>> from sitegrove import Settings
/// >>> settings = Settings(engine="forest", cluster={"min_words": 50})
/// >>> settings["cluster"]["min_words"]
/// 50
/// >>> Settings(cluster={"min_wrods": 50})
/// Traceback (most recent call last):
///     ...
/// sitegrove.errors.SettingsError: settings: unknown key `cluster.min_wrods` in the configuration; did you mean `cluster.min_words`?
#[pyclass(frozen, name = "Settings", module = "sitegrove")]
pub(crate) struct PySettings(pub(crate) Arc<LoadedSettings>);

/// All settings, and the settings of learning and applying that are derived from them.
#[derive(Debug)]
pub(crate) struct LoadedSettings {
    /// All settings.
    pub(crate) config: Config,
    /// The settings of learning and applying.
    pub(crate) settings: Settings,
    /// The same settings for a single page. A page that is given individually is extracted even if it is a list.
    pub(crate) single: Settings,
}

impl LoadedSettings {
    fn new(config: Config) -> Self {
        let settings = config.settings();
        let mut single = config.clone();
        single.cluster.extract_lists = true;
        single.cluster.min_words = 0;
        Self { single: single.settings(), settings, config }
    }
}

/// The given settings, or the defaults, which are read once.
pub(crate) fn loaded(settings: Option<&Bound<'_, PySettings>>) -> PyResult<Arc<LoadedSettings>> {
    static DEFAULT: OnceLock<Arc<LoadedSettings>> = OnceLock::new();
    if let Some(settings) = settings {
        return Ok(Arc::clone(&settings.get().0));
    }
    if let Some(default) = DEFAULT.get() {
        return Ok(Arc::clone(default));
    }
    let config = Config::load(None).map_err(|error| settings_error(&error))?;
    Ok(Arc::clone(DEFAULT.get_or_init(|| Arc::new(LoadedSettings::new(config)))))
}

/// Sets a key of a table if there is a value.
fn set<'py, T: IntoPyObject<'py>>(
    tables: &Bound<'py, PyDict>,
    table: &str,
    key: &str,
    value: Option<T>,
) -> PyResult<()> {
    let Some(value) = value else { return Ok(()) };
    let own = match tables.get_item(table)? {
        Some(own) => own.cast_into::<PyDict>()?.copy()?,
        None => PyDict::new(tables.py()),
    };
    own.set_item(key, value)?;
    tables.set_item(table, own)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Reads the settings of a file, or the defaults, and changes them by the given tables.
fn read(file: Option<&Path>, tables: &Bound<'_, PyDict>) -> PyResult<PySettings> {
    let config = Config::load(file).map_err(|error| settings_error(&error))?;
    Ok(PySettings(Arc::new(LoadedSettings::new(changed(config, tables)?))))
}

/// Changes settings by the given tables.
pub(crate) fn changed(config: Config, tables: &Bound<'_, PyDict>) -> PyResult<Config> {
    if tables.is_empty() {
        return Ok(config);
    }
    let wrong =
        |error: serde_json::Error| SettingsError::new_err(format!("the settings given: {error}"));
    let py = tables.py();
    let options = PyDict::new(py);
    // Paths become strings.
    options.set_item("default", py.import("os")?.getattr("fspath")?)?;
    let json = py.import("json")?.call_method("dumps", (tables,), Some(&options))?;
    let tables: toml::Table = serde_json::from_str(json.extract()?).map_err(wrong)?;
    config.with(tables).map_err(|error| settings_error(&error))
}

#[pymethods]
impl PySettings {
    #[new]
    #[pyo3(signature = (file=None, *, engine=None, markdown=None, weights=None, site_configs=None, **tables))]
    fn new(
        py: Python<'_>,
        file: Option<PathBuf>,
        engine: Option<String>,
        markdown: Option<bool>,
        weights: Option<PathBuf>,
        site_configs: Option<Vec<PathBuf>>,
        tables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let all = PyDict::new(py);
        tables.map_or(Ok(()), |tables| all.update(tables.as_mapping()))?;
        set(&all, "rank", "engine", engine)?;
        set(&all, "emit", "markdown", markdown)?;
        set(&all, "grove", "weights", weights.map(|path| text(&path)))?;
        let paths = |paths: Vec<PathBuf>| paths.iter().map(|p| text(p)).collect::<Vec<_>>();
        set(&all, "wrap", "site_configs", site_configs.map(paths))?;
        read(file.as_deref(), &all)
    }

    /// SHA-256 of all settings that decide results, in hex: equal for settings that give equal results.
    #[getter]
    fn digest(&self) -> String {
        self.0.config.hash()
    }

    /// All settings by table, as the configuration file has them.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tables = to_python(py, &self.0.config)?;
        let absolute = |path: &PathBuf| std::path::absolute(path).map(|path| text(&path));
        let config = &self.0.config;
        let paths = config.wrap.site_configs.iter().map(absolute).collect::<Result<Vec<_>, _>>()?;
        tables.get_item("wrap")?.set_item("site_configs", paths)?;
        let paths = config.run.corrections.iter().map(absolute).collect::<Result<Vec<_>, _>>()?;
        tables.get_item("run")?.set_item("corrections", paths)?;
        let weights = &config.grove.weights;
        if !weights.as_os_str().is_empty() {
            tables.get_item("grove")?.set_item("weights", absolute(weights)?)?;
        }
        Ok(tables)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item(table)
    }

    fn __repr__(&self) -> String {
        let config = &self.0.config;
        format!("<Settings engine={} digest={}…>", config.rank.engine.name(), &config.hash()[..12])
    }

    fn __eq__(&self, other: &Self) -> bool {
        let forms = |of: &Self| (of.0.settings.forms, of.0.config.hash());
        forms(self) == forms(other)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let restore =
            py.import("sitegrove._sitegrove")?.getattr("Settings")?.getattr("_restore")?;
        Ok((restore, (self.to_dict(py)?,).into_pyobject(py)?))
    }

    /// Settings from what `to_dict` gave: reads weights and site configs anew.
    #[staticmethod]
    #[pyo3(name = "_restore")]
    fn restore(tables: &Bound<'_, PyDict>) -> PyResult<Self> {
        read(None, tables)
    }
}
