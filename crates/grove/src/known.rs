//! The patterns of further pages by what their elements are called as written: most names of a site's
//! pages are, letter by letter, names that its sample has.

use std::hash::{Hash, Hasher};

use dom::{Document, Element, local_name};
use rustc_hash::{FxHashMap, FxHasher};
use xxhash_rust::xxh3::xxh3_64;

use crate::patterns::{LOOKS, PatternId, Patterns, UNKNOWN};

/// Patterns by the one above and an element's tag and names as written. A memory of what
/// [`Patterns::find`] gives, at a fraction of its cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    below: FxHashMap<(PatternId, u64), PatternId>,
}

impl Known {
    /// Learns the names of a page whose patterns are known.
    pub(crate) fn learn(&mut self, page: &Document, of_nodes: &[PatternId]) {
        for element in page.ids().filter_map(|id| page.element(id)) {
            let above = above(page, element, of_nodes);
            self.below.insert((above, as_written(element)), of_nodes[element.id as usize]);
        }
    }

    /// The patterns of a page's nodes: what [`Patterns::find`] gives.
    pub(crate) fn find(&self, patterns: &Patterns, page: &Document) -> Vec<PatternId> {
        let mut found: Vec<PatternId> = Vec::with_capacity(page.len());
        for id in page.ids() {
            let pattern = match page.element(id) {
                None if id == 0 => UNKNOWN,
                None => found[page.node(id).parent as usize],
                Some(element) => {
                    let above = above(page, element, &found);
                    if id != 0 && above == UNKNOWN {
                        UNKNOWN
                    } else {
                        let known = self.below.get(&(above, as_written(element))).copied();
                        known.unwrap_or_else(|| patterns.below(above, element))
                    }
                }
            };
            found.push(pattern);
        }
        found
    }
}

fn above(page: &Document, element: Element<'_>, of_nodes: &[PatternId]) -> PatternId {
    match element.id {
        0 => UNKNOWN,
        id => of_nodes[page.node(id).parent as usize],
    }
}

/// A hash of the tag and of all that patterns tell elements by, before anything is left out of it.
fn as_written(element: Element<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    element.name.hash(&mut hasher);
    for (name, value) in element.attributes() {
        let tells = *name == local_name!("class") || *name == local_name!("id");
        if tells || LOOKS.contains(name) {
            name.hash(&mut hasher);
            hasher.write_u64(xxh3_64(value.as_bytes()));
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_patterns_find() {
        let sample = [
            "<body class='single post-12'><div id=a class='x y'><p>a<p class=lead>b</div>",
            "<body><div class='y x' id=a><p class=lead>b<ul><li width=3>c</ul></div>",
            "<body><div class=side><p>c</div><table><tr><td width=120>d<td>e</table>",
        ];
        let others = [
            "<body class='single post-7'><div class='x y' id=a><p>a<b>b</b><p class='lead new'>c</div>",
            "<body><section><p>z</section><div id=a2 class='y x'><p class=lead>q</div>",
            "<table><tr><td width=99>d<td width=120>e<td>f</table><div class=' side '>g</div>",
        ];
        let parsed: Vec<Document> = sample.iter().map(|html| dom::parse(html)).collect();
        let (patterns, of_nodes) = Patterns::of(&parsed.iter().collect::<Vec<_>>());
        let mut known = Known::default();
        parsed.iter().zip(&of_nodes).for_each(|(page, own)| known.learn(page, own));
        for html in sample.iter().chain(&others) {
            let page = dom::parse(html);
            assert_eq!(known.find(&patterns, &page), patterns.find(&page), "{html}");
        }
    }
}
