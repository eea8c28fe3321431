//! Dates of publication and of the last change.

use std::cell::{Cell, OnceCell};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use dom::{ElementKind, NodeId, is_inline, local_name};
use jiff::civil::Date;
use memchr::memmem;
use model::{Field, Source};
use url::Url;

use crate::calendar::{join_letters, month_of};
use crate::date_text::{
    DayMonthOrder, KnowsOrder, TextDate, begins_published, find_date, find_dates,
    labels_publication, says_changed, says_published, shown_order,
};
use crate::evidence::{
    MODIFIED_OPEN_GRAPH, MetadataEvidence, PUBLISHED_OPEN_GRAPH, TextLine, year_after,
};
use crate::heading::segments;
use crate::learnt::ConstantField;
use crate::page_date::{Digits, PageDate};
use crate::scan::{OF_CHANGE, OF_PUBLICATION, date_of_tooltip, scripted_date};
use crate::text::{LabelFinder, clip, has_number, identifier_words, word_count};

/// Metas of the date of publication, besides Open Graph properties.
const PUBLISHED_METAS: [&str; 33] = [
    "datepublished", "citation_publication_date", "citation_date", "citation_online_date",
    "parsely-pub-date", "sailthru.date", "dc.date.issued", "dc.date.created", "dcterms.issued",
    "dcterms.created", "dcterms.date", "dc.date", "dc.created", "dc.issued", "pubdate",
    "publishdate", "publish-date", "publish_date", "publicationdate", "publication_date",
    "published-date", "published_time", "published", "datecreated", "date_published",
    "article.published", "article.created", "article_date_original", "originalpublicationdate",
    "created", "pdate", "rnews:datepublished", "prism.publicationdate",
];

/// Metas of the date of the last change, besides Open Graph properties.
const MODIFIED_METAS: [&str; 12] = [
    "datemodified", "dcterms.modified", "dc.date.modified", "dc.modified", "lastmod",
    "last-modified", "last_modified", "modified", "article.updated", "revision_date",
    "lastmodified", "updated_time",
];

/// Maximum distance, in nodes, between a headline and what is beside it.
const BESIDE: u32 = 60;

/// Labels of the date of a first publication.
static ORIGINALLY: LazyLock<LabelFinder> = LazyLock::new(|| {
    LabelFinder::new(&[
        "riginally published", "irst published", "riginally posted", "riginally appeared",
    ])
});

struct DateReader<'e, 'a> {
    evidence: &'e MetadataEvidence<'a>,
    /// The language tag, and its part before the region.
    tag: Option<&'e str>,
    language: Option<&'e str>,
    order: OnceCell<DayMonthOrder>,
    /// Whether a date was seen that was later than the latest possible day.
    late: Cell<bool>,
}

/// Date of publication. If all dates are later than the fetch, one of up to a year later is accepted, except on pages about
/// events: times in archives may be wrong, and magazines appear before their date of issue.
pub(crate) fn published(
    evidence: &MetadataEvidence<'_>,
    language: Option<&str>,
) -> Option<Field<String>> {
    let reader = DateReader::new(evidence, language);
    reader.published(evidence.latest).or_else(|| {
        let later = evidence.latest.and_then(year_after);
        let later = later.filter(|_| reader.late.get() && !is_of_event(evidence))?;
        reader.published(Some(later))
    })
}

/// Whether a page declares the start of an event.
fn is_of_event(evidence: &MetadataEvidence<'_>) -> bool {
    let (head, document) = (evidence.head(), evidence.document);
    let in_microdata = |kind: &ElementKind| {
        let names = document.attribute(kind.first, &local_name!("itemprop")).unwrap_or_default();
        names.split_whitespace().any(|name| name == "startDate")
    };
    head.json_ld.iter().any(|json| json.contains("startDate"))
        || head.metas.iter().any(|meta| meta.key.starts_with("event:"))
        || document.kinds().all().iter().any(in_microdata)
}

/// Date of the last change, unless it is before the publication.
pub(crate) fn modified(
    evidence: &MetadataEvidence<'_>,
    language: Option<&str>,
    published: Option<&str>,
) -> Option<Field<String>> {
    // Time zones differ: the day before is not a contradiction.
    let mut choice = Choice::up_to(evidence.latest);
    choice.earliest = published.and_then(PageDate::parse).and_then(|p| p.date.yesterday().ok());
    DateReader::new(evidence, language).offer_changes(&mut choice);
    choice.chosen()
}

/// The date in the value of a date field, if it is possible for the page.
pub(crate) fn parse_date(
    evidence: &MetadataEvidence<'_>,
    language: Option<&str>,
    text: &str,
) -> Option<String> {
    let moment = DateReader::new(evidence, language).parse_field(text)?;
    moment.is_plausible(evidence.latest).then(|| moment.to_string())
}

