//! Positional paths of the nodes of a page.

use std::fmt::Write as _;

use html5ever::LocalName;
use rustc_hash::FxHashMap;

use super::print::is_name;
use crate::{Document, NodeId};

/// The positional paths of nodes, which identify them on this page only. Linear in the siblings of the nodes and of their
/// ancestors, and O(depth) per node.
///
/// Only siblings of one name are counted, because all engines count these alike. Runs of text
/// (which comments and scripts, not in this tree, may split) and elements whose names are not XML
/// names (`<o:p>`; engines disagree on their names) are identified by the named siblings around
/// them: `text()[count(preceding-sibling::p)=2][count(preceding-sibling::ul)=0]`.
pub fn position_paths(document: &Document, nodes: &[NodeId]) -> Vec<String> {
    let siblings = SiblingPositions::of(document, nodes);
    let path = |&node: &NodeId| {
        let mut above: Vec<NodeId> = document.ancestors(node).collect();
        above.reverse();
        let mut path = String::new();
        above.into_iter().for_each(|id| siblings.add_step(id, &mut path));
        path
    };
    nodes.iter().map(path).collect()
}

/// Finds the nodes with these paths, which have the form of [`position_paths`]. Linear in the paths and the children of the nodes
/// on them.
pub fn nodes_at(document: &Document, paths: &[&str]) -> Vec<Option<NodeId>> {
    // The steps of all paths as a tree with root 0; a step ends before the next slash.
    let mut steps: FxHashMap<(usize, &str), usize> = FxHashMap::default();
    let mut ends = Vec::with_capacity(paths.len());
    let mut next = 0;
    for path in paths {
        let mut at = 0;
        for step in path.strip_prefix('/').unwrap_or(path).split('/') {
            at = *steps.entry((at, step)).or_insert_with(|| {
                next += 1;
                next
            });
        }
        ends.push(at);
    }
    let mut found: Vec<Option<NodeId>> = vec![None; next + 1];
    let mut siblings = SiblingPositions::of(document, &[]);
    let mut open = vec![(0, 0)];
    while let Some((above, id)) = open.pop() {
        let mut step = String::new();
        siblings.add_step(id, &mut step);
        let Some(&at) = steps.get(&(above, &step[1..])) else { continue };
        found[at] = Some(id);
        let children: Vec<NodeId> = document.children(id).collect();
        siblings.look_at(&children);
        open.extend(children.into_iter().map(|child| (at, child)));
    }
    ends.into_iter().map(|at| found[at]).collect()
}

/// Returns the path of one node, in the form of [`position_paths`].
pub fn position_path(document: &Document, node: NodeId) -> String {
    position_paths(document, &[node]).concat()
}

/// The positions of some nodes and their ancestors among their siblings.
struct SiblingPositions<'a> {
    document: &'a Document,
    around: FxHashMap<NodeId, Around>,
}

#[derive(Clone, Copy, Default)]
struct Around {
    /// The position among siblings of the same name, from 1; for an element without a valid name, among such elements since the
    /// last named sibling.
    place: u32,
    /// The nearest named siblings before and after.
    before: Option<NodeId>,
    after: Option<NodeId>,
}

impl<'a> SiblingPositions<'a> {
    fn of(document: &'a Document, nodes: &[NodeId]) -> Self {
        let mut siblings = Self { document, around: FxHashMap::default() };
        siblings.around.insert(0, Around::default());
        for &node in nodes {
            let mut id = node;
            // The surroundings of a node are computed together with those of its siblings.
            while !siblings.around.contains_key(&id) {
                let parent = document.node(id).parent;
                siblings.look_at(&document.children(parent).collect::<Vec<_>>());
                id = parent;
            }
        }
        siblings
    }

    /// Computes the surroundings of the children of a node.
    fn look_at(&mut self, children: &[NodeId]) {
        let document = self.document;
        // Counts named siblings by name; others are counted since the last named one.
        let mut counts: FxHashMap<&LocalName, u32> = FxHashMap::default();
        let mut unnamed = 0;
        let mut before = None;
        for &id in children {
            let name = named(document, id);
            let mut around = Around { before, ..Around::default() };
            if let Some(name) = name {
                let count = counts.entry(name).or_default();
                *count += 1;
                around.place = *count;
                unnamed = 0;
                before = Some(id);
            } else if document.name(id).is_some() {
                unnamed += 1;
                around.place = unnamed;
            }
            self.around.insert(id, around);
        }
        let mut after = None;
        for id in children.iter().rev() {
            if let Some(around) = self.around.get_mut(id) {
                around.after = after;
            }
            if named(document, *id).is_some() {
                after = Some(*id);
            }
        }
    }

    fn around(&self, id: NodeId) -> Around {
        self.around.get(&id).copied().unwrap_or_default()
    }

