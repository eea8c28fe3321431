//! Tag paths: what an element is called from the root down, as hashes.

use crate::{Document, Element};

/// The tokens of a `class` attribute (or any space-separated one), in order.
pub fn class_tokens(value: &str) -> impl Iterator<Item = &str> {
    value.split_ascii_whitespace()
}

/// The part of an id or class token that can be expected to recur: digits, and what generators
/// put beside them, taken out; `None` if nothing is left (`post-1234` → `post`, `123` → `None`).
pub fn stable_token(token: &str) -> Option<String> {
    let letters: String = token.chars().filter(|c| !c.is_ascii_digit()).collect();
    let stable = letters.trim_matches(|c| c == '-' || c == '_' || c == ':');
    (!stable.is_empty()).then(|| stable.to_owned())
}

/// For each node the hash of its path: its own label after its parent's path. Text nodes have the
/// path of their parent. The labels decide what tells two elements apart; equal sequences of
/// labels from the root give equal hashes on every page. O(n).
pub fn path_hashes(document: &Document, mut label: impl FnMut(Element<'_>) -> u64) -> Vec<u64> {
    let mut hashes: Vec<u64> = Vec::with_capacity(document.len());
    for id in document.ids() {
        let above = document.parent(id).map_or(0, |parent| hashes[parent as usize]);
        hashes.push(match document.element(id) {
            Some(element) => mix(above, label(element)),
            None => above,
        });
    }
    hashes
}

/// Joins two hashes, order-sensitively (the finaliser of MurmurHash3 over a multiply-add).
fn mix(above: u64, own: u64) -> u64 {
    let mut h = above.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(own);
    h ^= h >> 33;
    h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
    h ^= h >> 33;
    h
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn numbers_and_their_separators_go() {
        assert_eq!(stable_token("post-1234").as_deref(), Some("post"));
        assert_eq!(stable_token("wrapper-02").as_deref(), Some("wrapper"));
        assert_eq!(stable_token("2013"), None);
    }

    #[test]
    fn equal_paths_have_equal_hashes() {
        let a = parse("<body><div><p>one</p><p>two</p></div>");
        let hashes = path_hashes(&a, |e| e.name.len() as u64);
        let p: Vec<_> = a.ids().filter(|&i| a.is(i, &html5ever::local_name!("p"))).collect();
        assert_eq!(hashes[p[0] as usize], hashes[p[1] as usize]);
        assert_ne!(hashes[p[0] as usize], hashes[0]);
    }
}
