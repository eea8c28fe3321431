//! Dates of publication and of the last change.

use std::cell::{Cell, OnceCell};
use std::sync::LazyLock;

use dom::{NodeId, local_name};
use jiff::civil::Date;
use model::{Field, Source};
use url::Url;

use crate::chars::has_number;
use crate::choice::Choice;
use crate::date_keys::{
    MODIFIED_METAS, MODIFIED_OPEN_GRAPH, PUBLISHED_METAS, PUBLISHED_OPEN_GRAPH,
};
use crate::date_text::{
    Found, begins_published, find_date, find_dates, says_changed, says_published, shown_order,
};
use crate::evidence::{Evidence, year_after};
use crate::labels::Labels;
use crate::moment::Moment;
use crate::order::{KnowsOrder, Order};
use crate::scan::Property;
use crate::text::{clip, identifier_words};
use crate::title_parts::segments;
use crate::url_date::url_date;

/// Number of nodes around a headline that are beside it.
const BESIDE: u32 = 60;

/// Labels of the date of a first publication.
static ORIGINALLY: LazyLock<Labels> = LazyLock::new(|| {
    Labels::new(&[
        "riginally published",
        "irst published",
        "riginally posted",
        "riginally appeared",
    ])
});

struct Reader<'e, 'a> {
    evidence: &'e Evidence<'a>,
    language: Option<&'e str>,
    order: OnceCell<Order>,
    /// Whether a date was seen that was later than the latest possible day.
    late: Cell<bool>,
}

/// Publication date. If no date is possible at the time of the fetch, one up to a year later is taken, except on pages
/// about events: the archive's times may be wrong, and issues appear before their date.
pub(crate) fn published(evidence: &Evidence<'_>, language: Option<&str>) -> Option<Field<String>> {
    let reader = Reader::new(evidence, language);
    reader.published(evidence.latest).or_else(|| {
        let later = evidence.latest.and_then(year_after);
        let later = later.filter(|_| reader.late.get() && !is_of_event(evidence))?;
        reader.published(Some(later))
    })
}

/// Whether a page declares when something begins.
fn is_of_event(evidence: &Evidence<'_>) -> bool {
    let (head, document) = (evidence.head(), evidence.document);
    let in_microdata = |id| {
        let of = document.element(id).and_then(|own| own.attribute(&local_name!("itemprop")));
        of.is_some_and(|name| name.split_whitespace().any(|name| name == "startDate"))
    };
    head.json_ld.iter().any(|json| json.contains("startDate"))
        || head.metas.iter().any(|meta| meta.key.starts_with("event:"))
        || document.ids().any(in_microdata)
}

/// Date of the last change, if it is not before the publication.
pub(crate) fn modified(
    evidence: &Evidence<'_>,
    language: Option<&str>,
    published: Option<&str>,
) -> Option<Field<String>> {
    // Time zones differ: the day before is not a contradiction.
    let earliest = published.and_then(Moment::parse).and_then(|p| p.date.yesterday().ok());
    let mut choice = Choice::up_to(evidence.latest);
    choice.earliest = earliest;
    Reader::new(evidence, language).changes(&mut choice);
    choice.chosen()
}

/// The date in a text that is meant to hold one, if it is possible for the page.
pub(crate) fn read(evidence: &Evidence<'_>, language: Option<&str>, text: &str) -> Option<String> {
    let moment = Reader::new(evidence, language).value(text)?;
    moment.is_plausible(evidence.latest).then(|| moment.to_string())
}

/// Metas not listed above, by the words of their names: `w-published-date`.
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

/// The order of day and month in the numeric dates of the page, if all unambiguous ones agree.
fn order_on_page(evidence: &Evidence<'_>) -> Option<Order> {
    let document = evidence.document;
    let texts = document.ids().filter_map(|id| document.text(id));
    let mut orders = texts.filter(|t| (8..=200).contains(&t.len())).filter_map(shown_order);
    let first = orders.next()?;
    orders.all(|order| order == first).then_some(first)
}

impl KnowsOrder for Reader<'_, '_> {
    fn order(&self) -> Order {
        *self.order.get_or_init(|| {
            let evidence = self.evidence;
            match Order::of(self.language, evidence.own.as_ref().and_then(Url::host_str)) {
                Order::Unknown => {
                    let shown = evidence.order_on_page.get_or_init(|| order_on_page(evidence));
                    shown.unwrap_or(Order::Unknown)
                }
                order => order,
            }
        })
    }
}

