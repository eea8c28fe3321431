//! Headlines, with the site's name removed.

use std::collections::BTreeSet;

use model::{Field, Source};
use terms::letters::is_alphanumeric;

use crate::date_text::find_date;
use crate::evidence::Evidence;
use crate::order::Order;
use crate::site_names::SiteNames;
use crate::text::{clip, folded, is_unspaced, plain, squash, squashes_to};
use crate::title_parts::separators;

/// Metas that hold a title, the most reliable first.
const METAS: [&str; 7] = [
    "twitter:title",
    "citation_title",
    "sailthru.title",
    "parsely-title",
    "dc.title",
    "dcterms.title",
    "headline",
];

/// Metas that often repeat the site's title.
const LAST_METAS: [&str; 2] = ["fb_title", "title"];

/// Length in bytes above which a heading may be a paragraph.
const PARAGRAPH: usize = 160;

/// Title of the article: the first candidate that the headline on the page confirms; else that
/// headline, if it is the page's only `h1`; else the first candidate. Always without the site's
/// name.
pub(crate) fn title(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let head = evidence.head();
    let article = evidence.facts.article.as_ref();
    let heading = evidence.heading.as_ref();
    let shown = heading.map(|h| squash(&h.text)).filter(|letters| !letters.is_empty());
    let declared = article
        .and_then(|a| a.headline.as_deref())
        .map(|v| (Source::JsonLd, v))
        .into_iter()
        .chain(evidence.metas("og:title").map(|v| (Source::OpenGraph, v)))
        .chain(evidence.metas_of(&METAS).map(|v| (Source::Meta, v)))
        .chain(evidence.feed_items.iter().map(|i| (Source::Feed, i.title.as_str())))
        .chain(head.title.as_deref().map(|v| (Source::Meta, v)))
        .chain(evidence.metas_of(&LAST_METAS).map(|v| (Source::Meta, v)));
    let mut others = Vec::new();
    for (source, value) in declared.take(20) {
        let value = clean(value, &evidence.site, shown.as_deref());
        let letters = squash(&value);
        if letters.chars().nth(1).is_some() {
            let field = Field { value, source };
            if heading.is_none() || shown.as_ref() == Some(&letters) {
                return Some(field);
            }
            others.push(field);
        }
    }
    let heading = heading?;
    let dated = others.iter().find(|f| is_dated(&heading.text, &f.value));
    if let Some(other) = dated.or_else(|| outvoted(&heading.text, &others)) {
        return Some(other.clone());
    }
    if heading.is_sure || others.is_empty() {
        return Some(Field { value: heading.text.clone(), source: Source::Page });
    }
    others.into_iter().next()
}

/// Whether a headline consists of this title and a date, which some templates set into one element.
fn is_dated(heading: &str, title: &str) -> bool {
    let rest = heading.strip_suffix(title).or_else(|| heading.strip_prefix(title));
    rest.is_some_and(|rest| {
        rest.len() <= 40 && find_date(rest, &Order::Unknown).is_some_and(|d| d.at <= 12)
    })
}

/// The title that two declarations agree on, if the headline shares no word with it or is as long as
/// a paragraph: then the headline is the name of a section or a row of buttons, or a standfirst.
fn outvoted<'f>(heading: &str, declared: &'f [Field<String>]) -> Option<&'f Field<String>> {
    let first = declared.first()?;
    let squashed = squash(&first.value);
    let witnesses = declared.iter().filter(|f| squash(&f.value) == squashed).count();
    let words = |text: &str| {
        text.split(|c: char| !is_alphanumeric(c)).map(folded).filter(|w| !w.is_empty()).collect()
    };
    let (shown, told): (BTreeSet<String>, BTreeSet<String>) = (words(heading), words(&first.value));
    let differ = !is_unspaced(heading) && shown.is_disjoint(&told);
    let is_paragraph = heading.len() > PARAGRAPH && first.value.len() * 2 < heading.len();
    (witnesses >= 2 && (differ || is_paragraph)).then_some(first)
}

/// A title without the site's name. `shown` is the headline on the page, squashed.
fn clean(title: &str, site: &SiteNames, shown: Option<&str>) -> String {
    without_site(&plain(clip(title, 2_000)), site, shown).trim().to_owned()
}

/// Cuts the site's name (and its sections) off either end, if there is evidence for it.
fn without_site<'a>(title: &'a str, site: &SiteNames, shown: Option<&str>) -> &'a str {
    let cuts = separators(title);
    if cuts.is_empty() || cuts.len() > 12 {
        return title;
    }
    let starts: Vec<usize> = [0].into_iter().chain(cuts.iter().map(|c| c.0 + c.1)).collect();
    let ends: Vec<usize> = cuts.iter().map(|c| c.0).chain([title.len()]).collect();
    let part = |i: usize, j: usize| &title[starts[i]..ends[j]];
    let last = ends.len() - 1;
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
    let is_colon = |cut: usize| title[cuts[cut].0..].starts_with(": ");
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
