//! Which step a file is of, and of what.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::digests::sha256_of;
use crate::sink_name::SinkName;

/// A step that writes files.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Step {
    /// Reads archives.
    Survey,
    /// Learns sites.
    Learn,
    /// Applies models to pages.
    Apply,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Survey => "survey",
            Self::Learn => "learn",
            Self::Apply => "apply",
        })
    }
}

/// A share of the sites: number `part` of `of`, from 1.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Share {
    /// Which.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

impl Share {
    /// All sites.
    pub const ALL: Self = Self { part: 1, of: 1 };

    /// Whether a site with this hash is in it. Shares are ranges in the order of outputs.
    pub fn has(self, hash: u64) -> bool {
        let number = (u128::from(hash) * u128::from(self.of)) >> 64;
        number + 1 == u128::from(self.part)
    }
}

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("invalid share `{text}`: expected a number and how many there are, such as 2/8")
        };
        let (part, of) = text.split_once('/').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let share = Self { part: number(part)?, of: number(of)? };
        if share.part == 0 || share.part > share.of { Err(wrong()) } else { Ok(share) }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

/// Which step a file is of, and of what.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Identity {
    pub(crate) step: Step,
    /// The first or second round of learning and applying; 0 of a survey.
    pub(crate) round: u8,
    /// The share of the sites that was learnt.
    pub(crate) share: Share,
    /// Digest of the settings.
    pub(super) settings: String,
    /// Version of the program.
    pub(super) version: String,
    /// Digests of the surveys it was made of, sorted; of a survey, its own.
    pub(crate) surveys: Vec<String>,
}

impl Identity {
    /// Of a file that is made by this program with these settings.
    pub(crate) fn of(step: Step, round: u8, config: &Config, mut surveys: Vec<String>) -> Self {
        surveys.sort_unstable();
        Self {
            step,
            round,
            share: Share::ALL,
            settings: settings(config),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            surveys,
        }
    }

    /// The same, of a share of the sites.
    pub(crate) fn of_share(self, share: Share) -> Self {
        Self { share, ..self }
    }
}

/// Digest of the settings that decide what is learnt, extracted, and kept of it.
fn settings(config: &Config) -> String {
    let emit = &config.emit;
    let forms = (emit.wants_html(), emit.wants_markdown());
    let configs = emit.sinks.contains(&SinkName::SiteConfig);
    sha256_of(&format!("{} {forms:?} {configs}", config.night_hash()))
}
