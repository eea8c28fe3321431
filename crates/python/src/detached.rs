//! Runs work without the GIL, outside of any shared thread pool.

use std::any::Any;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use config::MOST_JOBS;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{InternalError, failure};

/// Time between two checks whether work has ended.
const TICK: Duration = Duration::from_millis(10);
/// Number of such checks between two checks for signals.
const TICKS_TO_REPORT: u64 = 5;

thread_local! {
    /// A pool whose only thread is this one. The threads of the global pool do not exist in a forked child, which would
    /// wait for them forever. This pool still works in the child, whose only thread is the one that forked.
    static OWN: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
}

/// Runs work in the calling thread. Parallel parts of it run one after the other.
pub(crate) fn in_this_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let build = || ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok();
    OWN.with(|own| match own.get_or_init(build) {
        Some(pool) => pool.install(work),
        // This thread already belongs to a pool of this library, which makes no others.
        None => work(),
    })
}

/// Runs work in this number of threads, which are started for it and end with it; if one, in the calling thread.
pub(crate) fn in_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    if threads <= 1 {
        return Ok(in_this_thread(work));
    }
    if threads > MOST_JOBS {
        return Err(format!("{threads} threads are too many: give at most {MOST_JOBS}"));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(|pool| pool.install(work)).map_err(|error| format!("cannot start threads: {error}"))
}

/// Runs work without the GIL in this number of threads. A panic in it becomes an `InternalError`.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let guarded = || guarded(|| in_threads(threads, work));
    match py.detach(guarded) {
        Ok(result) => result.map_err(failure),
        Err(message) => Err(InternalError::new_err(message)),
    }
}

/// Runs work in a new thread, while this thread regularly calls `report` and checks for signals. If either raises an
/// exception, `stop` is set, and the exception is raised once the work has ended.
pub(crate) fn until_signal<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    mut report: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("sitegrove".to_owned());
        let worker = builder.spawn_scoped(scope, || guarded(|| in_this_thread(work)));
        let worker = worker.map_err(|error| failure(format!("cannot start threads: {error}")))?;
        let mut raised = None;
        for tick in 0u64.. {
            if worker.is_finished() {
                break;
            }
            py.detach(|| thread::sleep(TICK));
            if raised.is_none() && tick.is_multiple_of(TICKS_TO_REPORT) {
                raised = py.check_signals().and_then(|()| report()).err();
                stop.store(raised.is_some(), Ordering::Relaxed);
            }
        }
        let ended = worker.join().unwrap_or_else(|panic| Err(text_of(&*panic).to_owned()));
        // A last call, when all is done.
        raised.or_else(|| report().err()).map_or(Ok(()), Err)?;
        ended.map_err(InternalError::new_err)
    })
}

/// Runs work, and returns a panic in it as a readable error message.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        format!("sitegrove failed: {}; please report it with what you called", text_of(&*panic))
    })
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Panics, so that a test can see what comes of it.
#[pyfunction]
#[pyo3(name = "_panic_for_tests")]
pub(crate) fn panic_for_tests(py: Python<'_>) -> PyResult<()> {
    detached(py, 1, || panic!("as a test asked for"))
}