/// The declared dates of publication, one for each source, the most reliable first.
pub(crate) fn declared_dates(evidence: &MetadataEvidence<'_>) -> Vec<(Source, PageDate)> {
    let reader = DateReader::new(evidence, None);
    let first = |source, texts: &mut dyn Iterator<Item = &str>| {
        Some((source, texts.take(20).find_map(|text| reader.parse_field(text))?))
    };
    [
        first(Source::JsonLd, &mut evidence.facts.nodes().filter_map(|n| n.published.as_deref())),
        first(Source::OpenGraph, &mut evidence.metas(&PUBLISHED_OPEN_GRAPH)),
        first(Source::Meta, &mut evidence.metas(&PUBLISHED_METAS)),
    ]
    .into_iter()
    .flatten()
    .filter(|(_, moment)| moment.is_plausible(evidence.latest))
    .collect()
}

/// The date that `offer` finds, if it is possible for the page.
fn offered(evidence: &MetadataEvidence<'_>, offer: impl FnOnce(&mut Choice)) -> Option<PageDate> {
    let mut choice = Choice::up_to(evidence.latest);
    offer(&mut choice);
    choice.moment()
}

/// The date in the place where siblings have their dates.
pub(crate) fn date_of_dateline(
    evidence: &MetadataEvidence<'_>,
    language: Option<&str>,
) -> Option<PageDate> {
    offered(evidence, |choice| DateReader::new(evidence, language).offer_dateline(choice))
}

/// The first date of each kind of source.
pub(crate) fn dates_of_sources(
    evidence: &MetadataEvidence<'_>,
    language: Option<&str>,
) -> Vec<PageDate> {
    let reader = DateReader::new(evidence, language);
    let mut found: Vec<PageDate> = declared_dates(evidence).into_iter().map(|d| d.1).collect();
    let mut feed = evidence.feed_items.iter().filter_map(|item| item.published.as_deref());
    let feed = feed.find_map(|text| reader.parse_field(text));
    let others = [
        feed,
        url_date(evidence.url),
        offered(evidence, |choice| reader.offer_properties(OF_PUBLICATION, choice)),
        offered(evidence, |choice| reader.offer_times(false, 0..=DOUBTFUL, choice)),
    ];
    found.extend(others.into_iter().flatten().filter(|day| day.is_plausible(evidence.latest)));
    found
}

/// Metas not listed above, by the words of their names: `w-published-date`, `created_at`, `recs:publishtime`.
fn metas_by_name<'a>(evidence: &MetadataEvidence<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let metas = evidence.head().metas.iter().filter(|m| {
        let (mut says_published, mut says_date) = (false, false);
        identifier_words(&m.key, |word| {
            says_published |=
                ["publish", "publication", "create"].iter().any(|p| word.starts_with(p))
                    || matches!(word, "pub" | "issue");
            says_date |=
                ["date", "time", "timestamp"].iter().any(|p| word.ends_with(p)) || word == "at";
        });
        says_published && says_date
    });
    metas.map(|m| &*m.content)
}

/// The order of day and month in the numeric dates of the page, if all unambiguous ones agree.
pub(crate) fn order_on_page(evidence: &MetadataEvidence<'_>) -> Option<DayMonthOrder> {
    order_of_all(evidence.texts().filter(|text| (6..=200).contains(&text.len())))
}

/// Like [`order_on_page`], but for declared dates: servers write them in the order of their country.
pub(crate) fn declared_order(evidence: &MetadataEvidence<'_>) -> Option<DayMonthOrder> {
    let metas = evidence.head().metas.iter().map(|meta| &*meta.content);
    let in_json = evidence.facts.nodes();
    let in_json = in_json.flat_map(|node| [node.published.as_deref(), node.modified.as_deref()]);
    order_of_all(metas.chain(in_json.flatten()).filter(|text| (6..=40).contains(&text.len())))
}

/// The order in the unambiguous dates of texts, if they agree.
pub(crate) fn order_of_all<'t>(texts: impl Iterator<Item = &'t str>) -> Option<DayMonthOrder> {
    let mut orders = texts.filter_map(shown_order);
    let first = orders.next()?;
    orders.all(|order| order == first).then_some(first)
}

impl KnowsOrder for DateReader<'_, '_> {
    fn order(&self) -> DayMonthOrder {
        *self.order.get_or_init(|| {
            let evidence = self.evidence;
            let host = evidence.own.as_ref().and_then(Url::host_str);
            match (DayMonthOrder::of(self.tag, host), evidence.learnt.order) {
                (_, Some((shown, 2..))) | (DayMonthOrder::Unknown, Some((shown, _))) => shown,
                (DayMonthOrder::Unknown, None) => {
                    let read = || order_on_page(evidence).or_else(|| declared_order(evidence));
                    let shown = evidence.order_on_page.get_or_init(read);
                    shown.unwrap_or(DayMonthOrder::Unknown)
                }
                (order, _) => order,
            }
        })
    }

    fn language(&self) -> Option<&str> {
        self.language
    }

    fn has_24_hours(&self) -> bool {
        self.evidence.learnt.has_24_hours
    }
}

