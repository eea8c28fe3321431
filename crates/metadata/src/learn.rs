//! Learns the fields of a template by comparing its pages.
//!
//! A value is compared with those in the same place on sibling pages. An author in JSON-LD that is the same on all pages, while
//! bylines differ, is an account of the content management system. The common end of all titles is the name of the site. A line
//! near the headline that names another person on each page is the byline, in any language. One page with "23/09" shows the order
//! of day and month of all.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use dom::xpath::Path;
use dom::{NodeId, local_name, normalize_space, text_of};
use model::{Mark, Source};
use rustc_hash::{FxHashMap, FxHashSet};
use terms::letters::{is_alphabetic, is_numeric};
use terms::{Detected, Language};

use crate::authors::{
    author_readings, from_dated_lines, has_author_label, keep_best_labelled, linked_authors,
};
use crate::date_text::{
    DayMonthOrder, TextDate, find_date, find_dates, labels_publication, shows_24_hours,
};
use crate::dates::{
    declared_dates, declared_order, first_of, is_in_sentence, order_of_all, order_on_page, url_date,
};
use crate::evidence::{ElementPatterns, MetadataEvidence};
use crate::fields::{declared_descriptions, declared_images, declared_language, declared_titles};
use crate::heading::segments;
use crate::learnt::{ConstantField, FieldPlace, TemplateFields, compared, strip};
use crate::page_date::PageDate;
use crate::standfirst::{LeadBlock, standfirst_blocks, text_set_apart};
use crate::text::{clip, has_number, is_named_in, is_unspaced, squash};
use crate::{PageContext, names};

/// Finds expressions that select the elements given for each page. Also returns the share of the pages on which they select
/// exactly these elements.
pub type Synthesize<'s> = &'s dyn Fn(&[Vec<NodeId>]) -> (Vec<Path>, f64);

type DeclaredValue = (Source, String);

/// Minimum number of pages with a value.
const FEWEST: usize = TemplateFields::FEWEST_PAGES;
/// Minimum number of pages with the same value for it to be the site's.
const CONSTANT: usize = 4;
/// Minimum share of the pages that have a place, and of those on which the text in it fits.
const MOST: f64 = 0.6;
/// Minimum share of the declared values that agree with the text in a place.
const AGREEING: f64 = 0.6;
/// Minimum share of the pages on which the expressions select exactly the wanted elements.
const EXACT: f64 = 0.8;

impl TemplateFields {
    /// Minimum number of pages to learn from.
    pub const FEWEST_PAGES: usize = 3;

