//! Extracts names from bylines.

use terms::letters::{is_alphanumeric, is_numeric};

use crate::chars::{fold, has_number};
use crate::months::month_of;
use crate::name_words::{CONJUNCTIONS, DEGREES, LABELS, ROLES, STOPS, UNSPACED_LABELS};
use crate::text::{folded, is_unspaced, word_count};

/// Names in a value that is meant to hold names (a meta element, a JSON-LD string).
pub(crate) fn from_field(text: &str) -> Vec<String> {
    split(text).into_iter().filter(|n| is_plausible(n)).collect()
}

/// Names in a visible byline, which may contain other text.
pub(crate) fn from_byline(text: &str) -> Vec<String> {
    let is_mark = |c: char| matches!(c, '|' | '•' | '·' | '–' | '—' | '\n');
    // "Dec. 19, 2025 · Jane Doe"
    let parts = text.split(is_mark).map(str::trim).filter(|part| !part.is_empty());
    parts
        .take(4)
        .map(|part| {
            let names = split(cut(strip_labels(part)));
            names.into_iter().map(|n| cut(&n).to_owned()).filter(|n| is_name(n)).collect()
        })
        .find(|names: &Vec<String>| !names.is_empty())
        .unwrap_or_default()
}

/// The name before a role: "Jane Doe | Senior Writer | July 2, 2025".
pub(crate) fn before_role(text: &str) -> Vec<String> {
    let is_mark = |c: char| matches!(c, '|' | '•' | '·' | '–' | '—' | ',');
    let mut parts = text.split(is_mark).map(str::trim);
    let (Some(name), Some(role)) = (parts.next(), parts.next()) else { return Vec::new() };
    // A role is short and ends in its noun: "Senior Writer", not "the writer says that ...".
    let last = role.split_whitespace().next_back().unwrap_or_default();
    let is_title = (1..=4).contains(&word_count(role)) && is_role(last);
    if is_title && is_full_name(name) { vec![tidy(name)] } else { Vec::new() }
}

/// Two to four capitalised words, none of them a role: almost certainly a person's name, in a place
/// where one is expected.
pub(crate) fn is_full_name(text: &str) -> bool {
    (2..=4).contains(&word_count(text))
        && is_name(text)
        && text.split_whitespace().all(|w| w.starts_with(char::is_uppercase))
        && !is_role(text)
        && cut(text).len() == text.len()
}

/// The name after a label with a colon, anywhere in a text: "2012年11月21日　作者：王小明　大 中 小". It ends at
/// a full-width space, at two spaces or at a sign.
pub(crate) fn after_label(text: &str) -> Vec<String> {
    if !may_be_unspaced(text) {
        return Vec::new();
    }
    let mut names = UNSPACED_LABELS.iter().filter_map(|label| {
        let label = label.trim_end_matches(['：', ':', '／', '/']);
        let (_, rest) = text.split_once(label)?;
        let rest = rest.trim_start().strip_prefix(['：', ':', '／', '/'])?.trim_start();
        let signs = |c: char| "\u{3000}\u{a0}\n\t|,，。、；;（(【[<>".contains(c);
        let name = rest.split(signs).next().and_then(|name| name.split("  ").next())?;
        Some(from_byline(name)).filter(|names| !names.is_empty())
    });
    names.next().unwrap_or_default()
}

/// The name of an organisation, which is never split.
pub(crate) fn organization(text: &str) -> Vec<String> {
    let name = tidy(strip_labels(text.trim()));
    if is_plausible(&name) { vec![name] } else { Vec::new() }
}

/// Appends the names that are not in the list yet, by case-insensitive comparison.
pub(crate) fn add(names: &mut Vec<String>, new: Vec<String>) {
    for name in new {
        let key = folded(&name);
        if names.len() < 50 && !names.iter().any(|n| folded(n) == key) {
            names.push(name);
        }
    }
}

/// Whether the text begins with a label of a byline ("By …").
pub(crate) fn has_label(text: &str) -> bool {
    let text = text.trim();
    strip_labels(text).len() < text.len()
}

/// Whether the text is a label of a byline and nothing else ("Written by").
pub(crate) fn is_label(text: &str) -> bool {
    has_label(text) && strip_labels(text.trim()).is_empty()
}

fn strip_labels(mut text: &str) -> &str {
    for _ in 0..3 {
        let Some(rest) = strip_label(text) else { break };
        text = rest.trim_start_matches(|c: char| c.is_whitespace() || ":：|,-–—/／".contains(c));
    }
    text
}

