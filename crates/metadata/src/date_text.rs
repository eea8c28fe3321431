//! Dates in text, in the languages of [`crate::calendar`].
//!
//! A date needs a day, a month and a year with four digits (two if nothing else fits). Month
//! names are unambiguous. Numbers are unambiguous if only one order is possible, or if the language
//! of the page determines it. A time is ignored if the word for its half of the day is not understood.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::Span;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};
use terms::letters::is_in_word;

use crate::calendar::{
    half_of_day, is_filler, is_weekday, join_letters, month_of, weekday_of, zone_offset,
};
use crate::page_date::{PageDate, offset};
use crate::text::{LabelFinder, clip, folded};

#[derive(Clone, Copy, Debug)]
pub(crate) struct TextDate {
    pub(crate) moment: PageDate,
    /// Byte offset of its start.
    pub(crate) at: usize,
    /// Whether it is labelled as the date of a change ("Updated May 3, 2012").
    pub(crate) is_change: bool,
    /// Whether it is labelled as the date of publication.
    pub(crate) is_publication: bool,
    /// Whether there are other words between the previous date, if any, and this one.
    pub(crate) has_label: bool,
    /// Whether these words begin like a phrase or end with a colon: "Updated", not "to".
    pub(crate) is_apart: bool,
}

/// The first date in a text, with a time next to it, if any.
pub(crate) fn find_date(text: &str, order: &impl KnowsOrder) -> Option<TextDate> {
    find_dates(text, order, 1).first().copied()
}

/// Dates in the first 400 bytes of a text, at most `limit`.
pub(crate) fn find_dates(text: &str, order: &impl KnowsOrder, limit: usize) -> Vec<TextDate> {
    let mut found = Vec::new();
    if !may_be_dated(text) {
        return found;
    }
    let tokens = tokens(clip(text, 400));
    // Tokens of a date and its time do not belong to the next date.
    let (mut i, mut after, mut taken) = (0, 0, 0);
    while i < tokens.len() && found.len() < limit {
        let Some((moment, length)) = date_at(&tokens, i, order) else {
            i += 1;
            continue;
        };
        let behind = taken;
        let (moment, end) = match moment.time {
            Some(_) => (moment, i + length),
            None => add_time(moment, &tokens, taken, i..i + length, order),
        };
        taken = end;
        let at = tokens[i].at;
        let label = &text[after..at];
        let is_word = |word: &str| {
            let word = word.trim_matches(|c| !is_in_word(c));
            word.chars().nth(1).is_some()
                && !word.contains(|c| digit(c).is_some())
                && !is_weekday(word, true, order.language())
        };
        found.push(TextDate {
            moment,
            at,
            is_change: says_changed(label),
            is_publication: labels_publication(label),
            has_label: label.split_whitespace().any(is_word),
            is_apart: is_apart(&tokens[behind.min(i)..i], order.language()),
        });
        i += length.max(1);
        after = tokens.get(i).map_or(text.len(), |t| t.at);
    }
    found
}

/// Whether the tokens between two dates begin with a capital or a bracket, or end with a colon. Units of the time do not count.
fn is_apart(tokens: &[Token<'_>], language: Option<&str>) -> bool {
    let is_unit = |token: &&Token<'_>| {
        let key = join_letters(token.text);
        UNITS.contains(&&*key)
            || half_of_day(&key, language).is_some()
            || token.text.chars().nth(1).is_none_or(char::is_uppercase)
    };
    let mut label = tokens.iter().skip_while(|token| ".,".contains(token.text) || is_unit(token));
    tokens.last().is_some_and(|token| matches!(token.text, ":" | "："))
        || tokens.iter().any(|token| matches!(token.text, "(" | "（"))
        || label.next().is_some_and(|token| !token.text.starts_with(char::is_lowercase))
}

/// The order of day and month in an unambiguous numeric date: 11/21/2012 can be read in one
/// way only.
pub(crate) fn shown_order(text: &str) -> Option<DayMonthOrder> {
    let text = clip(text, 400);
    // `-`, `.` and `/` are adjacent.
    if count_bytes(text, |byte| byte.wrapping_sub(b'-') < 3) < 2 || !may_be_dated(text) {
        return None;
    }
    let tokens = tokens(text);
    tokens.windows(5).find_map(|tokens| {
        let [a, x, b, y, year] = tokens else { return None };
        let (TokenKind::Number(a), TokenKind::Number(b)) = (a.kind, b.kind) else { return None };
        let (TokenKind::Sign(x), TokenKind::Sign(y)) = (x.kind, y.kind) else { return None };
        // A year of two digits, as in "05.27.02", in a text that contains little more than the date.
        let is_short = text.len() <= 24 && year.text.len() == 2;
        match year.kind {
            TokenKind::Number(1990..2100) => {}
            TokenKind::Number(_) if is_short => {}
            _ => return None,
        }
        match (a, b) {
            _ if x != y || !"./-".contains(x) => None,
            (13..=31, 1..=12) => Some(DayMonthOrder::DayFirst),
            (1..=12, 13..=31) => Some(DayMonthOrder::MonthFirst),
            _ => None,
        }
    })
}

/// Whether the words before a date label it as the date of a change ("Last edited").
pub fn says_changed(text: &str) -> bool {
    // Shorter than any of the labels, folded or not.
    if text.len() < 4 {
        return false;
    }
    let words = folded(text);
    let start = words.floor_char_boundary(words.len().saturating_sub(40));
    CHANGED.is_in(&words[start..])
}

/// Labels of the date of a change, folded.
static CHANGED: LazyLock<LabelFinder> = LazyLock::new(|| {
    LabelFinder::new(&[
        "updated", "modified", "last update", "revised", "reviewed", "edited", "corrected",
        "aktualisiert", "geandert", "stand:", "mis a jour", "modifie", "actualizado",
        "actualizacion", "modificado", "aggiornat", "modificat", "atualizado", "frissitve",
        "modositva", "bijgewerkt", "gewijzigd", "uppdaterad", "opdateret", "oppdatert",
        "aktualizacja", "aktualizovano", "обновлен", "更新",
    ])
});

/// Whether the words directly before a date label it as the date of publication.
pub(crate) fn labels_publication(text: &str) -> bool {
    let end = &text[text.floor_char_boundary(text.len().saturating_sub(24))..];
    let last = end.trim_end_matches(|c: char| !c.is_alphanumeric());
    let word = last.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    word.eq_ignore_ascii_case("posted") || says_published(end)
}

/// Whether a label introduces the date of publication.
pub(crate) fn says_published(text: &str) -> bool {
    PUBLISHED.is_in(&folded(text))
}

/// Labels of the date of publication, folded.
static PUBLISHED: LazyLock<LabelFinder> = LazyLock::new(|| {
    LabelFinder::new(&[
        "publish", "publication date", "date of publication", "release date", "posted on",
        "veroffentlicht", "erschienen", "publie le", "publicado", "publicacion", "publicacao",
        "pubblicato", "pubblicazione", "gepubliceerd", "megjelen", "kozzetev", "publicerad",
        "publisert", "udgivet", "opublikowano", "publikovano", "опубликован", "发布", "公開日",
    ])
});

