//! `sitegrove-lab bench` measures the sample crawl, and its output is consistent.

mod common;
use common::program::{call, in_repository, parts};

/// The figures in the line with this beginning.
fn figures(report: &str, name: &str) -> Vec<f64> {
    let line = report.lines().find_map(|line| line.strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("no line {name:?} in\n{report}"));
    line.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn parts_stages_and_whole_runs_are_measured() {
    let crawl = in_repository("data/crawl");
    let output = call(&["bench", crawl.to_str().unwrap(), "--rounds", "1"]);
    let (code, report, errors) = parts(&output);
    assert_eq!(code, 0, "{errors}");
    assert!(report.starts_with("134 pages, "), "{report}");
    assert!(report.contains("134 of them have the same tree"), "{report}");

    let tokenizer = figures(&report, "bare tokenizer ");
    let parse = figures(&report, "bare arena parse ");
    assert_eq!(tokenizer[2..3], [1.0], "{report}");
    assert_eq!(parse[3..4], [1.0], "{report}");
    for name in ["arena parse by html5ever alone", "read: records", "parse, words, layout", "rank"]
    {
        assert!(report.contains(name), "{name} in\n{report}");
    }
    // Seconds, MB/s, two ratios; with CPU seconds and memory if the system provides them.
    let one = figures(&report, "1 thread ");
    let two = figures(&report, "2 threads ");
    assert!(one.len() == 6 && two.len() == 6, "{report}");
    assert!(one[0] > parse[0], "a whole run takes longer than its parse\n{report}");
    if cfg!(target_os = "linux") {
        assert!(one[4] > 0.0 && one[4] < 300.0, "CPU seconds\n{report}");
        assert!(one[5] > 5.0, "memory of the run\n{report}");
    }
    assert!(report.lines().any(|line| line.starts_with("two threads are ")), "{report}");
    // Microseconds of each capability, and their shares of all.
    let [tree, share] = figures(&report, "tree, words, kinds of elements ")[..] else { panic!() };
    let [all, whole] = figures(&report, "all ")[..] else { panic!("{report}") };
    assert!(tree < all && share < 100.0 && whole == 100.0, "{report}");
}

#[test]
fn inputs_without_html_are_refused() {
    let feeds = in_repository("data/feeds/harbour-gazette.xml");
    let (code, _, errors) = parts(&call(&["bench", feeds.to_str().unwrap()]));
    assert_eq!(code, 2, "{errors}");
}