impl<'e, 'a> DateReader<'e, 'a> {
    fn new(evidence: &'e MetadataEvidence<'a>, tag: Option<&'e str>) -> Self {
        let language = tag.and_then(|tag| tag.split(['-', '_']).next());
        Self { evidence, tag, language, order: OnceCell::new(), late: Cell::new(false) }
    }

    /// The first candidate up to `latest`, or a later one of the same day that also has a
    /// time. If the page shows an earlier day and the declared date may be that of a change, the earlier
    /// day is used. If nothing else is known, the date of the last change is used, and [`modified`]
    /// returns it, too.
    fn published(&self, latest: Option<Date>) -> Option<Field<String>> {
        let mut choice = Choice::up_to(latest);
        self.offer_declared(&mut choice);
        if let Some(shown) = choice.moment().and_then(|declared| self.shown_earlier(declared)) {
            return Some(Field::new(shown.to_string(), Source::Page));
        }
        if !choice.is_settled() {
            self.offer_seen(&mut choice);
        }
        if let Some(local) = choice.moment().and_then(|chosen| self.at_local_time(chosen)) {
            choice.replace(local);
        }
        self.late.set(choice.late);
        let fallbacks: [fn(&Self, &mut Choice); 3] =
            [Self::offer_labelled_aside, Self::offer_labelled_once, Self::offer_changes];
        choice.chosen().or_else(|| {
            fallbacks.iter().find_map(|offer| {
                let mut choice = Choice::up_to(latest);
                offer(self, &mut choice);
                self.late.set(self.late.get() || choice.late);
                choice.chosen()
            })
        })
    }

    /// Offers the dates that are declared as the date of publication.
    fn offer_declared(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let in_json = evidence.facts.nodes().filter_map(|n| n.published.as_deref());
        self.offer_texts(in_json, Source::JsonLd, choice);
        self.offer_texts(evidence.metas(&PUBLISHED_OPEN_GRAPH), Source::OpenGraph, choice);
        self.offer_texts(evidence.metas(&PUBLISHED_METAS), Source::Meta, choice);
        self.offer_texts(metas_by_name(evidence), Source::Meta, choice);
        self.offer_properties(OF_PUBLICATION, choice);
        let in_feed = evidence.feed_items.iter().filter_map(|item| item.published.as_deref());
        self.offer_texts(in_feed, Source::Feed, choice);
    }

    /// Offers dates that may be something else: the server's clock, a comment, an update.
    fn offer_seen(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let is_declared = choice.any;
        if !is_declared {
            // A date in the address is the day of publication; other sources may add the time.
            let address = url_date(evidence.url);
            choice.late |= address.is_some_and(|day| !day.is_plausible(choice.latest));
            choice.near = address.filter(|day| day.is_plausible(choice.latest));
            self.offer_original(choice);
            self.offer_earlier_of_two(choice);
            self.offer_dateline(choice);
        }
        self.offer_texts(evidence.metas(&["date"]), Source::Meta, choice);
        self.offer_times(false, 0..=DOUBTFUL - u8::from(!is_declared), choice);
        if !is_declared {
            self.offer_visible(false, choice);
            self.offer_title(choice);
            choice.offer_all(Source::Page, choice.near);
        }
    }

    fn offer_changes(&self, choice: &mut Choice) {
        self.offer_declared_changes(choice);
        self.offer_properties(OF_CHANGE, choice);
        self.offer_times(true, 0..=DOUBTFUL, choice);
        if !choice.any {
            self.offer_visible(true, choice);
        }
        if !choice.any {
            self.offer_later_of_two(choice);
        }
    }

    /// Offers dates of changes that the head declares.
    fn offer_declared_changes(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let in_json = evidence.facts.nodes().filter_map(|n| n.modified.as_deref());
        self.offer_texts(in_json, Source::JsonLd, choice);
        self.offer_texts(evidence.metas(&MODIFIED_OPEN_GRAPH), Source::OpenGraph, choice);
        self.offer_texts(evidence.metas(&MODIFIED_METAS), Source::Meta, choice);
    }

    /// The day shown beside the headline, if it is earlier than the declared one and the only one
    /// shown there. Many systems declare the date of the last build as the date of publication, so a
    /// declared date is trusted only if the page also declares a later date of its last change, or
    /// if the address contains it.
    fn shown_earlier(&self, declared: PageDate) -> Option<PageDate> {
        let evidence = self.evidence;
        let mut changes = Choice::up_to(evidence.latest);
        self.offer_declared_changes(&mut changes);
        let changed = |change: PageDate| change.date > declared.date && !change.is_near(&declared);
        let address = url_date(evidence.url);
        if changes.moment().is_some_and(changed) || address.is_some_and(|a| a.is_near(&declared)) {
            return None;
        }
        let heading = evidence.heading.as_ref()?.id;
        let end = evidence.body.map(|b| b.0).filter(|body| *body > heading);
        let end = end.unwrap_or(heading + BESIDE).min(heading + BESIDE);
        let beside = heading.saturating_sub(BESIDE)..end;
        let lines = evidence.lead_lines().iter();
        let lines = lines.filter(|l| beside.contains(&l.at) && l.text.len() <= 80);
        let mut days = lines.filter_map(|line| {
            let found = self.first_in_line(line, false)?;
            let stands_out = found.at <= 40 && !self.follows_change(line.at);
            stands_out.then_some(found.moment).filter(|day| day.is_plausible(evidence.latest))
        });
        let day = days.next()?;
        let is_alone = days.all(|other| other.date == day.date);
        (is_alone && day.date < declared.date && !day.is_near(&declared)).then_some(day)
    }

