//! Progress for people at a terminal; silent anywhere else.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::progress::observer::Observer;

/// Two bars in turn: bytes read, then sites done.
#[derive(Debug)]
pub struct Progress {
    bytes: ProgressBar,
    pages: ProgressBar,
    bars: MultiProgress,
}

impl Progress {
    /// Bars on standard error; hidden if that is no terminal.
    pub fn new() -> Self {
        let bars = MultiProgress::new();
        let style = |template: &str| {
            ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("━╸ ")
        };
        let bytes = bars.add(ProgressBar::no_length());
        bytes.set_style(style(
            "reading   {bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left",
        ));
        let pages = bars.add(ProgressBar::no_length());
        pages
            .set_style(style("learning  {bar:30} {pos}/{len} pages  {per_sec}  {eta} left  {msg}"));
        Self { bytes, pages, bars }
    }

    /// Removes the bars from the screen.
    pub fn clear(&self) {
        // Failing to clean up the terminal is no reason to stop.
        let _ = self.bars.clear();
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Observer for Progress {
    fn reading(&self, _files: usize, bytes: u64) {
        self.bytes.set_length(bytes);
    }

    fn read(&self, bytes: u64) {
        self.bytes.inc(bytes);
    }

    fn processing(&self, sites: usize, pages: usize) {
        self.bytes.finish();
        self.pages.set_length(pages as u64);
        self.pages.set_message(format!("{sites} sites"));
    }

    fn site_done(&self, _site: &str, pages: usize) {
        self.pages.inc(pages as u64);
    }
}
