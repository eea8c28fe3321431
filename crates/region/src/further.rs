//! Excludes further articles of a page: some sites load the next article when readers reach the end of one.

use std::collections::BTreeSet;

use dom::{
    Document, Element, LocalName, NodeId, PrefixSums, is_heading, local_name, local_names, text_of,
    web_url,
};
use url::Url;

/// Minimum bytes of text of the article, and of a further article.
const SHORTEST: u32 = 300;
const SHORTEST_OTHER: u32 = 150;

/// Excludes the articles after the first one of a page, and their later siblings. A further article is in an element like the one
/// around the first, and its headline links to another page (the first headline does not); or its headline is like the first and
/// its element has another address; or both headlines are `h1`, and only the first is in the page's title. Two dated `article`
/// elements with an `h1` are also different articles. `structures` has the headings of the page in document order.
pub(crate) fn leave_out(
    document: &Document,
    bytes: &PrefixSums,
    structures: &[NodeId],
    base: &Url,
    include: &mut [bool],
) {
    let is_headline = |id: &&NodeId| matches!(document.name(**id), Some(&local_names!("h1" "h2")));
    let mut headlines = structures.iter().filter(is_headline).copied();
    let Some(first) = headlines.find(|&id| bytes.sum(document, id) > 0) else { return };
    if leads_elsewhere(document, first, base) {
        return;
    }
    let dated = dated_article(document, first);
    let has_own_date = |id: NodeId| {
        dated.is_some_and(|dated| dated_article(document, id).is_some_and(|own| own != dated))
    };
    let title = document.head().title.as_deref().unwrap_or_default();
    let is_titled = |id: NodeId| title.contains(&*text_of(document, &[id], &[]));
    let is_main = |id: NodeId| document.is(id, &local_name!("h1"));
    // Lists of cards have several such headlines in one container.
    let is_card = |own: NodeId, around: NodeId| {
        let (before, behind) = structures.split_at(structures.partition_point(|&id| id < own));
        let neighbours =
            [before.iter().rev().find(is_headline), behind[1..].iter().find(is_headline)];
        let is_like = |&id: &NodeId| document.contains(around, id) && is_alike(document, own, id);
        neighbours.into_iter().flatten().any(is_like)
    };
    let further = |next: NodeId| -> Option<(NodeId, NodeId)> {
        // The children of the common ancestor that contain one headline each.
        let around = document.ancestors(next).find(|&id| document.contains(id, first))?;
        let child = |of| document.ancestors(of).find(|&id| document.parent(id) == Some(around));
        let (own, other) = (child(first)?, child(next)?);
        if own == first || has_own_date(next) {
            return (own != first).then_some((own, other));
        }
        let is_article = document.is(own, &local_name!("article"));
        let path = || document.ancestors(next).skip(1).take_while(|&id| id != around);
        let like = path().find(|&id| is_alike(document, own, id))?;
        let is_distinct = is_article || document.attribute(own, &local_name!("class")).is_some();
        let is_further = if is_alike(document, first, next) {
            leads_elsewhere(document, next, base) && (is_article || is_main(first))
                || is_distinct && path().any(|id| has_address(document, id, base))
                || is_distinct && is_main(first) && is_titled(first) && !is_titled(next)
        } else {
            is_distinct
                && is_main(first)
                && leads_elsewhere(document, next, base)
                && !is_card(next, like)
        };
        (is_further && like != next).then_some((own, other))
    };
    let Some((own, other)) = headlines.find_map(further) else { return };
    let included = |id: NodeId| -> u32 {
        let text = |&own: &NodeId| include[own as usize];
        document.subtree(id).filter(text).map(|own| bytes.range(own, own + 1)).sum()
    };
    if included(own) < SHORTEST || included(other) < SHORTEST_OTHER {
        return;
    }
    let end = document.parent(other).map_or(other, |around| document.node(around).end);
    include[other as usize..end as usize].fill(false);
}

/// Minimum number of titles of other pages at the end, their minimum mean bytes, and the maximum bytes of a label above them.
const TITLES: (usize, u32, u32) = (3, 20, 60);

