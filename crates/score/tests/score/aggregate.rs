//! Figures of many pages.

use std::collections::BTreeMap;

use sitegrove_score::Score;
use sitegrove_score::aggregate::{group_means, macro_mean, percentile, summarise, template_groups};

#[test]
fn percentiles_by_hand() {
    // Ranks 0..4 over 10 20 30 40 50: the tenth is at rank 0.4, between 10 and 20.
    let values = [50.0, 10.0, 40.0, 20.0, 30.0];
    assert_eq!(percentile(&values, 0.5), Some(30.0));
    assert_eq!(percentile(&values, 0.1), Some(14.0));
    assert_eq!(percentile(&[1.0, 2.0], 0.5), Some(1.5));
    assert_eq!(percentile(&[7.0], 0.1), Some(7.0));
    assert_eq!(percentile(&[], 0.5), None);
}

#[test]
fn f1_is_the_mean_of_f1() {
    let scores = [(1, 4), (4, 1)].map(|(output, gold)| Score::of_counts(1, output, gold).unwrap());
    let summary = summarise(&scores).unwrap();
    // Both pages have F1 = 0.4; precision and recall average to 0.625, whose F1 would be 0.625.
    assert_eq!((summary.precision, summary.recall), (0.625, 0.625));
    assert!((summary.f1 - 0.4).abs() < 1e-12 && (summary.median - 0.4).abs() < 1e-12);
    assert_eq!(summarise(&[]), None);
}

#[test]
fn groups_weigh_the_same() {
    let groups = group_means([("a", 1.0), ("b", 0.0), ("a", 0.5), ("a", 0.0)]);
    assert_eq!(groups, BTreeMap::from([("a", 0.5), ("b", 0.0)]));
    assert_eq!(macro_mean(&groups), Some(0.25));
    assert_eq!(macro_mean(&BTreeMap::<&str, f64>::new()), None);
}

#[test]
fn small_groups_are_singles() {
    let pages =
        [("d", Some("t")), ("d", Some("t")), ("e", Some("t")), ("d", Some("u")), ("d", None)];
    let groups = template_groups(&pages, 3);
    assert_eq!(groups, [Some(("d", "t")), Some(("d", "t")), Some(("e", "t")), None, None]);
}
