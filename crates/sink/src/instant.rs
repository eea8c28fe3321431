//! When a date of the metadata was, for outputs that have a type for it.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The instant of an RFC 3339 date or date-time; a date without a time is its midnight in UTC.
/// `None` for what is neither.
pub fn instant(text: &str) -> Option<Timestamp> {
    if let Ok(instant) = text.parse() {
        return Some(instant);
    }
    let date: Date = text.parse().ok()?;
    // jiff takes the date of a date-time without offset too: such a time is known to nobody.
    let whole = text.len() == "2026-01-12".len();
    whole.then(|| date.to_zoned(TimeZone::UTC).ok()).flatten().map(|midnight| midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        let shown = |text| instant(text).map(|i| i.to_string());
        assert_eq!(shown("2026-01-12").as_deref(), Some("2026-01-12T00:00:00Z"));
        assert_eq!(shown("2026-01-12T06:30:00+02:00").as_deref(), Some("2026-01-12T04:30:00Z"));
        for other in ["", "yesterday", "2026-01", "2026-01-12T06:30:00", "2026-02-30"] {
            assert_eq!(shown(other), None, "{other:?}");
        }
    }
}
