/*!
Text density with density sum: Sun, Song and Liao, DOM based content extraction via text density
(SIGIR 2011), CETD-DS.

An element's density is its characters divided by its tags; the composite density also weighs links. The
element whose children's densities have the highest sum (DensitySum) contains most of the content. The
lowest density on the path from it to the body is the threshold. In every element that reaches the
threshold, the element with the highest sum is content.

Interpretation. Zero counts of tags, link characters and link tags are replaced by 1; a composite
density that would be negative or undefined is 0. A run of white space counts as one character. The
method that other papers compare with as CETD-DS is the one with plain density; the composite one,
CECTD-DS, has better results in the comparisons, and is the default here. O(n).
*/

use dom::{Document, NodeId, PrefixSums};
use serde::{Deserialize, Serialize};

use crate::text::{body, is_link, length};

/// Which density.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DensityMeasure {
    /// Characters per tag (Definition 1).
    Text,
    /// Composite text density (Definition 2): links lower it.
    Composite,
}

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TextDensityConfig {
    /// Which density.
    pub measure: DensityMeasure,
}

impl TextDensityConfig {
    /// The composite density; there are no other parameters.
    pub const PUBLISHED: Self = Self { measure: DensityMeasure::Composite };
}

/// The content: elements, none inside another.
pub fn text_density(document: &Document, config: &TextDensityConfig) -> Vec<NodeId> {
    let body = body(document);
    let densities = densities(document, body, config.measure);
    let sums = density_sums(document, &densities);
    let elements = || document.subtree(body).filter(|&id| document.name(id).is_some());
    // The element with the highest sum in each subtree, of equal ones the first.
    let mut best: Vec<NodeId> = document.ids().collect();
    for id in elements().rev() {
        for child in document.children(id).filter(|&child| document.name(child).is_some()) {
            let inside = best[child as usize];
            if sums[inside as usize] > sums[best[id as usize] as usize] {
                best[id as usize] = inside;
            }
        }
    }
    let top = best[body as usize];
    let on_path = document.ancestors(top).take_while(|&id| id >= body);
    let threshold = on_path.map(|id| densities[id as usize]).fold(f64::INFINITY, f64::min);
    // `ExtractContent`: descends into children only if an element reaches the threshold.
    let mut content = Vec::new();
    let mut reached = vec![false; document.len()];
    for id in elements() {
        let entered = id == body || reached[document.node(id).parent as usize];
        reached[id as usize] = entered && densities[id as usize] >= threshold;
        let inside = best[id as usize];
        if reached[id as usize] && sums[inside as usize] > 0.0 {
            content.push(inside);
        }
    }
    document.outermost(content)
}

/// Definition 1 or 2 for each element; 0 for texts and elements without text.
fn densities(document: &Document, body: NodeId, measure: DensityMeasure) -> Vec<f64> {
    let (text, link_text) = PrefixSums::of_texts(document, length);
    let tags = PrefixSums::elements(document);
    let links = PrefixSums::new(document, |id| u32::from(is_link(document, id)));
    let sum = |sums: &PrefixSums, id| f64::from(sums.sum(document, id));
    let link_share = sum(&link_text, body) / sum(&text, body).max(1.0);
    let density = |id: NodeId| {
        let characters = sum(&text, id);
        if document.name(id).is_none() || characters == 0.0 {
            return 0.0;
        }
        let tags = (sum(&tags, id) - 1.0).max(1.0);
        let plain = characters / tags;
        if measure == DensityMeasure::Text {
            return plain;
        }
        let not_linked = (characters - sum(&link_text, id)).max(1.0);
        let linked = sum(&link_text, id).max(1.0);
        let base = libm::log(
            characters / not_linked * linked + link_share * characters + std::f64::consts::E,
        );
        let quotient = characters / linked * (tags / sum(&links, id).max(1.0));
        let factor = libm::log(quotient) / libm::log(base);
        if factor.is_finite() && factor > 0.0 { plain * factor } else { 0.0 }
    };
    document.ids().map(density).collect()
}

/// Definition 3: the sum of the densities of an element's children.
fn density_sums(document: &Document, densities: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; document.len()];
    for id in document.ids().skip(1) {
        sums[document.node(id).parent as usize] += densities[id as usize];
    }
    sums
}

#[cfg(test)]
#[path = "text_density_tests.rs"]
mod tests;
