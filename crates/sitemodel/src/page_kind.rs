//! Classifies pages as one article, a list of articles, or neither, and drops lists: pages that have no text of their own but
//! link to other pages.

use std::collections::BTreeSet;

use dom::{
    Document, ElementKinds, NodeId, PrefixSums, is_heading, is_inline, local_name, local_names,
};
use grouping::{AddressDigest, Tracking};
use model::{DropReason, TemplateKind};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::body::ArticleBody;
use crate::engine::Engine;
use crate::parsed::{FULL_TEXT_WORDS, ParsedPage};
use crate::settings::Settings;
use crate::stages::signify::SiblingPage;

/// The impression of one page, before its siblings are considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Impression {
    /// Points for a list; negative for an article.
    points: i32,
    address: Option<TemplateKind>,
    /// Whether it has too few words to be an article.
    empty: bool,
    /// Whether it is known to link to other pages of the crawl.
    leads_on: bool,
}

impl Impression {
    /// Whether the page looks like a list but its address is inconclusive. It is then a list only if it links to other pages of
    /// the crawl: galleries and lists of tips look the same, but are articles.
    pub(crate) fn needs_proof(&self) -> bool {
        self.address.is_none() && !self.empty && self.points >= LIST
    }

    /// Whether the points do not favour an article.
    pub(crate) fn may_be_list(&self) -> bool {
        self.points >= 0
    }
}

/// Number of points from which a page looks like a list.
const LIST: i32 = 3;

/// Minimum number of links to other pages of the crawl for a page that [needs proof](Impression::needs_proof).
const LEADS_TO: usize = 3;

/// Classifies a page without its siblings. Continuous prose under one element is an article; many teasers (a link with a few
/// lines of text) under many similar elements are a list. Feeds list articles.
pub(crate) fn impression(
    sibling: &SiblingPage<'_>,
    addresses: &AddressDigest,
    settings: &Settings,
) -> Impression {
    let parsed = sibling.page;
    let tables = settings.tables();
    let words = parsed.words.total();
    let address = address_says(&parsed.page.url, addresses.pages_below(&parsed.page.url));
    let is_short = words < tables.cluster.min_words;
    // Only grove uses the text in JSON-LD, feeds and data.
    let has_text = !is_short
        || tables.rank.engine == Engine::Grove
            && (parsed.full_text_words(sibling.feed_items) >= FULL_TEXT_WORDS
                || parsed.data_text().is_some());
    if !has_text {
        return Impression { points: 0, address, empty: true, leads_on: false };
    }
    if is_short || !sibling.feed_items.is_empty() {
        let (points, address) = (i32::MIN / 2, Some(TemplateKind::Article));
        return Impression { points, address, empty: false, leads_on: false };
    }
    let fill = Fill::of(parsed);
    // Prose under one element.
    let mut points = match fill.core {
        0..40 => 2,
        40..90 => 1,
        90..200 => -1,
        _ => -3,
    };
    points += match fill.teasers {
        0..4 => -1,
        4..8 => 0,
        8..16 => 1,
        _ => 2,
    };
    let linked = f64::from(parsed.link_words.total()) / f64::from(words.max(1));
    points += if linked > 0.7 { 2 } else { i32::from(linked > 0.5) };
    // Prose scattered over the page, in small amounts.
    points += i32::from(fill.prose > 4 * fill.core.max(1));
    points += match address {
        Some(TemplateKind::List) => 3,
        Some(_) => -2,
        None => 0,
    };
    points += declared(&parsed.document);
    let mut impression = Impression { points, address, empty: false, leads_on: false };
    impression.leads_on = impression.needs_proof()
        && leads_on(parsed, parsed.document.ids(), addresses, settings.tracking(), LEADS_TO);
    impression
}

/// Whether the links among `nodes` lead to at least `least` other pages of the crawl.
fn leads_on(
    page: &ParsedPage<'_>,
    nodes: impl Iterator<Item = NodeId>,
    addresses: &AddressDigest,
    tracking: &Tracking,
    least: usize,
) -> bool {
    // Links to pages that the crawl does not have need not be read.
    if addresses.total() < least as u64 {
        return false;
    }
    let Ok(base) = Url::parse(&page.page.url) else { return false };
    let document = &page.document;
    let anchors = nodes.filter(|&id| document.is(id, &local_name!("a")));
    let hrefs: BTreeSet<&str> =
        anchors.filter_map(|id| document.attribute(id, &local_name!("href"))).collect();
    let links: Vec<String> =
        hrefs.into_iter().filter_map(|href| Some(base.join(href).ok()?.into())).collect();
    let links = links.iter().map(String::as_str);
    addresses.leads_to(links, &page.page.url, least, tracking)
}

