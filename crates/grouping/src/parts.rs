//! Finds pages that are parts of one article, by the links that they declare and by addresses that differ in a number.

use std::collections::BTreeMap;

use crate::captures::PageHead;
use crate::links::PagesByLink;

/// Maximum number of pages of an article after the first one.
const MAX_FOLLOWING: usize = 100;

/// What a page declares about the parts of its article.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartHead<'a> {
    /// Its address. If two pages lead to the same next page, the one with the first address wins.
    pub url: &'a str,
    /// The address of a page that has the whole article.
    pub single_page: Option<&'a str>,
    /// The address of the next part.
    pub next_page: Option<&'a str>,
    /// Links are followed only between pages of one group, such as those of one site config. A page without a group has
    /// no parts and is not a part.
    pub group: Option<&'a str>,
}

/// The role of a page in an article.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// The article, or its first part.
    Whole,
    /// A part of the article of the page with this index, which is [`Part::Whole`].
    Of(usize),
}

/// Which pages form articles.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Parts {
    /// The role of each page.
    pub pages: Vec<Part>,
    /// For articles whose texts have to be joined, by the index of their first page: the indices of the
    /// following pages, in order, at most a hundred.
    pub following: BTreeMap<usize, Vec<usize>>,
}

/// Finds articles of several pages by [`join_parts`], from the heads of pages and the links between them.
/// `links` has the same pages in the same order.
pub fn parts_of(heads: &[PageHead], links: &PagesByLink) -> Parts {
    let pages = heads.iter().map(|head| PartHead {
        url: &head.url,
        single_page: head.single_page.as_deref(),
        next_page: head.next_page.as_deref(),
        group: head.part_group.as_deref(),
    });
    let pages: Vec<PartHead<'_>> = pages.collect();
    join_parts(&pages, &|link| links.pages(link).first().map(|&at| at as usize))
}

/// Finds articles of several pages. A page that has a single-page version becomes a part of that version, and its text is
/// not joined. Pages that lead to each other as next pages are parts of the first page, which gets their texts. A ring
/// has no first page and is left alone.
///
/// `page_of` returns the index of the page that a link points to. It is called at most twice for each page; the rest
/// takes n log n time.
pub fn join_parts(pages: &[PartHead<'_>], page_of: &dyn Fn(&str) -> Option<usize>) -> Parts {
    let mut parts = Parts { pages: vec![Part::Whole; pages.len()], following: BTreeMap::new() };
    let target = |from: usize, link: Option<&str>| -> Option<usize> {
        let group = pages[from].group?;
        let to = page_of(link?)?;
        (to != from && pages.get(to)?.group == Some(group)).then_some(to)
    };
    let single: Vec<Option<usize>> =
        (0..pages.len()).map(|at| target(at, pages[at].single_page)).collect();
    // The single-page version itself leads to itself or to nothing.
    let part_of_single = |at: usize| single[at].filter(|&to| single[to].is_none());
    let (mut next, mut previous) = (BTreeMap::new(), BTreeMap::new());
    let mut order: Vec<usize> =
        (0..pages.len()).filter(|&at| pages[at].next_page.is_some()).collect();
    order.sort_by_key(|&at| (pages[at].url, at));
    for at in order.into_iter().filter(|&at| part_of_single(at).is_none()) {
        let to = target(at, pages[at].next_page).filter(|&to| part_of_single(to).is_none());
        if let Some(to) = to.filter(|to| !previous.contains_key(to)) {
            previous.insert(to, at);
            next.insert(at, to);
        }
    }
    for &first in next.keys().filter(|at| !previous.contains_key(at)) {
        // No page has two predecessors, so a chain that begins with a page without a predecessor is not a ring.
        let chain = std::iter::successors(next.get(&first), |at| next.get(at));
        let chain: Vec<usize> = chain.copied().take(MAX_FOLLOWING).collect();
        for &at in &chain {
            parts.pages[at] = Part::Of(first);
        }
        parts.following.insert(first, chain);
    }
    for at in 0..pages.len() {
        if let Some(to) = part_of_single(at) {
            // The single-page version may itself be a next page.
            parts.pages[at] = match parts.pages[to] {
                Part::Whole => Part::Of(to),
                of_first => of_first,
            };
        }
    }
    parts
}

/// Largest page number: larger numbers are identifiers.
const MAX_NUMBER: u32 = 99;
/// Names of parameters, and of path segments before a number, that mean a page number.
const NAMES: &str = "page p pg paged pageno pagenum pagenumber seite pagina página strana strona sida side sivu oldal";

/// Splits an address of an article of several pages into the part that all its pages share, and the page number, which is
/// 1 if the address has none. Scheme and `www.` do not count.
///
/// A number of one or two digits is recognised as a parameter (`?page=2`), as the last part of the path (`/story/2`,
/// `/story/page/2`, `/story/page-2`), or at the end of a file name (`story-2.html`, `story_page2.html`). Whether it really is a page
/// number is shown by links between the pages.
pub fn page_number(url: &str) -> (String, u32) {
    let url = url.split('#').next().unwrap_or_default();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.strip_prefix("www.").unwrap_or(url);
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let place = place.trim_end_matches('/');
    let with_query = |place: &str, query: &str| match query {
        "" => place.to_owned(),
        query => format!("{place}?{query}"),
    };
    let mut number = None;
    let rest: Vec<&str> = (query.split('&'))
        .filter(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let found = number_of(value).filter(|_| number.is_none() && is_name(name));
            number = number.or(found);
            found.is_none() && !pair.is_empty()
        })
        .collect();
    if let Some(number) = number {
        return (with_query(place, &rest.join("&")), number);
    }
    match number_in_path(place) {
        Some((place, number)) => (with_query(&place, query), number),
        None => (with_query(place, query), 1),
    }
}

