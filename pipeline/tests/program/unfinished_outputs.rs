//! A run that was stopped while it processed sites, or while it wrote its outputs, gives the same bytes when it is resumed.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{parts, succeeded, write_file};
use crate::common::prose;
use crate::common::unfinished::{
    assert_same, kill_process, outcome, run_command, signal, sites_done, wait_for,
};

const SITES: usize = 40;

/// An archive of small sites that keep a run busy, and of some larger ones.
fn archive() -> (TempDir, PathBuf, PathBuf) {
    let filler = prose::filler(40);
    let mut crawl = Crawl::new();
    for site in 0..SITES {
        let pages = if site % 5 == 4 { 16 } else { 4 };
        for n in 0..pages {
            let url = format!("https://site-{site}.example/notes/{n:04}");
            crawl.page(&url, &prose::post_with(site * 20 + n, "", &filler));
            if n == 3 {
                // An older capture: dropped.
                crawl.page(&url, &prose::post_with(site * 20 + n + 1, "", &filler));
            }
        }
    }
    crawl.placed("crawl.warc.gz")
}

/// A run with outputs that can be resumed, except for those in `more`.
fn command(archive: &Path, out: &Path, more: &[&str]) -> Command {
    let options = ["--jobs", "2", "--sinks", "jsonl,csv,bulk,report"];
    let mut command = run_command(&[archive], out, &[&options, more].concat());
    command.env("RUST_LOG", "sitegrove=debug");
    command
}

/// Runs to the end; returns the number of sites that an earlier process did.
fn run(archive: &Path, out: &Path, more: &[&str]) -> usize {
    let done = sites_done(out);
    succeeded(&command(archive, out, more).output().unwrap());
    done
}

/// A run that was stopped when half of its sites were finished.
fn stopped(archive: &Path, out: &Path, more: &[&str]) {
    let mut child = command(archive, out, more).spawn().unwrap();
    wait_for(&mut child, "half of its sites", || sites_done(out) > SITES / 2);
    signal(&child, "-TERM");
    let (code, _, stderr) = parts(&child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{stderr}");
}

fn settings(folder: &Path, text: &str) -> String {
    let path = write_file(folder, "settings.toml", text);
    path.to_str().unwrap().to_owned()
}

/// Settings with which the larger sites are processed in batches.
const IN_PARTS: &str = "[run]\nbatch_bytes = 200_000\n";

#[test]
fn a_stopped_run_leaves_no_outputs_and_is_resumed() {
    for text in ["", "[emit]\njsonl = \"zstd\"\n", IN_PARTS] {
        let (folder, archive, out) = archive();
        let settings = settings(folder.path(), text);
        let whole = folder.path().join("whole");
        let more = ["--config", &settings];
        assert_eq!(run(&archive, &whole, &more), 0);
        stopped(&archive, &out, &more);
        let names = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> =
            names.filter(|name| name != ".sitegrove" && name != "ledger.json").collect();
        let is_folder = |name: &std::ffi::OsString| out.join(name).is_dir();
        assert!(left.iter().all(is_folder), "{left:?}");
        if text == IN_PARTS {
            // A killed run may leave such files.
            for file in [".articles.jsonl", ".dropped.jsonl", "report/.sites.jsonl"] {
                fs::write(out.join(format!("{file}.partial")), "{\"left\": true}\n").unwrap();
            }
        }
        assert!(run(&archive, &out, &more) > SITES / 2);
        assert_same(&outcome(&out), &outcome(&whole), text);
    }
}

#[test]
fn killed_again_and_again_it_gives_the_same_bytes() {
    let (folder, archive, out) = archive();
    let settings = settings(folder.path(), IN_PARTS);
    let whole = folder.path().join("whole");
    let more = ["--config", &settings];
    run(&archive, &whole, &more);
    let kill_when = |what: &str, is_time: &dyn Fn() -> bool| {
        let mut child = command(&archive, &out, &more).spawn().unwrap();
        wait_for(&mut child, what, is_time);
        kill_process(child);
    };
    for share in [1, 2, 3] {
        kill_when("another site", &|| sites_done(&out) > SITES * share / 4);
    }
    let wrappers = || fs::read_dir(out.join("wrappers")).map_or(0, Iterator::count);
    for sites in [1, SITES / 2] {
        // Outputs are written once all sites are done.
        kill_when("writing", &|| wrappers() > sites);
        assert!(sites_done(&out) > SITES);
        fs::remove_dir_all(out.join("wrappers")).unwrap();
    }
    assert!(run(&archive, &out, &more) > SITES);
    assert_same(&outcome(&out), &outcome(&whole), "killed five times");
}

#[test]
fn outputs_of_a_run_that_is_replaced_leave_nothing_behind() {
    let (folder, archive, out) = archive();
    let whole = folder.path().join("whole");
    stopped(&archive, &out, &[]);
    let only = |out: &Path| {
        let options = ["--overwrite", "--sinks", "jsonl", "--engine", "text-density"];
        let mut command = run_command(&[&archive], out, &options);
        succeeded(&command.output().unwrap());
        let names = fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        (names, fs::read(out.join("articles.jsonl")).unwrap())
    };
    let (names, articles) = only(&out);
    let (expected, expected_articles) = only(&whole);
    assert_eq!(names, expected);
    assert!(articles == expected_articles, "articles.jsonl differs");
    let partial = |folder: &str| {
        let names = fs::read_dir(out.join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".partial")).count()
    };
    assert_eq!(partial("wrappers"), 0);
}
