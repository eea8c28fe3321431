//! The exceptions of `sitegrove.errors`: Python classes that can be imported by name, so that they can be pickled.

use std::fmt::Display;

use errors::error_chain;
use input::read::BrokenOff;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(sitegrove.errors, SitegroveError);
import_exception!(sitegrove.errors, InputError);
import_exception!(sitegrove.errors, ModelError);
import_exception!(sitegrove.errors, SettingsError);
import_exception!(sitegrove.errors, InternalError);

/// A `SitegroveError` with the message of an error.
pub(crate) fn failure(error: impl Display) -> PyErr {
    SitegroveError::new_err(error.to_string())
}

/// A `SitegroveError` with the message of an error and all its causes.
pub(crate) fn failure_of(error: anyhow::Error) -> PyErr {
    failure(error_chain(&error))
}

/// An `InputError` for an input that cannot be used.
pub(crate) fn input_error(message: impl Display) -> PyErr {
    InputError::new_err((message.to_string(),))
}

/// An `InputError` for a file that cannot be read, with the offset at which reading failed.
pub(crate) fn file_error(message: impl Display, path: &str, offset: Option<u64>) -> PyErr {
    InputError::new_err((message.to_string(), path.to_owned(), offset))
}

/// A `SettingsError` for settings that cannot be used.
pub(crate) fn settings_error(error: &anyhow::Error) -> PyErr {
    SettingsError::new_err(error_chain(error))
}

/// Converts the reason why reading was aborted to an exception.
pub(crate) fn broken_off(py: Python<'_>, error: BrokenOff) -> PyErr {
    let own = file_error(&error, &error.file, Some(error.offset));
    // An exception of the file object is the cause; a `KeyboardInterrupt` is raised as it is.
    match error.source.downcast::<PyErr>() {
        Ok(cause) if cause.is_instance_of::<PyKeyboardInterrupt>(py) => cause,
        Ok(cause) => {
            own.set_cause(py, Some(cause));
            own
        }
        Err(_) => own,
    }
}
