//! One pass over a page's tree that finds headings, bylines, dates and side content.

use dom::{Document, Element, ElementKind, NodeId, is_heading, local_name, local_names};
use memchr::{memchr2, memrchr};

use crate::page_date::PageDate;
use crate::text::{has_identifier_word, identifier_words};

/// Elements of a page that may hold metadata, in document order.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// `h1` to `h4` with their rank, and elements with a headline class (rank 5).
    pub(crate) headings: Vec<(NodeId, u8)>,
    /// `<time>` elements, and others with a `datetime` attribute.
    pub(crate) times: Vec<NodeId>,
    /// Elements whose class or id is that of a date.
    pub(crate) dates: Vec<NodeId>,
    /// `itemprop` or `property` of `datePublished`, `dateModified`, `author` and the like.
    pub(crate) properties: Vec<(NodeId, Property)>,
    /// `rel=author`.
    pub(crate) author_links: Vec<NodeId>,
    /// Links into a folder of authors.
    pub(crate) author_pages: Vec<NodeId>,
    /// Elements whose class or id is that of an author.
    pub(crate) bylines: Vec<NodeId>,
    /// Those of them whose class or id is that of an author's name.
    pub(crate) author_names: Vec<NodeId>,
    /// `rel=tag`.
    pub(crate) tags: Vec<NodeId>,
    /// Elements whose class, id, `itemtype` or `aria-label` is that of a breadcrumb.
    pub(crate) breadcrumbs: Vec<NodeId>,
    /// Links with `rel=license`.
    pub(crate) licenses: Vec<NodeId>,
    /// Side content: navigation, comments, related articles, quotations and embedded posts. Outermost ranges, in order.
    zones: Vec<(NodeId, NodeId)>,
    /// Those of them that are asides and footers, which may be those of the article, in order, and whether they are called that.
    frames: Vec<(NodeId, bool)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    Author,
    Published,
    Modified,
}

const HEADLINE: u16 = 1;
const BYLINE: u16 = 2;
const DATE: u16 = 4;
const SIDE: u16 = 8;
/// Metadata of a post: its date, its author, its tags.
const DETAILS: u16 = 16;
/// Only together with [`NAME`]: sellers of products are called creators too.
const CREATOR: u16 = 32;
const NAME: u16 = 64;
/// Readers' comments, or the number of them.
const COMMENTS: u16 = 128;
const BREADCRUMB: u16 = 256;
/// Of another article if it has a link; else a standfirst.
const TEASER: u16 = 512;
/// A column or a foot: of the page, or of the article.
const FRAME: u16 = 1024;
const ARTICLE: u16 = 2048;

/// Smaller asides without a heading are not side columns: they hold a date or a name.
const SMALL_ASIDE: u32 = 12;
/// Larger asides and footers hold more than a byline and a date.
const SMALL_FRAME: u32 = 150;
/// Elements for the dates of one article: of its publication and its change, each perhaps within another.
const DATES_OF_ONE: usize = 4;
/// Nodes behind the body within which what is called the footer of an article or entry begins.
const BEHIND: u32 = 40;
/// Smaller elements hold only the number of comments, not the comments.
const SMALL_DETAILS: u32 = 40;

/// Words of classes and ids, by their first letter, with their meanings.
#[rustfmt::skip]
const CUES: [(&str, u16); 68] = [
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
];

/// The words with one initial: their range in [`CUES`], and their lengths as bits.
#[derive(Clone, Copy)]
struct Initial {
    from: u8,
    to: u8,
    lengths: u32,
}

/// By letter from `a` to `z`: nearly every word of a page is ruled out by its first letter and
/// length alone.
const INITIALS: [Initial; 26] = {
    let mut initials = [Initial { from: 0, to: 0, lengths: 0 }; 26];
    let mut at = 0;
    while at < CUES.len() {
        let word = CUES[at].0.as_bytes();
        let initial = &mut initials[(word[0] - b'a') as usize];
        if initial.to == 0 {
            initial.from = at as u8;
        }
        at += 1;
        initial.to = at as u8;
        initial.lengths |= 1 << word.len();
    }
    initials
};

