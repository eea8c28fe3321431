//! Numbers, sizes, times and expressions as people read them.

use sitegrove_report::readable::{count, duration, grouped, percent, short_xpath, size};

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
    let sizes = [0, 999, 1_000, 64_000_000, 1_500_000_000, 3_000_000_000_000].map(size);
    assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "64.0 MB", "1.5 GB", "3.0 TB"]);
}

#[test]
fn expressions_are_shortened_only_where_nothing_is_lost() {
    let class = "[contains(concat(' ',normalize-space(@class),' '),' story__body ')]";
    for (path, short) in [
        ("//main/article", "//main/article"),
        (&format!("//div{class}/p[2]"), "//div.story__body/p[2]"),
        (&format!("//div[@id='art']{class}//li"), "//div#art.story__body//li"),
        (&format!("//li{class}[2]"), "//li.story__body[2]"),
        ("//div[@id='a b']", "//div[@id='a b']"),
        ("//div[@id='']", "//div[@id='']"),
        ("//div[@id='a", "//div[@id='a"),
        ("//td[@id='x'][@width='10']", "//td#x[@width='10']"),
        ("//td[@width='60%']", "//td[@width='60%']"),
        ("//div[@id=concat('it',\"'s\")]", "//div[@id=concat('it',\"'s\")]"),
    ] {
        assert_eq!(short_xpath(path), short);
    }
}
