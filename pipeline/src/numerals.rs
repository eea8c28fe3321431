//! Numbers for people.

use indicatif::HumanCount;

/// A number with its noun: `1 page`, `2,000 pages`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number as u64), if number == 1 { "" } else { "s" })
}

/// A share as a percentage without decimals; never rounded to 0 or 100.
pub(crate) fn percent(part: f64, whole: f64) -> String {
    let share = if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
    match share {
        s if s > 0.0 && s < 1.0 => "under 1 %".to_owned(),
        s if s > 99.0 && s < 100.0 => "over 99 %".to_owned(),
        s => format!("{s:.0} %"),
    }
}

/// A number with commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A duration in a suitable unit: `40 ms`, `1.8 s`, `12 min 5 s`, `3 h 20 min`.
pub(crate) fn duration(seconds: f64) -> String {
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
pub(crate) fn to_the_second(time: &str) -> String {
    time.split_once('.').map_or_else(|| time.to_owned(), |(whole, _)| format!("{whole}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_all_or_nothing() {
        assert_eq!(percent(1.0, 2.0), "50 %");
        assert_eq!(percent(1.0, 1000.0), "under 1 %");
        assert_eq!(percent(999.0, 1000.0), "over 99 %");
        assert_eq!(percent(0.0, 0.0), "0 %");
        assert_eq!(count(1, "page"), "1 page");
        assert_eq!(count(12_000, "page"), "12,000 pages");
    }

    #[test]
    fn numbers_are_grouped_and_units_suit_them() {
        let shown = [0, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
        let shown = [0.0, 0.19, 1.84, 59.96, 754.0, 12_000.0].map(duration);
        assert_eq!(shown, ["0 ms", "190 ms", "1.84 s", "1 min 0 s", "12 min 34 s", "3 h 20 min"]);
    }
}
