/*!
Main content in R⁴: Alarte and Silva, page-level main content extraction from heterogeneous webpages
(2022).

Every element that could be a container of the content is a point whose coordinates are four ratios
(Definition 3.1), standardised (Definition 3.2). Most elements of a page are alike, so the points
farthest from the centroid (Algorithms 1 and 2) are candidates. The one with most text relative to its
tags is the content, with its siblings among the candidates (Algorithms 3 and 4); groups of links inside
it are removed (Algorithm 5).

Interpretation. `depth(n)` in the position ratio is the depth of `n`, as the text says ("located in the
first half of the DOM tree"), not that of its subtree; the body has depth 1. A hyperlink is `<a href>`; the
standard deviation is that of a sample. Criterion 3 is taken literally: depth and children of the body
are counted in the elements "with the tagNames listed in bullet 2" (headings, links, rules and similar
elements, which are siblings in old pages), not in those that may be rated. Algorithm 4 takes all of
several equal nodes, as its description says. Algorithm 5 examines every element inside the content. Its
printed condition for siblings is evidently wrong (`found == false` removes the parent exactly where the
description forbids it), so the description is followed: the children of one element are removed if they
all have one name and contain only an `<a>`, without images.

O(n · depth), where the depth is due to the word ratio, which weighs a word by its distance to each
ancestor; the centroid takes O(n).
*/

use dom::{Document, LocalName, NodeId, PrefixSums, local_name};
use serde::{Deserialize, Serialize};

use crate::text::{body, is_blank, is_link, length, without};

/// Parameters, found on the authors' training pages (their Tables 1 and 2).
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EuclidConfig {
    /// Size of the set of candidates (`c`).
    pub candidates: usize,
    /// Elements whose text is more than this many times their text without links are removed
    /// (`tr`)…
    pub text_ratio: f64,
    /// …if they have more links than this (`hr`).
    pub links: u32,
}

impl EuclidConfig {
    /// c = 3, tr = 1.5, hr = 7.
    pub const PUBLISHED: Self = Self { candidates: 3, text_ratio: 1.5, links: 7 };
}

/// Returns the content without groups of links.
pub fn euclid(document: &Document, config: &EuclidConfig) -> Vec<NodeId> {
    let page = RatedPage::new(document);
    let selected = page.selected(config.candidates);
    let removed = page.link_groups(&selected, config);
    without(document, &selected, |id| removed[id as usize])
}

/// Elements that are not rated (criteria 1 and 2 of §3.1).
const UNRATED: [&str; 17] = [
    "html", "a", "nav", "undefined", "hr", "span", "em", "body", "script", "header", "h1", "h2",
    "h3", "h4", "h5", "br", "iframe",
];

fn may_be_rated(name: &LocalName) -> bool {
    !UNRATED.contains(&&**name)
}

struct RatedPage<'a> {
    document: &'a Document,
    body: NodeId,
    text: PrefixSums,
    link_text: PrefixSums,
    links: PrefixSums,
    tags: PrefixSums,
}

/// The four ratios of Definition 3.1.
type Point = [f64; 4];

impl<'a> RatedPage<'a> {
    fn new(document: &'a Document) -> Self {
        let (text, link_text) = PrefixSums::of_texts(document, length);
        Self {
            document,
            body: body(document),
            text,
            link_text,
            links: PrefixSums::new(document, |id| u32::from(is_link(document, id))),
            tags: PrefixSums::elements(document),
        }
    }

    fn sum(&self, of: &PrefixSums, id: NodeId) -> u32 {
        of.sum(self.document, id)
    }

    /// Depth of a node; the body's is 1.
    fn depth(&self, id: NodeId) -> u32 {
        u32::from(self.document.node(id).level - self.document.node(self.body).level) + 1
    }

    fn may_be_rated(&self, id: NodeId) -> bool {
        self.document.name(id).is_some_and(may_be_rated)
    }

    /// Algorithms 1 to 4: ascending, not overlapping.
    fn selected(&self, candidates: usize) -> Vec<NodeId> {
        let document = self.document;
        if self.is_wide() {
            return document.children(self.body).collect();
        }
        let rated: Vec<NodeId> = document
            .subtree(self.body)
            .filter(|&id| self.may_be_rated(id) && document.children(id).next().is_some())
            .collect();
        let mut points = self.points(&rated);
        standardise(&mut points);
        let set = farthest(&rated, &points, candidates);
        document.outermost(self.content_of(&self.reduced(&set)))
    }

    /// Criterion 3 of §3.1: old pages, which are mostly content.
    fn is_wide(&self) -> bool {
        let is_listed = |id| self.document.name(id).is_some_and(|name| !may_be_rated(name));
        let children = self.document.children(self.body).filter(|&id| is_listed(id)).count();
        // Number of listed elements on the path from the body to each node.
        let mut on_path = vec![0usize; self.document.len()];
        for id in self.document.subtree(self.body).skip(1) {
            let above = on_path[self.document.node(id).parent as usize];
            on_path[id as usize] = above + usize::from(is_listed(id));
        }
        on_path.into_iter().max().unwrap_or(0) < children
    }

    /// Definition 3.1.
    fn points(&self, rated: &[NodeId]) -> Vec<Point> {
        let document = self.document;
        let words = self.word_ratios();
        let deepest =
            document.subtree(self.body).map(|id| self.depth(id)).max().map_or(0.0, f64::from);
        let point = |&id: &NodeId| {
            let links = self.sum(&self.links, id);
            let depth = f64::from(self.depth(id));
            [
                words[id as usize],
                if links == 0 { 1.0 } else { 1.0 / f64::from(links) },
                if document.children(id).nth(2).is_some() { 1.0 } else { 0.0 },
                if depth <= deepest / 2.0 { 1.0 } else { deepest / depth - 1.0 },
            ]
        };
        rated.iter().map(point).collect()
    }