    /// The same moment as written in a `<time>` of the page with an offset other than UTC, so that
    /// the day is the one that readers see.
    fn at_local_time(&self, chosen: PageDate) -> Option<PageDate> {
        let document = self.evidence.document;
        let instant = chosen.instant().filter(|_| chosen.is_utc())?;
        let times = self.evidence.scan.times.iter().take(200);
        let datetimes = times.filter_map(|id| document.attribute(*id, &local_name!("datetime")));
        let mut moments = datetimes.filter_map(PageDate::parse);
        moments.find(|m| !m.is_utc() && m.instant() == Some(instant))
    }

    /// Offers the date in the place where siblings have their dates.
    fn offer_dateline(&self, choice: &mut Choice) {
        let Some(place) = &self.evidence.learnt.dateline else { return };
        let elements = place.elements(self.evidence.document);
        // `datetime` has the seconds, too.
        let is_time = |id: NodeId| self.evidence.scan.times.binary_search(&id).is_ok();
        let read = |id: &NodeId| match is_time(*id) {
            true => self.date_of_element(*id),
            false => self.shown_in_element(*id, false).or_else(|| self.shown_in_element(*id, true)),
        };
        choice.offer_all(Source::Page, elements.iter().filter_map(read));
    }

    /// Offers the date of "Originally published on May 3, 2012", if that occurs once on the page: the article was published again
    /// later.
    fn offer_original(&self, choice: &mut Choice) {
        // Few pages have such a label.
        let page = self.evidence.document.all_text().as_bytes();
        let has = |word: &str| memmem::find(page, word.as_bytes()).is_some();
        if !has("riginally ") && !has("irst published") {
            return;
        }
        let texts = self.evidence.texts().filter(|text| has_number(text));
        choice.offer_only(texts.filter_map(|text| {
            let text = clip(text.trim_start(), 300);
            find_date(&text[ORIGINALLY.end_in(text)?..], self).filter(|date| date.at <= 6)
        }));
    }

    /// Offers the date of "Posted: 3 May 2012" anywhere on the page, if it occurs only once: comments are labelled
    /// "posted" too, but there is seldom only one.
    fn offer_labelled_once(&self, choice: &mut Choice) {
        let numbered = self.evidence.texts().filter(|text| has_number(text)).map(str::trim);
        let labelled = numbered.filter(|text| text.len() <= 60 && begins_published(text));
        choice.offer_only(labelled.filter_map(|text| find_date(text, self)));
    }

    /// Offers the parts of `<title>` that consist of a date.
    fn offer_title(&self, choice: &mut Choice) {
        let title = clip(self.evidence.head().title.as_deref().unwrap_or_default(), 1_000);
        if !choice.is_settled() && has_number(title) {
            let parts = segments(title).into_iter().filter(|part| part.len() <= 30);
            let dates = parts.filter_map(|part| find_date(part.trim(), self));
            choice.offer_all(Source::Meta, dates.filter(|d| d.at == 0).map(|d| d.moment));
        }
    }

    /// Offers a `<time>`, or an element with a class for dates, in side content or far from the headline, if "Published" is
    /// directly before it, as in a column of facts about the page.
    fn offer_labelled_aside(&self, choice: &mut Choice) {
        let evidence = self.evidence;
        let all = evidence.scan.times.iter().chain(&evidence.scan.dates);
        let aside = all.filter(|id| evidence.distance(**id).is_none());
        let labelled = aside.take(50).filter(|id| {
            self.label_before(**id).is_some_and(|text| text.len() < 40 && says_published(text))
        });
        choice.offer_all(Source::Page, labelled.filter_map(|id| self.date_of_element(*id)));
    }

    fn parse_field(&self, text: &str) -> Option<PageDate> {
        PageDate::parse(text).or_else(|| find_date(text, self).map(|found| found.moment))
    }

