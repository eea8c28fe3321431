//! Paragraphs that another text lacks.

use sitegrove_score::paragraphs::lacking;

#[test]
fn by_hand() {
    let gold = "One two three four five.\n\nSix seven eight\n—\nNine\nTen";
    let output = "one two three, and nine";
    // one-two and two-three are 2 of 4 pairs: half is enough. Nothing of the second line, and no "ten".
    assert_eq!(lacking(gold, output), ["Six seven eight", "Ten"]);
    assert_eq!(lacking(output, gold), Vec::<&str>::new());
    assert_eq!(lacking("a b c d e", "a b"), ["a b c d e"]);
}
