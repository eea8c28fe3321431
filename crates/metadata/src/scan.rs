//! One pass over a page's tree that finds headings, bylines, dates and side content.

use std::cmp::Reverse;
use std::sync::LazyLock;

use dom::{Document, Element, ElementKind, NodeId, is_heading, local_name, local_names};
use memchr::{memchr2, memrchr};
use rustc_hash::FxHashMap;

use crate::date_text::{DayMonthOrder, KnowsOrder, find_date};
use crate::page_date::PageDate;
use crate::text::{has_identifier_word, identifier_words, word_count};

/// Elements of a page that may hold metadata, in document order.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// `h1` to `h4` with their rank, and elements with a headline class (rank 5).
    pub(crate) headings: Vec<(NodeId, u8)>,
    /// `<time>` elements, and others with a `datetime` attribute.
    pub(crate) times: Vec<NodeId>,
    /// Elements whose class or id is that of a date, and those with a date in a tooltip.
    pub(crate) dates: Vec<NodeId>,
    /// Elements with an `itemprop` or `property` such as `datePublished`, `dateModified` or `author`, with their meanings.
    pub(crate) properties: Vec<(NodeId, u32)>,
    /// `rel=author`.
    pub(crate) author_links: Vec<NodeId>,
    /// Links into a folder of authors.
    pub(crate) author_pages: Vec<NodeId>,
    /// Elements whose class or id is that of an author.
    pub(crate) bylines: Vec<NodeId>,
    /// Those bylines whose class or id is that of an author's name.
    pub(crate) author_names: Vec<NodeId>,
    /// `rel=tag`.
    pub(crate) tags: Vec<NodeId>,
    /// Elements whose class, id, `itemtype` or `aria-label` is that of a breadcrumb.
    pub(crate) breadcrumbs: Vec<NodeId>,
    /// Links with `rel=license`.
    pub(crate) licenses: Vec<NodeId>,
    /// Side content: navigation, comments, related articles, quotations and embedded posts. Only outermost ranges, in order.
    zones: Vec<(NodeId, NodeId)>,
    /// Asides and footers in the side content, which may belong to the article, in order, and whether their names say so.
    frames: Vec<(NodeId, bool)>,
}

/// Minimum bytes of the headline of a teaser, and maximum number of headlines that are looked at.
const LEAST_HEADLINE: usize = 20;
const MOST_TEASERS: usize = 40;

const HEADLINE: u32 = 1;
const BYLINE: u32 = 2;
const DATE: u32 = 4;
const SIDE: u32 = 8;
/// Metadata of a post: its date, its author, its tags.
const DETAILS: u32 = 16;
/// Counts only together with [`NAME`]: sellers of products are called creators, too.
const CREATOR: u32 = 32;
const NAME: u32 = 64;
/// Readers' comments, or the number of them.
const COMMENTS: u32 = 128;
const BREADCRUMB: u32 = 256;
/// A teaser of another article if it contains a link; else a standfirst.
const TEASER: u32 = 512;
/// A column or footer, of the page or of the article.
const FRAME: u32 = 1024;
const ARTICLE: u32 = 2048;
// Meanings of tags and of other attributes.
const HEADING: u32 = 1 << 12;
const AUTHOR_LINK: u32 = 1 << 13;
const TAG_LINK: u32 = 1 << 14;
const LICENSE_LINK: u32 = 1 << 15;
pub(crate) const OF_AUTHOR: u32 = 1 << 16;
pub(crate) const OF_PUBLICATION: u32 = 1 << 17;
pub(crate) const OF_CHANGE: u32 = 1 << 18;
const ADDRESS: u32 = 1 << 19;
const ASIDE: u32 = 1 << 20;

/// Asides with fewer nodes and no heading are not side columns: they contain a date or a name.
const SMALL_ASIDE: u32 = 12;
/// Asides and footers with more nodes contain more than a byline and a date.
const SMALL_FRAME: u32 = 150;
/// Maximum number of elements for the dates of one article: publication and change, each perhaps inside another element.
const DATES_OF_ONE: usize = 4;
/// Maximum number of nodes between the body and the footer of an article or entry.
const BEHIND: u32 = 40;
/// Elements with fewer nodes contain only the number of comments, not the comments.
const SMALL_DETAILS: u32 = 40;

