//! Stand-in until the methods land: same API (Method::ALL, name, extract), finds nothing.
#![allow(missing_docs)]
use dom::{Document, NodeId};
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method { WordsLeaves, Euclid, Blocks, Density, TextDensity }
impl Method {
    pub const ALL: &'static [Self] = &[Self::WordsLeaves, Self::Euclid, Self::Blocks, Self::Density, Self::TextDensity];
    pub fn name(self) -> &'static str {
        match self { Self::WordsLeaves => "words-leaves", Self::Euclid => "euclid", Self::Blocks => "blocks", Self::Density => "density", Self::TextDensity => "text-density" }
    }
}
pub fn extract(_: &Document, _: Method) -> Vec<NodeId> { Vec::new() }
