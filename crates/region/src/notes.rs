//! Finds anchors within an article, and the notes that its text refers to.

use std::collections::{BTreeMap, BTreeSet};

use dom::{Document, LocalName, NodeId, absolute_url, local_name, local_names};
use url::Url;

use crate::hidden::is_hidden_for_now;
use crate::texts::PageTexts;
use crate::tree::{At, NodeMark, RegionTree};

/// Prefix of ids, so that they do not clash with ids of the page that shows the article.
pub(crate) const PREFIX: &str = "article-";
/// Longest label of a link to a note, in characters: a number, a sign, `[12]`.
const LABEL: usize = 6;
/// Longest note, in bytes; an element with several notes may be longer.
const LONGEST: u32 = 4_000;
/// Minimum text of a note that is hidden next to its mark, in bytes.
const LEAST: u32 = 20;

#[derive(Debug, Default)]
pub(crate) struct Anchors {
    /// Targets of links within the article, by node.
    pub(crate) targets: BTreeMap<NodeId, String>,
    /// Links within the article, with the ids of their targets.
    pub(crate) links: BTreeMap<NodeId, String>,
    pub(crate) references: BTreeSet<NodeId>,
    /// The elements that are notes, with their ids.
    pub(crate) notes: BTreeMap<NodeId, String>,
}

/// Returns the fragment of a link to the page itself.
fn fragment(document: &Document, link: NodeId, base: &Url) -> Option<String> {
    let href = document.attribute(link, &local_name!("href"))?.trim();
    let encoded = match href.strip_prefix('#') {
        Some(fragment) => fragment.to_owned(),
        None if href.contains('#') => {
            let url = absolute_url(href, base)?;
            let fragment = url.fragment()?.to_owned();
            let is_same = url.host() == base.host()
                && (url.path(), url.query()) == (base.path(), base.query());
            is_same.then_some(fragment)?
        }
        None => return None,
    };
    (!encoded.is_empty() && encoded.len() <= 200).then_some(encoded)
}

/// Finds the links within the article and their targets. Includes notes outside the article, and missing parts of other notes,
/// without `unseen` elements.
pub(crate) fn anchors(
    texts: &PageTexts<'_>,
    links: &[NodeId],
    unseen: &BTreeSet<NodeId>,
    include: &mut [bool],
) -> Anchors {
    let document = texts.document;
    let mut anchors = Anchors::default();
    let is_link = |id: &NodeId| document.is(*id, &local_name!("a"));
    let fragment = |id: NodeId| Some((id, fragment(document, id, texts.base)?));
    let mut included = links.iter().copied().filter(|&id| include[id as usize]);
    if included.find_map(fragment).is_none() {
        return anchors;
    }
    let wanted: Vec<(NodeId, String)> = links.iter().copied().filter_map(fragment).collect();
    let names: BTreeSet<&str> = wanted.iter().map(|link| &*link.1).collect();
    let mut by_id: BTreeMap<&str, NodeId> = BTreeMap::new();
    for id in document.ids() {
        let named = document.attribute(id, &local_name!("name")).filter(|_| is_link(&id));
        for name in [document.attribute(id, &local_name!("id")), named].into_iter().flatten() {
            if let Some(name) = names.get(name.trim()) {
                by_id.entry(name).or_insert(id);
            }
        }
    }
    let mut targets: Vec<NodeId> = by_id.values().copied().collect();
    targets.sort_unstable();
    // The first target in each note.
    let mut first: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for (link, name) in wanted.iter().filter(|link| include[link.0 as usize]) {
        let Some(&target) = by_id.get(&**name) else { continue };
        if !is_note_link(document, *link) || target < *link {
            continue;
        }
        let Some(note) = note_around(texts, &targets, target, *link) else { continue };
        anchors.references.insert(*link);
        if first.get(&note).is_none_or(|first| target < *first) {
            first.insert(note, target);
            anchors.notes.insert(note, name.clone());
        }
    }
    // Links back, and links to sections, have targets that are included anyway.
    for &note in anchors.notes.keys() {
        let bytes = |id: NodeId| texts.all.range(id, id + 1);
        let kept = document.subtree(note).filter(|&own| include[own as usize]).map(bytes);
        let kept: u32 = kept.sum();
        // Either only the label was kept, or at least half of the text.
        let is_rest = kept <= LABEL as u32 || texts.text(note) <= kept * 2;
        if kept == 0 || !include[note as usize] && is_rest {
            include[note as usize..document.node(note).end as usize].fill(true);
            for &out in unseen.range(document.subtree(note)).filter(|_| kept > 0) {
                include[out as usize..document.node(out).end as usize].fill(false);
            }
        }
        include[note as usize] = true;
        // A term is the label of its description.
        let is_term = |id: &NodeId| document.is(*id, &local_name!("dt"));
        let target = first.get(&note).copied().unwrap_or(note);
        if let Some(term) = document.ancestors(target).find(is_term).filter(|&term| term < note) {
            include[term as usize..document.node(term).end as usize].fill(true);
        }
    }
    // Each note has the name of a link that leads to it, and a name leads to one note.
    let notes: BTreeMap<&str, NodeId> =
        anchors.notes.iter().map(|(note, name)| (&**name, *note)).collect();
    for (link, name) in &wanted {
        let Some(&target) = by_id.get(&**name) else { continue };
        let target = notes.get(&**name).copied().unwrap_or(target);
        if include[*link as usize] && include[target as usize] {
            let id = anchors.targets.entry(target).or_insert_with(|| name.clone()).clone();
            anchors.links.insert(*link, id);
        }
    }
    anchors
}

