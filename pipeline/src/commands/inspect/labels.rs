//! Readable names of patterns.

use std::collections::BTreeSet;

use dom::{Document, Element, NodeId, class_tokens, local_name, normalize_space};
use grove::{Block, PatternId, Patterns, UNKNOWN};

use sitemodel::ParsedPage;

/// Number of steps in a pattern's name, the innermost ones.
const STEPS: usize = 4;
/// Number of names of an element that are shown.
const NAMES: usize = 3;

/// Names of patterns: the steps from the root with the ids and class names that all their elements
/// have.
pub(super) struct Labels {
    /// For each pattern, its parent and its own step.
    steps: Vec<(PatternId, Option<Step>)>,
}

#[derive(Clone, PartialEq, Eq)]
struct Step {
    tag: String,
    /// `#id` and `.class`.
    names: Vec<String>,
}

impl Step {
    fn of(element: Element<'_>) -> Self {
        let id = element.attribute(&local_name!("id")).map(str::trim).filter(|id| !id.is_empty());
        let class = element.attribute(&local_name!("class")).unwrap_or_default();
        let classes = class_tokens(class).map(|token| format!(".{token}"));
        let names = id.map(|id| format!("#{id}")).into_iter().chain(classes).collect();
        Self { tag: element.name.to_string(), names }
    }

    fn text(&self) -> String {
        let mut text = self.tag.clone();
        text.extend(self.names.iter().take(NAMES).map(String::as_str));
        text
    }
}

impl Labels {
    /// Names the patterns of sibling pages; `of_nodes` goes with `pages`. Linear in the nodes.
    pub(super) fn of(
        patterns: &Patterns,
        pages: &[&ParsedPage<'_>],
        of_nodes: &[&[PatternId]],
    ) -> Self {
        let mut steps: Vec<(PatternId, Option<Step>)> =
            (0..patterns.len()).map(|id| (patterns.parent(id as PatternId), None)).collect();
        for (page, of_nodes) in pages.iter().zip(of_nodes) {
            for id in page.document.ids() {
                let Some(element) = page.document.element(id) else { continue };
                let Some((_, step)) = steps.get_mut(of_nodes[id as usize] as usize) else {
                    continue;
                };
                let own = Step::of(element);
                match step {
                    Some(step) => {
                        let own: BTreeSet<String> = own.names.into_iter().collect();
                        step.names.retain(|name| own.contains(name));
                    }
                    None => *step = Some(own),
                }
            }
        }
        Self { steps }
    }

    /// The name of a pattern; empty for an unknown one.
    pub(super) fn name(&self, id: PatternId) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        while at != UNKNOWN
            && let Some((parent, step)) = self.steps.get(at as usize)
        {
            steps.extend(step.as_ref().map(Step::text));
            if *parent == at {
                break;
            }
            at = *parent;
        }
        joined(steps)
    }
}

/// The same for one element by itself.
pub(super) fn path_of(document: &Document, element: NodeId) -> String {
    let elements = document.ancestors(element);
    joined(elements.filter_map(|id| document.element(id)).map(|e| Step::of(e).text()).collect())
}

/// Steps from the innermost out as one line from the outermost in.
fn joined(mut steps: Vec<String>) -> String {
    let more = steps.len() > STEPS;
    steps.truncate(STEPS);
    if more {
        steps.push("…".to_owned());
    }
    steps.reverse();
    steps.join(" > ")
}

/// The text of a block on one line.
pub(super) fn text_of_block(document: &Document, block: &Block) -> String {
    let mut text = String::new();
    for id in block.first..=block.last {
        match document.text(id) {
            Some(own) => text.push_str(own),
            None if document.name(id).is_some_and(|name| &**name == "br") => text.push(' '),
            None => {}
        }
    }
    normalize_space(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_the_nearest_elements() {
        let d = dom::parse("<div id=a class='b  c'><p>x</p></div>");
        let p = d.ids().find(|&id| d.name(id).is_some_and(|n| &**n == "p")).unwrap();
        assert_eq!(path_of(&d, p), "html > body > div#a.b.c > p");
    }
}
