//! Sketches of sets.

use proptest::prelude::*;
use sitegrove_duplicates::Sketch;
use terms::hash_words;
use xxhash_rust::xxh3::xxh3_64;

fn hashes(numbers: std::ops::Range<u64>) -> impl Iterator<Item = u64> {
    numbers.map(|n| xxh3_64(&n.to_le_bytes()))
}

#[test]
fn words_without_case_and_marks() {
    let words = |text: &str| hash_words(text).map(|(hash, _)| hash).collect::<Vec<_>>();
    assert_eq!(words("The ÉTUDE, of 1984."), words("the étude of (1984)"));
    assert_eq!(words("").len(), 0);
    assert_eq!(words("漢字 kana かな").len(), 5);
    let numbers: Vec<bool> = hash_words("In 1984, 3rd: 42").map(|(_, number)| number).collect();
    assert_eq!(numbers, [false, true, false, true]);
}

#[test]
fn the_estimate_is_close() {
    for (shared, own, expected) in [(1000, 0, 1.0), (900, 50, 0.9), (600, 200, 0.6), (0, 500, 0.0)]
    {
        let one = Sketch::<32>::of(hashes(0..shared + own));
        let other = hashes(0..shared).chain(hashes(10_000..10_000 + own));
        let found = one.similarity(&Sketch::of(other));
        assert!((found - expected).abs() < 0.1, "{found} instead of {expected}");
    }
}

#[test]
fn small_sets_are_compared_too() {
    let of = |numbers| Sketch::<32>::of(hashes(numbers));
    assert_eq!(of(0..3).similarity(&of(0..3)), 1.0);
    assert!(of(0..3).similarity(&of(3..6)) < 0.1);
    assert_eq!(of(0..0).similarity(&of(0..0)), 1.0);
    assert!(of(0..0).similarity(&of(0..5)) < 0.1);
}

/// Whether a letter of the texts below is of a script without spaces.
fn is_unseparated(c: char) -> bool {
    "ก漢かナー・".contains(c)
}

/// The words of a text, character by character.
fn words_one_by_one(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars() {
        let last = words.last_mut().unwrap();
        if c.is_alphanumeric() && !is_unseparated(c) {
            last.extend(c.to_lowercase());
        } else {
            words.extend(c.is_alphanumeric().then(|| c.to_string()));
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

proptest! {
    #[test]
    fn runs_of_ascii_are_words_as_all_others(text in r"[a-cA-C0-9 ,.'ÄßİéกΣ漢かナー・์\u{301}]{0,40}") {
        let words = words_one_by_one(&text);
        let expected: Vec<(u64, bool)> = words
            .iter()
            .map(|word| (xxh3_64(word.as_bytes()), word.bytes().all(|b| b.is_ascii_digit())))
            .collect();
        prop_assert_eq!(hash_words(&text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn order_and_repetition_do_not_matter(mut set in prop::collection::vec(any::<u64>(), 0..300)) {
        let sketch = Sketch::<32>::of(set.iter().copied());
        set.reverse();
        set.extend_from_within(..);
        prop_assert_eq!(sketch, Sketch::of(set));
    }
}
