//! Recognises walls: what a site serves instead of an article, such as a consent form, a bot check or an error page.
//!
//! A wall consists of lines that pages at other addresses have, too. Phrases in some languages name its kind. Phrases
//! decide alone only if a page shares too little with its siblings, or has none.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use dom::{Document, LocalName, NodeId, local_name, local_names, normalize_space, text_of};
use memchr::memmem::Finder;
use model::{Access, Article, DropReason, Source};
use phrases::{ALONE, kind_of};
use terms::count_words;
use terms::letters::{is_alphanumeric, runs_of_letters, split_at_spaces};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::body::ArticleBody;
use crate::model::Template;
use crate::parsed::ParsedPage;
use crate::stages::extract::{paragraphs_of, remove_paragraphs};

pub(crate) mod lost;
mod phrases;

pub(crate) use lost::sequences_of;

/// Number of addresses with the same line from which the line belongs to none of their articles.
pub(crate) const ADDRESSES: usize = 3;
/// Maximum number of words of a wall: longer texts at several addresses are copies of one article.
const MOST_WORDS: u32 = 250;
/// Maximum number of words of a wall that no other page has.
const OWN_WORDS: u32 = 8;
/// Number of words of a wall that no phrase names. At least half of the pages must be such walls: rarer ones cannot be
/// distinguished from articles that were crawled several times.
const WORDS_UNNAMED: std::ops::RangeInclusive<u32> = 20..=120;
/// Maximum number of words of a wall that phrases alone name.
const MOST_WORDS_ALONE: u32 = 120;
/// Maximum number of words of a link that belongs to a request to subscribe.
const WORDS_OF_LINK: u32 = 4;
/// Maximum number of repeated lines that are kept for a template.
pub(crate) const MOST_LINES: usize = 1_000;

/// Returns hashes of the lines that pages of a sample at several addresses have in common, ascending, and whether at
/// least half of the pages have the line.
pub(crate) fn repeated_lines<'a>(
    pages: impl Iterator<Item = (&'a ParsedPage<'a>, &'a ArticleBody)>,
) -> Vec<(u64, bool)> {
    let pages: Vec<_> = pages.filter(|(_, body)| body.elsewhere.is_none()).collect();
    if pages.len() < ADDRESSES {
        return Vec::new();
    }
    let mut stories: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines: Vec<(u64, usize)> = Vec::new();
    for (page, body) in &pages {
        let url = &page.page.url;
        let text = text_of(&page.document, &body.nodes, &body.prune);
        let next = stories.len();
        let story = *stories.entry(story(url)).or_insert(next);
        let mut hashes = LineHasher::of(url);
        lines.extend(text.lines().filter_map(|line| Some((hashes.hash(line)?, story))));
    }
    lines.sort_unstable();
    lines.dedup();
    let of_lines = lines.chunk_by(|one, other| one.0 == other.0);
    let repeated = of_lines.filter(|stories| stories.len() >= ADDRESSES);
    repeated
        .map(|stories| (stories[0].0, 2 * stories.len() >= pages.len()))
        .take(MOST_LINES)
        .collect()
}

/// Returns the place of a line among the repeated ones, or where it would be.
fn place_of(line: u64, repeated: &[(u64, bool)]) -> Result<usize, usize> {
    repeated.binary_search_by_key(&line, |(line, _)| *line)
}

/// Adds lines to those of [`repeated_lines`], up to the limit. Returns whether anything changed.
pub(crate) fn add_repeated(
    repeated: &mut Vec<(u64, bool)>,
    more: impl Iterator<Item = (u64, bool)>,
) -> bool {
    let mut is_changed = false;
    for (line, of_most) in more {
        match place_of(line, repeated) {
            Ok(at) => {
                is_changed |= of_most && !repeated[at].1;
                repeated[at].1 |= of_most;
            }
            Err(at) if repeated.len() < MOST_LINES => {
                repeated.insert(at, (line, of_most));
                is_changed = true;
            }
            Err(_) => {}
        }
    }
    is_changed
}

/// Hashes the lines of an article's text, except its title; `None` if the text is longer than a wall.
pub(crate) fn lines_of(article: &Article) -> Option<BTreeSet<u64>> {
    if article.word_count > MOST_WORDS {
        return None;
    }
    let mut hashes = LineHasher::of(&article.url);
    let of_title = article.title.as_ref().and_then(|title| hashes.hash(title));
    let lines = article.text.lines().filter_map(|line| hashes.hash(line));
    Some(lines.filter(|&line| Some(line) != of_title).collect())
}