/// The meaning of a word in a class or an id: lower-case ASCII letters, at most 31.
#[inline]
fn cue(word: &str) -> u16 {
    let &[first, ..] = word.as_bytes() else { return 0 };
    let Some(initial) = INITIALS.get(usize::from(first.wrapping_sub(b'a'))) else { return 0 };
    if initial.lengths >> (word.len() & 31) & 1 != 0 {
        let alike = &CUES[usize::from(initial.from)..usize::from(initial.to)];
        if let Some(known) = alike.iter().find(|known| known.0 == word) {
            return known.1;
        }
    }
    // "headbyline", "articlebyline"
    if word.ends_with("byline") { BYLINE } else { 0 }
}

/// The cues in class and id of each kind of elements.
fn cues_of_kinds(document: &Document) -> Vec<u16> {
    let of_kind = |kind: &ElementKind| {
        let mut cues = 0;
        for name in [local_name!("class"), local_name!("id")] {
            let value = document.attribute(kind.first, &name).unwrap_or_default();
            identifier_words(value, |word| cues |= cue(word));
        }
        cues
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

/// `<abbr title="2012-11-07T16:05:00Z">1 hour ago</abbr>`, the microformat that preceded `<time>`.
fn is_dated_abbr(document: &Document, id: NodeId) -> bool {
    document.is(id, &local_name!("abbr"))
        && document
            .attribute(id, &local_name!("title"))
            .is_some_and(|title| PageDate::parse(title).is_some())
}

/// Whether a value begins like a machine-readable date, as few do.
fn may_be_date(value: &str) -> bool {
    value.len() >= 8 && value.as_bytes()[0].is_ascii_digit()
}

/// The moment that a script is given to write beside "2 hours ago": `data-timestamp="1584018000"`, `data-date="2012-11-07"`.
pub(crate) fn scripted_date(element: Element<'_>) -> Option<PageDate> {
    element.attributes().find_map(|(name, value)| {
        let name = name.strip_prefix("data-").filter(|_| may_be_date(value))?;
        let says_time = has_identifier_word(name, |word| {
            matches!(
                word,
                "date" | "time" | "datetime" | "timestamp" | "unixtime" | "utime" | "epoch"
            )
        });
        says_time.then(|| PageDate::parse(value))?
    })
}

/// What the names in `itemprop` or `property` stand for.
fn property_of(names: &str) -> Option<Property> {
    names.split_ascii_whitespace().find_map(|name| match name.rsplit(':').next()? {
        "author" | "creator" => Some(Property::Author),
        "datePublished" | "dateCreated" | "created" | "issued" => Some(Property::Published),
        "dateModified" | "modified" => Some(Property::Modified),
        _ => None,
    })
}

impl Scan {
    /// Finds them. Linear in the page.
    pub fn of(document: &Document) -> Self {
        let mut scan = Self::default();
        let of_kinds = cues_of_kinds(document);
        for (id, &kind) in document.ids().zip(document.kinds().of_nodes()) {
            let Some(element) = document.element(id) else { continue };
            let mut cues = of_kinds[kind as usize];
            let (mut has_datetime, mut has_data) = (false, false);
            for (name, value) in element.attributes() {
                match *name {
                    local_name!("datetime") => has_datetime = true,
                    local_name!("rel") => {
                        for rel in value.split_ascii_whitespace() {
                            if rel.eq_ignore_ascii_case("author") {
                                scan.author_links.push(id);
                            } else if rel.eq_ignore_ascii_case("tag") {
                                scan.tags.push(id);
                            } else if rel.eq_ignore_ascii_case("license") {
                                scan.licenses.push(id);
                            }
                        }
                    }
                    local_name!("href") => {
                        if has_identifier_word(folder(value), |word| cue(word) == BYLINE) {
                            scan.author_pages.push(id);
                        }
                    }
                    local_name!("itemtype") if value.ends_with("BreadcrumbList") => {
                        cues |= BREADCRUMB
                    }
                    // https://www.w3.org/WAI/ARIA/apg/patterns/breadcrumb/
                    local_name!("aria-label") if value.eq_ignore_ascii_case("breadcrumb") => {
                        cues |= BREADCRUMB
                    }
                    // Properties of RDFa, whose names may have prefixes: `schema:author`, `dc:created`.
                    local_name!("property") if *element.name != local_name!("meta") => {
                        scan.properties.extend(property_of(value).map(|p| (id, p)));
                    }
                    local_name!("itemprop") => {
                        scan.properties.extend(property_of(value).map(|p| (id, p)));
                        match value {
                            "headline" => cues |= HEADLINE,
                            "comment" | "review" | "reviews" | "suggestedAnswer" => cues |= SIDE,
                            _ => {}
                        }
                    }
                    _ => has_data |= may_be_date(value) && name.starts_with("data-"),
                }
            }
            match *element.name {
                local_name!("h1") => scan.headings.push((id, 1)),
                local_name!("h2") => scan.headings.push((id, 2)),
                local_name!("h3") => scan.headings.push((id, 3)),
                local_name!("h4") => scan.headings.push((id, 4)),
                _ if cues & HEADLINE != 0 => scan.headings.push((id, 5)),
                // What is quoted has dates and authors of its own, and so has another article.
                local_names!("nav" "blockquote" "article") => cues |= SIDE,
                // The footer of a post's header: `<footer class="node__meta">`.
                local_name!("footer") if cues & (BYLINE | DATE | DETAILS) == 0 => cues |= FRAME,
                // "The address element represents the contact information for its nearest article" (WHATWG HTML §4.3.10).
                local_name!("address")
                    if document.subtree(id).any(|n| document.is(n, &local_name!("a"))) =>
                {
                    cues |= BYLINE;
                }
                // Some templates put date and author of a post into separate asides.
                local_name!("aside")
                    if cues & (BYLINE | DATE | DETAILS) == 0
                        && (document.node(id).end - id >= SMALL_ASIDE
                            || document.subtree(id).any(|n| {
                                document.element(n).is_some_and(|own| is_heading(own.name))
                            })) =>
                {
                    cues |= FRAME;
                }
                _ => {}
            }
            // "by-line-comments-date": metadata of the post, including the number of comments.
            let small = document.node(id).end - id < SMALL_DETAILS;
            if cues & COMMENTS != 0 && !(small && cues & (BYLINE | DATE) != 0) {
                cues |= SIDE;
            }
            has_datetime |= has_data && scripted_date(element).is_some();
            if has_datetime || *element.name == local_name!("time") || is_dated_abbr(document, id) {
                scan.times.push(id);
            } else if cues & DATE != 0 {
                scan.dates.push(id);
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
            if cues & TEASER != 0 && document.subtree(id).any(|n| document.is(n, &local_name!("a")))
            {
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

    /// Determines the side content: no element that contains the headline or the beginning of the body, or half of the page, and no
    /// small aside or footer of the article that holds its byline or date.
    pub(crate) fn settle_zones(
        &mut self,
        heading: Option<NodeId>,
        body: Option<(NodeId, NodeId)>,
        nodes: usize,
    ) {
        let inside = [heading, body.map(|body| body.0)];
        let begin = heading.or(body.map(|body| body.0)).unwrap_or(NodeId::MAX);
        let end_of_body = body.map_or(begin.saturating_add(BEHIND), |body| body.1);
        let mut zones = std::mem::take(&mut self.zones);
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

    /// Whether a small range holds an author or a date, and no heading nor the dates of a list.
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
    fn every_cue_is_found() {
        for (word, says) in CUES {
            assert_eq!(cue(word), says, "{word}");
        }
        assert_eq!((cue("headbyline"), cue("nightly"), cue("dative")), (BYLINE, 0, 0));
        assert!(CUES.is_sorted_by_key(|known| known.0.as_bytes()[0]));
    }

    #[test]
    fn folders_of_addresses() {
        assert_eq!(folder("/authors/jane-doe/?page=2"), "authors");
        assert_eq!(folder("https://news.example/by/author/x#y/z"), "author");
        assert_eq!(folder("author/x"), "author");
        assert_eq!((folder("/x"), folder("author"), folder("")), ("", "", ""));
    }
}