/// Includes `unseen` notes that are directly after their marks. Neither notes nor marks are part of the text (`read`).
pub(crate) fn add_hidden_notes(
    texts: &PageTexts<'_>,
    unseen: &BTreeSet<NodeId>,
    include: &mut [bool],
    read: &mut [bool],
    anchors: &mut Anchors,
) {
    let document = texts.document;
    for &note in unseen.iter().filter(|&&id| (LEAST..=LONGEST).contains(&texts.text(id))) {
        let Some(mark) = mark_before(texts, note) else { continue };
        let is_link = |id: &NodeId| document.is(*id, &local_name!("a"));
        let link = document.ancestors(mark).take(4).find(is_link).unwrap_or(mark);
        if !anchors.notes.contains_key(&note) {
            let href = document.attribute(link, &local_name!("href")).unwrap_or_default();
            let leads_elsewhere =
                !href.is_empty() && !href.starts_with('#') && !href.starts_with("javascript:");
            let is_known = anchors.references.contains(&link) || document.contains(link, note);
            if leads_elsewhere || is_known || !include[mark as usize] {
                continue;
            }
            let own = document.attribute(note, &local_name!("id")).map(str::trim);
            let own = own.filter(|own| !own.is_empty()).map(str::to_owned);
            let name = own.unwrap_or_else(|| format!("note-{note}"));
            let name = anchors.targets.entry(note).or_insert(name).clone();
            anchors.notes.insert(note, name.clone());
            anchors.links.insert(link, name);
            anchors.references.insert(link);
        }
        let nodes = note as usize..document.node(note).end as usize;
        include[nodes.clone()].fill(true);
        read[nodes].fill(false);
        read[mark as usize] = false;
    }
}

/// Returns the text directly before a hidden inline element if it looks like a note mark: a number, a sign or a letter that is
/// raised or linked, or is alone with the element in their parent.
fn mark_before(texts: &PageTexts<'_>, note: NodeId) -> Option<NodeId> {
    let document = texts.document;
    if !document.is_inline(note) || !is_hidden_for_now(document, note) {
        return None;
    }
    let is_shown = |id: &NodeId| texts.all.range(*id, id + 1) > 0;
    let mark = (0..note).rev().take(4).find(is_shown)?;
    let label = document.text(mark)?.trim().trim_matches(['[', ']', '(', ')']);
    let is_label = (1..=LABEL).contains(&label.chars().count())
        && (label
            .chars()
            .all(|c| c.is_ascii_digit() || "*\u{2020}\u{2021}\u{a7}\u{b6}".contains(c))
            || label.chars().count() == 1 && label.contains(char::is_alphabetic));
    let is_mark = |id: NodeId| matches!(document.name(id), Some(&local_names!("a" "sup" "button")));
    let around = document.parent(note)?;
    let is_alone = document.contains(around, mark)
        && document.is_inline(around)
        && texts.text(around) == texts.text(mark) + texts.text(note);
    (is_label && (is_alone || document.ancestors(mark).take(4).any(is_mark))).then_some(mark)
}

