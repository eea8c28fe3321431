//! Fields that take the first fitting value from a list of sources, in the order of the table in [`crate`].

use std::collections::{BTreeSet, HashSet};

use dom::{NodeId, local_name};
use feed::LIST_SIGNS;
use model::{Access, Field, Image, Source};
use terms::letters::is_alphanumeric;
use terms::{Detected, Language, count_words, has_words};

use crate::date_text::{DayMonthOrder, find_date};
use crate::evidence::MetadataEvidence;
use crate::heading::{
    Heading, MOST_SEGMENTS, SITE_NAMES, SiteNames, runs, segment_ranges, segments,
};
use crate::learnt::ConstantField;
use crate::text::{
    absolute, clip, folded, has_identifier_word, is_unset, is_unspaced, page_key, plain, squash,
    squashes_to, word_count,
};

/// Pairs each value with its source.
fn sourced<'v>(
    source: Source,
    values: impl IntoIterator<Item = &'v str>,
) -> impl Iterator<Item = (Source, &'v str)> {
    values.into_iter().filter(|value| !is_unset(value)).map(move |value| (source, value))
}

fn first_plain<'v>(
    values: impl Iterator<Item = (Source, &'v str)>,
    fits: impl Fn(&str) -> bool,
) -> Option<Field<String>> {
    values.map(|(source, value)| Field::new(plain(value), source)).find(|field| fits(&field.value))
}

/// Metas that hold a title, the most reliable first.
const TITLES: [&str; 7] = [
    "twitter:title", "citation_title", "sailthru.title", "parsely-title", "dc.title",
    "dcterms.title", "headline",
];

/// Length in bytes above which a heading may be a paragraph.
const PARAGRAPH: usize = 160;

/// Title of the article: the first candidate that the headline on the page confirms; else that
/// headline, if it is the page's only `h1`; else the first candidate. Always without the site's
/// name.
pub(crate) fn title(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    let heading = evidence.heading.as_ref();
    let shown = heading.map(|h| squash(&h.text)).filter(|letters| !letters.is_empty());
    let mut others = Vec::new();
    for (source, value) in declared_titles(evidence) {
        let value = without_site(&value, &evidence.site, shown.as_deref()).trim().to_owned();
        let letters = squash(&value);
        let is_of_all = evidence.learnt.is_constant(ConstantField::Title, &value);
        if letters.chars().nth(1).is_some() && !is_of_all {
            if let Some(heading) = heading.filter(|_| shown.as_ref() == Some(&letters)) {
                // "Pears ripen early..."
                let is_cut = value.ends_with(['.', '…']) && value.starts_with(&heading.text);
                let value = if is_cut { heading.text.clone() } else { value };
                return Some(Field::new(value, source));
            }
            let field = Field::new(value, source);
            if heading.is_none() {
                return Some(field);
            }
            others.push(field);
        }
    }
    let heading = heading?;
    let dated = others.iter().find(|f| is_dated(&heading.text, &f.value));
    let beside_kicker = || {
        others.iter().find_map(|f| {
            let mut parts = runs(&f.value).into_iter();
            let part = parts.find(|part| is_beside_kicker(evidence, heading, part))?;
            Some(Field::new(part.to_owned(), f.source.source))
        })
    };
    if let Some(part) = dated.cloned().or_else(beside_kicker) {
        return Some(part);
    }
    if let Some(other) = outvoting_title(&heading.text, &others) {
        return Some(other.clone());
    }
    if heading.is_sure || others.is_empty() {
        return Some(Field::new(heading.text.clone(), Source::Page));
    }
    others.into_iter().next()
}

/// The titles that the page declares, the most reliable first, at most 20.
pub(crate) fn declared_titles(
    evidence: &MetadataEvidence<'_>,
) -> impl Iterator<Item = (Source, String)> {
    let headline = evidence.article().and_then(|a| a.headline.as_deref());
    sourced(Source::JsonLd, headline)
        .chain(sourced(Source::OpenGraph, evidence.metas(&["og:title"])))
        .chain(sourced(Source::Meta, evidence.metas(&TITLES)))
        .chain(sourced(Source::Feed, evidence.feed_items.iter().map(|i| i.title.as_str())))
        .chain(sourced(Source::Meta, evidence.head().title.as_deref()))
        // These often repeat the site's title.
        .chain(sourced(Source::Meta, evidence.metas(&["fb_title", "title"])))
        .take(20)
        .map(|(source, value)| (source, plain(clip(value, 2_000))))
}

