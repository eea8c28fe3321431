//! Parses the dates of records: RFC 3339, its shortened forms, and fourteen digits.

use jiff::{Timestamp, civil, tz::TimeZone};

/// Parses `2024-01-02T03:04:05Z`, with or without fractions, truncated after any part (which WARC
/// 1.1 allows), and `20240102030405`, which may be truncated likewise.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(timestamp) = text.parse() {
        return Some(timestamp);
    }
    let digits: String = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.to_owned()
    } else {
        let plain = |c: char| c.is_ascii_digit() || "-:TtZz ".contains(c);
        let head = text.split('.').next().unwrap_or_default();
        if !head.chars().all(plain) {
            return None;
        }
        head.chars().filter(char::is_ascii_digit).collect()
    };
    let part = |from: usize, to: usize, otherwise: i16| match digits.get(from..to) {
        Some(part) => part.parse().ok(),
        None if digits.len() <= from => Some(otherwise),
        None => None,
    };
    let year = digits.get(..4)?.parse().ok()?;
    let small = |value: Option<i16>| value.and_then(|value| i8::try_from(value).ok());
    let date = civil::Date::new(year, small(part(4, 6, 1))?, small(part(6, 8, 1))?).ok()?;
    let second = small(part(12, 14, 0))?.min(59);
    let time = civil::Time::new(small(part(8, 10, 0))?, small(part(10, 12, 0))?, second, 0).ok()?;
    Some(date.to_datetime(time).to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn forms() {
        for (text, expected) in [
            ("2024-01-02T03:04:05Z", Some("2024-01-02T03:04:05Z")),
            ("2024-01-02T03:04:05.25Z", Some("2024-01-02T03:04:05.25Z")),
            ("20240102030405", Some("2024-01-02T03:04:05Z")),
            ("2024-01-02T03:04:05", Some("2024-01-02T03:04:05Z")),
            ("2024-01-02", Some("2024-01-02T00:00:00Z")),
            ("2024", Some("2024-01-01T00:00:00Z")),
            ("2024-13-02", None),
            ("yesterday", None),
            ("", None),
        ] {
            let found = parse(text).map(|timestamp| timestamp.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