/// Whether a link looks like a reference to a note: it is short, or marked as such.
fn is_note_link(document: &Document, link: NodeId) -> bool {
    let says = |name: &str| {
        let value = document.attribute(link, &LocalName::from(name)).unwrap_or_default();
        value.contains("noteref") || value.contains("footnote")
    };
    let text = document.text_content(link).trim();
    let short = (1..=LABEL).contains(&text.chars().count());
    let is_label = short
        && (text.contains(|c: char| c.is_ascii_digit() || "*†‡§¶".contains(c))
            || text.chars().count() <= 3);
    let raised = || {
        let mut near = document.ancestors(link).take(3).chain(document.subtree(link));
        near.any(|id| document.is(id, &local_name!("sup")))
    };
    says("role") || says("epub:type") || is_label || short && raised()
}

/// Returns the note that contains the target of a link: an item, a paragraph or the like. An element that also contains the link
/// is not a note, but the target itself may be one.
fn note_around(
    texts: &PageTexts<'_>,
    targets: &[NodeId],
    target: NodeId,
    link: NodeId,
) -> Option<NodeId> {
    let document = texts.document;
    let holds = |id: &NodeId| {
        matches!(
            document.name(*id),
            Some(&local_names!("li" "p" "div" "dd" "dt" "td" "tr" "table" "aside" "section"))
        )
    };
    let mut note = document.ancestors(target).take(6).find(holds)?;
    if document.is(note, &local_name!("dt")) {
        let mut after = document.children(document.parent(note)?).skip_while(|&own| own <= note);
        note = { after }.find(|&own| document.name(own).is_some()).unwrap_or(note);
    }
    if document.is(note, &local_name!("td")) && texts.text(note) <= LABEL as u32 {
        note = document.parent(note)?;
    }
    if document.contains(note, link) {
        let is_note = document.is_inline(target) && texts.text(target) > LABEL as u32;
        return is_note.then_some(target);
    }
    let before = |id: NodeId| targets.partition_point(|&target| target < id);
    let notes = before(document.node(note).end) - before(note);
    let longest = LONGEST.saturating_mul(u32::try_from(notes.max(1)).unwrap_or(u32::MAX));
    (1..=longest).contains(&texts.text(note)).then_some(note)
}

/// Splits elements with several notes in lines: each note begins with the target of a link to it.
pub(crate) fn split_notes(tree: &mut RegionTree<'_>) {
    let href = |at: At| tree.attribute(at, &local_name!("href"))?.strip_prefix('#');
    let links = tree.below(0).filter(|&at| tree.nodes[at].mark == NodeMark::Reference);
    let wanted: BTreeSet<String> = links.filter_map(href).map(str::to_owned).collect();
    if wanted.is_empty() {
        return;
    }
    for table in tree.all(local_name!("table")).collect::<Vec<_>>() {
        describe_rows(tree, table);
    }
    for parent in tree.below(0).collect::<Vec<_>>() {
        let is_note = |at: &At| tree.nodes[*at].mark == NodeMark::Note;
        if !tree.nodes[parent].children.iter().any(is_note) {
            continue;
        }
        let mut children = Vec::new();
        for child in std::mem::take(&mut tree.nodes[parent].children) {
            children.push(child);
            if tree.nodes[child].mark == NodeMark::Note {
                split_note(tree, child, &wanted, &mut children);
            }
        }
        tree.nodes[parent].children = children;
    }
    for at in tree.below(0).collect::<Vec<_>>() {
        bracket_references(tree, at);
        if tree.nodes[at].mark == NodeMark::Note {
            complete_links_back(tree, at);
        }
    }
    mark_labels(tree);
}

/// Turns a table whose rows are notes with label and text into a list of terms and descriptions.
fn describe_rows(tree: &mut RegionTree<'_>, table: At) {
    let rows: Vec<At> = tree.below(table).filter(|&at| tree.is(at, &local_name!("tr"))).collect();
    let is_note =
        |&row: &At| tree.nodes[row].mark == NodeMark::Note && tree.shown_children(row).count() == 2;
    if rows.is_empty() || !rows.iter().all(is_note) {
        return;
    }
    let mut children = Vec::new();
    for row in rows {
        let cells: Vec<At> = tree.shown_children(row).collect();
        let names = [local_name!("dt"), local_name!("dd")];
        for (&cell, name) in cells.iter().zip(names) {
            tree.nodes[cell].name = Some(name);
            tree.nodes[cell].attributes.clear();
        }
        if let [_, text] = *cells {
            tree.nodes[text].mark = NodeMark::Note;
            tree.nodes[text].attributes = std::mem::take(&mut tree.nodes[row].attributes);
        }
        children.extend(cells);
    }
    tree.nodes[table].name = Some(local_name!("dl"));
    tree.nodes[table].attributes.clear();
    tree.nodes[table].children = children;
}