/// The median impression of the pages of a layout, used for all of them, since they are similar. Exceptions
/// are pages without words, and pages whose own address and content both indicate a list (a blog's home page
/// has the layout of its posts). Losing an article is worse than keeping a list, so undecided pages are
/// articles.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct Middle(i32);

impl Middle {
    pub(crate) fn of(impressions: &[Impression]) -> Self {
        let words = impressions.iter().filter(|i| !i.empty);
        let mut points: Vec<i32> = words.map(|i| i.points).collect();
        points.sort_unstable();
        // The lower of two medians: in doubt an article.
        Self(points.get(points.len().saturating_sub(1) / 2).copied().unwrap_or(0))
    }

    /// Returns the kind of a page of this layout.
    pub(crate) fn kind(self, page: &Impression) -> TemplateKind {
        let own = page.points >= LIST;
        if page.empty {
            TemplateKind::Other
        } else if page.address == Some(TemplateKind::List) && own
            || page.needs_proof() && page.leads_on && self.0 >= LIST
        {
            TemplateKind::List
        } else {
            TemplateKind::Article
        }
    }
}

/// Features of a page's content.
struct Fill {
    /// Words of prose under the element that has the most as direct paragraphs.
    core: u32,
    prose: u32,
    /// Links that are alone in a heading or block, with at most a few lines of prose next to them.
    teasers: u32,
}

impl Fill {
    fn of(parsed: &ParsedPage<'_>) -> Self {
        let document = &parsed.document;
        let mut by_roof: Vec<(NodeId, u32)> = Vec::new();
        let mut fill = Self { core: 0, prose: 0, teasers: 0 };
        for id in lowest_blocks(document) {
            let words = parsed.words.sum(document, id);
            let linked = parsed.link_words.sum(document, id);
            if words >= 12 && linked * 3 < words {
                fill.prose += words - linked;
                by_roof.push((roof(document, id), words - linked));
            } else if words >= 3 && linked * 5 >= words * 4 && is_title_like(document, id, words) {
                fill.teasers += 1;
            }
        }
        by_roof.sort_unstable();
        fill.core = by_roof
            .chunk_by(|a, b| a.0 == b.0)
            .map(|under_one| under_one.iter().map(|p| p.1).sum())
            .max()
            .unwrap_or(0);
        fill
    }
}

/// The element that paragraphs are counted under: the parent, skipping elements with only one paragraph.
fn roof(document: &Document, id: NodeId) -> NodeId {
    let mut roof = document.node(id).parent;
    // Old pages have the whole text in one cell, which is counted under itself.
    if matches!(document.name(id), Some(&local_names!("td" "div"))) {
        let only = document.children(roof).filter(|&c| document.name(c).is_some()).count() == 1;
        roof = if only { document.node(roof).parent } else { roof };
    }
    roof
}

/// Blocks that contain no other block except line breaks.
fn lowest_blocks(document: &Document) -> impl Iterator<Item = NodeId> {
    // Decided by element name, once per name.
    let kinds = document.kinds();
    let firsts = || kinds.all().iter().map(|kind| kind.first);
    let is_block = |id| document.name(id).is_some_and(|name| !is_inline(name));
    let is_block: Vec<bool> = firsts().map(is_block).collect();
    let is_break: Vec<bool> = firsts().map(|id| document.is(id, &local_name!("br"))).collect();
    let mut lowest = vec![false; document.len()];
    // Children come after their parents.
    for (id, &kind) in kinds.of_nodes().iter().enumerate() {
        if kind != ElementKinds::TEXT && is_block[kind as usize] {
            lowest[id] = true;
            if id > 0 && !is_break[kind as usize] {
                lowest[document.node(id as NodeId).parent as usize] = false;
            }
        }
    }
    document.ids().filter(move |&id| lowest[id as usize])
}

/// Headings and short blocks that consist of one link look like titles; menu entries are shorter.
fn is_title_like(document: &Document, id: NodeId, words: u32) -> bool {
    let heading = document.ancestors(id).take(3).any(|a| document.name(a).is_some_and(is_heading));
    heading || (5..=25).contains(&words)
}

