//! Chooses the elements that belong to an article besides its text.
//!
//! The decision depends on the *top* of an element: the outermost element around it without text of the article. An element
//! belongs to the article if no element up to its top is named like a teaser or an advertisement, and its top is between two
//! texts of the article or directly next to them.

use std::collections::{BTreeMap, BTreeSet};

use dom::{Document, ElementKind, LocalName, NodeId, PrefixSums, local_name, local_names};
use url::Url;

use crate::allowed::meant;
use crate::captions::{CaptionBehind, Role, add_unmarked, roles};
use crate::code::{self, CodeBlock};
use crate::embed::{Embedded, Medium, is_player, quoted_post};
use crate::formulas::begins_formula;
use crate::further;
use crate::hidden;
use crate::names::NamedKinds;
use crate::notes::{Anchors, add_hidden_notes, anchors};
use crate::picture::is_picture;
use crate::structures;
use crate::texts::{PageTexts, body_of, visible};
use crate::{katex, media};

#[derive(Debug)]
pub(crate) struct ChosenNodes {
    /// Whether each node is included: texts, and elements that are written as elements.
    pub(crate) include: Vec<bool>,
    pub(crate) media: BTreeMap<NodeId, Medium>,
    /// Media of the aside, by the number of their place.
    pub(crate) aside: BTreeMap<usize, Medium>,
    /// Elements that are written as figures and captions.
    pub(crate) roles: BTreeMap<NodeId, Role>,
    /// The innermost element around all texts of the article.
    pub(crate) container: NodeId,
    /// Quoted posts by element.
    pub(crate) posts: BTreeMap<NodeId, Embedded>,
    /// Whether each text is part of the article's text, not only shown with it.
    pub(crate) read: Vec<bool>,
    pub(crate) code: BTreeMap<NodeId, CodeBlock>,
    /// Chosen texts and inline elements with chosen siblings: each is a paragraph.
    pub(crate) apart: BTreeSet<NodeId>,
    /// Elements that were left out because nobody sees them.
    pub(crate) unseen: BTreeSet<NodeId>,
    /// Bytes of visible text of the nodes.
    pub(crate) visible: PrefixSums,
    /// The classification of elements by their names.
    pub(crate) names: NamedKinds,
}

/// Chooses the nodes and anchors of the article with the text of `keep` without `prune`, to which nothing of `left_out` is added.
/// `None` if it has no text. Linear in the page's nodes for each level of nesting.
pub(crate) fn choose(
    document: &Document,
    [keep, prune, left_out]: [&[NodeId]; 3],
    base: &Url,
) -> Option<(ChosenNodes, Anchors)> {
    let mut include = included(document, keep, prune);
    let found = AddableElements::of(document);
    let (all, linked) = PrefixSums::of_texts(document, visible);
    further::leave_out(document, &all, &found.structures, base, &mut include);
    further::leave_out_titles(document, [&all, &linked], base, &mut include);
    let (mut roles, behind) = roles(document, &all, &found.media, &found.figures);
    let mut is_body = include.clone();
    let is_caption = |role: &(&NodeId, &Role)| *role.1 == Role::Caption;
    for (&caption, _) in roles.iter().filter(is_caption) {
        is_body[caption as usize..document.node(caption).end as usize].fill(false);
    }
    let bytes_of = |of: &[bool]| {
        let bytes = |id: NodeId| if of[id as usize] { all.range(id, id + 1) } else { 0 };
        PrefixSums::new(document, bytes)
    };
    let mut kept = bytes_of(&is_body);
    if kept.total() == 0 {
        kept = bytes_of(&include);
    }
    let has_text = |id: &NodeId| kept.range(*id, *id + 1) > 0;
    let first = document.ids().find(has_text)?;
    let last = document.ids().rev().find(has_text)?;
    let container =
        document.ancestors(first).skip(1).find(|&around| document.contains(around, last))?;
    let names = NamedKinds::of(document);
    let body = body_of(document, &kept);
    let texts = PageTexts { document, base, all, linked, kept, names, first, last, body };
    let mut read = include.clone();
    structures::add(&texts, &found.structures, &mut include, &mut read);
    for &id in left_out {
        let all = id as usize..document.node(id).end as usize;
        include[all.clone()].fill(false);
        read[all].fill(false);
    }
    let unseen = hidden::leave_out(&texts, &found.fields, &mut include);
    let code = code::find(&texts, &found.structures, &mut include, &mut read);
    let (media, aside) = media::choose(&texts, &found.media, &roles, &mut include);
    let pictures = media.iter().filter(|own| matches!(own.1, Medium::Picture(_)));
    add_unmarked(&texts, pictures.map(|own| *own.0), &mut roles);
    add_captions(&texts, &roles, &behind, &media, &aside, &mut include);
    let captions = roles.iter().filter(is_caption).map(|role| *role.0);
    hidden::leave_out_of_captions(&texts, captions, &mut include);
    // Some posts are on the page only as a link.
    let stands_in_text = |id| {
        let is_most = |top| texts.text(top) <= texts.text(id) + texts.text(id) / 4;
        texts.is_between(id) && texts.top(id).is_some_and(is_most)
    };
    let belongs = |id: NodeId| texts.own(id) > 0 || include[id as usize] || stands_in_text(id);
    let posts = found.quotes.iter().copied().filter(|&id| belongs(id));
    let posts: BTreeMap<_, _> =
        posts.filter_map(|id| Some((id, quoted_post(document, id, base)?))).collect();
    for &post in posts.keys() {
        include[post as usize..document.node(post).end as usize].fill(true);
    }
    let mut anchors = anchors(&texts, &found.links, &unseen, &mut include);
    add_hidden_notes(&texts, &unseen, &mut include, &mut read, &mut anchors);
    let apart = stand_beside_others(document, keep, &include);
    let (visible, names) = (texts.all, texts.names);
    let chosen = ChosenNodes {
        include,
        media,
        aside,
        roles,
        container,
        posts,
        read,
        code,
        apart,
        unseen,
        visible,
        names,
    };
    Some((chosen, anchors))
}

