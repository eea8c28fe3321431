//! Applies a site config to a page.

use std::collections::BTreeSet;

use dom::{Builder, Document, Keep, LocalName, NodeId, ParseOptions};
use memchr::memmem;

use super::expression::XPathResult;
use super::tree::{EditableContent, EditableTree, Id, Match, ROOT, elements_of};
use super::{CompiledSiteConfig, Expression};

/// What a site config finds on a page, as nodes of the changed page.
#[derive(Clone, Debug)]
pub struct AppliedConfig {
    /// The metadata that the expressions selected, unprocessed.
    pub given: ConfigMetadata,
    /// The body: the expression that selected it, and its nodes, sorted, none inside another.
    /// `None` if no expression selected anything.
    pub body: Option<(String, Vec<NodeId>)>,
    /// The selections of the body expressions after that one, in order, for callers that doubt the body.
    pub further: Vec<(String, Vec<NodeId>)>,
    /// The address of the page that has the complete article, as written on the page.
    pub single_page: Option<String>,
    /// The address of the page on which the article continues, as written on the page.
    pub next_page: Option<String>,
    /// The nodes to remove, sorted.
    pub removed: Vec<NodeId>,
    /// The expressions that selected the nodes to remove.
    pub removed_by: Vec<String>,
    /// Whether evaluation was stopped because the expressions took too much time; `body` is then `None`.
    pub exhausted: bool,
}

/// Title, authors and date as written on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigMetadata {
    /// Trimmed; `None` if no expression found any.
    pub title: Option<String>,
    /// Trimmed, in document order.
    pub authors: Vec<String>,
    /// Trimmed.
    pub date: Option<String>,
}

/// A replacement that makes a page longer than this many times its length is skipped.
const MAX_GROWTH: usize = 4;

/// Applies a site config to a page: replaces strings, parses, extracts title, authors and date,
/// removes and changes elements, and selects the body, in the same order as the format's readers.
/// Returns the changed page, which still has the nodes to remove, and what was found on it. Never fails; time is bounded.
pub fn apply(
    html: &str,
    wrapper: &CompiledSiteConfig,
    limits: &ParseOptions,
) -> (Document, AppliedConfig) {
    let replaced = replaced(html, wrapper);
    let limits = ParseOptions { keep: Keep::Scripts, ..*limits };
    let whole = dom::parse_with(replaced.as_deref().unwrap_or(html), &limits);
    let mut page = PageEditor { tree: EditableTree::of(&whole), removed_by: Vec::new() };
    let next_page = page.link(wrapper.all("next_page_link"));
    let conditions = wrapper.all("if_page_contains");
    let holds = |condition: &Expression| !condition.select(&page.tree).is_empty();
    let has_single = conditions.is_empty() || conditions.iter().any(holds);
    let single_page = has_single.then(|| page.link(wrapper.all("single_page_link"))).flatten();
    // An element whose value is used is removed: it no longer belongs to the body.
    let title = page.value(wrapper.all("title"));
    let authors = page.values(wrapper.all("author"));
    let date = page.value(wrapper.all("date"));
    page.strip(wrapper);
    page.change(wrapper);
    let bodies = page.bodies(wrapper.all("body"));
    for expression in wrapper.all("strip_attr") {
        page.strip_attributes(expression);
    }
    page.wake_images(&wrapper.src_lazy_load_attr);
    let exhausted = page.tree.is_exhausted();
    let (mut document, ids) = lay_out(&page.tree, &whole);
    if wrapper.skip_json_ld {
        document.forget_json_ld();
    }
    let known = |ids_of: &[Id]| -> Vec<NodeId> {
        let known: BTreeSet<NodeId> = ids_of.iter().filter_map(|&id| ids[id as usize]).collect();
        known.into_iter().collect()
    };
    let bodies = bodies.into_iter().filter(|_| !exhausted).map(|(expression, nodes)| {
        let nodes = known(&nodes);
        (!nodes.is_empty()).then_some((expression, nodes))
    });
    let mut bodies = bodies.collect::<Vec<_>>().into_iter();
    let (body, further) = (bodies.next().flatten(), bodies.flatten().collect());
    let out: Vec<Id> =
        page.tree.subtree(ROOT).filter(|&id| page.tree.is_removed_root(id)).collect();
    let removed = known(&out);
    let applied = AppliedConfig {
        given: ConfigMetadata { title, authors, date },
        body,
        further,
        single_page,
        next_page,
        removed,
        removed_by: page.removed_by,
        exhausted,
    };
    (document, applied)
}

