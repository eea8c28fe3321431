//! A run that is stopped leaves no incomplete files, and can be started again.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::common::crawl::Crawl;
use crate::common::program::{parts, run};
use crate::common::prose;
use crate::common::results::files;
use crate::common::unfinished::{run_command, signal, wait_for};

/// An archive that keeps a run busy: many sites, long pages.
fn large(folder: &Path) -> PathBuf {
    let filler = prose::filler(60);
    let mut crawl = Crawl::new();
    for site in 0..150 {
        for n in 0..10 {
            let url = format!("https://large-{site}.example/notes/{n}");
            crawl.page(&url, &prose::post_with(site * 10 + n, "", &filler));
        }
    }
    crawl.write(folder, "large.warc.gz")
}

fn small(folder: &Path) -> PathBuf {
    Crawl::of_posts("https://small.example/notes/", 0..4).write(folder, "small.warc.gz")
}

fn start(archive: &Path, out: &Path, more: &[&str]) -> Child {
    run_command(&[archive], out, &[&["--jobs", "2"], more].concat()).spawn().unwrap()
}

/// Waits until a condition holds, then sends a signal. Returns exit code, stdout and stderr.
fn stopped(mut child: Child, name: &str, ready: impl Fn() -> bool) -> (i32, String, String) {
    wait_for(&mut child, "it could be stopped", ready);
    signal(&child, name);
    let sent = Instant::now();
    let ended = parts(&child.wait_with_output().unwrap());
    assert!(sent.elapsed() < Duration::from_secs(20), "it took too long to stop");
    ended
}

#[test]
fn a_stopped_run_leaves_nothing_in_place_and_can_be_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let large = large(folder.path());
    let out = folder.path().join("out");
    for (signal, in_place) in [
        ("-INT", ""),                        // while reading
        ("-INT", ".articles.jsonl.partial"), // while outputs are written
        ("-TERM", ".dropped.jsonl.partial"),
        ("-KILL", ".articles.jsonl.partial"),
    ] {
        if out.exists() {
            fs::remove_dir_all(&out).unwrap();
        }
        let ready = || out.join(in_place).exists();
        let (code, stdout, stderr) = stopped(start(&large, &out, &[]), signal, ready);
        let case = format!("{signal} at `{in_place}`");
        let is_killed = signal == "-KILL";
        let expected = if is_killed { -1 } else { 130 };
        assert_eq!((code, stdout.as_str()), (expected, ""), "{case}: {stderr}");
        assert!(is_killed || stderr.contains("stopped"), "{case}: {stderr}");
        let left: Vec<String> = files(&out).into_keys().collect();
        let unfinished = |name: &String| {
            let state = name.starts_with(".sitegrove/") || name == "ledger.json";
            state || name.ends_with(".partial")
        };
        assert!(left.iter().all(unfinished), "{case} left {left:?}");
        if in_place.is_empty() {
            assert!(left.is_empty(), "{case} left {left:?}, but nothing was done");
        }
    }
    // Discarding finished work needs --overwrite.
    let small = small(folder.path());
    assert_eq!(run(&[&small], &out, &["--overwrite", "--sinks", "jsonl,csv"]).articles.len(), 4);
    let names: Vec<String> = files(&out).into_keys().collect();
    let expected = [
        "articles.csv", "articles.jsonl", "dropped.jsonl", "ledger.json",
        "wrappers/small.example.json",
    ];
    assert_eq!(names, expected, "leftovers of the killed run");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 5);
}

#[test]
fn an_earlier_run_survives_one_that_was_to_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    let (large, small) = (large(folder.path()), small(folder.path()));
    let out = folder.path().join("out");
    run(&[&small], &out, &[]);
    let before = files(&out);
    let ready = || out.join(".articles.jsonl.partial").exists();
    let (code, _, stderr) = stopped(start(&large, &out, &["--overwrite"]), "-INT", ready);
    assert_eq!(code, 130, "{stderr}");
    let mut now = files(&out);
    now.retain(|name, _| !name.starts_with(".sitegrove/") && !name.ends_with(".partial"));
    assert!(now == before, "the earlier run was touched: {:?}", now.keys());
}