/// Whether a headline consists of this title and a date, with a few words before it ("Sport, updated May 3"), which some
/// templates set into one element.
fn is_dated(heading: &str, title: &str) -> bool {
    let rest = heading.strip_suffix(title).or_else(|| heading.strip_prefix(title));
    rest.is_some_and(|rest| {
        rest.len() <= 90 && find_date(rest, &DayMonthOrder::Unknown).is_some_and(|d| d.at <= 40)
    })
}

/// Whether a headline consists of this title and, before or after it, the text of a separate element, such as a kicker.
fn is_beside_kicker(evidence: &MetadataEvidence<'_>, heading: &Heading, title: &str) -> bool {
    let rest = heading.text.strip_suffix(title).or_else(|| heading.text.strip_prefix(title));
    let Some(rest) = rest.map(squash).filter(|rest| !rest.is_empty()) else { return false };
    if word_count(title) < 2 {
        return false;
    }
    let document = evidence.document;
    document
        .subtree(heading.id)
        .skip(1)
        .any(|id| document.element(id).is_some() && squashes_to(document.text_content(id), &rest))
}

/// The title that two declarations agree on, if the headline shares no word with it or is as long as
/// a paragraph: then the headline is the name of a section or a row of buttons, or a standfirst.
fn outvoting_title<'f>(heading: &str, declared: &'f [Field<String>]) -> Option<&'f Field<String>> {
    let first = declared.first()?;
    let squashed = squash(&first.value);
    let witnesses = declared.iter().filter(|f| squash(&f.value) == squashed).count();
    let words = |text: &str| {
        text.split(|c: char| !is_alphanumeric(c)).map(folded).filter(|w| !w.is_empty()).collect()
    };
    let (shown, declared): (BTreeSet<String>, BTreeSet<String>) =
        (words(heading), words(&first.value));
    let differ = !is_unspaced(heading) && shown.is_disjoint(&declared);
    let is_paragraph = heading.len() > PARAGRAPH && first.value.len() * 2 < heading.len();
    (witnesses >= 2 && (differ || is_paragraph)).then_some(first)
}

/// Cuts the site's name (and its sections) off either end of a title, if there is evidence for it. `shown` is the headline
/// on the page, squashed.
pub(crate) fn without_site<'a>(title: &'a str, site: &SiteNames, shown: Option<&str>) -> &'a str {
    let segments = segment_ranges(title);
    if !(2..=MOST_SEGMENTS).contains(&segments.len()) {
        return title;
    }
    let part = |i: usize, j: usize| &title[segments[i].start..segments[j].end];
    let last = segments.len() - 1;
    // The headline on the page decides which part is the title.
    if let Some(shown) = shown {
        let mut runs = (0..=last).flat_map(|i| (i..=last).map(move |j| (i, j)));
        if let Some((i, j)) = runs.find(|(i, j)| squashes_to(part(*i, *j), shown))
            && !(i == j && site.is_name(part(i, j)))
        {
            return part(i, j);
        }
    }
    let (mut first, mut end) = (0, last);
    let is_colon = |segment: usize| title[segments[segment].end..].starts_with(": ");
    let is_site = |text: &str| site.is_name(text) || site.is_section(text);
    while first < end && !is_colon(end - 1) && is_site(part(end, end)) {
        end -= 1;
    }
    while first < end && is_site(part(first, first)) {
        first += 1;
    }
    let rest = part(first, end);
    if is_site(rest) { title } else { rest }
}

