/*!
Words–leaves ratio: Insa, Silva and Tamarit, Using the words/leafs ratio in the DOM tree for content
extraction (2013).

The text of an article has many words per leaf. The nodes with a high ratio ([`LeafRatio`], Definition
4.4) are combined towards the root as long as the ratio does not fall too much (Definition 4.6), and the
node with the highest relevance is the content (Definition 4.7).

Interpretation. The relevance as printed, `R(n) = WLR(n) · max(W(n), ΣR(children))`, is unbounded: with a
ratio of, say, 30 words it grows thirtyfold at each level, so the root or a node near it always has the
highest, although the text argues that the factor stops the growth. Divided by the highest ratio of the
page the factor is at most 1 and the argument holds: [`RelevanceForm::Normalised`], the default here. The
printed formula is [`RelevanceForm::Literal`]. Visibility is read from `style` and `hidden` attributes, the
position of a `div` from its `style`; style sheets are not loaded. Where all ratios or all positions
are equal (0/0) the factor is 1. O(n).
*/

use dom::{Document, NodeId, local_name};
use serde::{Deserialize, Serialize};

use crate::text::{body, length};

/// The numerator and denominator of the ratio. The paper compares the four (its Tables 1 to 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeafRatio {
    /// Words per leaf: WLR.
    WordsLeaves,
    /// Characters per node: CNR, from the authors' earlier paper.
    CharactersNodes,
    /// Words per node: WNR.
    WordsNodes,
    /// Characters per leaf: CLR.
    CharactersLeaves,
}

/// How relevance (Definition 4.6) is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RelevanceForm {
    /// As printed.
    Literal,
    /// With the ratio divided by the highest on the page.
    Normalised,
}

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WordsLeavesConfig {
    /// The ratio.
    pub ratio: LeafRatio,
    /// The relevance.
    pub relevance: RelevanceForm,
}

impl WordsLeavesConfig {
    /// The paper's ratio, with the relevance its text describes.
    pub const PUBLISHED: Self =
        Self { ratio: LeafRatio::WordsLeaves, relevance: RelevanceForm::Normalised };
    /// The paper's ratio and its relevance as printed.
    pub const AS_PRINTED: Self = Self { relevance: RelevanceForm::Literal, ..Self::PUBLISHED };
}

/// The best node of the page (Algorithm 1); empty if the page has no words.
pub fn words_leaves(document: &Document, config: &WordsLeavesConfig) -> Vec<NodeId> {
    let nodes = ContentNodes::new(document, config.ratio);
    nodes.best(document, config.relevance).into_iter().collect()
}

/// The content nodes set of Definition 4.1 with the attributes of Definition 4.2.
struct ContentNodes {
    root: NodeId,
    /// Whether a node is in the set. Entries below are meaningful only for these nodes.
    content: Vec<bool>,
    ratio: Vec<f64>,
}

impl ContentNodes {
    fn new(document: &Document, ratio: LeafRatio) -> Self {
        let root = body(document);
        let size = match ratio {
            LeafRatio::WordsLeaves | LeafRatio::WordsNodes => terms::count_words,
            LeafRatio::CharactersNodes | LeafRatio::CharactersLeaves => length,
        };
        let by_leaves = matches!(ratio, LeafRatio::WordsLeaves | LeafRatio::CharactersLeaves);
        let visible = visible(document);
        let mut content = vec![false; document.len()];
        let mut total = vec![0u32; document.len()];
        let mut below = vec![0u32; document.len()];
        // In reverse document order children come before their parents.
        for id in document.subtree(root).rev() {
            let at = id as usize;
            if !visible[at] {
                continue;
            }
            if let Some(text) = document.text(id) {
                content[at] = terms::count_words(text) > 0;
                total[at] = if content[at] { size(text) } else { 0 };
                below[at] = 1;
                continue;
            }
            let children = || document.children(id).filter(|&child| content[child as usize]);
            total[at] = children().map(|child| total[child as usize]).sum();
            below[at] = if by_leaves {
                leaves(document, children(), &below)
            } else {
                1 + children().map(|child| below[child as usize]).sum::<u32>()
            };
            // The fix-point `notWords`: an element stays if one of its children does.
            content[at] = children().next().is_some();
        }
        let ratio = total.iter().zip(&below).map(|(&t, &b)| f64::from(t) / f64::from(b.max(1)));
        Self { root, ratio: ratio.collect(), content }
    }