    fn offer_texts<'t>(
        &self,
        texts: impl Iterator<Item = &'t str>,
        source: Source,
        choice: &mut Choice,
    ) {
        let moments = texts.take(20).filter_map(|text| self.parse_field(text));
        // Such a date belongs to the template, not to the page.
        let is_constant = |moment: &PageDate| {
            let constants = &self.evidence.learnt.constants;
            !constants.is_empty()
                && self.evidence.learnt.is_constant(ConstantField::Published, &moment.to_string())
        };
        choice.offer_all(source, moments.filter(|moment| !is_constant(moment)));
    }

    /// The date of an element: from its `datetime`, `content` or `title`, from an attribute for scripts, else from its text.
    fn date_of_element(&self, id: NodeId) -> Option<PageDate> {
        let document = self.evidence.document;
        let attribute = [local_name!("datetime"), local_name!("content"), local_name!("title")]
            .iter()
            .filter_map(|name| document.attribute(id, name))
            .find_map(|text| self.parse_field(text));
        attribute.or_else(|| scripted_date(document.element(id)?)).or_else(|| {
            let text = document.text_content(id);
            if text.len() > 400 { None } else { self.parse_field(&dom::normalize_space(text)) }
        })
    }

    fn offer_properties(&self, wanted: u32, choice: &mut Choice) {
        let properties = &self.evidence.scan.properties;
        let properties: Vec<_> = properties.iter().copied().filter(|p| p.1 & wanted != 0).collect();
        let nearest = self.evidence.nearest(&properties, |p| p.0);
        let moments = nearest.iter().take(10).filter_map(|p| self.date_of_element(p.0));
        choice.offer_all(Source::Page, moments);
    }

    /// Offers the earlier of two dates directly below the headline if it comes second and both have unknown labels: a change comes
    /// after the publication.
    fn offer_earlier_of_two(&self, choice: &mut Choice) {
        if let Some([later, earlier]) = self.labelled_pair(choice.latest)
            && earlier.moment.date < later.moment.date
            && is_unknown(&later)
            && is_unknown(&earlier)
        {
            choice.offer(Source::Page, earlier.moment);
        }
    }

    /// Offers the later of two dates directly below the headline, if its label is unknown but begins a phrase, unlike the word in
    /// "3 May to 5 May". All usual labels are known in English.
    fn offer_later_of_two(&self, choice: &mut Choice) {
        let is_likely = || self.language != Some("en") && !is_of_event(self.evidence);
        let pair = self.labelled_pair(choice.latest).filter(|_| is_likely());
        let Some([first, second]) = pair else { return };
        let is_later_first = first.moment.date > second.moment.date;
        let (later, earlier) = if is_later_first { (first, second) } else { (second, first) };
        let is_change = is_unknown(&later)
            && later.is_apart
            && !earlier.is_change
            && (earlier.has_label || !is_later_first);
        if is_change {
            choice.offer(Source::Page, later.moment);
        }
    }

    /// The first two dates below the headline, if they are in one line or two adjacent ones, differ by at most a year, and have
    /// different labels.
    fn labelled_pair(&self, latest: Option<Date>) -> Option<[TextDate; 2]> {
        let anchor = self.evidence.anchor();
        let below = self.evidence.lead_lines().iter().skip_while(|line| line.at < anchor);
        let below = below.take_while(|line| line.at <= anchor + BESIDE);
        let mut dates = below.enumerate().flat_map(|(index, line)| {
            let fits = line.text.len() <= 120 && word_count(&line.text) <= 2 * WORDS_OF_LABEL;
            let dates = if fits { self.dates_in_line(line) } else { &[] };
            dates.iter().map(move |date| (index, line, date))
        });
        let (first, second) = (dates.next()?, dates.next()?);
        let label = |(_, line, date): (usize, &'_ TextLine, &TextDate)| -> String {
            line.text[..date.at].chars().filter(|c| c.is_alphabetic()).collect()
        };
        let is_plain = |(_, line, date): (usize, &TextLine, &TextDate)| {
            date.at <= 80 && !self.follows_change(line.at)
        };
        let (one, other) = (first.2.moment, second.2.moment);
        let (earlier, later) = (one.date.min(other.date), one.date.max(other.date));
        let is_pair = second.0 - first.0 <= usize::from(first.2.has_label)
            && is_plain(first)
            && is_plain(second)
            && label(first) != label(second)
            && earlier < later
            && year_after(earlier).is_some_and(|end| later <= end)
            && latest.is_none_or(|latest| later <= latest);
        is_pair.then_some([*first.2, *second.2])
    }

    /// Offers `<time>` elements near the headline, those named as dates of publication first. Others may be dates of events;
    /// those in sentences, in lists after the article and in the header of the page are [`DOUBTFUL`]. WordPress has a class for
    /// each of the two dates.
    fn offer_times(&self, modified: bool, ranks: RangeInclusive<u8>, choice: &mut Choice) {
        if choice.is_settled() {
            return;
        }
        let (document, anchor) = (self.evidence.document, self.evidence.anchor());
        let nearest = self.evidence.nearest(&self.evidence.scan.times, |id| *id);
        let times = nearest.into_iter().take(20).filter_map(|id| {
            let class = document.attribute(id, &local_name!("class")).unwrap_or_default();
            let (mut is_published, mut says_modified) = (false, false);
            identifier_words(class, |word| match word {
                "published" => is_published = true,
                "updated" | "modified" => says_modified = true,
                _ => {}
            });
            let is_change = !is_published && (says_modified || self.follows_change(id));
            is_published |= self.label_before(id).is_some_and(says_published);
            let is_near = id.saturating_sub(anchor) <= BESIDE;
            let rank = match is_published && is_near {
                true => 0,
                false if !is_published && self.is_doubtful(id) => DOUBTFUL,
                false => 1,
            };
            (modified == is_change && ranks.contains(&rank)).then_some((rank, id))
        });
        let mut times: Vec<(u8, NodeId)> = times.collect();
        times.sort_by_key(|time| time.0);
        choice.offer_all(
            Source::Page,
            times.into_iter().filter_map(|time| self.date_of_element(time.1)),
        );
    }

    /// Whether a `<time>` is probably not the article's: in a sentence, after the body, or in a header of the page that does not
    /// contain the headline.
    fn is_doubtful(&self, id: NodeId) -> bool {
        let (document, anchor) = (self.evidence.document, self.evidence.anchor());
        if self.evidence.body.is_some_and(|body| id >= body.1) {
            return true;
        }
        // A list of links has dates of other pages.
        let is_link = |id: NodeId| document.is(id, &local_name!("a"));
        let is_head = |a: &NodeId| {
            document.is(*a, &local_name!("header"))
                || document.is(*a, &local_name!("li")) && document.subtree(*a).any(is_link)
        };
        if id < anchor {
            let head = document.ancestors(id).find(is_head);
            return head.is_some_and(|head| !document.contains(head, anchor));
        }
        let is_block = |a: &NodeId| document.name(*a).is_some_and(|name| !is_inline(name));
        document.ancestors(id).skip(1).find(is_block).is_some_and(|block| {
            let text = clip(document.text_content(block), 1_000);
            let at = text.find(document.text_content(id));
            at.is_some_and(|at| is_in_sentence(text, at))
        })
    }

    /// Whether the text directly before a node labels it as the date of a change.
    fn follows_change(&self, id: NodeId) -> bool {
        self.label_before(id).is_some_and(|text| text.len() < 60 && says_changed(text))
    }

    /// The last text before a node, if it is near and contains no number: "Updated May 4" labels its
    /// own date.
    fn label_before(&self, id: NodeId) -> Option<&'a str> {
        let document = self.evidence.document;
        let before = (id.saturating_sub(6)..id).rev().filter_map(|i| document.text(i));
        let text = before.map(str::trim).find(|text| !text.is_empty())?;
        (!has_number(text)).then_some(text)
    }

    /// Offers visible dates: elements with a class or id for dates, then short lines, those near the
    /// headline first.
    fn offer_visible(&self, modified: bool, choice: &mut Choice) {
        let evidence = self.evidence;
        let elements: Vec<NodeId> =
            evidence.scan.dates.iter().chain(&evidence.scan.bylines).copied().collect();
        let nearest = evidence.nearest_outside_body(&elements);
        let small = nearest.iter().filter(|id| evidence.document.node(**id).end - **id <= 40);
        let small: Vec<NodeId> = small.take(20).copied().collect();
        let (anchor, lead) = (evidence.anchor(), evidence.lead_lines());
        let is_far = |id: &NodeId| id.saturating_sub(anchor) > FAR;
        let far = small.iter().position(is_far).unwrap_or(small.len());
        let (near, far) = small.split_at(far);
        let of_element = |id: &NodeId| self.shown_in_element(*id, modified);
        choice.offer_all(Source::Page, near.iter().filter_map(of_element));
        if choice.is_settled() {
            return;
        }
        // The first lines are nearer than other elements.
        let (first, after): (Vec<&TextLine>, Vec<_>) = lead
            .iter()
            .filter(|line| line.at >= anchor)
            .partition(|line| line.at <= anchor + BESIDE);
        let mut first: Vec<_> = self.dates_of_lines(modified, first.into_iter()).collect();
        first.sort_by_key(|date| !date.is_publication);
        choice.offer_all(Source::Page, first.into_iter().map(|date| date.moment));
        if !modified {
            self.offer_times(false, DOUBTFUL..=DOUBTFUL, choice);
        }
        choice.offer_all(Source::Page, far.iter().filter_map(of_element));
        let before = lead.iter().rev().filter(|l| l.at < anchor);
        let rest = after.into_iter().chain(before).chain(evidence.tail_lines());
        let rest = self.dates_of_lines(modified, rest);
        choice.offer_all(Source::Page, rest.map(|date| date.moment));
    }

    /// The dates of lines that begin with a date or contain little else.
    fn dates_of_lines<'l>(
        &self,
        modified: bool,
        lines: impl Iterator<Item = &'l TextLine>,
    ) -> impl Iterator<Item = TextDate> {
        let heading = self.evidence.heading.as_ref().map(|heading| heading.id);
        lines.filter_map(move |line| {
            let label_before = modified && has_number(&line.text) && self.follows_change(line.at);
            let found = self.first_in_line(line, modified && !label_before)?;
            // Some templates set a date into the headline.
            let is_of_headline = || {
                heading.is_some_and(|id| self.evidence.document.contains(id, line.at))
                    && says_published(line_end(&line.text[..found.at]))
            };
            let stands_out = (line.text.len() <= 120 || found.at <= 40 || is_of_headline())
                && (modified || !is_in_sentence(&line.text, found.at));
            let fits = stands_out && (found.is_change || self.follows_change(line.at)) == modified;
            let is_publication = found.is_publication
                || found.at == 0 && self.label_before(line.at).is_some_and(labels_publication);
            fits.then_some(TextDate { is_publication, ..found })
        })
    }

    fn shown_in_element(&self, id: NodeId, modified: bool) -> Option<PageDate> {
        let document = self.evidence.document;
        let title = document.attribute(id, &local_name!("title")).filter(|_| !modified);
        let tooltip = || date_of_tooltip(document, id, self).filter(|_| !modified);
        title.and_then(|title| self.parse_field(title)).or_else(tooltip).or_else(|| {
            if !has_number(document.text_content(id)) {
                return None;
            }
            // Not `text_content`, which puts no space between adjacent blocks, such as those of a name
            // and a date.
            let text = dom::text_of(document, &[id], &[]);
            let text = dom::normalize_space(clip(&text, 1_000));
            let dates = has_number(&text).then(|| find_dates(&text, self, 3))?;
            let found = first_of(&dates, modified)?;
            (modified || !self.follows_change(id)).then_some(found.moment)
        })
    }

    /// The first date in a line that is labelled as the date of a change (`modified`), or that is not. The dates of a line are
    /// found only once.
    fn first_in_line(&self, line: &TextLine, modified: bool) -> Option<TextDate> {
        first_of(self.dates_in_line(line), modified)
    }

    fn dates_in_line<'l>(&self, line: &'l TextLine) -> &'l [TextDate] {
        line.dates.get_or_init(|| match has_number(&line.text) {
            true => find_dates(&line.text, self, 3),
            false => Vec::new(),
        })
    }
}

