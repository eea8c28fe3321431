/*!
Density of text along the page: Arias, Deschacht and Moens, Language independent content extraction
from web pages (2009).

The page becomes a list of strings: text is added to the last string, and each tag that modifies the
structure begins a new one. The region around the longest string is the content.

Interpretation. A tag modifies the structure if it breaks a line (see [`dom::is_inline`]). Taken literally,
each such tag adds a string, even an empty one, and empty strings count in distances: then wrappers,
images and `<br><br>` alone put neighbouring paragraphs too far apart. [`StringList::Filled`], the
default here, omits empty strings, and ends a string where its element ends;
[`StringList::AsPrinted`] follows the paper. The length of a string is its number of characters, with a run
of white space counted as one. O(n).
*/

use dom::{Document, NodeId, is_inline};
use serde::{Deserialize, Serialize};

use crate::text::{body, is_blank, length};

/// How the list of strings is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StringList {
    /// Every structural start tag begins a string; strings may be empty.
    AsPrinted,
    /// Structural start and end tags separate strings; none is empty.
    Filled,
}

/// Parameters.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DensityConfig {
    /// How the list of strings is built.
    pub strings: StringList,
    /// Strings longer than this share of the longest one join the region (`c1`)…
    pub cutoff: f64,
    /// …if they are closer than this to a string in the region (`c2`).
    pub distance: usize,
}

impl DensityConfig {
    /// c1 = 0.333, c2 = 4, over non-empty strings.
    pub const PUBLISHED: Self = Self { strings: StringList::Filled, cutoff: 0.333, distance: 4 };
    /// The published parameters over the list of strings as printed.
    pub const AS_PRINTED: Self = Self { strings: StringList::AsPrinted, ..Self::PUBLISHED };
}

/// The texts of the densest region, from its leftmost to its rightmost string.
pub fn density(document: &Document, config: &DensityConfig) -> Vec<NodeId> {
    let strings = strings(document, config.strings);
    let lengths: Vec<u32> = strings
        .iter()
        .map(|string| string.iter().map(|&id| length(document.text(id).unwrap_or_default())).sum())
        .collect();
    let Some((left, right)) = region(&lengths, config) else { return Vec::new() };
    strings[left..=right].concat()
}

/// The list `L`: text nodes, string by string.
fn strings(document: &Document, kind: StringList) -> Vec<Vec<NodeId>> {
    let mut strings = vec![Vec::new()];
    let is_structural = |id| document.name(id).is_some_and(|name| !is_inline(name));
    // Ends of the structural elements around the current node.
    let mut open: Vec<NodeId> = Vec::new();
    for id in document.subtree(body(document)).skip(1) {
        while open.pop_if(|end| *end <= id).is_some() {
            if kind == StringList::Filled {
                strings.push(Vec::new());
            }
        }
        if is_structural(id) {
            strings.push(Vec::new());
            open.push(document.node(id).end);
        } else if document.text(id).is_some_and(|text| !is_blank(text))
            && let Some(last) = strings.last_mut()
        {
            last.push(id);
        }
    }
    if kind == StringList::Filled {
        strings.retain(|string| !string.is_empty());
    }
    strings
}

/// First and last string of the region `R` that grows from the longest string, or the first one of that length; `None` if
/// all are empty.
fn region(lengths: &[u32], config: &DensityConfig) -> Option<(usize, usize)> {
    let longest = *lengths.iter().max()?;
    let start = lengths.iter().position(|&l| l == longest && l > 0)?;
    let long = |at: usize| f64::from(lengths[at]) > f64::from(longest) * config.cutoff;
    // A string close to one in the region is close to its outermost string, or is inside the region.
    let grow = |places: &mut dyn Iterator<Item = usize>| {
        let mut edge = start;
        for at in places {
            if at.abs_diff(edge) >= config.distance {
                break;
            }
            if long(at) {
                edge = at;
            }
        }
        edge
    };
    Some((grow(&mut (0..start).rev()), grow(&mut (start + 1..lengths.len()))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::texts;

    #[test]
    fn regions() {
        let region = |lengths: &[u32]| region(lengths, &DensityConfig::PUBLISHED);
        assert_eq!(region(&[0, 0]), None);
        assert_eq!(region(&[]), None);
        assert_eq!(region(&[9, 9]), Some((0, 1)), "grows from the first of equals");
        // cutoffL = 100 · 0.333 = 33.3: 34 is longer, 33 is not.
        assert_eq!(region(&[34, 100, 33]), Some((0, 1)));
        // |i − j| < 4: indices differ by 3 at most.
        assert_eq!(region(&[100, 0, 0, 50, 0, 0, 50, 0, 0, 0, 50]), Some((0, 6)));
        assert_eq!(region(&[50, 0, 0, 100, 0, 0, 0, 50]), Some((0, 3)));
    }

    /// Calculated manually: body (0), h1 (5), div (0), p (33 + 4), br (24), ul (0), li (4), li (4),
    /// p (34). Longest 37, cutoff 12.3. As printed the region grows by one to the right; the last p
    /// is four strings further, too far. Without the empty strings it is three further and joins,
    /// including the menu between. To the left there is no long string.
    #[test]
    fn small_page() {
        let d = dom::parse(
            "<body><h1>Title</h1><div><p>Thirty-three characters are here. <b>Bold</b>\
             <br>Twenty-four stand here..</p><ul><li>menu<li>menu</ul></div>\
             <p>and thirty-four far down the page.",
        );
        let lengths = |kind| -> Vec<u32> {
            let of_string = |s: &Vec<NodeId>| s.iter().map(|&id| length(d.text(id).unwrap())).sum();
            strings(&d, kind).iter().map(of_string).collect()
        };
        assert_eq!(lengths(StringList::AsPrinted), [0, 5, 0, 37, 24, 0, 4, 4, 34]);
        assert_eq!(lengths(StringList::Filled), [5, 37, 24, 4, 4, 34]);
        let near = ["Thirty-three characters are here.", "Bold", "Twenty-four stand here.."];
        assert_eq!(texts(&d, &density(&d, &DensityConfig::AS_PRINTED)), near);
        let kept = texts(&d, &density(&d, &DensityConfig::PUBLISHED));
        assert_eq!(kept[..3], near);
        assert_eq!(kept[3..], ["menu", "menu", "and thirty-four far down the page."]);
        assert!(density(&dom::parse(""), &DensityConfig::PUBLISHED).is_empty());
    }
}
