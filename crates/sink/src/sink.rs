//! The contract between a run and its outputs.

use std::fmt::Debug;
use std::sync::Arc;

use crate::{AtomicFile, SinkError};
use model::SiteResult;

/// Turns a site into the bytes its sink will write. Called on the thread that processed the site,
/// many at a time, so that the work of writing in order is only copying.
pub type Render = Arc<dyn Fn(&SiteResult) -> Vec<u8> + Send + Sync>;

/// One output of a run. It is given every site once, in emission order (docs/FORMATS.md), and what
/// it wrote appears only when it is finished: dropped before that, it leaves things as they were.
pub trait Sink: Debug + Send {
    /// Renders the output of a site, in parallel with other sites; by default nothing.
    fn render(&self) -> Option<Render> {
        None
    }

    /// The file of an output that is nothing but what [`Sink::render`] made of each site, or part of
    /// one, one after the other: that of a process that died can be gone on with, where parts are then
    /// [taken](Sink::take) without their lines. Else nothing.
    fn file(&mut self) -> Option<&mut AtomicFile> {
        None
    }

    /// Takes the next site, and what [`Sink::render`] made of it (else nothing).
    ///
    /// # Errors
    /// If it cannot be written. The sink is then dropped; the others go on.
    fn take(&mut self, site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError>;

    /// Puts everything in its place.
    ///
    /// # Errors
    /// If it cannot be written; then what was there before stays.
    fn finish(self: Box<Self>) -> Result<(), SinkError>;
}