/// Returns whether each node is in a subtree of `keep` and not in one of `prune`; the nearest one above it decides.
fn included(document: &Document, keep: &[NodeId], prune: &[NodeId]) -> Vec<bool> {
    let mut marks: Vec<(NodeId, bool)> = keep.iter().map(|&id| (id, true)).collect();
    marks.extend(prune.iter().map(|&id| (id, false)));
    // A node that is both is pruned.
    marks.sort_unstable();
    marks.dedup_by_key(|mark| mark.0);
    let mut include = vec![false; document.len()];
    for (id, keep) in marks {
        include[id as usize..document.node(id).end as usize].fill(keep);
    }
    include
}

/// Returns the texts and inline elements of `keep` that have siblings of this kind in `keep`.
fn stand_beside_others(document: &Document, keep: &[NodeId], include: &[bool]) -> BTreeSet<NodeId> {
    let flows = |id: NodeId| document.text(id).is_some() || document.is_inline(id);
    let mut children: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for &id in keep.iter().filter(|&&id| include[id as usize] && flows(id)) {
        if let Some(parent) = document.parent(id).filter(|&parent| !include[parent as usize]) {
            children.entry(parent).or_default().push(id);
        }
    }
    children.into_values().filter(|beside| beside.len() > 1).flatten().collect()
}

/// Includes the captions of figures with chosen media.
fn add_captions(
    texts: &PageTexts<'_>,
    roles: &BTreeMap<NodeId, Role>,
    behind: &[CaptionBehind],
    media: &BTreeMap<NodeId, Medium>,
    aside: &BTreeMap<usize, Medium>,
    include: &mut [bool],
) {
    let document = texts.document;
    let places = document.aside().map_or(&[][..], |aside| &aside.places);
    let of_places = aside.keys().filter_map(|&at| places.get(at).map(|place| place.parent));
    let is_figure = |id: &NodeId| roles.get(id) == Some(&Role::Figure);
    let mut shown: Vec<NodeId> = media.keys().copied().chain(of_places).collect();
    shown.sort_unstable();
    let mut figures: Vec<NodeId> =
        shown.iter().filter_map(|&id| document.ancestors(id).find(is_figure)).collect();
    figures.sort_unstable();
    figures.dedup();
    for own in behind {
        let from = shown.partition_point(|&id| id < own.picture);
        if shown.get(from).is_some_and(|&id| document.contains(own.picture, id)) {
            include[own.caption as usize..document.node(own.caption).end as usize].fill(true);
        }
    }
    for figure in figures {
        for (&caption, _) in
            roles.range(document.subtree(figure)).filter(|role| *role.1 == Role::Caption)
        {
            include[caption as usize..document.node(caption).end as usize].fill(true);
        }
    }
}

/// Elements of a page that may be added to the article.
#[derive(Debug, Default)]
struct AddableElements {
    /// Pictures, players, and formulas written as boxes or TeX.
    media: Vec<NodeId>,
    /// Lists, tables, headings, code (also in lines of text), quotations, details.
    structures: Vec<NodeId>,
    /// Quotations and other elements that may be quoted posts.
    quotes: Vec<NodeId>,
    figures: Vec<NodeId>,
    links: Vec<NodeId>,
    /// Fields of forms.
    fields: Vec<NodeId>,
}

impl AddableElements {
    /// Whether elements of a name belong in each of the lists.
    fn lists_of(name: &LocalName) -> [bool; 2] {
        let is_medium = matches!(*name, local_names!("video" "audio")) || is_picture(name);
        let is_structure = structures::may_be_added(name) || *name == local_name!("code");
        [is_medium || is_player(name), is_structure]
    }

    fn of(document: &Document) -> Self {
        let mut found = Self::default();
        let aside = document.aside();
        // Elements of the aside count at their places.
        for place in aside.into_iter().flat_map(|aside| &aside.places) {
            found.media.push(place.parent.max(place.before.saturating_sub(1)));
        }
        let any = found.media.len();
        let kinds = document.kinds();
        let of_kind = |kind: &ElementKind| match katex::is_formula(document, kind.first) {
            true => [true, false],
            false if structures::is_callout(document, kind.first) => [false, true],
            false => meant(document, kind.first).map_or([false; 2], |name| Self::lists_of(&name)),
        };
        let of_kinds: Vec<[bool; 2]> = kinds.all().iter().map(of_kind).collect();
        let has_formulas = document.head().shows_tex || document.all_text().contains('\\');
        for (id, &kind) in document.ids().zip(kinds.of_nodes()) {
            if has_formulas && document.text(id).is_some_and(begins_formula) {
                // If it is the first in it.
                let around = document.parent(id).filter(|around| around + 1 == id);
                found.media.extend(around);
                continue;
            }
            let Some(&[is_medium, is_structure]) = of_kinds.get(kind as usize) else { continue };
            match document.name(id) {
                Some(&local_name!("blockquote")) => found.quotes.push(id),
                Some(&local_name!("figure")) => found.figures.push(id),
                Some(&local_name!("a")) => found.links.push(id),
                Some(&local_name!("input")) => found.fields.push(id),
                _ => {}
            }
            found.media.extend(is_medium.then_some(id));
            let is_structure = is_structure || code::is_preformatted(document, id);
            found.structures.extend(is_structure.then_some(id));
        }
        if any > 0 {
            found.media.sort_unstable();
            found.media.dedup();
        }
        found
    }
}