pub(crate) fn begins_published(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    // No such word is shorter.
    end >= 6 && (folded(&text[..end]) == "posted" || says_published(&text[..end]))
}

/// Words between the parts of a date that [`is_filler`] does not know.
const FILLERS: [&str; 10] = ["of", "de", "del", "d", "the", "di", "m", "ta", "nam", "năm"];

/// Maximum number of letters of an ordinal ending: "5th", "1er", "2026ko".
const ORDINAL: usize = 4;

/// Maximum number of tokens of the name of a month: "9-р сарын".
const NAME_TOKENS: usize = 4;

/// Whether a token may be between the parts of a date: an ordinal sign or ending, "of", "de", a point, a comma.
fn is_between(tokens: &[Token<'_>], at: usize, language: Option<&str>) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    match token.kind {
        TokenKind::Sign(c) => ".,-/'’ºª‐–،".contains(c),
        TokenKind::Word => {
            // The previous token, if no space separates them: "5th", "5-én".
            let glued = |at: usize| {
                let before = tokens.get(at.checked_sub(1)?)?;
                (before.at + before.text.len() == tokens[at].at).then_some(before.kind)
            };
            let is_ending = match glued(at) {
                Some(TokenKind::Sign('-')) => matches!(glued(at - 1), Some(TokenKind::Number(_))),
                before => matches!(before, Some(TokenKind::Number(_))),
            };
            if is_ending && token.text.chars().count() <= ORDINAL {
                return true;
            }
            // Words of dates are short.
            let word =
                if token.text.len() <= 18 { join_letters(token.text) } else { return false };
            FILLERS.contains(&&*word) || is_filler(&word, language)
        }
        TokenKind::Number(_) => false,
    }
}

/// The next token that is not between the parts of a date.
fn next_part<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    language: Option<&str>,
) -> Option<(usize, Token<'a>)> {
    for _ in 0..5 {
        let token = *tokens.get(at)?;
        if !is_between(tokens, at, language) {
            return Some((at, token));
        }
        at += 1;
    }
    None
}

/// The month whose name begins at a token, and where the name ends.
fn month_at(tokens: &[Token<'_>], at: usize, language: Option<&str>) -> Option<(i8, usize)> {
    // "10 9月 2026", "10 九月 2026", as Java writes them.
    if let Some(TokenKind::Sign('月' | '월')) = kind_at(tokens, at + 1) {
        return Some((number_of(&tokens[at]).filter(|m| (1..=12).contains(m))? as i8, at + 2));
    }
    let mut key = String::new();
    let mut month = None;
    for (i, token) in tokens.iter().enumerate().skip(at).take(NAME_TOKENS) {
        match token.kind {
            TokenKind::Word => key.push_str(&join_letters(token.text)),
            // "tháng 09"
            TokenKind::Number(month @ 1..=12) => key.push_str(&month.to_string()),
            TokenKind::Sign('.' | '-') if i > at => continue,
            _ => break,
        }
        month = month_of(&key, language).map(|month| (month, i + 1)).or(month);
    }
    month
}

/// The year after a day and a month, where it ends, and a time between them, as C's `ctime` and Java write dates:
/// "Thu Sep 10 08:30:00 UTC 2026". A year may have two digits if `short`, or if a time follows as in
/// [RFC 822](https://www.rfc-editor.org/rfc/rfc822#section-5).
fn year_behind<'a>(
    tokens: &[Token<'a>],
    at: usize,
    short: bool,
    language: Option<&str>,
) -> Option<(u32, usize, Option<WrittenTime<'a>>)> {
    let Some(time) = time_at(tokens, at, language) else {
        let (i, year) = next_part(tokens, at, language)?;
        let short = short || time_at(tokens, i + 1, language).is_some();
        return Some((year_of(year, short)?, i + 1, None));
    };
    let is_in_time = |token: &&Token<'_>| match token.kind {
        TokenKind::Number(number) => !(1900..2100).contains(&number),
        TokenKind::Word => token.text.len() <= 5 && !token.text.contains(char::is_lowercase),
        TokenKind::Sign(c) => ":+-".contains(c),
    };
    let i = at + tokens[at..].iter().take(ZONE_END).take_while(is_in_time).count();
    Some((year_of(*tokens.get(i)?, false)?, i + 1, Some(time)))
}

/// Maximum number of tokens of a time with its zone and a year: "08:30:00 GMT+02:00 2026".
const ZONE_END: usize = 11;

