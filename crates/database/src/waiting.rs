//! How a process waits for others that use a file.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What keeps a process waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Another process changes the file.
    Writer,
    /// Another program reads the file, and the change is ready to be written.
    Reader,
}

/// How a process waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    /// Ends the wait once it is set.
    pub stop: &'a AtomicBool,
    /// Called once for each obstacle, when the wait begins.
    pub tell: fn(&Path, Obstacle),
    /// Longest wait for another process that changes the file. For readers the wait is as long as they read: what is
    /// to be written is complete by then.
    pub patience: Duration,
}

impl<'a> Waiting<'a> {
    /// Waits for ten minutes.
    pub fn new(stop: &'a AtomicBool, tell: fn(&Path, Obstacle)) -> Self {
        Self { stop, tell, patience: Duration::from_secs(600) }
    }
}
