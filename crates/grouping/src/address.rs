//! Addresses in a form that can be compared.

use serde::{Deserialize, Serialize};

/// An address in a normal form: equal ones name the same page. Tracking parameters are separate: they are
/// ignored unless they distinguish pages.
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

    /// The normal form as text.
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
