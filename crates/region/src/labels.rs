//! Removes text at pictures that is not part of the article: labels at the start of captions, and alternative texts that are file
//! names or numbers. Moves credits in paragraphs of their own to their pictures.

use std::collections::BTreeMap;

use dom::{local_name, local_names};
use url::Url;

use crate::tree::{At, NodeMark, RegionTree};

/// Longest label of a caption, and longest credit, in bytes.
const LABEL: usize = 40;
const CREDIT: usize = 100;
/// Longest phrase in italics after a picture that is taken as its caption, in bytes.
const PHRASE: usize = 200;
/// Minimum number of words of a caption after its label.
const LEAST_WORDS: usize = 3;
/// Maximum number of words before the colon of a credit, and of its names.
const LABEL_WORDS: usize = 3;
const CREDIT_WORDS: usize = 8;
/// Maximum number of words of an alternative text that only numbers a picture.
const NUMBERED_WORDS: usize = 4;
/// Extensions of picture files.
const ENDINGS: [&str; 8] = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg", ".bmp"];
/// Beginnings of words for pictures and credits, to recognise a credit that occurs only once on a page.
const CREDITS: [&str; 14] = [
    "phot", "foto", "fot.", "imag", "imágen", "bild", "pictur", "credit", "crédit", "créd", "фото",
    "写真", "사진", "图",
];

/// Words between such a word and a name.
const BY: [&str; 8] = ["by", "via", "von", "par", "por", "di", "av", "af"];

pub(crate) fn settle_labels(tree: &mut RegionTree<'_>) {
    drop_alternatives(tree);
    place_credits(tree);
    mark_repeated_credits(tree);
    drop_caption_labels(tree);
    separate_words(tree);
}

/// Inserts spaces between adjacent elements that only style sheets separate: after sentences and labels, and before words with a
/// capital. In captions, a space is also inserted after a sentence if the next word is in lower case.
fn separate_words(tree: &mut RegionTree<'_>) {
    let mut next = vec![(0, false)];
    while let Some((parent, in_caption)) = next.pop() {
        let node = &tree.nodes[parent];
        let in_caption = in_caption || node.name == Some(local_name!("figcaption"));
        next.extend(node.children.iter().map(|&child| (child, in_caption)));
        if matches!(node.name, Some(local_names!("pre" "code" "math"))) {
            continue;
        }
        // Backwards, so that positions stay valid.
        for at in (1..tree.nodes[parent].children.len()).rev() {
            let children = &tree.nodes[parent].children;
            let before = text_at_edge(tree, children[at - 1], true);
            let own = before.and_then(|_| text_at_edge(tree, children[at], false));
            if let (Some(before), Some(own)) = (before, own)
                && are_apart(&tree.nodes[before].text, &tree.nodes[own].text, in_caption)
            {
                let mark = tree.nodes[own].mark;
                let space = tree.text(" ");
                tree.nodes[space].mark = mark;
                tree.nodes[parent].children.insert(at, space);
            }
        }
    }
}

/// Returns the text node at the start or end of a node, inside inline elements only.
fn text_at_edge(tree: &RegionTree<'_>, mut at: At, is_end: bool) -> Option<At> {
    loop {
        let node = &tree.nodes[at];
        at = match &node.name {
            None => return Some(at),
            Some(
                local_names!(
                    "a" "b" "strong" "i" "em" "span" "small" "mark" "u" "time"
                ),
            ) => *if is_end { node.children.last()? } else { node.children.first()? },
            Some(_) => return None,
        };
    }
}

/// Minimum letters of a word. Shorter pieces may begin a name with a capital inside it: "Mc", "You".
const WHOLE_WORD: usize = 4;

