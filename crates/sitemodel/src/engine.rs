//! The extraction engines, by name.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use forest::PatternMeasure;
use pagewise::Method;
use serde::{Deserialize, Serialize};

/// An extraction engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum Engine {
    /// Structural patterns scored across siblings with learnt weights (the `grove` crate).
    Grove,
    /// Structural patterns ranked over sibling pages (the Forest paper), by this measure.
    Forest(PatternMeasure),
    /// The `div` with the highest density of feed keywords, found page by page (Forest §4).
    Sigfeed,
    /// Title and description of the feed item (Forest §4).
    Description,
    /// A single-page method.
    PageWise(Method),
}

impl Engine {
    /// Every engine, in the order of the documentation.
    pub fn all() -> Vec<Self> {
        let measures = [
            PatternMeasure::Informativeness,
            PatternMeasure::Coverage,
            PatternMeasure::Density,
            PatternMeasure::Unexpectedness,
        ];
        let mut all = vec![Self::Grove];
        all.extend(measures.into_iter().map(Self::Forest));
        all.extend([Self::Sigfeed, Self::Description]);
        all.extend(Method::ALL.iter().copied().map(Self::PageWise));
        all
    }

    /// The name on the command line and in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grove => "grove",
            Self::Forest(PatternMeasure::Informativeness) => "forest",
            Self::Forest(PatternMeasure::Coverage) => "coverage",
            Self::Forest(PatternMeasure::Density) => "forest-j",
            Self::Forest(PatternMeasure::Unexpectedness) => "forest-u",
            Self::Sigfeed => "sigfeed",
            Self::Description => "description",
            Self::PageWise(method) => method.name(),
        }
    }
}

impl Display for Engine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::all().into_iter().find(|e| e.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::all().into_iter().map(Self::name).collect();
            format!("unknown engine `{name}`; the engines are {}", names.join(", "))
        })
    }
}

impl TryFrom<String> for Engine {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Engine> for String {
    fn from(engine: Engine) -> Self {
        engine.name().to_owned()
    }
}
