//! Lists of labels that are looked for in many short texts.

use memchr::memmem::Finder;

/// Labels, prepared for search: `str::contains` prepares each of them anew for every text.
pub(crate) struct Labels(Vec<Finder<'static>>);

impl Labels {
    pub(crate) fn new(labels: &'static [&'static str]) -> Self {
        Self(labels.iter().map(|label| Finder::new(label.as_bytes())).collect())
    }

    /// Whether a text has one of them.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|label| label.find(text.as_bytes()).is_some())
    }

    /// The end in a text of the first label of the list that it has.
    pub(crate) fn end_in(&self, text: &str) -> Option<usize> {
        self.0.iter().find_map(|label| Some(label.find(text.as_bytes())? + label.needle().len()))
    }
}
