//! Excludes text that readers do not see: helper texts, tooltips and notes hidden within sentences, copies of visible text, and
//! fallback texts of players.
//!
//! Text that is shown by a script or a click stays, as in folded sections: being hidden is not enough. It is excluded only if its
//! surroundings show that nobody misses it.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use dom::{Document, NodeId, class_tokens, is_heading, local_name, local_names};

use crate::texts::PageTexts;

/// Longest text for screen readers or for browsers that cannot play media, and longest label of a box, in bytes.
const HELPER: u32 = 300;
const LABEL: u32 = 80;
/// Minimum text of a copy for screens of another width, in bytes.
const LEAST_COPY: u32 = 20;
/// Longest text of a box that asks readers to subscribe, in bytes.
const LARGEST_SUBSCRIPTION: u32 = 200;
/// Minimum share of a hidden element's text that must be elsewhere for it to be a copy.
const SHARE: f64 = 0.9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hiding {
    /// Until a script or an event shows it.
    Now,
    /// From sight, but not from screen readers.
    FromSight,
    /// From screen readers only.
    FromHearing,
    /// Until it opens above the page (HTML §4.11.4, §6.12).
    Above,
}

/// Returns how an element is hidden by its own attributes.
fn hiding_of(document: &Document, id: NodeId) -> Option<Hiding> {
    let element = document.element(id)?;
    let is_closed = || {
        document.is(id, &local_name!("dialog")) && element.attribute(&local_name!("open")).is_none()
    };
    let mut found = is_closed().then_some(Hiding::Above);
    for (name, value) in element.attributes() {
        match *name {
            local_name!("hidden") => found = Some(Hiding::Now),
            local_name!("style") => found = hiding_of_style(value).or(found),
            local_name!("class") => match class_tokens(value).find_map(hiding_named) {
                Some(Hiding::FromSight) => return Some(Hiding::FromSight),
                // The names in these elements are drawn as icons.
                _ if value.contains("material-icons") || value.contains("material-symbols") => {
                    return Some(Hiding::FromSight);
                }
                named => found = named.or(found),
            },
            local_name!("role") if value == "tooltip" => found = Some(Hiding::Now),
            _ if &**name == "popover" => return Some(Hiding::Above),
            _ if &**name == "aria-hidden" && value == "true" => {
                found = found.or(Some(Hiding::FromHearing));
            }
            _ => {}
        }
    }
    found
}

/// Whether an element has a class or style for text that only screen readers read.
pub fn is_hidden_from_sight(document: &Document, id: NodeId) -> bool {
    hiding_of(document, id) == Some(Hiding::FromSight)
}

/// Whether an element is hidden until something shows it.
pub(crate) fn is_hidden_for_now(document: &Document, id: NodeId) -> bool {
    hiding_of(document, id) == Some(Hiding::Now)
}

/// Returns how an inline style hides an element: completely, or from sight only.
fn hiding_of_style(style: &str) -> Option<Hiding> {
    const NOW: [&str; 3] = ["display:none", "visibility:hidden", "visibility:collapse"];
    const FROM_SIGHT: [&str; 5] =
        ["clip:rect(0", "clip:rect(1px", "clip-path:inset(", "left:-9999", "font-size:0;"];
    let style: String = style
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_ascii_lowercase())
        .chain([';'])
        .collect();
    if FROM_SIGHT.iter().any(|way| style.contains(way)) {
        return Some(Hiding::FromSight);
    }
    NOW.iter().any(|way| style.contains(way)).then_some(Hiding::Now)
}

/// Returns how a class hides an element, whatever its case and separators: common classes for screen reader text (Bootstrap,
/// HTML5 Boilerplate, WordPress, Foundation, the BBC and the W3C) and for content shown at the mouse pointer.
fn hiding_named(class: &str) -> Option<Hiding> {
    const FOR_SCREEN_READERS: [&str; 9] = [
        "sronly", "visuallyhidden", "screenreadertext", "screenreaderonly", "offscreen",
        "showforsr", "a11yhidden", "screenreader", "hiddenvisually",
    ];
    const AT_MOUSE: [&str; 6] = [
        "tooltiptext", "tooltipcontent", "tooltipbody", "popovercontent", "popoverbody",
        "hovercard",
    ];
    if !(6..=24).contains(&class.len()) {
        return None;
    }
    let bare = class.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase());
    let is_in = |names: &[&str]| names.iter().any(|name| bare.clone().eq(name.bytes()));
    if is_in(&FOR_SCREEN_READERS) {
        Some(Hiding::FromSight)
    } else {
        is_in(&AT_MOUSE).then_some(Hiding::Now)
    }
}

