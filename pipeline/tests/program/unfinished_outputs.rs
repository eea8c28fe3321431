//! A run that was stopped while it processed sites, or while it wrote its outputs, gives the same bytes when it is resumed.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::common::crawl::Crawl;
use crate::common::program::{PATH, parts, succeeded};
use crate::common::prose;
use crate::common::unfinished::{assert_same, kill_process, outcome, signal, wait_for};

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
    let mut command = Command::new(PATH);
    command.env("RUST_LOG", "sitegrove=debug").arg("run").args(more).arg(archive);
    command.arg("--out").arg(out).args(["--jobs", "2", "--sinks", "jsonl,csv,bulk,report"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end; returns the number of sites that an earlier process did.
fn run(archive: &Path, out: &Path, more: &[&str]) -> u64 {
    let done = frames(out);
    succeeded(&command(archive, out, more).output().unwrap());
    done
}

/// Number of sites, or parts of them, whose results an unfinished run kept.
fn frames(out: &Path) -> u64 {
    let results = fs::read(out.join(".sitegrove/results")).unwrap_or_default();
    let (mut at, mut count) = (0_usize, 0_u64);
    while let Some(length) = results.get(at..at + 4) {
        at += 12 + u32::from_le_bytes(length.try_into().unwrap()) as usize;
        count += u64::from(at <= results.len());
    }
    // The first says what they were computed from.
    count.saturating_sub(1)
}

/// A run that was stopped when half of its sites were finished.
fn stopped(archive: &Path, out: &Path, more: &[&str]) {
    let mut child = command(archive, out, more).spawn().unwrap();
    wait_for(&mut child, "half of its sites", || frames(out) > SITES as u64 / 2);
    signal(&child, "-TERM");
    let (code, _, stderr) = parts(&child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{stderr}");
}

fn settings(folder: &Path, text: &str) -> String {
    let path = folder.join("settings.toml");
    fs::write(&path, text).unwrap();
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
        let more = [settings.as_str()];
        assert_eq!(run(&archive, &whole, &more), 0);
        stopped(&archive, &out, &more);
        let names = fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> =
            names.filter(|name| name != ".sitegrove" && name != "ledger.json").collect();
        let is_folder = |name: &std::ffi::OsString| out.join(name).is_dir();
        assert!(left.iter().all(is_folder), "{left:?}");
        assert!(run(&archive, &out, &more) > SITES as u64 / 2);
        assert_same(&outcome(&out), &outcome(&whole), text);
    }
}

#[test]
fn what_a_killed_run_left_of_its_outputs_does_not_matter() {
    let (folder, archive, out) = archive();
    let settings = settings(folder.path(), IN_PARTS);
    let whole = folder.path().join("whole");
    let with = [settings.as_str()];
    run(&archive, &whole, &with);
    stopped(&archive, &out, &with);
    for file in [".articles.jsonl.partial", ".dropped.jsonl.partial", "report/.sites.jsonl.partial"]
    {
        fs::write(out.join(file), "{\"left\": true}\n").unwrap();
    }
    run(&archive, &out, &with);
    assert_same(&outcome(&out), &outcome(&whole), "with other files left");
}

#[test]
fn an_output_that_could_not_be_written_then_is_whole_at_last() {
    let (folder, archive, out) = archive();
    let whole = folder.path().join("whole");
    run(&archive, &whole, &[]);
    let in_the_way = out.join(".articles.csv.partial");
    fs::create_dir_all(in_the_way.join("folder")).unwrap();
    stopped(&archive, &out, &[]);
    fs::remove_dir_all(&in_the_way).unwrap();
    assert!(run(&archive, &out, &[]) > SITES as u64 / 2);
    assert_same(&outcome(&out), &outcome(&whole), "with all outputs again");
}

#[test]
fn killed_again_and_again_it_gives_the_same_bytes() {
    let (folder, archive, out) = archive();
    let settings = settings(folder.path(), IN_PARTS);
    let whole = folder.path().join("whole");
    let more = [settings.as_str()];
    run(&archive, &whole, &more);
    let kill_when = |what: &str, is_time: &dyn Fn() -> bool| {
        let mut child = command(&archive, &out, &more).spawn().unwrap();
        wait_for(&mut child, what, is_time);
        kill_process(child);
    };
    for share in [1, 2, 3] {
        kill_when("another site", &|| frames(&out) > SITES as u64 * share / 4);
    }
    let wrappers = || fs::read_dir(out.join("wrappers")).map_or(0, Iterator::count);
    for sites in [1, SITES / 2] {
        // Outputs are written once all sites are done.
        kill_when("writing", &|| wrappers() > sites);
        assert!(frames(&out) > SITES as u64);
        fs::remove_dir_all(out.join("wrappers")).unwrap();
    }
    assert!(run(&archive, &out, &more) > SITES as u64);
    assert_same(&outcome(&out), &outcome(&whole), "killed five times");
}

#[test]
fn outputs_of_a_run_that_is_replaced_leave_nothing_behind() {
    let (folder, archive, out) = archive();
    let whole = folder.path().join("whole");
    stopped(&archive, &out, &[]);
    let only = |out: &Path| {
        let mut command = Command::new(PATH);
        command.env_remove("RUST_LOG").arg("run").arg(&archive).args(["--overwrite", "--out"]);
        command.arg(out).args(["--sinks", "jsonl", "--engine", "text-density"]);
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
