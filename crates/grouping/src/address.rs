//! An address in the form in which others are compared with it.

use serde::{Deserialize, Serialize};

/// An address in the form in which equal ones name the same page: what always counts, and the
/// parameters that are ignored unless they tell pages apart.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Address {
    /// Host, path and the other parameters.
    pub key: String,
    /// `name=value` of tracking parameters, names in lower case; sorted, each once.
    pub tracked: Vec<String>,
}

impl Address {
    /// The tracking parameters, with their values.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tracked.iter().map(|pair| pair.split_once('=').unwrap_or((pair, "")))
    }

    /// As one text, for those who compare texts.
    pub fn exact(&self) -> String {
        match &*self.tracked {
            [] => self.key.clone(),
            tracked => {
                let sign = if self.key.contains('?') { '&' } else { '?' };
                format!("{}{sign}{}", self.key, tracked.join("&"))
            }
        }
    }
}
