//! Outputs that are one file: a start, and what is rendered of each site, in order.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use model::{Extracted, SiteResult};

use crate::{AtomicFile, Render, Sink, SinkError};

/// Writes a file of articles.
pub struct TextFileSink {
    file: AtomicFile,
    render: Render,
    /// Written if nothing else is.
    if_empty: Vec<u8>,
}

impl TextFileSink {
    /// Starts the file at `path` with some bytes.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(crate) fn create(
        path: &Path,
        start: &[u8],
        render: impl Fn(&[Extracted]) -> Vec<u8> + Send + Sync + 'static,
    ) -> Result<Self, SinkError> {
        let mut file = AtomicFile::create(path)?;
        file.write_bytes(start)?;
        let render: Render = Arc::new(move |site| render(&site.articles));
        Ok(Self { file, render, if_empty: Vec::new() })
    }

    /// Writes these bytes if nothing else is written.
    pub(crate) fn with_bytes_if_empty(self, if_empty: Vec<u8>) -> Self {
        Self { if_empty, ..self }
    }
}

impl fmt::Debug for TextFileSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextFileSink").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Sink for TextFileSink {
    fn render(&self) -> Option<Render> {
        Some(Arc::clone(&self.render))
    }

    fn take(&mut self, _site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        self.file.write_bytes(rendered)
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        if self.file.is_empty() {
            self.file.write_bytes(&self.if_empty)?;
        }
        self.file.finish()
    }
}
