//! Keeps `ledger.json` and the metrics file up to date while a run works.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use errors::error_chain;
use sink::{AtomicFile, Ledger, RunPhase, RunProgress, RunState};

use crate::progress::ledger::{Clock, close_ledger};
use crate::progress::metrics;

/// Time between two checks for the end of the work.
const INTERVAL: Duration = Duration::from_secs(1);

/// Status of a run.
#[derive(Debug)]
pub(crate) struct Status<'a> {
    /// The ledger so far.
    ledger: Mutex<Ledger>,
    clock: &'a Clock,
    /// Bytes of pages that did not fit into memory.
    written: &'a AtomicU64,
    begun: Instant,
    bytes: AtomicU64,
    /// Folder of the ledger while the run is not complete.
    path: PathBuf,
    metrics: Option<PathBuf>,
    ended: Mutex<bool>,
    bell: Condvar,
}

impl<'a> Status<'a> {
    pub(crate) fn new(
        ledger: Ledger,
        clock: &'a Clock,
        written: &'a AtomicU64,
        path: PathBuf,
        metrics: Option<PathBuf>,
    ) -> Self {
        Self {
            ledger: Mutex::new(ledger),
            clock,
            written,
            begun: Instant::now(),
            bytes: AtomicU64::new(0),
            path,
            metrics,
            ended: Mutex::new(false),
            bell: Condvar::new(),
        }
    }

    /// The ledger so far.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many more bytes of inputs were read.
    pub(crate) fn read(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn phase(&self, phase: RunPhase, set: impl FnOnce(&mut RunProgress)) {
        let mut ledger = self.ledger();
        if let Some(progress) = &mut ledger.progress {
            progress.phase = phase;
            set(progress);
        }
    }

    /// The ledger with current times.
    fn now(&self) -> Ledger {
        let mut ledger = self.ledger().clone();
        close_ledger(&mut ledger, self.begun, self.clock);
        ledger.bytes_read = self.bytes.load(Ordering::Relaxed);
        if let Some(progress) = &mut ledger.progress {
            progress.bytes_read = ledger.bytes_read;
            progress.spool_bytes = self.written.load(Ordering::Relaxed);
            progress.updated = jiff::Timestamp::now().to_string();
        }
        ledger
    }

    /// The final ledger of a complete run.
    pub(crate) fn close(&self) -> Ledger {
        let mut ledger = self.now();
        ledger.state = RunState::Complete;
        ledger.progress = None;
        ledger
    }

    /// Writes the ledger and the metrics. A failure does not stop the run: the time in the old files shows
    /// it.
    pub(crate) fn write(&self, state: RunState) {
        let mut ledger = self.now();
        ledger.state = state;
        if let Err(error) = AtomicFile::write_whole(&self.path, ledger.to_json().as_bytes()) {
            tracing::debug!("{error}");
        }
        self.write_metrics(&ledger);
    }

    /// Records that the run stopped, and why.
    pub(crate) fn stopped(&self, why: &anyhow::Error) {
        if let Some(progress) = &mut self.ledger().progress {
            progress.stopped = error_chain(why);
        }
        self.write(RunState::Stopped);
    }

    /// Removes the ledger: nothing is worth keeping.
    pub(crate) fn forget(&self) {
        // A ledger that cannot be removed says that the run is not complete.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Writes the metrics file, if one is wanted.
    pub(crate) fn write_metrics(&self, ledger: &Ledger) {
        let Some(path) = &self.metrics else { return };
        if let Err(error) = AtomicFile::write_whole(path, metrics::text(ledger).as_bytes()) {
            tracing::warn!(at = %path.display(), "{error}");
        }
    }

    /// Runs `work` and writes the status every second.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
                while !*ended {
                    self.write(RunState::Running);
                    let waited = self.bell.wait_timeout(ended, INTERVAL);
                    ended = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            });
            let end = End(self);
            let result = work();
            drop(end);
            result
        })
    }
}

/// Stops the status thread, also when the work panics.
struct End<'a, 'b>(&'a Status<'b>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.bell.notify_all();
    }
}

/// Folder of the ledger of an unfinished run: the run folder, unless it contains a finished run.
pub(crate) fn place(folder: &Path, state: &Path) -> PathBuf {
    let finished = Ledger::read(folder).is_some_and(|ledger| ledger.state == RunState::Complete);
    let of = if finished { state } else { folder };
    of.join(sink::Ledger::FILE)
}
