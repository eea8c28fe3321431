//! The inputs in `fuzz/corpus`, which the fuzz targets run on, replayed as plain tests.

use std::fs;

#[path = "../../fuzz/src/checks.rs"]
mod checks;
mod common;

/// Runs a check on every input of a target.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = common::program::repository().join("fuzz/corpus").join(target);
    let mut files: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        let bytes = fs::read(&file).unwrap();
        let outcome = std::panic::catch_unwind(|| check(&bytes));
        assert!(outcome.is_ok(), "{}", file.display());
    }
}

#[test]
fn records() {
    replay("records", checks::records);
}

#[test]
fn http() {
    replay("http", checks::http);
}

#[test]
fn page() {
    replay("page", checks::page);
}

#[test]
fn tokens() {
    replay("tokens", checks::tokens);
}

#[test]
fn feed() {
    replay("feed", checks::feed);
}

#[test]
fn site_config() {
    replay("site_config", checks::site_config);
}

#[test]
fn wrapper() {
    replay("wrapper", checks::wrapper);
}
