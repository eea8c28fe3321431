//! Progress events of a run.

/// Receives progress events. All methods are called from many threads.
pub trait Observer: Sync + std::fmt::Debug {
    /// Reading begins: this many files and bytes.
    fn reading(&self, _files: usize, _bytes: u64) {}
    /// So many bytes more were read.
    fn read(&self, _bytes: u64) {}
    /// Sites are processed from here on: this many, with so many pages.
    fn processing(&self, _sites: usize, _pages: usize) {}
    /// A site, or a part of a very large one, is done.
    fn site_done(&self, _site: &str, _pages: usize) {}
}

/// An observer that ignores all events.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {}
