//! A date, or a date and time, as precise as its source, and dates in machine-written values and addresses.
//!
//! Accepted forms: ISO 8601 as profiled by [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339) and
//! looser (space instead of `T`, no colon in the offset, basic format), and Unix seconds or
//! milliseconds. Output: RFC 3339, truncated to the known precision.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};

/// A point in time, as precise as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageDate {
    pub(crate) date: Date,
    pub(crate) time: Option<Time>,
    pub(crate) offset: Option<Offset>,
}

/// The year since when pages are archived.
const FIRST_ARCHIVED: i16 = 1996;

impl PageDate {
    pub(crate) fn date(year: i16, month: i8, day: i8) -> Option<Self> {
        let date = Date::new(year, month, day).ok()?;
        Some(Self { date, time: None, offset: None })
    }

    pub(crate) fn with_time(self, hour: i8, minute: i8, second: i8) -> Self {
        // 24:00 and leap seconds are rare enough to keep only the day.
        Self { time: Time::new(hour, minute, second.min(59), 0).ok(), ..self }
    }

    pub(crate) fn at(timestamp: Timestamp) -> Self {
        let utc = timestamp.to_zoned(TimeZone::UTC).datetime();
        let time = utc.time();
        let time = Time::new(time.hour(), time.minute(), time.second(), 0).ok();
        Self { date: utc.date(), time, offset: Some(Offset::UTC) }
    }

    /// The latest plausible date on a page fetched at this time: a day later, since time zones
    /// differ by up to a day. None if it was fetched before the Web was archived: clocks and files without a time give 1970 or 1980.
    pub(crate) fn latest(fetched: Timestamp) -> Option<Date> {
        let day = fetched.to_zoned(TimeZone::UTC).date();
        if day.year() < FIRST_ARCHIVED { None } else { day.tomorrow().ok() }
    }

    /// Whether the date is in 1990 or later, and not after the latest day.
    pub(crate) fn is_plausible(&self, latest: Option<Date>) -> bool {
        self.date.year() >= 1990 && latest.is_none_or(|latest| self.date <= latest)
    }

    /// Whether it has a time in UTC.
    pub(crate) fn is_utc(&self) -> bool {
        self.time.is_some() && self.offset.is_some_and(Offset::is_zero)
    }

    /// The point in time, if the offset is known.
    pub(crate) fn instant(&self) -> Option<Timestamp> {
        self.offset?.to_timestamp(self.date.to_datetime(self.time?)).ok()
    }

    /// Whether two dates are at most a day apart, as they may be in different zones.
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        self.date.tomorrow().is_ok_and(|day| day >= other.date)
            && self.date.yesterday().is_ok_and(|day| day <= other.date)
    }

    /// Parses a machine-written date; `None` unless it is understood completely, up to the end of
    /// the date.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        // .NET writes "/Date(1705307400000)/".
        let text = text.trim().trim_start_matches("/Date(").trim_end_matches(")/");
        if text.len() > 64 {
            return None;
        }
        unix(text).or_else(|| iso(text))
    }
}

impl fmt::Display for PageDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.date)?;
        let Some(time) = self.time else { return Ok(()) };
        write!(f, "T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
        match self.offset {
            None => Ok(()),
            Some(offset) if offset.is_zero() => write!(f, "Z"),
            Some(offset) => {
                let minutes = offset.seconds() / 60;
                let sign = if minutes < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }
}

fn unix(text: &str) -> Option<PageDate> {
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i64 = text.parse().ok()?;
    let timestamp = match text.len() {
        9 | 10 => Timestamp::from_second(number).ok()?,
        12 | 13 => Timestamp::from_millisecond(number).ok()?,
        _ => return None,
    };
    Some(PageDate::at(timestamp))
}

/// Reads digits from the start of a string.
pub(crate) struct Digits<'a>(pub(crate) &'a str);

impl<'a> Digits<'a> {
    /// A number of `min` to `max` ASCII digits.
    pub(crate) fn number(&mut self, min: usize, max: usize) -> Option<i32> {
        let length = self.0.bytes().take(max).take_while(u8::is_ascii_digit).count();
        if length < min {
            return None;
        }
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        digits.parse().ok()
    }

    pub(crate) fn skip(&mut self, any_of: &[char]) -> Option<char> {
        let c = self.0.chars().next().filter(|c| any_of.contains(c))?;
        self.0 = &self.0[c.len_utf8()..];
        Some(c)
    }

