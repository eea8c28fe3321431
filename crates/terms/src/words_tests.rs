//! Tests of word counting against a slow implementation of the scorer's two regular expressions.

use proptest::prelude::*;

use super::*;
use crate::chars::MARK;

/// The words of a text without their inner apostrophes.
fn joined_words(text: &str) -> Vec<String> {
    words(text).map(|word| without_apostrophes(word).into_iter().collect()).collect()
}

/// `APOS.sub('', text)`, character by character.
fn without_apostrophes(text: &str) -> Vec<char> {
    let all: Vec<char> = text.chars().collect();
    let is_word_at = |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(|&c| is_word(c));
    let vanishes = |at: usize| {
        let between = is_word_at(at.checked_sub(1)) && is_word_at(Some(at + 1));
        between && ['\'', '\u{2019}', '\u{2bc}'].contains(&all[at])
    };
    (0..all.len()).filter(|&at| !vanishes(at)).map(|at| all[at]).collect()
}

/// Python's `\w`.
fn is_word(c: char) -> bool {
    let circled = matches!(c as u32, 0x24b6..=0x24e9 | 0x1f130..=0x1f189);
    c == '_' || (c.is_alphanumeric() && !CharacterTable::get().of(c).has(MARK) && !circled)
}

/// The scorer's first alternative: `[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]`.
fn is_single(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// `TOK.findall(APOS.sub('', text))`, character by character.
fn slow_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for c in without_apostrophes(text) {
        let in_word = is_word(c) && c != '_' && !is_single(c);
        if in_word && open {
            words.last_mut().unwrap().push(c);
        } else if in_word || is_single(c) {
            words.push(c.to_string());
        }
        open = in_word;
    }
    words
}

/// Expected values computed with Python: `TOK.findall(APOS.sub('', text.lower()))`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(joined_words(&text.to_lowercase()), expected, "{text:?}");
}

#[test]
fn as_the_scorer_has_it() {
    check("Don't STOP, it’s 3.5_km!", &["dont", "stop", "its", "3", "5", "km"]);
    check("東京tower ภา", &["東", "京", "tower", "ภ", "า"]);
    check("'quoted' dogs' a''b", &["quoted", "dogs", "a", "b"]);
    check("ʼtwas Oʼneil 中ʼ文 _ʼ_", &["ʼtwas", "oneil", "中", "文"]);
    check("हिन्दी", &["ह", "न", "द"]);
    check("İstanbul 안녕하세요", &["i", "stanbul", "안녕하세요"]);
}

#[test]
fn slices_keep_their_apostrophes() {
    assert_eq!(words("Don't a'中").collect::<Vec<_>>(), ["Don't", "a", "中"]);
}

#[test]
fn counts() {
    for (text, count) in [("", 0), ("a", 1), ("'a", 1), ("a b", 2), ("a'b'c", 1), ("a_'b", 2)] {
        assert_eq!(count_words(text), count, "{text}");
    }
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        r"\PC{0,40}",
        r"[ a-zA-Z0-9'_.,-]{0,80}",
        r"[ aé'’ʼ_1中กका.\u{301}😀Ⓐ]{0,40}",
        r"\p{any}{0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]
    #[test]
    fn fast_equals_slow(text in texts()) {
        let fast = joined_words(&text);
        prop_assert_eq!(&fast, &slow_words(&text));
        let count = fast.len() as u32;
        prop_assert_eq!(count_words(&text), count);
        let long = text.repeat(20);
        prop_assert_eq!(count_words(&long), slow_words(&long).len() as u32);
        let starts = WordStarts::of(&long);
        let cuts: Vec<usize> = long.char_indices().map(|(at, _)| at).collect();
        for range in cuts.windows(30).step_by(7).map(|piece| piece[0]..piece[29]) {
            prop_assert_eq!(starts.count(range.clone()), count_words(&long[range]));
        }
        prop_assert_eq!(starts.count(0..long.len()), count_words(&long));
        for least in 0..count + 2 {
            prop_assert_eq!(has_words(&text, least), count >= least);
        }
    }
}
