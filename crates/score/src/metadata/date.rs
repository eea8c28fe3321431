//! Dates: calendar days as written.

use jiff::civil::Date;

use super::FieldScore;

/// A calendar day.
pub type Day = Date;

/// The day at the start of a value: `2012-11-21`, with any time and zone after it. `None` for
/// anything else.
///
/// Gold contains days, or times without a zone, or midnight for an unknown time of that day; only
/// the day has the same meaning in all. It is not converted to another zone: a reader sees the day
/// that the page shows.
pub fn day(value: &str) -> Option<Day> {
    let value = value.trim();
    let rest = value.get(10..)?;
    let ends = !rest.starts_with(|c: char| c.is_ascii_digit());
    value[..10].parse().ok().filter(|_| ends)
}

/// Compares two days. A difference of one day, which time zones may cause, counts as near.
pub fn date(gold: Day, output: Option<Day>) -> FieldScore {
    let Some(output) = output else { return FieldScore::ZERO };
    let near =
        gold.tomorrow().is_ok_and(|d| d >= output) && gold.yesterday().is_ok_and(|d| d <= output);
    FieldScore { exact: gold == output, graded: if near { 1.0 } else { 0.0 } }
}
