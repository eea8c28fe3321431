//! Settings and the weights built in.

use sitegrove_sitemodel::Settings;
use sitegrove_sitemodel::settings::built_in;

#[test]
fn the_defaults_are_complete_and_have_a_digest() {
    let settings = Settings::standard();
    let mut tables = settings.tables().clone();
    assert_eq!(Settings::new(tables.clone()).digest(), settings.digest());
    tables.cluster.similarity += 0.01;
    assert_ne!(Settings::new(tables).digest(), settings.digest());
}

#[test]
fn the_weights_built_in_are_for_this_version() {
    assert!(!built_in().weights.trained_on.is_empty());
}
