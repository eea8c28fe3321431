//! Dates in text, in about twenty languages.
//!
//! A date needs a day, a month and a year with four digits (two where nothing else fits). Month
//! names are unambiguous; numbers are if only one order is possible, or if the order is known from
//! the page's language.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::tz::Offset;
use serde::{Deserialize, Serialize};
use terms::letters::is_alphabetic;

use crate::page_date::{PageDate, offset};
use crate::text::{LabelFinder, clip, fold, folded};

#[derive(Clone, Copy, Debug)]
pub(crate) struct TextDate {
    pub(crate) moment: PageDate,
    /// Byte offset of its start.
    pub(crate) at: usize,
    /// Whether it is labelled as the date of a change ("Updated May 3, 2012").
    pub(crate) is_change: bool,
}

/// The first date in a text, with a time next to it, if any.
pub(crate) fn find_date(text: &str, order: &impl KnowsOrder) -> Option<TextDate> {
    find_dates(text, order, 1).first().copied()
}

/// Dates in the first 400 bytes of a text, at most `limit`.
pub(crate) fn find_dates(text: &str, order: &impl KnowsOrder, limit: usize) -> Vec<TextDate> {
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
        found.push(TextDate { moment, at, is_change: says_changed(&text[after..at]) });
        i += length.max(1);
        after = tokens.get(i).map_or(text.len(), |t| t.at);
    }
    found
}

/// The order of day and month shown by an unambiguous numeric date: 11/21/2012 can be read in one
/// way only.
pub(crate) fn shown_order(text: &str) -> Option<DayMonthOrder> {
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
        let (TokenKind::Number(a), TokenKind::Number(b)) = (a.kind, b.kind) else { return None };
        let (TokenKind::Sign(x), TokenKind::Sign(y), TokenKind::Number(1990..2100)) =
            (x.kind, y.kind, year.kind)
        else {
            return None;
        };
        match (a, b) {
            _ if x != y || !"./-".contains(x) => None,
            (13..=31, 1..=12) => Some(DayMonthOrder::DayFirst),
            (1..=12, 13..=31) => Some(DayMonthOrder::MonthFirst),
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
static CHANGED: LazyLock<LabelFinder> = LazyLock::new(|| {
    LabelFinder::new(&[
        "updated", "modified", "last update", "revised", "reviewed", "edited", "corrected",
        "aktualisiert", "geandert", "stand:", "mis a jour", "modifie", "actualizado",
        "actualizacion", "modificado", "aggiornat", "modificat", "atualizado", "frissitve",
        "modositva", "bijgewerkt", "gewijzigd", "uppdaterad", "opdateret", "oppdatert",
        "aktualizacja", "aktualizovano", "обновлен", "更新",
    ])
});

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

/// Whether a text begins with "Posted", "Published" or the like.
pub(crate) fn begins_published(text: &str) -> bool {
    let first: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    folded(&first) == "posted" || says_published(&first)
}

/// Words between the parts of a date.
const FILLERS: [&str; 16] = [
    "st", "nd", "rd", "th", "er", "of", "de", "del", "d", "the", "di", "ST", "ND", "RD", "TH", "m",
];

/// Skips what may be between the parts of a date: ordinal signs, "of", "de", points, commas.
fn next_part<'a>(tokens: &[Token<'a>], mut at: usize) -> Option<(usize, Token<'a>)> {
    for _ in 0..4 {
        let token = *tokens.get(at)?;
        let filler = match token.kind {
            TokenKind::Sign(c) => ".,-/'’ºª‐–\u{a0}".contains(c),
            TokenKind::Word => FILLERS.contains(&token.text),
            TokenKind::Number(_) => false,
        };
        if !filler {
            return Some((at, token));
        }
        at += 1;
    }
    None
}

