//! Finds figures and their captions, including those that only a class marks: WordPress and many others write them with `div` and
//! `p`.

use std::collections::BTreeMap;

use dom::{Document, NodeId, PrefixSums, is_heading, is_inline, local_name, local_names};

use crate::names::has_class_of_caption;
use crate::structures::{is_layout, is_plain};
use crate::texts::PageTexts;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Figure,
    Caption,
}

/// Maximum number of levels between a caption and the figure around it.
const LEVELS: usize = 4;
/// Longest other text in a figure with a caption, in bytes: "Enlarge", "1 of 3".
const BESIDE: u32 = 24;
/// Longest text of a figure that is taken as its caption although it is not marked, in bytes.
const LONGEST: u32 = 700;

/// Maximum bytes and nodes of a box that is taken as a figure with a caption although neither is marked.
const UNMARKED: (u32, u32) = (200, 40);

/// A caption or credit after the element that contains its picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaptionBehind {
    pub(crate) picture: NodeId,
    pub(crate) caption: NodeId,
}

/// Returns the roles of figures and captions, and the captions that follow the element with their picture. `pictures` are the
/// pictures and other media of the page in document order, `figures` its `figure` elements, `texts` the bytes of its texts.
pub(crate) fn roles(
    document: &Document,
    texts: &PrefixSums,
    pictures: &[NodeId],
    figures: &[NodeId],
) -> (BTreeMap<NodeId, Role>, Vec<CaptionBehind>) {
    let mut roles = BTreeMap::new();
    let mut behind: Vec<CaptionBehind> = Vec::new();
    if pictures.is_empty() {
        return (roles, behind);
    }
    let holds_picture = |id: NodeId| {
        let from = pictures.partition_point(|&picture| picture < id);
        pictures.get(from).is_some_and(|&picture| document.contains(id, picture))
    };
    // Elements of one kind have the same names.
    let kinds = document.kinds();
    let marked: Vec<bool> =
        kinds.all().iter().map(|kind| is_caption(document, kind.first)).collect();
    let is_marked = |id: NodeId| marked.get(kinds.of_nodes()[id as usize] as usize) == Some(&true);
    let mut captions: Vec<NodeId> = Vec::new();
    for id in document.ids().filter(|&id| is_marked(id)) {
        let inside = captions.last().is_some_and(|&last| document.contains(last, id));
        if !inside && texts.sum(document, id) > 0 && !holds_picture(id) {
            captions.push(id);
        }
    }
    let captioned = |id: NodeId| -> u32 {
        let from = captions.partition_point(|&caption| caption < id);
        let own = captions[from..].iter().take_while(|&&caption| document.contains(id, caption));
        own.map(|&caption| texts.sum(document, caption)).sum()
    };
    for &caption in &captions {
        for around in document.ancestors(caption).skip(1).take(LEVELS) {
            let is_figure = document.is(around, &local_name!("figure"));
            if !is_figure && (texts.sum(document, around) > captioned(around) + BESIDE) {
                break;
            }
            if holds_picture(around) && !document.is(around, &local_name!("tbody")) {
                if is_figure || may_be_figure(document, around) {
                    roles.insert(around, Role::Figure);
                    roles.insert(caption, Role::Caption);
                }
                break;
            }
        }
    }
    for &caption in captions.iter().filter(|caption| !roles.contains_key(*caption)) {
        let Some(before) = element_before(document, caption) else { continue };
        let picture = match behind.last().filter(|last| last.caption == before) {
            Some(last) => last.picture,
            None => before,
        };
        if texts.sum(document, caption) <= LONGEST
            && holds_picture(picture)
            && texts.sum(document, picture) <= captioned(picture) + BESIDE
        {
            behind.push(CaptionBehind { picture, caption });
        }
    }
    roles.extend(behind.iter().map(|own| (own.caption, Role::Caption)));
    // Figures whose only text is not marked as a caption.
    for &figure in figures {
        let text = texts.sum(document, figure);
        if roles.contains_key(&figure) || text == 0 || text > LONGEST || !holds_picture(figure) {
            continue;
        }
        if let Some(caption) = only_text_beside(document, texts, holds_picture, figure) {
            roles.insert(caption, Role::Caption);
        }
        roles.insert(figure, Role::Figure);
    }
    (roles, behind)
}

