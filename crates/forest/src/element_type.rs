//! What an element is called on every sibling page (§3.2, definitions 2 and 3).

use std::hash::Hasher;

use dom::{Document, Element, NodeId};
use model::ElementType;
use xxhash_rust::xxh3::Xxh3Default;

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

/// The tolerant form of an attribute value: its first token without digits (§3.2).
fn tolerant(value: &str) -> impl Iterator<Item = char> + '_ {
    let token = value.split_whitespace().next().unwrap_or_default();
    token.chars().filter(|c| !c.is_numeric())
}

/// The element type (definition 2): tag and all attributes in tolerant form, or the depth-first
/// position where there are none.
pub fn element_type(element: Element<'_>, position: u32) -> ElementType {
    let mut attributes: Vec<(String, String)> = element
        .attributes()
        .map(|(name, value)| (name.to_string(), tolerant(value).collect()))
        .collect();
    attributes.sort();
    let dfs = attributes.is_empty().then_some(position);
    ElementType { tag: element.name.to_string(), attributes, dfs }
}

/// A hash of element type and level: the identity of a structural pattern (definition 3).
pub(crate) fn pattern_key(document: &Document, id: NodeId, position: u32) -> Option<u64> {
    let element = document.element(id)?;
    // Attribute order differs between pages: a sum of hashes does not depend on it.
    let mut sum = 0u64;
    for (name, value) in element.attributes() {
        let mut hasher = Xxh3Default::new();
        hasher.update(name.as_bytes());
        hasher.write_u8(0xff);
        let mut buffer = [0; 4];
        for c in tolerant(value) {
            hasher.update(c.encode_utf8(&mut buffer).as_bytes());
        }
        sum = sum.wrapping_add(hasher.digest() | 1);
    }
    let mut hasher = Xxh3Default::new();
    hasher.update(element.name.as_bytes());
    hasher.write_u8(0xff);
    hasher.write_u16(document.node(id).level);
    hasher.write_u64(if sum == 0 { u64::from(position) << 1 } else { sum });
    Some(hasher.digest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_is_tolerant() {
        let two = dom::parse("<div class='post wrapper-02'>x</div>");
        let nine = dom::parse("<div class='post wrapper-09'>x</div>");
        let div = |d: &Document| d.ids().find(|&i| d.is(i, &dom::local_name!("div"))).unwrap();
        let (a, b) = (two.element(div(&two)).unwrap(), nine.element(div(&nine)).unwrap());
        assert_eq!(element_type(a, 3), element_type(b, 8));
        assert_eq!(element_type(a, 3).attributes, [("class".into(), "post".into())]);
        assert_eq!(pattern_key(&two, div(&two), 3), pattern_key(&nine, div(&nine), 8));
    }

    #[test]
    fn attribute_order_does_not_matter_but_position_does_without_any() {
        let d = dom::parse("<p id=a class=b>1</p><p class=b id=a>2</p><p>3</p><p>4</p>");
        let p: Vec<_> = d.ids().filter(|&i| d.is(i, &dom::local_name!("p"))).collect();
        let key = |i: usize| pattern_key(&d, p[i], positions(&d)[p[i] as usize]);
        assert_eq!(key(0), key(1));
        assert_ne!(key(2), key(3));
        assert_eq!(element_type(d.element(p[2]).unwrap(), 4).dfs, Some(4));
    }
}
