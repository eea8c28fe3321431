//! Where nodes of one page are, by their places among their siblings.

use std::collections::HashMap;

use html5ever::LocalName;

use super::print::is_name;
use crate::{Document, NodeId};

/// The paths of nodes of one page, by positions: they say where, for this page only. O(n) for the
/// page and O(depth) a node.
///
/// Only what any engine counts alike is counted: siblings of one name. Runs of text (which
/// comments and scripts, not in this tree, may cut in pieces) and elements whose names are no XML
/// names (`<o:p>`; engines disagree on what to call them) are told by the named siblings around
/// them: `text()[count(preceding-sibling::p)=2][count(preceding-sibling::ul)=0]`.
pub fn position_paths(document: &Document, nodes: &[NodeId]) -> Vec<String> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let siblings = Siblings::of(document);
    let path = |&node: &NodeId| {
        let mut steps: Vec<String> = document.ancestors(node).map(|a| siblings.step(a)).collect();
        steps.reverse();
        steps.concat()
    };
    nodes.iter().map(path).collect()
}

/// The path of one node, as [`position_paths`] gives it. O(nodes beside it and those above).
pub fn position_path(document: &Document, node: NodeId) -> String {
    let mut above: Vec<NodeId> = document.ancestors(node).collect();
    above.reverse();
    let children = above[..above.len() - 1].iter().flat_map(|&id| document.children(id));
    let mut beside: Vec<NodeId> = children.chain([0]).collect();
    beside.sort_unstable();
    let siblings = Siblings::among(document, &beside);
    above.into_iter().map(|id| siblings.step(id)).collect()
}

/// What is around each node.
struct Siblings<'a> {
    document: &'a Document,
    /// The place among siblings of the same name, from 1; of an element without a proper name,
    /// among those between the same named siblings.
    place: Vec<u32>,
    /// The nearest named siblings before and after.
    before: Vec<Option<NodeId>>,
    after: Vec<Option<NodeId>>,
}

impl<'a> Siblings<'a> {
    fn of(document: &'a Document) -> Self {
        Self::among(document, &document.ids().collect::<Vec<_>>())
    }

    /// What is around some nodes, given rising and with all that are beside them.
    fn among(document: &'a Document, ids: &[NodeId]) -> Self {
        let parent = |id: NodeId| document.node(id).parent as usize;
        let mut counts: HashMap<(usize, Option<NodeId>, Option<&LocalName>), u32> = HashMap::new();
        let mut place = vec![0; document.len()];
        let mut before = vec![None; document.len()];
        let mut after = vec![None; document.len()];
        let mut nearest = vec![None; document.len()];
        for &id in ids {
            let nearest = &mut nearest[parent(id)];
            let name = named(document, id);
            before[id as usize] = *nearest;
            let run = if name.is_some() { None } else { *nearest };
            if document.name(id).is_some() {
                let count = counts.entry((parent(id), run, name)).or_default();
                *count += 1;
                place[id as usize] = *count;
            }
            if name.is_some() && id > 0 {
                *nearest = Some(id);
            }
        }
        nearest.fill(None);
        for &id in ids.iter().rev() {
            let nearest = &mut nearest[parent(id)];
            after[id as usize] = *nearest;
            if named(document, id).is_some() {
                *nearest = Some(id);
            }
        }
        Self { document, place, before, after }
    }

    fn step(&self, id: NodeId) -> String {
        let place = self.place[id as usize];
        match (self.document.name(id), named(self.document, id)) {
            (_, Some(name)) if id == 0 => format!("/{name}"),
            (_, Some(name)) => format!("/{name}[{place}]"),
            (Some(_), None) if place > 1 => format!("/*{}[{place}]", self.between(id)),
            (Some(_), None) => format!("/*{}", self.between(id)),
            (None, _) => format!("/text(){}", self.between(id)),
        }
    }

    /// Conditions that hold between the nearest named siblings only.
    fn between(&self, id: NodeId) -> String {
        let known = |sibling: Option<NodeId>| Some((sibling?, named(self.document, sibling?)?));
        let before = known(self.before[id as usize]);
        let after = known(self.after[id as usize]);
        let mut conditions = String::new();
        if let Some((sibling, name)) = before {
            let count = self.place[sibling as usize];
            conditions += &format!("[count(preceding-sibling::{name})={count}]");
        }
        if let Some((sibling, name)) = after
            && before.is_none_or(|b| b.1 != name)
        {
            let count = self.place[sibling as usize] - 1;
            conditions += &format!("[count(preceding-sibling::{name})={count}]");
        }
        conditions
    }
}

/// The name of an element, if it is one in XPath too.
fn named(document: &Document, id: NodeId) -> Option<&LocalName> {
    document.name(id).filter(|name| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

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
    fn many_siblings_take_linear_time() {
        let d = parse(&"a<br>".repeat(100_000));
        let texts: Vec<_> = d.ids().filter(|&i| d.text(i).is_some()).collect();
        assert_eq!(position_paths(&d, &texts).len(), 100_000);
    }
}
