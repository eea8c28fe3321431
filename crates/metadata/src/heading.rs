//! The headline on the page.

use std::collections::HashSet;

use dom::{Document, NodeId};

use crate::json_ld_article::Facts;
use crate::scan::Scan;
use crate::site::SiteNames;
use crate::text::{clip, fold, plain, squash, word_count};
use crate::title::{runs, segments};

/// The headline as the page shows it.
pub(crate) struct Heading {
    pub(crate) id: NodeId,
    pub(crate) text: String,
    /// Whether it may stand against what the head declares.
    pub(crate) is_sure: bool,
}

struct Candidate {
    id: NodeId,
    rank: u8,
    text: String,
    squashed: String,
}

/// The headline: a heading that the titles of the head confirm (`h1` before others, longer before
/// shorter), or a line of text that is a part of `<title>`; else the `h1` that begins the body or
/// stands nearest before it.
pub(crate) fn heading(
    document: &Document,
    scan: &Scan,
    facts: &Facts,
    site: &SiteNames,
    body: Option<(NodeId, NodeId)>,
) -> Option<Heading> {
    let head = document.head();
    let titles: Vec<String> = [
        facts.article.as_ref().and_then(|a| a.headline.as_deref()),
        head.meta("og:title"),
        head.title.as_deref(),
    ]
    .into_iter()
    .flatten()
    .map(|t| plain(clip(t, 2_000)))
    .collect();
    let parts: HashSet<String> = titles.iter().flat_map(|t| runs(t)).map(squash).collect();
    let titles: Vec<String> = titles.iter().map(|t| squash(t)).collect();
    let candidates = candidates(document, scan, site);
    let distance = |id: NodeId| match body {
        Some((start, _)) if id <= start => start - id,
        Some((start, end)) if id < end => id - start,
        Some((_, end)) => 100_000 + (id - end),
        None => id,
    };
    let is_confirmed = |h: &&Candidate| {
        let long = h.squashed.len() >= 12 && word_count(&h.text) >= 2;
        (parts.contains(&h.squashed) && (h.rank == 1 || long))
            || (long && titles.iter().any(|t| t.contains(&h.squashed)))
    };
    let longest = |h: &&Candidate| (usize::MAX - h.squashed.len(), h.rank, distance(h.id));
    let confirmed = candidates.iter().filter(is_confirmed);
    let first_rank = || candidates.iter().filter(|h| h.rank == 1);
    let nearest = |h: &&Candidate| (!parts.contains(&h.squashed), distance(h.id));
    let found = confirmed.clone().filter(|h| h.rank == 1).min_by_key(nearest);
    if let Some(found) = found.or_else(|| confirmed.min_by_key(longest)) {
        let is_sure = found.rank == 1;
        return Some(Heading { id: found.id, text: found.text.clone(), is_sure });
    }
    let only = first_rank().map(|h| h.id).collect::<HashSet<_>>().len() == 1;
    if !only && let Some(line) = title_line(document, site, head.title.as_deref()?) {
        return Some(line);
    }
    let nearest = first_rank().min_by_key(|h| distance(h.id));
    nearest.map(|h| Heading { id: h.id, text: h.text.clone(), is_sure: only })
}

/// Headings, whole and line by line: dates and subtitles are often set into them.
fn candidates(document: &Document, scan: &Scan, site: &SiteNames) -> Vec<Candidate> {
    let small = |id: NodeId, rank: u8| rank < 5 || document.node(id).end - id < 30;
    let mut found = Vec::new();
    for (id, rank) in scan.headings.iter().copied().filter(|h| small(h.0, h.1)).take(80) {
        if document.node(id).end - id > 200 {
            continue;
        }
        let text = dom::text_of(document, &[id], &[]);
        let whole = dom::normalize_space(clip(&text, 600));
        let lines = text.lines().filter(|l| l.len() < whole.len()).take(8).map(str::to_owned);
        for text in [whole.clone()].into_iter().chain(lines) {
            let squashed = squash(&text);
            if (2..=400).contains(&squashed.len()) && !site.is_name(&text) {
                found.push(Candidate { id, rank, text, squashed });
            }
        }
    }
    found
}

/// The text node that repeats the longest part of `<title>`: old pages set their headlines in bold.
fn title_line(document: &Document, site: &SiteNames, title: &str) -> Option<Heading> {
    let parts: Vec<(String, Option<char>)> = [title]
        .into_iter()
        .chain(segments(title))
        .filter(|part| word_count(part) >= 3 && !site.is_name(part))
        .map(|part| (squash(part), first_letter(part)))
        .filter(|part| part.0.len() >= 12)
        .collect();
    let mut best: Option<(usize, NodeId)> = None;
    for id in document.ids() {
        let Some(text) = document.text(id) else { continue };
        // Most text is ruled out by its length or first letter.
        if !(12..=400).contains(&text.len()) || !parts.iter().any(|p| p.1 == first_letter(text)) {
            continue;
        }
        let squashed = squash(text);
        let known = parts.iter().any(|p| p.0 == squashed);
        if known && best.is_none_or(|(length, _)| squashed.len() > length) {
            best = Some((squashed.len(), id));
        }
    }
    let (_, id) = best?;
    let text = dom::normalize_space(document.text(id)?);
    Some(Heading { id, text, is_sure: false })
}

fn first_letter(text: &str) -> Option<char> {
    text.chars().find(|c| c.is_alphanumeric()).and_then(fold)
}