/// The month whose name begins at a token, or after words that may be between the parts of a date.
fn next_month(tokens: &[Token<'_>], at: usize, language: Option<&str>) -> Option<(i8, usize)> {
    for i in at..at + 4 {
        if let Some(month) = month_at(tokens, i, language) {
            return Some(month);
        }
        if !is_between(tokens, i, language) {
            return None;
        }
    }
    None
}

/// A date that begins at a token, and the number of tokens it takes.
fn date_at(tokens: &[Token<'_>], at: usize, order: &impl KnowsOrder) -> Option<(PageDate, usize)> {
    let language = order.language();
    let first = tokens.get(at)?;
    match first.kind {
        TokenKind::Number(a) => {
            let weekday = || weekday_near(tokens, at, language);
            let read = || starting_with_number(&tokens[at..], a, order, &weekday);
            date_in_cjk(tokens, at).or_else(read)
        }
        TokenKind::Sign(_) => None,
        // "二〇二六年九月五日"
        TokenKind::Word if first.text.starts_with(|c| HAN_DIGITS.contains(&c)) => {
            date_in_cjk(tokens, at)
        }
        // "November 21, 2012"
        TokenKind::Word => {
            // Fast path: most words do not precede a day and a year.
            let is_number = |token: &Token<'_>| matches!(token.kind, TokenKind::Number(1..=31));
            let i = at + 1 + tokens[at + 1..].iter().take(NAME_TOKENS).position(is_number)?;
            let TokenKind::Number(day) = tokens[i].kind else { return None };
            let is_year = |token: &Token<'_>| matches!(token.kind, TokenKind::Number(1000..));
            if !tokens[i + 1..].iter().take(ZONE_END).any(is_year) {
                return None;
            }
            let (month, end) = month_at(&tokens[..i], at, language)?;
            let (year, after, time) = year_behind(tokens, i + 1, false, language)?;
            let is_whole = (end..i).all(|i| is_between(tokens, i, language));
            let date = is_whole.then(|| date_from_parts(year, month, day))??;
            Some((time.map_or(date, |time| time.on(date, DayHalf::Unstated)), after - at))
        }
    }
}

fn starting_with_number(
    tokens: &[Token<'_>],
    a: u32,
    order: &impl KnowsOrder,
    weekday: &dyn Fn() -> Option<i8>,
) -> Option<(PageDate, usize)> {
    let language = order.language();
    let has_year = tokens[0].text.chars().count() == 4;
    let dashed = matches!(kind_at(tokens, 1)?, TokenKind::Sign('-' | '/'));
    // "21 November 2012", "2012. november 21.", "21-Nov-12"
    let is_other_part = |token: &Token<'_>| {
        matches!(token.kind, TokenKind::Number(_)) && (has_year || dashed || token.text.len() >= 2)
    };
    let is_named =
        |token: &Token<'_>| matches!(token.kind, TokenKind::Word | TokenKind::Sign('月' | '월'));
    let ahead = &tokens[2..tokens.len().min(11)];
    if (has_year || a <= 31)
        && tokens[1..].iter().take(6).any(is_named)
        && ahead.iter().any(is_other_part)
        && let Some((month, end)) = next_month(tokens, 1, language)
    {
        if has_year {
            let (j, third) = next_part(tokens, end, language)?;
            let TokenKind::Number(day) = third.kind else { return None };
            return Some((date_from_parts(a, month, day)?, j + 1));
        }
        // "15-Sep 10:12" has no year.
        let short = dashed && kind_at(tokens, end) == kind_at(tokens, 1);
        let (year, end, time) = year_behind(tokens, end, short, language)?;
        let date = date_from_parts(year, month, a)?;
        return Some((time.map_or(date, |time| time.on(date, DayHalf::Unstated)), end));
    }
    let (i, second) = next_part(tokens, 1, language)?;
    let TokenKind::Number(b) = second.kind else { return None };
    // "2026. gada 5. septembris"
    if has_year && let Some((month, end)) = next_month(tokens, i + 1, language) {
        return Some((date_from_parts(a, month, b)?, end));
    }
    let sign = kind_at(tokens, 1)?;
    let c = *tokens.get(4)?;
    let TokenKind::Number(third) = c.kind else { return None };
    if kind_at(tokens, 3) != Some(sign) || !matches!(sign, TokenKind::Sign('.' | '/' | '-')) {
        return None;
    }
    // An IP address or a version number has further parts.
    let goes_on = kind_at(tokens, 5) == Some(sign)
        && matches!(kind_at(tokens, 6), Some(TokenKind::Number(_)));
    // "2026. 9. 5. 15:12" is neither.
    if goes_on && kind_at(tokens, 7) != Some(TokenKind::Sign(':')) {
        return None;
    }
    let month = i8::try_from(b).ok()?;
    if has_year && language == Some("fa") && SOLAR_YEARS.contains(&a) {
        return Some((solar_date(a, month, third)?, 5));
    }
    if has_year {
        return Some((date_from_parts(a, month, third)?, 5));
    }
    // "15.9. 10:12" and "15. 9. 10:12" have no year.
    let is_apart = |i: usize| tokens[i].at > tokens[i - 1].at + tokens[i - 1].text.len();
    let year = year_of(c, (is_apart(2) || !is_apart(4)) && time_at(tokens, 4, language).is_none())?;
    if c.text.len() == 2
        && has_short_year_first(language, sign)
        && let Some(year) = year_of(tokens[0], true)
        && let Some(date) = date_from_parts(year, month, third)
    {
        return Some((date, 5));
    }
    let (day, month) = if a > 12 || a == b {
        (a, b)
    } else if b > 12 {
        (b, a)
    } else {
        match order.order() {
            DayMonthOrder::DayFirst => (a, b),
            DayMonthOrder::MonthFirst => (b, a),
            DayMonthOrder::Unknown => {
                let weekday = weekday()?;
                let falls_on_it = |(day, month): &(u32, u32)| {
                    let date =
                        i8::try_from(*month).ok().and_then(|m| date_from_parts(year, m, *day));
                    date.is_some_and(|d| d.date.weekday().to_sunday_zero_offset() == weekday)
                };
                let mut readings = [(a, b), (b, a)].into_iter().filter(falls_on_it);
                readings.next().filter(|_| readings.next().is_none())?
            }
        }
    };
    Some((date_from_parts(year, i8::try_from(month).ok()?, day)?, 5))
}

/// The weekday directly before or after a numeric date, 0 for Sunday.
fn weekday_near(tokens: &[Token<'_>], at: usize, language: Option<&str>) -> Option<i8> {
    let before = tokens[..at].iter().rev().take(3);
    let near = before.chain(tokens.iter().skip(at + 5).take(2));
    near.filter(|token| token.kind == TokenKind::Word)
        .find_map(|token| weekday_of(token.text, true, language))
}

/// Whether a language writes short dates with the year first, in the
/// [CLDR](https://cldr.unicode.org/translation/date-time/date-time-patterns): "26. 9. 15.", "26/9/15". Swedish and Lithuanian
/// do so only with hyphens.
fn has_short_year_first(language: Option<&str>, sign: TokenKind) -> bool {
    match language {
        Some("ko" | "ja" | "zh" | "hu" | "mn" | "ne" | "eu") => true,
        Some("sv" | "lt") => sign == TokenKind::Sign('-'),
        _ => false,
    }
}

/// Han numerals: digits, and ten.
const HAN_DIGITS: [char; 12] =
    ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '零'];

/// The number of a token in digits or Han numerals ("二〇二六", "二十一").
fn number_of(token: &Token<'_>) -> Option<u32> {
    if let TokenKind::Number(number) = token.kind {
        return Some(number);
    }
    let (mut number, mut is_after_ten) = (0u32, false);
    for c in token.text.chars() {
        let digit = HAN_DIGITS.iter().position(|han| *han == c)? as u32 % 11;
        number = match digit {
            10 => number.max(1).checked_mul(10)?,
            digit if is_after_ten => number.checked_add(digit)?,
            digit => number.checked_mul(10)?.checked_add(digit)?,
        };
        is_after_ten = digit == 10;
    }
    Some(number)
}

/// Japanese eras, each with the year before its first year.
const ERAS: [(&str, u32); 3] = [("令和", 2018), ("平成", 1988), ("昭和", 1925)];

/// "2012年11月21日", "2012년 11월 21일", "令和8年9月5日", "115年9月5日" (of the Republic of China)
fn date_in_cjk(tokens: &[Token<'_>], at: usize) -> Option<(PageDate, usize)> {
    let [year, y, month, m, day, ..] = tokens.get(at..)? else { return None };
    let (TokenKind::Sign('年' | '년'), TokenKind::Sign('月' | '월')) = (y.kind, m.kind) else {
        return None;
    };
    let era = at
        .checked_sub(1)
        .and_then(|before| ERAS.iter().find(|(era, _)| tokens[before].text.ends_with(era)));
    let year = match (number_of(year)?, era) {
        (year, Some((_, before))) => before + year.min(999),
        (year @ 80..=199, None) => 1911 + year,
        (year, None) => year,
    };
    let (month, day) = (number_of(month)?, number_of(day)?);
    let has_mark = matches!(kind_at(tokens, at + 5), Some(TokenKind::Sign('日' | '일')));
    Some((date_from_parts(year, i8::try_from(month).ok()?, day)?, 5 + usize::from(has_mark)))
}

fn year_of(token: Token<'_>, short: bool) -> Option<u32> {
    let TokenKind::Number(year) = token.kind else { return None };
    match token.text.chars().count() {
        4 => Some(year),
        2 if short => Some(if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

/// Converts a Solar Hijri date; 8 of 33 years are leap years.
fn solar_date(year: u32, month: i8, day: u32) -> Option<PageDate> {
    let (year, month, day) = (i64::from(year), i64::from(month), i64::from(day));
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let leap_days = |year: i64| (8 * year + 21) / 33;
    let before = 365 * (year - 1370) + leap_days(year) - leap_days(1370);
    let in_year = if month <= 7 { 31 * (month - 1) } else { 30 * (month - 1) + 6 } + day - 1;
    let date = Date::constant(1991, 3, 21).checked_add(Span::new().days(before + in_year)).ok()?;
    PageDate::date(date.year(), date.month(), date.day())
}

/// The years of the Solar Hijri calendar that are recognised on pages.
const SOLAR_YEARS: Range<u32> = 1369..1500;

fn date_from_parts(year: u32, month: i8, day: u32) -> Option<PageDate> {
    if month > 12 {
        return SOLAR_YEARS.contains(&year).then(|| solar_date(year, month - 12, day))?;
    }
    // Thai years count from the death of the Buddha.
    let year = if (2500..2700).contains(&year) { year - 543 } else { year };
    PageDate::date(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?)
}

/// Words between a date and its time, besides fillers ([`is_filler`]) and weekdays, folded.
const BEFORE_TIME: [&str; 36] = [
    "t", "at", "um", "a", "as", "las", "la", "alle", "ore", "ora", "ob", "o", "godz", "v", "в",
    "о", "у", "u", "klo", "kl", "kello", "kell", "om", "pa", "saat", "pukul", "jam", "luc", "lúc",
    "vao", "στις", "г", "года", "р", "року", "plkst",
];

/// Looks for a time of day after the tokens of a date, then directly before them, but not before the token `from`. Also returns
/// where the date or its time ends.
fn add_time(
    moment: PageDate,
    tokens: &[Token<'_>],
    from: usize,
    Range { start, end }: Range<usize>,
    order: &impl KnowsOrder,
) -> (PageDate, usize) {
    let language = order.language();
    let time_on = |time: WrittenTime<'_>, half: DayHalf| match order.has_24_hours() {
        true => {
            WrittenTime { half: time.half.or_unstated(), ..time }.on(moment, half.or_unstated())
        }
        false => time.on(moment, half),
    };
    for i in end..tokens.len().min(end + 5) {
        let Some(time) = time_at(tokens, i, language) else { continue };
        // "下午 3:12"; an unknown word may name a half of the day, too.
        let mut words = (end..i).filter(|i| tokens[*i].kind == TokenKind::Word);
        let all: String = words.clone().map(|i| tokens[i].text).collect();
        let last = words.clone().next_back().map_or("", |i| tokens[i].text);
        let mut halves = [&*all, last].into_iter();
        let half = halves.find_map(|words| half_of_day(&join_letters(words), language));
        let is_known = |i: usize| {
            let word = tokens[i].text;
            BEFORE_TIME.contains(&&*join_letters(word))
                || is_between(tokens, i, language)
                || is_weekday(word, true, language)
        };
        let half = match half {
            Some(second) => DayHalf::Known(second),
            None if words.all(is_known) => DayHalf::Unstated,
            None => DayHalf::Unknown,
        };
        let timed = time_on(time, half);
        return (timed, if timed.time.is_some() { i + 3 } else { end });
    }
    let before = (start.saturating_sub(8).max(from)..start).find_map(|i| {
        let word = i.checked_sub(1).filter(|word| tokens[*word].kind == TokenKind::Word);
        let half = word.and_then(|word| half_of_day(&join_letters(tokens[word].text), language));
        Some((time_at(tokens, i, language)?, half.map_or(DayHalf::Unstated, DayHalf::Known)))
    });
    (before.map_or(moment, |(time, half)| time_on(time, half)), end)
}

/// What a text says about the half of the day of a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DayHalf {
    /// Nothing: the time is on a 24-hour clock.
    Unstated,
    /// Whether it is the second half.
    Known(bool),
    /// Something unknown.
    Unknown,
}

impl DayHalf {
    /// For a 24-hour clock: unknown words mean something other than a half of the day.
    fn or_unstated(self) -> Self {
        if self == Self::Unknown { Self::Unstated } else { self }
    }
}

/// Whether a text contains a time with an hour above twelve.
pub(crate) fn shows_24_hours(text: &str) -> bool {
    if count_bytes(text, |byte| byte.is_ascii_digit()) < LEAST_DIGITS {
        return false;
    }
    let tokens = tokens(clip(text, 400));
    (0..tokens.len()).any(|at| time_at(&tokens, at, None).is_some_and(|time| time.hour > 12))
}

struct WrittenTime<'a> {
    hour: u32,
    minute: u32,
    second: u32,
    /// The half of the day, as stated after the time.
    half: DayHalf,
    zone: ZoneText<'a>,
}

impl WrittenTime<'_> {
    /// The date with this time; only the date if the half of the day matters and is unknown.
    fn on(&self, date: PageDate, half_before: DayHalf) -> PageDate {
        let half = match (self.half, half_before) {
            (DayHalf::Known(_), _) | (DayHalf::Unknown, DayHalf::Unstated) => self.half,
            _ => half_before,
        };
        let hour = match (half, self.hour) {
            (DayHalf::Unknown, 1..=11) => return date,
            (DayHalf::Known(true), 1..=11) => self.hour + 12,
            (DayHalf::Known(false), 12) => 0,
            (_, hour) => hour,
        };
        let timed = date.with_time(hour as i8, self.minute as i8, self.second as i8);
        let Some(time) = timed.time else { return date };
        let offset = match self.zone {
            ZoneText::Offset(offset) => offset,
            ZoneText::Name(ref name) => zone_offset(name, date.date.to_datetime(time)),
        };
        PageDate { offset, ..timed }
    }
}

/// A time zone as written.
enum ZoneText<'a> {
    Offset(Option<Offset>),
    Name(Cow<'a, str>),
}

/// The order of day and month in `3/4/2012`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) enum DayMonthOrder {
    DayFirst,
    MonthFirst,
    Unknown,
}

/// Provides the order of day and month, computing it only when needed: most dates do not need it.
pub(crate) trait KnowsOrder {
    fn order(&self) -> DayMonthOrder;

    /// The language of the text as an ISO 639 code, if it is known.
    fn language(&self) -> Option<&str> {
        None
    }

    /// Whether times are known to have 24 hours.
    fn has_24_hours(&self) -> bool {
        false
    }
}

impl KnowsOrder for DayMonthOrder {
    fn order(&self) -> DayMonthOrder {
        *self
    }
}

impl DayMonthOrder {
    /// Determines the order by language tag, or by country-code domain if the tag has no region.
    pub(crate) fn of(language: Option<&str>, host: Option<&str>) -> Self {
        let tag = language.unwrap_or_default().to_lowercase().replace('_', "-");
        let country = host.and_then(|h| h.rsplit('.').next()).unwrap_or_default();
        let region = tag.split('-').skip(1).find(|part| part.len() == 2).unwrap_or(country);
        match (tag.split('-').next().unwrap_or_default(), region) {
            ("en" | "", "us") => Self::MonthFirst,
            // Languages that write the year first, or use both orders.
            ("en" | "" | "zh" | "ja" | "ko" | "hu" | "lt" | "sv" | "mn" | "fil" | "tl", region) => {
                match region {
                    "gb" | "uk" | "au" | "nz" | "ie" | "in" | "sg" | "de" | "fr" | "es" | "it"
                    | "at" | "br" | "nl" => Self::DayFirst,
                    _ => Self::Unknown,
                }
            }
            _ => Self::DayFirst,
        }
    }
}

/// A number, a word or a sign of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    /// Byte offset of its start.
    pub(crate) at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Number(u32),
    Word,
    Sign(char),
}

fn kind_at(tokens: &[Token<'_>], at: usize) -> Option<TokenKind> {
    tokens.get(at).map(|token| token.kind)
}

/// The numbers, words and signs of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        // Browsers print Arabic dates with directional marks.
        if c.is_whitespace() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}') {
            continue;
        }
        let class = class(c);
        let mut end = at + c.len_utf8();
        if class != 2 {
            while let Some((next, c)) = chars.next_if(|(_, c)| self::class(*c) == class) {
                end = next + c.len_utf8();
            }
        }
        let piece = &text[at..end];
        let kind = match class {
            0 if piece.chars().count() <= 9 => {
                TokenKind::Number(piece.chars().fold(0, |n, c| n * 10 + digit(c).unwrap_or(0)))
            }
            2 => TokenKind::Sign(c),
            _ => TokenKind::Word,
        };
        tokens.push(Token { kind, text: piece, at });
    }
    tokens
}