/// Language: the first declaration that the text does not contradict, else the language of the siblings, else the detected one.
/// If the siblings are known to be in one language, a page has another only if its text clearly is in another. Tags as in
/// [BCP 47](https://www.rfc-editor.org/rfc/rfc5646).
pub(crate) fn language(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    /// Probability from which a text is taken to be in another language than its siblings.
    const SURE: f64 = 0.95;
    /// Probability below which the language of a text is unknown.
    const UNSURE: f64 = 0.05;
    let mut declared = declared_language(evidence);
    let text = evidence.detected.and_then(|found| language_tag(found.language.as_str()));
    let (Some(detected), Some(text)) = (evidence.detected, text) else {
        return declared.next();
    };
    let common = evidence.learnt.language.as_deref().filter(|common| {
        let is_contradicted =
            Language::from_tag(common).is_none_or(|own| detected.contradicts(own));
        same_language(common, &text) || !(is_contradicted && detected.score >= SURE)
    });
    let agrees = |tag: &str| match common {
        Some(common) => same_language(tag, common),
        None => {
            same_language(tag, &text)
                || Language::from_tag(tag).is_some_and(|own| !detected.contradicts(own))
        }
    };
    // A different language on the text itself is hardly set by mistake.
    let own = language_of_body(evidence).filter(|field| {
        let own = Language::from_tag(&field.value);
        own.is_some_and(|own| !detected.contradicts(own))
    });
    own.or_else(|| declared.find(|field| agrees(&field.value))).or_else(|| {
        let is_known = common.is_some() || detected.score >= UNSURE;
        let value = common.map_or(text, str::to_owned);
        is_known.then(|| Field::new(value, Source::Text))
    })
}

/// The language that is declared for the body alone, if it differs from the page's.
fn language_of_body(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    let document = evidence.document;
    let (start, end) = evidence.body?;
    // The element within the body that has nearly all of its text.
    let length = |id| document.text_content(id).len();
    let most_of = |id: &NodeId| {
        let most = length(*id) / 5 * 4;
        document.children(*id).find(|own| length(*own) > most)
    };
    let levels = if document.node(start).end >= end { 8 } else { 1 };
    let inner = std::iter::successors(Some(start), most_of).take(levels).last()?;
    let declared = |id| document.attribute(id, &local_name!("lang"));
    let tag = document.ancestors(inner).find_map(declared).and_then(language_tag)?;
    let page = evidence.head().lang.as_deref().and_then(language_tag);
    (page.is_none_or(|page| !same_language(&page, &tag))).then(|| Field::new(tag, Source::Page))
}

/// The languages that a page declares, as tags, the most reliable first.
pub(crate) fn declared_language(
    evidence: &MetadataEvidence<'_>,
) -> impl Iterator<Item = Field<String>> {
    const METAS: [&str; 5] =
        ["content-language", "dc.language", "dcterms.language", "language", "inlanguage"];
    let in_json = evidence.facts.nodes().find_map(|node| node.language.as_deref());
    let in_feed = evidence.feed_items.iter().filter_map(|item| item.language.as_deref());
    sourced(Source::Meta, evidence.head().lang.as_deref())
        .chain(sourced(Source::JsonLd, in_json))
        .chain(sourced(Source::Meta, evidence.metas(&METAS)))
        .chain(sourced(Source::OpenGraph, evidence.metas(&["og:locale"])))
        .chain(sourced(Source::Feed, in_feed))
        .filter_map(|(source, value)| Some(Field::new(language_tag(value)?, source)))
}

/// The probability that a page is in a language, given the language detected in its text.
pub fn language_probability(language: &str, detected: &Detected) -> f64 {
    match Language::from_tag(language) {
        Some(other) if !same_language(language, detected.language.as_str()) => {
            detected.probability(other)
        }
        _ => detected.score,
    }
}

/// A well-formed tag in its usual case; `None` for anything else ("English", "x-default").
fn language_tag(text: &str) -> Option<String> {
    let first = text.trim().split([',', ';', ' ']).next()?.replace('_', "-");
    let first = first.split(['.', '@']).next()?;
    let mut tag = String::new();
    for (index, part) in first.split('-').take(4).enumerate() {
        let alphabetic = part.bytes().all(|b| b.is_ascii_alphabetic());
        match (index, part.len()) {
            (0, 2 | 3) if alphabetic => match &*part.to_ascii_lowercase() {
                // Two forms of Norwegian, which the detectors do not distinguish.
                written @ ("nb" | "nn") => tag.push_str(written),
                other => tag.push_str(Language::from_tag(other)?.as_str()),
            },
            (0, _) => return None,
            (_, 2) if alphabetic => tag.extend(["-", &part.to_ascii_uppercase()]),
            (_, 4) if alphabetic => {
                let (head, rest) = part.split_at(1);
                tag.extend(["-", &head.to_ascii_uppercase(), &rest.to_ascii_lowercase()]);
            }
            (_, 3) if part.bytes().all(|b| b.is_ascii_digit()) => tag.extend(["-", part]),
            _ => break,
        }
    }
    Some(tag)
}