/// Excludes the titles of other pages of the site at the end of the article, in paragraphs of their own, and the label above them.
/// `bytes` are those of all texts, and of linked ones.
pub(crate) fn leave_out_titles(
    document: &Document,
    [bytes, linked]: [&PrefixSums; 2],
    base: &Url,
    include: &mut [bool],
) {
    let has_text = |id: &NodeId| include[*id as usize] && bytes.range(*id, id + 1) > 0;
    let is_paragraph = |id: &NodeId| document.is(*id, &local_name!("p"));
    let last = document.ids().rev().find(has_text);
    let last = last.and_then(|last| document.ancestors(last).find(is_paragraph));
    let Some((last, around)) = last.and_then(|id| Some((id, document.parent(id)?))) else { return };
    let href = |id: NodeId| document.attribute(id, &local_name!("href"));
    // Dates and signs may be beside the links.
    let is_title = |&&id: &&NodeId| {
        is_paragraph(&id)
            && document.subtree(id).filter_map(href).all(|href| is_elsewhere(href, base))
            && linked.sum(document, id) * 3 >= bytes.sum(document, id) * 2
    };
    let parts = document.children(around).filter(|&id| id <= last && bytes.sum(document, id) > 0);
    let parts: Vec<NodeId> = parts.collect();
    let titles = parts.iter().rev().take_while(is_title).count();
    let (text, titles) = parts.split_at(parts.len() - titles);
    let is_strong =
        |name: &LocalName| is_heading(name) || matches!(*name, local_names!("b" "strong"));
    let is_label = |id: &&NodeId| {
        let mut names = document.subtree(**id).take(2).filter_map(|own| document.name(own));
        bytes.sum(document, **id) <= TITLES.2
            && (document.text_content(**id).trim_end().ends_with(':') || names.any(is_strong))
    };
    let own: u32 = titles.iter().map(|&id| bytes.sum(document, id)).sum();
    let targets = titles.iter().flat_map(|&id| document.subtree(id)).filter_map(href);
    let targets = targets.collect::<BTreeSet<_>>().len();
    let is_long = own / TITLES.1 >= targets as u32 && own * 2 <= bytes.sum(document, around);
    if targets >= TITLES.0 && is_long {
        for &id in text.last().filter(is_label).into_iter().chain(titles) {
            include[id as usize..document.node(id).end as usize].fill(false);
        }
    }
}

/// Whether two elements have the same tag and class, or are both `article` elements.
pub(crate) fn is_alike(document: &Document, one: NodeId, other: NodeId) -> bool {
    let class = |id: NodeId| document.attribute(id, &local_name!("class"));
    document.name(one) == document.name(other)
        && (document.is(one, &local_name!("article")) || class(one) == class(other))
}

/// Whether an attribute of an element is the address of another page of the site.
fn has_address(document: &Document, id: NodeId, base: &Url) -> bool {
    let mut values = document.element(id).into_iter().flat_map(Element::attributes);
    values.any(|(_, value)| {
        (value.starts_with('/') || value.starts_with("http")) && is_elsewhere(value, base)
    })
}

/// Returns the outermost `article` element around an `h1`, if it contains a `time`.
fn dated_article(document: &Document, heading: NodeId) -> Option<NodeId> {
    let is_article = |id: &NodeId| document.is(*id, &local_name!("article"));
    if !document.is(heading, &local_name!("h1")) {
        return None;
    }
    let article = document.ancestors(heading).filter(is_article).last()?;
    let mut inside = document.subtree(article);
    inside.any(|id| document.is(id, &local_name!("time"))).then_some(article)
}

/// Whether a heading is a link to another page.
fn leads_elsewhere(document: &Document, heading: NodeId, base: &Url) -> bool {
    let is_link = |id: &NodeId| document.is(*id, &local_name!("a"));
    let above = document.parent(heading).filter(is_link);
    let Some(link) = document.subtree(heading).find(is_link).or(above) else { return false };
    document.attribute(link, &local_name!("href")).is_some_and(|href| is_elsewhere(href, base))
}

/// Whether an address is another page of the site.
fn is_elsewhere(href: &str, base: &Url) -> bool {
    web_url(href, base).is_some_and(|target| {
        target.host() == base.host()
            && (target.path(), target.query()) != (base.path(), base.query())
    })
}