/// 0 for a digit, 1 for a letter, 2 for anything else; CJK date marks are separate tokens.
fn class(c: char) -> u8 {
    match c {
        '0'..='9' => 0,
        'a'..='z' | 'A'..='Z' => 1,
        _ if c.is_ascii() => 2,
        _ if digit(c).is_some() => 0,
        '年' | '月' | '日' | '년' | '월' | '일' | 'º' | 'ª' => 2,
        _ if is_in_word(c) => 1,
        _ => 2,
    }
}

/// Minimum number of digits of a date: "3-May-12".
const LEAST_DIGITS: u32 = 3;

/// Whether a text may contain the digits of a date: ASCII digits, characters with the same first byte as another supported digit,
/// or Han numerals.
fn may_be_dated(text: &str) -> bool {
    count_bytes(text, |byte| byte.is_ascii_digit()) >= LEAST_DIGITS
        || count_bytes(text, |byte| matches!(byte, 0xd9 | 0xdb | 0xe0 | 0xe1 | 0xef)) > 0
        || !text.is_ascii() && text.contains('年')
}

/// The number of bytes for which `is_one` is true. Small counters allow the compiler to vectorise the loop.
fn count_bytes(text: &str, is_one: impl Fn(u8) -> bool) -> u32 {
    let count = |bytes: &[u8]| bytes.iter().fold(0u8, |sum, byte| sum + u8::from(is_one(*byte)));
    text.as_bytes().chunks(200).map(|bytes| u32::from(count(bytes))).sum()
}