/// Words of classes and ids, with their meanings.
#[rustfmt::skip]
static CUES: LazyLock<FxHashMap<&str, u32>> = LazyLock::new(|| FxHashMap::from_iter([
    ("article", ARTICLE), ("author", BYLINE), ("authors", BYLINE), ("autor", BYLINE), ("autore", BYLINE),
    ("autoren", BYLINE), ("autores", BYLINE), ("auteur", BYLINE), ("auteurs", BYLINE),
    ("breadcrumb", BREADCRUMB), ("breadcrumblist", BREADCRUMB), ("breadcrumbs", BREADCRUMB),
    ("byline", BYLINE), ("bylines", BYLINE),
    ("carousel", SIDE), ("comment", SIDE), ("commentlist", SIDE), ("comments", COMMENTS),
    ("contributor", BYLINE), ("contributors", BYLINE), ("created", DATE), ("creator", CREATOR),
    ("creators", CREATOR),
    ("date", DATE), ("dateline", DATE), ("dates", DATE), ("datetime", DATE), ("datum", DATE),
    ("disqus", SIDE),
    ("entry", ARTICLE),
    ("fecha", DATE), ("footer", FRAME),
    ("headline", HEADLINE),
    ("kommentare", SIDE),
    ("menu", SIDE), ("meta", DETAILS), ("metadata", DETAILS),
    ("name", NAME), ("nav", SIDE), ("navigation", SIDE), ("newsletter", SIDE),
    ("popular", SIDE), ("post", ARTICLE), ("postdate", DATE), ("posted", DATE), ("postmeta", DETAILS),
    ("promo", SIDE), ("pubdate", DATE), ("published", DATE),
    ("recommendations", SIDE), ("recommended", SIDE), ("related", SIDE), ("replies", SIDE),
    ("sidebar", FRAME), ("szerzo", BYLINE),
    ("teaser", TEASER), ("teasers", SIDE), ("time", DATE), ("timeago", DATE), ("timestamp", DATE), ("titel", HEADLINE),
    ("title", HEADLINE), ("titre", HEADLINE), ("titulo", HEADLINE), ("todays", SIDE),
    ("trending", SIDE), ("tweet", SIDE),
    ("writer", BYLINE),
]));

/// The meaning of a word in a class or an id, in lower case.
fn cue(word: &str) -> u32 {
    // "headbyline", "articlebyline"
    let other = || if word.ends_with("byline") { BYLINE } else { 0 };
    CUES.get(word).copied().unwrap_or_else(other)
}

/// The meanings of each kind of element, by its tag, class, id and other attributes.
fn cues_of_kinds(document: &Document) -> Vec<u32> {
    let of_kind = |kind: &ElementKind| {
        let Some(element) = document.element(kind.first) else { return 0 };
        let mut cues = 0;
        for (name, value) in element.attributes() {
            cues |= match *name {
                local_name!("class") | local_name!("id") => {
                    let mut cues = 0;
                    identifier_words(value, |word| cues |= cue(word));
                    cues
                }
                local_name!("rel") => {
                    let rels = value.split_ascii_whitespace();
                    let rels = rels.map(|rel| match &*rel.to_ascii_lowercase() {
                        "author" => AUTHOR_LINK,
                        "tag" => TAG_LINK,
                        "license" => LICENSE_LINK,
                        _ => 0,
                    });
                    rels.fold(0, |all, one| all | one)
                }
                local_name!("itemtype") if value.ends_with("BreadcrumbList") => BREADCRUMB,
                // https://www.w3.org/WAI/ARIA/apg/patterns/breadcrumb/
                local_name!("aria-label") if value.eq_ignore_ascii_case("breadcrumb") => BREADCRUMB,
                // Properties of RDFa, whose names may have prefixes: `schema:author`, `dc:created`.
                local_name!("property") if *element.name != local_name!("meta") => {
                    property_of(value)
                }
                local_name!("itemprop") => {
                    property_of(value)
                        | match value {
                            "headline" => HEADLINE,
                            "comment" | "review" | "reviews" | "suggestedAnswer" => SIDE,
                            _ => 0,
                        }
                }
                _ => 0,
            };
        }
        let has_details = cues & (BYLINE | DATE | DETAILS) != 0;
        cues | match *element.name {
            local_names!("h1" "h2" "h3" "h4") => HEADING,
            _ if cues & HEADLINE != 0 => HEADING,
            // Quotations and other articles have dates and authors of their own.
            local_names!("nav" "blockquote" "article") => SIDE,
            // The footer of a post's header: `<footer class="node__meta">`.
            local_name!("footer") if !has_details => FRAME,
            local_name!("address") => ADDRESS,
            // Some templates put date and author of a post into separate asides.
            local_name!("aside") if !has_details => ASIDE,
            _ => 0,
        }
    };
    document.kinds().all().iter().map(of_kind).collect()
}