/// Whether two tags share their primary language; languages that detectors cannot distinguish count
/// as one.
fn same_language(a: &str, b: &str) -> bool {
    fn primary(tag: &str) -> &str {
        match tag.split('-').next().unwrap_or(tag) {
            "nb" | "nn" | "no" => "no",
            "hr" | "sr" | "bs" | "sh" | "cnr" => "sh",
            "id" | "ms" => "ms",
            "zh" | "yue" | "wuu" => "zh",
            "tl" | "fil" => "fil",
            other => other,
        }
    }
    primary(a) == primary(b)
}

/// The publisher's description, if it is short enough to be one.
pub(crate) fn description(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    first_own(evidence, ConstantField::Description, declared_descriptions(evidence))
}

/// The first value that the siblings do not all have.
fn first_own(
    evidence: &MetadataEvidence<'_>,
    field: ConstantField,
    mut values: impl Iterator<Item = (Source, String)>,
) -> Option<Field<String>> {
    let (source, value) = values.find(|own| !evidence.learnt.is_constant(field, &own.1))?;
    Some(Field::new(value, source))
}

/// The descriptions that a page declares, the most reliable first.
pub(crate) fn declared_descriptions(
    evidence: &MetadataEvidence<'_>,
) -> impl Iterator<Item = (Source, String)> {
    const METAS: [&str; 4] =
        ["description", "twitter:description", "dc.description", "sailthru.description"];
    let article = evidence.article().and_then(|node| node.description.as_deref());
    let page = evidence.facts.page.as_ref().and_then(|node| node.description.as_deref());
    let declared = sourced(Source::JsonLd, article)
        .chain(sourced(Source::OpenGraph, evidence.metas(&["og:description"])))
        .chain(sourced(Source::Meta, evidence.metas(&METAS)))
        .chain(sourced(Source::JsonLd, page))
        .chain(sourced(Source::Feed, evidence.feed_items.iter().map(|i| i.description.as_str())));
    // Some publishers put the whole article here.
    declared
        .filter(|(_, value)| value.len() <= 600 || value.len() < evidence.body_text.len() / 3)
        .map(|(source, value)| (source, plain(value)))
        .filter(|(_, value)| value.len() >= 3)
}

/// Lead image, absolute: the image declared for sharing, unless all siblings declare it; else the first image of the article;
/// else the first of the body.
pub(crate) fn image(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    first_own(evidence, ConstantField::Image, declared_images(evidence))
        .or_else(|| first_picture(evidence))
        .or_else(|| first_image_of_body(evidence))
}

/// The images that a page declares for sharing, absolute, the most reliable first.
pub(crate) fn declared_images(
    evidence: &MetadataEvidence<'_>,
) -> impl Iterator<Item = (Source, String)> {
    const METAS: [&str; 6] = [
        "twitter:image", "twitter:image:src", "sailthru.image.full", "image", "thumbnailurl",
        "thumbnail",
    ];
    const IMAGES: [&str; 3] = ["og:image", "og:image:url", "og:image:secure_url"];
    let page = evidence.facts.page.as_ref();
    sourced(Source::OpenGraph, evidence.metas(&IMAGES))
        .chain(sourced(Source::JsonLd, evidence.article().and_then(|a| a.image.as_deref())))
        .chain(sourced(Source::Meta, evidence.metas(&METAS)))
        .chain(sourced(Source::JsonLd, page.and_then(|a| a.image.as_deref())))
        .chain(sourced(Source::Meta, evidence.head().link("image_src")))
        .filter(|(_, address)| !is_filler(address))
        .filter_map(|(source, address)| Some((source, absolute(evidence.base.as_ref(), address)?)))
}

