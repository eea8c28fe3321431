//! Lists the pictures, tables, embedded media and notes of a tree.

use std::collections::BTreeMap;

use dom::local_name;
use model::{Embed, EmbedKind, Footnote, Image, Table};

use crate::notes::PREFIX;
use crate::tree::{At, NodeMark, RegionTree};

/// Maximum number of columns of a table; spans are limited to it.
const MOST_COLUMNS: usize = 100;

/// Returns pictures with their captions, and the other sources of each, in order. Pictures embedded in the page have no address
/// and are left out.
pub(crate) fn images(tree: &RegionTree<'_>) -> (Vec<Image>, Vec<Vec<String>>) {
    let (mut images, mut sources) = (Vec::new(), Vec::new());
    let mut next: Vec<(At, Option<At>)> = vec![(0, None)];
    while let Some((at, figure)) = next.pop() {
        // A figure without a caption has the caption of the figure around it.
        let is_own = tree.is(at, &local_name!("figure"))
            && (figure.is_none() || captions_of(tree, at).next().is_some());
        let figure = if is_own { Some(at) } else { figure };
        if tree.is(at, &local_name!("img"))
            && let Some(image) = image(tree, at, figure)
        {
            images.push(image);
            sources.push(tree.others.get(&at).cloned().unwrap_or_default());
        }
        next.extend(tree.nodes[at].children.iter().rev().map(|&child| (child, figure)));
    }
    (images, sources)
}

fn captions_of(tree: &RegionTree<'_>, figure: At) -> impl Iterator<Item = At> {
    let children = tree.nodes[figure].children.iter().copied();
    children.filter(|&child| tree.is(child, &local_name!("figcaption")))
}

fn image(tree: &RegionTree<'_>, at: At, figure: Option<At>) -> Option<Image> {
    let url = tree.attribute(at, &local_name!("src")).filter(|src| !src.starts_with("data:"))?;
    let side = |name| tree.attribute(at, &name).and_then(|side| side.parse().ok());
    let some = |text: String| (!text.is_empty()).then_some(text);
    let is_credit = |at: At| tree.nodes[at].mark == NodeMark::Credit;
    let captions: Vec<At> =
        figure.into_iter().flat_map(|figure| captions_of(tree, figure)).collect();
    let text = |leave_credits: bool| {
        let of = |&caption: &At| tree.text_below(caption, |at| leave_credits && is_credit(at));
        some(captions.iter().map(of).collect::<Vec<_>>().join(" ").trim().to_owned())
    };
    let credits =
        captions.iter().flat_map(|&caption| tree.below(caption)).filter(|&at| is_credit(at));
    let credit = credits.map(|at| tree.text_of(at)).find(|credit| !credit.is_empty());
    Some(Image {
        url: url.to_owned(),
        caption: text(true),
        alt: tree.attribute(at, &local_name!("alt")).and_then(|alt| some(alt.to_owned())),
        credit,
        width: side(local_name!("width")),
        height: side(local_name!("height")),
        record: None,
    })
}

/// Returns tables with the texts of their cells.
pub(crate) fn tables(tree: &RegionTree<'_>) -> Vec<Table> {
    tree.all(local_name!("table")).map(|at| table(tree, at)).collect()
}

fn table(tree: &RegionTree<'_>, table: At) -> Table {
    let mut found = Table::default();
    let mut headers = true;
    for part in tree.nodes[table].children.iter().copied() {
        if tree.is(part, &local_name!("caption")) {
            found.caption = Some(tree.text_of(part)).filter(|text| !text.is_empty());
            continue;
        }
        let children = tree.nodes[part].children.iter().copied();
        for row in children.filter(|&row| tree.is(row, &local_name!("tr"))) {
            let mut cells = Vec::new();
            let mut all_headers = true;
            for &cell in &tree.nodes[row].children {
                let span = tree
                    .attribute(cell, &local_name!("colspan"))
                    .and_then(|span| span.trim().parse().ok());
                let span = span.unwrap_or(1_usize).clamp(1, MOST_COLUMNS);
                cells.push(tree.text_of(cell));
                cells.extend(std::iter::repeat_n(String::new(), span - 1));
                all_headers &= tree.is(cell, &local_name!("th"));
            }
            headers &= all_headers || tree.is(part, &local_name!("thead"));
            found.header_rows += u32::from(headers);
            found.rows.push(cells);
        }
    }
    found
}

