//! The interface between a run and its outputs.

use std::sync::Arc;

use model::{Absence, SiteResult};

use crate::SinkError;

/// Renders a site to the bytes that its sink will write. Called in the thread pool while results are
/// written, many at a time, so that writing in order is only copying.
pub type Render = Arc<dyn Fn(&SiteResult) -> Vec<u8> + Send + Sync>;

/// One output of a run. It receives every site once, in emission order (docs/FORMATS.md). Its files
/// appear only when it is finished; if it is dropped before, the previous files are unchanged.
pub trait Sink: Send {
    /// Renders the output of a site, in parallel with other sites; `None` by default.
    fn render(&self) -> Option<Render> {
        None
    }

    /// Whether it reads the articles of sites, not only their lines and figures. Where no output does, they are not read
    /// from their lines.
    fn reads_articles(&self) -> bool {
        true
    }

    /// Takes the next site, and its rendered bytes from [`Sink::render`] (or none).
    ///
    /// # Errors
    /// If it cannot be written. The sink is then dropped; the others continue.
    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError>;

    /// Called once, before the first site, with the name of the night: a digest of the inputs and of what was chosen of them.
    /// Ignored by default.
    ///
    /// # Errors
    /// If it cannot be used. The sink is then dropped; the others continue.
    fn begin_night(&mut self, _night: &str) -> Result<(), SinkError> {
        Ok(())
    }

    /// Takes some of the answers of the crawl that had no page; all of them come before the first site. By default, they
    /// are ignored.
    ///
    /// # Errors
    /// If they cannot be written. The sink is then dropped; the others continue.
    fn take_absences(&mut self, _absences: &[Absence]) -> Result<(), SinkError> {
        Ok(())
    }

    /// Moves all files to their paths.
    ///
    /// # Errors
    /// If they cannot be written. The previous files are then unchanged.
    fn finish(self: Box<Self>) -> Result<(), SinkError>;
}