/// Whether two adjacent texts are not parts of one word.
fn are_apart(before: &str, own: &str, in_caption: bool) -> bool {
    let ends_sentence = |text: &str| text.ends_with(['.', '!', '?', '\u{2026}', '\u{201d}']);
    if in_caption && (ends_sentence(before) || before.ends_with(':')) {
        return own.starts_with(char::is_alphabetic);
    }
    let is_capitalised = || {
        let mut letters = own.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(|c| c.is_lowercase() || c.is_whitespace())
    };
    match before.strip_suffix(':') {
        Some(label) => {
            label.ends_with(char::is_alphabetic) && own.starts_with(char::is_alphanumeric)
        }
        None if ends_sentence(before) || before.ends_with('\u{2014}') => is_capitalised(),
        // "10:05Ferry"
        None if before.contains(':') && before.ends_with(char::is_numeric) => is_capitalised(),
        // "1How", but not "2Fe" in a formula
        None if before.chars().all(char::is_numeric) => {
            is_capitalised() && own.chars().take(3).filter(|c| c.is_lowercase()).count() == 2
        }
        None => {
            let word = before.chars().rev().take_while(|c| c.is_lowercase());
            word.take(WHOLE_WORD).count() == WHOLE_WORD && is_capitalised()
        }
    }
}

