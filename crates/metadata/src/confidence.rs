//! The confidence of the values of fields: how many sources of the page have the same value, and how many another.

use std::sync::LazyLock;

use dom::xpath::position_path;
use model::{AuthorKind, Field, FieldSource, Metadata, Source};
use serde::Deserialize;

use crate::authors::{declared_authors, from_learnt_place, labelled_authors};
use crate::dates::{date_of_dateline, dates_of_sources};
use crate::evidence::MetadataEvidence;
use crate::fields::{declared_descriptions, declared_titles, without_site};
use crate::heading::segments;
use crate::learnt::FieldPlace;
use crate::page_date::PageDate;
use crate::text::{clip, has_number, squash};

/// Number of features of a value.
pub const FEATURES: usize = 20;
/// Maximum numbers of sources that are counted.
const AGREEING: usize = 5;
const DIFFERING: usize = 3;

/// The features of a value, as indices below [`FEATURES`]: a constant, its source, whether its place is known, one per source
/// that has it, one per source that has another value, and whether it names authors that are not persons. A title, given with the
/// address of its page, has two more: whether it has several parts (one may be an unconfirmed name of the site), and whether the
/// page is the front page of its host.
pub fn confidence_features(
    found: &FieldSource,
    kinds: &[AuthorKind],
    title: Option<(&str, &str)>,
) -> impl Iterator<Item = usize> + use<> {
    let source = 1 + Source::ALL.iter().position(|own| *own == found.source).unwrap_or(0);
    let place = found.xpath.as_ref().map(|_| 8);
    let others = kinds.iter().any(|kind| *kind != AuthorKind::Person).then_some(17);
    // Each further source adds its own weight, so that numbers higher than on any page of the gold count, too.
    let agree = 9..9 + (found.agree.unwrap_or(0) as usize).min(AGREEING);
    let differ = 14..14 + (found.differ.unwrap_or(0) as usize).min(DIFFERING);
    let has_parts = title.filter(|(text, _)| segments(clip(text, 2_000)).len() > 1).map(|_| 18);
    let is_front = title.filter(|(_, url)| is_front_page(url)).map(|_| 19);
    [Some(0), Some(source), place, others, has_parts, is_front]
        .into_iter()
        .flatten()
        .chain(agree)
        .chain(differ)
}

fn is_front_page(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split_once('/').is_none_or(|(_, path)| path.is_empty())
}

/// The weights of the features of each field, in logits.
#[derive(Deserialize)]
struct ConfidenceWeights {
    title: [f64; FEATURES],
    subtitle: [f64; FEATURES],
    authors: [f64; FEATURES],
    published: [f64; FEATURES],
}

/// Fitted to pages with gold by `sitegrove-lab calibrate`.
static WEIGHTS: LazyLock<ConfidenceWeights> = LazyLock::new(|| {
    serde_json::from_str(include_str!("confidence.json"))
        .expect("the weights are part of the program")
});

/// How many sources of a page agree with a value, and how many differ.
#[derive(Clone, Copy, Default)]
struct Votes {
    agree: u32,
    differ: u32,
}

impl Votes {
    fn add(&mut self, agrees: bool) {
        match agrees {
            true => self.agree += 1,
            false => self.differ += 1,
        }
    }
}

/// Adds confidence and place to title, standfirst, authors and date of publication.
pub(crate) fn add_confidence(evidence: &MetadataEvidence<'_>, found: &mut Metadata) {
    let learnt = evidence.learnt;
    let language = found.language.as_ref().map(|field| field.value.clone());
    let at = |place: &Option<FieldPlace>| place.as_ref().map(|place| place.xpath().join(" | "));
    if let Some(Field { value, source }) = &mut found.title {
        let shown = evidence.heading.as_ref().filter(|_| source.source == Source::Page);
        let place = shown.map(|heading| position_path(evidence.document, heading.id));
        let votes = title_votes(evidence, value);
        finish(source, votes, place, &[], Some((value, evidence.url)), &WEIGHTS.title);
    }
    if let Some(Field { value, source }) = &mut found.subtitle {
        let votes = subtitle_votes(evidence, value);
        finish(source, votes, at(&learnt.standfirst), &[], None, &WEIGHTS.subtitle);
    }
    if let Some(Field { value, source }) = &mut found.authors {
        let votes = author_votes(evidence, value);
        let is_there = || is_same_authors(&from_learnt_place(evidence), value);
        let place = at(&learnt.byline).filter(|_| source.source == Source::Page && is_there());
        finish(source, votes, place, &found.author_kinds, None, &WEIGHTS.authors);
    }
    if let Some(Field { value, source }) = &mut found.published {
        let own = PageDate::parse(value);
        let votes = |own: &PageDate| date_votes(evidence, language.as_deref(), own);
        let votes = own.as_ref().map(votes).unwrap_or_default();
        let of_place = || date_of_dateline(evidence, language.as_deref());
        let is_there = || of_place().zip(own).is_some_and(|(day, own)| day.is_near(&own));
        let place = at(&learnt.dateline).filter(|_| source.source == Source::Page && is_there());
        finish(source, votes, place, &[], None, &WEIGHTS.published);
    }
}