impl<'e, 'a> Reader<'e, 'a> {
    fn new(evidence: &'e Evidence<'a>, language: Option<&'e str>) -> Self {
        Self { evidence, language, order: OnceCell::new(), late: Cell::new(false) }
    }

    /// The first candidate up to `latest`, or a later one of the same day that also has a
    /// time. If the page shows an earlier day where declarations may be those of a change, that day is
    /// taken. If nothing else is known, the date of the last change is used, and [`modified`] gives
    /// the same.
    fn published(&self, latest: Option<Date>) -> Option<Field<String>> {
        let mut choice = Choice::up_to(latest);
        self.declared(&mut choice);
        if let Some(shown) = choice.moment().and_then(|declared| self.shown_earlier(declared)) {
            return Some(Field { value: shown.to_string(), source: Source::Page });
        }
        if !choice.is_settled() {
            self.seen(&mut choice);
        }
        if let Some(local) = choice.moment().and_then(|chosen| self.at_local_time(chosen)) {
            choice.replace(local);
        }
        let or = |found: Option<Field<String>>, other: &dyn Fn(&mut Choice)| {
            found.or_else(|| {
                let mut choice = Choice::up_to(latest);
                other(&mut choice);
                self.late.set(self.late.get() || choice.late);
                choice.chosen()
            })
        };
        self.late.set(choice.late);
        let found = or(choice.chosen(), &|choice| self.labelled_aside(choice));
        let found = or(found, &|choice| self.labelled_once(choice));
        or(found, &|choice| self.changes(choice))
    }

    /// Dates declared as the date of publication.
    fn declared(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let json = evidence.facts.nodes();
        self.texts(json.filter_map(|n| n.published.as_deref()), Source::JsonLd, choice);
        self.texts(evidence.metas_of(&PUBLISHED_OPEN_GRAPH), Source::OpenGraph, choice);
        self.texts(evidence.metas_of(&PUBLISHED_METAS), Source::Meta, choice);
        self.texts(metas_by_name(evidence), Source::Meta, choice);
        self.properties(Property::Published, choice);
        for time in evidence.feed_items.iter().filter_map(|item| item.published) {
            choice.offer(Source::Feed, Moment::at(time));
        }
    }

    /// Dates that may be something else: the server's clock, a comment, an update.
    fn seen(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let is_declared = choice.any;
        if !is_declared {
            // A date in the address is the day of publication; other sources may add the time.
            choice.near = url_date(evidence.url).filter(|d| d.is_plausible(evidence.latest));
        }
        if !is_declared {
            self.originally(choice);
        }
        self.texts(evidence.metas_of(&["date"]), Source::Meta, choice);
        self.times(false, choice);
        if !is_declared {
            self.visible(false, choice);
            self.in_title(choice);
            if let Some(address) = choice.near {
                choice.offer(Source::Page, address);
            }
        }
    }

    /// Dates of changes.
    fn changes(&self, choice: &mut Choice) {
        self.declared_changes(choice);
        self.properties(Property::Modified, choice);
        self.times(true, choice);
        if !choice.any {
            self.visible(true, choice);
        }
    }

    /// Dates of changes that the head declares.
    fn declared_changes(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let json = evidence.facts.nodes();
        self.texts(json.filter_map(|n| n.modified.as_deref()), Source::JsonLd, choice);
        self.texts(evidence.metas_of(&MODIFIED_OPEN_GRAPH), Source::OpenGraph, choice);
        self.texts(evidence.metas_of(&MODIFIED_METAS), Source::Meta, choice);
    }

