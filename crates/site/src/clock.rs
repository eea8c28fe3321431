//! Measures the time that parts of a run take.

use std::collections::BTreeMap;

use input::reader::Timer;
use sitemodel::{Meter, ModelStep};

/// Time spent in each part, summed over the threads that waited for it.
#[derive(Debug, Default)]
pub struct Clock {
    /// Reading inputs.
    pub read: Timer,
    /// Grouping by site.
    pub group: Timer,
    /// Parsing HTML and counting words.
    pub parse: Timer,
    /// Separating layouts.
    pub cluster: Timer,
    /// Terms and tf-idf.
    pub signify: Timer,
    /// Ranking patterns.
    pub rank: Timer,
    /// Writing and testing XPaths.
    pub wrap: Timer,
    /// Text, HTML and metadata.
    pub extract: Timer,
    /// Comparing articles to find duplicates.
    pub compare: Timer,
    /// Writing files.
    pub emit: Timer,
}

impl Clock {
    /// Returns the seconds of each part by its name, rounded to milliseconds.
    pub fn seconds(&self) -> BTreeMap<String, f64> {
        [
            ("read", &self.read),
            ("group", &self.group),
            ("parse", &self.parse),
            ("cluster", &self.cluster),
            ("signify", &self.signify),
            ("rank", &self.rank),
            ("wrap", &self.wrap),
            ("extract", &self.extract),
            ("compare", &self.compare),
            ("emit", &self.emit),
        ]
        .map(|(name, timer)| (name.to_owned(), (timer.seconds() * 1000.0).round() / 1000.0))
        .into()
    }
}

impl Meter for Clock {
    fn measure(&self, step: ModelStep, work: &mut dyn FnMut()) {
        let timer = match step {
            ModelStep::Parse => &self.parse,
            ModelStep::Cluster => &self.cluster,
            ModelStep::Signify => &self.signify,
            ModelStep::Rank => &self.rank,
            ModelStep::Wrap => &self.wrap,
            ModelStep::Extract => &self.extract,
        };
        timer.time(work);
    }
}
