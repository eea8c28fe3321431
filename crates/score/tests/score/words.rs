//! Words of texts.

use sitegrove_score::words::{WordNumbers, words};

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(words(text), expected);
}

#[test]
fn letters_and_numbers_between_anything_else() {
    check("Hello, World! 3.14 snake_case", &["hello", "world", "3", "14", "snake", "case"]);
    check("", &[]);
    check(" — … ", &[]);
    check("x² ½ Ⅷ", &["x²", "½", "ⅷ"]);
}

#[test]
fn apostrophes_inside_words_vanish() {
    check("Don't 'quote' rock’n’roll l'été", &["dont", "quote", "rocknroll", "lété"]);
    check("a''b dogs' 'tis _'s", &["a", "b", "dogs", "tis", "s"]);
    // U+02BC is a letter itself, so two of them are both inside a word.
    check("aʼʼb xʼ", &["ab", "xʼ"]);
}

#[test]
fn scripts_without_spaces_by_character() {
    check("東京 Tokyoです。", &["東", "京", "tokyo", "で", "す"]);
    check("iPhone発売・2台", &["iphone", "発", "売", "・", "2", "台"]);
    check("ไทย", &["ไ", "ท", "ย"]);
    check("한국어 신문", &["한국어", "신문"]);
}

#[test]
fn marks_separate_and_case_mapping_is_full() {
    check("हिन्दी", &["ह", "न", "द"]);
    check("İstanbul ΣΟΦΟΣ STRASSE", &["i", "stanbul", "σοφος", "strasse"]);
}

#[test]
fn one_vocabulary_gives_equal_numbers_to_equal_words() {
    let mut vocabulary = WordNumbers::new();
    assert_eq!(vocabulary.words("To be or not to be"), [0, 1, 2, 3, 0, 1]);
    assert_eq!(vocabulary.words("Be new"), [1, 4]);
}