/// Removes alternative texts that do not describe a picture: file names, and texts that are equal for several pictures, or differ
/// only in numbers.
fn drop_alternatives(tree: &mut RegionTree<'_>) {
    let pictures: Vec<(At, String)> = (tree.all(local_name!("img")))
        .filter_map(|at| Some((at, tree.attribute(at, &local_name!("alt"))?.trim().to_lowercase())))
        .filter(|(_, alt)| !alt.is_empty())
        .collect();
    let form = |alt: &str| -> String { alt.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let mut sources: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (at, alt) in &pictures {
        let is_numbered = alt.split_whitespace().count() <= NUMBERED_WORDS;
        let form = if is_numbered { form(alt) } else { alt.clone() };
        let source = tree.attribute(*at, &local_name!("src")).unwrap_or_default();
        sources.entry(form).or_default().push(source);
    }
    let is_repeated = |form: &str| {
        let of = sources.get(form).map_or(&[][..], Vec::as_slice);
        of.iter().any(|source| Some(source) != of.first())
    };
    let is_empty = |(at, alt): &&(At, String)| {
        is_file_name(alt, tree.attribute(*at, &local_name!("src")).unwrap_or_default())
            || is_repeated(alt)
            || alt.split_whitespace().count() <= NUMBERED_WORDS && is_repeated(&form(alt))
    };
    let empty: Vec<At> = pictures.iter().filter(is_empty).map(|own| own.0).collect();
    for at in empty {
        let attributes = tree.nodes[at].attributes.iter_mut();
        attributes.filter(|own| own.0 == local_name!("alt")).for_each(|own| own.1 = "".into());
    }
}

pub(crate) fn is_picture_file(address: &Url) -> bool {
    let path = address.path().to_ascii_lowercase();
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// Whether an alternative text (in lower case) is a file name: it ends in an extension, or equals that of the picture.
fn is_file_name(alt: &str, source: &str) -> bool {
    if ENDINGS.iter().any(|ending| alt.ends_with(ending)) {
        return true;
    }
    let file = source.split(['?', '#']).next().unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or_default().to_lowercase();
    let stem = file.rsplit_once('.').map_or(&*file, |(stem, _)| stem);
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let is_one_word = !alt.contains(' ') || alt.contains(|c: char| c.is_ascii_digit());
    is_one_word
        && alt.contains(['-', '_', ' ']) | alt.contains(|c: char| c.is_ascii_digit())
        && letters(alt) == letters(stem)
}

/// Removes labels: elements at the start of captions that have the same text in several captions.
fn drop_caption_labels(tree: &mut RegionTree<'_>) {
    let mut labels: BTreeMap<String, Vec<(At, At)>> = BTreeMap::new();
    for caption in tree.all(local_name!("figcaption")) {
        let Some((parent, label)) = label_of(tree, caption) else { continue };
        let text = tree.text_of(label);
        let rest = tree.text_below(caption, |at| at == label);
        if (2..=LABEL).contains(&text.len()) && rest.split(' ').count() >= LEAST_WORDS {
            labels.entry(text).or_default().push((parent, label));
        }
    }
    for (parent, label) in labels.into_values().filter(|group| group.len() > 1).flatten() {
        tree.nodes[parent].children.retain(|&child| child != label);
    }
}

/// Returns the parent and the element that a caption begins with, if more follows it.
fn label_of(tree: &RegionTree<'_>, caption: At) -> Option<(At, At)> {
    let mut parent = caption;
    loop {
        let mut children = tree.shown_children(parent);
        let first = children.next().filter(|&first| tree.nodes[first].name.is_some())?;
        if children.next().is_some() {
            let is_label =
                tree.nodes[first].mark == NodeMark::None && !tree.is(first, &local_name!("a"));
            return is_label.then_some((parent, first));
        }
        parent = first;
    }
}

/// Moves paragraphs that are the caption or credit of the picture directly before them into its figure.
fn place_credits(tree: &mut RegionTree<'_>) {
    let order: Vec<At> = tree.below(0).collect();
    let mut has_picture = vec![false; tree.nodes.len()];
    for &at in order.iter().rev() {
        has_picture[at] = tree.is(at, &local_name!("img"))
            || tree.nodes[at].children.iter().any(|&child| has_picture[child]);
    }
    for parent in order.into_iter().filter(|&parent| has_picture[parent]) {
        let children: Vec<At> = tree.shown_children(parent).collect();
        let mut before: Option<At> = None;
        let mut moved: Vec<At> = Vec::new();
        for child in children {
            let shows_picture = |at: &At| has_picture.get(*at) == Some(&true) && is_bare(tree, *at);
            let picture = before.filter(shows_picture);
            let role = picture.and_then(|picture| role_behind_picture(tree, picture, child));
            if let (Some(picture), Some(role)) = (picture, role) {
                moved.push(child);
                give_caption(tree, picture, child, role);
            } else {
                before = Some(child);
            }
        }
        if !moved.is_empty() {
            tree.nodes[parent].children.retain(|child| !moved.contains(child));
        }
    }
}

/// Marks credits: text nodes at the end of captions that are equal in several captions.
fn mark_repeated_credits(tree: &mut RegionTree<'_>) {
    let mut ends: BTreeMap<String, Vec<(At, At)>> = BTreeMap::new();
    for caption in tree.all(local_name!("figcaption")) {
        let mut last: Option<(At, At)> = None;
        let (mut texts, mut is_marked) = (0, false);
        for parent in tree.below(caption) {
            is_marked |= tree.nodes[parent].mark == NodeMark::Credit;
            for at in tree.shown_children(parent).filter(|&at| tree.nodes[at].name.is_none()) {
                texts += 1;
                last = last.max(Some((at, parent)));
            }
        }
        let Some((at, parent)) = last.filter(|_| texts > 1 && !is_marked) else { continue };
        let text = dom::normalize_space(&tree.nodes[at].text);
        if may_be_credit(&text) {
            ends.entry(text).or_default().push((at, parent));
        }
    }
    for (at, parent) in ends.into_values().filter(|group| group.len() > 1).flatten() {
        let around = tree.element(local_name!("small"));
        tree.nodes[around].mark = NodeMark::Credit;
        tree.nodes[around].children.push(at);
        let children = tree.nodes[parent].children.iter_mut();
        children.filter(|child| **child == at).for_each(|child| *child = around);
    }
}

/// Whether an element with a picture is a figure, or a paragraph without text.
fn is_bare(tree: &RegionTree<'_>, at: At) -> bool {
    match tree.nodes[at].name {
        Some(local_name!("figure")) => true,
        Some(local_names!("p" "div")) => {
            tree.below(at).all(|at| tree.nodes[at].name.is_some() || tree.is_space(at))
        }
        _ => false,
    }
}

/// Returns the mark of a paragraph that is the credit or caption of the picture before it: marked, worded so, or in italics.
fn role_behind_picture(tree: &RegionTree<'_>, picture: At, at: At) -> Option<NodeMark> {
    if !tree.is(at, &local_name!("p")) {
        return None;
    }
    let text = tree.text_of(at);
    let is_named = tree.below(at).take(2).any(|own| tree.nodes[own].mark == NodeMark::Credit);
    if is_named && text.len() <= CREDIT || is_credit(&text) {
        return Some(NodeMark::Credit);
    }
    let has_caption = || tree.below(picture).any(|at| tree.is(at, &local_name!("figcaption")));
    let is_emphasis = || {
        let mut shown = tree.shown_children(at);
        let only = shown.next().filter(|_| shown.next().is_none());
        only.is_some_and(|only| matches!(tree.nodes[only].name, Some(local_names!("em" "i"))))
    };
    let is_caption = tree.nodes[at].mark == NodeMark::Caption
        || text.len() <= PHRASE && is_emphasis() && !has_caption();
    is_caption.then_some(NodeMark::None)
}

fn give_caption(tree: &mut RegionTree<'_>, figure: At, paragraph: At, role: NodeMark) {
    let is_credit = role == NodeMark::Credit;
    for at in tree.below(paragraph).collect::<Vec<_>>() {
        if is_credit && tree.nodes[at].name.is_none() {
            tree.nodes[at].mark = NodeMark::Unread;
        }
    }
    tree.nodes[figure].name = Some(local_name!("figure"));
    let children = tree.nodes[figure].children.iter().copied();
    let caption = { children }.find(|&child| tree.is(child, &local_name!("figcaption")));
    let inner = std::mem::take(&mut tree.nodes[paragraph].children);
    let around = match caption {
        None => tree.push(figure, local_name!("figcaption")),
        Some(caption) => {
            let space = tree.push_text(caption, " ");
            if !is_credit {
                tree.nodes[caption].children.extend(inner);
                return;
            }
            tree.nodes[space].mark = NodeMark::Unread;
            tree.push(caption, local_name!("small"))
        }
    };
    tree.nodes[around].children = inner;
    tree.nodes[around].mark = role;
}

/// Whether the paragraph after a picture is only its credit: a copyright sign, a label and names, a word like "photo" with "by"
/// and names, or names with a slash.
fn is_credit(text: &str) -> bool {
    let text = text.trim_matches(['(', ')', '[', ']', ' ']);
    let words = |text: &str| text.split_whitespace().count();
    if text.len() > CREDIT || text.ends_with(['.', '!', '?', ':']) || text.contains('\u{3002}') {
        return false;
    }
    if text.starts_with('\u{a9}') {
        return words(text) <= CREDIT_WORDS;
    }
    let label = text.split_once([':', '\u{ff1a}']).filter(|(label, _)| words(label) <= LABEL_WORDS);
    let of_label = label.is_some_and(|(label, names)| {
        let label = label.trim().to_lowercase();
        CREDITS.iter().any(|word| label.starts_with(word))
            && !names.trim().is_empty()
            && are_names(names)
    });
    // "Photo by Ann Lee on Unsplash".
    let mut behind = text.split_whitespace().map(str::to_lowercase);
    let of_words =
        behind.next().is_some_and(|word| CREDITS.iter().any(|own| word.starts_with(own)))
            && behind.next().is_some_and(|word| BY.contains(&&*word))
            && text.split_whitespace().skip(2).any(|word| !word.starts_with(char::is_lowercase))
            && are_names(&text[text.find(char::is_whitespace).unwrap_or(0)..]);
    // A slash with spaces around it separates categories, or a name and an office.
    let has_slash = text.split_once('/').is_some_and(|(before, behind)| {
        before.ends_with(char::is_alphabetic)
            && behind.starts_with(char::is_alphabetic)
            && !behind.contains('/')
    });
    of_label || of_words || has_slash && words(text) <= LABEL_WORDS + 2 && are_names(text)
}

/// Whether a text at the end of captions may be a credit: a few words, which may be names.
fn may_be_credit(text: &str) -> bool {
    let is_cased = text.contains(|c: char| c.is_lowercase() || c.is_uppercase());
    let words = text.split_whitespace().count();
    text.len() <= CREDIT
        && text.contains(char::is_alphabetic)
        && !text.ends_with(['.', '!', '?', ':', '\u{3002}'])
        && (words > 1 || !is_cased || text.contains('/'))
        && are_names(text)
}

/// Whether words may be names: few words, none of which begins in lower case unless it is short.
fn are_names(text: &str) -> bool {
    let mut words =
        text.split(|c: char| c.is_whitespace() || c == '/').filter(|word| !word.is_empty());
    text.split_whitespace().count() <= CREDIT_WORDS
        && words.all(|word| !word.starts_with(char::is_lowercase) || word.chars().count() <= 3)
}
