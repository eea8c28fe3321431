//! Structural patterns of sibling pages, merged into one tree.
//!
//! A pattern is the path of elements from the root, each with its tag, id and class names (or, without any,
//! presentational attributes such as the width, which distinguish the columns of old pages). Only names that
//! recur on another sibling are used, so generated names have no effect. Positions are ignored. The paths of
//! all siblings form one merged tree.

use std::collections::{BTreeMap, BTreeSet};

use dom::{Document, Element, ElementKind, LocalName, NodeId, class_tokens, local_name};
use model::NamedElement;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Number of a pattern in its tree; parents come before their children.
pub type PatternId = u32;

/// Pattern that no page of the sample has.
pub const UNKNOWN: PatternId = PatternId::MAX;

/// The merged tree of patterns.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Patterns {
    /// Names that recur, with the number of pages that have them.
    #[serde(serialize_with = "model::sorted::map")]
    recurring: FxHashMap<u64, u32>,
    /// Ids by parent and label.
    #[serde(serialize_with = "model::sorted::map")]
    ids: FxHashMap<(PatternId, u64), PatternId>,
    parents: Vec<PatternId>,
    levels: Vec<u16>,
}

impl Patterns {
    /// Merges the trees of sibling pages; also returns the pattern of each node of each page (a text node has
    /// its parent's). Linear in the nodes.
    pub fn of(pages: &[&Document]) -> (Self, Vec<Vec<PatternId>>) {
        let names = KindNames::of(pages);
        let mut patterns = Self {
            recurring: names.recurring(),
            ids: FxHashMap::default(),
            parents: Vec::new(),
            levels: Vec::new(),
        };
        patterns.ids.reserve(names.examples.len());
        let labels: Vec<u64> = (names.examples.iter().enumerate())
            .map(|(kind, &tag)| patterns.label(tag, names.of_kind(kind)))
            .collect();
        let of_nodes = pages.iter().zip(&names.of_pages).map(|(page, kinds)| {
            let labels: Vec<u64> = kinds.iter().map(|&kind| labels[kind as usize]).collect();
            patterns.add(page, &labels)
        });
        let of_nodes = of_nodes.collect();
        (patterns, of_nodes)
    }

    /// Number of patterns.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no pattern: no page was given.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Validates the tree, after deserialisation.
    ///
    /// # Errors
    /// Describes the first error.
    pub fn check(&self) -> Result<(), String> {
        let len = self.parents.len();
        if self.levels.len() != len || self.ids.len() > len {
            return Err(format!("the tree has {len} patterns and {} levels", self.levels.len()));
        }
        let misplaced = |(at, &parent): (usize, &PatternId)| parent as usize >= at.max(1);
        if let Some((at, parent)) = self.parents.iter().enumerate().find(|each| misplaced(*each)) {
            return Err(format!("pattern {at} has the parent {parent}"));
        }
        match self.ids.values().find(|&&id| id as usize >= len) {
            Some(id) => Err(format!("there is no pattern {id}: there are {len}")),
            None => Ok(()),
        }
    }

    /// The pattern above; the root's is itself.
    pub fn parent(&self, id: PatternId) -> PatternId {
        self.parents[id as usize]
    }

    /// The patterns of the nodes of a further page, [`UNKNOWN`] if the tree lacks them.
    pub fn find(&self, page: &Document) -> Vec<PatternId> {
        let kinds = page.kinds();
        let mut names = Vec::new();
        let label = |kind: &ElementKind| {
            let element = page.element(kind.first)?;
            names.clear();
            each_name(|name| element.attribute(name), |name| names.push(name));
            Some(self.label(element.name, &names))
        };
        let labels: Vec<u64> = kinds.all().iter().filter_map(label).collect();
        patterns_of_nodes(page, &labels, |above, label, _| {
            self.ids.get(&(above, label)).copied().unwrap_or(UNKNOWN)
        })
    }

