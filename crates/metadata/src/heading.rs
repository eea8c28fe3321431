//! The headline on the page, the parts of titles, and the names by which a site calls itself.

use std::ops::Range;

use dom::{Document, Head, NodeId, is_inline, local_name};
use terms::Script;
use terms::letters::is_alphanumeric;
use url::Url;

use crate::json_ld::JsonLdFacts;
use crate::scan::Scan;
use crate::text::{clip, fold, folded, plain, squash, squashed, squashes_to, word_count};

pub(crate) struct Heading {
    pub(crate) id: NodeId,
    pub(crate) text: String,
    /// Whether it is reliable enough to override the declarations in the head.
    pub(crate) is_sure: bool,
}

struct HeadingCandidate {
    id: NodeId,
    text: String,
    squashed: String,
}

impl HeadingCandidate {
    fn heading(&self, is_sure: bool) -> Heading {
        Heading { id: self.id, text: self.text.clone(), is_sure }
    }

    /// Whether a title contains it, and it is too long for a coincidence.
    fn is_in_titles(&self, titles: &[String]) -> bool {
        self.squashed.len() >= LONG
            && titles.iter().any(|t| t.contains(&self.squashed))
            && word_count(&self.text) >= 2
    }
}

/// Length in bytes above which a repeated text is not a coincidence.
const LONG: usize = 12;
/// Maximum bytes of a heading's text that are examined.
const LOOKED_AT: usize = 600;

/// The headline: a heading that the titles of the head confirm (`h1` before others, longer before
/// shorter), or a line of text that is a part of `<title>`; else the `h1` at the start of the body
/// or the nearest one before it. If that names what the page belongs to ("Page - Book"), the headline
/// is the heading below it that names the page.
pub(crate) fn heading(
    document: &Document,
    scan: &Scan,
    facts: &JsonLdFacts,
    site: &SiteNames,
    body: Option<(NodeId, NodeId)>,
) -> Option<Heading> {
    let places = headline_places(document, scan);
    let found = confirmed_heading(document, &places, facts, site, body)?;
    let title = plain(clip(document.head().title.as_deref().unwrap_or_default(), 2_000));
    let parts = segments(&title);
    let [page @ .., whole] = &*parts else { return Some(found) };
    let declared = facts.article.as_ref().and_then(|a| a.headline.as_deref());
    let declared = declared.into_iter().chain(document.head().meta("og:title"));
    let letters = squash(&found.text);
    let is_whole = squashes_to(whole, &letters) && !page.iter().any(|p| site.is_name(p));
    if page.is_empty()
        || !is_whole
        || declared.into_iter().any(|d| squashes_to(&plain(d), &letters))
    {
        return Some(found);
    }
    let names: Vec<String> = runs(&title[..title.len() - whole.len()])
        .into_iter()
        .filter(|run| title.starts_with(run))
        .map(squash)
        .filter(|name| name.len() >= 4)
        .collect();
    let all = || places.iter().flat_map(|p| heading_candidates(document, p.0).map(|c| (p.1, c)));
    let mut below = all().filter(|(_, c)| c.id > found.id && names.contains(&c.squashed));
    let similar = || {
        let in_texts = folded(&page.join(" "));
        let in_texts: Vec<&str> = in_texts.split(|c: char| !is_alphanumeric(c)).collect();
        all().find(|(rank, c)| {
            let words = folded(&c.text);
            let words = words.split(|c: char| !is_alphanumeric(c)).filter(|w| !w.is_empty());
            let (known, other): (Vec<&str>, Vec<&str>) = words.partition(|w| in_texts.contains(w));
            *rank == 1 && c.id != found.id && known.len() >= 2 && known.len() > other.len()
        })
    };
    let named = below.next().or_else(similar);
    Some(named.map_or(found, |(_, named)| named.heading(true)))
}

