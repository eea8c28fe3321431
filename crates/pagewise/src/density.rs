/*!
Density of text along the page: Arias, Deschacht and Moens, Language independent content extraction
from web pages (2009).

The page becomes a list of strings: text is added to the last string, and each tag that modifies the
structure begins a new one. The region around the longest string is the content.

Readings. A tag modifies the structure if it breaks a line ([`dom::is_inline`] tells); only start
tags count, as the paper's parser visits nodes; so strings may be empty, and count in distances.
The length of a string is its characters, a run of white space being one. O(n).
*/

use dom::{Document, NodeId, is_inline};

use crate::kept::body;
use crate::text::{is_blank, length};

/// Parameters.
#[derive(Clone, Copy, Debug)]
pub struct DensityConfig {
    /// Strings longer than this share of the longest join the region (`c1`)…
    pub cutoff: f64,
    /// …if they are nearer than this to one in it (`c2`).
    pub distance: usize,
}

impl DensityConfig {
    /// c1 = 0.333, c2 = 4.
    pub const PUBLISHED: Self = Self { cutoff: 0.333, distance: 4 };
}

/// The texts of the densest region, from its leftmost to its rightmost string.
pub fn density(document: &Document, config: &DensityConfig) -> Vec<NodeId> {
    let strings = strings(document);
    let lengths: Vec<u32> = strings
        .iter()
        .map(|string| string.iter().map(|&id| length(document.text(id).unwrap_or_default())).sum())
        .collect();
    let Some((left, right)) = region(&lengths, config) else { return Vec::new() };
    strings[left..=right].concat()
}

/// The list `L`: text nodes, string by string.
fn strings(document: &Document) -> Vec<Vec<NodeId>> {
    let v = std::env::var("DV").unwrap_or_default();
    let mut strings = vec![Vec::new()];
    let mut open: Vec<NodeId> = Vec::new();
    for id in document.subtree(body(document)).skip(1) {
        if v.contains('e') { while open.pop_if(|e| *e <= id).is_some() { strings.push(Vec::new()); } }
        match (document.text(id), document.name(id)) {
            (Some(text), _) if !is_blank(text) => {
                if let Some(last) = strings.last_mut() {
                    last.push(id);
                }
            }
            (_, Some(name)) if !is_inline(name) => { strings.push(Vec::new()); if &**name != "br" { open.push(document.node(id).end); } },
            _ => {}
        }
    }
    if v.contains('d') { strings.retain(|s| !s.is_empty()); }
    if v.contains('1') { strings.dedup_by(|a, b| a.is_empty() && b.is_empty()); }
    strings
}

/// First and last string of the region `R` that grows from the longest string, of equals the
/// first; `None` if all are empty.
fn region(lengths: &[u32], config: &DensityConfig) -> Option<(usize, usize)> {
    let longest = *lengths.iter().max()?;
    let start = lengths.iter().position(|&l| l == longest && l > 0)?;
    let long = |at: usize| f64::from(lengths[at]) > f64::from(longest) * config.cutoff;
    // A string near one in the region is near its outermost one or lies within it.
    let (mut left, mut right) = (start, start);
    for at in start + 1..lengths.len() {
        if at - right >= config.distance {
            break;
        }
        if long(at) {
            right = at;
        }
    }
    for at in (0..start).rev() {
        if left - at >= config.distance {
            break;
        }
        if long(at) {
            left = at;
        }
    }
    Some((left, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::tests::texts;

    #[test]
    fn regions() {
        let region = |lengths: &[u32]| region(lengths, &DensityConfig::PUBLISHED);
        assert_eq!(region(&[0, 0]), None);
        assert_eq!(region(&[]), None);
        assert_eq!(region(&[9, 9]), Some((0, 1)), "grows from the first of equals");
        // cutoffL = 100 · 0.333 = 33.3: 34 is longer, 33 is not.
        assert_eq!(region(&[34, 100, 33]), Some((0, 1)));
        // |i − j| < 4: three strings may lie between… no: indices differ by 3 at most.
        assert_eq!(region(&[100, 0, 0, 50, 0, 0, 50, 0, 0, 0, 50]), Some((0, 6)));
        assert_eq!(region(&[50, 0, 0, 100, 0, 0, 0, 50]), Some((0, 3)));
    }

    /// By hand: h1 "Title" (5), div (0), p (33 + 1 + 4, with its bold), br (24), ul (0), li (4),
    /// li (4), p (34). Longest 38, cutoff 12.65: the region grows to the string after `<br>`, one
    /// on; the last p is four strings further, too far. To the left nothing is long.
    #[test]
    fn small_page() {
        let d = dom::parse(
            "<body><h1>Title</h1><div><p>Thirty-three characters are here. <b>Bold</b>\
             <br>Twenty-four stand here..</p><ul><li>menu<li>menu</ul></div>\
             <p>and thirty-four far down the page.",
        );
        let lengths: Vec<u32> = strings(&d)
            .iter()
            .map(|s| s.iter().map(|&id| length(d.text(id).unwrap())).sum())
            .collect();
        assert_eq!(lengths, [0, 5, 0, 37, 24, 0, 4, 4, 34]);
        let kept = density(&d, &DensityConfig::PUBLISHED);
        assert_eq!(
            texts(&d, &kept),
            ["Thirty-three characters are here.", "Bold", "Twenty-four stand here.."]
        );
        assert!(density(&dom::parse(""), &DensityConfig::PUBLISHED).is_empty());
    }
}
