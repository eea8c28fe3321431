//! Dates in text, in about twenty languages.
//!
//! A date needs a day, a month and a year with four digits (two where nothing else fits). Month
//! names are unambiguous; numbers are if only one order is possible, or if the order is known from
//! the page's language.

use std::sync::LazyLock;

use crate::clock::time_at;
use crate::date_tokens::{Kind, Token, may_have_digit, tokens};
use crate::labels::Labels;
use crate::moment::Moment;
use crate::months::month_of;
use crate::order::{KnowsOrder, Order};
use crate::text::{clip, folded};

/// A date in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) moment: Moment,
    /// Byte offset of its start.
    pub(crate) at: usize,
    /// Whether it is labelled as the date of a change ("Updated May 3, 2012").
    pub(crate) is_change: bool,
}

/// The first date in a text, with a time next to it, if any.
pub(crate) fn find_date(text: &str, order: &impl KnowsOrder) -> Option<Found> {
    find_dates(text, order, 1).first().copied()
}

/// Dates in the first 400 bytes of a text, at most `limit`.
pub(crate) fn find_dates(text: &str, order: &impl KnowsOrder, limit: usize) -> Vec<Found> {
    let mut found = Vec::new();
    if !may_have_digit(text) {
        return found;
    }
    let tokens = tokens(clip(text, 400));
    let (mut i, mut after) = (0, 0);
    while i < tokens.len() && found.len() < limit {
        let Some((moment, length)) = date_at(&tokens[i..], order) else {
            i += 1;
            continue;
        };
        let moment = add_time(moment, &tokens, i, i + length);
        let at = tokens[i].at;
        found.push(Found { moment, at, is_change: says_changed(&text[after..at]) });
        i += length.max(1);
        after = tokens.get(i).map_or(text.len(), |t| t.at);
    }
    found
}

/// The order of day and month shown by an unambiguous numeric date: 11/21/2012 can be read in one
/// way only.
pub(crate) fn shown_order(text: &str) -> Option<Order> {
    let text = clip(text, 400);
    // `-`, `.` and `/` are adjacent; small integer counters let the loop be vectorised.
    let signs = |bytes: &[u8]| {
        bytes.iter().fold(0u8, |signs, b| signs + u8::from(b.wrapping_sub(b'-') < 3))
    };
    let signs: u32 = text.as_bytes().chunks(200).map(|bytes| u32::from(signs(bytes))).sum();
    if signs < 2 || !may_have_digit(text) {
        return None;
    }
    let tokens = tokens(text);
    tokens.windows(5).find_map(|tokens| {
        let [a, x, b, y, year] = tokens else { return None };
        let (Kind::Number(a), Kind::Number(b)) = (a.kind, b.kind) else { return None };
        let (Kind::Sign(x), Kind::Sign(y), Kind::Number(1990..2100)) = (x.kind, y.kind, year.kind)
        else {
            return None;
        };
        match (a, b) {
            _ if x != y || !"./-".contains(x) => None,
            (13..=31, 1..=12) => Some(Order::DayFirst),
            (1..=12, 13..=31) => Some(Order::MonthFirst),
            _ => None,
        }
    })
}

/// Whether the words before a date label it as the date of a change.
pub(crate) fn says_changed(text: &str) -> bool {
    // Shorter than any of the labels, folded or not.
    if text.len() < 4 {
        return false;
    }
    let words = folded(text);
    let start = words.floor_char_boundary(words.len().saturating_sub(40));
    CHANGED.is_in(&words[start..])
}

/// Labels of the date of a change, folded.
static CHANGED: LazyLock<Labels> = LazyLock::new(|| {
    Labels::new(&[
        "updated",
        "modified",
        "last update",
        "revised",
        "reviewed",
        "edited",
        "corrected",
        "aktualisiert",
        "geandert",
        "stand:",
        "mis a jour",
        "modifie",
        "actualizado",
        "actualizacion",
        "modificado",
        "aggiornat",
        "modificat",
        "atualizado",
        "frissitve",
        "modositva",
        "bijgewerkt",
        "gewijzigd",
        "uppdaterad",
        "opdateret",
        "oppdatert",
        "aktualizacja",
        "aktualizovano",
        "обновлен",
        "更新",
    ])
});

/// Whether a label introduces the date of publication.
pub(crate) fn says_published(text: &str) -> bool {
    PUBLISHED.is_in(&folded(text))
}

/// Labels of the date of publication, folded.
static PUBLISHED: LazyLock<Labels> = LazyLock::new(|| {
    Labels::new(&[
        "publish",
        "publication date",
        "date of publication",
        "release date",
        "posted on",
        "veroffentlicht",
        "erschienen",
        "publie le",
        "publicado",
        "publicacion",
        "publicacao",
        "pubblicato",
        "pubblicazione",
        "gepubliceerd",
        "megjelen",
        "kozzetev",
        "publicerad",
        "publisert",
        "udgivet",
        "opublikowano",
        "publikovano",
        "опубликован",
        "发布",
        "公開日",
    ])
});

/// Whether a text begins with "Posted", "Published" or the like.
pub(crate) fn begins_published(text: &str) -> bool {
    let first: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    folded(&first) == "posted" || says_published(&first)
}

