//! The shared inputs of all fields: the head, JSON-LD, the site's names, and positions and lines on the page.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use dom::{Document, Head, NodeId, is_inline, local_name, normalize_space};
use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::{FeedItem, Image};
use rustc_hash::{FxHashMap, FxHasher};
use terms::Detected;
use url::Url;

use crate::PageContext;
use crate::date_text::{DayMonthOrder, TextDate};
use crate::heading::{Heading, SiteNames, heading};
use crate::json_ld::{JsonLdArticle, JsonLdFacts};
use crate::learnt::TemplateFields;
use crate::names::CONJUNCTIONS;
use crate::page_date::PageDate;
use crate::scan::Scan;

/// Open Graph properties of the date of publication, the most reliable first.
pub(crate) const PUBLISHED_OPEN_GRAPH: [&str; 6] = [
    "article:published_time", "article:published", "og:published_time", "og:pubdate",
    "og:article:published_time", "video:release_date",
];

/// Open Graph properties of the date of the last change.
pub(crate) const MODIFIED_OPEN_GRAPH: [&str; 3] =
    ["article:modified_time", "og:updated_time", "article:modified"];

/// Number of the sources that state the authors.
pub(crate) const AUTHOR_SOURCES: usize = 10;

/// For a page without siblings.
static NOTHING_LEARNT: LazyLock<TemplateFields> = LazyLock::new(TemplateFields::default);

/// The evidence of a page, collected once.
pub(crate) struct MetadataEvidence<'a> {
    pub(crate) document: &'a Document,
    pub(crate) url: &'a str,
    pub(crate) own: Option<Url>,
    pub(crate) base: Option<Url>,
    /// The latest plausible date on the page.
    pub(crate) latest: Option<Date>,
    pub(crate) feed_items: &'a [&'a FeedItem],
    pub(crate) detected: Option<Detected>,
    pub(crate) learnt: &'a TemplateFields,
    pub(crate) body_text: &'a str,
    pub(crate) pictures: &'a [Image],
    pub(crate) facts: Cow<'a, JsonLdFacts>,
    pub(crate) site: SiteNames,
    pub(crate) scan: Scan,
    pub(crate) heading: Option<Heading>,
    /// First node of the body and one past its last.
    pub(crate) body: Option<(NodeId, NodeId)>,
    pub(crate) body_nodes: &'a [NodeId],
    /// The order of day and month in the numeric dates of the page, computed on first use.
    pub(crate) order_on_page: OnceCell<Option<DayMonthOrder>>,
    /// A Bloom filter of the keys of meta elements, because most keys that are looked up do not occur.
    meta_keys: u64,
    /// The names from each source that states the authors, read on first use.
    pub(crate) stated_authors: [OnceCell<Vec<String>>; AUTHOR_SOURCES],
    lead_lines: OnceCell<Vec<TextLine>>,
    tail_lines: OnceCell<Vec<TextLine>>,
}

impl<'a> MetadataEvidence<'a> {
    pub(crate) fn new(page: &PageContext<'a>) -> Self {
        let document = page.document;
        let head = document.head();
        let own = Url::parse(page.url).ok();
        let base = match (&own, &head.base) {
            (Some(own), Some(base)) => own.join(base).ok().or_else(|| Some(own.clone())),
            (None, Some(base)) => Url::parse(base).ok(),
            _ => own.clone(),
        };
        let read = || Cow::Owned(JsonLdFacts::of(document, page.url));
        let facts = page.json_ld.map_or_else(read, Cow::Borrowed);
        let learnt = page.learnt.unwrap_or(&NOTHING_LEARNT);
        let site = SiteNames::new(head, &facts, own.as_ref(), &learnt.title_parts);
        // Ids of another document are an error of the caller and ignored.
        let nodes = document.len() as NodeId;
        let body_nodes = page.body.unwrap_or_default();
        let body = body_nodes.iter().copied().filter(|n| *n < nodes).min().map(|start| {
            let ends = body_nodes.iter().filter(|n| **n < nodes).map(|n| document.node(*n).end);
            (start, ends.max().unwrap_or(start + 1))
        });
        let mut scan = page.scan.cloned().unwrap_or_else(|| Scan::of(document));
        let heading = heading(document, &scan, &facts, &site, body).or_else(|| {
            let id = *learnt.headline.as_ref()?.elements(document).first()?;
            let text = normalize_space(&dom::text_of(document, &[id], &[]));
            (!text.is_empty()).then_some(Heading { id, text, is_sure: true })
        });
        scan.settle_zones(document, heading.as_ref().map(|heading| heading.id), body);
        Self {
            document,
            url: page.url,
            own,
            base,
            latest: page
                .fetched
                .and_then(PageDate::latest)
                .map(|latest| declared_latest(latest, head, &facts)),
            feed_items: page.feed_items,
            detected: page.detected,
            learnt,
            body_text: page.body_text,
            pictures: page.pictures,
            facts,
            site,
            scan,
            heading,
            body,
            body_nodes,
            order_on_page: OnceCell::new(),
            meta_keys: head.metas.iter().fold(0, |bits, meta| bits | key_bit(&meta.key)),
            stated_authors: Default::default(),
            lead_lines: OnceCell::new(),
            tail_lines: OnceCell::new(),
        }
    }

