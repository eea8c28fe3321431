//! When an article was published and changed.

use dom::{NodeId, local_name};
use model::{Field, Source};
use url::Url;

use crate::chars::has_number;
use crate::date_text::{
    Found, begins_published, find_date, find_dates, says_changed, says_published, shown_order,
};
use crate::evidence::Evidence;
use crate::moment::Moment;
use crate::order::Order;
use crate::scan::Property;
use crate::text::{clip, identifier_words};
use crate::title::segments;
use crate::url_date::url_date;

const PUBLISHED_OPEN_GRAPH: [&str; 6] = [
    "article:published_time",
    "article:published",
    "og:published_time",
    "og:pubdate",
    "og:article:published_time",
    "video:release_date",
];

const PUBLISHED_METAS: [&str; 31] = [
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "parsely-pub-date",
    "sailthru.date",
    "dc.date.issued",
    "dc.date.created",
    "dcterms.issued",
    "dcterms.created",
    "dcterms.date",
    "dc.date",
    "dc.created",
    "dc.issued",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "publicationdate",
    "publication_date",
    "published-date",
    "published_time",
    "published",
    "datecreated",
    "date_published",
    "article.published",
    "article.created",
    "article_date_original",
    "originalpublicationdate",
    "created",
    "rnews:datepublished",
    "prism.publicationdate",
];

const MODIFIED_OPEN_GRAPH: [&str; 3] =
    ["article:modified_time", "og:updated_time", "article:modified"];

const MODIFIED_METAS: [&str; 12] = [
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "dc.modified",
    "lastmod",
    "last-modified",
    "last_modified",
    "modified",
    "article.updated",
    "revision_date",
    "lastmodified",
    "updated_time",
];

type Candidate = (Source, Moment);

struct Reader<'e, 'a> {
    evidence: &'e Evidence<'a>,
    order: Order,
}

/// Publication date: the first candidate that is possible, or a later one of the same day that
/// also knows the time. A page that only tells when it was changed shows what was published then:
/// where nothing else is known, that is its date (and [`modified`] the same).
pub(crate) fn published(evidence: &Evidence<'_>, language: Option<&str>) -> Option<Field<String>> {
    let reader = Reader::new(evidence, language);
    let facts = &evidence.facts;
    let json = [facts.article.as_ref(), facts.page.as_ref()].into_iter().flatten();
    let mut candidates: Vec<Candidate> = Vec::new();
    let found = &mut candidates;
    reader.texts(json.filter_map(|n| n.published.as_deref()), Source::JsonLd, found);
    reader.texts(evidence.metas_of(&PUBLISHED_OPEN_GRAPH), Source::OpenGraph, found);
    reader.texts(evidence.metas_of(&PUBLISHED_METAS), Source::Meta, found);
    reader.texts(metas_by_name(evidence), Source::Meta, found);
    reader.properties(Property::Published, found);
    let feed = evidence.feed_items.iter().filter_map(|item| item.published);
    found.extend(feed.map(|t| (Source::Feed, Moment::at(t))));
    // What may as well be the date of something else: the server's clock, a comment, an update.
    let is_declared = found.iter().any(|c| c.1.is_plausible(evidence.fetched));
    let mut weak: Vec<Candidate> = Vec::new();
    reader.texts(evidence.metas_of(&["date"]), Source::Meta, &mut weak);
    reader.times(false, &mut weak);
    if !is_declared {
        reader.visible(false, &mut weak);
        reader.in_title(&mut weak);
        // The address, where it has a date, has the day of publication: others may add the time.
        if let Some(address) = url_date(evidence.url)
            && address.is_plausible(evidence.fetched)
        {
            weak.retain(|c| c.1.is_near(&address));
            weak.push((Source::Page, address));
        }
    }
    candidates.extend(weak);
    best(candidates, evidence)
        .or_else(|| best(reader.labelled_aside(), evidence))
        .or_else(|| best(reader.labelled_once(), evidence))
        .or_else(|| best(reader.changes(), evidence))
}

/// Date of the last change; not one before the publication.
pub(crate) fn modified(
    evidence: &Evidence<'_>,
    language: Option<&str>,
    published: Option<&str>,
) -> Option<Field<String>> {
    let mut candidates = Reader::new(evidence, language).changes();
    // Zones differ: the day before is still no contradiction.
    let earliest = published.and_then(Moment::parse).and_then(|p| p.date.yesterday().ok());
    candidates.retain(|c| earliest.is_none_or(|earliest| c.1.date >= earliest));
    best(candidates, evidence)
}

/// A date of the page in a text meant to hold one, if it is possible.
pub(crate) fn read(evidence: &Evidence<'_>, language: Option<&str>, text: &str) -> Option<String> {
    let moment = Reader::new(evidence, language).value(text)?;
    moment.is_plausible(evidence.fetched).then(|| moment.to_string())
}