    /// Definitions 4.5 to 4.7.
    fn best(&self, document: &Document, relevance: RelevanceForm) -> Option<NodeId> {
        let members = || document.subtree(self.root).filter(|&id| self.content[id as usize]);
        let ratio = |id: NodeId| self.ratio[id as usize];
        let highest = members().map(ratio).reduce(f64::max)?;
        let lowest = members().map(ratio).fold(highest, f64::min);
        let threshold = (highest * ratio(self.root)).sqrt();
        // Definition 4.2 numbers the content nodes in pre-order.
        let numbered: Vec<_> = members().zip(0u32..).collect();
        let initial = |id: NodeId| ratio(id) >= threshold;
        let first = numbered.iter().find(|n| initial(n.0))?.1;
        let last = numbered.iter().rfind(|n| initial(n.0))?.1;
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
        let weight = |id: NodeId, number: u32| {
            if !initial(id) {
                return 0.0;
            }
            let position = share(f64::from(last - number), f64::from(last - first));
            position * share(ratio(id) - lowest, highest - lowest)
        };
        let unit = match relevance {
            RelevanceForm::Literal => 1.0,
            RelevanceForm::Normalised => highest,
        };
        let mut of_children = vec![0.0; document.len()];
        let mut best: Option<(f64, NodeId)> = None;
        for &(id, number) in numbered.iter().rev() {
            let combined = f64::max(weight(id, number), of_children[id as usize]);
            let relevance = ratio(id) / unit * combined;
            if let Some(parent) = document.parent(id) {
                of_children[parent as usize] += relevance;
            }
            // Of equal nodes, the one with the lower identifier, which comes later here, is selected.
            if best.is_none_or(|(highest, _)| relevance >= highest) {
                best = Some((relevance, id));
            }
        }
        best.map(|(_, id)| id)
    }
}

/// Function `leaves` (Figure 5): a run of short formatted parts counts as one leaf.
fn leaves(document: &Document, children: impl Iterator<Item = NodeId>, below: &[u32]) -> u32 {
    let mut leaves = 0;
    let mut joining = false;
    for child in children {
        if joins(document, child) && below[child as usize] == 1 {
            joining = true;
        } else {
            leaves += below[child as usize] + u32::from(joining);
            joining = false;
        }
    }
    leaves + u32::from(joining)
}

/// Whether a child may be part of a run: its tag and static position (Definition 4.2).
fn joins(document: &Document, id: NodeId) -> bool {
    let Some(element) = document.element(id) else { return true };
    match *element.name {
        local_name!("div") => {
            let style = compact_style(document, id);
            !style.contains("position:absolute") && !style.contains("position:fixed")
        }
        ref name => matches!(
            &**name,
            "p" | "a" | "u" | "b" | "i" | "em" | "span" | "sub" | "sup" | "strong"
        ),
    }
}

/// Attribute *Visible* of Definition 3.3, inherited: a hidden element hides its subtree.
fn visible(document: &Document) -> Vec<bool> {
    let mut visible = Vec::with_capacity(document.len());
    for id in document.ids() {
        let inside = document.parent(id).is_none_or(|parent| visible[parent as usize]);
        visible.push(inside && !is_hidden(document, id));
    }
    visible
}

fn is_hidden(document: &Document, id: NodeId) -> bool {
    if document.attribute(id, &local_name!("hidden")).is_some() {
        return true;
    }
    let style = compact_style(document, id);
    ["display:none", "visibility:hidden", "visibility:collapse"].iter().any(|s| style.contains(s))
}

/// The `style` attribute in lower case and without white space.
fn compact_style(document: &Document, id: NodeId) -> String {
    let style = document.attribute(id, &local_name!("style")).unwrap_or_default();
    style.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
#[path = "words_leaves_tests.rs"]
mod tests;
