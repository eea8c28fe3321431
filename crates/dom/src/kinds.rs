//! Kinds of elements of a page: elements with the same tag, names and appearance.

use std::sync::LazyLock;

use html5ever::LocalName;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::names::{is_block, is_inline};
use crate::{Document, NodeId};

/// The kinds of elements of a page. Elements of one kind have the same tag, and the same values, in
/// the same order, of all attributes that identify an element or describe its appearance. There are
/// far fewer kinds than elements, so what depends only on tag and names is computed once per kind.
#[derive(Clone, Debug, Default)]
pub struct ElementKinds {
    of_nodes: Vec<u32>,
    kinds: Vec<ElementKind>,
}

/// A kind of element.
#[derive(Clone, Copy, Debug)]
pub struct ElementKind {
    /// The first element of the kind.
    pub first: NodeId,
    /// A hash of tag, attributes and values; the same on every page.
    pub hash: u64,
    /// Whether its elements never break the line (`true`) or always do; `None` if their name does not decide.
    pub(crate) is_inline: Option<bool>,
}

impl ElementKinds {
    /// The kind number of text nodes.
    pub const TEXT: u32 = u32::MAX;

    /// Determines the kinds of a page. Linear in nodes and attributes.
    pub(crate) fn of(document: &Document) -> Self {
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        let mut kinds: Vec<ElementKind> = Vec::new();
        let of_node = |id: NodeId| {
            let Some(name) = document.name(id) else { return Self::TEXT };
            let mut hash = name.get_hash();
            for attribute in &document.attributes[document.node(id).span.range()] {
                if Self::tell_by(&attribute.name) {
                    let value = xxh3_64(document.values[attribute.value.range()].as_bytes());
                    hash = mixed(mixed(hash, attribute.name.get_hash()), value);
                }
            }
            *numbers.entry(hash).or_insert_with(|| {
                let is_inline = match is_inline(name) {
                    true => Some(true),
                    false => is_block(name).then_some(false),
                };
                kinds.push(ElementKind { first: id, hash, is_inline });
                kinds.len() as u32 - 1
            })
        };
        let of_nodes = document.ids().map(of_node).collect();
        Self { of_nodes, kinds }
    }

    /// The number of the kind of each node; [`ElementKinds::TEXT`] for text.
    #[inline]
    pub fn of_nodes(&self) -> &[u32] {
        &self.of_nodes
    }

    /// All kinds by number, in the order of their first elements.
    #[inline]
    pub fn all(&self) -> &[ElementKind] {
        &self.kinds
    }

    /// Whether elements with different values of this attribute are of different kinds: it
    /// identifies an element or describes its appearance, which is all there is on very old pages.
    pub fn tell_by(name: &LocalName) -> bool {
        match *name {
            local_names!(
                "href" "src" "alt" "title" "style" "target" "srcset" "sizes" "type"
            ) => false,
            local_names!(
                "class" "id" "itemprop" "itemtype" "role" "property" "name" "rel" "aria-label"
                "align" "valign" "width" "height" "bgcolor" "border" "cellpadding" "cellspacing"
                "face" "size"
            ) => true,
            _ => OTHERS.contains(name),
        }
    }
}

/// Attribute names for which the parser has no constants.
static OTHERS: LazyLock<[LocalName; 8]> = LazyLock::new(|| {
    [
        "typeof", "data-testid", "data-component", "data-type", "data-role", "data-module",
        "data-block", "data-qa",
    ]
    .map(LocalName::from)
});

fn mixed(hash: u64, with: u64) -> u64 {
    (hash.rotate_left(29) ^ with).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn elements_written_alike_are_of_one_kind() {
        let page = parse(
            "<p class='a b' href=1>x</p><p class='a b' href=2>y</p><p class='b a'>z</p>\
             <p id='a b'>u</p><div class='a b'>v</div><p data-qa=k>w</p><p>x</p>",
        );
        let kinds = page.kinds();
        let mut of_elements: Vec<u32> = kinds.of_nodes().to_vec();
        assert_eq!(of_elements.len(), page.len());
        of_elements.retain(|&kind| kind != ElementKinds::TEXT);
        // html, body, then the elements above.
        assert_eq!(of_elements, [0, 1, 2, 2, 3, 4, 5, 6, 7]);
        for (number, kind) in kinds.all().iter().enumerate() {
            assert_eq!(kinds.of_nodes()[kind.first as usize] as usize, number);
        }
        let texts = page.ids().filter(|&id| page.text(id).is_some());
        assert!(texts.into_iter().all(|id| kinds.of_nodes()[id as usize] == ElementKinds::TEXT));
    }

    #[test]
    fn hashes_are_the_same_on_every_page() {
        let (one, other) = (parse("<p class=a>x"), parse("<b>y</b><p href=x class=a>z"));
        let of = |page: &Document| {
            let named = |id: &NodeId| page.is(*id, &crate::local_name!("p"));
            let p = page.ids().find(named).unwrap();
            page.kinds().all()[page.kinds().of_nodes()[p as usize] as usize].hash
        };
        assert_eq!(of(&one), of(&other));
    }
}