/// Metas that no list has, by the words of their names: `w-published-date`.
fn metas_by_name<'a>(evidence: &Evidence<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let metas = evidence.head().metas.iter().filter(|m| {
        let (mut says_published, mut says_date) = (false, false);
        identifier_words(&m.key, |word| {
            says_published |=
                matches!(word, "published" | "publish" | "publication" | "pub" | "issue");
            says_date |= matches!(word, "date" | "time" | "timestamp" | "datetime");
        });
        says_published && says_date
    });
    metas.map(|m| &*m.content)
}

fn best(candidates: Vec<Candidate>, evidence: &Evidence<'_>) -> Option<Field<String>> {
    let possible: Vec<Candidate> =
        candidates.into_iter().filter(|c| c.1.is_plausible(evidence.fetched)).collect();
    let first = possible.first()?;
    let timed = possible.iter().find(|c| c.1.date == first.1.date && c.1.time.is_some());
    let (source, moment) = timed.unwrap_or(first);
    Some(Field { value: moment.to_string(), source: *source })
}

/// The order in which the page writes its dates in figures, if all that tell agree.
fn order_on_page(evidence: &Evidence<'_>) -> Option<Order> {
    let document = evidence.document;
    let texts = document.ids().filter_map(|id| document.text(id));
    let short = texts.filter(|t| (8..=200).contains(&t.len()) && has_number(t));
    let mut orders = short.filter_map(shown_order);
    let first = orders.next()?;
    orders.all(|order| order == first).then_some(first)
}

impl<'e, 'a> Reader<'e, 'a> {
    fn new(evidence: &'e Evidence<'a>, language: Option<&str>) -> Self {
        let own = Url::parse(evidence.url).ok();
        let order = match Order::of(language, own.as_ref().and_then(Url::host_str)) {
            Order::Unknown => {
                let shown = evidence.order_on_page.get_or_init(|| order_on_page(evidence));
                shown.unwrap_or(Order::Unknown)
            }
            order => order,
        };
        Self { evidence, order }
    }

    /// Dates of changes, best first.
    fn changes(&self) -> Vec<Candidate> {
        let evidence = self.evidence;
        let facts = &evidence.facts;
        let json = [facts.article.as_ref(), facts.page.as_ref()].into_iter().flatten();
        let mut candidates: Vec<Candidate> = Vec::new();
        let found = &mut candidates;
        self.texts(json.filter_map(|n| n.modified.as_deref()), Source::JsonLd, found);
        self.texts(evidence.metas_of(&MODIFIED_OPEN_GRAPH), Source::OpenGraph, found);
        self.texts(evidence.metas_of(&MODIFIED_METAS), Source::Meta, found);
        self.properties(Property::Modified, found);
        self.times(true, found);
        if !found.iter().any(|c| c.1.is_plausible(evidence.fetched)) {
            self.visible(true, found);
        }
        candidates
    }

    /// A part of `<title>` that is nothing but a date.
    fn in_title(&self, found: &mut Vec<Candidate>) {
        let title = self.evidence.head().title.as_deref().unwrap_or_default();
        let dates = segments(clip(title, 1_000)).into_iter().filter(|part| part.len() <= 30);
        let dates = dates.filter_map(|part| find_date(part.trim(), self.order));
        found.extend(dates.filter(|d| d.at == 0).map(|d| (Source::Meta, d.moment)));
    }

    /// "Posted: 3 May 2012" somewhere on the page, if it stands there only once: comments, too, are
    /// posted, but seldom by one.
    fn labelled_once(&self) -> Vec<Candidate> {
        let document = self.evidence.document;
        let texts = document.ids().filter_map(|id| document.text(id));
        let labelled = texts.filter(|text| {
            let text = text.trim();
            text.len() <= 60 && has_number(text) && begins_published(text)
        });
        let dates = labelled.filter_map(|text| find_date(text.trim(), self.order)).take(2);
        let found: Vec<Candidate> = dates.map(|d| (Source::Page, d.moment)).collect();
        if found.len() == 1 { found } else { Vec::new() }
    }

    /// `<time>` in side matter or far away, right after "Published": a column of facts about the page.
    fn labelled_aside(&self) -> Vec<Candidate> {
        let evidence = self.evidence;
        let aside = evidence.scan.times.iter().filter(|id| evidence.distance(**id).is_none());
        let labelled = aside.take(50).filter(|id| {
            self.label_before(**id).is_some_and(|text| text.len() < 40 && says_published(text))
        });
        labelled.filter_map(|id| Some((Source::Page, self.of_element(*id)?))).collect()
    }

    /// A date in a field meant for one.
    fn value(&self, text: &str) -> Option<Moment> {
        Moment::parse(text).or_else(|| find_date(text, self.order).map(|found| found.moment))
    }