/// Excludes included elements that nobody sees, and returns them. `fields` are the form fields of the page. Linear in the nodes
/// for each level of nesting.
pub(crate) fn leave_out(
    texts: &PageTexts<'_>,
    fields: &[NodeId],
    include: &mut [bool],
) -> BTreeSet<NodeId> {
    let document = texts.document;
    let mut waiting: Vec<NodeId> = Vec::new();
    let mut out: Vec<NodeId> = Vec::new();
    let mut labels: Vec<(u64, NodeId)> = Vec::new();
    let mut skip = 0;
    for id in document.ids().filter(|&id| include[id as usize] || texts.own(id) > 0) {
        let Some(name) = document.name(id) else { continue };
        let bytes = texts.text(id);
        if id < skip || bytes == 0 {
            continue;
        }
        // Of elements that open above the page or are hidden from screen readers, only texts may be chosen.
        let may_be_around = |hiding| matches!(hiding, Hiding::Above | Hiding::FromHearing);
        if !include[id as usize] && !hiding_of(document, id).is_some_and(may_be_around) {
            continue;
        }
        let end = document.node(id).end;
        if matches!(*name, local_names!("video" "audio")) && bytes <= HELPER {
            // The player itself may be included.
            out.extend(document.children(id));
            skip = end;
            continue;
        }
        // An advertisement's element need not be chosen together with its label.
        let is_advertisement = |id: NodeId| {
            texts.names.get(document, id).advertisement && texts.names.is_foreign(document, id)
        };
        let mut around = document.ancestors(id).take_while(|&own| texts.text(own) <= LABEL);
        if bytes <= LABEL && around.any(is_advertisement) {
            labels.push((hash_of(document, id..end), id));
        }
        if is_heading(name) || matches!(*name, local_names!("dt" "caption" "figcaption")) {
            let is_control = |own| document.is(own, &local_name!("button"));
            let has_words = |own| {
                let text = document.text(own).unwrap_or_default();
                text.contains(char::is_alphabetic) && !document.ancestors(own).any(is_control)
            };
            let has_more =
                document.subtree(id).any(is_control) && document.subtree(id).any(has_words);
            out.extend(
                document
                    .subtree(id)
                    .filter(|&own| is_permanent_link(document, own) || has_more && is_control(own)),
            );
            let beside = links_beside(texts, id).filter(|&own| include[own as usize]);
            labels.extend(beside.map(|own| (hash_of(document, document.subtree(own)), own)));
        }
        let hiding = hiding_of(document, id);
        let is_out = |own: NodeId| out.iter().rev().take(4).any(|&out| document.contains(out, own));
        let stays = |own: NodeId| include[own as usize] && !is_out(own);
        if repeats_neighbour(texts, id, hiding, stays) {
            out.push(id);
            skip = end;
            continue;
        }
        let Some(hiding) = hiding else { continue };
        if hiding == Hiding::FromHearing {
            // Sliders begin and end with copies of their items that are hidden from screen readers.
            let is_copy = bytes >= LEAST_COPY && bytes * 2 < texts.kept.total();
            waiting.extend((is_copy && !document.is_inline(id)).then_some(id));
            continue;
        }
        // Text alone in its block says what a picture shows.
        let has_beside =
            || block_around(document, id).is_some_and(|block| texts.text(block) > bytes);
        if hiding == Hiding::Above && bytes * 2 < texts.kept.total() {
            out.push(id);
            skip = end;
            continue;
        }
        let is_helper = hiding == Hiding::FromSight && bytes <= HELPER && has_beside();
        if !is_helper && let Some(short) = shortened_before(document, id) {
            out.push(short);
        } else if is_helper
            || is_within_sentence(texts, id, include) && !continues_text(document, id)
        {
            out.push(id);
        } else {
            waiting.push(id);
        }
        skip = end;
    }
    if !waiting.is_empty() {
        out.extend(find_copies(texts, &waiting, include));
    }
    // A short text that repeats in advertisements, or links that repeat next to headings, are labels.
    labels.sort_unstable();
    for group in labels.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
        out.extend(group.iter().map(|label| label.1));
    }
    out.extend(fields.iter().filter_map(|&id| subscription_around(texts, id)));
    out.extend(repeated_beginning(texts, include));
    for &id in &out {
        include[id as usize..document.node(id).end as usize].fill(false);
    }
    out.into_iter().collect()
}