fn strip_label(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    if !first.is_ascii()
        && let Some(rest) = UNSPACED_LABELS.iter().find_map(|l| text.strip_prefix(l))
    {
        return Some(rest);
    }
    // The longest label that ends at a space or colon.
    let first = fold(first)?;
    let alike = LABELS.iter().filter(|label| label.starts_with(first));
    alike.filter_map(|label| after(text, label)).min_by_key(|rest| rest.len())
}

/// Whether a text may hold a label of a script without spaces: Han and Hangul begin with these bytes.
fn may_be_unspaced(text: &str) -> bool {
    text.bytes().fold(false, |any, byte| any | matches!(byte, 0xe3..=0xed))
}

/// The text after `label` (folded) in `text`, if a word boundary follows the label.
fn after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let mut rest = text;
    for expected in label.chars() {
        let c = rest.chars().next()?;
        if fold(c) != Some(expected) {
            return None;
        }
        rest = &rest[c.len_utf8()..];
    }
    // Two inline elements without a space between them: "Written byJane Doe".
    let glued = label.contains(' ')
        && text.starts_with(char::is_uppercase)
        && rest.starts_with(char::is_uppercase);
    let boundary = label.ends_with(':')
        || rest.is_empty()
        || glued
        || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, ':' | '：'));
    // "Von Miller", "Di Maria", "Par" are names too: two words must follow a short label. After a
    // bare "Author" there must be a name of two words, to exclude "Author Spotlight".
    let is_noun = ["author", "authors", "autor", "auteur", "автор"].contains(&label);
    let weak = (label.len() <= 3 && label != "by" || is_noun)
        && !rest.trim_start().starts_with([':', '：'])
        && !(is_noun && rest.trim().is_empty());
    (boundary && (!weak || word_count(rest) >= 2)).then_some(rest)
}

/// The part of a byline before a date, an address or a word that can't be in a name.
fn cut(text: &str) -> &str {
    let mut end = text.len();
    for mark in [" - ", "[", "<", " / ", "...", "…", " on behalf "] {
        end = end.min(text.find(mark).filter(|at| *at > 0).unwrap_or(end));
    }
    let mut at = 0;
    for word in text[..end].split_inclusive(char::is_whitespace) {
        let bare = folded(word.trim().trim_end_matches([',', ':', '.']));
        let ends = word.contains('@') || has_number(word) || STOPS.contains(&&*bare);
        if ends {
            end = at;
            // "Jane Doe December 21"
            let before = text[..at].trim_end();
            let (names, month) = before.rsplit_once(char::is_whitespace).unwrap_or(("", before));
            if has_number(word) && month_of(month.trim_matches('.')).is_some() {
                let (before, day) = names.rsplit_once(char::is_whitespace).unwrap_or(("", names));
                let day = folded(day.trim_matches([',', '.']));
                let is_day = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].contains(&&*day);
                end = if is_day { before.len() } else { names.len() };
            }
            break;
        }
        at += word.len();
    }
    let mut text = text[..end].trim_end();
    // "Jean Dupont le 3 mai": the words before the date that belong to it are removed too.
    while let Some((before, last)) = text.rsplit_once(char::is_whitespace)
        && last.starts_with(|c: char| c.is_lowercase() || !is_alphanumeric(c))
        && !is_desk(text)
    {
        text = before.trim_end();
    }
    text.trim_matches(|c: char| c.is_whitespace() || ",:-–—|".contains(c))
}

fn split(text: &str) -> Vec<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > 400 || is_address(text) {
        return Vec::new();
    }
    let text = strip_labels(text);
    let mut names = Vec::new();
    for part in text.split([';', '；', '|', '、', '，', '\n', '＆', '•']) {
        for part in part.split(" / ").flat_map(|p| p.split(" · ")) {
            split_commas(part, &mut names);
        }
    }
    names
}

fn split_commas(part: &str, names: &mut Vec<String>) {
    let pieces: Vec<&str> = part.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
    if let [last, first] = pieces[..]
        && word_count(last) == 1
        && word_count(first) <= 2
        && is_name(last)
        && is_name(first)
        && !is_degree(first)
        && !is_role(first)
    {
        // "Last, First", as in library catalogues and citation metas.
        add(names, vec![tidy(&format!("{first} {last}"))]);
        return;
    }
    // "Jane Doe, Software Engineer, Orchard Response": an organisation follows the role, until an
    // "and".
    let mut after_role = false;
    for (index, piece) in pieces.iter().enumerate() {
        let first = piece.split_whitespace().next().unwrap_or_default();
        after_role &= !CONJUNCTIONS.contains(&&*first.to_lowercase());
        if after_role {
            continue;
        }
        after_role = index > 0 && is_role(piece);
        let mut split = Vec::new();
        split_conjunctions(piece, &mut split);
        for name in split {
            let bare = tidy(strip_labels(&name));
            // After a comma: another name, a title, a role or a newspaper.
            let fits = (index == 0 && names.is_empty())
                || (is_name(&bare) && (word_count(&bare) > 1 || is_unspaced(&bare)))
                    && !is_role(&bare)
                    && !is_degree(&bare);
            if fits && !bare.is_empty() {
                add(names, vec![bare]);
            }
        }
    }
}

