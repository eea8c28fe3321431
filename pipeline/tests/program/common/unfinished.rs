//! Runs that are interrupted, and their final results.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::program::PATH;
use super::results::Results;
pub(crate) use super::results::assert_same;

/// The [outcome](Results::outcome) of a complete run.
pub(crate) fn outcome(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let results = Results::read(out);
    assert_eq!(results.ledger["state"], "complete");
    assert!(out.join("report/index.html").exists());
    let files = results.outcome();
    assert!(files.keys().all(|name| !name.contains(".sitegrove")), "{:?}", files.keys());
    assert!(files.contains_key("report/sites.jsonl") && files.contains_key("articles.csv"));
    files
}

/// A run whose output is captured.
pub(crate) fn run_command(inputs: &[&Path], out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(PATH);
    command.env_remove("RUST_LOG").arg("run").args(inputs).arg("--out").arg(out).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Where an unfinished run keeps the results of sites, in its folder.
pub(crate) const RESULTS: &str = ".sitegrove/results";

/// The ends of the complete frames of such results.
pub(crate) fn ends_of_frames(results: &[u8]) -> Vec<usize> {
    let (mut at, mut ends) = (0, Vec::new());
    while let Some(length) = results.get(at..at + 4) {
        at += 12 + u32::from_le_bytes(length.try_into().unwrap()) as usize;
        ends.extend((at <= results.len()).then_some(at));
    }
    ends
}

/// Number of sites, or parts of them, whose results an unfinished run kept.
pub(crate) fn sites_done(out: &Path) -> usize {
    // The first frame says what they were computed from.
    ends_of_frames(&fs::read(out.join(RESULTS)).unwrap_or_default()).len().saturating_sub(1)
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
    let results = out.join(RESULTS);
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
