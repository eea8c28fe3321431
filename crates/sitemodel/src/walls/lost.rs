//! Pages that have lost their texts: they have fewer words of their own than those of earlier nights. What none of these said and
//! tonight's pages have in common is what they say instead. It does not matter what is taken for the article.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use dom::{local_name, normalize_space, text_of};
use model::{DropReason, LostTexts};
use terms::{count_words, has_words};

use super::phrases::kind_of;
use super::{ADDRESSES, LineHasher, story};
use crate::parsed::ParsedPage;

/// Words of a notice on a page; and of one whose kind no phrase names.
const FEWEST_WORDS: u32 = 5;
const FEWEST_WORDS_UNNAMED: u32 = 8;
/// Ratio of the page's own words to those before, up to which texts are lost; and of pages with a notice whose kind is named.
const LOST: f64 = 0.6;
const LOST_IF_NAMED: f64 = 0.8;
/// Standard errors that it must differ from 1 by.
const ERRORS: f64 = 2.5;
/// Variance of the mean from night to night, in logarithms.
const BETWEEN_NIGHTS: f64 = 0.01;
/// Words of a notice that are quoted.
const QUOTED: usize = 16;

/// A line of a page that is no link.
struct Line {
    hash: u64,
    text: String,
    words: u32,
}

struct PageLines<'a> {
    url: &'a str,
    story: String,
    lines: Vec<Line>,
}

impl<'a> PageLines<'a> {
    fn of(page: &'a ParsedPage<'_>) -> Self {
        let document = &page.document;
        let url = &*page.page.url;
        let links = document.ids().filter(|&id| document.is(id, &local_name!("a")));
        let links: HashSet<String> =
            links.map(|id| normalize_space(&text_of(document, &[id], &[]))).collect();
        let mut hashes = LineHasher::of(url);
        let text = text_of(document, &[0], &[]);
        let line = |line: &str| {
            let text = normalize_space(line);
            let hash = hashes.hash(&text).filter(|_| !links.contains(&text))?;
            Some(Line { hash, words: count_words(&text), text })
        };
        Self { url, story: story(url), lines: text.lines().filter_map(line).collect() }
    }
}

/// Which of tonight's pages have lost their texts, compared with pages of `earlier` nights that are not walls, if any have.
pub fn find_lost_texts(
    tonight: &[&ParsedPage<'_>],
    earlier: &[&ParsedPage<'_>],
) -> Option<(LostTexts, BTreeSet<usize>)> {
    let tonight: Vec<PageLines<'_>> = tonight.iter().map(|page| PageLines::of(page)).collect();
    let earlier: Vec<PageLines<'_>> = earlier.iter().map(|page| PageLines::of(page)).collect();
    let mut stories: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for page in tonight.iter().chain(&earlier) {
        for line in &page.lines {
            stories.entry(line.hash).or_default().insert(&page.story);
        }
    }
    let own_words = |page: &PageLines<'_>| {
        let own = page.lines.iter().filter(|line| stories[&line.hash].len() < ADDRESSES);
        libm::log(f64::from(own.map(|line| line.words).sum::<u32>()) + 1.0)
    };
    let before = earlier.iter().map(|page| (page.url, own_words(page))).collect();
    let now: Vec<(&str, f64)> = tonight.iter().map(|page| (page.url, own_words(page))).collect();
    let found = |pages: BTreeSet<usize>, lost: f64, kind, notice: &str| {
        let words: Vec<&str> = notice.split_whitespace().collect();
        let rest = if words.len() > QUOTED { " …" } else { "" };
        let notice = words[..words.len().min(QUOTED)].join(" ") + rest;
        let (number, of) = (pages.len() as u64, tonight.len() as u64);
        Some((LostTexts { notice, kind, pages: number, of, lost: 1.0 - libm::exp(lost) }, pages))
    };

    let known: HashSet<u64> =
        earlier.iter().flat_map(|page| &page.lines).map(|line| line.hash).collect();
    let half = tonight.iter().map(|page| &page.story).collect::<BTreeSet<_>>().len().div_ceil(2);
    let is_notice = |line: &&Line| {
        let on = stories[&line.hash].len();
        let is_new = on >= ADDRESSES && !known.contains(&line.hash);
        is_new && (on >= half || kind_of("", &line.text).is_some())
    };
    let notices: Vec<String> = tonight
        .iter()
        .map(|page| {
            let lines: Vec<&str> =
                page.lines.iter().filter(is_notice).map(|line| &*line.text).collect();
            lines.join("\n")
        })
        .collect();
    let longest = notices.iter().max_by_key(|notice| notice.len())?;
    let kind = kind_of("", longest).map(|(kind, _)| kind);
    let (fewest, most) =
        if kind.is_some() { (FEWEST_WORDS, LOST_IF_NAMED) } else { (FEWEST_WORDS_UNNAMED, LOST) };
    let with: BTreeSet<usize> =
        (0..now.len()).filter(|&at| has_words(&notices[at], fewest)).collect();
    let of = with.iter().map(|&at| &*tonight[at].story).collect::<BTreeSet<_>>().len();
    let change = Change::of(with.iter().map(|&at| now[at]), &before);
    if let Some(change) = change.filter(|change| of >= ADDRESSES && change.is_loss(most)) {
        let kind = kind.unwrap_or(DropReason::DuplicateText);
        return found(with, change.difference, Some(kind), longest);
    }
    let change = Change::of(now.iter().copied(), &before)?;
    let (usual, _) = moments(&before.values().copied().collect::<Vec<_>>());
    let without: BTreeSet<usize> = (0..now.len())
        .filter(|&at| {
            let (url, own) = now[at];
            own <= before.get(url).copied().unwrap_or(usual) + libm::log(LOST)
        })
        .collect();
    if !change.is_loss(LOST) || without.len() < ADDRESSES {
        return None;
    }
    found(without, change.difference, None, "")
}

/// How the own words of pages differ from those before: of the same pages, where three were there before; else on average.
struct Change {
    /// Of the logarithms.
    difference: f64,
    error: f64,
}

impl Change {
    fn of<'a>(
        now: impl Iterator<Item = (&'a str, f64)> + Clone,
        before: &BTreeMap<&str, f64>,
    ) -> Option<Self> {
        let again: Vec<f64> =
            now.clone().filter_map(|(url, own)| Some(own - before.get(url)?)).collect();
        let now: Vec<f64> = now.map(|(_, own)| own).collect();
        let before: Vec<f64> = before.values().copied().collect();
        let (difference, variance) = if again.len() >= ADDRESSES {
            moments(&again)
        } else if now.len() >= ADDRESSES && before.len() >= ADDRESSES {
            let ((now, of_now), (then, of_then)) = (moments(&now), moments(&before));
            (now - then, of_now + of_then)
        } else {
            return None;
        };
        Some(Self { difference, error: libm::sqrt(variance + BETWEEN_NIGHTS) })
    }

    /// Whether at most this share of the words is left.
    fn is_loss(&self, left: f64) -> bool {
        self.difference <= libm::log(left) && self.difference <= -ERRORS * self.error
    }
}

/// The mean of numbers, and the variance of that.
fn moments(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|own| (own - mean) * (own - mean)).sum();
    (mean, squares / (count - 1.0).max(1.0) / count)
}