    /// Learns from pages of one template, given in an order that does not depend on the order of the input. From fewer than three
    /// pages, only `marked` is learnt: for each page, the elements that somebody marked as a headline, authors or a date, and the
    /// elements of other pages with the same pattern. Linear in the size of the pages, apart from `synthesize`.
    pub fn learn(
        pages: &[PageContext<'_>],
        marked: &[(Mark, Vec<Vec<NodeId>>)],
        synthesize: Synthesize<'_>,
    ) -> Self {
        let mut learnt = match pages.len() {
            0..FEWEST => Self::default(),
            _ => Self::learn_unmarked(pages, synthesize),
        };
        for (mark, wanted) in marked {
            let texts = pages.iter().zip(wanted).flat_map(|(page, own)| {
                own.iter().map(|&id| normalize_space(&text_of(page.document, &[id], &[])))
            });
            let texts: Vec<String> = texts.collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = place_of(wanted, affixes(&texts), synthesize);
            let place = found.map(FieldPlace::marked);
            match mark {
                Mark::Headline => learnt.headline = place.or(learnt.headline),
                Mark::Author => learnt.byline = place.or(learnt.byline),
                Mark::Date => learnt.dateline = place.or(learnt.dateline),
                Mark::Content | Mark::NotContent | Mark::Comment | Mark::Caption => {}
            }
        }
        learnt
    }

    fn learn_unmarked(pages: &[PageContext<'_>], synthesize: Synthesize<'_>) -> Self {
        let pages: Vec<MetadataEvidence<'_>> = pages.iter().map(MetadataEvidence::new).collect();
        let readings: Vec<Vec<Vec<String>>> = pages.iter().map(author_readings).collect();
        let titles: Vec<Vec<DeclaredValue>> =
            pages.iter().map(|page| declared_titles(page).collect()).collect();
        let spots: Vec<Vec<Spot<'_>>> = pages.iter().map(spots).collect();
        let groups = group(&spots);
        let mut learnt = Self {
            pages: pages.len() as u32,
            title_parts: title_parts(&pages, &titles),
            language: language(&pages),
            order: order(&pages, &spots, &groups),
            has_24_hours: (0..pages.len())
                .any(|page| texts_in_places(&spots, &groups, page).any(shows_24_hours)),
            constants: constants(&pages, &titles),
            author: only_author(&pages),
            ..Self::default()
        };
        let order = learnt.order.map(|(order, _)| order);
        let found = dateline(&pages, &spots, &groups, order);
        learnt.dateline = found.and_then(|found| found.place(&spots, synthesize));
        let common = common_authors(&readings);
        // A name before all dates that occurs nowhere else is a place or a kind of text: "Buenos Aires, 2 July 2025".
        let dated = pages.iter().map(|page| {
            let names = from_dated_lines(page);
            (!names.is_empty()).then(|| compared(&names.join(" ")))
        });
        if let Some(value) = same(dated, FEWEST).filter(|value| !common.contains(value)) {
            learnt.constants.push((ConstantField::Authors, value));
            learnt.constants.sort_unstable();
        }
        let found = byline(&pages, &readings, &spots, &groups, &common);
        learnt.byline = found.and_then(|found| found.place(&spots, synthesize));
        if learnt.byline.is_some() || authors_differ(&readings) {
            let accounts = common.into_iter().map(|value| (ConstantField::Authors, value));
            learnt.constants.extend(accounts);
            learnt.constants.sort_unstable();
        }
        let fields: Vec<&FieldPlace> = learnt.byline.iter().chain(&learnt.dateline).collect();
        learnt.standfirst = standfirst(&pages, &fields, synthesize);
        learnt.headline = headline(&pages, &learnt.title_parts, synthesize);
        learnt
    }
}

fn is_most(count: usize, of: usize) -> bool {
    count as f64 >= MOST * of as f64
}

/// Parts that most titles have at the same end, and a heading that is the same on all pages although their titles differ.
/// Neither can be the headline, which differs.
fn title_parts(pages: &[MetadataEvidence<'_>], titles: &[Vec<DeclaredValue>]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for at_end in [true, false] {
        // For each part, the pages that have it, and the parts at the other end.
        let mut parts: BTreeMap<String, (BTreeSet<usize>, BTreeSet<String>)> = BTreeMap::new();
        for (page, all) in titles.iter().enumerate() {
            for (_, title) in all.iter().take(8) {
                let mut segments = segments(clip(title, 1_000));
                if at_end {
                    segments.reverse();
                }
                let Some((rest, others)) = segments.split_last() else { continue };
                // A section may stand beside the name of the site.
                for part in others.iter().take(3).map(|part| squash(part)) {
                    if part.chars().nth(1).is_some() {
                        let (with, rests) = parts.entry(part).or_default();
                        with.insert(page);
                        rests.insert(squash(rest));
                    }
                }
            }
        }
        parts.retain(|_, (with, rests)| {
            with.len() >= FEWEST && rests.len() >= FEWEST && is_most(with.len(), pages.len())
        });
        found.extend(parts.into_keys());
    }
    let headings = pages.iter().map(|page| page.heading.as_ref().map(|h| squash(&h.text)));
    if different_titles(titles).count() >= FEWEST {
        found.extend(same(headings, FEWEST).filter(|heading| heading.chars().nth(1).is_some()));
    }
    found.into_iter().collect()
}

/// The declared titles of all pages, each once, in the form in which values are compared.
fn different_titles(titles: &[Vec<DeclaredValue>]) -> impl Iterator<Item = String> {
    let all: BTreeSet<String> = titles.iter().flatten().map(|title| compared(&title.1)).collect();
    all.into_iter()
}

/// The language that most pages declare, or the language of nearly all texts if they contradict it.
fn language(pages: &[MetadataEvidence<'_>]) -> Option<String> {
    /// Probability from which the language of texts overrides the declared one.
    const LIKELY: f64 = 0.5;
    let mut declared: BTreeMap<String, usize> = BTreeMap::new();
    for page in pages {
        if let Some(field) = declared_language(page).next() {
            *declared.entry(field.value).or_default() += 1;
        }
    }
    let (tag, count) = declared.into_iter().max_by_key(|(_, count)| *count)?;
    if count < FEWEST || !is_most(count, pages.len()) {
        return None;
    }
    let own = Language::from_tag(&tag)?;
    let detected: Vec<_> = pages.iter().filter_map(|page| page.detected).collect();
    let against: Vec<_> = detected.iter().filter(|found| found.contradicts(own)).collect();
    if against.len() * 5 <= detected.len() {
        return Some(tag);
    }
    let other = against.first()?.language;
    let is_likely = |found: &Detected| found.language == other && found.score >= LIKELY;
    let agree = against.iter().filter(|found| is_likely(found)).count();
    (agree >= FEWEST && agree * 5 >= detected.len() * 4).then(|| other.to_string())
}

/// The order of day and month on nearly all pages with an unambiguous date: in places that most pages have, else in all texts,
/// else in declarations. Comments may have dates in another order.
fn order(
    pages: &[MetadataEvidence<'_>],
    spots: &[Vec<Spot<'_>>],
    groups: &SpotGroups,
) -> Option<(DayMonthOrder, u32)> {
    let in_places = |page: usize| order_of_all(texts_in_places(spots, groups, page));
    let mut shown: Vec<DayMonthOrder> = (0..pages.len()).filter_map(in_places).collect();
    if shown.is_empty() {
        shown = pages.iter().filter_map(order_on_page).collect();
    }
    if shown.is_empty() {
        shown = pages.iter().filter_map(declared_order).collect();
    }
    let day_first = shown.iter().filter(|order| **order == DayMonthOrder::DayFirst).count();
    let month_first = shown.len() - day_first;
    let (order, most, least) = match day_first > month_first {
        true => (DayMonthOrder::DayFirst, day_first, month_first),
        false => (DayMonthOrder::MonthFirst, month_first, day_first),
    };
    (most > 0 && most >= 4 * least).then_some((order, most as u32))
}

/// Titles, images, descriptions and dates that are the same on all pages; dates only with a time.
fn constants(
    pages: &[MetadataEvidence<'_>],
    titles: &[Vec<DeclaredValue>],
) -> Vec<(ConstantField, String)> {
    let images: Vec<Vec<DeclaredValue>> =
        pages.iter().map(|page| declared_images(page).collect()).collect();
    let descriptions: Vec<Vec<DeclaredValue>> =
        pages.iter().map(|page| declared_descriptions(page).collect()).collect();
    let timed = |page: &MetadataEvidence<'_>| {
        let timed = declared_dates(page).into_iter().filter(|date| date.1.time.is_some());
        timed.map(|(source, date)| (source, date.to_string())).collect()
    };
    let dates: Vec<Vec<DeclaredValue>> = pages.iter().map(timed).collect();
    let headings = pages.iter().filter_map(|page| Some(compared(&page.heading.as_ref()?.text)));
    let has_titles =
        headings.chain(different_titles(titles)).collect::<BTreeSet<_>>().len() > FEWEST;
    let titles = if has_titles { titles } else { &[] };
    let fields = [
        (ConstantField::Title, titles, FEWEST),
        (ConstantField::Description, &descriptions, CONSTANT),
        (ConstantField::Published, &dates, CONSTANT),
    ];
    // Articles without a picture may have a default image.
    let mut shared: BTreeMap<String, BTreeSet<[Option<&str>; 2]>> = BTreeMap::new();
    for (page, own) in pages.iter().zip(&images) {
        let names = [page.head().title.as_deref(), page.heading.as_ref().map(|h| &*h.text)];
        for (_, value) in own.iter().filter(|own| !own.1.is_empty()) {
            shared.entry(compared(value)).or_default().insert(names);
        }
    }
    let is_shared = |names: usize| names >= FEWEST && names * 4 >= pages.len();
    shared.retain(|_, names| is_shared(names.len()));
    let mut found: BTreeSet<_> =
        shared.into_keys().map(|value| (ConstantField::Image, value)).collect();
    for (field, values, least) in fields {
        for source in [Source::JsonLd, Source::OpenGraph, Source::Meta] {
            let first = |of_page: &Vec<DeclaredValue>| {
                Some(compared(&of_page.iter().find(|value| value.0 == source)?.1))
            };
            let value = same(values.iter().map(first), least);
            found.extend(value.filter(|value| !value.is_empty()).map(|value| (field, value)));
        }
    }
    found.into_iter().collect()
}

/// The value that a reader finds on each page, in the form in which values are compared.
fn values_of(
    readings: &[Vec<Vec<String>>],
    reader: usize,
) -> impl ExactSizeIterator<Item = Option<String>> {
    readings.iter().map(move |page| {
        let names = &page[reader];
        (!names.is_empty()).then(|| compared(&names.join(" ")))
    })
}

/// The authors that a source names on all pages.
fn common_authors(readings: &[Vec<Vec<String>>]) -> BTreeSet<String> {
    let readers = readings.first().map_or(0, Vec::len);
    (0..readers).filter_map(|reader| same(values_of(readings, reader), FEWEST)).collect()
}

/// Whether a source names different authors on half of the pages.
fn authors_differ(readings: &[Vec<Vec<String>>]) -> bool {
    (0..readings.first().map_or(0, Vec::len)).any(|reader| {
        let values: Vec<String> = values_of(readings, reader).flatten().collect();
        let different: BTreeSet<&String> = values.iter().collect();
        different.len() >= 2 && values.len() >= FEWEST && values.len() * 2 >= readings.len()
    })
}

/// The name in all links with `rel=author`, including those beside comments or in a footer.
fn only_author(pages: &[MetadataEvidence<'_>]) -> Option<String> {
    let name = |page: &MetadataEvidence<'_>| {
        let mut names = linked_authors(page);
        let first = names.next()?;
        names.all(|name| name == first).then_some(first)
    };
    same(pages.iter().map(name), FEWEST)
}

/// The value that all pages with a value have, if these are at least `least` and most of the pages.
fn same(values: impl ExactSizeIterator<Item = Option<String>>, least: usize) -> Option<String> {
    let pages = values.len();
    let values: Vec<String> = values.flatten().collect();
    let first = values.first()?;
    let is_same = values.len() >= least
        && is_most(values.len(), pages)
        && values.iter().all(|value| value == first);
    is_same.then(|| first.clone())
}

/// A short text near the headline or after the body.
struct Spot<'a> {
    element: NodeId,
    /// Hash of the names and classes of the element and its ancestors.
    pattern: u64,
    text: &'a str,
}

/// Longest text of a spot, in bytes.
const LONGEST: usize = 160;
/// Longest text that is read as names, in bytes.
const LONGEST_NAMES: usize = 100;
/// Maximum number of spots of a page.
const SPOTS: usize = 120;

fn spots<'a>(page: &MetadataEvidence<'a>) -> Vec<Spot<'a>> {
    let document = page.document;
    let (lead, tail) = (page.lead(), page.tail());
    let mut patterns = ElementPatterns::new(document);
    let mut spots = Vec::new();
    let mut id = lead.start;
    while id < tail.end.max(lead.end) && spots.len() < SPOTS {
        if id >= lead.end && id < tail.start {
            id = tail.start;
        }
        if let Some(end) = page.scan.zone_end(id) {
            id = end;
            continue;
        }
        if let (Some(text), Some(element)) = (document.text(id), document.parent(id)) {
            let text = text.trim();
            let is_heading = page.heading.as_ref().is_some_and(|h| document.contains(h.id, id));
            if (2..=LONGEST).contains(&text.len()) && !is_heading {
                spots.push(Spot { element, pattern: patterns.of(element), text });
            }
        }
        id += 1;
    }
    spots
}

/// For each pattern that most pages have, the indices of its spots on each page.
type SpotGroups = BTreeMap<u64, Vec<Vec<usize>>>;

fn group(spots: &[Vec<Spot<'_>>]) -> SpotGroups {
    let mut groups: SpotGroups = BTreeMap::new();
    for (page, of_page) in spots.iter().enumerate() {
        for (at, spot) in of_page.iter().enumerate() {
            let group = groups.entry(spot.pattern).or_insert_with(|| vec![Vec::new(); spots.len()]);
            group[page].push(at);
        }
    }
    groups.retain(|_, group| {
        let with = group.iter().filter(|own| !own.is_empty()).count();
        with >= FEWEST && is_most(with, spots.len())
    });
    groups
}

fn texts_in_places<'a>(
    spots: &[Vec<Spot<'a>>],
    groups: &SpotGroups,
    page: usize,
) -> impl Iterator<Item = &'a str> {
    let own = groups.values().flat_map(move |group| &group[page]);
    own.map(move |&at| spots[page][at].text)
}

/// Sum of the distances, in nodes, between a group and the beginnings of the articles.
fn distance(pages: &[MetadataEvidence<'_>], spots: &[Vec<Spot<'_>>], group: &[Vec<usize>]) -> u32 {
    let first = pages.iter().zip(spots).zip(group).filter_map(|((page, spots), own)| {
        Some(page.anchor().abs_diff(spots[*own.first()?].element))
    });
    first.sum()
}

/// A pattern that contains a field, with its spots on each page.
struct FoundPlace {
    wanted: Vec<Vec<usize>>,
    affixes: (String, String),
}

impl FoundPlace {
    fn place(self, spots: &[Vec<Spot<'_>>], synthesize: Synthesize<'_>) -> Option<FieldPlace> {
        let elements = |(of_page, wanted): (&Vec<Spot<'_>>, &Vec<usize>)| {
            let mut elements: Vec<NodeId> = wanted.iter().map(|&at| of_page[at].element).collect();
            elements.sort_unstable();
            elements.dedup();
            elements
        };
        let wanted: Vec<Vec<NodeId>> = spots.iter().zip(&self.wanted).map(elements).collect();
        place_of(&wanted, self.affixes, synthesize)
    }
}

fn place_of(
    wanted: &[Vec<NodeId>],
    affixes: (String, String),
    synthesize: Synthesize<'_>,
) -> Option<FieldPlace> {
    let (paths, exact) = synthesize(wanted);
    (!paths.is_empty() && exact >= EXACT).then(|| FieldPlace::new(paths, affixes))
}

/// The place of the headlines, if most pages have no headline that their titles confirm: headings with one pattern before or at
/// the beginning of the body, one on each page, with different texts.
fn headline(
    pages: &[MetadataEvidence<'_>],
    title_parts: &[String],
    synthesize: Synthesize<'_>,
) -> Option<FieldPlace> {
    let is_known = |page: &&MetadataEvidence<'_>| {
        page.heading.as_ref().is_some_and(|h| !title_parts.contains(&squash(&h.text)))
    };
    if is_most(pages.iter().filter(is_known).count(), pages.len()) {
        return None;
    }
    let mut groups = TextGroups::new();
    for (at, page) in pages.iter().enumerate() {
        let mut patterns = ElementPatterns::new(page.document);
        let end = page.body.map_or(0, |body| body.0 + 20);
        let near = page.scan.headings.iter().map(|heading| heading.0);
        for id in near.filter(|id| *id < end && page.scan.zone_end(*id).is_none()).take(20) {
            let letters = squash(clip(page.document.text_content(id), 400));
            if letters.chars().nth(3).is_some() && !title_parts.contains(&letters) {
                let group =
                    groups.entry(patterns.of(id)).or_insert_with(|| vec![Vec::new(); pages.len()]);
                group[at].push((id, letters));
            }
        }
    }
    once_each(&groups, pages, synthesize)
}

/// The place of the standfirsts: the first block set apart below the headline that most pages have once, with different texts.
/// Excludes bylines, dates, and blocks after a paragraph.
fn standfirst(
    pages: &[MetadataEvidence<'_>],
    fields: &[&FieldPlace],
    synthesize: Synthesize<'_>,
) -> Option<FieldPlace> {
    let mut groups = TextGroups::new();
    for (at, page) in pages.iter().enumerate() {
        let blocks = standfirst_blocks(page);
        let fields = fields.iter().flat_map(|place| place.elements(page.document));
        let fields: Vec<NodeId> = fields.collect();
        for block in before_paragraphs(page, &blocks) {
            let length = page.document.text_content(block.id).trim().len();
            let is_most_of = |id: &NodeId| {
                page.document.contains(*id, block.id)
                    || page.document.contains(block.id, *id)
                        && page.document.text_content(*id).trim().len() * 2 > length
            };
            if fields.iter().any(is_most_of) {
                continue;
            }
            let Some(text) = text_set_apart(page, block, &blocks) else { continue };
            let group =
                groups.entry(block.pattern).or_insert_with(|| vec![Vec::new(); pages.len()]);
            group[at].push((block.id, text));
        }
    }
    // "This entry was posted on Saturday, September 4th, and is filed under Town."
    groups.retain(|_, group| {
        let texts: Vec<&str> = group.iter().flatten().map(|(_, text)| &**text).collect();
        !differ_in_few_words(&texts) && !differ_in_names(&texts)
    });
    once_each(&groups, pages, synthesize)
}

/// The blocks before the first of two long blocks with the same pattern.
fn before_paragraphs<'b>(page: &MetadataEvidence<'_>, blocks: &'b [LeadBlock]) -> &'b [LeadBlock] {
    /// Minimum bytes of a block that is probably not a line of names or dates.
    const LONG: usize = 60;
    let is_long = |b: &&LeadBlock| page.document.text_content(b.id).trim().len() >= LONG;
    let long: Vec<&LeadBlock> = blocks.iter().filter(is_long).collect();
    let pair = long.windows(2).find(|pair| pair[0].pattern == pair[1].pattern);
    let first = pair.and_then(|pair| blocks.iter().position(|block| block.id == pair[0].id));
    &blocks[..first.unwrap_or(blocks.len())]
}

/// Whether most texts are names, apart from their common beginning and end: "Photos by Jane Doe, The Herald".
fn differ_in_names(texts: &[&str]) -> bool {
    let (before, after) = affixes(texts);
    let named = texts.iter().filter(|text| names::is_full_name(strip(text, &before, &after)));
    is_most(named.count(), texts.len())
}

/// Whether most texts share three quarters of their words, without numbers, with the previous text: the template fills in only a
/// few words.
fn differ_in_few_words(texts: &[&str]) -> bool {
    let words = |text: &&str| -> BTreeSet<String> {
        let letters = |word: &str| squash(word).chars().filter(|c| !is_numeric(*c)).collect();
        text.split_whitespace().map(letters).filter(|word: &String| !word.is_empty()).collect()
    };
    let words: Vec<BTreeSet<String>> = texts.iter().map(words).collect();
    let is_alike = |pair: &&[BTreeSet<String>]| {
        let fewest = pair[0].len().min(pair[1].len());
        fewest > 0 && pair[0].intersection(&pair[1]).count() * 4 >= 3 * fewest
    };
    words.windows(2).filter(is_alike).count() * 2 > words.len().saturating_sub(1)
}

/// For each pattern, the elements of each page with their texts, as letters or folded.
type TextGroups = BTreeMap<u64, Vec<Vec<(NodeId, String)>>>;

/// The place of the pattern that most pages have once, with different texts; of several, the nearest to the headline.
fn once_each(
    groups: &TextGroups,
    pages: &[MetadataEvidence<'_>],
    synthesize: Synthesize<'_>,
) -> Option<FieldPlace> {
    let fits = |group: &&Vec<Vec<(NodeId, String)>>| {
        let texts: Vec<&String> =
            group.iter().filter(|own| own.len() == 1).map(|own| &own[0].1).collect();
        let different: BTreeSet<&&String> = texts.iter().collect();
        texts.len() >= FEWEST && is_most(texts.len(), pages.len()) && different.len() == texts.len()
    };
    let distance = |group: &&Vec<Vec<(NodeId, String)>>| {
        let both = group.iter().zip(pages);
        both.filter_map(|(own, page)| Some(own.first()?.0.abs_diff(page.anchor()))).sum::<u32>()
    };
    let best = groups.values().filter(fits).min_by_key(distance)?;
    let only = |own: &Vec<(NodeId, String)>| match &own[..] {
        [(id, _)] => vec![*id],
        _ => Vec::new(),
    };
    place_of(&best.iter().map(only).collect::<Vec<_>>(), Default::default(), synthesize)
}

/// The place of the dates of publication: where they agree with dates in declarations or addresses, if there are any; else the
/// place nearest to the headline in which dates differ.
fn dateline(
    pages: &[MetadataEvidence<'_>],
    spots: &[Vec<Spot<'_>>],
    groups: &SpotGroups,
    order: Option<DayMonthOrder>,
) -> Option<FoundPlace> {
    let known: Vec<Option<PageDate>> = pages
        .iter()
        .map(|page| declared_dates(page).first().map(|d| d.1).or_else(|| url_date(page.url)))
        .collect();
    let order_of = |page: &MetadataEvidence<'_>| {
        let language = declared_language(page).next();
        let host = page.own.as_ref().and_then(|own| own.host_str());
        DayMonthOrder::of(language.as_ref().map(|tag| &*tag.value), host)
    };
    let orders: Vec<DayMonthOrder> =
        pages.iter().map(|page| order.unwrap_or_else(|| order_of(page))).collect();
    let read = |page: usize, at: usize| {
        let text = spots[page][at].text;
        let dates = has_number(text).then(|| find_dates(text, &orders[page], 3))?;
        let date = first_of(&dates, false).or_else(|| first_of(&dates, true))?;
        let label = || at.checked_sub(1).is_some_and(|at| labels_publication(spots[page][at].text));
        let is_publication = date.is_publication || date.at == 0 && label();
        let fits = date.moment.is_plausible(pages[page].latest) && !is_in_sentence(text, date.at);
        fits.then_some((at, TextDate { is_publication, ..date }))
    };
    let read_first = |page: usize, own: &[usize]| {
        let dates = own.iter().filter_map(|&at| read(page, at));
        dates.min_by_key(|(_, date)| !date.is_publication)
    };
    let mut best = None;
    for group in groups.values() {
        let found: Vec<Option<TextDate>> = (0..pages.len())
            .map(|page| read_first(page, &group[page]).map(|(_, date)| date))
            .collect();
        let count = |is_it: fn(&TextDate) -> bool| {
            found.iter().flatten().filter(|date| is_it(date)).count()
        };
        let (labelled, changes) = (count(|date| date.is_publication), count(|date| date.is_change));
        let dates: Vec<Option<PageDate>> =
            found.iter().map(|date| Some(date.as_ref()?.moment)).collect();
        let with = dates.iter().flatten().count();
        let days: BTreeSet<_> = dates.iter().flatten().map(|date| date.date).collect();
        if with < FEWEST || !is_most(with, pages.len()) || days.len() < 2 {
            continue;
        }
        let both = dates.iter().zip(&known).filter_map(|(own, known)| own.zip(*known));
        let (agree, differ): (Vec<_>, Vec<_>) = both.partition(|(own, known)| own.is_near(known));
        let comparable = agree.len() + differ.len();
        if comparable > 0 && (agree.len() as f64) < AGREEING * comparable as f64 {
            continue;
        }
        // The date of the last change is better than a date mentioned in the story.
        let distance = Reverse(distance(pages, spots, group));
        let rank = (comparable > 0, labelled * 2 > with, changes * 2 < with, distance);
        if best.as_ref().is_none_or(|(best, _)| rank > *best) {
            best = Some((rank, group));
        }
    }
    let (_, group) = best?;
    let wanted = |(page, own): (usize, &Vec<usize>)| {
        read_first(page, own).map(|(at, _)| at).into_iter().collect()
    };
    let wanted = group.iter().enumerate().map(wanted).collect();
    Some(FoundPlace { wanted, affixes: Default::default() })
}

/// The place of the authors: where they agree with the declared authors, unless these are an account of the site; else the place
/// nearest to the headline in which nearly all pages have names, and different ones.
fn byline(
    pages: &[MetadataEvidence<'_>],
    readings: &[Vec<Vec<String>>],
    spots: &[Vec<Spot<'_>>],
    groups: &SpotGroups,
    common: &BTreeSet<String>,
) -> Option<FoundPlace> {
    let declared = |(page, readings): (&MetadataEvidence<'_>, &Vec<Vec<String>>)| {
        let names = readings.iter().take(3).find(|names| !names.is_empty())?;
        let value = names.join(" ");
        let is_own = common.contains(&compared(&value))
            || names.iter().all(|name| page.site.is_own_name(name));
        (!is_own).then(|| squash(&value))
    };
    let declared: Vec<Option<String>> = pages.iter().zip(readings).map(declared).collect();
    let mut lower: Option<FxHashSet<&str>> = None;
    // The texts that all pages have.
    let texts = spots.iter().map(|own| own.iter().map(|spot| spot.text).collect());
    let constant: FxHashSet<&str> =
        texts.reduce(|all: FxHashSet<_>, own| &all & &own).unwrap_or_default();
    // A cache of names by text, because most texts beside articles recur on other pages.
    let mut read: FxHashMap<&str, Vec<String>> = FxHashMap::default();
    let mut best = None;
    for group in groups.values() {
        let texts: Vec<&str> = group
            .iter()
            .enumerate()
            .flat_map(|(page, own)| own.iter().map(move |&at| spots[page][at].text))
            .collect();
        // Labels of the template are the same on all pages.
        if texts.iter().all(|text| *text == texts[0]) {
            continue;
        }
        let affixes = affixes(&texts);
        let is_label = |text: &str| {
            group.iter().zip(spots).all(|(own, spots)| own.iter().any(|&at| spots[at].text == text))
        };
        let mut names_at = |page: usize, at: usize| {
            let spot: &Spot<'_> = &spots[page][at];
            let text = strip(spot.text, &affixes.0, &affixes.1);
            let is_none = text.len() > LONGEST_NAMES || is_filed(&pages[page], spot.element);
            if is_none || is_label(spot.text) {
                return Vec::new();
            }
            read.entry(text).or_insert_with(|| names::from_byline(text)).clone()
        };
        // The spots with names, and the names.
        let mut found: Vec<Vec<(usize, Vec<String>)>> = Vec::with_capacity(pages.len());
        let mut without = 0;
        for (page, own) in group.iter().enumerate() {
            let named = own.iter().take(5).map(|&at| (at, names_at(page, at)));
            let named = named.filter(|(_, names)| !names.is_empty());
            let labelled = named.map(|(at, names)| {
                let spot = &spots[page][at];
                (has_author_label(pages[page].document, spot.element, spot.text), (at, names))
            });
            let named = keep_best_labelled(labelled.collect());
            without += usize::from(named.is_empty());
            found.push(named);
            if !is_most(pages.len() - without, pages.len()) {
                break;
            }
        }
        if found.len() < pages.len() {
            continue;
        }
        let of_pages: Vec<Vec<String>> = found
            .iter()
            .map(|own| own.iter().flat_map(|(_, names)| names.iter().cloned()).collect())
            .collect();
        let with = of_pages.iter().filter(|names| !names.is_empty()).count();
        let different: BTreeSet<String> =
            of_pages.iter().filter(|n| !n.is_empty()).map(|n| squash(&n.join(" "))).collect();
        if with < FEWEST || !is_most(with, pages.len()) || different.len() < 2 {
            continue;
        }
        let both = of_pages
            .iter()
            .zip(&declared)
            .filter_map(|(own, declared)| (!own.is_empty()).then_some(own).zip(declared.as_ref()));
        let (agree, differ): (Vec<_>, Vec<_>) = both
            .partition(|(own, declared)| own.iter().any(|name| declared.contains(&squash(name))));
        let comparable = agree.len() + differ.len();
        let mut has_labels = false;
        if comparable >= 2 {
            if (agree.len() as f64) < AGREEING * comparable as f64 {
                continue;
            }
        } else {
            // Other people, places and topics may be shown in a fixed place, too.
            let firsts = found.iter().enumerate().filter_map(|(page, own)| {
                is_byline(&pages[page], &spots[page], own.first()?.0, &constant)
            });
            let likely: Vec<bool> = firsts.collect();
            has_labels = is_most(likely.iter().filter(|has_label| **has_label).count(), with);
            if !is_most(likely.len(), with) {
                continue;
            }
            let lower = lower.get_or_insert_with(|| lower_case_words(pages));
            let is_person = |name: &String| {
                let unspaced = is_unspaced(name) && (2..=6).contains(&name.chars().count());
                let topic = || name.split_whitespace().all(|word| is_lower(word, lower));
                unspaced || names::is_full_name(name) && !topic()
            };
            let persons = of_pages.iter().filter(|n| !n.is_empty() && n.iter().all(is_person));
            let named = |(names, page): &(&Vec<String>, &MetadataEvidence<'_>)| {
                names.iter().any(|name| is_named_in(name, page.body_text))
            };
            let named = of_pages.iter().zip(pages).filter(named).count();
            if different.len() < FEWEST
                || (persons.count() as f64) < 0.8 * with as f64
                || named * 3 > with
                || share_a_word(&of_pages)
                || !has_labels && consist_of_words(&of_pages, lower)
            {
                continue;
            }
        }
        let rank = (comparable >= 2, has_labels, Reverse(distance(pages, spots, group)));
        if best.as_ref().is_none_or(|(best, _)| rank > *best) {
            let wanted = found.iter().map(|own| own.iter().map(|spot| spot.0).collect()).collect();
            best = Some((rank, FoundPlace { wanted, affixes: affixes.clone() }));
        }
    }
    best.map(|(_, found)| found)
}

/// Whether a spot is in a byline: `Some(true)` if it is named as one or has a label of authors; `Some(false)` if only its place
/// suggests it: near a date or directly below the headline, neither in a figure nor after the body, without another label.
fn is_byline(
    page: &MetadataEvidence<'_>,
    spots: &[Spot<'_>],
    at: usize,
    constant: &FxHashSet<&str>,
) -> Option<bool> {
    let (document, spot) = (page.document, &spots[at]);
    let is_in = |id: NodeId, lists: &[&Vec<NodeId>]| {
        let mut around = document.ancestors(id).take(4);
        around.any(|id| lists.iter().any(|list| list.binary_search(&id).is_ok()))
    };
    let label = has_author_label(document, spot.element, spot.text);
    if label == Some(true) || is_in(spot.element, &[&page.scan.author_links, &page.scan.bylines]) {
        return Some(true);
    }
    let is_figure = |id: NodeId| document.is(id, &local_name!("figure"));
    let is_date = |spot: &Spot<'_>| {
        is_in(spot.element, &[&page.scan.times, &page.scan.dates])
            || has_number(spot.text) && find_date(spot.text, &DayMonthOrder::Unknown).is_some()
    };
    let before = at.checked_sub(1).map(|before| &spots[before]);
    let before = before.filter(|before| before.element >= page.anchor());
    // "Speaker", in the same element or in one beside it.
    let has_constant = before.zip(document.parent(spot.element)).is_some_and(|(before, around)| {
        constant.contains(before.text) && document.contains(around, before.element)
    });
    // All labels of English are known, but not those of other languages.
    let is_below = before.is_none() && spot.element > page.anchor();
    let is_english = page.detected.is_none_or(|found| found.language.as_str() == "en");
    let may_be_label = || is_below && !is_english && !names::from_byline(spot.text).is_empty();
    let near = &spots[at.saturating_sub(NEAR)..spots.len().min(at + NEAR + 1)];
    let fits = (label.is_none() || may_be_label())
        && !has_constant
        && page.body.is_none_or(|(_, end)| spot.element < end)
        && !document.ancestors(spot.element).any(is_figure)
        && (is_below || near.iter().any(is_date));
    fits.then_some(false)
}

/// Maximum number of texts between a byline and its date.
const NEAR: usize = 3;

/// Whether more than a quarter of the words in different names occur in lower case in texts.
fn consist_of_words(names: &[Vec<String>], lower: &FxHashSet<&str>) -> bool {
    let different: BTreeSet<&String> = names.iter().flatten().collect();
    let words = || different.iter().flat_map(|name| name.split_whitespace());
    words().filter(|word| is_lower(word, lower)).count() * 4 > words().count()
}

/// Whether an element is in a link to a category or tag.
fn is_filed(page: &MetadataEvidence<'_>, element: NodeId) -> bool {
    let document = page.document;
    let mut around = document.ancestors(element).take(4);
    let link = around.find(|id| document.is(*id, &local_name!("a")));
    link.is_some_and(|link| crate::authors::is_filing(page, link))
}

/// Whether half of the different names share a word, as names of people do not.
fn share_a_word(names: &[Vec<String>]) -> bool {
    let different: BTreeSet<&String> = names.iter().flatten().collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in &different {
        let words: BTreeSet<String> = name.split_whitespace().map(squash).collect();
        words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    different.len() >= FEWEST && counts.values().any(|count| count * 2 >= different.len())
}

fn lower_case_words<'a>(pages: &[MetadataEvidence<'a>]) -> FxHashSet<&'a str> {
    let words = pages.iter().flat_map(|page| clip(page.body_text, 4_000).split_whitespace());
    let words = words.map(|word| word.trim_matches(|c| !is_alphabetic(c)));
    words.filter(|word| word.starts_with(char::is_lowercase)).collect()
}

fn is_lower(word: &str, known: &FxHashSet<&str>) -> bool {
    known.contains(&*word.to_lowercase())
}

/// Minimum number of different texts to find their common beginning and end.
const DIFFERENT: usize = 3;

/// The common beginning and end of texts: whole words, or two characters or more in scripts without spaces. Both are empty if
/// there are fewer than three different texts, or if a text consists of nothing else.
fn affixes(texts: &[&str]) -> (String, String) {
    let different: BTreeSet<&str> = texts.iter().copied().collect();
    if different.len() < DIFFERENT {
        return Default::default();
    }
    let first = different.first().copied().unwrap_or_default();
    let common =
        |same: &dyn Fn(&str) -> usize| different.iter().map(|t| same(t)).min().unwrap_or(0);
    let before = common(&|text| {
        let same = first.char_indices().zip(text.chars()).take_while(|((_, a), b)| a == b);
        same.last().map_or(0, |((at, c), _)| at + c.len_utf8())
    });
    let mut before = &first[..before];
    let mut after_length = common(&|text| {
        let same = first.chars().rev().zip(text.chars().rev()).take_while(|(a, b)| a == b);
        same.map(|(c, _)| c.len_utf8()).sum()
    });
    let shortest = different.iter().map(|text| text.len()).min().unwrap_or(0);
    if before.len() + after_length >= shortest {
        after_length = 0;
    }
    let mut after = &first[first.len() - after_length..];
    // A name may begin like another: the common part ends with a word.
    if !is_unspaced(before) {
        let space = before.char_indices().rfind(|(_, c)| c.is_whitespace());
        before = &before[..space.map_or(0, |(at, c)| at + c.len_utf8())];
    } else if before.chars().count() < 2 {
        before = "";
    }
    if !is_unspaced(after) {
        let begin = after.find(|c: char| c.is_whitespace() || ",|/·–—(".contains(c));
        after = begin.map_or("", |at| &after[at..]);
    } else if after.chars().count() < 2 {
        after = "";
    }
    (before.to_owned(), after.to_owned())
}
