//! Times of day as written next to dates.

use jiff::tz::Offset;

use crate::date_tokens::{Kind, Token};
use crate::moment::{Moment, offset};

/// "10:30", "10:30:05 pm EST", "10h30", "10.30 Uhr".
pub(crate) fn time_at(date: Moment, tokens: &[Token<'_>], at: usize) -> Option<Moment> {
    let [hour, sign, minute, ..] = tokens.get(at..)? else { return None };
    let (Kind::Number(hour), Kind::Number(minutes)) = (hour.kind, minute.kind) else { return None };
    let word = |i: usize| tokens.get(i).filter(|t| t.kind == Kind::Word).map_or("", |t| t.text);
    let is_time = match sign.kind {
        Kind::Sign(':') => true,
        Kind::Sign('.') => word(at + 3).eq_ignore_ascii_case("uhr"),
        Kind::Word => sign.text == "h" || sign.text == "H",
        _ => false,
    };
    if !is_time || hour > 23 || minutes > 59 || minute.text.len() != 2 {
        return None;
    }
    let mut next = at + 3;
    let mut seconds = 0;
    if let (Some(Kind::Sign(':')), Some(Kind::Number(s))) =
        (tokens.get(next).map(|t| t.kind), tokens.get(next + 1).map(|t| t.kind))
    {
        seconds = s.min(59);
        next += 2;
    }
    let mut hour = hour as i8;
    // "pm", "p.m."
    let dotted = |i: usize| matches!(tokens.get(i), Some(Token { kind: Kind::Sign('.'), .. }));
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
    Some(Moment { offset: zone(tokens, next), ..timed })
}

/// Offset, or one of the zone names of [RFC 2822](https://www.rfc-editor.org/rfc/rfc2822#section-4.3)
/// and the European ones.
fn zone(tokens: &[Token<'_>], at: usize) -> Option<Offset> {
    let open = matches!(tokens.get(at)?.kind, Kind::Sign('('));
    let token = tokens.get(at + usize::from(open))?;
    let hours = match (token.kind, token.text) {
        (Kind::Word, "GMT" | "UTC" | "UT" | "Z" | "WET") => 0,
        (Kind::Word, "EST") => -5,
        (Kind::Word, "EDT") => -4,
        (Kind::Word, "CST") => -6,
        (Kind::Word, "CDT") => -5,
        (Kind::Word, "MST") => -7,
        (Kind::Word, "MDT") => -6,
        (Kind::Word, "PST") => -8,
        (Kind::Word, "PDT") => -7,
        (Kind::Word, "CET" | "MEZ") => 1,
        (Kind::Word, "CEST" | "MESZ" | "EET") => 2,
        (Kind::Sign(sign @ ('+' | '-')), _) => {
            let digits = tokens.get(at + 1)?;
            let minutes = match tokens.get(at + 2..at + 4) {
                Some([Token { kind: Kind::Sign(':'), .. }, m]) => m.text,
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
