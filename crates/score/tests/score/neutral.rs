//! What is removed from gold and output.

use sitegrove_score::neutral::{OptionalText, pairs_aside, strip};
use sitegrove_score::words::WordNumbers;

fn stripped(gold: &str, output: &str, aside: &OptionalText<'_>) -> (String, String) {
    strip(gold, output, aside, &mut WordNumbers::new())
}

#[test]
fn title_lines_leave_both_sides() {
    let aside = OptionalText {
        title: Some("A fine day"),
        page_title: Some("A Fine Day | The Paper"),
        optional: &["Learn more here.".to_owned()],
        fields: &["By Jane Doe, 3 May 2012".to_owned()],
    };
    let gold = "A FINE DAY!\nBy Jane Doe\nIt was a fine day, they say.\nLearn more";
    let output = "The Paper\n\nIt was a fine day, they say.\nLearn more here.\nA fine day for all";
    let (gold, output) = stripped(gold, output, &aside);
    assert_eq!(gold, "It was a fine day, they say.");
    assert_eq!(output, "\nIt was a fine day, they say.\nA fine day for all");
}

#[test]
fn a_gold_that_is_hardly_more_than_its_title_stays() {
    let aside = OptionalText { title: Some("A fine day"), ..OptionalText::default() };
    let (gold, output) = ("A fine day\nonly three words", "A fine day");
    assert_eq!(stripped(gold, output, &aside), (gold.to_owned(), output.to_owned()));
    assert_eq!(stripped("A fine day\nnow four words here", output, &aside).1, "");
}

#[test]
fn pairs_go_unless_fewer_than_three_remain() {
    let mut vocabulary = WordNumbers::new();
    let optional = ["x".to_owned(), "y".to_owned()];
    let aside = OptionalText {
        title: Some("a b"),
        page_title: Some("b c"),
        optional: &optional,
        fields: &[],
    };
    // a-b b-c c-d d-e e-f: two are titles, three remain. x-y spans two optional paragraphs.
    let gold = vocabulary.words("a b c d e f");
    assert_eq!(pairs_aside(&gold, &aside, &mut vocabulary).len(), 3);
    let gold = vocabulary.words("a b c d e");
    assert!(pairs_aside(&gold, &aside, &mut vocabulary).is_empty());
}