    /// For each element, the sum of words by distance over its texts outside links.
    fn word_ratios(&self) -> Vec<f64> {
        let document = self.document;
        let mut ratios = vec![0.0; document.len()];
        for id in document.subtree(self.body) {
            let parent = document.node(id).parent;
            let Some(text) = document.text(id) else { continue };
            if document.is(parent, &local_name!("a")) {
                continue;
            }
            let words = f64::from(terms::count_words(text));
            if words > 0.0 {
                for (ancestor, distance) in document.ancestors(id).skip(1).zip(1u32..) {
                    ratios[ancestor as usize] += words / f64::from(distance);
                }
            }
        }
        ratios
    }

    /// Algorithm 3: candidates inside another one with the same text are removed.
    fn reduced(&self, set: &[NodeId]) -> Vec<NodeId> {
        let same_text_inside = |outer: NodeId, inner: NodeId| {
            outer != inner
                && self.document.contains(outer, inner)
                && self.sum(&self.text, outer) == self.sum(&self.text, inner)
        };
        let stays = |&id: &NodeId| !set.iter().any(|&other| same_text_inside(other, id));
        set.iter().copied().filter(stays).collect()
    }

    /// Algorithm 4: the element with the most text relative to its tags, with its siblings in the set. Empty if there is no
    /// text.
    fn content_of(&self, set: &[NodeId]) -> Vec<NodeId> {
        let weight = |id| f64::from(self.sum(&self.text, id)) / f64::from(self.sum(&self.tags, id));
        let highest = set.iter().map(|&id| weight(id)).fold(0.0, f64::max);
        if highest == 0.0 {
            return Vec::new();
        }
        let best: Vec<_> = set.iter().copied().filter(|&id| weight(id) == highest).collect();
        let parent = |id| self.document.parent(id);
        let beside = |&id: &NodeId| best.iter().any(|&b| b == id || parent(b) == parent(id));
        set.iter().copied().filter(beside).collect()
    }

    /// Algorithm 5: marks the groups of links in the content.
    fn link_groups(&self, selected: &[NodeId], config: &EuclidConfig) -> Vec<bool> {
        let mut removed = vec![false; self.document.len()];
        for id in selected.iter().flat_map(|&root| self.document.subtree(root)) {
            if self.document.name(id).is_none() {
                continue;
            }
            let all = f64::from(self.sum(&self.text, id));
            let linked = f64::from(self.sum(&self.link_text, id));
            // Written as a product, because there may be no text outside links.
            let ratio = all > config.text_ratio * (all - linked);
            if ratio && self.sum(&self.links, id) > config.links {
                removed[id as usize] = true;
            } else if self.is_link_list(id) {
                for child in self.document.children(id) {
                    removed[child as usize] = true;
                }
            }
        }
        removed
    }

    /// Whether all children (two or more) have one name and contain only an `<a>` without images.
    fn is_link_list(&self, id: NodeId) -> bool {
        let document = self.document;
        let is_blank = |id: NodeId| document.text(id).is_some_and(is_blank);
        let children = |id| document.children(id).filter(move |&child| !is_blank(child));
        let only_link = |id: NodeId| {
            let mut inside = children(id);
            inside.next().is_some_and(|a| document.is(a, &local_name!("a")))
                && inside.next().is_none()
                && !document.subtree(id).any(|n| document.is(n, &local_name!("img")))
        };
        let Some(first) = children(id).next() else { return false };
        document.name(first).is_some()
            && children(id).nth(1).is_some()
            && children(id)
                .all(|child| document.name(child) == document.name(first) && only_link(child))
    }
}

/// Definition 3.2: minus the mean, divided by the standard deviation (0 where all are equal).
fn standardise(points: &mut [Point]) {
    let n = points.len() as f64;
    for ratio in 0..4 {
        let mean = points.iter().map(|p| p[ratio]).sum::<f64>() / n;
        let squares = points.iter().map(|p| square(p[ratio] - mean)).sum::<f64>();
        let deviation = (squares / (n - 1.0).max(1.0)).sqrt();
        for point in &mut *points {
            let distance = point[ratio] - mean;
            point[ratio] = if deviation > 0.0 { distance / deviation } else { 0.0 };
        }
    }
}

fn square(value: f64) -> f64 {
    value * value
}

/// Algorithms 1 and 2: the `c` nodes farthest from the centroid; the first ones, if several are equally far.
fn farthest(rated: &[NodeId], points: &[Point], c: usize) -> Vec<NodeId> {
    let mut centroid = [0.0; 4];
    for (ratio, mean) in centroid.iter_mut().enumerate() {
        *mean = points.iter().map(|p| p[ratio]).sum::<f64>() / points.len() as f64;
    }
    let distance = |p: &Point| {
        let squares = p.iter().zip(&centroid).map(|(a, b)| square(a - b));
        squares.sum::<f64>().sqrt()
    };
    let mut order: Vec<(f64, NodeId)> =
        points.iter().map(distance).zip(rated.iter().copied()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.truncate(c);
    order.into_iter().map(|(_, id)| id).collect()
}

#[cfg(test)]
#[path = "euclid_tests.rs"]
mod tests;