fn confirmed_heading(
    document: &Document,
    places: &[(NodeId, u8)],
    facts: &JsonLdFacts,
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
    let squashed_titles: Vec<String> = titles.iter().map(|t| squash(t)).collect();
    let distance = |id: NodeId| match body {
        Some((start, _)) if id <= start => start - id,
        Some((start, end)) if id < end => id - start,
        Some((_, end)) => 100_000 + (id - end),
        None => id,
    };
    let of_rank_1 =
        places.iter().filter(|p| p.1 == 1).flat_map(|p| heading_candidates(document, p.0));
    let mut first_rank: Vec<HeadingCandidate> =
        of_rank_1.filter(|c| !site.is_name_squashed(&c.text, &c.squashed)).collect();
    if !first_rank.is_empty() {
        let parts: Vec<&str> = titles.iter().flat_map(|t| runs(t)).collect();
        let is_part =
            |c: &HeadingCandidate| parts.iter().any(|part| squashes_to(part, &c.squashed));
        let confirmed = first_rank.iter().filter_map(|c| {
            let is_part = is_part(c);
            (is_part || c.is_in_titles(&squashed_titles)).then(|| ((!is_part, distance(c.id)), c))
        });
        if let Some((_, found)) = confirmed.min_by_key(|c| c.0) {
            return Some(found.heading(true));
        }
    }
    // Fast path: skips headings that no title contains, on most pages nearly all of them.
    let mut letters = String::new();
    let others = places.iter().filter(|p| p.1 > 1);
    let others = others.filter(|p| may_be_in_titles(document, p.0, &squashed_titles, &mut letters));
    let titled = others.flat_map(|p| heading_candidates(document, p.0).map(|c| (p.1, c))).filter(
        |(_, c)| c.is_in_titles(&squashed_titles) && !site.is_name_squashed(&c.text, &c.squashed),
    );
    let longest =
        titled.min_by_key(|(rank, c)| (usize::MAX - c.squashed.len(), *rank, distance(c.id)));
    if let Some((_, found)) = longest {
        return Some(found.heading(false));
    }
    // The site's name as a link to its front page.
    first_rank.retain(|c| !is_home_link(document, c.id));
    // Candidates of one heading are adjacent.
    let ends = first_rank.first().zip(first_rank.last());
    let only = ends.is_some_and(|(first, last)| first.id == last.id);
    if !only && let Some(line) = title_line(document, site, head.title.as_deref()?) {
        return Some(line);
    }
    first_rank.iter().min_by_key(|h| distance(h.id)).map(|h| h.heading(only))
}

/// Whether the whole text of a heading is a link to the front page of the site or folder.
fn is_home_link(document: &Document, id: NodeId) -> bool {
    let links = document.subtree(id).filter(|n| document.is(*n, &local_name!("a")));
    let home = links.filter(|link| {
        let href = document.attribute(*link, &local_name!("href"));
        href.is_some_and(|href| matches!(href.trim(), "/" | "./" | "../"))
    });
    let whole = squash(document.text_content(id));
    let mut texts = home.map(|link| squash(document.text_content(link)));
    texts.any(|text| text == whole)
}

/// Headings that may be the headline, with their ranks, in document order.
fn headline_places(document: &Document, scan: &Scan) -> Vec<(NodeId, u8)> {
    let size = |id: NodeId| document.node(id).end - id;
    let small = scan.headings.iter().copied().filter(|h| h.1 < 5 || size(h.0) < 30);
    small.take(80).filter(|h| size(h.0) <= 200).collect()
}

/// The whole heading and each of its lines: dates and subtitles are often set into headings.
fn heading_candidates(document: &Document, id: NodeId) -> impl Iterator<Item = HeadingCandidate> {
    // "Copy link", links to the heading itself ("¶"), and readings of characters
    let is_button = |n: &NodeId| {
        let address = || document.attribute(*n, &local_name!("href")).unwrap_or_default();
        document.is(*n, &local_name!("button"))
            || is_reading(document, *n)
            || document.is(*n, &local_name!("a"))
                && address().starts_with('#')
                && !document.text_content(*n).contains(char::is_alphanumeric)
    };
    let buttons: Vec<NodeId> = document.subtree(id).filter(is_button).collect();
    let mut text = dom::text_of(document, &[id], &buttons);
    if text.contains("&#") || text.contains("&amp;") {
        text = text.lines().map(plain).collect::<Vec<_>>().join("\n");
    }
    let whole = dom::normalize_space(clip(&text, LOOKED_AT));
    let lines = text.lines().filter(|l| l.len() < whole.len()).take(8).map(str::to_owned);
    let texts: Vec<String> = lines.collect();
    let candidates = [whole].into_iter().chain(texts).map(move |text| {
        let squashed = squash(&text);
        HeadingCandidate { id, text, squashed }
    });
    candidates.filter(|c| (2..=400).contains(&c.squashed.len()))
}