/// Whether a date has a label that is neither known as that of a publication nor of a change.
fn is_unknown(date: &TextDate) -> bool {
    date.has_label && !date.is_change && !date.is_publication
}

/// The first date of a change (`modified`), or the first other date, preferably one labelled as the date of publication.
pub(crate) fn first_of(dates: &[TextDate], modified: bool) -> Option<TextDate> {
    let fitting = dates.iter().filter(|date| date.is_change == modified);
    fitting.min_by_key(|date| !date.is_publication).copied()
}

/// The rank of a `<time>` that probably does not belong to the article.
const DOUBTFUL: u8 = 2;

/// Distance from the headline, in nodes, from which a date may belong to something else.
const FAR: u32 = 150;

/// The last words of a text, where a label may be.
fn line_end(text: &str) -> &str {
    &text[text.floor_char_boundary(text.len().saturating_sub(24))..]
}

/// Maximum number of words of a date line that only ends like a sentence ("Published: 12 May 2012.").
const WORDS_OF_LABEL: usize = 6;

/// Whether the date at a byte offset is mentioned in a sentence: "On 12 March 1998 a storm took the pier."
pub(crate) fn is_in_sentence(text: &str, at: usize) -> bool {
    text.trim_end().ends_with(['.', '!', '?', '…', '"', '”'])
        && text[..at].trim_end().ends_with(char::is_alphabetic)
        && word_count(text) > WORDS_OF_LABEL
        && !text.split_whitespace().any(begins_published)
}