/// Returns why an article is not one, if so: the site serves its text at other addresses too, or serves it instead of an
/// article.
pub(crate) fn reason(
    article: &Article,
    page: &ParsedPage<'_>,
    Template { repeated, notices, .. }: &Template,
) -> Option<DropReason> {
    let text = &*article.text;
    if article.word_count > MOST_WORDS {
        return None;
    }
    let title = article.title.as_deref().unwrap_or_default();
    let counts = WordCounts::of(text, title, &article.url, repeated);
    if counts.are_shared() {
        let kind = kind_of(title, text).map(|(kind, _)| kind);
        let mut hashes = LineHasher::of(&article.url);
        let mut is_notice =
            |line: &str| hashes.hash(line).is_some_and(|line| notices.contains(&line));
        let is_unnamed = counts.of_most && WORDS_UNNAMED.contains(&counts.words)
            || text.lines().any(&mut is_notice);
        return kind.or(is_unnamed.then_some(DropReason::DuplicateText));
    }
    if counts.shared == 0 && counts.words > MOST_WORDS_ALONE {
        return None;
    }
    // A title without a text: the wall may be among the lines that siblings share, which are not extracted.
    let (kind, phrases) = match counts.own {
        0 => kind_of(title, &text_of(&page.document, &[0], &[])),
        _ => kind_of(title, text),
    }?;
    // An error page links to other pages of the site; their titles do not count.
    let counts = match kind {
        DropReason::SoftNotFound => {
            WordCounts::of(&without_links(text, &page.document), title, &article.url, repeated)
        }
        _ => counts,
    };
    if counts.are_shared() {
        return Some(kind);
    }
    if counts.own > 0 && counts.words > MOST_WORDS_ALONE {
        return None;
    }
    // On a page without siblings, an article about subscriptions is more likely than a paywall.
    let is_evident = counts.own == 0 || kind != DropReason::PaywallStub;
    (phrases >= ALONE && is_evident).then_some(kind)
}

struct WordCounts {
    words: u32,
    /// Words in lines that no other page has, except the title.
    own: u32,
    /// Words in lines of other pages.
    shared: u32,
    /// Whether at least half of the pages have each of the lines.
    of_most: bool,
}

impl WordCounts {
    fn of(text: &str, title: &str, url: &str, repeated: &[(u64, bool)]) -> Self {
        let mut hashes = LineHasher::of(url);
        let of_title = hashes.hash(title);
        let known = |line: u64| Some(repeated[place_of(line, repeated).ok()?].1);
        let mut counts = Self { words: count_words(text), own: 0, shared: 0, of_most: true };
        for line in text.lines() {
            let hash = hashes.hash(line);
            if let Some(is_of_most) = hash.and_then(known) {
                counts.shared += count_words(line);
                counts.of_most &= is_of_most;
            } else if hash != of_title {
                counts.own += count_words(line);
            }
        }
        counts
    }

    /// Whether nearly the whole text is on other pages, too.
    fn are_shared(&self) -> bool {
        self.own <= OWN_WORDS && self.shared > self.own
    }
}

/// Whether scripts would draw a page: it has hardly any words and no picture or table, but scripts, and an element that
/// is left empty for them.
pub(crate) fn is_script_shell(page: &ParsedPage<'_>) -> bool {
    let document = &page.document;
    let body = document.ids().find(|&id| document.is(id, &local_name!("body")));
    let Some(inside) = body.map(|body| body + 1..document.subtree(body).end) else { return false };
    let is_place = |id: NodeId| {
        let is_container = |name: &LocalName| {
            matches!(*name, local_names!("div" "main" "section")) || name.contains('-')
        };
        document.name(id).is_some_and(is_container) && document.subtree(id).len() == 1
    };
    let shows = |id: NodeId| {
        matches!(document.name(id), Some(&local_names!("img" "picture" "video" "audio" "table")))
    };
    page.words.total() <= OWN_WORDS
        && inside.clone().any(is_place)
        && !inside.clone().any(shows)
        && page.page.html.as_bytes().windows(7).any(|tag| tag.eq_ignore_ascii_case(b"<script"))
}

/// Returns the lines of a text that are not texts of links.
fn without_links(text: &str, document: &Document) -> String {
    let links = texts_of_links(document);
    let own: Vec<&str> = text.lines().filter(|line| !links.contains(line.trim())).collect();
    own.join("\n")
}

