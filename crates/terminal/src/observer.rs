//! Progress events of a run.

/// Receives progress events. All methods are called from many threads.
pub trait Observer: Sync + std::fmt::Debug {
    /// Reading starts: number of files and bytes.
    fn reading(&self, _files: usize, _bytes: u64) {}
    /// So many more bytes were read.
    fn read(&self, _bytes: u64) {}
    /// Processing starts: number of sites and pages.
    fn processing(&self, _sites: usize, _pages: usize) {}
    /// A site, or a part of a large one, is done.
    fn site_done(&self, _site: &str, _pages: usize) {}
}

/// An observer that ignores all events.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {}