pub(crate) fn embeds(tree: &RegionTree<'_>) -> Vec<Embed> {
    tree.below(0).filter_map(|at| embed(tree, at)).collect()
}

fn embed(tree: &RegionTree<'_>, at: At) -> Option<Embed> {
    let name = tree.nodes[at].name.as_ref()?;
    let title = || tree.attribute(at, &local_name!("title")).map(str::to_owned);
    let player = match *name {
        local_name!("video") => Some(EmbedKind::Video),
        local_name!("audio") => Some(EmbedKind::Audio),
        _ => None,
    };
    if let Some(kind) = player {
        let url = tree.attribute(at, &local_name!("src"))?.to_owned();
        return Some(Embed { kind, url, title: title() });
    }
    let kind = kind_named(tree.data(at, "data-embed")?)?;
    if let Some(address) = tree.data(at, "data-address") {
        return Some(Embed { kind, url: address.to_owned(), title: title() });
    }
    let link = tree.below(at).find(|&link| tree.is(link, &local_name!("a")))?;
    let url = tree.attribute(link, &local_name!("href"))?.to_owned();
    let title = Some(tree.text_of(link)).filter(|title| *title != url);
    Some(Embed { kind, url, title })
}

fn kind_named(name: &str) -> Option<EmbedKind> {
    use EmbedKind::{Audio, Chart, Document, Frame, Map, Post, Video};
    [Video, Audio, Post, Map, Chart, Document, Frame].into_iter().find(|kind| kind.as_str() == name)
}

/// Returns notes with the labels of the links to them, in order.
pub(crate) fn footnotes(tree: &RegionTree<'_>) -> Vec<Footnote> {
    let id_of = |at: At| tree.attribute(at, &local_name!("id"));
    let is_note = |at: &At| tree.nodes[*at].mark == NodeMark::Note && id_of(*at).is_some();
    // The first link to each id.
    let mut references: BTreeMap<&str, At> = BTreeMap::new();
    for at in tree.below(0).filter(|&at| tree.nodes[at].mark == NodeMark::Reference) {
        let href = tree.attribute(at, &local_name!("href"));
        if let Some(id) = href.and_then(|href| href.strip_prefix('#')) {
            references.entry(id).or_insert(at);
        }
    }
    let note = |at: At| {
        let id = id_of(at).unwrap_or_default();
        let label = references.get(id).map(|&link| tree.text_of(link));
        let is_label = |at: At| {
            let href = tree.attribute(at, &local_name!("href"));
            tree.nodes[at].mark == NodeMark::NoteLabel
                || tree.is(at, &local_name!("a"))
                    && href.is_some_and(|href| href.starts_with(&format!("#{PREFIX}")))
        };
        let label = label.unwrap_or_default();
        let text = without_brackets(&tree.text_below(at, is_label), &label).to_owned();
        Footnote { id: id.to_owned(), text, label }
    };
    tree.below(0).filter(is_note).map(note).collect()
}

/// Removes brackets at the start of a note's text that contain its label, or nothing after links back were removed.
fn without_brackets<'t>(text: &'t str, label: &str) -> &'t str {
    let label = label.trim_matches(['[', ']', '(', ')']);
    let mut rest = text;
    loop {
        let inner = rest.strip_prefix(['[', '(']).and_then(|rest| rest.split_once([']', ')']));
        let Some((held, after)) = inner else { return rest };
        if held.contains(char::is_alphanumeric) && held != label {
            return rest;
        }
        rest = after.trim_start();
    }
}