/// Whether an element is a reading above characters, or the brackets around it.
fn is_reading(document: &Document, id: NodeId) -> bool {
    document.is(id, &local_name!("rt")) || document.is(id, &local_name!("rp"))
}

/// Whether a title may confirm a candidate of this heading. If the heading is one line, its letters
/// decide. `letters` is a reused buffer.
fn may_be_in_titles(
    document: &Document,
    id: NodeId,
    titles: &[String],
    letters: &mut String,
) -> bool {
    let content = document.text_content(id);
    let mut inside = document.subtree(id).skip(1);
    let is_flowing = inside
        .all(|n| document.name(n).is_none_or(is_inline) && !is_reading(document, n))
        && !(content.contains('\n')
            && document.ancestors(id).any(|n| document.is(n, &local_name!("pre"))));
    if content.len() > LOOKED_AT || !is_flowing {
        return true;
    }
    letters.clear();
    letters.extend(squashed(content));
    letters.len() >= LONG && titles.iter().any(|title| title.contains(&**letters))
}

/// The text node that repeats the longest part of `<title>`: old pages have their headlines in bold text.
fn title_line(document: &Document, site: &SiteNames, title: &str) -> Option<Heading> {
    let parts: Vec<(String, Option<char>)> = [title]
        .into_iter()
        .chain(segments(title))
        .filter(|part| word_count(part) >= 3 && !site.is_name(part))
        .map(|part| (squash(part), first_letter(part)))
        .filter(|part| part.0.len() >= LONG)
        .collect();
    if parts.is_empty() {
        return None;
    }
    let mut best: Option<(usize, NodeId)> = None;
    for id in document.ids() {
        let Some(text) = document.text(id).filter(|t| (LONG..=400).contains(&t.len())) else {
            continue;
        };
        // Fast path: most texts differ in length or first letter.
        let first = first_letter(text);
        if !parts.iter().any(|p| p.1 == first) {
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
    text.chars().find(|c| is_alphanumeric(*c)).and_then(fold)
}

/// Separators between a headline and a site's name.
const SEPARATORS: [&str; 23] = [
    " | ", " || ", " - ", " -- ", " – ", " — ", " :: ", " : ", " » ", " « ", " › ", " ‹ ", " · ",
    " • ", " ~ ", " / ", " > ", " < ", " ― ", "｜", ": ", "|", "_",
];

/// Separators that need no spaces between characters of scripts without spaces, or of Hangul.
const GLUED_SEPARATORS: [&str; 6] = ["——", "--", "-", "–", "—", "："];

/// The separator without spaces that `rest` begins with, given the text before it.
fn glued_separator(before: &str, rest: &str) -> Option<&'static &'static str> {
    let is_one =
        |c: char| matches!(Script::of(c), Some(Script::Han | Script::Kana | Script::Hangul));
    let separator = GLUED_SEPARATORS.iter().find(|separator| rest.starts_with(**separator))?;
    (before.ends_with(is_one) || rest[separator.len()..].starts_with(is_one)).then_some(separator)
}

/// The parts of a title between separators. A separator without words on both sides does not count.
pub(crate) fn segments(title: &str) -> Vec<&str> {
    segment_ranges(title).into_iter().map(|segment| &title[segment]).collect()
}

/// All runs of adjacent segments, including the whole title.
pub(crate) fn runs(title: &str) -> Vec<&str> {
    let segments = segment_ranges(title);
    if segments.len() > MOST_SEGMENTS {
        return vec![title];
    }
    let from = |i: usize| segments[i..].iter().map(move |last| (i, last.end));
    let pairs = (0..segments.len()).flat_map(from);
    pairs.map(|(i, end)| &title[segments[i].start..end]).collect()
}

/// Titles with more segments are not divided.
pub(crate) const MOST_SEGMENTS: usize = 13;

/// Where the segments of a title are, in bytes.
pub(crate) fn segment_ranges(title: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let bytes = title.as_bytes();
    let (mut start, mut at) = (0, 0);
    while let Some(step) = bytes[at..].iter().position(|b| begins_separator(*b)) {
        at += step;
        let between_words =
            bytes[at] == b' ' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        let rest = &title[at..];
        let separator = SEPARATORS.iter().find(|s| !between_words && rest.starts_with(**s));
        let separator = separator.or_else(|| glued_separator(&title[..at], rest));
        let length = separator.map_or(1, |separator| separator.len());
        if separator.is_some() && at > 0 && at + length < title.len() {
            found.push(start..at);
            start = at + length;
        }
        at += length;
    }
    found.push(start..title.len());
    found
}

/// Whether a separator may begin with this byte (the first byte of a multi-byte character).
fn begins_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b':' | b'|' | b'_' | b'-' | 0xe2 | 0xef)
}