/// The digit zero of each supported script, from Arabic to full-width Latin.
const ZEROS: [u32; 18] = [
    0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
    0xed0, 0xf20, 0x1040, 0x17e0, 0xff10,
];

fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let code = c as u32;
    ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|digit| *digit < 10))
}

/// "10:30", "10:30:05 pm EST", "10h30", "10.30 Uhr", "10時30分".
fn time_at<'a>(tokens: &[Token<'a>], at: usize, language: Option<&str>) -> Option<WrittenTime<'a>> {
    let [hour, sign, minute, ..] = tokens.get(at..)? else { return None };
    let (TokenKind::Number(hour), TokenKind::Number(minutes)) = (hour.kind, minute.kind) else {
        return None;
    };
    let word =
        |i: usize| tokens.get(i).filter(|t| t.kind == TokenKind::Word).map_or("", |t| t.text);
    let is_time = match sign.kind {
        TokenKind::Sign(':') => true,
        TokenKind::Sign('.') => {
            // "kl. 10.12", "2026, 10.12"
            let before = tokens[..at].iter().rfind(|token| token.kind != TokenKind::Sign('.'));
            let is_expected = before.is_some_and(|token| match token.kind {
                TokenKind::Word => {
                    token.text.len() > 1 && BEFORE_TIME.contains(&&*join_letters(token.text))
                }
                TokenKind::Sign(',') | TokenKind::Number(1990..2100) => tokens.len() == at + 3,
                _ => false,
            });
            word(at + 3).eq_ignore_ascii_case("uhr")
                || matches!(word(at + 3), "GMT" | "BST")
                || is_expected && kind_at(tokens, at + 3) != Some(TokenKind::Sign('.'))
        }
        TokenKind::Word => ["h", "H", "時", "时", "點", "点", "시"].contains(&sign.text),
        _ => false,
    };
    let mut next = at + 3;
    // "20:0:0"
    let has_second = kind_at(tokens, next) == Some(TokenKind::Sign(':'));
    let is_minute = minute.text.chars().count() == 2 || has_second;
    if !is_time || hour > 23 || minutes > 59 || !is_minute {
        return None;
    }
    let mut second = 0;
    if has_second && let Some(TokenKind::Number(s)) = kind_at(tokens, next + 1) {
        second = s.min(59);
        next += 2;
    }
    // "pm", "p.m.", "μ.μ."
    let is_point = |i: usize| kind_at(tokens, i) == Some(TokenKind::Sign('.'));
    let mut half = DayHalf::Unstated;
    let is_letter = |i: usize| word(i).chars().count() == 1;
    // "3:12 ч. pm"
    if is_letter(next)
        && word(next) != "Z"
        && !(is_point(next + 1) && is_letter(next + 2))
        && half_of_day(&join_letters(word(next)), language).is_none()
    {
        next += 1 + usize::from(is_point(next + 1));
    }
    let parts = if is_letter(next) && is_point(next + 1) && is_letter(next + 2) { 3 } else { 1 };
    let letters = [word(next), if parts == 3 { word(next + 2) } else { "" }].concat();
    if let Some(second) = half_of_day(&join_letters(&letters), language) {
        half = DayHalf::Known(second);
    } else if parts == 3 || may_tell_half(&tokens[next.min(tokens.len())..], language) {
        half = DayHalf::Unknown;
    }
    if matches!(half, DayHalf::Known(_)) || parts == 3 {
        next += parts + usize::from(is_point(next + parts));
    }
    Some(WrittenTime { hour, minute: minutes, second, half, zone: zone(tokens, next) })
}

/// Words for hours and minutes after a time, folded.
const UNITS: [&str; 7] = ["uhr", "uur", "hrs", "hs", "min", "hodin", "часов"];

