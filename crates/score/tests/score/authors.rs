//! Authors are compared as sets of names.

use proptest::prelude::*;
use sitegrove_score::metadata::{FieldScore, authors};

fn compare(gold: &str, output: &[&str]) -> Option<FieldScore> {
    let output: Vec<String> = output.iter().map(|name| (*name).to_owned()).collect();
    authors(&[gold.to_owned()], &output)
}

#[track_caller]
fn same(gold: &str, output: &[&str]) {
    assert_eq!(compare(gold, output), Some(FieldScore { exact: true, graded: 1.0 }), "{gold}");
}

#[test]
fn lists_in_any_form() {
    same("jane doe, john roe", &["John Roe", "Jane Doe"]);
    same("Jane Doe and John Roe", &["Jane Doe", "John Roe"]);
    same("By Jane Doe", &["Jane Doe"]);
    same("Jane Doe", &["Jane Doe", "jane  doe"]);
    same("Jane & John", &["Jane & John"]);
    same("Jane & John", &["Jane", "John"]);
    same("Doe, Jane T.", &["Jane T. Doe"]);
}

#[test]
fn titles_degrees_and_brackets() {
    same("Jane Doe (Orchard), MD, FOMA", &["Dr. Jane Doe"]);
    same("Jane Doe, CEPF®", &["Jane Doe"]);
    same("Jane Doe CPP, PSP", &["Jane Doe"]);
    same("JANE DOE", &["Jane Doe"]);
    same("Doe, MD", &["Doe"]);
}

#[test]
fn graded_by_names() {
    // One of two found, one wrong: precision and recall 1/2.
    let score = compare("Jane Doe, John Roe", &["Jane Doe", "Ann Poe"]);
    assert_eq!(score, Some(FieldScore { exact: false, graded: 0.5 }));
    assert_eq!(compare("Jane Doe", &["Jane Roe"]), Some(FieldScore::ZERO));
    assert_eq!(compare("Jane Doe", &[]), Some(FieldScore::ZERO));
    assert_eq!(compare(" ; ", &["Jane Doe"]), None);
}

proptest! {
    #[test]
    fn authors_are_themselves(text in "\\PC{0,40}") {
        let values = [text];
        if let Some(score) = authors(&values, &values) {
            prop_assert_eq!(score, FieldScore { exact: true, graded: 1.0 });
        }
    }
}