/// Width or height, in pixels, below which a picture is an icon or a portrait beside the text.
const SMALL: u32 = 100;

/// The first picture of the article that is not known to be small.
fn first_picture(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    let is_lead = |picture: &&Image| {
        let mut sides = picture.width.into_iter().chain(picture.height);
        let path = picture.url.split(['?', '#']).next().unwrap_or_default();
        // Drawings without a size are icons, buttons and rules.
        let is_drawing =
            path.ends_with(".svg") || path.ends_with(".gif") && picture.width.is_none();
        sides.all(|side| side >= SMALL) && !is_drawing && !is_filler(&picture.url)
    };
    let first = evidence.pictures.iter().find(is_lead)?;
    Some(Field::new(first.url.clone(), Source::Page))
}

/// First image of the body that is not known to be small. Lazily loaded images have their address
/// in an attribute other than `src`.
fn first_image_of_body(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    let document = evidence.document;
    let (start, end) = evidence.body?;
    let is_in_body = |id| {
        let mut roots = evidence.body_nodes.iter();
        roots.any(|root| (*root as usize) < document.len() && document.contains(*root, id))
    };
    (start..end)
        .filter(|id| document.is(*id, &local_name!("img")))
        .take(20)
        .filter(|id| evidence.scan.zone_end(*id).is_none() || is_in_body(*id))
        .find_map(|id| {
            let mut addresses = [None; 6];
            for (name, value) in document.element(id)?.attributes() {
                let value = value.trim();
                match &**name {
                    "width" | "height" if value.parse::<u32>().is_ok_and(|n| n < 100) => {
                        return None;
                    }
                    "data-src" => addresses[0] = Some(value),
                    "data-original" => addresses[1] = Some(value),
                    "data-lazy-src" => addresses[2] = Some(value),
                    "src" => addresses[3] = Some(value),
                    "data-srcset" | "srcset" => {
                        addresses[4] = value.split_ascii_whitespace().next();
                    }
                    "data-lazy" => addresses[5] = Some(value),
                    _ => {}
                }
            }
            let mut shown = addresses.into_iter().flatten().filter(|a| !is_filler(a));
            let value = shown.find_map(|a| absolute(evidence.base.as_ref(), a))?;
            Some(Field::new(value, Source::Page))
        })
}

/// Whether an address is that of a placeholder or tracking image.
fn is_filler(address: &str) -> bool {
    let is_filler =
        |word: &str| matches!(word, "placeholder" | "spacer" | "pixel" | "blank" | "transparent");
    address.is_empty() || address.starts_with("data:") || has_identifier_word(address, is_filler)
}

/// The tags of the first source that has any.
pub(crate) fn tags(evidence: &MetadataEvidence<'_>) -> Option<Field<Vec<String>>> {
    type Tags = Vec<String>;
    let split = |keys, separators: &[char]| -> Tags {
        // `["pears", "plums"]`
        let read = |content: &str| -> Tags {
            let listed = serde_json::from_str(content);
            listed.unwrap_or_else(|_| content.split(separators).map(str::to_owned).collect())
        };
        evidence.metas(keys).flat_map(read).collect()
    };
    let listed = |keys| split(keys, &LIST_SIGNS);
    let single = |keys| split(keys, &LIST_SIGNS[3..]);
    let keywords = || evidence.article().map(|a| a.keywords.clone()).unwrap_or_default();
    let links = || {
        let links = evidence.scan.tags.iter().filter(|id| evidence.distance(**id).is_some());
        links.map(|id| evidence.document.text_content(*id).to_owned()).collect()
    };
    let sources: [(Source, &dyn Fn() -> Tags); 7] = [
        (Source::JsonLd, &keywords),
        (Source::OpenGraph, &|| single(&["article:tag"])),
        (Source::Meta, &|| listed(&["news_keywords", "parsely-tags", "sailthru.tags"])),
        (Source::Page, &links),
        (Source::Feed, &|| evidence.feed_items.iter().flat_map(|i| i.tags.clone()).collect()),
        (Source::Meta, &|| listed(&["keywords", "content.tags", "dc.subject", "dcterms.subject"])),
        (Source::OpenGraph, &|| single(&["og:tag"])),
    ];
    sources.into_iter().find_map(|(source, read)| {
        let value = distinct_tags(read());
        (!value.is_empty()).then_some(Field::new(value, source))
    })
}

