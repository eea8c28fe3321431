//! Element types, which identify elements on every sibling page (§3.2, definitions 2 and 3).

use dom::{Document, Element, ElementKinds, LocalName, NodeId};
use model::ElementType;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Depth-first position of every node among elements, 1 for the root (the paper's `dfs`
/// attribute). Text nodes have the position of the element before them.
pub fn positions(document: &Document) -> Vec<u32> {
    let mut position = 0;
    document
        .nodes()
        .iter()
        .map(|node| {
            position += u32::from(node.name.is_some());
            position
        })
        .collect()
}

fn first_token(value: &str) -> impl Iterator<Item = u8> + '_ {
    value.trim_ascii_start().bytes().take_while(|b| !b.is_ascii_whitespace())
}

/// The tolerant form of an attribute value: its first token without digits (§3.2).
fn tolerant_text(value: &str) -> String {
    // Removing ASCII bytes leaves valid UTF-8.
    String::from_utf8(first_token(value).filter(|b| !b.is_ascii_digit()).collect())
        .unwrap_or_default()
}

/// The attributes that recur from page to page, as hashes of name and tolerant value.
///
/// Names that are generated for each page (`sc-8f3a1c`) cannot identify anything on a sibling page,
/// so the element types here omit them. The paper does not: its tolerant form handles only numbers.
#[derive(Clone, Debug)]
pub struct Recurring(FxHashSet<u64>);

impl Recurring {
    /// Finds the attributes that at least two of the pages have; with a single page, all of them.
    pub fn of<'a>(documents: impl Iterator<Item = &'a Document>) -> Self {
        // For each attribute, the last page it was seen on, and whether that was at least the
        // second.
        let mut seen: FxHashMap<u64, (u32, bool)> = FxHashMap::default();
        let mut pages = 0;
        for document in documents {
            pages += 1;
            seen.reserve(document.kinds().all().len());
            let mut see = |name, value| {
                let entry = seen.entry(attribute_hash(name, value)).or_insert((pages, false));
                entry.1 |= entry.0 != pages;
            };
            // Attributes common to the elements of one kind are read once.
            for element in document.kinds().all().iter().filter_map(|k| document.element(k.first)) {
                let alike = element.attributes().filter(|(name, _)| ElementKinds::tell_by(name));
                alike.for_each(|(name, value)| see(name, value));
            }
            for element in document.ids().filter_map(|id| document.element(id)) {
                let own = element.attributes().filter(|(name, _)| !ElementKinds::tell_by(name));
                own.for_each(|(name, value)| see(name, value));
            }
        }
        let recurs = |&(_, (_, twice)): &(u64, (u32, bool))| twice || pages == 1;
        Self(seen.into_iter().filter(recurs).map(|(hash, _)| hash).collect())
    }

    fn has(&self, name: &LocalName, value: &str) -> bool {
        self.0.contains(&attribute_hash(name, value))
    }
}

fn attribute_hash(name: &LocalName, value: &str) -> u64 {
    let mut hash = name.get_hash();
    // Hashed in one piece if possible: most values fit into the buffer.
    let mut stable = [0u8; 128];
    let mut len = 0;
    for byte in first_token(value) {
        // Branchless, because the positions of digits are unpredictable.
        stable[len] = byte;
        len += usize::from(!byte.is_ascii_digit());
        if len == stable.len() {
            hash = xxh3_64_with_seed(&stable, hash);
            len = 0;
        }
    }
    xxh3_64_with_seed(&stable[..len], hash)
}

/// The element type (definition 2): tag and recurring attributes in tolerant form, or the
/// depth-first position if there are none.
pub fn element_type(element: Element<'_>, position: u32, recurring: &Recurring) -> ElementType {
    let mut attributes: Vec<(String, String)> = element
        .attributes()
        .filter(|(name, value)| recurring.has(name, value))
        .map(|(name, value)| (name.to_string(), tolerant_text(value)))
        .collect();
    attributes.sort();
    let dfs = attributes.is_empty().then_some(position);
    ElementType { tag: element.name.to_string(), attributes, dfs }
}

