//! Files that appear complete or not at all, their names, and dates as instants.

use std::fs;
use std::path::Path;

use sitegrove_sink::{AtomicFile, parse_instant, site_file_name};

#[test]
fn whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_bytes(b"1\n").unwrap();
    drop(file);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_bytes(b"[\"x\"]\n").unwrap();
    assert!(!path.exists());
    file.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "[\"x\"]\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_others_put_under_the_temporary_name_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let temporary = AtomicFile::temporary(&path);
    let mut first = AtomicFile::create(&path).unwrap();
    first.write_bytes(b"first\n").unwrap();
    let mut second = AtomicFile::create(&path).unwrap();
    second.write_bytes(b"second\n").unwrap();
    let error = first.finish().unwrap_err().to_string();
    assert!(error.contains("another process replaced"), "{error}");
    second.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "second\n");
    let first = AtomicFile::create(&path).unwrap();
    let second = AtomicFile::create(&path).unwrap();
    drop(first);
    assert!(temporary.exists());
    drop(second);
    assert!(!temporary.exists());
    // What a link left there leads to stays.
    #[cfg(unix)]
    {
        let other = folder.path().join("other");
        fs::write(&other, "mine").unwrap();
        std::os::unix::fs::symlink(&other, &temporary).unwrap();
        AtomicFile::write_whole(&path, b"third\n").unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
        assert_eq!(fs::read_to_string(&path).unwrap(), "third\n");
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
        let error = AtomicFile::create(Path::new("/dev/null")).unwrap_err().to_string();
        assert!(error.contains("/dev/null: there is something that is not"), "{error}");
    }
}

#[test]
fn a_missing_folder_is_named() {
    let error = AtomicFile::create(Path::new("/nowhere/at/all.csv")).unwrap_err();
    assert!(error.to_string().starts_with("cannot create /nowhere/at/"), "{error}");
}

#[test]
fn names_stay_in_their_folder_and_apart() {
    assert_eq!(site_file_name("news.example.co.uk"), "news.example.co.uk");
    assert_eq!(site_file_name("../../etc/passwd"), "%site-..%2f..%2fetc%2fpasswd%");
    assert_eq!(site_file_name("a:b\\c"), "a%3ab%5cc");
    assert_eq!(site_file_name("[::1]"), "%5b%3a%3a1%5d");
    assert_eq!(site_file_name("con.example"), "%site-con.example%");
    assert_eq!(site_file_name("com1.example"), "%site-com1.example%");
    assert_eq!(site_file_name("lpt9"), "%site-lpt9%");
    for allowed in ["comb.example", "abc1.example", "com12.example", "compose.example"] {
        assert_eq!(site_file_name(allowed), allowed);
    }
    assert_eq!(site_file_name(""), "%site-%");
    assert_eq!(site_file_name(&"x".repeat(120)), "x".repeat(120));
    assert_ne!(site_file_name("A"), site_file_name("a"));
    let long = "x".repeat(300);
    assert!(site_file_name(&long).len() <= 120);
    assert_ne!(site_file_name(&long), site_file_name(&"x".repeat(301)));
}

#[test]
fn dates_and_times() {
    let shown = |text| parse_instant(text).map(|i| i.to_string());
    assert_eq!(shown("2026-01-12").as_deref(), Some("2026-01-12T00:00:00Z"));
    assert_eq!(shown("2026-01-12T06:30:00+02:00").as_deref(), Some("2026-01-12T04:30:00Z"));
    assert_eq!(shown("2026-01-12T06:30:00").as_deref(), Some("2026-01-12T06:30:00Z"));
    for other in ["", "yesterday", "2026-01", "2026-02-30", "2026-01-12T25:00:00"] {
        assert_eq!(shown(other), None, "{other:?}");
    }
}
