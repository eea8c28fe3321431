//! Retrieved nodes.

use sitegrove_score::Score;
use sitegrove_score::nodes::compare;

#[test]
fn by_hand() {
    let gold = ["/html/body/div[1]", "/html/body/div[1]/p[1]", "/html/body/div[1]/p[2]"];
    let output = ["/html/body/div[1]/p[1]", "/html/body/div[2]", "/html/body/div[1]/p[1]"];
    // One of two distinct retrieved nodes is right, one of three wanted was found: F1 = 2·(1/2)(1/3)/(5/6).
    let score = compare(gold, output).unwrap();
    assert_eq!((score.precision, score.recall), (0.5, 1.0 / 3.0));
    assert!((score.f1 - 0.4).abs() < 1e-12);
}

#[test]
fn unmarked_gold_is_not_scored() {
    assert_eq!(compare(Vec::<u32>::new(), vec![1]), None);
    assert_eq!(compare(vec![1], Vec::new()), Some(Score::ZERO));
}
