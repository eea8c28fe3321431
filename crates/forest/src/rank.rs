//! Ranking structural patterns over sibling pages (§3.4, algorithm 1).

use std::collections::BTreeSet;

use dom::{Document, NodeId, PrefixSums};
use model::{PatternScore, StructuralPattern};
use rustc_hash::FxHashMap;

use crate::counts::SignifierCounts;
use crate::element_type::{PatternKeys, Recurring, element_type, positions};
use crate::measure::{coverage, informativeness, jeffreys_density, relevance, unexpectedness};

/// One sibling page with its signifiers counted.
#[derive(Clone, Copy, Debug)]
pub struct CountedSibling<'a> {
    /// The page.
    pub document: &'a Document,
    /// Its terms and signifiers.
    pub counts: &'a SignifierCounts<'a>,
}

/// The value of a pattern on one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternMeasure {
    /// I = J · U, the paper's measure (equation 4).
    Informativeness,
    /// J alone (Figure 7).
    Density,
    /// U alone (Figure 7).
    Unexpectedness,
    /// The baseline of §3.5 (equation 6).
    Coverage,
}

/// What `p` of equation 5 counts, and how often a page's value is added to the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// Pages in which the pattern is significant (84.3 F1 against 81.5 for paths in the prototype,
    /// with tf-idf signifiers).
    Pages,
    /// Significant terminal paths through the pattern's elements, as in equation 5. Signifiers of a
    /// feed are the words of the headline: counted by pages, the headline alone would be denser and
    /// more unexpected than any article below it.
    Paths,
}

/// The element of a pattern with the highest value on one page.
struct Best {
    value: f64,
    node: NodeId,
    x: u32,
    y: u32,
    paths: u32,
    positions: Vec<u32>,
}

#[derive(Default)]
struct Sums {
    score: PatternScore,
    sum: f64,
    paths: u32,
    positions: BTreeSet<u32>,
    /// A page and a node to read the element type from.
    example: Option<(usize, NodeId, u32)>,
}