/// Keeps the first possible date, or a later one of the same day that also has a time. Dates are
/// offered in order of reliability; once the choice is settled, further ones are ignored.
#[derive(Default)]
struct Choice {
    latest: Option<Date>,
    earliest: Option<Date>,
    /// If set, the date must be within one day of this one.
    near: Option<PageDate>,
    /// Whether any date was offered that is plausible, even if it is later than the latest day.
    any: bool,
    /// Whether any date offered was later than the latest possible day.
    late: bool,
    chosen: Option<(Source, PageDate)>,
}

impl Choice {
    /// A choice among dates up to `latest`.
    fn up_to(latest: Option<Date>) -> Self {
        Self { latest, ..Self::default() }
    }

    /// Whether further offers change nothing.
    fn is_settled(&self) -> bool {
        self.chosen.is_some_and(|(_, chosen)| chosen.time.is_some())
    }

    fn offer(&mut self, source: Source, moment: PageDate) {
        self.late |= self.latest.is_some_and(|latest| moment.date > latest);
        if self.is_settled() || !moment.is_plausible(self.latest) {
            return;
        }
        self.any = true;
        let is_possible = self.earliest.is_none_or(|earliest| moment.date >= earliest)
            && self.near.is_none_or(|near| moment.is_near(&near));
        let is_better = self
            .chosen
            .is_none_or(|(_, chosen)| chosen.date == moment.date && moment.time.is_some());
        if is_possible && is_better {
            self.chosen = Some((source, moment));
        }
    }