/// Whether words directly after a time may be an unknown name of a half of the day: "3:12 CH", "3:12 de la tarde". A name, a
/// number or a label with a colon has nothing to do with the time. Chinese, Japanese and Korean put such words before the time.
fn may_tell_half(mut tokens: &[Token<'_>], language: Option<&str>) -> bool {
    if let [first, rest @ ..] = tokens
        && UNITS.contains(&&*join_letters(first.text))
    {
        tokens = rest;
    }
    let words = tokens.iter().take_while(|token| token.kind == TokenKind::Word).count();
    let (Some(first), true) = (tokens.first(), words > 0) else { return false };
    let begins_with = |at: usize, is_it: fn(char) -> bool| {
        tokens.get(at).is_some_and(|token| token.text.starts_with(is_it))
    };
    let key = join_letters(first.text);
    let is_code = words == 1 && first.text.len() <= 3 && !first.text.contains(char::is_lowercase);
    // Abbreviations of time zones end in "time".
    let is_zone =
        || first.text.ends_with('T') || zone_offset(first.text, Default::default()).is_some();
    let is_next = match begins_with(0, char::is_uppercase) {
        true => !is_code || is_zone(),
        false => begins_with(1, char::is_uppercase) || begins_with(0, |c| c >= '\u{3040}'),
    };
    let is_known = || {
        first.text.chars().count() == 1
            || key == "by"
            || BEFORE_TIME.contains(&&*key)
            || is_filler(&key, language)
            || is_weekday(first.text, true, language)
    };
    let after = kind_at(tokens, words);
    let is_label = matches!(after, Some(TokenKind::Sign(':' | '：' | '/')));
    let is_of_date = words == 1 && matches!(after, Some(TokenKind::Number(_)));
    !(is_next || is_label || is_of_date || is_known())
}

/// "+01:00", "GMT+7", "(GMT +0200)", "EST", "Asia/Tokyo".
fn zone<'a>(tokens: &[Token<'a>], at: usize) -> ZoneText<'a> {
    let at = at + usize::from(kind_at(tokens, at) == Some(TokenKind::Sign('(')));
    let from_sign = |at: usize, is_after_name: bool| {
        let (sign, digits) = (tokens.get(at)?, tokens.get(at + 1)?);
        let TokenKind::Sign(c @ ('+' | '-' | '−')) = sign.kind else { return None };
        // "10:05 - 21 comments", "10:05 -21 comments"
        let is_glued = sign.at + sign.text.len() == digits.at;
        let minutes = match tokens.get(at + 2..at + 4) {
            Some([Token { kind: TokenKind::Sign(':'), .. }, minutes]) => minutes.text,
            _ => "00",
        };
        let is_offset = match digits.text.len() {
            4 => true,
            2 => is_after_name || c == '+' || minutes != "00",
            1 => is_after_name,
            _ => false,
        };
        (is_glued && is_offset).then(|| match digits.text.len() {
            4 => offset(&format!("{c}{}", digits.text)),
            _ => offset(&format!("{c}{}:{minutes}", digits.text)),
        })?
    };
    let Some(Token { kind: TokenKind::Word, text, .. }) = tokens.get(at) else {
        return ZoneText::Offset(from_sign(at, false));
    };
    if matches!(*text, "GMT" | "UTC" | "UT") {
        let stated = from_sign(at + 1, true);
        return ZoneText::Offset(stated.or(Some(Offset::UTC)));
    }
    let mut name = Cow::Borrowed(*text);
    let rest = tokens[at + 1..].chunks_exact(2);
    let rest = rest.map_while(|pair| match (pair[0].kind, pair[1].kind) {
        (TokenKind::Sign('/' | '_' | '-'), TokenKind::Word) => Some(pair),
        _ => None,
    });
    // In "CST / Updated", the word after the slash is not part of the name.
    let is_glued = |sign: &Token<'_>| sign.at == tokens[at].at + text.len();
    if tokens.get(at + 1).is_some_and(|sign| sign.kind == TokenKind::Sign('/') && is_glued(sign)) {
        rest.flatten().for_each(|token| name.to_mut().push_str(token.text));
    }
    ZoneText::Name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn read(text: &str, order: impl KnowsOrder, expected: &str) {
        let found = find_date(text, &order).map(|f| f.moment.to_string());
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{text:?}");
    }

    struct Persian;

    impl KnowsOrder for Persian {
        fn order(&self) -> DayMonthOrder {
            DayMonthOrder::DayFirst
        }

        fn language(&self) -> Option<&str> {
            Some("fa")
        }
    }

    #[test]
    fn years_of_the_solar_hijri_calendar() {
        for (text, expected) in [
            ("چهارشنبه ۱ فروردین ۱۴۰۳", "2024-03-20"),
            ("۳۰ اسفند ۱۳۹۹ - ۱۰:۰۵", "2021-03-20T10:05:00"),
            ("11 دی 1402", "2024-01-01"),
            ("۱۴۰۴/۰۱/۰۱", "2025-03-21"),
            ("۱۱ نوامبر ۲۰۱۲", "2012-11-11"),
            ("۳۲ دی ۱۴۰۲", "none"),
        ] {
            read(text, Persian, expected);
        }
        read("11 دی 1402", DayMonthOrder::DayFirst, "none");
        read("3/4/1402", DayMonthOrder::DayFirst, "1402-04-03");
    }

    #[test]
    fn each_date_has_a_time_of_its_own() {
        let times = |text: &str| -> Vec<String> {
            let found = find_dates(text, &DayMonthOrder::DayFirst, 3);
            found.iter().map(|date| date.moment.to_string()).collect()
        };
        for (text, expected) in [
            ("15.01.2024, 09:30 | 16.01.2024", ["2024-01-15T09:30:00", "2024-01-16"]),
            (
                "am 15. Januar 2024 um 9.30 Uhr, aktualisiert 16.1.2024",
                ["2024-01-15T09:30:00", "2024-01-16"],
            ),
            ("09:30, 15 May 2024, 10:00, 16 May 2024", ["2024-05-15T10:00:00", "2024-05-16"]),
            ("15 May 2024, updated 10:00 on 16 May 2024", ["2024-05-15", "2024-05-16T10:00:00"]),
            (
                "Jan 15, 2024 / 09:30 AM CST / Jan 16, 2024 / 10:00 AM CST",
                ["2024-01-15T09:30:00-06:00", "2024-01-16T10:00:00-06:00"],
            ),
            (
                "Mon 15 Jan 2024 09.30 GMT, Tue 16 Jan 2024 10.00 GMT",
                ["2024-01-15T09:30:00Z", "2024-01-16T10:00:00Z"],
            ),
        ] {
            assert_eq!(times(text), expected, "{text}");
        }
    }

    #[test]
    fn letters_with_signs_have_several_spellings() {
        for (text, expected) in [
            ("১৫ জানু\u{9df}ারি ২০২৪", "2024-01-15"),
            ("১৫ জানু\u{9af}\u{9bc}ারি ২০২৪", "2024-01-15"),
            ("15 أغسطس 2024", "2024-08-15"),
            ("15 اغسطس 2024", "2024-08-15"),
        ] {
            read(text, DayMonthOrder::DayFirst, expected);
        }
    }

    #[test]
    fn month_names_of_india() {
        for (text, expected) in [
            ("15 मई 2024", "2024-05-15"),
            ("२१ नवंबर २०१२", "2012-11-21"),
            ("21 नवम्बर 2012", "2012-11-21"),
            ("05 फ़रवरी 2024, 10:05 AM", "2024-02-05T10:05:00"),
            ("05 फरवरी 2024", "2024-02-05"),
            ("15 सितंबर 2024", "2024-09-15"),
            ("15 अक्टूबर 2024", "2024-10-15"),
            ("21 নভেম্বর 2012", "2012-11-21"),
            ("21 நவம்பர் 2012", "2012-11-21"),
        ] {
            read(text, DayMonthOrder::DayFirst, expected);
        }
    }

    #[test]
    fn month_names_decide() {
        for (text, expected) in [
            ("Published November 21, 2012", "2012-11-21"),
            ("Wed, 21 Nov 2012 10:05:30 GMT", "2012-11-21T10:05:30Z"),
            ("Wed, 21 Nov 2012 10:05:30 +0100", "2012-11-21T10:05:30+01:00"),
            ("21st of November 2012", "2012-11-21"),
            ("Nov. 21, 2012 at 4:05 p.m. EST", "2012-11-21T16:05:00-05:00"),
            ("Mittwoch, 21. November 2012, 10:05 Uhr", "2012-11-21T10:05:00"),
            ("21. März 2012 um 10.05 Uhr", "2012-03-21T10:05:00"),
            ("le 1er août 2012 à 10h05", "2012-08-01T10:05:00"),
            ("mar 21 nov 2012", "2012-11-21"),
            ("21 de noviembre de 2012", "2012-11-21"),
            ("1º de março de 2012", "2012-03-01"),
            ("21 novembre 2012", "2012-11-21"),
            ("2012. november 21., szerda 10:05", "2012-11-21T10:05:00"),
            ("21 maart 2012", "2012-03-21"),
            ("21 listopada 2012", "2012-11-21"),
            ("21 ноября 2012, 10:05", "2012-11-21T10:05:00"),
            ("2012年11月21日 10:05", "2012-11-21T10:05:00"),
            ("2012년 11월 21일", "2012-11-21"),
            ("21-Nov-12", "2012-11-21"),
            ("10:05 a.m. EST November 21, 2012", "2012-11-21T10:05:00-05:00"),
            ("12:05 AM, May 3rd, 2012", "2012-05-03T00:05:00"),
            ("Tue May 03 2012 10:05:00 GMT+0530 (India)", "2012-05-03T10:05:00+05:30"),
            ("3 May 2012 10:05 (GMT-3)", "2012-05-03T10:05:00-03:00"),
            ("3 May 2012 10:05 UTC+5:45", "2012-05-03T10:05:00+05:45"),
            ("3 May 2012 10:05 KST", "2012-05-03T10:05:00+09:00"),
            ("3 May 2012 10:05 Asia/Ho_Chi_Minh", "2012-05-03T10:05:00+07:00"),
            ("3 May 2012 10:05 - 21 comments", "2012-05-03T10:05:00"),
            ("2012年5月3日 午後3時12分", "2012-05-03T15:12:00"),
            ("2012. 5. 3. 오후 3:12", "2012-05-03T15:12:00"),
            ("3 Μαΐου 2012, 3:12 μ.μ.", "2012-05-03T15:12:00"),
            // Unknown words for a half of the day.
            ("2012年5月3日 傍晚6:12", "2012-05-03"),
            ("3 May 2012, 3:12 x.y.", "2012-05-03"),
            ("2012. május 3. du. 3:12", "2012-05-03"),
            ("2012. május 3. du. 15:12", "2012-05-03T15:12:00"),
            ("3 de mayo de 2012, a las 9:12", "2012-05-03T09:12:00"),
            ("2012. május 3-án 9:12", "2012-05-03T09:12:00"),
            // Other languages, numerals and calendars.
            ("3. svibnja 2012.", "2012-05-03"),
            ("Ngày 3 tháng 5 năm 2012", "2012-05-03"),
            ("ngày 03 tháng 05 năm 2012", "2012-05-03"),
            ("13\u{200f}/5\u{200f}/2012، 13:12", "2012-05-13T13:12:00"),
            ("3. septembra 2012", "2012-09-03"),
            ("3. septembril 2012", "2012-09-03"),
            ("3. júna 2012", "2012-06-03"),
            ("3 พ.ค. 2555", "2012-05-03"),
            ("३ मई २०१२", "2012-05-03"),
            ("2012ko maiatzaren 3a", "2012-05-03"),
            ("3 Meán Fómhair 2012", "2012-09-03"),
            ("3 במאי 2012", "2012-05-03"),
            ("平成24年5月3日", "2012-05-03"),
            ("101年5月3日", "2012-05-03"),
            ("二〇一二年五月三日", "2012-05-03"),
            ("木, 10 9月 2026 08:30:00 +0900", "2026-09-10T08:30:00+09:00"),
            ("週四, 10 九月 2026 08:30", "2026-09-10T08:30:00"),
        ] {
            read(text, DayMonthOrder::Unknown, expected);
        }
    }

    #[test]
    fn halves_of_the_day_that_are_not_understood() {
        for (text, expected) in [
            ("15/05/2024 3:12 CH", "2024-05-15"),
            ("15 de mayo de 2024, 3:12 de la tarde", "2024-05-15"),
            ("15. Mai 2024, 3:12 Uhr nachmittags", "2024-05-15"),
            ("15 května 2024 v 3:12 odp.", "2024-05-15"),
            ("15 พฤษภาคม 2567 3:12 หลังเที่ยง", "2024-05-15"),
            ("15 mai 2024, 3:12 e xyz", "2024-05-15"),
            ("15 May 2024, 3:12 h. pm", "2024-05-15T15:12:00"),
            ("15 de mayo de 2024, 15:12 de la tarde", "2024-05-15T15:12:00"),
            // What follows is something else.
            ("15 May 2024 3:12 Jane Doe", "2024-05-15T03:12:00"),
            ("15 May 2024 3:12 by admin", "2024-05-15T03:12:00"),
            ("15 May 2024 3:12 in Sports", "2024-05-15T03:12:00"),
            ("15 May 2024 3:12 last change: 4:12", "2024-05-15T03:12:00"),
            ("15 mei 2024 om 3:12 uur", "2024-05-15T03:12:00"),
            ("15 May 2024 3:12 IST", "2024-05-15T03:12:00"),
            ("3:12 on 15 May 2024", "2024-05-15T03:12:00"),
            ("2024年5月15日 3:12 来源", "2024-05-15T03:12:00"),
            ("15 мая 2024, 3:12 ч.", "2024-05-15T03:12:00"),
        ] {
            read(text, DayMonthOrder::DayFirst, expected);
        }
    }

    #[test]
    fn years_of_two_digits() {
        for (text, expected) in [
            ("15.5.24", "2024-05-15"),
            ("15. 5. 24", "2024-05-15"),
            ("15.5. 10:12 Uhr", "none"),
            ("15. 5. 10:12", "none"),
            ("15.5. 10 Fotos", "none"),
            ("15-May 10:12", "none"),
            ("15-mai. 10h12", "none"),
            ("1-May 12 photos", "none"),
            ("Wed, 15 May 24 08:30:00 GMT", "2024-05-15T08:30:00Z"),
            ("15 May 24 photos", "none"),
        ] {
            read(text, DayMonthOrder::DayFirst, expected);
        }
        for (text, language, expected) in [
            ("24.05.15", "ko", "2024-05-15"),
            ("24. 5. 15. 15:12", "ko", "2024-05-15T15:12:00"),
            ("24/05/15", "ja", "2024-05-15"),
            ("24-05-15", "sv", "2024-05-15"),
            ("24/05/15", "sv", "2015-05-24"),
            ("24/05/15", "fr", "2015-05-24"),
        ] {
            read(text, Of(language), expected);
        }
    }

    #[test]
    fn the_time_before_the_year() {
        for (text, expected) in [
            ("Wed May 15 08:30:00 UTC 2024", "2024-05-15T08:30:00Z"),
            ("Wed May 15 08:30:00 2024", "2024-05-15T08:30:00"),
            ("Wed May 15 08:30:00 +0200 2024", "2024-05-15T08:30:00+02:00"),
            ("Wed May 15 08:30:00 GMT+02:00 2024", "2024-05-15T08:30:00+02:00"),
            ("Wed 15 May 08:30:00 EDT 2024", "2024-05-15T08:30:00-04:00"),
            ("15 May 8:30, 3 comments in 2024", "none"),
            ("May 15, 2024 20:0:0", "2024-05-15T20:00:00"),
        ] {
            read(text, DayMonthOrder::Unknown, expected);
        }
    }

    struct Of(&'static str);

    impl KnowsOrder for Of {
        fn order(&self) -> DayMonthOrder {
            DayMonthOrder::Unknown
        }

        fn language(&self) -> Option<&str> {
            Some(self.0)
        }
    }

    #[test]
    fn languages_have_words_in_dates() {
        read("2012 m. gegužės 3 d. 10:12", Of("lt"), "2012-05-03T10:12:00");
        read("2012. gada 3. maijs, plkst. 10:12", Of("lv"), "2012-05-03T10:12:00");
        read("2012 оны 5-р сарын 3", Of("mn"), "2012-05-03");
        read("3. listopada 2012.", Of("hr"), "2012-10-03");
        read("3 xyz 2012", Of("xx"), "none");
    }

    #[test]
    fn numbers_need_an_order() {
        read("21/11/2012", DayMonthOrder::Unknown, "2012-11-21");
        read("11/21/2012", DayMonthOrder::Unknown, "2012-11-21");
        read("03/04/2012", DayMonthOrder::Unknown, "none");
        read("03/04/2012", DayMonthOrder::DayFirst, "2012-04-03");
        read("03/04/2012", DayMonthOrder::MonthFirst, "2012-03-04");
        read("03.04.2012 10:05", DayMonthOrder::DayFirst, "2012-04-03T10:05:00");
        // English uses both orders with points, too.
        read("03.04.2012", DayMonthOrder::Unknown, "none");
        read("03.04.2012", DayMonthOrder::MonthFirst, "2012-03-04");
        read("2012/04/03", DayMonthOrder::MonthFirst, "2012-04-03");
        read("192.168.12.1", DayMonthOrder::DayFirst, "none");
        read("version 1.2.12.4", DayMonthOrder::DayFirst, "none");
        read("31/02/2012", DayMonthOrder::DayFirst, "none");
        read("3 comments in 2012", DayMonthOrder::DayFirst, "none");
        read("$1,000 2012", DayMonthOrder::DayFirst, "none");
    }

    #[test]
    fn languages_have_an_order() {
        assert_eq!(DayMonthOrder::of(Some("en-US"), None), DayMonthOrder::MonthFirst);
        assert_eq!(DayMonthOrder::of(Some("en_GB"), None), DayMonthOrder::DayFirst);
        assert_eq!(
            DayMonthOrder::of(Some("en"), Some("www.example.co.uk")),
            DayMonthOrder::DayFirst
        );
        assert_eq!(DayMonthOrder::of(Some("en"), Some("www.example.com")), DayMonthOrder::Unknown);
        assert_eq!(DayMonthOrder::of(Some("fr"), None), DayMonthOrder::DayFirst);
        assert_eq!(DayMonthOrder::of(None, None), DayMonthOrder::Unknown);
    }

    #[test]
    fn changes_are_distinguished_from_publication() {
        let text = "Published 3 May 2012, last updated 4 May 2012 at 10:05";
        let found = find_dates(text, &DayMonthOrder::Unknown, 4);
        let moments: Vec<_> = found.iter().map(|f| (f.moment.to_string(), f.is_change)).collect();
        let expected = [("2012-05-03".to_owned(), false), ("2012-05-04T10:05:00".to_owned(), true)];
        assert_eq!(moments, expected);
    }

    #[test]
    fn dates_that_give_their_order_away() {
        assert_eq!(shown_order("Posted 11/21/2012"), Some(DayMonthOrder::MonthFirst));
        assert_eq!(shown_order("3 comments, 21.11.2012"), Some(DayMonthOrder::DayFirst));
        assert_eq!(shown_order("11.21.12"), Some(DayMonthOrder::MonthFirst));
        assert_eq!(shown_order("The version 11.21.12 is out"), None);
        for text in
            ["11/12/2012", "2012-11-21", "21/11-2012", "13/14/2012", "11/21/1012", "11.21.123"]
        {
            assert_eq!(shown_order(text), None, "{text}");
        }
    }

    #[test]
    fn labels_of_publication() {
        for text in ["Published", "Publish date", "Veröffentlicht am", "发布时间："] {
            assert!(says_published(text), "{text}");
        }
        assert!(!says_published("Reviewed") && !says_published("Next event"));
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,80}") {
            find_dates(&text, &DayMonthOrder::DayFirst, 4);
            shown_order(&text);
        }

        #[test]
        fn nothing_panics_near_dates(text in "([0-9]{0,10}|november|tháng|ก.ย.|九十|年|月|h|pm|μ.μ.|下午|GMT|Asia/|\\+|[ .,:/()-]){0,24}") {
            find_dates(&text, &DayMonthOrder::MonthFirst, 4);
        }
    }

    #[test]
    fn texts_with_digits_are_looked_at() {
        for c in ('\0'..=char::MAX).filter(|c| digit(*c).is_some()) {
            assert!(may_be_dated(&c.to_string().repeat(3)), "{c:?}");
        }
        assert!(!may_be_dated("May the fourth, 12 others"));
    }
}