fn split_conjunctions(piece: &str, names: &mut Vec<String>) {
    let mut rest = piece.trim();
    // After a comma: ", and Jane Doe".
    if let Some((first, after)) = rest.split_once(char::is_whitespace)
        && CONJUNCTIONS.contains(&&*first.to_lowercase())
        && word_count(after) >= 2
    {
        rest = after.trim();
    }
    let mut start = 0;
    let mut at = 0;
    for word in rest.split_inclusive(char::is_whitespace) {
        let bare = word.trim();
        let (left, right) = (&rest[start..at], &rest[at + word.len()..]);
        let (words_left, words_right) = (word_count(left), word_count(right));
        // "Ortega y Gasset" is one name, and "John and Jane Doe" cannot be distinguished from that.
        let joins = bare == "&"
            || bare == "+"
            || (bare.chars().next().is_some_and(char::is_lowercase)
                && CONJUNCTIONS.contains(&bare))
            || bare == "AND";
        let balanced = (words_left >= 2 && words_right >= 2)
            || (words_left == 1 && words_right == 1 && bare.len() > 1);
        if joins && balanced {
            names.push(left.trim().to_owned());
            start = at + word.len();
        }
        at += word.len();
    }
    names.push(rest[start..].trim().to_owned());
}

fn is_role(text: &str) -> bool {
    text.split_whitespace().any(|w| ROLES.contains(&&*folded(w)))
}

fn is_degree(text: &str) -> bool {
    text.split_whitespace().all(|word| {
        let bare: String = word.chars().filter(|c| c.is_alphabetic()).collect();
        DEGREES.contains(&&*folded(&bare))
    })
}

/// Removes addresses, trailing brackets and surrounding punctuation.
fn tidy(text: &str) -> String {
    let mut text = text.trim();
    if let Some((outside, inside)) = text.strip_suffix(')').and_then(|t| t.rsplit_once('(')) {
        // RSS: "jane@example.org (Jane Doe)".
        text = if is_address(outside) { inside } else { outside };
    }
    let words: Vec<&str> = text.split_whitespace().filter(|w| !is_address(w)).collect();
    let joined = words.join(" ");
    let name = joined
        .trim_matches(|c: char| c.is_whitespace() || ",;:|/\\-–—•·*\"“”„<>[]{}=+~©".contains(c));
    let name =
        ["기자", "特派员", "本报记者"].iter().find_map(|s| name.strip_suffix(s)).unwrap_or(name);
    name.trim().to_owned()
}

fn is_address(text: &str) -> bool {
    let text = text.trim();
    text.contains("://")
        || text.starts_with("www.")
        || text.starts_with('/')
        || (text.starts_with('@') && word_count(text) == 1)
        || (text.contains('@') && word_count(text) == 1)
}

/// Whether a text may be a name if the publisher declares it as one.
fn is_plausible(name: &str) -> bool {
    name.len() <= 120
        && word_count(name) <= 10
        && name.chars().any(char::is_alphabetic)
        && name.chars().filter(|c| is_numeric(*c)).count() <= 4
        && !matches!(
            &*folded(name),
            "null"
                | "undefined"
                | "none"
                | "unknown"
                | "n/a"
                | "by"
                | "author"
                | "admin"
                | "administrator"
                | "object"
        )
        && !name.contains(['{', '}', '<', '>', '='])
}

/// "The Orchard editors"
fn is_desk(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next() == Some("The")
        && words.clone().count() >= 2
        && words.next_back().is_some_and(is_role)
}

/// Whether a text reads like a name where nothing declares it as one.
pub(crate) fn is_name(name: &str) -> bool {
    let words = word_count(name);
    let initial = |w: Option<&str>| {
        w.and_then(|w| w.chars().find(|c| c.is_alphabetic())).is_some_and(|c| !c.is_lowercase())
    };
    is_plausible(name)
        && (1..=5).contains(&words)
        && name.len() <= 60
        && name.chars().filter(|c| c.is_alphabetic()).count() >= 2
        && !name.chars().any(|c| is_numeric(c) || "?!:;@#%/|".contains(c))
        && initial(name.split_whitespace().next())
        && (initial(name.split_whitespace().next_back()) || is_desk(name))
        && (!is_unspaced(name) || name.chars().count() <= 12)
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