/// Marks the labels at the start of notes, if all notes begin with the label of their link: a single number may be text.
fn mark_labels(tree: &mut RegionTree<'_>) {
    let mut labels: BTreeMap<String, String> = BTreeMap::new();
    for at in tree.below(0).filter(|&at| tree.nodes[at].mark == NodeMark::Reference) {
        let href = tree.attribute(at, &local_name!("href")).unwrap_or_default();
        let id = href.trim_start_matches('#').to_owned();
        labels.entry(id).or_insert_with(|| tree.text_of(at));
    }
    let is_note = |&at: &At| tree.nodes[at].mark == NodeMark::Note;
    let begins = |note: At| {
        let label = labels.get(tree.attribute(note, &local_name!("id"))?)?;
        let label = label.trim_matches(['[', ']', '(', ')', '.']);
        let is_text = |at: At| tree.nodes[at].name.is_none() && !tree.is_space(at);
        let first_of = |at: At| tree.shown_children(at).find(|&own| tree.below(own).any(is_text));
        let (mut holder, mut first) = (note, first_of(note)?);
        while tree.nodes[first].name.is_some() {
            (holder, first) = (first, first_of(first)?);
        }
        let text = &*tree.nodes[first].text;
        let rest = text.trim_start().trim_start_matches(['[', '(']).strip_prefix(label)?;
        let rest = rest.trim_start_matches([']', ')', '.', ':']);
        let is_label = !label.is_empty() && !rest.starts_with(char::is_alphanumeric);
        let is_linked = tree.attribute(holder, &local_name!("href")).is_some();
        (is_label && !is_linked).then_some((note, holder, first, text.len() - rest.len()))
    };
    let found: Option<Vec<_>> = tree.below(0).filter(is_note).map(begins).collect();
    for (note, mut holder, first, end) in found.into_iter().flatten() {
        let is_alone = tree.shown_children(holder).count() == 1 && holder != note;
        if !is_alone || tree.nodes[first].text.len() > end {
            let text = std::mem::take(&mut tree.nodes[first].text);
            let label = tree.element(local_name!("span"));
            tree.push_text(label, text[..end].trim().to_owned());
            tree.nodes[first].text = text[end..].to_owned().into();
            let place = tree.nodes[holder].children.iter().position(|&child| child == first);
            tree.nodes[holder].children.insert(place.unwrap_or(0), label);
            holder = label;
        }
        tree.nodes[holder].mark = NodeMark::NoteLabel;
    }
}

/// Moves brackets around links to notes into the links: they are part of the labels.
fn bracket_references(tree: &mut RegionTree<'_>, parent: At) {
    let children = tree.nodes[parent].children.clone();
    for around in children.windows(3) {
        let &[before, link, after] = around else { continue };
        let is_bracketed = tree.nodes[link].mark == NodeMark::Reference
            && tree.nodes[before].text.ends_with('[')
            && tree.nodes[after].text.starts_with(']');
        if is_bracketed {
            let opening = tree.nodes[before].text.len() - 1;
            let text = std::mem::take(&mut tree.nodes[before].text);
            tree.nodes[before].text = text[..opening].to_owned().into();
            let text = std::mem::take(&mut tree.nodes[after].text);
            tree.nodes[after].text = text[1..].to_owned().into();
            let bracket = tree.text("[");
            tree.nodes[link].children.insert(0, bracket);
            tree.push_text(link, "]");
        }
    }
}