/// The last folder in the path of an address: `authors` for `/authors/jane-doe/?page=2`.
fn folder(address: &str) -> &str {
    let end = memchr2(b'?', b'#', address.as_bytes()).unwrap_or(address.len());
    let path = address[..end].trim_end_matches('/');
    let before = memrchr(b'/', path.as_bytes()).map_or("", |slash| &path[..slash]);
    memrchr(b'/', before.as_bytes()).map_or(before, |slash| &before[slash + 1..])
}

/// Whether a value begins like a machine-readable date. Few values do.
fn may_be_date(value: &str) -> bool {
    value.len() >= 8 && value.as_bytes()[0].is_ascii_digit()
}

/// Words of the names of attributes with dates for scripts.
const SCRIPTED: [&str; 11] = [
    "date", "time", "datetime", "timestamp", "unixtime", "utime", "epoch", "created", "published",
    "livestamp", "moment",
];

/// The moment from which a script computes "2 hours ago": `data-timestamp="1584018000"`, `data-date="2012-11-07"`.
pub(crate) fn scripted_date(element: Element<'_>) -> Option<PageDate> {
    element.attributes().find_map(|(name, value)| {
        let name = name.strip_prefix("data-").filter(|_| may_be_date(value))?;
        let says_time = has_identifier_word(name, |word| SCRIPTED.contains(&word));
        says_time.then(|| PageDate::parse(value))?
    })
}

/// The date in the tooltip of an element with a few words without a year: `<span title="11 September 2026 10:12">3 weeks ago</span>`.
pub(crate) fn date_of_tooltip(
    document: &Document,
    id: NodeId,
    order: &impl KnowsOrder,
) -> Option<PageDate> {
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let element = document.element(id).filter(|_| document.node(id).end - id <= 4)?;
    let tooltips = element.attributes().filter(|(name, value)| {
        (8..=40).contains(&value.len())
            && (matches!(&***name, "title" | "aria-label") || name.starts_with("data-"))
            && digits(value) >= 5
    });
    let mut tooltips = tooltips.peekable();
    tooltips.peek()?;
    let text = document.text_content(id);
    let is_relative = digits(text) < 3
        && (1..=5).contains(&word_count(text))
        && text.contains(char::is_alphabetic);
    // Identifiers have as many digits as dates.
    let mut dates = tooltips.filter(|_| is_relative).filter_map(|own| find_date(own.1, order));
    dates.find(|date| !date.has_label).map(|date| date.moment)
}

/// The meanings of the names in `itemprop` or `property`.
fn property_of(names: &str) -> u32 {
    let known = names.split_ascii_whitespace().find_map(|name| match name.rsplit(':').next()? {
        "author" | "creator" => Some(OF_AUTHOR),
        "datePublished" | "dateCreated" | "created" | "issued" => Some(OF_PUBLICATION),
        "dateModified" | "modified" => Some(OF_CHANGE),
        _ => None,
    });
    known.unwrap_or(0)
}