/// Splits the page number off a path.
fn number_in_path(place: &str) -> Option<(String, u32)> {
    let (folder, last) = place.rsplit_once('/').filter(|(folder, _)| !folder.is_empty())?;
    // Does not apply to segments directly below the front page.
    if let Some(number) = number_of(last).filter(|_| folder.contains('/')) {
        let (above, name) = folder.rsplit_once('/')?;
        if is_name(name) && !above.is_empty() {
            return Some((above.to_owned(), number));
        }
        // A bare 1 is an identifier: first pages have no number, or one after a name.
        return (number > 1).then(|| (folder.to_owned(), number));
    }
    let (stem, ending) =
        last.rsplit_once('.').map_or((last, ""), |(stem, _)| (stem, &last[stem.len()..]));
    let digits = stem.len() - stem.bytes().rev().take_while(u8::is_ascii_digit).count();
    let before = stem[..digits].trim_end_matches(['-', '_', ',', '.']);
    let name = before.rsplit(['-', '_', ',', '.']).next().unwrap_or_default();
    let is_apart = before.len() < digits;
    let named = is_name(name) && name.len() < before.len();
    if is_apart && is_name(before) && folder.contains('/') {
        // "/story/page-2"
        return Some((folder.to_owned(), number_of(&stem[digits..])?));
    }
    let number =
        number_of(&stem[digits..]).filter(|_| (is_apart || named) && !before.is_empty())?;
    let before = match named {
        true => before[..before.len() - name.len()].trim_end_matches(['-', '_', ',', '.']),
        false => before,
    };
    Some((format!("{folder}/{before}{ending}"), number))
}

fn is_name(text: &str) -> bool {
    NAMES.split(' ').any(|name| text.eq_ignore_ascii_case(name))
}

fn number_of(text: &str) -> Option<u32> {
    let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_short)?;
    (1..=MAX_NUMBER).contains(&number).then_some(number)
}

/// Returns the words of a title without a page number (`A story - Page 2 of 3`).
pub fn title_without_page(title: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let letters = |c: char| !c.is_alphanumeric();
    for word in title.split(letters).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let is_count = |word: &String| {
                is_name(word) || matches!(&**word, "of" | "von" | "de" | "sur" | "di" | "av" | "z")
            };
            while words.last().is_some_and(is_count) {
                words.pop();
            }
        } else {
            words.push(word);
        }
    }
    words.join(" ")
}