/// Skips what may be between the parts of a date: ordinal signs, "of", "de", points, commas.
fn next_part<'a>(tokens: &[Token<'a>], mut at: usize) -> Option<(usize, Token<'a>)> {
    for _ in 0..4 {
        let token = *tokens.get(at)?;
        let filler = match token.kind {
            Kind::Sign(c) => ".,-/'’ºª‐–\u{a0}".contains(c),
            Kind::Word => matches!(
                token.text,
                "st" | "nd"
                    | "rd"
                    | "th"
                    | "er"
                    | "of"
                    | "de"
                    | "del"
                    | "d"
                    | "the"
                    | "di"
                    | "ST"
                    | "ND"
                    | "RD"
                    | "TH"
                    | "m"
            ),
            Kind::Number(_) => false,
        };
        if !filler {
            return Some((at, token));
        }
        at += 1;
    }
    None
}

/// A date that begins at the first token, and the number of tokens it takes.
fn date_at(tokens: &[Token<'_>], order: &impl KnowsOrder) -> Option<(Moment, usize)> {
    let first = tokens.first()?;
    if let Kind::Number(a) = first.kind {
        return cjk(tokens, a).or_else(|| starting_with_number(tokens, a, order));
    }
    // "November 21, 2012"
    let (i, day) = next_part(tokens, 1)?;
    let Kind::Number(day) = day.kind else { return None };
    let (j, year) = next_part(tokens, i + 1)?;
    let year = year_of(year, false)?;
    let month = (day <= 31).then(|| month_of(first.text))??;
    Some((moment(year, month, day)?, j + 1))
}

fn starting_with_number(
    tokens: &[Token<'_>],
    a: u32,
    order: &impl KnowsOrder,
) -> Option<(Moment, usize)> {
    let (i, second) = next_part(tokens, 1)?;
    match second.kind {
        // "21 November 2012", "2012. november 21.", "21-Nov-12"
        Kind::Word => {
            let month = month_of(second.text)?;
            let (j, third) = next_part(tokens, i + 1)?;
            if tokens[0].text.chars().count() == 4 {
                let Kind::Number(day) = third.kind else { return None };
                return Some((moment(a, month, day)?, j + 1));
            }
            let dashed = matches!(tokens[1].kind, Kind::Sign('-' | '/'));
            Some((moment(year_of(third, dashed)?, month, a)?, j + 1))
        }
        Kind::Number(b) => {
            let (signs, c) = match tokens {
                [
                    _,
                    Token { kind: Kind::Sign(x), .. },
                    _,
                    Token { kind: Kind::Sign(y), .. },
                    c,
                    ..,
                ] => ((*x, *y), *c),
                _ => return None,
            };
            let Kind::Number(third) = c.kind else { return None };
            if signs.0 != signs.1 || !"./-".contains(signs.0) {
                return None;
            }
            // An IP address or a version number has further parts.
            let goes_on = matches!(tokens.get(5), Some(Token { kind: Kind::Sign(s), .. }) if *s == signs.0)
                && matches!(tokens.get(6), Some(Token { kind: Kind::Number(_), .. }));
            if goes_on {
                return None;
            }
            if tokens[0].text.chars().count() == 4 {
                return Some((moment(a, i8::try_from(b).ok()?, third)?, 5));
            }
            let year = year_of(c, true)?;
            let (day, month) = if a > 12 || a == b {
                (a, b)
            } else if b > 12 {
                (b, a)
            } else {
                match order.order() {
                    Order::DayFirst => (a, b),
                    Order::MonthFirst => (b, a),
                    Order::Unknown => return None,
                }
            };
            Some((moment(year, i8::try_from(month).ok()?, day)?, 5))
        }
        Kind::Sign(_) => None,
    }
}

/// "2012年11月21日", "2012년 11월 21일"
fn cjk(tokens: &[Token<'_>], year: u32) -> Option<(Moment, usize)> {
    let [_, y, month, m, day, ..] = tokens else { return None };
    let (Kind::Sign('年' | '년'), Kind::Sign('月' | '월')) = (y.kind, m.kind) else {
        return None;
    };
    let (Kind::Number(month), Kind::Number(day)) = (month.kind, day.kind) else { return None };
    Some((moment(year, i8::try_from(month).ok()?, day)?, 5 + usize::from(tokens.len() > 5)))
}

fn year_of(token: Token<'_>, short: bool) -> Option<u32> {
    let Kind::Number(year) = token.kind else { return None };
    match token.text.chars().count() {
        4 => Some(year),
        2 if short => Some(if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

fn moment(year: u32, month: i8, day: u32) -> Option<Moment> {
    Moment::date(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?)
}

/// Looks for a time of day after the date, then right before it.
fn add_time(moment: Moment, tokens: &[Token<'_>], start: usize, end: usize) -> Moment {
    let after = (end..tokens.len().min(end + 5)).find_map(|i| time_at(moment, tokens, i));
    after
        .or_else(|| (start.saturating_sub(8)..start).find_map(|i| time_at(moment, tokens, i)))
        .unwrap_or(moment)
}

#[cfg(test)]
#[path = "date_text_tests.rs"]
mod tests;