/// Values of site configs get no confidence: people wrote the expressions.
fn finish(
    found: &mut FieldSource,
    votes: Votes,
    place: Option<String>,
    kinds: &[AuthorKind],
    title: Option<(&str, &str)>,
    weights: &[f64; FEATURES],
) {
    if found.source != Source::SiteConfig {
        (found.agree, found.differ) = (Some(votes.agree), Some(votes.differ));
        found.xpath = place;
        found.confidence = Some(confidence_of(confidence_features(found, kinds, title), weights));
    }
}

/// The probability that a value with these features is right, by the weights of its field.
pub fn confidence_of(features: impl Iterator<Item = usize>, weights: &[f64; FEATURES]) -> f64 {
    let sum: f64 = features.map(|feature| weights[feature]).sum();
    1.0 / (1.0 + libm::exp(-sum))
}

/// Each kind of source has one vote. It agrees if the value is one of its titles without the names of the site.
fn title_votes(evidence: &MetadataEvidence<'_>, value: &str) -> Votes {
    let own = squash(value);
    let mut votes = Votes::default();
    let mut kinds: Vec<(Source, bool)> = Vec::new();
    for (source, title) in declared_titles(evidence) {
        let agrees = squash(without_site(&title, &evidence.site, None)) == own;
        match kinds.iter_mut().find(|kind| kind.0 == source) {
            Some(kind) => kind.1 |= agrees,
            None => kinds.push((source, agrees)),
        }
    }
    kinds.iter().for_each(|kind| votes.add(kind.1));
    if let Some(heading) = &evidence.heading {
        votes.add(squash(&heading.text) == own);
    }
    votes
}

fn subtitle_votes(evidence: &MetadataEvidence<'_>, value: &str) -> Votes {
    let own = squash(value);
    let mut votes = Votes { agree: 1, differ: 0 };
    for (_, description) in declared_descriptions(evidence).take(4) {
        let other = squash(&description);
        votes.add(other.starts_with(&own) || own.starts_with(&other));
    }
    votes
}

fn is_same_authors(names: &[String], others: &[String]) -> bool {
    !names.is_empty() && squash(&names.join(" ")) == squash(&others.join(" "))
}

/// Declarations and labelled lines have a vote. Without labelled lines, the lines vote for a value if they show all its names.
fn author_votes(evidence: &MetadataEvidence<'_>, value: &[String]) -> Votes {
    let mut votes = Votes::default();
    for names in declared_authors(evidence).filter(|names| !names.is_empty()) {
        votes.add(is_same_authors(names, value));
    }
    let seen = labelled_authors(evidence);
    if !seen.is_empty() {
        votes.add(is_same_authors(seen, value));
        return votes;
    }
    let lines = || evidence.lead_lines().iter().chain(evidence.tail_lines());
    if value.iter().all(|name| lines().any(|line| line.text.contains(&**name))) {
        votes.add(true);
    }
    votes
}

/// Each source has a vote. The lines around the headline have one if a line contains the numbers of year and day.
fn date_votes(evidence: &MetadataEvidence<'_>, language: Option<&str>, own: &PageDate) -> Votes {
    let mut votes = Votes::default();
    let others = dates_of_sources(evidence, language);
    others.iter().for_each(|other| votes.add(other.is_near(own)));
    let has = |text: &str, wanted: i16| {
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() <= 4);
        numbers.filter_map(|digits| digits.parse().ok()).any(|number: i16| number == wanted)
    };
    let lines = evidence.lead_lines().iter().chain(evidence.tail_lines());
    let mut lines = lines.filter(|line| has_number(&line.text));
    if lines.any(|line| has(&line.text, own.date.year()) && has(&line.text, own.date.day().into()))
    {
        votes.add(true);
    }
    votes
}
