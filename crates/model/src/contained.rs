//! Contains panics. Libraries parse untrusted data: if one of them panics, only the data that it was parsing is lost, and
//! the run continues.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Once, OnceLock};

/// Maximum length of a message that is kept, in bytes: messages may quote the input.
const LONGEST: usize = 200;

/// A panic that was contained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contained {
    /// Its message and its place in the code; the same for the same program and input.
    pub detail: String,
}

impl fmt::Display for Contained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Contained {}

thread_local! {
    /// Number of calls of [`contain_panics`] that this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static LAST: RefCell<Option<Contained>> = const { RefCell::new(None) };
}

static LISTENER: OnceLock<fn(&Contained)> = OnceLock::new();

/// Sets a function, once for the whole process, that is called for each contained panic, for example to log it.
pub fn listen_to_contained(listener: fn(&Contained)) {
    // Only the first listener is kept.
    let _ = LISTENER.set(listener);
}

/// Runs `work`, and returns a panic in it as an error, without printing it. Panics in other threads that `work` uses must
/// be contained there, or they are printed.
///
/// # Errors
/// If `work` panics. Values that it was changing must not be used any more.
pub fn contain_panics<T>(work: impl FnOnce() -> T) -> Result<T, Contained> {
    static QUIETENED: Once = Once::new();
    QUIETENED.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| match DEPTH.get() {
            0 => print(panic),
            _ => LAST.set(Some(Contained { detail: detail_of(panic) })),
        }));
    });
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.map_err(|_| {
        let contained = LAST.take().unwrap_or_default();
        LISTENER.get().inspect(|listener| listener(&contained));
        contained
    })
}

/// The first line of a panic's message, and its place in the code.
fn detail_of(panic: &PanicHookInfo<'_>) -> String {
    let message = panic.payload_as_str().unwrap_or("no message").lines().next().unwrap_or_default();
    let mut detail = message[..message.floor_char_boundary(LONGEST)].to_owned();
    if let Some(place) = panic.location() {
        // The path without the folder on the machine that built the program.
        let file = place.file().replace('\\', "/");
        let parts: Vec<&str> = file.split('/').collect();
        let from =
            parts.iter().rposition(|part| *part == "src").map_or(0, |src| src.saturating_sub(1));
        detail.push_str(&format!(" ({}:{})", parts[from..].join("/"), place.line()));
    }
    detail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_that_says_where() {
        assert_eq!(contain_panics(|| 7), Ok(7));
        let text = "Jane–desk".to_owned();
        let inner = || contain_panics(|| text[..text.len() - 5].len()).map_err(|e| e.detail);
        let error = contain_panics(inner).unwrap().unwrap_err();
        assert!(error.contains("not a char boundary"), "{error}");
        assert!(error.contains("model/src/contained.rs:"), "{error}");
        let long = contain_panics::<()>(|| panic!("{}\nmore", "é".repeat(500)));
        let long = long.unwrap_err();
        assert!(!long.detail.contains("more") && long.detail.len() < 300, "{long}");
    }
}
