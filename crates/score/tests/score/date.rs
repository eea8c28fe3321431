//! Dates are compared by day.

use proptest::prelude::*;
use sitegrove_score::metadata::{FieldScore, date, day};

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
    for text in ["", "2012-11", "2012-13-01", "21 November 2012", "2012-11-211", "2012-11-2é"] {
        assert_eq!(day(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_panics(text in "\\PC{0,14}|[0-9T:-]{0,14}") {
        day(&text);
    }
}
