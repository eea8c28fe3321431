//! Finds pages that have lost their texts: they have fewer words of their own than pages of earlier nights. Lines that tonight's
//! pages share and no earlier page has are the notice in their place. Whether what is extracted is shorter, too, is for the
//! caller to check.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;

use dom::{normalize_space, text_of};
use model::{DropReason, LostTexts};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use terms::letters::runs_of_letters;
use terms::{count_words, has_words};

use super::phrases::kind_of;
use super::{ADDRESSES, LineHasher, story, texts_of_links};
use crate::health::at_least_of;
use crate::parsed::ParsedPage;

/// Minimum number of words of a notice on a page, and of a notice whose kind no phrase names.
const FEWEST_WORDS: u32 = 5;
const FEWEST_WORDS_UNNAMED: u32 = 8;
/// Ratio of a page's own words to those before up to which its text is lost; and with a notice whose kind is named.
const LOST: f64 = 0.6;
const LOST_IF_NAMED: f64 = 0.8;
/// Probability below which so many pages with few words are not chance, and that of few words on a page known before.
const RARE: f64 = 0.01;
const RATE_OF_KNOWN: f64 = 0.05;
/// Number of words of the sequences that decide whether a line is new.
const SEQUENCE: usize = 3;
/// Number of words of a notice that are quoted.
const QUOTED: usize = 16;

struct Line {
    hash: u64,
    text: String,
    words: u32,
    is_link: bool,
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
        let links = texts_of_links(document);
        let mut hashes = LineHasher::of(url);
        let text = text_of(document, &[0], &[]);
        let line = |line: &str| {
            let text = normalize_space(line);
            let (hash, words) = (hashes.hash(&text)?, count_words(&text));
            Some(Line { hash, words, is_link: links.contains(&text), text })
        };
        Self { url, story: story(url), lines: text.lines().filter_map(line).collect() }
    }

    fn sequences(&self) -> impl Iterator<Item = u64> + '_ {
        self.lines.iter().flat_map(|line| sequences_of(&line.text))
    }
}

/// Pages that have lost their texts.
#[derive(Clone, Debug)]
pub struct LostPages {
    /// What they have lost.
    pub texts: LostTexts,
    /// Where they are among tonight's pages, which were given in order.
    pub pages: BTreeSet<usize>,
    /// Hashes of the lines of the notice in place of the texts.
    pub notice: BTreeSet<u64>,
}

/// Returns which of tonight's pages of a template have lost their texts, if any have. They are compared with pages of
/// `earlier` nights that are not walls.
pub fn find_lost_texts(
    tonight: &[&ParsedPage<'_>],
    earlier: &[&ParsedPage<'_>],
) -> Option<LostPages> {
    let tonight: Vec<PageLines<'_>> = tonight.iter().map(|page| PageLines::of(page)).collect();
    let earlier: Vec<PageLines<'_>> = earlier.iter().map(|page| PageLines::of(page)).collect();
    let pages = || tonight.iter().chain(&earlier);
    let mut lines: Vec<(u64, &str)> =
        pages().flat_map(|page| page.lines.iter().map(|line| (line.hash, &*page.story))).collect();
    lines.sort_unstable();
    lines.dedup();
    // The number of stories with each line.
    let of_lines = lines.chunk_by(|one, other| one.0 == other.0);
    let stories: FxHashMap<u64, usize> = of_lines.map(|same| (same[0].0, same.len())).collect();
    let own_words = |page: &PageLines<'_>| {
        let is_own = |line: &&Line| !line.is_link && stories[&line.hash] < ADDRESSES;
        let own = page.lines.iter().filter(is_own);
        f64::from(own.map(|line| line.words).sum::<u32>()) + 1.0
    };
    let before = WordsBefore::of(earlier.iter().map(|page| (page.url, own_words(page))))?;
    let now: Vec<(&str, f64)> = tonight.iter().map(|page| (page.url, own_words(page))).collect();
    let found = |lost: Loss, kind, notice: &str| {
        let words: Vec<&str> = notice.split_whitespace().collect();
        let rest = if words.len() > QUOTED { " …" } else { "" };
        let notice = words[..words.len().min(QUOTED)].join(" ") + rest;
        let pages = lost.pages.len() as u64;
        let texts = LostTexts { notice, kind, pages, lost: lost.share, ..LostTexts::default() };
        LostPages { texts, pages: lost.pages, notice: BTreeSet::new() }
    };

    let known: FxHashSet<u64> = earlier.iter().flat_map(PageLines::sequences).collect();
    let half = tonight.iter().map(|page| &page.story).collect::<BTreeSet<_>>().len().div_ceil(2);
    let is_notice = |line: &&Line| {
        let on = stories[&line.hash];
        let is_new = || {
            let all = sequences_of(&line.text);
            2 * all.iter().filter(|own| known.contains(own)).count() < all.len()
        };
        let is_evident = || on >= half || kind_of("", &line.text).is_some();
        !line.is_link && on >= ADDRESSES && is_evident() && is_new()
    };
    let notice = |page: &PageLines<'_>| {
        let lines = page.lines.iter().filter(is_notice).map(|line| &*line.text);
        lines.collect::<Vec<_>>().join("\n")
    };
    let notices: Vec<String> = tonight.iter().map(notice).collect();
    let longest = notices.iter().max_by_key(|notice| notice.len())?;
    let number = |line: &Line| stories[&line.hash];
    let lines = || tonight.iter().flat_map(|page| page.lines.iter().filter(is_notice));
    let most = lines().map(number).max().unwrap_or_default();
    // A teaser with words of a wall is on fewer pages than a notice.
    let common: BTreeSet<&str> =
        lines().filter(|line| 2 * number(line) > most).map(|line| &*line.text).collect();
    let named: Vec<&str> = longest.lines().filter(|line| common.contains(line)).collect();
    let kind = kind_of("", &named.join("\n")).map(|(kind, _)| kind);
    let (fewest, most) =
        if kind.is_some() { (FEWEST_WORDS, LOST_IF_NAMED) } else { (FEWEST_WORDS_UNNAMED, LOST) };
    let with: BTreeSet<usize> =
        (0..now.len()).filter(|&at| has_words(&notices[at], fewest)).collect();
    if let Some(lost) = before.loss(&now, &with, most) {
        let kind = kind.unwrap_or(DropReason::DuplicateText);
        let lines = with.iter().flat_map(|&at| tonight[at].lines.iter().filter(is_notice));
        let notice = lines.map(|line| line.hash).collect();
        let lost = found(Loss { pages: with, ..lost }, Some(kind), longest);
        return Some(LostPages { notice, ..lost });
    }
    Some(found(before.loss(&now, &(0..now.len()).collect(), LOST)?, None, ""))
}

