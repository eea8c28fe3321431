//! Identity of a step file: the step that wrote it, and what it was made from.

use std::fmt;

use config::files::sha256_of;
use config::{Config, SinkName};
use model::named;
use serde::{Deserialize, Serialize};

named! {
/// A step that writes files.
pub enum StepKind {
    /// Reads archives.
    Survey => "survey",
    /// Learns sites.
    Learn => "learn",
    /// Applies models to pages.
    Apply => "apply",
    /// Describes articles.
    Describe => "describe",
}
}

/// A share of the sites: number `part` of `of`. The first is 1.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct SiteShare {
    /// Number of the share.
    pub part: u32,
    /// Number of shares.
    pub of: u32,
}

impl SiteShare {
    /// All sites.
    pub const ALL: Self = Self { part: 1, of: 1 };

    /// Whether the share contains a site with this hash. Shares are ranges in the order of outputs.
    pub fn has(self, hash: u64) -> bool {
        self.of_hash(hash) == u128::from(self.part)
    }

    /// Whether a site with this hash is in an earlier share.
    pub fn is_after(self, hash: u64) -> bool {
        self.of_hash(hash) < u128::from(self.part)
    }

    fn of_hash(self, hash: u64) -> u128 {
        ((u128::from(hash) * u128::from(self.of)) >> 64) + 1
    }
}

impl std::str::FromStr for SiteShare {
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

impl fmt::Display for SiteShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

/// Hex digits of the digest of an identity.
const DIGEST: usize = 32;

/// Identity of a step file: the step that wrote it, and what it was made from.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct StepIdentity {
    /// Step that wrote the file.
    pub step: StepKind,
    /// The round of learning and applying, 1 or 2; 0 for a survey.
    pub round: u8,
    /// Share of the sites that was learnt.
    pub share: SiteShare,
    /// Digest of the settings.
    pub settings: String,
    /// Version of the program.
    pub version: String,
    /// Digests of the surveys that the file was made from, sorted; for a survey, its own digest.
    pub surveys: Vec<String>,
    /// State of the model store when the sites were learnt, if there is a store.
    pub store: Option<String>,
    /// Digests of the identities of the files with models, or with the results of applying them, that the file was made from,
    /// sorted.
    pub made_of: Vec<String>,
}

impl StepIdentity {
    /// The identity of a file that this program makes with these settings.
    pub fn of(step: StepKind, round: u8, config: &Config, mut surveys: Vec<String>) -> Self {
        surveys.sort_unstable();
        Self {
            step,
            round,
            share: SiteShare::ALL,
            settings: settings(config),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            surveys,
            store: None,
            made_of: Vec::new(),
        }
    }

    /// Digest of the identity. As steps are deterministic, files with the same identity have the same contents.
    pub fn digest(&self) -> String {
        let mut digest = sha256_of(&serde_json::to_string(self).unwrap_or_default());
        digest.truncate(DIGEST);
        digest
    }
}

/// Digest of the settings that affect what is learnt, what is extracted, and which of it is kept.
fn settings(config: &Config) -> String {
    let emit = &config.emit;
    let forms = (emit.wants_html(), emit.wants_markdown(), emit.words_of_passages());
    let configs = emit.sinks.contains(&SinkName::SiteConfig);
    sha256_of(&format!("{} {forms:?} {configs}", config.night_hash()))
}