    /// The day shown beside the headline, if it is earlier than the declared one and nothing else
    /// is shown there. Many systems declare as the date of publication when a page was last built:
    /// it is believed only if the page also declares another date as that of its last change, or if the
    /// address has it.
    fn shown_earlier(&self, declared: Moment) -> Option<Moment> {
        let evidence = self.evidence;
        let mut changes = Choice::up_to(evidence.latest);
        self.declared_changes(&mut changes);
        let changed = |change: Moment| change.date > declared.date && !change.is_near(&declared);
        let address = url_date(evidence.url);
        if changes.moment().is_some_and(changed) || address.is_some_and(|a| a.is_near(&declared)) {
            return None;
        }
        let heading = evidence.heading.as_ref()?.id;
        let end = evidence.body.map(|b| b.0).filter(|body| *body > heading);
        let beside = heading.saturating_sub(BESIDE)..end.unwrap_or(heading + BESIDE);
        let beside = beside.start..beside.end.min(heading + BESIDE);
        let lines = evidence.lead_lines().iter();
        let lines = lines.filter(|l| beside.contains(&l.at) && l.text.len() <= 80);
        let mut days = lines.filter_map(|line| {
            let found = self.of_text(&line.text, false)?;
            let stands_out = found.at <= 40 && !self.follows_change(line.at);
            stands_out.then_some(found.moment).filter(|day| day.is_plausible(evidence.latest))
        });
        let day = days.next()?;
        let is_alone = days.all(|other| other.date == day.date);
        (is_alone && day.date < declared.date && !day.is_near(&declared)).then_some(day)
    }

    /// The same time as a `<time>` of the page writes it, if that has the offset of a place: then
    /// the day is the one that readers see.
    fn at_local_time(&self, chosen: Moment) -> Option<Moment> {
        let document = self.evidence.document;
        let instant = chosen.instant().filter(|_| chosen.is_utc())?;
        let times = self.evidence.scan.times.iter().take(200);
        let datetimes = times.filter_map(|id| document.attribute(*id, &local_name!("datetime")));
        let mut moments = datetimes.filter_map(Moment::parse);
        moments.find(|m| !m.is_utc() && m.instant() == Some(instant))
    }

    /// "Originally published on May 3, 2012", if the page says so once: it has been published again
    /// since.
    fn originally(&self, choice: &mut Choice) {
        let document = self.evidence.document;
        let texts = document.ids().filter_map(|id| document.text(id));
        let mut dates = texts.filter(|text| has_number(text)).filter_map(|text| {
            let text = clip(text.trim_start(), 300);
            find_date(&text[ORIGINALLY.end_in(text)?..], self).filter(|date| date.at <= 6)
        });
        if let (Some(date), None) = (dates.next(), dates.next()) {
            choice.offer(Source::Page, date.moment);
        }
    }

    /// A part of `<title>` that consists of a date.
    fn in_title(&self, choice: &mut Choice) {
        let title = clip(self.evidence.head().title.as_deref().unwrap_or_default(), 1_000);
        if !choice.is_settled() && has_number(title) {
            let parts = segments(title).into_iter().filter(|part| part.len() <= 30);
            let dates = parts.filter_map(|part| find_date(part.trim(), self));
            dates.filter(|d| d.at == 0).for_each(|d| choice.offer(Source::Meta, d.moment));
        }
    }

    /// "Posted: 3 May 2012" anywhere on the page, if it occurs only once: comments are labelled
    /// "posted" too, but there is seldom only one.
    fn labelled_once(&self, choice: &mut Choice) {
        let document = self.evidence.document;
        let texts = document.ids().filter_map(|id| document.text(id));
        let labelled = texts.filter(|text| {
            let text = text.trim();
            text.len() <= 60 && has_number(text) && begins_published(text)
        });
        let mut dates = labelled.filter_map(|text| find_date(text.trim(), self));
        if let (Some(date), None) = (dates.next(), dates.next()) {
            choice.offer(Source::Page, date.moment);
        }
    }

    /// `<time>`, or an element whose class is that of a date, in side content or far from the headline, directly after
    /// "Published": a column of facts about the page.
    fn labelled_aside(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let all = evidence.scan.times.iter().chain(&evidence.scan.dates);
        let aside = all.filter(|id| evidence.distance(**id).is_none());
        let labelled = aside.take(50).filter(|id| {
            self.label_before(**id).is_some_and(|text| text.len() < 40 && says_published(text))
        });
        let dates = labelled.filter_map(|id| self.of_element(*id));
        dates.for_each(|date| choice.offer(Source::Page, date));
    }

    /// A date in a field that is meant to hold one.
    fn value(&self, text: &str) -> Option<Moment> {
        Moment::parse(text).or_else(|| find_date(text, self).map(|found| found.moment))
    }