/// Distinguishes the patterns of a page's elements (definition 3).
pub(crate) struct PatternKeys<'a> {
    document: &'a Document,
    recurring: &'a Recurring,
    /// For each kind, the sum over the attributes common to its elements, computed on first use.
    of_kinds: Vec<Option<u64>>,
}

impl<'a> PatternKeys<'a> {
    pub(crate) fn new(document: &'a Document, recurring: &'a Recurring) -> Self {
        let of_kinds = vec![None; document.kinds().all().len()];
        Self { document, recurring, of_kinds }
    }

    /// A hash of element type and level: the identity of a structural pattern.
    pub(crate) fn of(&mut self, id: NodeId, position: u32) -> Option<u64> {
        let Self { document, recurring, of_kinds } = self;
        let element = document.element(id)?;
        // Attribute order differs between pages; a sum of hashes does not depend on it.
        let sum_of = |told_by: bool| {
            let own =
                element.attributes().filter(|(name, _)| ElementKinds::tell_by(name) == told_by);
            let hashes = own.map(|(name, value)| attribute_hash(name, value));
            let recur = hashes.filter(|hash| recurring.0.contains(hash));
            recur.fold(0u64, |sum, hash| sum.wrapping_add(hash | 1))
        };
        let kind = document.kinds().of_nodes()[id as usize] as usize;
        let alike = *of_kinds[kind].get_or_insert_with(|| sum_of(true));
        let sum = alike.wrapping_add(sum_of(false));
        let attributes = if sum == 0 { u64::from(position) << 1 } else { sum };
        let mut which = [0u8; 10];
        which[..2].copy_from_slice(&document.node(id).level.to_le_bytes());
        which[2..].copy_from_slice(&attributes.to_le_bytes());
        Some(xxh3_64_with_seed(element.name.as_bytes(), xxh3_64_with_seed(&which, 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(name: &str, document: &Document) -> Vec<NodeId> {
        document.ids().filter(|&i| document.name(i).is_some_and(|n| &**n == name)).collect()
    }

    #[test]
    fn the_papers_example_is_tolerant() {
        let pages =
            ["02", "09"].map(|n| dom::parse(&format!("<div class='post wrapper-{n}'>x</div>")));
        let recurring = Recurring::of(pages.iter());
        let types = pages.each_ref().map(|d| {
            let div = all("div", d)[0];
            (
                element_type(d.element(div).unwrap(), 3, &recurring),
                PatternKeys::new(d, &recurring).of(div, 3),
            )
        });
        assert_eq!(types[0], types[1]);
        assert_eq!(types[0].0.attributes, [("class".into(), "post".into())]);
    }

    #[test]
    fn names_that_do_not_recur_do_not_count() {
        let pages =
            ["a8f", "c3e"].map(|n| dom::parse(&format!("<div id=main class=sc-{n}>x</div>")));
        let recurring = Recurring::of(pages.iter());
        let of = |d: &Document| element_type(d.element(all("div", d)[0]).unwrap(), 3, &recurring);
        assert_eq!(of(&pages[0]), of(&pages[1]));
        assert_eq!(of(&pages[0]).attributes, [("id".into(), "main".into())]);
    }

    #[test]
    fn attribute_order_does_not_matter_but_position_does_without_any() {
        let d = dom::parse("<p id=a class=b>1</p><p class=b id=a>2</p><p>3</p><p>4</p>");
        let recurring = Recurring::of(std::iter::once(&d));
        let p = all("p", &d);
        let mut keys = PatternKeys::new(&d, &recurring);
        let mut key = |i: usize| keys.of(p[i], positions(&d)[p[i] as usize]);
        assert_eq!(key(0), key(1));
        assert_ne!(key(2), key(3));
        assert_eq!(element_type(d.element(p[2]).unwrap(), 4, &recurring).dfs, Some(4));
    }
}