/// At most 30 tags, each once by case-insensitive comparison.
fn distinct_tags(tags: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for tag in tags.into_iter().take(200) {
        let tag = plain(tag.trim().trim_start_matches('#'));
        let fits = (2..=80).contains(&tag.len()) && !tag.contains("://") && !is_unset(&tag);
        if fits && kept.len() < 30 && seen.insert(folded(&tag)) {
            kept.push(tag);
        }
    }
    kept
}

/// Canonical address: `link rel=canonical` ([RFC 6596](https://www.rfc-editor.org/rfc/rfc6596)),
/// `og:url`, then JSON-LD. An address that is the site's root, on a page below it, is an error of the
/// template and ignored.
pub(crate) fn canonical(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    let own_path = page_key(evidence.url).1;
    let is_canonical = |rel: &str| rel.split_ascii_whitespace().any(|own| own == "canonical");
    let links = evidence.head().links.iter().filter(|l| is_canonical(&l.rel)).map(|l| &*l.href);
    sourced(Source::Meta, links)
        .chain(sourced(Source::OpenGraph, evidence.metas(&["og:url"])))
        .chain(sourced(Source::JsonLd, evidence.article().and_then(|a| a.url.as_deref())))
        .find_map(|(source, href)| {
            let value = absolute(evidence.base.as_ref(), href)?;
            let is_page = own_path.is_empty() || !page_key(&value).1.is_empty();
            is_page.then_some(Field::new(value, source))
        })
}

/// Name of the publication: `og:site_name`, JSON-LD publisher or web site, application name, or the
/// part of `<title>` that the domain confirms.
pub(crate) fn site_name(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    let publisher = evidence.article().and_then(|a| a.publisher.as_deref());
    let declared = sourced(Source::OpenGraph, evidence.metas(&SITE_NAMES[..1]))
        .chain(sourced(Source::JsonLd, publisher.or(evidence.facts.site.as_deref())))
        .chain(sourced(Source::Meta, evidence.metas(&SITE_NAMES[1..])));
    let fits = |name: &str| !name.is_empty() && name.len() <= 120 && !name.contains("://");
    first_plain(declared, fits).or_else(|| {
        let title = evidence.head().title.as_deref()?;
        let part = segments(title).into_iter().rev().find(|s| evidence.site.is_name(s))?;
        (part.len() < title.len()).then(|| Field::new(part.trim().to_owned(), Source::Meta))
    })
}

/// Longest name of a section, in bytes.
const LONGEST_SECTION: usize = 80;
/// Maximum number of words of a name in a breadcrumb.
const MOST_WORDS: usize = 6;

/// Section: JSON-LD `articleSection`, `article:section` and other metas, the last entry of a JSON-LD breadcrumb or of one
/// on the page that is neither the home page nor the article.
pub(crate) fn section(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    const METAS: [&str; 5] =
        ["parsely-section", "sailthru.section", "section", "articlesection", "dc.subject.section"];
    let facts = &evidence.facts;
    let of_article = evidence.article().into_iter().flat_map(|article| &article.sections);
    let declared = sourced(Source::JsonLd, of_article.map(String::as_str))
        .chain(sourced(Source::OpenGraph, evidence.metas(&["article:section"])))
        .chain(sourced(Source::Meta, evidence.metas(&METAS)));
    let in_json = || {
        let entries = facts.breadcrumb.iter().map(|(name, url)| (plain(name), url.as_deref()));
        section_of_breadcrumb(evidence, entries, Source::JsonLd)
    };
    let on_page = || {
        let document = evidence.document;
        let trail = *evidence.scan.breadcrumbs.first()?;
        let link = |id: NodeId| {
            let href = document.attribute(id, &local_name!("href"))?;
            let text = || plain(document.text_content(id));
            document.is(id, &local_name!("a")).then(|| (text(), Some(href)))
        };
        let entries = document.subtree(trail).filter_map(link);
        section_of_breadcrumb(evidence, entries, Source::Page)
    };
    first_plain(declared, is_section_name).or_else(in_json).or_else(on_page)
}