/// Classifies the address of a page. `is_section`: whether other pages have addresses below it.
pub fn address_says(url: &str, is_section: bool) -> Option<TemplateKind> {
    if is_section { Some(TemplateKind::List) } else { url_says(url) }
}

/// Classifies an address by its path: home pages, sections, tags and searches have typical paths.
fn url_says(url: &str) -> Option<TemplateKind> {
    let url = Url::parse(url).ok()?;
    let path = url.path().trim_end_matches('/').to_lowercase();
    if path.is_empty() && url.query().is_none() {
        return Some(TemplateKind::List);
    }
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    let last = segments.last().copied().unwrap_or_default();
    let first = segments.first().copied().unwrap_or_default();
    let is_last = |names: &str| names.split(' ').any(|name| name == last);
    let index =
        is_last("index.html index.htm index.php default.aspx default.asp home archive archives")
            && segments.len() <= 2
            && url.query().is_none();
    let before_last = segments.len().checked_sub(2).map(|at| segments[at]);
    let listing =
        "tag tags category categories author authors topic topics search label section sections"
            .split(' ')
            .any(|name| first == name || before_last == Some(name));
    let paged = before_last == Some("page") && last.bytes().all(|b| b.is_ascii_digit());
    if index || listing || paged {
        return Some(TemplateKind::List);
    }
    // Long slugs and numbers identify single items.
    let slug =
        last.split(['-', '_']).count() >= 4 || last.bytes().filter(u8::is_ascii_digit).count() >= 4;
    slug.then_some(TemplateKind::Article)
}

/// Points for the type that the page declares.
fn declared(document: &Document) -> i32 {
    let head = document.head();
    let mut points = match head.meta("og:type") {
        Some("article" | "blog" | "news") => -3,
        Some(_) | None => 0,
    };
    if head.meta("article:published_time").is_some() {
        points -= 3;
    }
    let article_types = ["NewsArticle\"", "\"Article\"", "BlogPosting\""];
    if head.json_ld.iter().any(|j| article_types.iter().any(|t| j.contains(t))) {
        points -= 3;
    }
    points
}

/// Minimum shares of linked words with which a page that looks like a list has no text of its own. The first two are shares of
/// the page (menus included) and of its body; they apply if it links to pages of the crawl. `MERE_LINKS` applies to any links.
const LINKS_OF_PAGE: f64 = 0.85;
const LINKS_OF_BODY: f64 = 0.7;
const MERE_LINKS: f64 = 0.95;
/// Minimum number of other pages of the crawl that a list links to.
const LINKED: usize = 2;
/// Maximum number of words of a list per linked page: a headline with a few lines.
const WORDS_OF_TEASER: u32 = 40;
/// Maximum number of words between the beginning of a list of posts and the first headline.
const WORDS_BEFORE: u32 = 60;

/// Returns why a page is dropped before extraction, or `None` if it is kept. The engine grove keeps lists that have text of their
/// own.
pub(crate) fn refusal(
    kind: TemplateKind,
    page: &ParsedPage<'_>,
    addresses: &AddressDigest,
    settings: &Settings,
) -> Option<DropReason> {
    let tables = settings.tables();
    match kind {
        TemplateKind::Article => None,
        TemplateKind::List if tables.cluster.extract_lists => None,
        TemplateKind::List if tables.rank.engine == Engine::Grove => {
            let linked = share(page.link_words.total(), page.words.total());
            let mere = linked >= MERE_LINKS
                || linked >= LINKS_OF_PAGE && is_index(page, addresses, settings);
            mere.then_some(DropReason::ListPage)
        }
        TemplateKind::List => Some(DropReason::ListPage),
        TemplateKind::Other => Some(DropReason::NoContent),
    }
}

/// Whether a page links to other pages of the crawl.
fn is_index(page: &ParsedPage<'_>, addresses: &AddressDigest, settings: &Settings) -> bool {
    leads_on(page, page.document.ids(), addresses, settings.tracking(), LINKED)
}

/// The share of words that are links; 1 without words.
fn share(linked: u32, words: u32) -> f64 {
    if words == 0 { 1.0 } else { f64::from(linked) / f64::from(words) }
}

/// Decides whether the body found on a page is a list.
pub(crate) struct Lists<'a> {
    pub(crate) sibling: &'a SiblingPage<'a>,
    /// The kind of its template; `drops_excerpts` is the rule of its page type.
    pub(crate) kind: TemplateKind,
    pub(crate) drops_excerpts: bool,
    pub(crate) addresses: &'a AddressDigest,
    pub(crate) settings: &'a Settings,
}

