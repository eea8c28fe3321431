//! The interface between a run and its outputs.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{AtomicFile, SinkError};
use model::SiteResult;

/// Renders a site to the bytes that its sink will write. Called on the thread that processed the
/// site, many at a time, so that writing in order is only copying.
pub type Render = Arc<dyn Fn(&SiteResult) -> Vec<u8> + Send + Sync>;

/// One output of a run. It receives every site once, in emission order (docs/FORMATS.md). Its files
/// appear only when it is finished; if it is dropped before, the previous files are unchanged.
pub trait Sink: Debug + Send {
    /// Renders the output of a site, in parallel with other sites; `None` by default.
    fn render(&self) -> Option<Render> {
        None
    }

    /// The file of an output that consists only of what [`Sink::render`] gives for each site, or
    /// part of a site, in sequence. Such a file of a killed process can be continued: its parts are
    /// then [taken](Sink::take) without their lines. Otherwise `None`.
    fn file(&mut self) -> Option<&mut AtomicFile> {
        None
    }

    /// Takes the next site, and its rendered bytes from [`Sink::render`] (or none).
    ///
    /// # Errors If it cannot be written. The sink is then dropped; the others continue.
    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError>;

    /// Moves all files to their paths.
    ///
    /// # Errors If they cannot be written. The previous files are then unchanged.
    fn finish(self: Box<Self>) -> Result<(), SinkError>;
}
