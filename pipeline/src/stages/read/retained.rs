//! Pages that a store of site models retains, read as if they were captured again.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use modelstore::Store;

use super::{Intake, Reading};

impl Reading<'_, '_> {
    /// Gives the retained pages of all sites, each with the origin of its capture, and the feed items that
    /// pointed to them.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn retained(&mut self, path: &Path, stop: &AtomicBool) -> io::Result<()> {
        let store = Store::open_read_only(path).map_err(io::Error::other)?;
        for site in store.sites().map_err(io::Error::other)? {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            for retained in store.sample(&site.site).map_err(io::Error::other)? {
                self.count("page");
                self.summary.html_bytes += retained.page.html.len() as u64;
                self.give(Intake::Feed(retained.items));
                self.give(Intake::Page(retained.page));
            }
        }
        Ok(())
    }
}