/// A date that begins at the first token, and the number of tokens it takes.
fn date_at(tokens: &[Token<'_>], order: &impl KnowsOrder) -> Option<(PageDate, usize)> {
    let first = tokens.first()?;
    if let TokenKind::Number(a) = first.kind {
        return date_in_cjk(tokens, a).or_else(|| starting_with_number(tokens, a, order));
    }
    // "November 21, 2012"
    let (i, day) = next_part(tokens, 1)?;
    let TokenKind::Number(day) = day.kind else { return None };
    let (j, year) = next_part(tokens, i + 1)?;
    let year = year_of(year, false)?;
    let month = (day <= 31).then(|| month_of(first.text))??;
    Some((date_from_parts(year, month, day)?, j + 1))
}

fn starting_with_number(
    tokens: &[Token<'_>],
    a: u32,
    order: &impl KnowsOrder,
) -> Option<(PageDate, usize)> {
    let (i, second) = next_part(tokens, 1)?;
    match second.kind {
        // "21 November 2012", "2012. november 21.", "21-Nov-12"
        TokenKind::Word => {
            let month = month_of(second.text)?;
            let (j, third) = next_part(tokens, i + 1)?;
            if tokens[0].text.chars().count() == 4 {
                let TokenKind::Number(day) = third.kind else { return None };
                return Some((date_from_parts(a, month, day)?, j + 1));
            }
            let dashed = matches!(tokens[1].kind, TokenKind::Sign('-' | '/'));
            Some((date_from_parts(year_of(third, dashed)?, month, a)?, j + 1))
        }
        TokenKind::Number(b) => {
            let (signs, c) = match tokens {
                [
                    _,
                    Token { kind: TokenKind::Sign(x), .. },
                    _,
                    Token { kind: TokenKind::Sign(y), .. },
                    c,
                    ..,
                ] => ((*x, *y), *c),
                _ => return None,
            };
            let TokenKind::Number(third) = c.kind else { return None };
            if signs.0 != signs.1 || !"./-".contains(signs.0) {
                return None;
            }
            // An IP address or a version number has further parts.
            let goes_on = matches!(tokens.get(5), Some(Token { kind: TokenKind::Sign(s), .. }) if *s == signs.0)
                && matches!(tokens.get(6), Some(Token { kind: TokenKind::Number(_), .. }));
            if goes_on {
                return None;
            }
            if tokens[0].text.chars().count() == 4 {
                return Some((date_from_parts(a, i8::try_from(b).ok()?, third)?, 5));
            }
            let year = year_of(c, true)?;
            let (day, month) = if a > 12 || a == b {
                (a, b)
            } else if b > 12 {
                (b, a)
            } else {
                match order.order() {
                    DayMonthOrder::DayFirst => (a, b),
                    DayMonthOrder::MonthFirst => (b, a),
                    DayMonthOrder::Unknown => return None,
                }
            };
            Some((date_from_parts(year, i8::try_from(month).ok()?, day)?, 5))
        }
        TokenKind::Sign(_) => None,
    }
}

/// "2012年11月21日", "2012년 11월 21일"
fn date_in_cjk(tokens: &[Token<'_>], year: u32) -> Option<(PageDate, usize)> {
    let [_, y, month, m, day, ..] = tokens else { return None };
    let (TokenKind::Sign('年' | '년'), TokenKind::Sign('月' | '월')) = (y.kind, m.kind) else {
        return None;
    };
    let (TokenKind::Number(month), TokenKind::Number(day)) = (month.kind, day.kind) else {
        return None;
    };
    Some((
        date_from_parts(year, i8::try_from(month).ok()?, day)?,
        5 + usize::from(tokens.len() > 5),
    ))
}

fn year_of(token: Token<'_>, short: bool) -> Option<u32> {
    let TokenKind::Number(year) = token.kind else { return None };
    match token.text.chars().count() {
        4 => Some(year),
        2 if short => Some(if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

fn date_from_parts(year: u32, month: i8, day: u32) -> Option<PageDate> {
    PageDate::date(i16::try_from(year).ok()?, month, i8::try_from(day).ok()?)
}

/// Looks for a time of day after the date, then right before it.
fn add_time(moment: PageDate, tokens: &[Token<'_>], start: usize, end: usize) -> PageDate {
    let after = (end..tokens.len().min(end + 5)).find_map(|i| time_at(moment, tokens, i));
    after
        .or_else(|| (start.saturating_sub(8)..start).find_map(|i| time_at(moment, tokens, i)))
        .unwrap_or(moment)
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
}

impl KnowsOrder for DayMonthOrder {
    fn order(&self) -> DayMonthOrder {
        *self
    }
}

impl DayMonthOrder {
    /// By language tag, or by country-code domain if the tag has no region.
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

/// The numbers, words and signs of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let class = class(c);
        let mut end = at + c.len_utf8();
        if class != 2 {
            while let Some((next, _)) = chars.next_if(|(_, c)| self::class(*c) == class) {
                end = next + text[next..].chars().next().map_or(1, char::len_utf8);
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

/// 0 digit, 1 letter, 2 anything else; CJK date marks are tokens of their own.
fn class(c: char) -> u8 {
    match c {
        _ if digit(c).is_some() => 0,
        '年' | '月' | '日' | '년' | '월' | '일' => 2,
        'º' | 'ª' => 2,
        _ if is_alphabetic(c) || c == '\u{301}' => 1,
        _ => 2,
    }
}

/// Whether a text may contain a digit that is supported here: an ASCII one, or a character with the
/// same first byte as one of the others.
pub(crate) fn may_have_digit(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit() || matches!(b, 0xd9 | 0xdb | 0xef))
}

fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => c.to_digit(10),
        '\u{660}'..='\u{669}' => Some(c as u32 - 0x660),
        '\u{6f0}'..='\u{6f9}' => Some(c as u32 - 0x6f0),
        '\u{ff10}'..='\u{ff19}' => Some(c as u32 - 0xff10),
        _ => None,
    }
}

/// "10:30", "10:30:05 pm EST", "10h30", "10.30 Uhr".
pub(crate) fn time_at(date: PageDate, tokens: &[Token<'_>], at: usize) -> Option<PageDate> {
    let [hour, sign, minute, ..] = tokens.get(at..)? else { return None };
    let (TokenKind::Number(hour), TokenKind::Number(minutes)) = (hour.kind, minute.kind) else {
        return None;
    };
    let word =
        |i: usize| tokens.get(i).filter(|t| t.kind == TokenKind::Word).map_or("", |t| t.text);
    let is_time = match sign.kind {
        TokenKind::Sign(':') => true,
        TokenKind::Sign('.') => word(at + 3).eq_ignore_ascii_case("uhr"),
        TokenKind::Word => sign.text == "h" || sign.text == "H",
        _ => false,
    };
    if !is_time || hour > 23 || minutes > 59 || minute.text.len() != 2 {
        return None;
    }
    let mut next = at + 3;
    let mut seconds = 0;
    if let (Some(TokenKind::Sign(':')), Some(TokenKind::Number(s))) =
        (tokens.get(next).map(|t| t.kind), tokens.get(next + 1).map(|t| t.kind))
    {
        seconds = s.min(59);
        next += 2;
    }
    let mut hour = hour as i8;
    // "pm", "p.m."
    let dotted = |i: usize| matches!(tokens.get(i), Some(Token { kind: TokenKind::Sign('.'), .. }));
    let half = word(next).to_ascii_lowercase();
    let half = match &*half {
        "a" | "p" if dotted(next + 1) && word(next + 2).eq_ignore_ascii_case("m") => {
            next += if dotted(next + 3) { 4 } else { 3 };
            half.chars().next()
        }
        "am" | "pm" => {
            next += 1;
            half.chars().next()
        }
        _ => None,
    };
    match half {
        Some('p') if hour < 12 => hour += 12,
        Some('a') if hour == 12 => hour = 0,
        _ => {}
    }
    let timed = date.with_time(hour, minutes as i8, seconds as i8);
    timed.time?;
    Some(PageDate { offset: zone(tokens, next), ..timed })
}

/// Offset, or one of the zone names of [RFC 2822](https://www.rfc-editor.org/rfc/rfc2822#section-4.3)
/// and the European ones.
fn zone(tokens: &[Token<'_>], at: usize) -> Option<Offset> {
    let open = matches!(tokens.get(at)?.kind, TokenKind::Sign('('));
    let token = tokens.get(at + usize::from(open))?;
    let hours = match (token.kind, token.text) {
        (TokenKind::Word, "GMT" | "UTC" | "UT" | "Z" | "WET") => 0,
        (TokenKind::Word, "EST") => -5,
        (TokenKind::Word, "EDT") => -4,
        (TokenKind::Word, "CST") => -6,
        (TokenKind::Word, "CDT") => -5,
        (TokenKind::Word, "MST") => -7,
        (TokenKind::Word, "MDT") => -6,
        (TokenKind::Word, "PST") => -8,
        (TokenKind::Word, "PDT") => -7,
        (TokenKind::Word, "CET" | "MEZ") => 1,
        (TokenKind::Word, "CEST" | "MESZ" | "EET") => 2,
        (TokenKind::Sign(sign @ ('+' | '-')), _) => {
            let digits = tokens.get(at + 1)?;
            let minutes = match tokens.get(at + 2..at + 4) {
                Some([Token { kind: TokenKind::Sign(':'), .. }, m]) => m.text,
                _ => "",
            };
            return match digits.text.len() {
                4 | 2 => offset(&format!("{sign}{}{minutes}", digits.text)),
                _ => None,
            };
        }
        _ => return None,
    };
    Offset::from_seconds(hours * 3600).ok()
}

#[rustfmt::skip]
const NAMES: [&str; 12] = [
    "january jan januar janner jaenner januari janvier janv enero ene gennaio gen janeiro \
     stycznia styczen ledna leden januara ianuarie ian ocak tammikuuta tammikuu января янв \
     січня ιανουαριου gener يناير",
    "february feb februar feber fevrier fevr febrero febbraio fevereiro fev februari febr \
     lutego luty unora unor februara februarie subat helmikuuta helmikuu февраля фев лютого \
     φεβρουαριου febrer فبراير",
    "march mar marz maerz mrz mars marzo marco marcius marc maart mrt marca marzec brezna \
     brezen marts martie mart maaliskuuta maaliskuu maret марта мар березня μαρτιου مارس",
    "april apr avril avr abril abr aprile aprilis kwietnia kwiecien dubna duben aprila aprilie \
     nisan huhtikuuta huhtikuu апреля апр квітня απριλιου أبريل",
    "may mai mayo maggio mag maio majus maj mei maja kvetna kveten toukokuuta toukokuu mayis \
     мая май травня μαιου maig مايو",
    "june jun juni juin junio giugno giu junho junius czerwca czerwiec cervna cerven juna iunie \
     iun kesakuuta kesakuu haziran июня июн червня ιουνιου juny يونيو",
    "july jul juli juillet juil julio luglio lug julho julius lipca lipiec cervence cervenec \
     jula iulie iul heinakuuta heinakuu temmuz июля июл липня ιουλιου juliol يوليو",
    "august aug aout agosto ago augusztus augustus augusti sierpnia sierpien srpna srpen \
     augusta agustos agustus elokuuta elokuu августа авг серпня αυγουστου agost أغسطس",
    "september sep sept septembre septiembre setiembre set settembre setembro szeptember szept \
     wrzesnia wrzesien zari septembra septembrie eylul syyskuuta syyskuu сентября сен сент \
     вересня σεπτεμβριου setembre سبتمبر",
    "october oct oktober okt octobre octubre ottobre ott outubro out pazdziernika pazdziernik \
     rijna rijen oktobra octombrie ekim lokakuuta lokakuu октября окт жовтня οκτωβριου أكتوبر",
    "november nov novembre noviembre novembro listopada listopad listopadu novembra noiembrie \
     noi kasim marraskuuta marraskuu ноября ноя листопада νοεμβριου نوفمبر",
    "december dec dezember dez decembre diciembre dic dicembre dezembro grudnia grudzien \
     prosince prosinec decembra decembrie desember des desembre aralik joulukuuta joulukuu \
     декабря дек грудня δεκεμβριου ديسمبر",
];

static MONTHS: LazyLock<HashMap<&str, i8>> = LazyLock::new(|| {
    let months = (1i8..).zip(NAMES);
    months.flat_map(|(month, names)| names.split_whitespace().map(move |n| (n, month))).collect()
});

/// The month (1 to 12) that a word names.
pub(crate) fn month_of(word: &str) -> Option<i8> {
    if word.len() > 32 {
        return None;
    }
    let folded: String = word.chars().filter_map(fold).collect();
    MONTHS.get(&*folded).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn read(text: &str, order: DayMonthOrder, expected: &str) {
        let found = find_date(text, &order).map(|f| f.moment.to_string());
        assert_eq!(found.as_deref().unwrap_or("none"), expected, "{text:?}");
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
        ] {
            read(text, DayMonthOrder::Unknown, expected);
        }
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
    fn changes_are_told_from_publication() {
        let text = "Published 3 May 2012, last updated 4 May 2012 at 10:05";
        let found = find_dates(text, &DayMonthOrder::Unknown, 4);
        let told: Vec<_> = found.iter().map(|f| (f.moment.to_string(), f.is_change)).collect();
        let expected = [("2012-05-03".to_owned(), false), ("2012-05-04T10:05:00".to_owned(), true)];
        assert_eq!(told, expected);
    }

    #[test]
    fn dates_that_give_their_order_away() {
        assert_eq!(shown_order("Posted 11/21/2012"), Some(DayMonthOrder::MonthFirst));
        assert_eq!(shown_order("3 comments, 21.11.2012"), Some(DayMonthOrder::DayFirst));
        for text in
            ["11/12/2012", "2012-11-21", "21/11-2012", "13/10/99", "13/14/2012", "11/21/1012"]
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
        fn nothing_panics_near_dates(text in "([0-9]{0,10}|november|年|月|h|pm|\\+|[ .,:/()-]){0,24}") {
            find_dates(&text, &DayMonthOrder::MonthFirst, 4);
        }
    }

    #[test]
    fn texts_with_digits_are_looked_at() {
        for c in ('\0'..=char::MAX).filter(|c| digit(*c).is_some()) {
            assert!(may_have_digit(&c.to_string()), "{c:?}");
        }
        assert!(!may_have_digit("May the fourth"));
    }

    #[test]
    fn names_are_known_in_any_case_and_with_accents() {
        assert_eq!(month_of("FÉVRIER"), Some(2));
        assert_eq!(month_of("März"), Some(3));
        assert_eq!(month_of("Października"), Some(10));
        assert_eq!(month_of("monday"), None);
    }

    #[test]
    fn no_name_means_two_months() {
        let all = NAMES.iter().flat_map(|names| names.split_whitespace()).count();
        assert_eq!(MONTHS.len(), all);
    }
}