/// Ranks all structural patterns that are significant on any of the pages, best first. Ties are
/// broken by depth (deeper first), then by element type.
///
/// Takes two or more siblings of one layout (with one, every pattern has p = 1 and the ranking is
/// poor). An element counts on a page if its text contains a signifier. What `p` counts is given by
/// [`Frequency`]. If a page has several elements of a pattern, the value is that of the most
/// informative one (85.4 against 84.3 for their union). Figures: the prototype on 714 pages of 78
/// layouts. Linear in the nodes of the pages.
pub fn rank(
    siblings: &[CountedSibling<'_>],
    recurring: &Recurring,
    measure: PatternMeasure,
    frequency: Frequency,
) -> Vec<StructuralPattern> {
    let mut patterns: FxHashMap<u64, Sums> = FxHashMap::default();
    for (page, sibling) in siblings.iter().enumerate() {
        for (key, best) in best_elements(sibling, recurring, measure) {
            let sums = patterns.entry(key).or_default();
            let (page_x, page_y) = sibling.counts.page();
            sums.sum += match frequency {
                Frequency::Pages => best.value,
                Frequency::Paths => best.value * f64::from(best.paths),
            };
            sums.paths += best.paths;
            sums.score.pages += 1;
            sums.score.x += best.x;
            sums.score.y += best.y;
            sums.score.j += jeffreys_density(best.x, best.y);
            sums.score.u += unexpectedness(best.x, best.y, page_x, page_y);
            let position = best.positions.first().copied().unwrap_or_default();
            sums.example.get_or_insert((page, best.node, position));
            sums.positions.extend(best.positions);
        }
    }
    let mut keys: Vec<u64> = patterns.keys().copied().collect();
    keys.sort_unstable();
    let mut ranked: Vec<StructuralPattern> = keys
        .iter()
        .filter_map(|key| patterns.remove(key))
        .filter_map(|sums| finish(sums, siblings, recurring, frequency))
        .collect();
    ranked.sort_by(|a, b| {
        (b.score.relevance.total_cmp(&a.score.relevance))
            .then(b.level.cmp(&a.level))
            .then_with(|| a.element.cmp(&b.element))
    });
    ranked
}

fn finish(
    sums: Sums,
    siblings: &[CountedSibling<'_>],
    recurring: &Recurring,
    frequency: Frequency,
) -> Option<StructuralPattern> {
    let (page, node, position) = sums.example?;
    let document = siblings[page].document;
    let level = u32::from(document.node(node).level);
    let pages = f64::from(sums.score.pages);
    let p = match frequency {
        Frequency::Pages => sums.score.pages,
        Frequency::Paths => sums.paths,
    };
    Some(StructuralPattern {
        element: element_type(document.element(node)?, position, recurring),
        level,
        positions: sums.positions.into_iter().collect(),
        score: PatternScore {
            j: sums.score.j / pages,
            u: sums.score.u / pages,
            i: sums.sum,
            relevance: relevance(sums.sum, p, level),
            ..sums.score
        },
    })
}

/// For each pattern on a page its most informative element, sorted by pattern.
fn best_elements(
    sibling: &CountedSibling<'_>,
    recurring: &Recurring,
    measure: PatternMeasure,
) -> Vec<(u64, Best)> {
    let CountedSibling { document, counts } = *sibling;
    let (page_x, page_y) = counts.page();
    let dfs = positions(document);
    let significant = PrefixSums::new(document, |id| {
        u32::from(document.text(id).is_some() && counts.of(document, id).0 > 0)
    });
    let mut keys = PatternKeys::new(document, recurring);
    let mut found: FxHashMap<u64, Best> = FxHashMap::default();
    // The text of the root is the whole page, which carries no information (U = 0).
    let mut id = 1;
    while (id as usize) < document.len() {
        let (x, y) = counts.of(document, id);
        if x == 0 {
            // Nothing below this element is significant either.
            id = document.node(id).end;
            continue;
        }
        if let Some(key) = keys.of(id, dfs[id as usize]) {
            let value = match measure {
                PatternMeasure::Informativeness => informativeness(x, y, page_x, page_y),
                PatternMeasure::Density => jeffreys_density(x, y),
                PatternMeasure::Unexpectedness => unexpectedness(x, y, page_x, page_y),
                PatternMeasure::Coverage => {
                    let (weights, all, number) = counts.coverage_of(document, id);
                    coverage(weights, all, number)
                }
            };
            let position = dfs[id as usize];
            let paths = significant.sum(document, id);
            let new = |positions| Best { value, node: id, x, y, paths, positions };
            let best = found.entry(key).or_insert_with(|| new(Vec::with_capacity(1)));
            best.positions.push(position);
            if value > best.value {
                *best = new(std::mem::take(&mut best.positions));
            }
        }
        id += 1;
    }
    let mut best: Vec<_> = found.into_iter().collect();
    best.sort_unstable_by_key(|b| b.0);
    best
}

/// The elements of a page that a pattern designates, in document order and without overlap: those
/// of its type at its level; for a type without attributes, at one of its possible positions
/// (algorithm 1, `fullXPathClue`). The paper requires a known position for elements with attributes
/// too. That ties a wrapper to the pages it was learnt from, and costs 0.1 F1 on the development
/// pages.
pub fn elements_of(
    pattern: &StructuralPattern,
    document: &Document,
    recurring: &Recurring,
) -> Vec<NodeId> {
    let mut position = 0;
    let mut elements = Vec::new();
    let mut end = 0;
    for id in document.ids() {
        position += u32::from(document.name(id).is_some());
        if id < end || u32::from(document.node(id).level) != pattern.level {
            continue;
        }
        let Some(element) = document.element(id) else { continue };
        // The element type is checked last, because it is the most expensive to compute.
        if **element.name == *pattern.element.tag
            && (pattern.element.dfs.is_none() || pattern.positions.binary_search(&position).is_ok())
            && element_type(element, position, recurring) == pattern.element
        {
            elements.push(id);
            end = document.node(id).end;
        }
    }
    elements
}
