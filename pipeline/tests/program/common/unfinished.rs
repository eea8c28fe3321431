//! Runs that are interrupted, and their final results.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

pub(crate) use super::results::assert_same;
use super::results::{files, parse};

/// The files of a run that must be the same; the report and the ledger contain times.
pub(crate) fn outcome(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(out);
    let ledger = parse(&String::from_utf8(files.remove("ledger.json").unwrap()).unwrap());
    assert_eq!(ledger["state"], "complete");
    assert!(files.remove("report/index.html").is_some());
    files.insert("counts".to_owned(), ledger["counts"].to_string().into());
    files.insert("drops".to_owned(), ledger["drops"].to_string().into());
    assert!(files.keys().all(|name| !name.contains(".sitegrove")), "{:?}", files.keys());
    assert!(files.contains_key("report/sites.jsonl") && files.contains_key("articles.csv"));
    files
}

pub(crate) fn wait_for(child: &mut Child, what: &str, ready: impl Fn() -> bool) {
    let begun = Instant::now();
    while !ready() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before {what}");
        assert!(begun.elapsed() < Duration::from_secs(60), "it never came to {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until a run in this folder has finished a site.
pub(crate) fn wait_for_a_site(child: &mut Child, out: &Path) {
    let results = out.join(".sitegrove/results");
    // More than what says what they were computed from.
    wait_for(child, "its first site", || fs::metadata(&results).is_ok_and(|m| m.len() > 100));
}

pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").arg(name).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
}

/// Ends a run at once.
pub(crate) fn kill_process(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Copies a folder with its contents.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.path() {
            folder if folder.is_dir() => copy(&folder, &target),
            file => drop(fs::copy(file, target).unwrap()),
        }
    }
}
