//! Agreement of texts.

use sitegrove_sitemodel::agreement;

#[test]
fn shared_words_of_all() {
    assert_eq!(agreement("", " , "), 1.0);
    assert_eq!(agreement("the mayor spoke", ""), 0.0);
    assert_eq!(agreement("The mayor spoke.", "The mayor spoke!"), 1.0);
    assert_eq!(agreement("one two three four", "one two"), 4.0 / 6.0);
    assert_eq!(agreement("a a a", "a"), 0.5);
    assert_eq!(agreement("市長は語った", "市長は笑った"), 10.0 / 12.0);
    assert_eq!(agreement("Größe zählt", "größe zählt"), 0.5);
}
