//! Titles are compared without the name of the site.

use proptest::prelude::*;
use sitegrove_score::metadata::{FieldScore, title};

#[track_caller]
fn graded(gold: &str, output: &str, expected: f64) {
    let score = title(gold, output, "www.orchard-post.example").expect("gold has words");
    assert!((score.graded - expected).abs() < 1e-9, "{score:?}");
    assert_eq!(score.exact, expected == 1.0);
}

#[test]
fn spelling_makes_no_difference() {
    graded("Frost’s bite: “cold”", "frost's bite – 'Cold'", 1.0);
    graded("E-mail is back", "Email is back", 1.0);
    graded("Frost bites", "", 0.0);
    assert_eq!(title(" … ", "x", "a.example"), None);
}

#[test]
fn the_first_line_is_the_headline() {
    graded("\nFrost bites\n\nCold night\nBy Jane Doe", "Frost bites", 1.0);
}

#[test]
fn words_count_with_multiplicity() {
    // 2 of 3 words on both sides.
    graded("frost and frost", "frost and ice", 2.0 / 3.0);
    // 2 in common, of 2 and 4: F1 = 2·2/6.
    graded("frost bites", "frost bites again today", 4.0 / 6.0);
}

#[test]
fn the_sites_name_goes_from_both() {
    graded("Frost bites - Orchard Post", "Frost bites", 1.0);
    graded("Frost bites", "The Orchard-Post | Frost bites", 1.0);
    graded("Frost bites", "Frost bites_Orchard Post", 1.0);
    graded("Orchard Post: Frost bites", "Frost bites", 1.0);
    let accents = title("Hideg éj - FürgeHírek", "Hideg éj", "furgehirek.example");
    assert!(accents.is_some_and(|score| score.exact), "{accents:?}");
    // A title that consists of the name is kept.
    graded("Orchard Post", "Orchard Post", 1.0);
    // The name of another site is not removed: 2 in common, of 2 and 4.
    graded("Frost bites", "Frost bites - Meadow Times", 4.0 / 6.0);
}

proptest! {
    #[test]
    fn a_title_is_itself(text in "\\PC{0,40}", host in "[a-z.]{0,12}") {
        if let Some(score) = title(&text, &text, &host) {
            prop_assert_eq!(score, FieldScore { exact: true, graded: 1.0 });
        }
    }

    #[test]
    fn graded_is_a_share(a in "[a-c |:-]{0,20}", b in "[a-c |:-]{0,20}") {
        if let Some(score) = title(&a, &b, "a.b.example") {
            prop_assert!((0.0..=1.0).contains(&score.graded));
        }
    }
}