fn is_section_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_SECTION && !name.contains("://")
}

/// The last entry of a breadcrumb that is neither the home page nor the article.
fn section_of_breadcrumb<'a>(
    evidence: &MetadataEvidence<'_>,
    entries: impl Iterator<Item = (String, Option<&'a str>)>,
    source: Source,
) -> Option<Field<String>> {
    let heading = evidence.heading.as_ref().map(|heading| folded(&heading.text));
    let title = evidence.head().title.as_deref().map(folded).unwrap_or_default();
    let is_article = |name: &str| {
        let name = folded(name);
        heading.as_ref() == Some(&name)
            || title.starts_with(&name) && name.len() > LONGEST_SECTION / 4
    };
    let is_root = |url: &str| {
        let url = evidence.base.as_ref().and_then(|base| base.join(url).ok());
        url.is_some_and(|url| matches!(url.path(), "" | "/" | "/index.html" | "/index.php"))
    };
    let is_here = |url: &str| {
        let url = evidence.own.as_ref().and_then(|own| own.join(url).ok());
        url.is_some() && url == evidence.own
    };
    let entries: Vec<(String, Option<&str>)> = entries.take(20).collect();
    let fits = |(name, url): &&(String, Option<&str>)| {
        is_section_name(name)
            && name.split_whitespace().count() <= MOST_WORDS
            && !is_article(name)
            && !evidence.site.is_name(name)
            && !url.is_some_and(|url| is_root(url) || is_here(url))
    };
    let last = entries.iter().rev().find(fits)?;
    // A single entry without a link is the article under another name.
    (entries.len() > 1 || last.1.is_some()).then(|| Field::new(last.0.clone(), source))
}

/// Licence: JSON-LD `license`, `<link rel=license>`, a link with `rel=license` outside of the body, Dublin Core metas, such a
/// link within the body. Addresses are absolute.
pub(crate) fn license(evidence: &MetadataEvidence<'_>) -> Option<Field<String>> {
    // The most specific first.
    const METAS: [&str; 6] = [
        "dcterms.license", "dc.rights.license", "dc.license", "dc.rights", "dcterms.rights",
        "license",
    ];
    let address = |text: &str| absolute(evidence.base.as_ref(), text);
    let json = evidence.facts.nodes().find_map(|node| {
        let stated = node.license.as_deref()?;
        // A name ("CC BY 4.0") is not an address.
        let is_address = stated.contains("://") || stated.starts_with('/');
        let value = if is_address { address(stated)? } else { plain(stated) };
        Some(Field::new(value, Source::JsonLd))
    });
    let of_head = || {
        let value = address(evidence.head().link("license")?)?;
        Some(Field::new(value, Source::Meta))
    };
    let metas = || {
        let stated = sourced(Source::Meta, evidence.metas(&METAS));
        first_plain(stated, |value| !value.is_empty() && value.len() <= 300)
    };
    let on_page = |inside: bool| {
        let body = evidence.body.unwrap_or_default();
        let mut links = evidence.scan.licenses.iter();
        let link = links.find(|id| (body.0..body.1).contains(*id) == inside)?;
        let href = evidence.document.attribute(*link, &local_name!("href"))?;
        Some(Field::new(address(href)?, Source::Page))
    };
    json.or_else(of_head).or_else(|| on_page(false)).or_else(metas).or_else(|| on_page(true))
}

/// Minimum share of the declared number of words in a complete text, in percent: publishers may count headlines and captions.
const COMPLETE: u32 = 80;
/// Minimum number of words of the part for subscribers, if the page contains it.
const LEAST_PAID: u32 = 40;
/// Texts with fewer words count as excerpts if there is no other evidence.
const BEGINNING: u32 = 150;