    /// The patterns of elements that another page had, [`UNKNOWN`] if the tree lacks them.
    pub fn find_named(&self, elements: &[NamedElement]) -> Vec<PatternId> {
        let mut found: Vec<PatternId> = Vec::with_capacity(elements.len());
        for element in elements {
            let above = element.parent.and_then(|parent| found.get(parent as usize));
            let above = above.copied().unwrap_or(UNKNOWN);
            let value = |name: &LocalName| {
                let mut attributes = element.names.iter().filter_map(|text| text.split_once('='));
                attributes.find(|own| own.0 == &**name).map(|own| own.1)
            };
            let mut names = Vec::new();
            each_name(value, |name| names.push(name));
            let label = self.label(&LocalName::from(&*element.tag), &names);
            let is_known = above != UNKNOWN || element.parent.is_none();
            let pattern = is_known.then(|| self.ids.get(&(above, label)).copied());
            found.push(pattern.flatten().unwrap_or(UNKNOWN));
        }
        found
    }

    /// Adds a page, given the labels of its kinds of elements.
    fn add(&mut self, page: &Document, labels: &[u64]) -> Vec<PatternId> {
        patterns_of_nodes(page, labels, |above, label, level| {
            let next = self.parents.len() as PatternId;
            let pattern = *self.ids.entry((above, label)).or_insert(next);
            if pattern == next {
                self.parents.push(if above == UNKNOWN { 0 } else { above });
                self.levels.push(level);
            }
            pattern
        })
    }

    /// A hash of tag, id and class names. The order of class names does not matter: a sum.
    fn label(&self, name: &LocalName, names: &[u64]) -> u64 {
        let tag = xxh3_64(name.as_bytes());
        if matches!(*name, local_name!("html") | local_name!("body")) {
            return tag;
        }
        let frequency = |name: &u64| self.recurring.get(name).copied().unwrap_or(0);
        let most = match names {
            [] => return tag,
            // A single name has no other to be compared with.
            [one] => frequency(one),
            several => several.iter().map(frequency).max().unwrap_or(0),
        };
        let counts = |name: &&u64| {
            let pages = if names.len() == 1 { most } else { frequency(name) };
            pages > 0 && pages * COMPANION.1 >= most * COMPANION.0
        };
        names.iter().filter(counts).fold(tag, |sum, name| sum.wrapping_add(name | 1))
    }
}

/// The pattern of each node of a page, given the labels of its kinds of elements. `find` finds a pattern by the one above, its
/// label and its level; what is below an unknown pattern is unknown.
fn patterns_of_nodes(
    page: &Document,
    labels: &[u64],
    mut find: impl FnMut(PatternId, u64, u16) -> PatternId,
) -> Vec<PatternId> {
    let mut found: Vec<PatternId> = Vec::with_capacity(page.len());
    for (id, (node, &kind)) in page.nodes().iter().zip(page.kinds().of_nodes()).enumerate() {
        let above = if id == 0 { UNKNOWN } else { found[node.parent as usize] };
        found.push(match labels.get(kind as usize) {
            Some(_) if id != 0 && above == UNKNOWN => UNKNOWN,
            Some(&label) => find(above, label, node.level),
            None => above,
        });
    }
    found
}

/// Hashes of the names of elements, by kind; kinds are shared between pages.
#[derive(Default)]
struct KindNames<'a> {
    /// Per page the kinds of its elements.
    of_pages: Vec<Vec<u32>>,
    /// Tags, by kind.
    examples: Vec<&'a LocalName>,
    ends: Vec<u32>,
    hashes: Vec<u64>,
}

