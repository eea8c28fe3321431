//! Numbers, sizes, times, characters and expressions as people read them, on a terminal and on pages.

use bytesize::ByteSize;
use indicatif::HumanCount;

/// A number with its noun: `1 page`, `2,000 pages`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// A share as a percentage without decimals; never rounded to 0 or 100.
pub fn percent(part: f64, whole: f64) -> String {
    let share = if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    match share {
        s if s > 0.0 && s < 1.0 => "under 1 %".to_owned(),
        s if s > 99.0 && s < 100.0 => "over 99 %".to_owned(),
        s => format!("{s:.0} %"),
    }
}

/// A number with commas between thousands.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A size in bytes: `1.5 GB`.
pub fn size(bytes: u64) -> String {
    ByteSize(bytes).display().si().to_string()
}

/// A duration in a suitable unit: `40 ms`, `1.8 s`, `12 min 5 s`, `3 h 20 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    match seconds {
        s if s < 0.9995 => format!("{:.0} ms", s * 1000.0),
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 59.95 => format!("{s:.1} s"),
        s if s < 3599.5 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A time in UTC without its fraction of a second.
pub fn to_the_second(time: &str) -> String {
    time.split_once('.').map_or_else(|| time.to_owned(), |(whole, _)| format!("{whole}Z"))
}

/// How to show a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As it is.
    Plain,
    /// Not shown, because it is invisible.
    LeftOut,
    /// By its code point, because it would affect the terminal or the text around it.
    Named,
}

/// How to show a character to people. Line feeds and tabs are plain.
///
/// Shown by code point: control characters (Unicode category Cc), line and paragraph separators, and
/// characters that embed, override or isolate a direction (UAX #9), with the deprecated ones near them. Not
/// shown: marks of a direction, tags and byte order marks. Joiners stay, since words of many languages and
/// emoji contain them.
pub fn shown(letter: char) -> Shown {
    match letter {
        '\n' | '\t' => Shown::Plain,
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => {
            Shown::LeftOut
        }
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' => Shown::Named,
        _ if letter.is_control() => Shown::Named,
        _ => Shown::Plain,
    }
}

/// Abbreviates an XPath as in style sheets, so that the distinguishing parts come early: `//div.entry` for an element
/// with a class, `//div#main` for an element with an id. The rest stays unchanged.
pub fn short_xpath(xpath: &str) -> String {
    const CLASS: [&str; 2] = ["[contains(concat(' ',normalize-space(@class),' '),' ", " ')]"];
    const ID: [&str; 2] = ["[@id='", "']"];
    let mut out = String::with_capacity(xpath.len());
    let mut rest = xpath;
    while let Some(at) = rest.find('[') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let named = [(CLASS, '.'), (ID, '#')].into_iter().find_map(|([open, close], mark)| {
            let (name, after) = rest.strip_prefix(open)?.split_once(close)?;
            let plain = !name.is_empty() && !name.contains(['[', ']', '\'', '"', ' ', '.', '#']);
            plain.then_some((mark, name, after))
        });
        match named {
            Some((mark, name, after)) => {
                out.push(mark);
                out.push_str(name);
                rest = after;
            }
            None => {
                out.push('[');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}