fn texts_of_links(document: &Document) -> HashSet<String> {
    let links = document.ids().filter(|&id| document.is(id, &local_name!("a")));
    links.map(|id| normalize_space(&text_of(document, &[id], &[]))).collect()
}

/// Notes that a page has only the beginning of an article: a short text with a request to subscribe that its siblings
/// have, too. What the page itself declares takes precedence. The request is removed from the end of the text.
pub(crate) fn note_paywall(article: &mut Article, repeated: &[(u64, bool)]) {
    let is_free = article.access.is_some_and(|own| own != Access::Partial);
    if is_free || repeated.is_empty() || article.word_count > MOST_WORDS {
        return;
    }
    let mut hashes = LineHasher::of(&article.url);
    let mut is_repeated =
        |line: &str| hashes.hash(line).is_some_and(|hash| place_of(hash, repeated).is_ok());
    let is_wall =
        |line: &str| kind_of("", line).is_some_and(|(kind, _)| kind == DropReason::PaywallStub);
    if !article.text.lines().any(|line| is_repeated(line) && is_wall(line)) {
        return;
    }
    if article.access.is_none() {
        (article.access, article.sources.access) = (Some(Access::Partial), Some(Source::Page));
    }
    let paragraphs: Vec<Range<usize>> =
        paragraphs_of(&article.text).into_iter().map(|own| own.range).collect();
    let text = |range: &Range<usize>| &article.text[range.clone()];
    let mut is_shared = |range: &Range<usize>| text(range).lines().all(&mut is_repeated);
    // Behind the request stands at most a link to subscribe.
    let last_own = paragraphs
        .iter()
        .rposition(|range| count_words(text(range)) > WORDS_OF_LINK && !is_shared(range));
    let behind = &paragraphs[last_own.map_or(0, |last| last + 1)..];
    let first = behind.iter().position(is_shared).unwrap_or(behind.len());
    let notice = &behind[first..];
    if notice.iter().any(|range| text(range).lines().any(is_wall)) {
        remove_paragraphs(article, notice, 1);
    }
}

/// Returns what identifies a story in an address: its longest segment, or its numbers if that is a plain word or short
/// number, or its path if it has none; and the values of its query. Versions for printing, phones or tracking have the same.
pub(crate) fn story(url: &str) -> String {
    let longest = name_of(url);
    let Ok(url) = Url::parse(url) else { return url.to_owned() };
    let numbers = url.query_pairs().filter(|(_, value)| value.contains(|c: char| c.is_numeric()));
    let values: BTreeSet<String> = numbers
        .filter(|(key, _)| !key.starts_with("utm_"))
        .map(|(_, value)| value.into_owned())
        .collect();
    let segments = url.path_segments().into_iter().flatten();
    let numbered: Vec<&str> =
        segments.filter(|segment| segment.contains(|c: char| c.is_ascii_digit())).collect();
    let is_year = longest.len() < LONG_NUMBER && longest.bytes().all(|byte| byte.is_ascii_digit());
    if longest.contains(|c: char| !c.is_alphabetic()) && !is_year {
        format!("{longest} {values:?}")
    } else if numbered.is_empty() {
        format!("{} {values:?}", url.path())
    } else {
        format!("{numbered:?} {values:?}")
    }
}

/// Number of digits from which a number identifies something.
const LONG_NUMBER: usize = 6;
/// Minimum number of bytes of a page's name that is removed from lines: shorter names are parts of many words.
const LEAST_NAME: usize = 5;
/// Number of separators from which a word with digits is a network address, a time or an identifier.
const SEPARATORS: usize = 3;

struct LineHasher {
    /// Parts of the page's address that its lines may repeat, in lower case, longest first: path and query, path, and the
    /// page's name as it is and in words.
    names: Vec<Finder<'static>>,
    words: String,
}

impl LineHasher {
    fn of(url: &str) -> Self {
        let address = url.split('#').next().unwrap_or_default().to_lowercase();
        let from_path = address.splitn(4, '/').nth(3).unwrap_or_default();
        let path = from_path.split('?').next().unwrap_or_default();
        let name = name_of(&address);
        let in_words = name.replace(['-', '_'], " ");
        let mut names =
            vec![format!("/{from_path}"), format!("/{path}"), name.to_owned(), in_words];
        names.retain(|name| name.len() >= LEAST_NAME);
        names.dedup();
        let names = names.iter().map(|name| Finder::new(name).into_owned()).collect();
        Self { names, words: String::new() }
    }

