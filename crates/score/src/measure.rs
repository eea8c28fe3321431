//! The names of the measures.

use std::{fmt, str::FromStr};

/// The unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The set of pairs of consecutive words ([`crate::shingles`]).
    Pairs,
    /// Words with multiplicity ([`crate::bag`]).
    Words,
    /// DOM nodes ([`crate::nodes`]).
    Nodes,
    /// Longest common subsequence by word ([`crate::lcs`]).
    LcsWords,
    /// Longest common subsequence by character without white space ([`crate::lcs`]).
    LcsChars,
    /// Longest common substring by character without white space ([`crate::substring`]).
    Substring,
}

/// The unit that is counted, and whether titles and optional paragraphs are removed first
/// ([`crate::neutral`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Measure {
    /// The unit that is counted.
    pub kind: Kind,
    /// True: over the unchanged texts. False: title-neutral. Nodes are always counted unchanged.
    pub raw: bool,
}

impl Measure {
    /// Every measure, in the order of reports. The name is that of the kind, with the suffix `-raw`
    /// for raw ones.
    pub const ALL: [Self; 11] = [
        Self { kind: Kind::Pairs, raw: false },
        Self { kind: Kind::Pairs, raw: true },
        Self { kind: Kind::Words, raw: false },
        Self { kind: Kind::Words, raw: true },
        Self { kind: Kind::LcsWords, raw: false },
        Self { kind: Kind::LcsWords, raw: true },
        Self { kind: Kind::LcsChars, raw: false },
        Self { kind: Kind::LcsChars, raw: true },
        Self { kind: Kind::Substring, raw: false },
        Self { kind: Kind::Substring, raw: true },
        Self { kind: Kind::Nodes, raw: false },
    ];

    /// Name on the command line and in files.
    pub fn name(self) -> &'static str {
        match (self.kind, self.raw) {
            (Kind::Pairs, false) => "pairs",
            (Kind::Pairs, true) => "pairs-raw",
            (Kind::Words, false) => "words",
            (Kind::Words, true) => "words-raw",
            (Kind::LcsWords, false) => "lcs-words",
            (Kind::LcsWords, true) => "lcs-words-raw",
            (Kind::LcsChars, false) => "lcs-chars",
            (Kind::LcsChars, true) => "lcs-chars-raw",
            (Kind::Substring, false) => "substring",
            (Kind::Substring, true) => "substring-raw",
            (Kind::Nodes, _) => "nodes",
        }
    }

    /// A readable description of the measure.
    pub fn describe(self) -> String {
        let kind = match self.kind {
            Kind::Pairs => "set of pairs of consecutive words",
            Kind::Words => "retrieved words",
            Kind::LcsWords => "longest common subsequence by word",
            Kind::LcsChars => "longest common subsequence by character without white space",
            Kind::Substring => "longest common substring by character without white space",
            Kind::Nodes => return "retrieved DOM nodes".to_owned(),
        };
        format!("{kind}, {}", if self.raw { "raw" } else { "title-neutral" })
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not that of a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMeasure(String);

impl fmt::Display for UnknownMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Measure::ALL.map(Measure::name).join(", ");
        write!(f, "no measure is called {:?}; there are {names}", self.0)
    }
}

impl std::error::Error for UnknownMeasure {}

impl FromStr for Measure {
    type Err = UnknownMeasure;

    fn from_str(name: &str) -> Result<Self, UnknownMeasure> {
        let known = Self::ALL.into_iter().find(|measure| measure.name() == name);
        known.ok_or_else(|| UnknownMeasure(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_measures() {
        for measure in Measure::ALL {
            assert_eq!(measure.to_string().parse(), Ok(measure));
        }
        let unknown = "rouge".parse::<Measure>().unwrap_err().to_string();
        assert!(unknown.starts_with("no measure is called \"rouge\"; there are pairs, pairs-raw,"));
    }
}