    pub(crate) fn head(&self) -> &'a Head {
        self.document.head()
    }

    pub(crate) fn article(&self) -> Option<&JsonLdArticle> {
        self.facts.article.as_ref()
    }

    /// The texts of the page, in document order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let document = self.document;
        document.ids().filter_map(|id| document.text(id))
    }

    /// Contents of the meta elements with these keys, by key, then in document order.
    pub(crate) fn metas(
        &self,
        keys: &'static [&'static str],
    ) -> impl Iterator<Item = &'a str> + use<'a> {
        let (metas, present) = (&self.head().metas, self.meta_keys);
        keys.iter()
            .filter(move |key| present & key_bit(key) != 0)
            .flat_map(move |key| metas.iter().filter(move |m| m.key == **key).map(|m| &*m.content))
    }

    /// Where the article begins on the page: at its headline, else at its body.
    pub(crate) fn anchor(&self) -> NodeId {
        self.heading.as_ref().map(|h| h.id).or(self.body.map(|b| b.0)).unwrap_or(0)
    }

    /// Nodes around headline and first paragraph, where bylines and dates are usually found.
    pub(crate) fn lead(&self) -> std::ops::Range<NodeId> {
        let nodes = self.document.len() as NodeId;
        let heading = self.heading.as_ref().map(|h| h.id);
        let (start, end) = match (heading, self.body) {
            (Some(heading), Some((body, _))) if body > heading && body - heading < 600 => {
                (heading, (body + 20).max(heading + 60))
            }
            (Some(heading), _) => (heading, heading + 120),
            (None, Some((body, _))) => (body.saturating_sub(80), body + 20),
            (None, None) => (0, 200),
        };
        start.saturating_sub(60)..end.min(nodes)
    }

    /// Nodes directly after the body, where old pages have their bylines and dates.
    pub(crate) fn tail(&self) -> std::ops::Range<NodeId> {
        let nodes = self.document.len() as NodeId;
        self.body.map_or(0..0, |(_, end)| end.min(nodes)..(end + 40).min(nodes))
    }

    pub(crate) fn lead_lines(&self) -> &[TextLine] {
        self.lead_lines.get_or_init(|| lines(self.document, &self.scan, self.lead()))
    }

    pub(crate) fn tail_lines(&self) -> &[TextLine] {
        self.tail_lines.get_or_init(|| lines(self.document, &self.scan, self.tail()))
    }

    /// Distance of a node from the start of the article. Nodes before it count threefold; nodes
    /// inside the body or after it come last. `None` in side content and far away.
    pub(crate) fn distance(&self, id: NodeId) -> Option<u32> {
        if self.scan.zone_end(id).is_some() {
            return None;
        }
        let anchor = self.anchor();
        let distance = if id < anchor { (anchor - id) * 3 } else { id - anchor };
        match self.body {
            Some((_, end)) if id >= end => (id - end < 200).then_some(10_000 + (id - end)),
            Some((start, _)) if id > (start + 20).max(anchor + 80) => Some(5_000 + distance),
            _ => (distance < 1_200).then_some(distance),
        }
    }

    /// Nodes sorted by [`Self::distance`], without those inside the body or far from its start,
    /// where classes like `author` and `date` belong to quoted or listed content.
    pub(crate) fn nearest_outside_body(&self, ids: &[NodeId]) -> Vec<NodeId> {
        let mut near = self.nearest(ids, |id| *id);
        near.retain(|id| self.distance(*id).is_some_and(|d| !(800..10_000).contains(&d)));
        near
    }

    /// The values sorted by [`Self::distance`] of their nodes, without those too far away.
    pub(crate) fn nearest<T: Copy>(&self, items: &[T], node: impl Fn(&T) -> NodeId) -> Vec<T> {
        let mut near: Vec<(u32, T)> =
            items.iter().filter_map(|i| Some((self.distance(node(i))?, *i))).collect();
        near.sort_by_key(|n| n.0);
        near.into_iter().map(|n| n.1).collect()
    }
}

/// Minimum number of digits in a class that identify a page (`post-1234`) rather than a step of a scale (`mt-12`).
const NUMBER: usize = 3;

/// The patterns of the elements of a page: hashes of the names and classes of an element and its ancestors, without numbers of
/// pages, so that they are equal on pages of one template.
pub(crate) struct ElementPatterns<'a> {
    document: &'a Document,
    known: FxHashMap<NodeId, u64>,
}

