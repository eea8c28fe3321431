//! Dates: calendar days as they are written.

use jiff::civil::Date;

use super::FieldScore;

/// A calendar day.
pub type Day = Date;

/// The day a value begins with: `2012-11-21`, whatever time and zone follow. `None` for anything else.
///
/// Gold gives days, or times without a zone, or midnight for "some time that day"; only the day means the same in all.
/// It is not moved into another zone: a reader sees the day that the page writes.
pub fn day(value: &str) -> Option<Day> {
    let value = value.trim();
    let rest = value.get(10..)?;
    let ends = !rest.starts_with(|c: char| c.is_ascii_digit());
    value[..10].parse().ok().filter(|_| ends)
}

/// Compares two days; one may be off by a day where zones differ, and counts as near.
pub fn date(gold: Day, output: Option<Day>) -> FieldScore {
    let Some(output) = output else { return FieldScore::ZERO };
    let near =
        gold.tomorrow().is_ok_and(|d| d >= output) && gold.yesterday().is_ok_and(|d| d <= output);
    FieldScore { exact: gold == output, graded: if near { 1.0 } else { 0.0 } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compare(gold: &str, output: &str) -> FieldScore {
        date(day(gold).expect("a day"), day(output))
    }

    #[test]
    fn days_as_written() {
        let same = FieldScore { exact: true, graded: 1.0 };
        assert_eq!(compare("2012-11-21", "2012-11-21T23:59:00-08:00"), same);
        assert_eq!(compare("2012-11-21T06:07:00", "2012-11-21"), same);
        let near = FieldScore { exact: false, graded: 1.0 };
        assert_eq!(compare("2012-11-30", "2012-12-01T01:00:00Z"), near);
        assert_eq!(compare("2012-11-21", "2012-11-23"), FieldScore::ZERO);
        assert_eq!(compare("2012-11-21", ""), FieldScore::ZERO);
    }

    #[test]
    fn what_is_no_day() {
        for text in ["", "2012-11", "2012-13-01", "21 November 2012", "2012-11-211", "2012-11-2é"]
        {
            assert_eq!(day(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,14}|[0-9T:-]{0,14}") {
            day(&text);
        }
    }
}
