//! The measures by name, and their result: precision, recall and F1.

use std::str::FromStr;

/// The unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeasureKind {
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
    /// Titles, optional paragraphs, and text that is also a field of a record: bylines, dates and captions.
    Fields,
    /// Nothing.
    Raw,
}

/// The unit that is counted, and what is removed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualityMeasure {
    /// The unit that is counted.
    pub kind: MeasureKind,
    /// What is removed first. Nodes are always counted unchanged.
    pub neutral: Neutral,
}

/// Every measure with its name, in the order of reports.
const NAMED: [(MeasureKind, Neutral, &str); 16] = [
    (MeasureKind::Pairs, Neutral::Titles, "pairs"),
    (MeasureKind::Pairs, Neutral::Fields, "pairs-fields"),
    (MeasureKind::Pairs, Neutral::Raw, "pairs-raw"),
    (MeasureKind::Words, Neutral::Titles, "words"),
    (MeasureKind::Words, Neutral::Fields, "words-fields"),
    (MeasureKind::Words, Neutral::Raw, "words-raw"),
    (MeasureKind::LcsWords, Neutral::Titles, "lcs-words"),
    (MeasureKind::LcsWords, Neutral::Fields, "lcs-words-fields"),
    (MeasureKind::LcsWords, Neutral::Raw, "lcs-words-raw"),
    (MeasureKind::LcsChars, Neutral::Titles, "lcs-chars"),
    (MeasureKind::LcsChars, Neutral::Fields, "lcs-chars-fields"),
    (MeasureKind::LcsChars, Neutral::Raw, "lcs-chars-raw"),
    (MeasureKind::Substring, Neutral::Titles, "substring"),
    (MeasureKind::Substring, Neutral::Fields, "substring-fields"),
    (MeasureKind::Substring, Neutral::Raw, "substring-raw"),
    (MeasureKind::Nodes, Neutral::Raw, "nodes"),
];

impl QualityMeasure {
    /// Every measure, in the order of reports. A name is the name of the kind, with the suffix `-fields` or `-raw` unless
    /// only titles are removed.
    pub fn all() -> [Self; 16] {
        NAMED.map(|(kind, neutral, _)| Self { kind, neutral })
    }

    /// Name on the command line and in files.
    pub fn name(self) -> &'static str {
        let of = |kind, neutral| {
            kind == self.kind && (neutral == self.neutral || kind == MeasureKind::Nodes)
        };
        NAMED.into_iter().find(|own| of(own.0, own.1)).map_or("", |own| own.2)
    }

    /// A readable description of the measure.
    pub fn describe(self) -> String {
        let kind = match self.kind {
            MeasureKind::Pairs => "set of pairs of consecutive words",
            MeasureKind::Words => "retrieved words",
            MeasureKind::LcsWords => "longest common subsequence by word",
            MeasureKind::LcsChars => "longest common subsequence by character without white space",
            MeasureKind::Substring => "longest common substring by character without white space",
            MeasureKind::Nodes => return "retrieved DOM nodes".to_owned(),
        };
        let neutral = match self.neutral {
            Neutral::Titles => "title-neutral",
            Neutral::Fields => "neutral to titles, bylines, dates and captions",
            Neutral::Raw => "raw",
        };
        format!("{kind}, {neutral}")
    }
}

impl FromStr for QualityMeasure {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::all().into_iter().find(|measure| measure.name() == name).ok_or_else(|| {
            let names = Self::all().map(Self::name).join(", ");
            format!("no measure is called {name:?}; there are {names}")
        })
    }
}

/// Agreement of an output with its gold: three values between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Share of the output that is in the gold.
    pub precision: f64,
    /// Share of the gold that is in the output.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

impl Score {
    /// The score of an output that has nothing in common with the gold.
    pub const ZERO: Self = Self { precision: 0.0, recall: 0.0, f1: 0.0 };

    /// The score of an output of `output` units, `common` of which are among the `gold` units of
    /// the gold; `None` if the gold has none. An empty output scores zero.
    pub fn of_counts(common: usize, output: usize, gold: usize) -> Option<Self> {
        if common == 0 || output == 0 || gold == 0 {
            return (gold > 0).then_some(Self::ZERO);
        }
        let precision = common as f64 / output as f64;
        let recall = common as f64 / gold as f64;
        Some(Self { precision, recall, f1: 2.0 * precision * recall / (precision + recall) })
    }
}