impl<'a> ElementPatterns<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        Self { document, known: FxHashMap::default() }
    }

    pub(crate) fn of(&mut self, element: NodeId) -> u64 {
        let known = |id: &NodeId| !self.known.contains_key(id);
        let unknown: Vec<NodeId> = self.document.ancestors(element).take_while(known).collect();
        let outer = unknown.last().map_or(Some(element), |last| self.document.parent(*last));
        let mut pattern = outer.and_then(|outer| self.known.get(&outer)).copied().unwrap_or(0);
        for id in unknown.into_iter().rev() {
            let mut hasher = FxHasher::default();
            pattern.hash(&mut hasher);
            self.document.name(id).map(|name| &**name).hash(&mut hasher);
            let class = self.document.attribute(id, &local_name!("class")).unwrap_or_default();
            let mut words: Vec<&str> = class.split_ascii_whitespace().collect();
            words.retain(|word| word.bytes().filter(u8::is_ascii_digit).count() < NUMBER);
            words.sort_unstable();
            words.hash(&mut hasher);
            pattern = hasher.finish();
            self.known.insert(id, pattern);
        }
        pattern
    }
}

/// The latest plausible day. If the page declares a change after the fetch, the time of the fetch is taken to be wrong, as in
/// archives made from other archives. A change more than a year later is accepted if it follows a publication that is also after
/// the fetch: content management systems set both.
fn declared_latest(latest: Date, head: &Head, facts: &JsonLdFacts) -> Date {
    let metas = |keys: &'static [&'static str]| {
        let named = head.metas.iter().filter(move |m| keys.contains(&&*m.key));
        named.filter_map(|m| PageDate::parse(&m.content))
    };
    let in_json = |of: fn(&JsonLdArticle) -> Option<&str>| {
        facts.nodes().filter_map(of).filter_map(PageDate::parse)
    };
    let published = in_json(|node| node.published.as_deref());
    let published =
        published.chain(metas(&PUBLISHED_OPEN_GRAPH)).find_map(|moment| moment.instant());
    let changes = in_json(|node| node.modified.as_deref()).chain(metas(&MODIFIED_OPEN_GRAPH));
    let last = year_after(latest);
    let is_believed = |change: &PageDate| {
        let follows = || {
            let (published, changed) = published.zip(change.instant())?;
            let day = published.to_zoned(TimeZone::UTC).date();
            Some(day > latest && changed > published && changed.duration_since(published) < CHANGED)
        };
        last.is_none_or(|last| change.date <= last) || follows() == Some(true)
    };
    changes.filter(is_believed).map(|change| change.date).max().unwrap_or(latest).max(latest)
}

/// Time after a publication within which most pages are changed.
const CHANGED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The last day that a page may declare, given the latest plausible one; later days are errors.
pub(crate) fn year_after(latest: Date) -> Option<Date> {
    latest.checked_add(jiff::Span::new().days(366)).ok()
}

/// The bit of a meta element's key, from its length and its first and last characters.
fn key_bit(key: &str) -> u64 {
    let ends = key.bytes().next().zip(key.bytes().next_back());
    let (first, last) = ends.unwrap_or_default();
    let hash = u32::from(first) * 5 + u32::from(last) * 3 + key.len() as u32;
    1 << (hash % 64)
}

/// A line of text: the text of one block between line breaks.
pub(crate) struct TextLine {
    pub(crate) text: String,
    /// Its first text node.
    pub(crate) at: NodeId,
    /// Up to three dates in it, found on first use.
    pub(crate) dates: OnceCell<Vec<TextDate>>,
}

/// Whether a text begins with a digit and is longer than the mark of a note, such as a date or a time.
pub(crate) fn begins_number(text: &str) -> bool {
    text.len() >= 4 && text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a text is a conjunction of two letters or more.
fn is_joint(text: &str) -> bool {
    text.len() >= 2 && CONJUNCTIONS.contains(&text)
}

/// The lines that begin in `range`, without side content.
pub(crate) fn lines(
    document: &Document,
    scan: &Scan,
    range: std::ops::Range<NodeId>,
) -> Vec<TextLine> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut start = range.start;
    let mut block = None;
    let mut id = range.start;
    let mut flush = |line: &mut String, at: NodeId| {
        // There is only white space between most elements.
        let text = if line.trim().is_empty() { String::new() } else { normalize_space(line) };
        if !text.is_empty() && lines.len() < 200 {
            lines.push(TextLine { text, at, dates: OnceCell::new() });
        }
        line.clear();
    };
    while id < range.end {
        if let Some(end) = scan.zone_end(id) {
            flush(&mut line, start);
            id = end;
            continue;
        }
        match document.text(id) {
            Some(text) => {
                let own = document
                    .ancestors(id)
                    .skip(1)
                    .find(|a| document.name(*a).is_some_and(|name| !is_inline(name)));
                if own != block {
                    flush(&mut line, start);
                    block = own;
                }
                if line.trim().is_empty() {
                    start = id;
                }
                if line.len() < 1_000 {
                    // Inline elements separated only by styles: "Jane Doe" and "May 3" without a
                    // space, or with an "and" between them.
                    let is_apart = || {
                        text.starts_with(char::is_uppercase)
                            || begins_number(text)
                            || is_joint(text)
                    };
                    if line.ends_with(char::is_lowercase) && is_apart() {
                        line.push(' ');
                    }
                    line.push_str(text);
                }
            }
            None if document.is(id, &local_name!("br")) => flush(&mut line, start),
            None => {}
        }
        id += 1;
    }
    flush(&mut line, start);
    lines
}
