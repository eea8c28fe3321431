//! A merge that is killed while it works is run again, and gives what an undisturbed one gives.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::program::{PATH, in_repository, parts, sitegrove, write_file};
use crate::common::steps::{Steps, assert_same, bytes, dealt, entries};
use crate::common::unfinished::{kill_process, signal, wait_for};

/// All files of the steps of the sample crawl, with large sites.
fn steps(folder: &Path, settings: &[&str]) -> Vec<PathBuf> {
    let surveys = dealt(&entries("data/crawl"), &entries("data/feeds"), 2, 0);
    let steps = Steps { folder: folder.to_owned(), settings, surveys, shares: 2, turn: 0 };
    let surveys = steps.survey();
    let (learnt, _) = steps.learn("learn", &surveys);
    let applied = steps.apply("apply", &surveys, &learnt);
    let first = [surveys.clone(), learnt.clone(), applied].concat();
    let (again, _) = steps.learn("again", &first);
    let rest = steps.apply("rest", &surveys, &[learnt, again.clone()].concat());
    [first, again, rest].concat()
}

struct Merge<'a> {
    files: &'a [PathBuf],
    settings: &'a [&'a str],
}

impl Merge<'_> {
    /// Merges; gives the exit code and the message.
    fn call(&self, out: &Path, more: &[&str]) -> (i32, String) {
        let mut command = sitegrove();
        let command = command.arg("merge").args(self.files).args(self.settings).args(more);
        let (code, _, stderr) = parts(&command.arg("--out").arg(out).output().unwrap());
        (code, stderr)
    }

    fn start(&self, out: &Path, more: &[&str]) -> Child {
        let mut command = Command::new(PATH);
        command.arg("merge").args(self.files).args(self.settings).args(more);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.arg("--out").arg(out).spawn().unwrap()
    }

    /// Kills a merge so long after it has begun; whether it was still at work.
    fn kill(&self, out: &Path, more: &[&str], after: Duration) -> bool {
        let mut child = self.start(out, more);
        wait_for(&mut child, "its mark", || out.join(".sitegrove/merge").exists());
        std::thread::sleep(after);
        let at_work = child.try_wait().unwrap().is_none();
        kill_process(child);
        at_work && out.join(".sitegrove").exists()
    }
}

/// Whether a killed merge had finished all but its tidying.
fn is_complete(out: &Path) -> bool {
    out.join("ledger.json").exists() && !out.join(".sitegrove/merge").exists()
}

/// What is in the folder of run folders and in a run folder, but for the files of the run.
fn leftovers(folder: &Path, out: &Path) -> Vec<String> {
    let names = |folder: &Path| -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.to_string_lossy().into_owned()).collect()
    };
    let mut all = [names(folder), names(out), names(&out.join("wrappers"))].concat();
    all.retain(|name| name.starts_with('.'));
    all
}

#[test]
fn a_killed_merge_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = write_file(folder.path(), "settings.toml", "[sample]\npages = 3\n");
    let settings =
        ["--config", config.to_str().unwrap(), "--sinks", "jsonl,csv,parquet,index,report"];
    let files = steps(folder.path(), &settings);
    let merge = Merge { files: &files, settings: &settings };
    let outs = folder.path().join("outs");
    fs::create_dir(&outs).unwrap();
    let whole = outs.join("whole");
    let begun = Instant::now();
    let (code, stderr) = merge.call(&whole, &[]);
    let took = begun.elapsed();
    assert_eq!(code, 0, "{stderr}");
    let outcome = |out: &Path| -> BTreeMap<String, Vec<u8>> {
        let mut files = bytes(out);
        // Names of its files are random.
        files.retain(|name, _| !name.starts_with("index/"));
        files
    };
    let expected = outcome(&whole);

    const MOMENTS: u32 = 8;
    let mut interrupted = [0, 0];
    for moment in 0..MOMENTS {
        let after = took * moment / MOMENTS;
        let out = outs.join(format!("new-{moment}"));
        interrupted[0] += u32::from(merge.kill(&out, &[], after));
        let what = format!("killed after {after:?} of {took:?}");
        if out.join(".sitegrove").exists() {
            let complete = is_complete(&out);
            let (code, stderr) = merge.call(&out, &[]);
            assert_eq!(code, if complete { 2 } else { 0 }, "{what}: {stderr}");
        }
        assert_same(&expected, &outcome(&out), &what);
        assert_eq!(leftovers(&outs, &out), [""; 0], "{what}");

        // While it replaces the results of another.
        let out = outs.join(format!("old-{moment}"));
        let other = Merge {
            files: &files,
            settings: &[&settings[..3], &["jsonl,csv,parquet,index,report,warc"]].concat(),
        };
        assert_eq!(other.call(&out, &[]).0, 0);
        let was_at_work = merge.kill(&out, &["--overwrite"], after);
        interrupted[1] += u32::from(was_at_work);
        let complete = is_complete(&out);
        if was_at_work {
            let (code, stderr) = other.call(&out, &[]);
            assert!(code == 2 && stderr.contains("--overwrite"), "{what}: {stderr}");
        }
        let more: &[&str] = if moment % 2 == 0 || complete { &["--overwrite"] } else { &[] };
        let (code, stderr) = merge.call(&out, more);
        assert_eq!(code, 0, "{what}: {stderr}");
        assert_same(&expected, &outcome(&out), &what);
        assert_eq!(leftovers(&outs, &out), [""; 0], "{what}");
    }
    assert!(interrupted.iter().all(|&count| count >= 3), "{interrupted:?} of {MOMENTS}");
    // Killed while it tidied.
    let tidied = outs.join("new-0");
    fs::create_dir(tidied.join(".sitegrove")).unwrap();
    fs::write(tidied.join(".sitegrove/lock"), "4000000\n").unwrap();
    assert_eq!(merge.call(&tidied, &[]).0, 2, "a complete merge is not replaced");
    assert_eq!(leftovers(&outs, &tidied), [""; 0]);

    // Other people's files are not touched.
    let theirs = outs.join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("thesis.tex"), "years of work").unwrap();
    let (code, stderr) = merge.call(&theirs, &["--overwrite"]);
    assert!(code == 2 && stderr.contains("contains no run"), "{stderr}");
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 1);
    // Two merges at the same time.
    let both = outs.join("both");
    let mut first = merge.start(&both, &[]);
    wait_for(&mut first, "its mark", || both.join(".sitegrove/merge").exists());
    signal(&first, "-STOP");
    let (code, stderr) = merge.call(&both, &["--overwrite"]);
    assert!(code == 2 && stderr.contains("is writing to"), "{stderr}");
    signal(&first, "-CONT");
    assert!(first.wait().unwrap().success());
    assert_same(&expected, &outcome(&both), "with another at its side");
}

#[test]
fn a_killed_step_leaves_nothing_once_it_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("survey.parquet");
    let crawl = in_repository("data/crawl");
    let mut child = Command::new(PATH)
        .arg("survey")
        .arg(&crawl)
        .arg("--out")
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let work = folder.path().join(".survey.parquet.work");
    wait_for(&mut child, "its folder", || work.exists());
    kill_process(child);
    fs::write(work.join("left"), "").unwrap();
    for (more, code) in [("missing.warc.gz", 2), (crawl.to_str().unwrap(), 0)] {
        let survey = sitegrove().arg("survey").arg(more).arg("--out").arg(&out).output().unwrap();
        assert_eq!(parts(&survey).0, code);
    }
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["survey.parquet"]);
}
