//! The interface between a run and its outputs.

use std::sync::Arc;

use model::{Absence, SiteResult};

use crate::SinkError;

/// Renders a site to the bytes that its sink will write. Runs in the thread pool for many sites at
/// a time while results are written, so that writing in order is only copying.
pub type Render = Arc<dyn Fn(&SiteResult) -> Vec<u8> + Send + Sync>;

/// One output of a run. It receives every site once, in emission order (docs/FORMATS.md). Its files
/// appear only when it is finished. If it is dropped before that, the previous files are unchanged.
pub trait Sink: Send {
    /// Returns a function that renders a site, in parallel with other sites; `None` by default.
    fn render(&self) -> Option<Render> {
        None
    }

    /// Whether it reads the articles of sites, not only their lines and figures. If no output does, articles are not parsed
    /// from their lines.
    fn reads_articles(&self) -> bool {
        true
    }

    /// Takes the next site, with its bytes from [`Sink::render`], which are empty without rendering.
    ///
    /// # Errors
    /// If it cannot be written. The sink is then dropped; the others continue.
    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError>;

    /// Called once before the first site, with the name of the night: a digest of the inputs and of what was chosen of them.
    /// Does nothing by default.
    ///
    /// # Errors
    /// If the output cannot be used. The sink is then dropped; the others continue.
    fn begin_night(&mut self, _night: &str) -> Result<(), SinkError> {
        Ok(())
    }

    /// Takes some of the responses of the crawl without a page. All of them come before the first site. Does nothing
    /// by default.
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