/// The source of the page with the replacements applied; `None` if nothing was replaced.
fn replaced(html: &str, wrapper: &CompiledSiteConfig) -> Option<String> {
    let most = html.len().saturating_mul(MAX_GROWTH) + (1 << 16);
    let mut text: Option<String> = None;
    for (find, with) in &wrapper.replace {
        let now = text.as_deref().unwrap_or(html);
        let hits = memmem::find_iter(now.as_bytes(), find.as_bytes()).count();
        let growth = hits.saturating_mul(with.len().saturating_sub(find.len()));
        if hits > 0 && now.len().saturating_add(growth) <= most {
            text = Some(now.replace(find.as_str(), with));
        }
    }
    text
}

struct PageEditor {
    tree: EditableTree,
    removed_by: Vec<String>,
}

impl PageEditor {
    fn remove(&mut self, ids: &[Id], by: impl FnOnce() -> String) {
        let mut any = false;
        for &id in ids.iter().filter(|&&id| id != ROOT) {
            self.tree.remove(id);
            any = true;
        }
        if any {
            self.removed_by.push(by());
        }
    }

    fn text(&self, found: Match) -> String {
        self.tree.value_of(found).trim().to_owned()
    }

    /// The first address that any expression selects.
    fn link(&self, expressions: &[Expression]) -> Option<String> {
        let of_node = |found: &Match| match *found {
            Match::Node(id) => self.tree.attribute(id, "href").map(|href| href.trim().to_owned()),
            found => Some(self.text(found)),
        };
        let links = expressions.iter().filter_map(|expression| match expression.find(&self.tree) {
            Ok(XPathResult::Text(text)) => Some(text.trim().to_owned()),
            Ok(XPathResult::Nodes(nodes)) => {
                nodes.iter().filter_map(of_node).find(|link| !link.is_empty())
            }
            Err(_) => None,
        });
        links.into_iter().find(|link| !link.is_empty())
    }

    /// The first value that any expression selects; removes its element.
    fn value(&mut self, expressions: &[Expression]) -> Option<String> {
        for expression in expressions {
            match expression.find(&self.tree) {
                Ok(XPathResult::Text(text)) if !text.trim().is_empty() => {
                    return Some(text.trim().to_owned());
                }
                Ok(XPathResult::Nodes(nodes)) => {
                    let Some(&first) = nodes.first() else { continue };
                    let text = self.text(first);
                    if text.is_empty() {
                        continue;
                    }
                    if let Match::Node(id) = first {
                        self.remove(&[id], || format!("({expression})[1]"));
                    }
                    return Some(text);
                }
                _ => {}
            }
        }
        None
    }

    /// All values of the first expression that selects any; removes their elements.
    fn values(&mut self, expressions: &[Expression]) -> Vec<String> {
        for expression in expressions {
            let values: Vec<String> = match expression.find(&self.tree) {
                Ok(XPathResult::Text(text)) => vec![text.trim().to_owned()],
                Ok(XPathResult::Nodes(nodes)) => {
                    let values = nodes.iter().map(|&node| self.text(node)).collect();
                    self.remove(&elements_of(&nodes), || expression.to_string());
                    values
                }
                Err(_) => Vec::new(),
            };
            let values: Vec<String> = values.into_iter().filter(|v| !v.is_empty()).collect();
            if !values.is_empty() {
                return values;
            }
        }
        Vec::new()
    }

    fn strip(&mut self, wrapper: &CompiledSiteConfig) {
        for expression in wrapper.all("strip") {
            let nodes = elements_of(&expression.select(&self.tree));
            self.remove(&nodes, || expression.to_string());
        }
        let has = |tree: &EditableTree, id, name, part: &str| {
            tree.attribute(id, name).is_some_and(|value| value.contains(part))
        };
        for part in &wrapper.strip_id_or_class {
            self.remove_all(
                |tree, id| has(tree, id, "class", part) || has(tree, id, "id", part),
                || format!("//*[contains(@class,'{part}') or contains(@id,'{part}')]"),
            );
        }
        for part in &wrapper.strip_image_src {
            self.remove_all(
                |tree, id| tree.is_image(id) && has(tree, id, "src", part),
                || format!("//img[contains(@src,'{part}')]"),
            );
        }
        // The format's readers remove these from every page with a site config.
        for class in ["entry-unrelated", "instapaper_ignore"] {
            self.remove_all(
                |tree, id| {
                    let classes = tree.attribute(id, "class").unwrap_or_default();
                    classes.split_ascii_whitespace().any(|own| own == class)
                },
                || format!("//*[contains(concat(' ',normalize-space(@class),' '),' {class} ')]"),
            );
        }
        for style in ["display:none", "visibility:hidden"] {
            self.remove_all(
                |tree, id| has(tree, id, "style", style),
                || format!("//*[contains(@style,'{style}')]"),
            );
        }
    }

