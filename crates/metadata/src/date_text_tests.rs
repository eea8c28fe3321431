use super::*;
use proptest::prelude::*;

#[track_caller]
fn read(text: &str, order: Order, expected: &str) {
    let found = find_date(text, &order).map(|f| f.moment.to_string());
    assert_eq!(found.as_deref().unwrap_or("none"), expected, "{text:?}");
}

#[test]
fn month_names_decide() {
    for (text, expected) in [
        ("Published November 21, 2012", "2012-11-21"),
        ("Wed, 21 Nov 2012 10:05:30 GMT", "2012-11-21T10:05:30Z"),
        ("Wed, 21 Nov 2012 10:05:30 +0100", "2012-11-21T10:05:30+01:00"),
        ("21st of November 2012", "2012-11-21"),
        ("Nov. 21, 2012 at 4:05 p.m. EST", "2012-11-21T16:05:00-05:00"),
        ("Mittwoch, 21. November 2012, 10:05 Uhr", "2012-11-21T10:05:00"),
        ("21. März 2012 um 10.05 Uhr", "2012-03-21T10:05:00"),
        ("le 1er août 2012 à 10h05", "2012-08-01T10:05:00"),
        ("mar 21 nov 2012", "2012-11-21"),
        ("21 de noviembre de 2012", "2012-11-21"),
        ("1º de março de 2012", "2012-03-01"),
        ("21 novembre 2012", "2012-11-21"),
        ("2012. november 21., szerda 10:05", "2012-11-21T10:05:00"),
        ("21 maart 2012", "2012-03-21"),
        ("21 listopada 2012", "2012-11-21"),
        ("21 ноября 2012, 10:05", "2012-11-21T10:05:00"),
        ("2012年11月21日 10:05", "2012-11-21T10:05:00"),
        ("2012년 11월 21일", "2012-11-21"),
        ("21-Nov-12", "2012-11-21"),
        ("10:05 a.m. EST November 21, 2012", "2012-11-21T10:05:00-05:00"),
        ("12:05 AM, May 3rd, 2012", "2012-05-03T00:05:00"),
    ] {
        read(text, Order::Unknown, expected);
    }
}

#[test]
fn numbers_need_an_order() {
    read("21/11/2012", Order::Unknown, "2012-11-21");
    read("11/21/2012", Order::Unknown, "2012-11-21");
    read("03/04/2012", Order::Unknown, "none");
    read("03/04/2012", Order::DayFirst, "2012-04-03");
    read("03/04/2012", Order::MonthFirst, "2012-03-04");
    read("03.04.2012 10:05", Order::DayFirst, "2012-04-03T10:05:00");
    // English uses both orders with points, too.
    read("03.04.2012", Order::Unknown, "none");
    read("03.04.2012", Order::MonthFirst, "2012-03-04");
    read("2012/04/03", Order::MonthFirst, "2012-04-03");
    read("192.168.12.1", Order::DayFirst, "none");
    read("version 1.2.12.4", Order::DayFirst, "none");
    read("31/02/2012", Order::DayFirst, "none");
    read("3 comments in 2012", Order::DayFirst, "none");
    read("$1,000 2012", Order::DayFirst, "none");
}

#[test]
fn languages_have_an_order() {
    assert_eq!(Order::of(Some("en-US"), None), Order::MonthFirst);
    assert_eq!(Order::of(Some("en_GB"), None), Order::DayFirst);
    assert_eq!(Order::of(Some("en"), Some("www.example.co.uk")), Order::DayFirst);
    assert_eq!(Order::of(Some("en"), Some("www.example.com")), Order::Unknown);
    assert_eq!(Order::of(Some("fr"), None), Order::DayFirst);
    assert_eq!(Order::of(None, None), Order::Unknown);
}

#[test]
fn changes_are_told_from_publication() {
    let text = "Published 3 May 2012, last updated 4 May 2012 at 10:05";
    let found = find_dates(text, &Order::Unknown, 4);
    let told: Vec<_> = found.iter().map(|f| (f.moment.to_string(), f.is_change)).collect();
    let expected = [("2012-05-03".to_owned(), false), ("2012-05-04T10:05:00".to_owned(), true)];
    assert_eq!(told, expected);
}

#[test]
fn dates_that_give_their_order_away() {
    assert_eq!(shown_order("Posted 11/21/2012"), Some(Order::MonthFirst));
    assert_eq!(shown_order("3 comments, 21.11.2012"), Some(Order::DayFirst));
    for text in ["11/12/2012", "2012-11-21", "21/11-2012", "13/10/99", "13/14/2012", "11/21/1012"] {
        assert_eq!(shown_order(text), None, "{text}");
    }
}

#[test]
fn labels_of_publication() {
    for text in ["Published", "Publish date", "Veröffentlicht am", "发布时间："] {
        assert!(says_published(text), "{text}");
    }
    assert!(!says_published("Reviewed") && !says_published("Next event"));
}

proptest! {
    #[test]
    fn nothing_panics(text in "\\PC{0,80}") {
        find_dates(&text, &Order::DayFirst, 4);
        shown_order(&text);
    }

    #[test]
    fn nothing_panics_near_dates(text in "([0-9]{0,10}|november|年|月|h|pm|\\+|[ .,:/()-]){0,24}") {
        find_dates(&text, &Order::MonthFirst, 4);
    }
}
