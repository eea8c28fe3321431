//! Leaves out further articles of a page: sites that load the next article when readers reach the end of one.

use dom::{Document, NodeId, PrefixSums, local_name, local_names, web_url};
use url::Url;

/// Shortest texts of an element that counts as the article, and as another one, in bytes.
const SHORTEST: u32 = 300;
const SHORTEST_OTHER: u32 = 150;

/// Excludes the articles that follow the first one of a page, and what follows them beside it. Each is an element like that
/// around the first, or both are `article` elements, with a headline like that of the first which leads to a page of its own, while
/// the first does not; or both are dated `article` elements with a headline of the first level. `structures` has the headings of the page in document order.
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
    let included = |id: NodeId| -> u32 {
        let text = |&own: &NodeId| include[own as usize];
        document.subtree(id).filter(text).map(|own| bytes.range(own, own + 1)).sum()
    };
    let class = |id: NodeId| document.attribute(id, &local_name!("class"));
    let is_alike = |one: NodeId, other: NodeId| {
        document.name(one) == document.name(other) && class(one) == class(other)
    };
    let is_linked = |id: NodeId| is_alike(first, id) && leads_elsewhere(document, id, base);
    let dated = dated_article(document, first);
    let has_own_date = |id: NodeId| {
        dated.is_some_and(|dated| dated_article(document, id).is_some_and(|own| own != dated))
    };
    let Some(next) = headlines.find(|&id| is_linked(id) || has_own_date(id)) else { return };
    // The elements around both under the element that holds both.
    let Some(around) = document.ancestors(next).find(|&id| document.contains(id, first)) else {
        return;
    };
    let child = |of: NodeId| document.ancestors(of).find(|&id| document.parent(id) == Some(around));
    let (Some(own), Some(other)) = (child(first), child(next)) else { return };
    let says_article =
        document.is(own, &local_name!("article")) || document.is(first, &local_name!("h1"));
    let are_articles = [own, other].into_iter().all(|id| document.is(id, &local_name!("article")));
    if own == first
        || !(says_article && (is_alike(own, other) || are_articles) || has_own_date(next))
        || included(own) < SHORTEST
        || included(other) < SHORTEST_OTHER
    {
        return;
    }
    let end = document.node(around).end;
    include[other as usize..end as usize].fill(false);
}

/// The outermost `article` element around a heading of the first level, if it has a time.
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
    let href = document.attribute(link, &local_name!("href"));
    let target = href.and_then(|href| web_url(href, base));
    target.is_some_and(|target| {
        target.host() == base.host()
            && (target.path(), target.query()) != (base.path(), base.query())
    })
}
