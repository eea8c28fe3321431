//! Dates of the metadata as instants, for outputs that have a type for them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The instant of an RFC 3339 date or date-time. Without an offset it is taken as UTC, and a date
/// without a time as midnight. `None` for anything else.
pub fn instant(text: &str) -> Option<Timestamp> {
    if let Ok(instant) = text.parse() {
        return Some(instant);
    }
    let local: DateTime = text.parse().ok()?;
    local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        let shown = |text| instant(text).map(|i| i.to_string());
        assert_eq!(shown("2026-01-12").as_deref(), Some("2026-01-12T00:00:00Z"));
        assert_eq!(shown("2026-01-12T06:30:00+02:00").as_deref(), Some("2026-01-12T04:30:00Z"));
        assert_eq!(shown("2026-01-12T06:30:00").as_deref(), Some("2026-01-12T06:30:00Z"));
        for other in ["", "yesterday", "2026-01", "2026-02-30", "2026-01-12T25:00:00"] {
            assert_eq!(shown(other), None, "{other:?}");
        }
    }
}