impl Scan {
    /// Finds the elements in one pass. Linear in the page.
    pub fn of(document: &Document) -> Self {
        let mut scan = Self::default();
        let of_kinds = cues_of_kinds(document);
        for (id, &kind) in document.ids().zip(document.kinds().of_nodes()) {
            let Some(element) = document.element(id) else { continue };
            let mut cues = of_kinds[kind as usize];
            let (mut is_time, mut has_data) = (*element.name == local_name!("time"), false);
            for (name, value) in element.attributes() {
                match *name {
                    local_names!("class" "id" "style" "src") => {}
                    local_name!("datetime") => is_time = true,
                    // `<abbr title="2012-11-07T16:05:00Z">1 hour ago</abbr>`, the microformat that preceded `<time>`.
                    local_name!("title") if *element.name == local_name!("abbr") => {
                        is_time |= PageDate::parse(value).is_some();
                    }
                    local_name!("href") => {
                        if has_identifier_word(folder(value), |word| cue(word) == BYLINE) {
                            scan.author_pages.push(id);
                        }
                    }
                    _ => has_data |= may_be_date(value) && name.starts_with("data-"),
                }
            }
            if is_time || has_data && scripted_date(element).is_some() {
                scan.times.push(id);
            } else if cues & DATE != 0
                || date_of_tooltip(document, id, &DayMonthOrder::MonthFirst).is_some()
            {
                scan.dates.push(id);
            }
            if cues == 0 {
                continue;
            }
            let has_link = || document.subtree(id).any(|n| document.is(n, &local_name!("a")));
            let size = document.node(id).end - id;
            if cues & HEADING != 0 {
                let rank = match *element.name {
                    local_name!("h1") => 1,
                    local_name!("h2") => 2,
                    local_name!("h3") => 3,
                    local_name!("h4") => 4,
                    _ => 5,
                };
                scan.headings.push((id, rank));
            }
            let property = cues & (OF_AUTHOR | OF_PUBLICATION | OF_CHANGE);
            if property != 0 {
                scan.properties.push((id, property));
            }
            if cues & AUTHOR_LINK != 0 {
                scan.author_links.push(id);
            }
            if cues & TAG_LINK != 0 {
                scan.tags.push(id);
            }
            if cues & LICENSE_LINK != 0 {
                scan.licenses.push(id);
            }
            // "The address element represents the contact information for its nearest article" (WHATWG HTML §4.3.10).
            if cues & ADDRESS != 0 && has_link() {
                cues |= BYLINE;
            }
            let has_heading =
                || document.subtree(id).any(|n| document.name(n).is_some_and(is_heading));
            if cues & ASIDE != 0 && (size >= SMALL_ASIDE || has_heading()) {
                cues |= FRAME;
            }
            // "by-line-comments-date": metadata of the post, including the number of comments.
            let small = size < SMALL_DETAILS;
            if cues & COMMENTS != 0 && !(small && cues & (BYLINE | DATE) != 0) {
                cues |= SIDE;
            }
            if cues & CREATOR != 0 && cues & NAME != 0 {
                cues |= BYLINE;
            }
            if cues & BYLINE != 0 {
                scan.bylines.push(id);
                if cues & NAME != 0 {
                    scan.author_names.push(id);
                }
            }
            if cues & BREADCRUMB != 0 {
                scan.breadcrumbs.push(id);
            }
            if cues & TEASER != 0 && has_link() {
                cues |= SIDE;
            }
            if cues & (SIDE | FRAME) != 0 {
                scan.zones.push((id, document.node(id).end));
                if cues & SIDE == 0 {
                    scan.frames.push((id, cues & ARTICLE != 0));
                }
            }
        }
        scan
    }

