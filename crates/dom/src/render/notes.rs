//! Finds footnotes: links to notes further down, written in GitHub's syntax (`[^1]`).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use html5ever::local_name;

use crate::{Document, NodeId, is_inline};

/// Longest label of a note, in characters.
const LABEL: usize = 6;

/// Maximum number of nodes between a link to a note and the target of a link back; levels around the link that may be the target.
const BESIDE: NodeId = 3;
const AROUND: usize = 3;
/// Maximum number of links from a note back to one place.
const MOST_BACK: usize = 64;

#[derive(Debug, Default)]
pub(super) struct FootnoteMap {
    /// Labels of the notes, by element.
    pub(super) labels: BTreeMap<NodeId, String>,
    /// Links to notes, with their labels.
    pub(super) references: BTreeMap<NodeId, String>,
    /// Links to other places of the document, which have no targets in Markdown.
    pub(super) within: BTreeSet<NodeId>,
    /// Lists that consist of notes only.
    pub(super) lists: BTreeSet<NodeId>,
    /// Elements of notes that the written label replaces: they contain only the note's number or links back.
    pub(super) replaced: BTreeSet<NodeId>,
}

struct InnerLink<'a> {
    id: NodeId,
    target: NodeId,
    name: &'a str,
}

impl FootnoteMap {
    /// Finds the notes of a document: list items, paragraphs or divisions that a short link above leads to, and other blocks that
    /// also link back to it. A list with an item that is not a note has no footnotes, and a label stands for one note only. Only
    /// notes below `roots` and not below `prune` count.
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
        let targeted = links
            .into_iter()
            .filter_map(|(id, name)| Some(InnerLink { id, target: *by_id.get(name)?, name }));
        let links: Vec<InnerLink<'_>> = targeted.collect();
        let mut by_target: Vec<_> = links.iter().map(|link| (link.target, link.id)).collect();
        by_target.sort_unstable();
        let mut found = Self::default();
        let mut taken: BTreeMap<&str, NodeId> = BTreeMap::new();
        let mut back: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
        for &InnerLink { id: link, target: note, name } in &links {
            found.within.insert(link);
            if note < link {
                continue;
            }
            let leading_back = links_back(document, &by_target, link, note);
            // Further links to a note may have labels of their own, such as "1:2".
            let known = || found.labels.contains_key(&note) && !leading_back.is_empty();
            let label = label(document.text_content(link));
            let Some(label) = label.or_else(|| known().then_some("")) else { continue };
            let is_kept = is_below(&roots, note) && !is_below(&prune, note);
            let is_kind = match document.name(note) {
                Some(&local_name!("li")) => {
                    document.parent(note).is_some_and(|list| !is_inside(document, list))
                }
                Some(&local_name!("p")) => !is_inside(document, note),
                // The term of a description is its label.
                Some(&local_name!("dd")) if leading_back.is_empty() => {
                    let term = whole_note(document, note).start;
                    term < note
                        && self::label(document.text_content(term)) == Some(label)
                        && !is_inside(document, note)
                }
                Some(name) if !leading_back.is_empty() => {
                    !is_inline(name) && !is_inside(document, note)
                }
                // Divisions are also targets of other links.
                Some(&local_name!("div")) => {
                    let is_line = |id| document.element(id).is_none_or(|own| is_inline(own.name));
                    label.bytes().all(|byte| byte.is_ascii_digit())
                        && document.children(note).all(is_line)
                        && !is_inside(document, note)
                }
                _ => false,
            };
            let is_first = |label| *taken.entry(label).or_insert(note) == note;
            if is_kept && is_kind && (label.is_empty() || { is_first }(label)) {
                found.labels.entry(note).or_insert_with(|| label.to_owned());
                found.references.insert(link, name.to_owned());
                back.entry(note).or_default().extend(leading_back);
            }
        }
        found.settle(document, &by_id);
        for (note, links) in back {
            found.replace(document, note, &links);
        }
        found
    }

    /// Finds the elements that a note's written label replaces: the links back and the number, with the elements around them that
    /// contain no other letters.
    fn replace(&mut self, document: &Document, note: NodeId, links: &BTreeSet<NodeId>) {
        let nodes = whole_note(document, note);
        let is_in_other = self
            .labels
            .range(..note)
            .next_back()
            .is_some_and(|own| document.contains(*own.0, note));
        let Some(label_of_note) = self.labels.get(&note).filter(|_| !is_in_other) else { return };
        let is_letter = |text: &str| text.contains(char::is_alphanumeric);
        let mut parts = links.clone();
        // Texts with letters that are not replaced.
        let mut stay: Vec<NodeId> = Vec::new();
        let mut end_of_link = nodes.start;
        for id in nodes.clone() {
            if links.contains(&id) {
                end_of_link = document.node(id).end;
            }
            let Some(text) = document.text(id).filter(|text| id >= end_of_link && is_letter(text))
            else {
                continue;
            };
            let around = document.parent(id).filter(|around| *around != note);
            let is_label = || {
                let letters = text.chars().filter(|c| c.is_alphanumeric());
                stay.is_empty() && letters.eq(label_of_note.chars())
            };
            match around.filter(|_| is_label()) {
                Some(around) => _ = parts.insert(around),
                None => stay.push(id),
            }
        }
        let holds_letters = |id: NodeId| {
            let from = stay.partition_point(|own| *own < id);
            stay.get(from).is_some_and(|own| *own < document.node(id).end)
        };
        let is_inside = |id: &NodeId| *id != note && nodes.contains(id);
        for part in parts {
            let around = document.ancestors(part).take_while(is_inside);
            self.replaced.extend({ around }.take_while(|&id| !holds_letters(id)).last());
        }
    }

    /// Drops the notes of lists with other items, and gives references the labels of their notes.
    fn settle(&mut self, document: &Document, by_id: &BTreeMap<&str, NodeId>) {
        let is_item = |id: NodeId| document.is(id, &local_name!("li"));
        let is_list =
            |id: NodeId| document.is(id, &local_name!("ol")) || document.is(id, &local_name!("ul"));
        // Each list is examined once, however many notes it has.
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

/// Returns the label in the text of a link: ASCII letters and digits, possibly in brackets.
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

/// Returns the nodes of a note, including the term before it if the note is a description.
fn whole_note(document: &Document, note: NodeId) -> Range<NodeId> {
    let mut nodes = document.subtree(note);
    if document.is(note, &local_name!("dd")) {
        let before =
            document.ancestors(note - 1).find(|&id| document.parent(id) == document.parent(note));
        nodes.start = before.filter(|&id| document.is(id, &local_name!("dt"))).unwrap_or(note);
    }
    nodes
}

/// Returns the links in a note that lead back to `link`, to an element around it, or to a place next to it. `by_target` has all
/// links as pairs of target and link, ascending.
fn links_back(
    document: &Document,
    by_target: &[(NodeId, NodeId)],
    link: NodeId,
    note: NodeId,
) -> BTreeSet<NodeId> {
    let nodes = whole_note(document, note);
    let beside = link.saturating_sub(BESIDE)..=link + BESIDE;
    let around = document.ancestors(link).skip(1).take(AROUND);
    let last = document.len() as NodeId;
    let beside =
        beside.chain([document.node(link).end]).filter(|&id| id < last && document.is_inline(id));
    let places = beside.chain(around);
    let of_place = |place: NodeId| {
        let from = by_target.partition_point(|own| *own < (place, nodes.start));
        let own = by_target[from..].iter().take(MOST_BACK);
        own.take_while(|own| own.0 == place && own.1 < nodes.end)
            .map(|own| own.1)
            .collect::<Vec<_>>()
    };
    places.filter(|place| !nodes.contains(place)).flat_map(of_place).collect()
}