impl Lists<'_> {
    /// Whether the body is a list: it consists of links or, where the page type drops excerpts, of teasers or posts of other
    /// pages of the crawl.
    pub(crate) fn is_list(&self, body: &ArticleBody) -> bool {
        let tables = self.settings.tables();
        if body.elsewhere.is_some() || tables.cluster.extract_lists {
            return false;
        }
        let list = self.kind == TemplateKind::List;
        let page = self.sibling.page;
        let words = self.sum(body, &page.words);
        let linked = share(self.sum(body, &page.link_words), words);
        let excerpts = self.drops_excerpts;
        list && (linked >= MERE_LINKS
            || (excerpts || linked >= LINKS_OF_BODY)
                && is_index(page, self.addresses, self.settings))
            || excerpts && (self.consists_of_teasers(body, words) || self.consists_of_posts(body))
    }

    /// Whether the body begins with the headline of another page of the crawl and contains more such headlines, like a blog that
    /// shows its posts in full. Round-ups, which also link to their subjects, have a headline of their own.
    fn consists_of_posts(&self, body: &ArticleBody) -> bool {
        let Self { sibling, addresses, settings, .. } = *self;
        let (page, document) = (sibling.page, &sibling.page.document);
        let (Some(&first), Some(&last)) = (body.nodes.first(), body.nodes.last()) else {
            return false;
        };
        let address = address_says(&page.page.url, addresses.pages_below(&page.page.url));
        let is_listed = address == Some(TemplateKind::List);
        if !is_listed && (address.is_some() || declared(document) < 0) {
            return false;
        }
        let is_headline = |id: &NodeId| {
            matches!(document.name(*id), Some(&local_names!("h1" "h2" "h3")))
                && page.words.sum(document, *id) > 0
        };
        let headlines: Vec<NodeId> = (0..document.subtree(last).end).filter(is_headline).collect();
        let before = headlines.partition_point(|&id| id <= first).saturating_sub(1);
        let Some(&start) = headlines.get(before) else { return false };
        let between = start.min(first)..start.max(first);
        let around = |id: NodeId| document.parent(id).into_iter().chain(document.subtree(id));
        let is_link = |id: NodeId| document.is(id, &local_name!("a"));
        // The names of the site and, if the address indicates one, of a section.
        let may_be_before = |&id: &NodeId| {
            around(id).any(is_link) || is_listed && document.is(id, &local_name!("h1"))
        };
        let leads = |of: &[NodeId], least: usize| {
            let links = of.iter().flat_map(|&id| around(id));
            leads_on(page, links, addresses, settings.tracking(), least)
        };
        page.words.range(between.start, between.end) < WORDS_BEFORE
            && headlines[..before].iter().all(may_be_before)
            && leads(&[start], 1)
            && leads(&headlines[before..], LINKED)
    }

    /// Whether a page may be a list and its body links to so many pages of the crawl that its words are teasers. Links after the
    /// body, to the previous and the next page, do not count.
    fn consists_of_teasers(&self, body: &ArticleBody, words: u32) -> bool {
        let Self { sibling, addresses, settings, .. } = *self;
        let (Some(&first), Some(&last)) = (body.nodes.first(), body.nodes.last()) else {
            return false;
        };
        let span = first..sibling.page.document.subtree(last).end;
        let least = LINKED.max(words.div_ceil(WORDS_OF_TEASER) as usize);
        leads_on(sibling.page, span, addresses, settings.tracking(), least)
            && impression(sibling, addresses, settings).may_be_list()
    }

    /// Sums counts over the body without its pruned nodes.
    fn sum(&self, body: &ArticleBody, counts: &PrefixSums) -> u32 {
        let document = &self.sibling.page.document;
        let of = |nodes: &[NodeId]| nodes.iter().map(|&id| counts.sum(document, id)).sum::<u32>();
        of(&body.nodes).saturating_sub(of(&document.outermost(body.prune.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_lowest_where_no_child_but_a_line_break_is_one() {
        let html = "<div>a<p>b<br>c</p></div><div><b>d<p>e</p></b></div><span>f</span><p>g<hr>";
        let document = dom::parse(html);
        let lowest = lowest_blocks(&document).filter_map(|id| document.name(id));
        let lowest: Vec<&str> = lowest.map(|name| &**name).collect();
        // The second `div` has its block one level further down.
        assert_eq!(lowest, ["p", "br", "div", "p", "p", "hr"]);
    }
}
