//! Footnotes: links to notes further down, written in GitHub's way (`[^1]`).

use std::collections::{BTreeMap, BTreeSet};

use html5ever::local_name;

use crate::{Document, NodeId, is_inline};

/// Longest label of a note, in characters.
const LABEL: usize = 6;

#[derive(Debug, Default)]
pub(super) struct FootnoteMap {
    /// Labels of the notes, by element.
    pub(super) labels: BTreeMap<NodeId, String>,
    /// Links to notes, with their labels.
    pub(super) references: BTreeMap<NodeId, String>,
    /// Links to other places of the document, which have no targets in Markdown.
    pub(super) within: BTreeSet<NodeId>,
    /// Lists that have nothing but notes.
    pub(super) lists: BTreeSet<NodeId>,
}

impl FootnoteMap {
    /// The notes of a document: items of a list, paragraphs or divisions that a short link above them leads to.
    /// A list of which any item is none, or a label that stands for two notes, has no footnotes. Only what is below
    /// `roots` and not below `prune` counts.
    pub(super) fn of(document: &Document, roots: &[NodeId], prune: &[NodeId]) -> Self {
        let links = document.ids().filter(|&id| document.is(id, &local_name!("a")));
        let links = links.filter_map(|link| {
            Some((link, document.attribute(link, &local_name!("href"))?.strip_prefix('#')?))
        });
        let links: Vec<(NodeId, &str)> = links.collect();
        if links.is_empty() {
            return Self::default();
        }
        let with_id = |id| Some((document.attribute(id, &local_name!("id"))?, id));
        let mut by_id: BTreeMap<&str, NodeId> = BTreeMap::new();
        for (name, id) in document.ids().filter_map(with_id) {
            by_id.entry(name).or_insert(id);
        }
        let (roots, prune) = [roots, prune].map(|nodes| document.outermost(nodes.to_vec())).into();
        let is_below = |outermost: &[NodeId], id: NodeId| {
            let before = outermost.partition_point(|&outer| outer <= id);
            before > 0 && document.contains(outermost[before - 1], id)
        };
        let mut found = Self::default();
        let mut taken: BTreeMap<&str, NodeId> = BTreeMap::new();
        for (link, href) in links {
            let Some(&note) = by_id.get(href) else { continue };
            found.within.insert(link);
            let label = label(document.text_content(link)).filter(|_| note > link);
            let Some(label) = label else { continue };
            let is_kept = is_below(&roots, note) && !is_below(&prune, note);
            let is_kind = match document.name(note) {
                Some(&local_name!("li")) => {
                    document.parent(note).is_some_and(|list| !is_inside(document, list))
                }
                Some(&local_name!("p")) => !is_inside(document, note),
                // Divisions are targets of other links, too.
                Some(&local_name!("div")) => {
                    let is_line = |id| document.element(id).is_none_or(|own| is_inline(own.name));
                    label.bytes().all(|byte| byte.is_ascii_digit())
                        && document.children(note).all(is_line)
                        && !is_inside(document, note)
                }
                _ => false,
            };
            if is_kept && is_kind && *taken.entry(label).or_insert(note) == note {
                found.labels.entry(note).or_insert_with(|| label.to_owned());
                found.references.insert(link, href.to_owned());
            }
        }
        found.settle(document, &by_id);
        found
    }

    /// Leaves lists with other items, and gives references the labels of their notes.
    fn settle(&mut self, document: &Document, by_id: &BTreeMap<&str, NodeId>) {
        let is_item = |id: NodeId| document.is(id, &local_name!("li"));
        let is_list =
            |id: NodeId| document.is(id, &local_name!("ol")) || document.is(id, &local_name!("ul"));
        // Each list is looked at once, however many notes it has.
        let mut is_of_notes: BTreeMap<NodeId, bool> = BTreeMap::new();
        for item in self.labels.keys().copied().filter(|&id| is_item(id)) {
            let Some(list) = document.parent(item) else { continue };
            is_of_notes.entry(list).or_insert_with(|| {
                let is_note =
                    |child| document.element(child).is_none() || self.labels.contains_key(&child);
                is_list(list) && document.children(list).all(is_note)
            });
        }
        self.labels.retain(|&id, _| {
            let list = document.parent(id).and_then(|list| is_of_notes.get(&list));
            !is_item(id) || list == Some(&true)
        });
        self.lists = is_of_notes.into_iter().filter(|(_, is)| *is).map(|(list, _)| list).collect();
        let labels = &self.labels;
        self.references.retain(|_, name| {
            let label = by_id.get(&**name).and_then(|note| labels.get(note));
            label.inspect(|label| (*label).clone_into(name)).is_some()
        });
    }
}

/// The label in the text of a link: letters and digits, maybe in brackets.
fn label(text: &str) -> Option<&str> {
    let label = text.trim().trim_matches(['[', ']', '(', ')', '.']);
    let is_plain = label.bytes().all(|b| b.is_ascii_alphanumeric());
    ((1..=LABEL).contains(&label.len()) && is_plain).then_some(label)
}

/// Whether an element is in an item, a cell or the like, where notes cannot be written.
fn is_inside(document: &Document, id: NodeId) -> bool {
    let names =
        [local_name!("li"), local_name!("td"), local_name!("th"), local_name!("blockquote")];
    document.ancestors(id).any(|around| names.iter().any(|name| document.is(around, name)))
}
