//! Work that may block forever, such as reading a pipe that nobody writes to, or a network mount that does
//! not respond.
//!
//! Such a call cannot be cancelled, so it runs in a thread of its own, and the caller can stop waiting. A
//! thread that is left behind ends with the process.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use database::{Obstacle, WaitPolicy};
use model::contain_panics;

/// Time between two checks of the stop flag.
const PATIENCE: Duration = Duration::from_millis(50);
/// Size of a read, in bytes.
const CHUNK: usize = 64 << 10;
/// Maximum number of chunks that are read ahead.
const AHEAD: usize = 4;

/// Runs `work` in a thread of its own. Returns `None` if `stopped` returns true before the work is done.
///
/// # Errors
/// If no thread can be started.
pub fn run_unless_stopped<T: Send + 'static>(
    stopped: &dyn Fn() -> bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Option<T>> {
    let (to_us, done) = sync_channel(1);
    // The receiver may have been dropped.
    thread::Builder::new().spawn(move || drop(to_us.send(work())))?;
    match next(&done, stopped) {
        Some(Ok(result)) => Ok(Some(result)),
        Some(Err(_)) => Err(io::Error::other("the thread that waited for it died")),
        None => Ok(None),
    }
}

/// Waits for the next message, or for the end of the channel. Returns `None` if `stopped` returns true first.
fn next<T>(from: &Receiver<T>, stopped: &dyn Fn() -> bool) -> Option<Result<T, RecvTimeoutError>> {
    loop {
        match from.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Timeout) if stopped() => return None,
            Err(RecvTimeoutError::Timeout) => {}
            ended_or_came => return Some(ended_or_came),
        }
    }
}

/// A stop flag for commands that have nothing to clean up. A signal ends them.
pub static NEVER_SET: AtomicBool = AtomicBool::new(false);

/// The policy for waiting until other programs release a store or an archive: until `stop` is set.
pub fn waiting_for_databases(stop: &AtomicBool) -> WaitPolicy<'_> {
    WaitPolicy::new(stop, |path, obstacle| match obstacle {
        Obstacle::Writer => {
            tracing::warn!(at = %path.display(), next = "waiting for it", "another run is writing to it");
        }
        Obstacle::Reader => {
            let next = "all results are ready; waiting until it is done";
            tracing::warn!(at = %path.display(), next, "another program is reading it");
        }
    })
}

/// Whether a path is a stream that can be read only once: a pipe, a terminal, a socket. Does not read
/// from it.
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|of| !of.is_file() && !of.is_dir())
}

/// Reads a pipe or the like until the run is stopped.
pub struct InterruptibleStream<'a> {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    /// Number of bytes of the chunk that were consumed.
    taken: usize,
    stopped: &'a dyn Fn() -> bool,
}

impl<'a> InterruptibleStream<'a> {
    /// Reads from what `open` returns. It is called in the thread that may block.
    pub fn new<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        stopped: &'a dyn Fn() -> bool,
    ) -> io::Result<Self> {
        let (to_us, chunks) = sync_channel(AHEAD);
        let work = move || {
            // Otherwise a panic would look like the end of the stream.
            if let Err(panic) = contain_panics(|| pump(open, &to_us)) {
                drop(to_us.send(Err(io::Error::other(panic))));
            }
        };
        thread::Builder::new().spawn(work)?;
        Ok(Self { chunks, chunk: Vec::new(), taken: 0, stopped })
    }

    /// Reads a pipe or the like at a path.
    pub fn of_path(path: &Path, stopped: &'a dyn Fn() -> bool) -> io::Result<Self> {
        let path = path.to_owned();
        Self::new(move || File::open(path), stopped)
    }
}

/// Reads to the end, or until the receiver is dropped.
fn pump<R: Read>(open: impl FnOnce() -> io::Result<R>, to: &SyncSender<io::Result<Vec<u8>>>) {
    let mut from = match open() {
        Ok(from) => from,
        Err(error) => return drop(to.send(Err(error))),
    };
    loop {
        let mut chunk = vec![0; CHUNK];
        match from.read(&mut chunk) {
            Ok(0) => return,
            Ok(bytes) => {
                chunk.truncate(bytes);
                if to.send(Ok(chunk)).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return drop(to.send(Err(error))),
        }
    }
}

impl Read for InterruptibleStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.chunk.len() {
            match next(&self.chunks, self.stopped) {
                Some(Ok(chunk)) => (self.chunk, self.taken) = (chunk?, 0),
                Some(Err(_)) => return Ok(0),
                None => return Err(io::Error::other("stopped while waiting for input")),
            }
        }
        let bytes = (&self.chunk[self.taken..]).read(buffer)?;
        self.taken += bytes;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use super::*;

    #[test]
    fn what_is_waited_for_comes_or_is_left_alone() {
        let (never, at_once) = (|| false, || true);
        assert_eq!(run_unless_stopped(&never, || 7).unwrap(), Some(7));
        let begun = Instant::now();
        let waits = || thread::sleep(Duration::from_secs(60));
        assert_eq!(run_unless_stopped(&at_once, waits).unwrap(), None);
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert!(
            run_unless_stopped::<()>(&never, || std::panic::resume_unwind(Box::new(()))).is_err()
        );
    }

    /// Returns some bytes, then an error.
    struct Breaks(usize);

    impl Read for Breaks {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let bytes = buffer.len().min(self.0).min(999);
            self.0 -= bytes;
            if bytes == 0 { Err(io::Error::other("torn")) } else { Ok(bytes) }
        }
    }

    #[test]
    fn a_stream_has_all_bytes_and_the_error_behind_them() {
        let never = || false;
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|n| n as u8).collect();
        let mut back = Vec::new();
        let source = bytes.clone();
        let mut stream =
            InterruptibleStream::new(move || Ok(io::Cursor::new(source)), &never).unwrap();
        stream.read_to_end(&mut back).unwrap();
        assert!(back == bytes);
        let mut stream = InterruptibleStream::new(|| Ok(Breaks(5_000)), &never).unwrap();
        back.clear();
        let error = stream.read_to_end(&mut back).unwrap_err();
        assert_eq!((back.len(), error.to_string().as_str()), (5_000, "torn"));
        let gone = Path::new("/nowhere/at/all");
        assert!(InterruptibleStream::of_path(gone, &never).unwrap().read(&mut [0]).is_err());
    }

    #[test]
    fn a_stream_that_gives_nothing_can_be_left() {
        let stop = AtomicBool::new(false);
        let stopped = || stop.swap(true, Ordering::Relaxed);
        let waits = || -> io::Result<io::Empty> {
            thread::sleep(Duration::from_secs(60));
            Ok(io::empty())
        };
        let begun = Instant::now();
        let mut stream = InterruptibleStream::new(waits, &stopped).unwrap();
        assert!(stream.read(&mut [0]).unwrap_err().to_string().contains("stopped"));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