    fn texts<'t>(
        &self,
        texts: impl Iterator<Item = &'t str>,
        source: Source,
        found: &mut Vec<Candidate>,
    ) {
        found.extend(texts.take(20).filter_map(|t| Some((source, self.value(t)?))));
    }

    /// What an element says: its `datetime` or `content`, else its text.
    fn of_element(&self, id: NodeId) -> Option<Moment> {
        let document = self.evidence.document;
        let attribute = [local_name!("datetime"), local_name!("content"), local_name!("title")]
            .iter()
            .filter_map(|name| document.attribute(id, name))
            .find_map(|text| self.value(text));
        attribute.or_else(|| {
            let text = document.text_content(id);
            if text.len() > 400 { None } else { self.value(&dom::normalize_space(text)) }
        })
    }

    fn properties(&self, wanted: Property, found: &mut Vec<Candidate>) {
        let properties: Vec<_> =
            self.evidence.scan.properties.iter().copied().filter(|p| p.1 == wanted).collect();
        let nearest = self.evidence.nearest(&properties, |p| p.0);
        let moments = nearest.iter().take(10).filter_map(|p| self.of_element(p.0));
        found.extend(moments.map(|moment| (Source::Page, moment)));
    }

    /// `<time>` near the headline. WordPress marks both dates with one class each.
    fn times(&self, modified: bool, found: &mut Vec<Candidate>) {
        let document = self.evidence.document;
        let nearest = self.evidence.nearest(&self.evidence.scan.times, |id| *id);
        let moments = nearest.iter().take(20).filter(|id| {
            let class = document.attribute(**id, &local_name!("class")).unwrap_or_default();
            let (mut says_published, mut says_modified) = (false, false);
            identifier_words(class, |word| match word {
                "published" => says_published = true,
                "updated" | "modified" => says_modified = true,
                _ => {}
            });
            let is_change = !says_published && (says_modified || self.follows_change(**id));
            modified == is_change
        });
        found.extend(moments.filter_map(|id| Some((Source::Page, self.of_element(*id)?))));
    }

    /// Whether the text right before a node says that a date of a change follows.
    fn follows_change(&self, id: NodeId) -> bool {
        self.label_before(id).is_some_and(|text| text.len() < 60 && says_changed(text))
    }

    /// The last text before a node, if it is near and has no number: "Updated May 4" is the label of
    /// its own date.
    fn label_before(&self, id: NodeId) -> Option<&'a str> {
        let document = self.evidence.document;
        let before = (id.saturating_sub(6)..id).rev().filter_map(|i| document.text(i));
        let text = before.map(str::trim).find(|text| !text.is_empty())?;
        (!has_number(text)).then_some(text)
    }

    /// Dates in plain sight: elements called a date, then short lines, near the headline first.
    fn visible(&self, modified: bool, found: &mut Vec<Candidate>) {
        let evidence = self.evidence;
        let elements: Vec<NodeId> =
            evidence.scan.dates.iter().chain(&evidence.scan.bylines).copied().collect();
        let nearest = evidence.nearest_outside_body(&elements);
        let small = |id: &&NodeId| evidence.document.node(**id).end - **id <= 40;
        let moments = nearest.iter().filter(small).take(20).filter_map(|id| {
            // Not the bare content: blocks within, as for name and date, have no space between.
            let text = dom::text_of(evidence.document, &[*id], &[]);
            let text = dom::normalize_space(clip(&text, 1_000));
            let title = evidence.document.attribute(*id, &local_name!("title"));
            let in_title = title.and_then(|t| self.value(t)).filter(|_| !modified);
            in_title.or_else(|| {
                let found = self.of_text(&text, modified)?;
                (modified || !self.follows_change(*id)).then_some(found.moment)
            })
        });
        found.extend(moments.map(|moment| (Source::Page, moment)));
        let anchor = evidence.anchor();
        let lead = evidence.lead_lines();
        let (after, before): (Vec<_>, Vec<_>) = lead.iter().partition(|l| l.at >= anchor);
        let tail = evidence.tail_lines();
        let lines = after.into_iter().chain(before.into_iter().rev()).chain(tail);
        found.extend(lines.filter_map(|line| {
            // A date in a line that is little else, or that begins with it.
            let found = self.of_text(&line.text, modified)?;
            let stands_out = line.text.len() <= 120 || found.at <= 40;
            let is_change = found.is_change || self.follows_change(line.at);
            (stands_out && is_change == modified).then_some((Source::Page, found.moment))
        }));
    }

    /// The first date in a text of publication, or of a change.
    fn of_text(&self, text: &str, modified: bool) -> Option<Found> {
        if !has_number(text) {
            return None;
        }
        find_dates(text, self.order, 3).into_iter().find(|f| f.is_change == modified)
    }
}