/// Moves signs around the links back at the start of a note into these links: `^ a, b` and `1.`.
fn complete_links_back(tree: &mut RegionTree<'_>, note: At) {
    let mut holder = note;
    while let Some(first) = tree.shown_children(holder).next()
        && matches!(tree.nodes[first].name, Some(local_names!("p" "div")))
    {
        holder = first;
    }
    let link_back = |tree: &RegionTree<'_>, at: At| {
        let is_back = |own: &At| {
            let href = tree.attribute(*own, &local_name!("href"));
            href.is_some_and(|href| href.strip_prefix('#').is_some_and(|id| id.starts_with(PREFIX)))
        };
        let link = tree.below(at).find(is_back)?;
        (tree.text_of(at) == tree.text_of(link)).then_some(link)
    };
    let has_words = |text: &str| text.contains(char::is_alphanumeric);
    let mut signs: Vec<At> = Vec::new();
    let mut last: Option<At> = None;
    let mut children: Vec<At> = Vec::new();
    let mut rest = std::mem::take(&mut tree.nodes[holder].children).into_iter().peekable();
    while let Some(&child) = rest.peek() {
        if let Some(link) = link_back(tree, child) {
            if !has_words(&tree.text_of(link)) {
                break;
            }
            let before = std::mem::take(&mut signs);
            tree.nodes[link].children.splice(0..0, before);
            last = Some(link);
            children.push(child);
        } else if tree.is_space(child) {
            children.push(child);
        } else if tree.nodes[child].name.is_none() && !has_words(&tree.nodes[child].text) {
            signs.push(child);
        } else {
            break;
        }
        rest.next();
    }
    let behind = signs.first().copied().or_else(|| rest.peek().copied());
    if let (Some(link), Some(behind)) = (last, behind)
        && tree.nodes[behind].text.starts_with(['.', ')', ':', ']'])
    {
        let text = std::mem::take(&mut tree.nodes[behind].text);
        tree.push_text(link, text[..1].to_owned());
        tree.nodes[behind].text = text[1..].to_owned().into();
    }
    children.append(&mut signs);
    children.extend(rest);
    tree.nodes[holder].children = children;
}

/// Moves the notes of an element, except for the first, to elements of their own in `more`.
fn split_note(tree: &mut RegionTree<'_>, note: At, wanted: &BTreeSet<String>, more: &mut Vec<At>) {
    let is_block = |at: &At| {
        let name = tree.nodes[*at].name.as_ref();
        name.is_some_and(|name| !dom::is_inline(name) && *name != local_name!("br"))
    };
    if tree.nodes[note].children.iter().any(is_block) {
        return;
    }
    let (name, mut current) = (tree.nodes[note].name.clone(), note);
    for child in std::mem::take(&mut tree.nodes[note].children) {
        let id = |at: At| tree.attribute(at, &local_name!("id")).filter(|id| wanted.contains(*id));
        let target = tree.below(child).find_map(|at| Some((at, id(at)?.to_owned())));
        let begins = tree.nodes[current].children.iter().all(|&at| tree.is_space(at));
        if let Some((target, id)) = target.filter(|_| !begins)
            && let Some(name) = &name
        {
            trim_end(tree, current);
            current = tree.element(name.clone());
            more.push(current);
            tree.nodes[current].mark = NodeMark::Note;
            tree.nodes[target].attributes.retain(|own| own.0 != local_name!("id"));
            tree.set(current, local_name!("id"), id);
        }
        tree.nodes[current].children.push(child);
    }
}

/// Removes line breaks and white space at the end of an element.
fn trim_end(tree: &mut RegionTree<'_>, at: At) {
    let is_blank = |child: At| tree.is(child, &local_name!("br")) || tree.is_space(child);
    let last = tree.nodes[at].children.iter().rposition(|&child| !is_blank(child));
    tree.nodes[at].children.truncate(last.map_or(0, |last| last + 1));
}

/// Replaces links to targets that were left out of the article by their addresses on the page.
pub(crate) fn restore_outer_links(tree: &mut RegionTree<'_>, base: &Url) {
    let within = |at: At| {
        let href = tree.attribute(at, &local_name!("href"))?;
        Some((at, href.strip_prefix('#')?.to_owned()))
    };
    let links: Vec<(At, String)> = tree.all(local_name!("a")).filter_map(within).collect();
    if links.is_empty() {
        return;
    }
    let ids = tree.below(0).filter_map(|at| tree.attribute(at, &local_name!("id")));
    let ids: BTreeSet<String> = ids.map(str::to_owned).collect();
    for (at, id) in links.into_iter().filter(|link| !ids.contains(&link.1)) {
        let mut url = base.clone();
        url.set_fragment(id.strip_prefix(PREFIX));
        tree.nodes[at].mark = NodeMark::None;
        tree.nodes[at].attributes.retain(|a| a.0 != local_name!("href"));
        tree.set(at, local_name!("href"), String::from(url));
    }
}
