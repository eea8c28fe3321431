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

/// The text that is removed from both sides before anything is counted ([`crate::neutral`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Neutral {
    /// Titles and optional paragraphs.
    Titles,
    /// Titles, optional paragraphs, and what is a field of a record: bylines, dates and captions.
    Fields,
    /// Nothing.
    Raw,
}

/// The unit that is counted, and what is removed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Measure {
    /// The unit that is counted.
    pub kind: Kind,
    /// What is removed first. Nodes are always counted unchanged.
    pub neutral: Neutral,
}

impl Measure {
    /// Every measure, in the order of reports. The name is that of the kind, with the suffix `-fields` or
    /// `-raw` unless just titles are removed.
    pub const ALL: [Self; 16] = [
        Self { kind: Kind::Pairs, neutral: Neutral::Titles },
        Self { kind: Kind::Pairs, neutral: Neutral::Fields },
        Self { kind: Kind::Pairs, neutral: Neutral::Raw },
        Self { kind: Kind::Words, neutral: Neutral::Titles },
        Self { kind: Kind::Words, neutral: Neutral::Fields },
        Self { kind: Kind::Words, neutral: Neutral::Raw },
        Self { kind: Kind::LcsWords, neutral: Neutral::Titles },
        Self { kind: Kind::LcsWords, neutral: Neutral::Fields },
        Self { kind: Kind::LcsWords, neutral: Neutral::Raw },
        Self { kind: Kind::LcsChars, neutral: Neutral::Titles },
        Self { kind: Kind::LcsChars, neutral: Neutral::Fields },
        Self { kind: Kind::LcsChars, neutral: Neutral::Raw },
        Self { kind: Kind::Substring, neutral: Neutral::Titles },
        Self { kind: Kind::Substring, neutral: Neutral::Fields },
        Self { kind: Kind::Substring, neutral: Neutral::Raw },
        Self { kind: Kind::Nodes, neutral: Neutral::Raw },
    ];

    /// Name on the command line and in files.
    pub fn name(self) -> &'static str {
        match (self.kind, self.neutral) {
            (Kind::Pairs, Neutral::Titles) => "pairs",
            (Kind::Pairs, Neutral::Fields) => "pairs-fields",
            (Kind::Pairs, Neutral::Raw) => "pairs-raw",
            (Kind::Words, Neutral::Titles) => "words",
            (Kind::Words, Neutral::Fields) => "words-fields",
            (Kind::Words, Neutral::Raw) => "words-raw",
            (Kind::LcsWords, Neutral::Titles) => "lcs-words",
            (Kind::LcsWords, Neutral::Fields) => "lcs-words-fields",
            (Kind::LcsWords, Neutral::Raw) => "lcs-words-raw",
            (Kind::LcsChars, Neutral::Titles) => "lcs-chars",
            (Kind::LcsChars, Neutral::Fields) => "lcs-chars-fields",
            (Kind::LcsChars, Neutral::Raw) => "lcs-chars-raw",
            (Kind::Substring, Neutral::Titles) => "substring",
            (Kind::Substring, Neutral::Fields) => "substring-fields",
            (Kind::Substring, Neutral::Raw) => "substring-raw",
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
        let neutral = match self.neutral {
            Neutral::Titles => "title-neutral",
            Neutral::Fields => "neutral to titles, bylines, dates and captions",
            Neutral::Raw => "raw",
        };
        format!("{kind}, {neutral}")
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
        assert!(
            unknown.starts_with("no measure is called \"rouge\"; there are pairs, pairs-fields,")
        );
    }
}