    /// Determines the side content. Excludes elements that contain the headline, the beginning of the body or half of the page,
    /// and small asides and footers of the article that contain its byline or date.
    pub(crate) fn settle_zones(
        &mut self,
        document: &Document,
        heading: Option<NodeId>,
        body: Option<(NodeId, NodeId)>,
    ) {
        let nodes = document.len();
        let inside = [heading, body.map(|body| body.0)];
        let begin = heading.or(body.map(|body| body.0)).unwrap_or(NodeId::MAX);
        let end_of_body = body.map_or(begin.saturating_add(BEHIND), |body| body.1);
        let mut zones = std::mem::take(&mut self.zones);
        zones.extend(self.teasers_before(document, begin));
        zones.sort_by_key(|&(start, end)| (start, Reverse(end)));
        let mut last_end = 0;
        zones.retain(|&(start, end)| {
            let large = (end - start) as usize * 2 > nodes;
            let is_own = start >= begin
                && self.frames.binary_search_by_key(&start, |frame| frame.0).is_ok_and(|at| {
                    let behind = if self.frames[at].1 { BEHIND } else { 0 };
                    start < end_of_body.saturating_add(behind)
                })
                && self.is_byline((start, end));
            let keep = start >= last_end
                && !large
                && !is_own
                && !inside.into_iter().flatten().any(|i| (start..end).contains(&i));
            if keep {
                last_end = end;
            }
            keep
        });
        self.zones = zones;
    }

    /// The elements before the beginning of the article that have several headlines with links: teasers of other pages.
    fn teasers_before(&self, document: &Document, begin: NodeId) -> Vec<(NodeId, NodeId)> {
        let is_link = |id: NodeId| document.is(id, &local_name!("a"));
        let is_teaser = |id: &NodeId| {
            let is_linked =
                document.ancestors(*id).take(3).chain(document.subtree(*id)).any(is_link);
            is_linked && document.text_content(*id).trim().len() >= LEAST_HEADLINE
        };
        let before = self.headings.partition_point(|heading| heading.0 < begin);
        let nearest = self.headings[..before].iter().rev().take(MOST_TEASERS);
        let teasers: Vec<NodeId> = nearest.map(|heading| heading.0).filter(is_teaser).collect();
        let around = |two: &[NodeId]| {
            let around = document.ancestors(two[1]).find(|own| document.contains(*own, two[0]))?;
            let end = document.node(around).end;
            (end <= begin && around != two[1]).then_some((around, end))
        };
        teasers.windows(2).filter_map(around).collect()
    }

    /// Whether a small range contains an author or a date, but neither a heading nor the dates of a list.
    fn is_byline(&self, (start, end): (NodeId, NodeId)) -> bool {
        let within = |ids: &[NodeId]| {
            ids.partition_point(|id| *id < end) - ids.partition_point(|id| *id < start)
        };
        let dates = within(&self.times).max(within(&self.dates));
        let authors = [&self.bylines, &self.author_links, &self.author_pages];
        let is_in_heading =
            |heading: &(NodeId, u8)| heading.1 < 5 && (start..end).contains(&heading.0);
        end - start <= SMALL_FRAME
            && dates <= DATES_OF_ONE
            && (dates > 0 || authors.into_iter().any(|ids| within(ids) > 0))
            && !self.headings.iter().any(is_in_heading)
    }

    /// The end of the side content that contains a node; `None` if the node is not in side content.
    pub(crate) fn zone_end(&self, id: NodeId) -> Option<NodeId> {
        let after = self.zones.partition_point(|z| z.0 <= id);
        let (_, end) = *self.zones.get(after.checked_sub(1)?)?;
        (id < end).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_meanings() {
        assert_eq!((cue("date"), cue("headbyline"), cue("dative")), (DATE, BYLINE, 0));
    }

    #[test]
    fn folders_of_addresses() {
        assert_eq!(folder("/authors/jane-doe/?page=2"), "authors");
        assert_eq!(folder("https://news.example/by/author/x#y/z"), "author");
        assert_eq!(folder("author/x"), "author");
        assert_eq!((folder("/x"), folder("author"), folder("")), ("", "", ""));
    }
}