/// Returns the element that has all text of a figure, beside its picture.
fn only_text_beside(
    document: &Document,
    texts: &PrefixSums,
    holds_picture: impl Fn(NodeId) -> bool,
    figure: NodeId,
) -> Option<NodeId> {
    let outermost = |id: &NodeId| {
        let holds_text = document.name(*id).is_some() && texts.sum(document, *id) > 0;
        holds_text && !holds_picture(*id) && document.parent(*id).is_some_and(&holds_picture)
    };
    let mut found = document.subtree(figure).skip(1).filter(outermost);
    let only = found.next().filter(|_| found.next().is_none())?;
    (texts.sum(document, only) == texts.sum(document, figure)).then_some(only)
}

/// Adds the roles of pictures between texts of the article whose captions nothing marks: the smallest box around each has
/// behind it nothing but a few words without links. `shown` are the pictures of the article.
pub(crate) fn add_unmarked(
    texts: &PageTexts<'_>,
    shown: impl Iterator<Item = NodeId>,
    roles: &mut BTreeMap<NodeId, Role>,
) {
    let document = texts.document;
    let is_other = |own: NodeId| {
        document.name(own).is_some_and(|name| {
            is_heading(name) || matches!(*name, local_names!("button" "input" "select" "ul" "ol"))
        })
    };
    for picture in shown.filter(|&id| texts.is_between(id)) {
        let Some(top) = texts.top(picture).filter(|&top| texts.own(top) == 0) else { continue };
        let around = || document.ancestors(picture).skip(1).take_while(|&own| own >= top);
        let is_box = |own: &NodeId| texts.text(*own) > 0 && may_be_figure(document, *own);
        let Some(figure) = around().find(is_box) else { continue };
        if texts.text(figure) > UNMARKED.0
            || document.node(figure).end - figure > UNMARKED.1
            || around().any(|own| roles.contains_key(&own))
            || !is_plain(texts, figure)
            || document.subtree(figure).any(is_other)
        {
            continue;
        }
        let caption =
            only_text_beside(document, &texts.all, |id| document.contains(id, picture), figure);
        // A single word, such as "Advertisement", is no caption.
        let is_other = |id: NodeId| {
            id < picture
                || document.text_content(id).trim().bytes().all(|b| b.is_ascii_graphic())
                || document.subtree(id).any(|own| document.is(own, &local_name!("img")))
        };
        // The cell of a row.
        let of =
            |id: NodeId| document.subtree(id).find(|&own| !document.is(own, &local_name!("tr")));
        if let Some(caption) = caption.filter(|&id| !is_other(id)).and_then(of) {
            roles.extend([(caption, Role::Caption), (figure, Role::Figure)]);
        }
    }
}

/// Returns the previous sibling element if only white space is between the two.
fn element_before(document: &Document, id: NodeId) -> Option<NodeId> {
    let parent = document.parent(id)?;
    let is_blank = |own: NodeId| document.text(own).is_some_and(|text| text.trim().is_empty());
    let last = (parent + 1..id).rev().find(|&own| !is_blank(own))?;
    let mut around = document.ancestors(last);
    around
        .find(|&own| document.parent(own) == Some(parent))
        .filter(|&own| document.name(own).is_some())
}

/// Whether a node is in an element that is marked as a caption by its name or class.
pub fn is_in_caption(document: &Document, id: NodeId) -> bool {
    document.ancestors(id).take(LEVELS + 1).any(|above| is_caption(document, above))
}

fn is_caption(document: &Document, id: NodeId) -> bool {
    match document.name(id) {
        Some(&local_name!("figcaption")) => true,
        Some(&local_names!("p" "div" "span" "small" "em" "i" "dd" "cite" "td")) => {
            has_class_of_caption(document, id)
        }
        _ => false,
    }
}

/// Whether an element can become a figure in its place and contain a caption.
fn may_be_figure(document: &Document, id: NodeId) -> bool {
    match document.name(id) {
        Some(&local_name!("table")) => is_layout(document, id),
        Some(
            &local_names!(
                "html" "body" "article" "main" "p" "li" "dt" "dd" "td" "th" "tr" "tbody" "ul" "ol" "dl"
                "pre" "figcaption" "summary" "h1" "h2" "h3" "h4" "h5" "h6"
            ),
        )
        | None => false,
        Some(name) => !is_inline(name),
    }
}