    /// Offers dates until one settles the choice.
    fn offer_all(&mut self, source: Source, moments: impl IntoIterator<Item = PageDate>) {
        let mut moments = moments.into_iter();
        while !self.is_settled()
            && let Some(moment) = moments.next()
        {
            self.offer(source, moment);
        }
    }

    fn offer_only(&mut self, mut dates: impl Iterator<Item = TextDate>) {
        if let (Some(date), None) = (dates.next(), dates.next()) {
            self.offer(Source::Page, date.moment);
        }
    }

    /// The chosen date, without its source.
    fn moment(&self) -> Option<PageDate> {
        self.chosen.map(|(_, moment)| moment)
    }

    /// Replaces the chosen date by the same date in another form.
    fn replace(&mut self, moment: PageDate) {
        self.chosen = self.chosen.map(|(source, _)| (source, moment));
    }

    fn chosen(&self) -> Option<Field<String>> {
        self.chosen.map(|(source, moment)| Field::new(moment.to_string(), source))
    }
}

/// `/2012/11/21/`, `/2012-11-21-`, `/20121121/`, `/2012/nov/21/`: year, month and day in the path.
pub(crate) fn url_date(url: &str) -> Option<PageDate> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next()?;
    let mut before = ' ';
    for (at, c) in path.char_indices().take(500) {
        let previous = std::mem::replace(&mut before, c);
        // Chinese systems name pages "t20121121_123.html".
        let is_named = previous == 't' && path[..at].ends_with("/t");
        if previous.is_ascii_alphanumeric() && !is_named || !c.is_ascii_digit() {
            continue;
        }
        let mut rest = Digits(&path[at..]);
        if let Some(moment) = rest.date(&['/', '-', '_'], named_month)
            && !rest.0.starts_with(|c: char| c.is_ascii_digit())
            && (1990..2100).contains(&moment.date.year())
        {
            return Some(moment);
        }
    }
    None
}

/// Reads the name of a month.
fn named_month(rest: &mut Digits<'_>) -> Option<i32> {
    let end = rest.0.find(|c: char| !c.is_alphabetic())?;
    let (word, after) = rest.0.split_at(end);
    let month = month_of(&join_letters(word), None)?;
    rest.0 = after;
    Some(month.into())
}

#[cfg(test)]
mod tests {

    use super::*;

    fn chosen(mut choice: Choice, dates: &[&str]) -> Option<String> {
        for date in dates {
            choice.offer(Source::Page, PageDate::parse(date).unwrap());
        }
        choice.chosen().map(|field| field.value)
    }

    #[test]
    fn the_first_possible_date_and_its_time() {
        let free = || Choice::up_to(Some(Date::constant(2020, 1, 1)));
        let dates = ["2021-01-01", "2019-05-01", "2018-01-01T10:00", "2019-05-01T09:30"];
        assert_eq!(chosen(free(), &dates).as_deref(), Some("2019-05-01T09:30:00"));
        assert_eq!(chosen(free(), &dates[..3]).as_deref(), Some("2019-05-01"));
        let timed = ["2019-05-01T09:30", "2019-05-01T10:30"];
        assert_eq!(chosen(free(), &timed).as_deref(), Some("2019-05-01T09:30:00"));
        let late = Choice { earliest: Some(Date::constant(2019, 5, 2)), ..free() };
        assert_eq!(chosen(late, &dates), None);
        let near = Choice { near: PageDate::parse("2018-01-02"), ..free() };
        assert_eq!(chosen(near, &dates).as_deref(), Some("2018-01-01T10:00:00"));
        assert_eq!(chosen(free(), &["1970-01-01"]), None);
    }

    #[test]
    fn dates_in_addresses() {
        let date = |url| url_date(url).map(|m| m.to_string());
        let expected = Some("2012-11-21".to_owned());
        assert_eq!(date("http://example.org/2012/11/21/story"), expected);
        assert_eq!(date("http://example.org/news/2012-11-21-story.html"), expected);
        assert_eq!(date("http://example.org/a/20121121/story"), expected);
        assert_eq!(date("http://example.org/n1/2012/1121/c1-2.html"), expected);
        assert_eq!(date("http://example.org/a/t20121121_12.html"), expected);
        assert_eq!(date("http://example.org/2012/1345/story"), None);
        assert_eq!(date("http://example.org/2012/11211/story"), None);
        assert_eq!(date("http://example.org/2012/nov/21/story"), expected);
        assert_eq!(date("http://example.org/blog/2012/november/21"), expected);
        assert_eq!(date("http://example.org/2012/top/21/story"), None);
        assert_eq!(date("http://example.org/2012/11/story"), None);
        assert_eq!(date("http://example.org/12345678/story"), None);
        assert_eq!(date("http://example.org/?d=2012/11/21"), None);
    }
}