    /// Appends the step to this node to a path.
    fn add_step(&self, id: NodeId, path: &mut String) {
        let place = self.around(id).place;
        let written = match (self.document.name(id), named(self.document, id)) {
            (_, Some(name)) if id == 0 => write!(path, "/{name}"),
            (_, Some(name)) => write!(path, "/{name}[{place}]"),
            (Some(_), None) if place > 1 => write!(path, "/*{}[{place}]", self.between(id)),
            (Some(_), None) => write!(path, "/*{}", self.between(id)),
            (None, _) => write!(path, "/text(){}", self.between(id)),
        };
        debug_assert!(written.is_ok(), "strings take all that is written");
    }

    /// Conditions that hold only between the nearest named siblings.
    fn between(&self, id: NodeId) -> String {
        let known = |sibling: Option<NodeId>| Some((sibling?, named(self.document, sibling?)?));
        let around = self.around(id);
        let before = known(around.before);
        let after = known(around.after).filter(|after| before.is_none_or(|b| b.1 != after.1));
        let before = before.map(|(sibling, name)| (name, self.around(sibling).place));
        let after = after.map(|(sibling, name)| (name, self.around(sibling).place - 1));
        let counts = before.into_iter().chain(after);
        counts.map(|(name, count)| format!("[count(preceding-sibling::{name})={count}]")).collect()
    }
}

/// The name of an element, if it is a valid name in XPath.
fn named(document: &Document, id: NodeId) -> Option<&LocalName> {
    document.name(id).filter(|name| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::xpath::Path;

    #[test]
    fn elements_by_name_and_place() {
        let d = parse("<div><p>a</p><ul></ul><p>b</p></div>");
        let p: Vec<_> = d.ids().filter(|&i| d.name(i).is_some_and(|n| &**n == "p")).collect();
        let paths = position_paths(&d, &p);
        assert_eq!(paths, ["/html/body[1]/div[1]/p[1]", "/html/body[1]/div[1]/p[2]"]);
    }

    #[test]
    fn one_path_is_as_it_is_among_all() {
        let d =
            parse("<p>1<b>x</b>2<o:p>6</o:p><o:p>7</o:p><div><ul><li>a<li>b</ul>c<p>d</div><p>e");
        let all: Vec<_> = d.ids().collect();
        let one: Vec<_> = all.iter().map(|&id| position_path(&d, id)).collect();
        assert_eq!(one, position_paths(&d, &all));
        let paths: Vec<&str> = one.iter().map(String::as_str).collect();
        assert_eq!(nodes_at(&d, &paths), all.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(
            nodes_at(&d, &["/html/body[2]", "", "/", "//p", "/html"]),
            [None, None, None, None, Some(0)]
        );
    }

    #[test]
    fn text_and_odd_names_by_what_is_around_them() {
        let d = parse("<p>1<b>x</b>2<!-- -->3<i>x</i>4<i>x</i>5<o:p>6</o:p><o:p>7</o:p>");
        let texts: Vec<_> = d.ids().filter(|&i| d.text(i).is_some_and(|t| t != "x")).collect();
        let paths = position_paths(&d, &texts);
        let ends: Vec<_> =
            paths.iter().map(|p| p.strip_prefix("/html/body[1]/p[1]").unwrap()).collect();
        assert_eq!(
            ends,
            [
                "/text()[count(preceding-sibling::b)=0]",
                "/text()[count(preceding-sibling::b)=1][count(preceding-sibling::i)=0]",
                "/text()[count(preceding-sibling::i)=1]",
                "/text()[count(preceding-sibling::i)=2]",
                "/*[count(preceding-sibling::i)=2]/text()",
                "/*[count(preceding-sibling::i)=2][2]/text()",
            ]
        );
    }

    #[test]
    fn positions_count_what_passes_the_predicates_before_them() {
        let d = parse(
            "<p class=a>1<p class=b>2<p class=a>3<p class=a>4<div><p class=a>5<p class=a>6</div>",
        );
        let text = |path: &str| -> String {
            let path: Path = path.parse().unwrap();
            path.select(&d).into_iter().map(|id| d.text_content(id)).collect()
        };
        assert_eq!(text("//p[2]"), "26");
        assert_eq!(text("//p[@class='a'][2]"), "36");
        assert_eq!(text("//p[2][@class='b']"), "2");
        assert_eq!(text("//div/p[2]"), "6");
        assert_eq!(text("/html[1]/body[1]/div[1]/p[1]"), "5");
        for path in ["//p[3]", "//p[@class='a'][2]", "//*[2]"] {
            let parsed: Path = path.parse().unwrap();
            let last = parsed.steps.last().unwrap();
            let each: Vec<_> = d.ids().filter(|&id| last.matches(&d, id)).collect();
            assert_eq!(parsed.select(&d), each, "{path}");
        }
    }

    #[test]
    fn many_siblings_take_linear_time() {
        let d = parse(&"a<br>".repeat(100_000));
        let texts: Vec<_> = d.ids().filter(|&i| d.text(i).is_some()).collect();
        let paths = position_paths(&d, &texts);
        assert_eq!(paths.len(), 100_000);
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert!(nodes_at(&d, &paths).into_iter().flatten().eq(texts));
        let last: Path = "//br[99999]".parse().unwrap();
        assert_eq!(last.select(&d).len(), 1);
    }
}
