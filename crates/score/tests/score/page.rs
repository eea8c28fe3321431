//! Several measures of one page.

use proptest::prelude::*;
use sitegrove_score::neutral::OptionalText;
use sitegrove_score::{Gold, Output, QualityMeasure, score};

#[track_caller]
fn f1(gold: &Gold<'_>, output: &str, measure: &str) -> Option<f64> {
    let output = Output { text: output, nodes: &[] };
    score(gold, &output, &[measure.parse().unwrap()])[0].map(|score| score.f1)
}

#[test]
fn the_title_counts_only_raw() {
    let aside = OptionalText { title: Some("Big News"), ..OptionalText::default() };
    let gold = Gold { text: "Big News\none two three four", aside, nodes: &[] };
    let body = "one two three four";
    for measure in ["pairs", "words", "lcs-words", "lcs-chars", "substring"] {
        let neutral = f1(&gold, body, measure).unwrap();
        // Removing the pairs of the title leaves the pair across the boundary, news-one, in the
        // gold.
        let expected = if measure == "pairs" { 2.0 * 0.75 / 1.75 } else { 1.0 };
        assert!((neutral - expected).abs() < 1e-12, "{measure} {neutral}");
    }
    // Raw, calculated manually: 3 of 5 pairs; 4 of 6 words; 15 of 22 characters.
    for (measure, recall) in [
        ("pairs-raw", 3.0 / 5.0),
        ("words-raw", 4.0 / 6.0),
        ("lcs-words-raw", 4.0 / 6.0),
        ("lcs-chars-raw", 15.0 / 22.0),
        ("substring-raw", 15.0 / 22.0),
    ] {
        let expected = 2.0 * recall / (1.0 + recall);
        assert!((f1(&gold, body, measure).unwrap() - expected).abs() < 1e-12, "{measure}");
    }
}

#[test]
fn nodes_only_where_the_gold_marks_them() {
    let marked = ["3".to_owned(), "4".to_owned()];
    let nodes: QualityMeasure = "nodes".parse().unwrap();
    let gold = Gold { text: "x", nodes: &marked, ..Gold::default() };
    let output = Output { text: "", nodes: &marked[..1] };
    assert_eq!(score(&gold, &output, &[nodes])[0].unwrap().recall, 0.5);
    assert_eq!(score(&Gold::default(), &output, &QualityMeasure::all()), [None; 16]);
}

proptest! {
    /// A text compared with itself is perfect, all scores are within bounds, and the measures
    /// are ordered.
    #[test]
    fn bounds_and_nesting(gold in "[ab東ไ']{1,3}( [abcd東]{1,3}){3,20}", output in "([abcd東]{1,3}[ \n]){0,20}") {
        let gold = Gold { text: &gold, ..Gold::default() };
        for same in score(&gold, &Output { text: gold.text, nodes: &[] }, &QualityMeasure::all()).into_iter().flatten() {
            prop_assert_eq!(same.f1, 1.0);
        }
        let scores = score(&gold, &Output { text: &output, nodes: &[] }, &QualityMeasure::all());
        for score in scores.iter().flatten() {
            for share in [score.precision, score.recall, score.f1] {
                prop_assert!((0.0..=1.0).contains(&share));
            }
            prop_assert!(score.f1 <= score.precision.max(score.recall) + 1e-12);
        }
        // words ≥ lcs-words, lcs-chars ≥ substring
        prop_assert!(scores[3].unwrap().f1 >= scores[6].unwrap().f1);
        prop_assert!(scores[9].unwrap().f1 >= scores[12].unwrap().f1);
    }
}
