//! Renders the output of a site in the thread that processed it.

use model::{SiteResult, SiteSummary};
use sink::{Render, drop_record, figures_of, health_record, json_lines};

/// Turns results of sites into output. Runs in the worker threads, so that they wait for each other only
/// while bytes are copied to files.
#[derive(Clone, Default)]
pub struct Renderers(Vec<Option<Render>>);

/// A site's result with its bytes for every sink.
#[derive(Debug)]
pub struct Rendered {
    pub(super) result: SiteResult,
    /// One for each sink; none where it renders nothing.
    pub(super) by_sink: Vec<Option<Vec<u8>>>,
    pub(super) dropped: Vec<u8>,
    /// Its wrapper file; none for a part of a site, since that file covers all parts.
    pub(super) wrappers: Option<Vec<u8>>,
    /// Its line of `health.jsonl`; empty without a store of models.
    pub(super) health: Vec<u8>,
}

impl Rendered {
    /// The result of the site.
    pub fn result(&self) -> &SiteResult {
        &self.result
    }
}

impl std::fmt::Debug for Renderers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Renderers").field(&self.0.len()).finish()
    }
}

impl Renderers {
    /// Those of sinks; `None` for one that renders nothing.
    pub(super) fn new(of_sinks: Vec<Option<Render>>) -> Self {
        Self(of_sinks)
    }

    /// Renders the result of a site, or of its part with this number.
    pub fn render(&self, mut result: SiteResult, part: usize) -> Rendered {
        let is_whole = part == 0 && !result.more;
        result.figures = (!is_whole).then(|| Box::new(figures_of(&result)));
        let by_sink = self.0.iter().map(|render| render.as_ref().map(|render| render(&result)));
        Rendered {
            by_sink: by_sink.collect(),
            dropped: json_lines(result.drops.iter().map(drop_record)),
            wrappers: is_whole.then(|| wrapper_file(&result.summary)),
            health: json_lines(result.night.iter().map(|night| health_record(night))),
            result,
        }
    }
}

/// The bytes of a site's wrapper file.
pub(super) fn wrapper_file(summary: &SiteSummary) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(summary).unwrap_or_default();
    json.push(b'\n');
    json
}
