//! Titles, without the site's name, and other short texts.

use crate::{
    bag,
    words::{WordNumbers, words},
};

use super::FieldScore;

/// Separators between a headline and a site's name.
const SEPARATORS: [char; 10] = ['|', '-', '–', '—', '·', '•', '»', '«', ':', '_'];

/// The headline in a value: the first line with words. Some gold has the headline, the standfirst and other text in one
/// value, but a headline has one line.
pub fn headline(value: &str) -> &str {
    value.lines().map(str::trim).find(|line| !words(line).is_empty()).unwrap_or_default()
}

/// Compares two titles of a page at `host`. `None` if the gold has no word.
///
/// Exact: the same letters and digits in the same order; case, spaces, dashes and quotation marks
/// are ignored. Some gold ends with the site's name and some does not, so it is removed from both:
/// a part at either end, separated by a dash, bar, colon or the like between spaces (a bar or
/// underscore also without), whose letters match the host's name.
pub fn title(gold: &str, output: &str, host: &str) -> Option<FieldScore> {
    let labels = labels(host);
    let of = |value| without_site(headline(value), &labels);
    text(of(gold), of(output))
}

/// Compares two texts: a standfirst, the name of a section. `None` if the gold has no word.
///
/// Exact: the same letters and digits in the same order; case, spaces and punctuation are ignored.
pub fn text(gold: &str, output: &str) -> Option<FieldScore> {
    let (gold, output) = (words(gold), words(output));
    if gold.is_empty() {
        return None;
    }
    let exact = gold.concat() == output.concat();
    let graded = if exact { 1.0 } else { f1(&gold, &output) };
    Some(FieldScore { exact, graded })
}

fn f1(gold: &[String], output: &[String]) -> f64 {
    let mut numbers = WordNumbers::new();
    let (gold, output) = (numbers.words(&gold.join(" ")), numbers.words(&output.join(" ")));
    bag::compare(&gold, &output).map_or(0.0, |score| score.f1)
}

/// The host and its parts without `www` and the top-level domain, letters and digits only.
fn labels(host: &str) -> Vec<String> {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let mut labels: Vec<String> = host.split('.').map(|label| words(label).concat()).collect();
    labels.pop();
    labels.retain(|label| label.chars().count() >= 4);
    labels.push(words(host).concat());
    labels
}

/// Whether a name is a label of a host. Non-ASCII letters match any letters, since hosts are
/// written without accents.
fn is_host(label: &str, name: &str) -> bool {
    label.chars().count() == name.chars().count()
        && label.chars().zip(name.chars()).all(|(l, n)| l == n || (l.is_ascii() && !n.is_ascii()))
        && name.chars().any(|c| c.is_ascii())
}

fn without_site<'a>(title: &'a str, labels: &[String]) -> &'a str {
    let is_site = |part: &str| {
        let name = words(part).concat();
        let bare = name.strip_prefix("the").unwrap_or(&name);
        !name.is_empty() && labels.iter().any(|label| is_host(label, &name) || is_host(label, bare))
    };
    let mut rest = title;
    loop {
        let first = cuts(rest).next().filter(|(start, _)| is_site(&rest[..*start]));
        if let Some((_, end)) = first {
            rest = rest[end..].trim();
            continue;
        }
        let last = cuts(rest).last().filter(|(_, end)| is_site(&rest[*end..]));
        let Some((start, _)) = last else { return rest };
        rest = rest[..start].trim();
    }
}

/// Positions of separators with words on both sides.
fn cuts(title: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    title.char_indices().filter_map(move |(at, c)| {
        let end = at + c.len_utf8();
        let (before, after) = (&title[..at], &title[end..]);
        let spaced = after.starts_with(char::is_whitespace)
            && (c == ':' || before.ends_with(char::is_whitespace));
        let is_cut = SEPARATORS.contains(&c) && (spaced || matches!(c, '|' | '_'));
        (is_cut && !words(before).is_empty() && !words(after).is_empty()).then_some((at, end))
    })
}