/// Hashes the sequences of words in a line; a line of fewer words is one sequence.
pub(crate) fn sequences_of(line: &str) -> Vec<u64> {
    let lower = line.to_lowercase();
    let words: Vec<u64> =
        runs_of_letters(&lower).map(|word| FxBuildHasher.hash_one(word.as_bytes())).collect();
    let sequences = words.windows(SEQUENCE.min(words.len()).max(1));
    sequences.map(|own| FxBuildHasher.hash_one(own)).collect()
}

/// The number of own words that each page of earlier nights had, by address.
struct WordsBefore<'a> {
    of: BTreeMap<&'a str, f64>,
    median: f64,
}

/// Pages that have lost their texts, and the share of their words that is lost.
struct Loss {
    pages: BTreeSet<usize>,
    share: f64,
}

impl<'a> WordsBefore<'a> {
    /// Returns `None` if there are too few pages to tell.
    fn of(pages: impl Iterator<Item = (&'a str, f64)>) -> Option<Self> {
        let of: BTreeMap<&str, f64> = pages.collect();
        let median = median(of.values().copied().collect())?;
        (of.len() >= ADDRESSES).then_some(Self { of, median })
    }

    /// Returns what some of tonight's pages have lost: at least half of them have at most a share `left` of the words
    /// that they had (or, if that is not known, that pages usually have), and chance does not explain it.
    fn loss(&self, now: &[(&str, f64)], some: &BTreeSet<usize>, left: f64) -> Option<Loss> {
        let few = self.of.values().filter(|own| **own <= left * self.median).count();
        let usual = (self.median, (few + 1) as f64 / (self.of.len() + 2) as f64);
        let before = |url: &str| self.of.get(url).map_or(usual, |own| (*own, RATE_OF_KNOWN));
        let (mut pages, mut ratios, mut rate) = (BTreeSet::new(), Vec::new(), 0.0);
        for &at in some {
            let (url, own) = now[at];
            let (then, rate_of_page) = before(url);
            if own <= left * then {
                pages.insert(at);
            }
            ratios.push(own / then);
            rate += rate_of_page / some.len() as f64;
        }
        let (lost, all) = (pages.len() as u64, some.len() as u64);
        let is_loss =
            lost >= ADDRESSES as u64 && 2 * lost >= all && at_least_of(lost, all, rate) < RARE;
        let share = 1.0 - median(ratios)?;
        is_loss.then_some(Loss { pages, share })
    }
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