/// Access: JSON-LD `isAccessibleForFree` or `article:content_tier`. Whether the page contains all of a text that is not free is
/// decided by JSON-LD `wordCount`, the elements that `hasPart` names, or its length. Without a declaration, a short text followed
/// by an element called a paywall is not free.
///
/// Publishers declare access for search engines: <https://developers.google.com/search/docs/appearance/structured-data/paywalled-content>.
/// The declaration says that an article is not free, not whether the page contains all of it.
pub(crate) fn access(evidence: &MetadataEvidence<'_>) -> Option<Field<Access>> {
    let json = evidence.facts.nodes().find_map(|node| node.is_free);
    let meta = || {
        evidence.metas(&["article:content_tier"]).find_map(|tier| match tier.trim() {
            "free" => Some(true),
            "locked" | "metered" => Some(false),
            _ => None,
        })
    };
    let declared = json.map(|free| (Source::JsonLd, free));
    match declared.or_else(|| meta().map(|free| (Source::OpenGraph, free))) {
        Some((source, true)) => Some(Field::new(Access::Full, source)),
        Some((source, false)) if is_complete(evidence) => Some(Field::new(Access::Paid, source)),
        Some((source, false)) => Some(Field::new(Access::Partial, source)),
        None => (!has_words(evidence.body_text, BEGINNING) && is_followed_by_a_paywall(evidence))
            .then_some(Field::new(Access::Partial, Source::Page)),
    }
}

/// Whether the page contains all of an article that is not free.
fn is_complete(evidence: &MetadataEvidence<'_>) -> bool {
    let facts = &evidence.facts;
    if let Some(declared) = facts.nodes().find_map(|node| node.word_count)
        && declared >= LEAST_PAID
    {
        let words = count_words(evidence.body_text);
        return u64::from(words) * 100 >= u64::from(declared) * u64::from(COMPLETE);
    }
    let classes: Vec<&str> = facts
        .nodes()
        .flat_map(|node| &node.paid_parts)
        .filter_map(|selector| selector.trim().rsplit(['.', ' ', '>']).next())
        .filter(|name| !name.is_empty())
        .collect();
    if classes.is_empty() || is_followed_by_a_paywall(evidence) {
        return has_words(evidence.body_text, BEGINNING) && !is_followed_by_a_paywall(evidence);
    }
    let document = evidence.document;
    let is_paid = |id: &NodeId| {
        let class = document.attribute(*id, &local_name!("class")).unwrap_or_default();
        class.split_ascii_whitespace().any(|class| classes.contains(&class))
    };
    let paid = document.outermost(document.ids().filter(is_paid).collect());
    let words: u32 = paid.iter().map(|id| count_words(document.text_content(*id))).sum();
    words >= LEAST_PAID
}

/// Whether there is an element with text and a class or id for paywalls at the end of the body or after it.
fn is_followed_by_a_paywall(evidence: &MetadataEvidence<'_>) -> bool {
    let Some((start, end)) = evidence.body else { return false };
    let document = evidence.document;
    let is_wall = |id: NodeId| {
        let mut names = [local_name!("class"), local_name!("id")].into_iter();
        let named = names.any(|name| {
            has_identifier_word(document.attribute(id, &name).unwrap_or_default(), |word| {
                matches!(word, "paywall" | "regwall" | "paygate" | "subscribewall")
            })
        });
        // The element around a text for subscribers may have such a name, too.
        named && document.node(id).end > id + 1 && !document.contains(id, start)
    };
    let from = start + (end - start) / 2;
    (from..(end + 200).min(document.len() as NodeId))
        .any(|id| is_wall(id) && (5..=BEGINNING).contains(&count_words(document.text_content(id))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_languages_are_normalised() {
        for (tag, expected) in [
            ("en_us", Some("en-US")),
            ("zh-hans-cn", Some("zh-Hans-CN")),
            ("de_DE.UTF-8", Some("de-DE")),
            ("English", None),
            ("x-default", None),
        ] {
            assert_eq!(language_tag(tag).as_deref(), expected, "{tag}");
        }
    }

    #[test]
    fn tags_differ_by_more_than_case() {
        let tags = ["#Rust", "rust", "", "Graz &amp; Linz"].map(str::to_owned).to_vec();
        assert_eq!(distinct_tags(tags), ["Rust", "Graz & Linz"]);
    }
}