/// Returns the box around a form field for an e-mail address: it asks readers to subscribe.
fn subscription_around(texts: &PageTexts<'_>, id: NodeId) -> Option<NodeId> {
    let document = texts.document;
    let kind = document.attribute(id, &local_name!("type"))?;
    if !kind.eq_ignore_ascii_case("email") {
        return None;
    }
    let is_small = |around: &NodeId| texts.text(*around) <= LARGEST_SUBSCRIPTION;
    document.ancestors(id).take_while(is_small).last().filter(|&around| texts.text(around) > 0)
}

/// Whether an element is a link into a page with a sign instead of words, like the permanent links of headings.
fn is_permanent_link(document: &Document, id: NodeId) -> bool {
    let href = document.attribute(id, &local_name!("href")).unwrap_or_default();
    document.is(id, &local_name!("a"))
        && href.contains('#')
        && !has_words(document, id)
        && !document.text_content(id).trim().is_empty()
}

fn has_words(document: &Document, id: NodeId) -> bool {
    document.text_content(id).contains(char::is_alphanumeric)
}

/// Returns the element at the end of a heading, or after it in its line, that consists of links, such as one to edit the section.
fn links_beside(texts: &PageTexts<'_>, heading: NodeId) -> Option<NodeId> {
    let document = texts.document;
    let is_shown = |id: &NodeId| texts.text(*id) > 0;
    let after = || {
        let parent = document.parent(heading)?;
        let mut shown = document.children(parent).filter(is_shown);
        let is_alone = shown.next() == Some(heading);
        let (beside, rest) = (shown.next(), shown.next());
        beside.filter(|_| is_alone && rest.is_none())
    };
    let is_only_links = |id: &NodeId| {
        let mut links = document.subtree(*id).filter(|&own| document.is(own, &local_name!("a")));
        let in_links = |own: NodeId| {
            document
                .ancestors(own)
                .take_while(|around| around >= id)
                .any(|around| document.is(around, &local_name!("a")))
        };
        document.name(*id).is_some()
            && document.is_inline(*id)
            && texts.text(*id) <= LABEL
            && links.any(|link| has_words(document, link))
            && document.subtree(*id).all(|own| {
                document.text(own).is_none() || !has_words(document, own) || in_links(own)
            })
    };
    // Links inside a heading may be part of it, unless they are in brackets or lead into the page.
    let is_apart = |id: &NodeId| {
        document.text_content(*id).trim_start().starts_with(['[', '(', '（', '【'])
            || document.subtree(*id).all(|own| {
                let href = document.attribute(own, &local_name!("href"));
                href.is_none_or(|href| href.starts_with('#'))
            })
    };
    let inside = document.children(heading).filter(is_shown).skip(1).last();
    let inside = inside.filter(is_only_links).filter(is_apart);
    inside.or_else(|| after().filter(is_only_links))
}

/// Excludes text of captions that only screen readers read, and shortened captions whose full text is hidden.
pub(crate) fn leave_out_of_captions(
    texts: &PageTexts<'_>,
    captions: impl Iterator<Item = NodeId>,
    include: &mut [bool],
) {
    for caption in captions {
        for id in texts.document.subtree(caption).skip(1) {
            let bytes = texts.text(id);
            let is_part = (1..=HELPER).contains(&bytes) && bytes < texts.text(caption);
            let hiding = if is_part { hiding_of(texts.document, id) } else { None };
            let out = match hiding {
                Some(Hiding::FromSight) => Some(id),
                Some(Hiding::Now) => shortened_before(texts.document, id),
                _ => None,
            };
            if let Some(out) = out {
                include[out as usize..texts.document.node(out).end as usize].fill(false);
            }
        }
    }
}