impl<'a> KindNames<'a> {
    fn of(pages: &[&'a Document]) -> Self {
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        let mut names = Self::default();
        for page in pages {
            numbers.reserve(page.kinds().all().len());
            let kinds = page.kinds().all().iter();
            let number = |kind: &ElementKind| {
                let element = page.element(kind.first)?;
                Some(*numbers.entry(kind.hash).or_insert_with(|| names.add(element)))
            };
            let of_page = kinds.filter_map(number).collect();
            names.of_pages.push(of_page);
        }
        names
    }

    fn add(&mut self, element: Element<'a>) -> u32 {
        each_name(|name| element.attribute(name), |name| self.hashes.push(name));
        self.ends.push(self.hashes.len() as u32);
        self.examples.push(element.name);
        self.examples.len() as u32 - 1
    }

    fn of_kind(&self, kind: usize) -> &[u64] {
        let from = if kind == 0 { 0 } else { self.ends[kind - 1] };
        &self.hashes[from as usize..self.ends[kind] as usize]
    }

    /// The names that occur on at least two pages, with the number of pages; with fewer than three pages, all names.
    fn recurring(&self) -> FxHashMap<u64, u32> {
        let least = if self.of_pages.len() < 3 { 1 } else { 2 };
        // For each name, the last page that has it, and the number of pages.
        let mut seen: FxHashMap<u64, (usize, u32)> = FxHashMap::default();
        for (at, kinds) in self.of_pages.iter().enumerate() {
            for &name in kinds.iter().flat_map(|&kind| self.of_kind(kind as usize)) {
                let entry = seen.entry(name).or_insert((at, 1));
                if entry.0 != at {
                    *entry = (at, entry.1 + 1);
                }
            }
        }
        let of_name = |(name, (_, pages))| (pages >= least).then_some((name, pages));
        seen.into_iter().filter_map(of_name).collect()
    }
}

/// Attributes used instead of names if an element has neither id nor class; old pages have only these.
static PRESENTATIONAL: [LocalName; 9] = local_names![
    "itemprop", "role", "width", "align", "valign", "bgcolor", "cellpadding", "border", "face"
];

/// Calls `take` with hashes of an element's id and class names, without digits, or of its presentational
/// attributes, given the value of each attribute.
fn each_name<'v>(attribute: impl Fn(&LocalName) -> Option<&'v str>, mut take: impl FnMut(u64)) {
    let id = attribute(&local_name!("id")).map(|id| (id.trim(), 1));
    let class = attribute(&local_name!("class")).unwrap_or_default();
    let mut named = false;
    for (name, seed) in id.into_iter().chain(class_tokens(class).map(|token| (token, 2))) {
        // Digits are left out: `post-12` becomes `post`.
        let mut stable = [0u8; 64];
        let mut len = 0;
        for byte in name.bytes().filter(|b| !b.is_ascii_digit()).take(stable.len()) {
            stable[len] = byte;
            len += 1;
        }
        let stable = stable[..len].trim_ascii();
        let stable = stable.strip_suffix(b"-").or(stable.strip_suffix(b"_")).unwrap_or(stable);
        if !stable.is_empty() {
            named = true;
            take(xxh3_64_with_seed(stable, seed));
        }
    }
    if named {
        return;
    }
    for (at, name) in (3..).zip(&PRESENTATIONAL) {
        if let Some(value) = attribute(name) {
            take(xxh3_64_with_seed(value.trim().as_bytes(), at));
        }
    }
}

/// Describes elements of a page and their ancestors, so that [`Patterns::find_named`] finds their patterns on other pages. Also
/// returns the index of each of `nodes` among them. Linear in the nodes and their depth.
pub fn named_elements(document: &Document, nodes: &[NodeId]) -> (Vec<NamedElement>, Vec<u32>) {
    let mut all: BTreeSet<NodeId> = BTreeSet::new();
    for &node in nodes {
        let mut around = document.ancestors(node);
        while around.next().is_some_and(|id| all.insert(id)) {}
    }
    let number_of: BTreeMap<NodeId, u32> = all.iter().copied().zip(0..).collect();
    let naming = |name: &LocalName| {
        matches!(*name, local_name!("id") | local_name!("class")) || PRESENTATIONAL.contains(name)
    };
    let of = |&id: &NodeId| {
        let attributes = document.element(id).into_iter().flat_map(Element::attributes);
        let named = attributes.filter(|(name, _)| naming(name));
        NamedElement {
            parent: (id != 0).then(|| number_of[&document.node(id).parent]),
            tag: document.name(id).map_or_else(String::new, |name| name.to_string()),
            names: named.map(|(name, value)| format!("{name}={value}")).collect(),
        }
    };
    (all.iter().map(of).collect(), nodes.iter().map(|node| number_of[node]).collect())
}

/// Names of an element are used if they are on at least this share of the pages that have its most common name.
/// Rarer names, such as the categories of a post, would give each category a layout of its own.
const COMPANION: (u32, u32) = (4, 5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutes_for_names_depend_on_the_kind_only() {
        assert!(PRESENTATIONAL.iter().all(dom::ElementKinds::tell_by));
    }
}