    /// Hashes the words of a line, without what differs between the addresses of one wall: identifiers, and the name of
    /// the page. `None` if no words are left. Numbers count: pages that differ only in numbers may be results, prices or
    /// the weather.
    fn hash(&mut self, line: &str) -> Option<u64> {
        let mut lower = line.to_lowercase();
        for name in &self.names {
            if name.find(lower.as_bytes()).is_some()
                && let Ok(name) = str::from_utf8(name.needle())
            {
                lower = lower.replace(name, " ");
            }
        }
        self.words.clear();
        let has_digits = lower.bytes().any(|byte| byte.is_ascii_digit());
        let is_compound = |word: &&str| has_digits && is_compound_identifier(word);
        for compound in split_at_spaces(&lower).filter(|word| !is_compound(word)) {
            let words = runs_of_letters(compound);
            for word in words.filter(|word| !has_digits || !is_identifier(word)) {
                if !self.words.is_empty() {
                    self.words.push(' ');
                }
                self.words.push_str(word);
            }
        }
        (!self.words.is_empty()).then(|| xxh3_64(self.words.as_bytes()))
    }
}

/// Whether a word is letters and digits mixed, or a long number.
fn is_identifier(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits >= LONG_NUMBER || digits > 0 && digits < word.chars().count()
}

/// Whether a word has digits and several separators: `192.0.2.17`, `2001:db8::1`, a UUID, `2026-10-05T03:00:00Z`.
fn is_compound_identifier(word: &str) -> bool {
    let separators = |word: &str| word.bytes().filter(|b| matches!(b, b'.' | b':' | b'-')).count();
    // Most words have no separators, within them or around them.
    separators(word) >= SEPARATORS
        && word.bytes().any(|b| b.is_ascii_digit())
        && separators(word.trim_matches(|c| !is_alphanumeric(c))) >= SEPARATORS
}

/// The longest segment of the path of an address.
fn name_of(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.split('/').skip(3).max_by_key(|segment| segment.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(line: &str, url: &str) -> Option<u64> {
        LineHasher::of(url).hash(line)
    }

    proptest::proptest! {
        #[test]
        fn lines_of_a_page_are_hashed_one_like_the_other(
            lines in proptest::collection::vec("(A-b[ _]C|a b c|[AİßΣ7 ,]{0,4}|a1){0,4}", 0..6),
            name in "(a-b_c|A-b c|aaaa|x){1,2}",
        ) {
            let url = format!("https://e.org/s/{name}?id=1");
            let mut hashes = LineHasher::of(&url);
            for line in &lines {
                proptest::prop_assert_eq!(hashes.hash(line), hash(line, &url));
            }
        }
    }

    #[test]
    fn fewer_pages_than_addresses_have_no_repeated_lines() {
        assert!(repeated_lines(std::iter::empty()).is_empty());
    }

    #[test]
    fn what_differs_between_addresses_of_a_wall_does_not_count() {
        let line = |slug: &str| {
            hash(
                &format!("The page /{slug} was not found. Code 4{slug}7"),
                &format!("https://e.org/{slug}"),
            )
        };
        assert_eq!(line("old-harbour"), line("new-bridge"));
        assert_ne!(hash("A page", "https://e.org/"), hash("Another one", "https://e.org/"));
        assert_eq!(hash("8f3a – 1700000000", "https://e.org/"), None);
        assert_ne!(hash("12 degrees", "https://e.org/"), hash("17 degrees", "https://e.org/"));
    }

    #[test]
    fn versions_of_a_story_are_one_address() {
        let first = story("https://e.org/2024/a-long-story");
        for other in
            ["http://m.e.org/amp/a-long-story", "https://e.org/a-long-story/print?utm_source=7"]
        {
            assert_eq!(story(other), first);
        }
        assert_ne!(
            story("https://e.org/article.php?id=1"),
            story("https://e.org/article.php?id=2")
        );
        assert_ne!(story("https://e.org/notes/1"), story("https://e.org/notes/2"));
        assert_ne!(story("https://e.org/2012/41"), story("https://e.org/2012/42"));
        assert_ne!(story("https://e.org/subject/sea"), story("https://e.org/subject/land"));
        assert_eq!(story("https://e.org/notes/1"), story("https://m.e.org/notes/1/print"));
    }
}