/// Whether an element repeats an adjacent one: for screens of another width, or hidden from screen readers.
fn repeats_neighbour(
    texts: &PageTexts<'_>,
    id: NodeId,
    hiding: Option<Hiding>,
    stays: impl Fn(NodeId) -> bool,
) -> bool {
    let document = texts.document;
    let is_silent = hiding == Some(Hiding::FromHearing);
    let class = |id: NodeId| document.attribute(id, &local_name!("class"));
    let is_division =
        || matches!(document.name(id), Some(&local_names!("div" "section" "span" "p")));
    let is_copy = || match document.name(id) {
        Some(name) if is_heading(name) => true,
        _ => texts.text(id) >= LEAST_COPY && is_division(),
    };
    if !is_silent && (class(id).is_none() || !is_copy()) {
        return false;
    }
    let Some(parent) = document.parent(id) else { return false };
    let is_blank = |id: NodeId| texts.text(id) == 0 && document.text(id).is_some();
    let of_parent = |own: &NodeId| document.parent(*own) == Some(parent);
    let before = || {
        let last = (parent + 1..id).rev().find(|&own| !is_blank(own))?;
        document.ancestors(last).find(of_parent)
    };
    let after = || (document.node(id).end..document.node(parent).end).find(|&own| !is_blank(own));
    let is_same = |other: NodeId| {
        texts.text(other) == texts.text(id)
            && stays(other)
            && hash_of(document, document.subtree(other)) == hash_of(document, document.subtree(id))
    };
    if is_silent {
        let is_seen = |own: &NodeId| hiding_of(document, *own) != Some(Hiding::FromSight);
        return before().is_some_and(is_same) || after().filter(is_seen).is_some_and(is_same);
    }
    let is_alike = |own: &NodeId| {
        document.name(*own) == document.name(id)
            && class(*own).is_some_and(|own| class(id) != Some(own))
    };
    before().filter(is_alike).is_some_and(is_same)
}

/// Maximum number of blocks of a teaser, and of blocks after it that are compared with it.
const TEASER_BLOCKS: usize = 6;
const COMPARED_BLOCKS: usize = 12;
/// Minimum text of a teaser, and maximum text after the dots at its end ("Read more"), in bytes without white space.
const LEAST_TEASER: usize = 80;
const BEHIND_DOTS: usize = 30;

/// Returns the texts at the beginning of an article that are repeated: a teaser, or a preview before a paywall.
fn repeated_beginning(texts: &PageTexts<'_>, include: &[bool]) -> Vec<NodeId> {
    let document = texts.document;
    // Blocks with their texts.
    let mut blocks: Vec<(NodeId, Vec<(NodeId, &str)>)> = Vec::new();
    for id in (texts.first..=texts.last).filter(|&id| include[id as usize]) {
        let text = document.text(id).unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        let block = block_around(document, id).unwrap_or(0);
        let is_full = blocks.len() == TEASER_BLOCKS + COMPARED_BLOCKS;
        match blocks.last_mut() {
            Some(last) if last.0 == block => last.1.push((id, text)),
            _ if is_full => break,
            _ => blocks.push((block, vec![(id, text)])),
        }
    }
    let letters = |range: Range<usize>| {
        let texts = blocks[range].iter().flat_map(|block| &block.1);
        texts.flat_map(|text| text.1.chars()).filter(|c| !c.is_whitespace())
    };
    // The headline is not repeated.
    let heads =
        blocks.iter().take_while(|own| document.name(own.0).is_some_and(is_heading)).count();
    let is_repeated = |&(from, at): &(usize, usize)| {
        let pairs = letters(from..at).zip(letters(at..blocks.len()));
        let alike: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        alike >= LEAST_TEASER && {
            let teaser: String = letters(from..at).collect();
            let dots = teaser.rfind("...").or_else(|| teaser.rfind('\u{2026}'));
            let end = dots.filter(|dots| dots + BEHIND_DOTS >= teaser.len());
            (LEAST_TEASER..=alike).contains(&end.unwrap_or(teaser.len()))
        }
    };
    let mut teasers = (1..blocks.len().min(TEASER_BLOCKS + 1))
        .flat_map(|at| [0, heads].map(|from| (from, at)))
        .filter(|(from, at)| from < at);
    let Some((from, at)) = teasers.find(is_repeated) else { return Vec::new() };
    blocks[from..at].iter().flat_map(|block| block.1.iter().map(|text| text.0)).collect()
}