    /// Removes the outermost remaining nodes for which `holds` is true.
    fn remove_all(
        &mut self,
        holds: impl Fn(&EditableTree, Id) -> bool,
        by: impl FnOnce() -> String,
    ) {
        let mut found = Vec::new();
        let mut stack = vec![ROOT];
        while let Some(id) = stack.pop() {
            if holds(&self.tree, id) {
                found.push(id);
                continue;
            }
            let start = stack.len();
            stack.extend(self.tree.children(id));
            stack[start..].reverse();
        }
        self.remove(&found, by);
    }

    fn change(&mut self, wrapper: &CompiledSiteConfig) {
        for expression in wrapper.all("dissolve") {
            for id in elements_of(&expression.select(&self.tree)) {
                self.tree.dissolve(id);
            }
        }
        for (name, expression) in &wrapper.wrap_in {
            for id in elements_of(&expression.select(&self.tree)) {
                self.tree.wrap(id, name);
            }
        }
        for (into, what) in &wrapper.move_into {
            let into = elements_of(&into.select(&self.tree))
                .into_iter()
                .find(|&id| matches!(self.tree.content(id), EditableContent::Element { .. }));
            let Some(into) = into else { continue };
            for id in elements_of(&what.select(&self.tree)) {
                if id != ROOT && !self.tree.contains(id, into) {
                    self.tree.append(into, id);
                }
            }
        }
    }

    /// For each expression that selects text, its outermost nodes.
    fn bodies(&self, expressions: &[Expression]) -> Vec<(String, Vec<Id>)> {
        let nodes_of = |expression: &Expression| {
            let mut nodes: Vec<Id> = Vec::new();
            for id in elements_of(&expression.select(&self.tree)) {
                // In document order, an ancestor comes before its descendants, and the descendants of the last
                // kept node follow it directly.
                if nodes.last().is_none_or(|&last| !self.tree.contains(last, id)) {
                    nodes.push(id);
                }
            }
            let said = nodes.iter().any(|&id| !self.tree.text_of(id).trim().is_empty());
            said.then(|| (expression.to_string(), nodes))
        };
        expressions.iter().filter_map(nodes_of).collect()
    }

    fn strip_attributes(&mut self, expression: &Expression) {
        let mut attributes: Vec<(Id, usize)> = (expression.select(&self.tree).into_iter())
            .filter_map(|found| match found {
                Match::Attribute(id, at) => Some((id, at)),
                Match::Node(_) => None,
            })
            .collect();
        // Starts with the last one, so that indices stay valid.
        attributes.sort_unstable();
        for (id, at) in attributes.into_iter().rev() {
            if let Some(attributes) = self.tree.attributes_mut(id)
                && at < attributes.len()
            {
                attributes.remove(at);
            }
        }
    }

    /// Sets the address of lazily loaded images from an attribute that a script would read.
    fn wake_images(&mut self, attributes: &[String]) {
        if attributes.is_empty() {
            return;
        }
        let images: Vec<Id> =
            self.tree.subtree(ROOT).filter(|&id| self.tree.is_image(id)).collect();
        for id in images {
            let source = attributes.iter().find_map(|name| self.tree.attribute(id, name));
            let Some(source) = source.map(str::to_owned) else { continue };
            let Some(own) = self.tree.attributes_mut(id) else { continue };
            match own.iter_mut().find(|(name, _)| &**name == "src") {
                Some((_, value)) => *value = source,
                None => own.push((LocalName::from("src"), source)),
            }
        }
    }
}

/// Converts a tree to a document; also returns the ids of its nodes in the document.
fn lay_out(tree: &EditableTree, whole: &Document) -> (Document, Vec<Option<NodeId>>) {
    let mut builder = Builder::new(whole.head().clone(), whole.notes());
    let mut ids = vec![None; tree.len()];
    let mut open: Vec<Id> = Vec::new();
    for id in tree.subtree(ROOT).skip(1) {
        while open.pop_if(|last| tree.parent(id) != Some(*last)).is_some() {
            builder.close();
        }
        match tree.content(id) {
            EditableContent::Element { name, attributes } => {
                let attributes = attributes.iter().map(|(name, value)| (name, value.as_str()));
                ids[id as usize] = builder.open(name, attributes);
                open.push(id);
            }
            EditableContent::Text(text) => ids[id as usize] = builder.text(text),
            EditableContent::Document => {}
        }
    }
    (builder.finish(), ids)
}
