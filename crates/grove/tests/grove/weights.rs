//! Files of weights.

use sitegrove_grove::{Weights, WeightsError};

#[test]
fn files_of_other_schemas_are_told_whatever_their_form() {
    let read = |json: &str| Weights::from_json(json.as_bytes());
    let other = read(r#"{"schema": 2, "trees": []}"#);
    assert!(matches!(other, Err(WeightsError::Schema { found: 2 })), "{other:?}");
    assert!(matches!(read(r#"{"schema": 4, "trees": []}"#), Err(WeightsError::Form(_))));
    assert!(matches!(read(r#"{"trees": []}"#), Err(WeightsError::Form(_))));
}