/// Metas that name the site.
pub(crate) static SITE_NAMES: [&str; 4] =
    ["og:site_name", "application-name", "apple-mobile-web-app-title", "dc.publisher"];

/// The names by which a site calls itself, and its domain, to distinguish them from headlines and
/// authors.
#[derive(Default)]
pub(crate) struct SiteNames {
    /// Squashed names ([`squash`]).
    names: Vec<String>,
    sections: Vec<String>,
    /// Labels of the host without `www` and the top-level domain, and the whole host, squashed.
    labels: Vec<String>,
}

impl SiteNames {
    /// `shared` are the parts that the titles of siblings share, squashed.
    pub(crate) fn new(
        head: &Head,
        facts: &JsonLdFacts,
        url: Option<&Url>,
        shared: &[String],
    ) -> Self {
        let article = facts.article.as_ref();
        let names = SITE_NAMES
            .iter()
            .filter_map(|key| head.meta(key))
            .chain(article.and_then(|a| a.publisher.as_deref()))
            .chain(facts.site.as_deref());
        let sections = head
            .meta("article:section")
            .into_iter()
            .chain(article.iter().flat_map(|a| a.sections.iter().map(String::as_str)));
        let host = url.and_then(Url::host_str).unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host);
        let mut labels: Vec<String> = host.split('.').map(squash).collect();
        labels.pop();
        labels.retain(|l| l.len() >= 3);
        labels.push(squash(host));
        let squashed = |text: &str| Some(squash(text)).filter(|s| s.chars().nth(1).is_some());
        Self {
            names: names.filter_map(squashed).chain(shared.iter().cloned()).collect(),
            sections: sections.filter_map(squashed).collect(),
            labels,
        }
    }

    /// Whether a text is a name that the site uses for itself, or its domain.
    pub(crate) fn is_own_name(&self, text: &str) -> bool {
        self.is_own_squashed(&squash(text))
    }

    fn is_own_squashed(&self, squashed: &str) -> bool {
        let bare = squashed.strip_prefix("the").unwrap_or(squashed);
        squashed.chars().nth(1).is_some()
            && (self.names.iter().any(|n| *n == squashed || n.strip_prefix("the") == Some(bare))
                || self.labels.iter().any(|label| label == bare || *label == squashed))
    }

    /// Whether a text is the site's name, judged by its domain: `guardian.co.uk` matches "The
    /// Guardian", "Guardian Unlimited" and "theguardian.com".
    pub(crate) fn is_name(&self, text: &str) -> bool {
        self.is_name_squashed(text, &squash(text))
    }

    /// Like [`Self::is_name`] for a text whose [`squash`]ed form is already known.
    pub(crate) fn is_name_squashed(&self, text: &str, squashed: &str) -> bool {
        if squashed.chars().nth(1).is_none() {
            return false;
        }
        let bare = squashed.strip_prefix("the").unwrap_or(squashed);
        self.is_own_squashed(squashed)
            || self.labels.iter().any(|label| {
                (label.len() >= 4
                    && label.len() * 5 >= bare.len() * 2
                    && bare.contains(&**label)
                    && word_count(text) <= 4)
                    || (bare.len() >= 4 && label.len() <= bare.len() * 2 && label.contains(bare))
                    || (label.len() >= 3 && initials(text).eq(label.chars()))
            })
    }

    pub(crate) fn is_section(&self, text: &str) -> bool {
        self.sections.iter().any(|section| squashes_to(text, section))
    }
}

/// "The New York Times" → "tnyt".
fn initials(text: &str) -> impl Iterator<Item = char> {
    text.split_whitespace()
        .filter_map(|w| w.chars().find(|c| is_alphanumeric(*c)))
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn every_separator_is_found() {
        for separator in SEPARATORS {
            assert!(begins_separator(separator.as_bytes()[0]), "{separator}");
            let title = format!("Über a b{separator}ｘ");
            assert_eq!(segments(&title), ["Über a b", "ｘ"], "{separator}");
        }
        assert_eq!(segments(" - a: b_"), [" - a", "b_"]);
    }
}
