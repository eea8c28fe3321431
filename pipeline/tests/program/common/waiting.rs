//! Commands that wait for input.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::program::PATH;
use super::unfinished::signal;

pub(crate) fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Starts a command whose standard input is open but gives nothing.
pub(crate) fn waiting(arguments: &[&str]) -> Child {
    let mut command = Command::new(PATH);
    command.env_remove("RUST_LOG").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Sends a signal to a waiting command, and returns how it ended.
pub(crate) fn ended(mut child: Child, name: &str) -> std::process::Output {
    // The start of the wait cannot be observed.
    std::thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    signal(&child, name);
    let sent = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if sent.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("{name} did not end it");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// A folder with a pipe that has no writer.
pub(crate) fn with_pipe() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.warc.gz");
    fifo(&pipe);
    (folder, pipe)
}