/// Returns the previous sibling of an element if it consists of the beginning of the element's text and an ellipsis.
fn shortened_before(document: &Document, id: NodeId) -> Option<NodeId> {
    let parent = document.parent(id)?;
    let mut before = document.ancestors(id - 1);
    let before = before.find(|&own| document.parent(own) == Some(parent) && own < id)?;
    document.name(before)?;
    let text = document.text_content(before).trim();
    let start = text.strip_suffix("...").or_else(|| text.strip_suffix('\u{2026}'))?.trim_end();
    let is_start = !start.is_empty() && document.text_content(id).trim_start().starts_with(start);
    is_start.then_some(before)
}

/// Whether the text before an element ends in an ellipsis, so that the element is its folded continuation.
fn continues_text(document: &Document, id: NodeId) -> bool {
    let block = block_around(document, id).unwrap_or(0);
    let mut before = (block..id).rev().filter_map(|own| document.text(own)).map(str::trim_end);
    before
        .find(|text| !text.is_empty())
        .is_some_and(|text| text.ends_with("...") || text.ends_with('\u{2026}'))
}

/// Whether an element is part of a line with other text.
fn is_within_sentence(texts: &PageTexts<'_>, id: NodeId, include: &[bool]) -> bool {
    let document = texts.document;
    if !document.is_inline(id) {
        return false;
    }
    let only_around =
        |around: &NodeId| document.is_inline(*around) && texts.text(*around) == texts.text(id);
    let outer = document.ancestors(id).take_while(only_around).last().unwrap_or(id);
    let Some(parent) = document.parent(outer) else { return false };
    let is_beside = |beside: NodeId| {
        let text = document.text(beside).filter(|_| include[beside as usize]);
        text.is_some_and(|text| !text.trim().is_empty())
            && block_around(document, beside) == block_around(document, outer)
    };
    let end = document.node(outer).end;
    outer - 1 > parent && is_beside(outer - 1) || (end as usize) < document.len() && is_beside(end)
}

/// The nearest element around a node that breaks the line.
fn block_around(document: &Document, id: NodeId) -> Option<NodeId> {
    document.ancestors(id).skip(1).find(|&around| !document.is_inline(around))
}

/// Returns the hidden elements whose paragraphs are visible elsewhere in the article.
fn find_copies(texts: &PageTexts<'_>, hidden: &[NodeId], include: &[bool]) -> Vec<NodeId> {
    let document = texts.document;
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    let end_of = |id: NodeId| document.node(id).end;
    let mut from = 0;
    for &id in hidden.iter().chain([&(document.len() as NodeId)]) {
        seen.extend(paragraphs(document, from..id, include).into_iter().map(|own| own.0));
        from = if (id as usize) < document.len() { end_of(id).max(from) } else { id };
    }
    let is_copy = |&id: &NodeId| {
        let own = paragraphs(document, id..end_of(id), include);
        let all: usize = own.iter().map(|own| own.1).sum();
        let repeated: usize = own.iter().filter(|own| seen.contains(&own.0)).map(|own| own.1).sum();
        repeated as f64 >= SHARE * all as f64 && (repeated > 0)
    };
    hidden.iter().copied().filter(is_copy).collect()
}

/// Returns a hash of the words of each block of included text in a range, with the bytes of the words.
fn paragraphs(document: &Document, range: Range<NodeId>, include: &[bool]) -> Vec<(u64, usize)> {
    let mut found: Vec<(u64, usize)> = Vec::new();
    let mut block: Option<(NodeId, DefaultHasher, usize)> = None;
    for id in range {
        let Some(text) = document.text(id).filter(|_| include[id as usize]) else { continue };
        if text.trim().is_empty() {
            continue;
        }
        let owner = block_around(document, id).unwrap_or(0);
        if block.as_ref().is_none_or(|own| own.0 != owner) {
            found.extend(block.take().map(|own| (own.1.finish(), own.2)));
        }
        let (_, hasher, bytes) = block.get_or_insert((owner, DefaultHasher::new(), 0));
        for word in text.split_whitespace() {
            word.hash(hasher);
            *bytes += word.len();
        }
    }
    found.extend(block.map(|own| (own.1.finish(), own.2)));
    found
}

fn hash_of(document: &Document, range: Range<NodeId>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in range.filter_map(|id| document.text(id)).flat_map(str::split_whitespace) {
        word.hash(&mut hasher);
    }
    hasher.finish()
}