    /// Reads year, month and day, separated by one of these signs or nothing. Between signs, `named` may read a month's name.
    pub(crate) fn date(
        &mut self,
        signs: &[char],
        named: impl FnOnce(&mut Self) -> Option<i32>,
    ) -> Option<PageDate> {
        let year = self.number(4, 4)?;
        let sign = self.skip(signs);
        let least = if sign.is_some() { 1 } else { 2 };
        // "2012/1121"
        let is_joined =
            sign == Some('/') && self.0.bytes().take_while(u8::is_ascii_digit).count() == 4;
        let month = self.number(least, 2).or_else(|| sign.and_then(|_| named(self)))?;
        if let Some(sign) = sign.filter(|_| !is_joined) {
            self.skip(&[sign])?;
        }
        PageDate::date(year as i16, month as i8, self.number(least, 2)? as i8)
    }
}

fn iso(text: &str) -> Option<PageDate> {
    let mut rest = Digits(text);
    let moment = rest.date(&['-', '/', '.'], |_| None)?;
    if rest.0.is_empty() {
        return Some(moment);
    }
    let (hour, minute, second) = time(&mut rest)?;
    let timed = moment.with_time(hour, minute, second);
    let offset = offset(rest.0);
    let is_understood = rest.0.trim().is_empty() || offset.is_some();
    is_understood.then_some(PageDate { offset: timed.time.and(offset), ..timed })
}

fn time(rest: &mut Digits<'_>) -> Option<(i8, i8, i8)> {
    while rest.skip(&['T', 't', ' ', ',', '_']).is_some() {}
    let hour = rest.number(1, 2)?;
    let colon = rest.skip(&[':']);
    let minute = rest.number(2, 2)?;
    let second =
        if colon.is_none() || rest.skip(&[':']).is_some() { rest.number(2, 2) } else { None };
    if second.is_some() && rest.skip(&['.', ',', ':']).is_some() {
        while rest.number(1, 9).is_some() {}
    }
    Some((hour as i8, minute as i8, second.unwrap_or(0) as i8))
}

/// Parses `Z`, `UTC`, `+01:00`, `-0500` or `GMT+1`, perhaps followed by a name of the zone (`+0000 UTC`).
pub(crate) fn offset(text: &str) -> Option<Offset> {
    let text = text.trim();
    if matches!(text, "Z" | "z" | "GMT" | "UTC") {
        return Some(Offset::UTC);
    }
    let text = ["GMT", "UTC"].iter().find_map(|zone| text.strip_prefix(zone)).unwrap_or(text);
    let mut rest = Digits(text.trim_start());
    let sign = rest.skip(&['+', '-', '−'])?;
    let hours = rest.number(1, 2)?;
    rest.skip(&[':']);
    let minutes = rest.number(2, 2).unwrap_or(0);
    let is_whole = rest.0.is_empty() || rest.0.starts_with([' ', '(', '[']);
    if hours > 15 || minutes > 59 || !is_whole {
        return None;
    }
    let seconds = hours * 3600 + minutes * 60;
    Offset::from_seconds(if sign == '+' { seconds } else { -seconds }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<String> {
        PageDate::parse(text).map(|m| m.to_string())
    }

    #[test]
    fn machine_dates() {
        for (text, expected) in [
            ("2012-11-21", "2012-11-21"),
            ("2012/11/21", "2012-11-21"),
            ("20121121", "2012-11-21"),
            ("2012-11-21T10:05:30Z", "2012-11-21T10:05:30Z"),
            ("2012-11-21T10:05:30.123+01:00", "2012-11-21T10:05:30+01:00"),
            ("2012-11-21 10:05:30 -0530", "2012-11-21T10:05:30-05:30"),
            ("2012-11-21 10:05", "2012-11-21T10:05:00"),
            ("20121121T100530Z", "2012-11-21T10:05:30Z"),
            ("2012-11-21T10:05:30+0000", "2012-11-21T10:05:30Z"),
            ("2012-11-21 10:05:30 UTC", "2012-11-21T10:05:30Z"),
            ("2012-11-21 10:05:30 GMT+5", "2012-11-21T10:05:30+05:00"),
            ("2012-11-21T10:05:30+01:00[Europe/Berlin]", "2012-11-21T10:05:30+01:00"),
            ("2012-11-21 10:05:30 +0000 UTC", "2012-11-21T10:05:30Z"),
            ("1353492330", "2012-11-21T10:05:30Z"),
            ("1353492330000", "2012-11-21T10:05:30Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "", "2012", "2012-13-01", "2012-11", "hello", "12345", "0000-00-00T00:00:00",
            "2012-11-21 later", "2012-11-21 10:05 CET", "2012-11-21 10:05 pm",
            "2012-11-21T10:05Zebra",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics_and_output_reads_back(text in "[0-9T:Z+\\-/. é−]{0,40}") {
            if let Some(moment) = PageDate::parse(&text) {
                prop_assert_eq!(PageDate::parse(&moment.to_string()), Some(moment));
            }
        }

        #[test]
        fn every_timestamp_is_shown(seconds in -377_705_116_800i64..253_402_207_200) {
            if let Ok(timestamp) = Timestamp::from_second(seconds) {
                let _ = PageDate::at(timestamp).to_string();
            }
        }
    }
}