    fn texts<'t>(&self, texts: impl Iterator<Item = &'t str>, source: Source, choice: &mut Choice) {
        if choice.is_settled() {
            return;
        }
        for moment in texts.take(20).filter_map(|text| self.value(text)) {
            choice.offer(source, moment);
        }
    }

    /// The date of an element: its `datetime` or `content`, else its text.
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

    fn properties(&self, wanted: Property, choice: &mut Choice) {
        if choice.is_settled() {
            return;
        }
        let properties: Vec<_> =
            self.evidence.scan.properties.iter().copied().filter(|p| p.1 == wanted).collect();
        let nearest = self.evidence.nearest(&properties, |p| p.0);
        let moments = nearest.iter().take(10).filter_map(|p| self.of_element(p.0));
        moments.for_each(|moment| choice.offer(Source::Page, moment));
    }

    /// `<time>` near the headline. WordPress marks each of the two dates with its own class.
    fn times(&self, modified: bool, choice: &mut Choice) {
        if choice.is_settled() {
            return;
        }
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
        let moments = moments.filter_map(|id| self.of_element(*id));
        for moment in moments {
            choice.offer(Source::Page, moment);
            if choice.is_settled() {
                return;
            }
        }
    }

    /// Whether the text directly before a node labels it as the date of a change.
    fn follows_change(&self, id: NodeId) -> bool {
        self.label_before(id).is_some_and(|text| text.len() < 60 && says_changed(text))
    }

    /// The last text before a node, if it is near and has no number: "Updated May 4" is the label
    /// of its own date.
    fn label_before(&self, id: NodeId) -> Option<&'a str> {
        let document = self.evidence.document;
        let before = (id.saturating_sub(6)..id).rev().filter_map(|i| document.text(i));
        let text = before.map(str::trim).find(|text| !text.is_empty())?;
        (!has_number(text)).then_some(text)
    }

    /// Visible dates: elements whose class or id is that of a date, then short lines, near the
    /// headline first.
    fn visible(&self, modified: bool, choice: &mut Choice) {
        let evidence = self.evidence;
        let elements: Vec<NodeId> =
            evidence.scan.dates.iter().chain(&evidence.scan.bylines).copied().collect();
        let nearest = evidence.nearest_outside_body(&elements);
        let small = |id: &&NodeId| evidence.document.node(**id).end - **id <= 40;
        let of_elements = nearest.iter().filter(small).take(20);
        let anchor = evidence.anchor();
        let lines = || {
            let lead = evidence.lead_lines();
            let after = lead.iter().filter(move |l| l.at >= anchor);
            let before = lead.iter().rev().filter(move |l| l.at < anchor);
            after.chain(before).chain(evidence.tail_lines())
        };
        for moment in of_elements.filter_map(|id| self.in_sight(*id, modified)) {
            choice.offer(Source::Page, moment);
            if choice.is_settled() {
                return;
            }
        }
        for line in lines() {
            // A date in a line that contains little else, or that begins with it.
            let label_before = modified && self.follows_change(line.at);
            let Some(found) = self.of_text(&line.text, modified && !label_before) else { continue };
            let stands_out = line.text.len() <= 120 || found.at <= 40;
            if stands_out && (found.is_change || self.follows_change(line.at)) == modified {
                choice.offer(Source::Page, found.moment);
                if choice.is_settled() {
                    return;
                }
            }
        }
    }

    /// The date that an element shows.
    fn in_sight(&self, id: NodeId, modified: bool) -> Option<Moment> {
        let document = self.evidence.document;
        let title = document.attribute(id, &local_name!("title")).filter(|_| !modified);
        title.and_then(|title| self.value(title)).or_else(|| {
            if !has_number(document.text_content(id)) {
                return None;
            }
            // Not `text_content`: adjacent blocks, as of name and date, have no space between them
            // there.
            let text = dom::text_of(document, &[id], &[]);
            let text = dom::normalize_space(clip(&text, 1_000));
            let found = self.of_text(&text, modified)?;
            (modified || !self.follows_change(id)).then_some(found.moment)
        })
    }

    /// The first date in a text: labelled as that of a change if `modified`, else one that is not.
    fn of_text(&self, text: &str, modified: bool) -> Option<Found> {
        if !has_number(text) {
            return None;
        }
        find_dates(text, self, 3).into_iter().find(|f| f.is_change == modified)
    }
}
