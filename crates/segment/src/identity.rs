//! Which step a file is of, and of what.

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

/// A share of the sites: number `part` of `of`, from 1.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct SiteShare {
    /// Which.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

impl SiteShare {
    /// All sites.
    pub const ALL: Self = Self { part: 1, of: 1 };

    /// Whether a site with this hash is in it. Shares are ranges in the order of outputs.
    pub fn has(self, hash: u64) -> bool {
        self.of_hash(hash) == u128::from(self.part)
    }

    /// Whether a site with this hash is in a share before it.
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

/// Which step a file is of, and of what.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct StepIdentity {
    /// The step that wrote it.
    pub step: StepKind,
    /// The first or second round of learning and applying; 0 of a survey.
    pub round: u8,
    /// The share of the sites that was learnt.
    pub share: SiteShare,
    /// Digest of the settings.
    pub settings: String,
    /// Version of the program.
    pub version: String,
    /// Digests of the surveys it was made of, sorted; of a survey, its own.
    pub surveys: Vec<String>,
    /// The state of the store of models when sites were learnt, if there is one.
    pub store: Option<String>,
    /// Digests of the identities of the files that sites were learnt, or models applied to pages, in, which it was made
    /// of, sorted.
    pub made_of: Vec<String>,
}

impl StepIdentity {
    /// Of a file that is made by this program with these settings.
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

    /// A digest of it. As steps are deterministic, files of one identity have the same contents.
    pub fn digest(&self) -> String {
        let mut digest = sha256_of(&serde_json::to_string(self).unwrap_or_default());
        digest.truncate(DIGEST);
        digest
    }
}

/// Digest of the settings that decide what is learnt, extracted, and kept of it.
fn settings(config: &Config) -> String {
    let emit = &config.emit;
    let forms = (emit.wants_html(), emit.wants_markdown(), emit.words_of_passages());
    let configs = emit.sinks.contains(&SinkName::SiteConfig);
    sha256_of(&format!("{} {forms:?} {configs}", config.night_hash()))
}
