//! A run that was stopped, killed or out of disk space is resumed by the same command, and gives
//! the same bytes as a run that was not interrupted.

#![cfg(unix)]

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::common::crawl::Crawl;
use crate::common::program::{PATH, parts, sitegrove, succeeded, write_file};
use crate::common::prose;
use crate::common::results::parse;
use crate::common::unfinished::{
    RESULTS, assert_same, kill_process, outcome, run_command, signal, wait_for, wait_for_a_site,
};

/// An archive of small sites and a larger one, with filler that keeps a run busy.
fn archive(sites: usize, large: usize) -> (TempDir, PathBuf, PathBuf) {
    let filler = prose::filler(12);
    let mut crawl = Crawl::new();
    for site in 0..sites {
        let pages = if site == sites / 2 { large } else { 4 };
        for n in 0..pages {
            let url = format!("https://site-{site}.example/notes/{n:04}");
            crawl.page(&url, &prose::post_with(site * 10 + n, "", &filler));
            if n % 4 == 3 {
                // An older capture of the same page: dropped.
                crawl.page(&url, &prose::post_with(site * 10 + n + 1, "", &filler));
            }
        }
    }
    crawl.placed("crawl.warc.gz")
}

fn command(archive: &Path, out: &Path, more: &[&str]) -> Command {
    let options = ["--jobs", "2", "--sinks", "jsonl,csv,warc,report"];
    run_command(&[archive], out, &[&options, more].concat())
}

fn run(archive: &Path, out: &Path, more: &[&str]) -> (i32, String, String) {
    parts(&command(archive, out, more).output().unwrap())
}

/// A run that has finished its first site.
fn begun(archive: &Path, out: &Path) -> Child {
    let mut child = command(archive, out, &[]).spawn().unwrap();
    wait_for_a_site(&mut child, out);
    child
}

/// Settings with which the larger site is processed in batches.
fn in_parts(folder: &Path) -> String {
    let path = write_file(folder, "parts.toml", "[run]\nbatch_bytes = 400_000\n");
    path.to_str().unwrap().to_owned()
}

/// Archives whose pages are reached from the start of the file, or from the start of a WACZ file.
#[test]
fn pages_of_archives_in_other_forms_are_read_again() {
    let (folder, archive, _) = archive(14, 60);
    let members = fs::read(&archive).unwrap();
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&members[..]).read_to_end(&mut plain).unwrap();
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(&plain).unwrap();
    let mut forms = vec![("a.warc.bz2", encoder.finish().unwrap())];
    for (name, method) in
        [("b.wacz", CompressionMethod::Stored), ("c.wacz", CompressionMethod::Deflated)]
    {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file("archive/a.warc.gz", options).unwrap();
        zip.write_all(&members).unwrap();
        forms.push((name, zip.finish().unwrap().into_inner()));
    }
    for (name, bytes) in forms {
        let archive = write_file(folder.path(), name, bytes);
        let (out, whole) = (
            folder.path().join(format!("{name} killed")),
            folder.path().join(format!("{name} whole")),
        );
        assert_eq!(run(&archive, &whole, &[]).0, 0);
        let child = begun(&archive, &out);
        kill_process(child);
        let (code, _, stderr) = run(&archive, &out, &[]);
        assert_eq!(code, 0, "{stderr}");
        assert_same(&outcome(&out), &outcome(&whole), name);
    }
}

#[test]
fn killed_at_fifty_moments_it_gives_the_same_bytes() {
    let (folder, archive, _) = archive(14, 60);
    let settings = in_parts(folder.path());
    // Half of the runs keep their pages on disk, and half have outputs that can be resumed.
    for (memory, sinks) in [("1GiB", "jsonl,csv,report"), ("1MiB", "jsonl,csv,warc,report")] {
        let call = |out: &Path| {
            let more = ["--jobs", "2", "--memory", memory, "--sinks", sinks];
            let mut call = run_command(&[settings.as_ref(), &archive], out, &more);
            call.stdout(Stdio::null()).stderr(Stdio::null());
            call
        };
        // The fastest of three, so that most are killed before their end.
        let mut took = Duration::MAX;
        let whole = folder.path().join(format!("whole-{memory}"));
        for _ in 0..3 {
            let begun = Instant::now();
            assert!(call(&whole).arg("--overwrite").status().unwrap().success());
            took = took.min(begun.elapsed());
        }
        let expected = outcome(&whole);
        let (mut killed, mut resumed) = (0, 0);
        for moment in 0..25 {
            let out = folder.path().join(format!("out-{memory}-{moment}"));
            let mut child = call(&out).spawn().unwrap();
            std::thread::sleep(took * moment / 25);
            child.kill().unwrap();
            killed += u32::from(!child.wait().unwrap().success());
            let results = fs::metadata(out.join(RESULTS)).map_or(0, |m| m.len());
            // More than what says what they were computed from.
            resumed += u32::from(results > 100);
            assert!(
                call(&out).status().unwrap().success(),
                "{memory} after {moment}/25 of {took:?}"
            );
            assert_same(&outcome(&out), &expected, &format!("{memory} at {moment}/25 of {took:?}"));
            fs::remove_dir_all(&out).unwrap();
        }
        assert!(killed > 8, "only {killed} runs were killed before their end");
        assert!(resumed > 1, "only {resumed} runs had something to go on with");
    }
}

#[test]
fn a_stopped_run_finishes_what_it_began_and_goes_on() {
    let (folder, archive, _) = archive(80, 4);
    let whole = folder.path().join("whole");
    assert_eq!(run(&archive, &whole, &[]).0, 0);
    for name in ["-INT", "-TERM"] {
        let out = folder.path().join(format!("out{name}"));
        let child = begun(&archive, &out);
        signal(&child, name);
        let (code, stdout, stderr) = parts(&child.wait_with_output().unwrap());
        assert_eq!((code, stdout.as_str()), (130, ""), "{stderr}");
        assert!(stderr.contains("of 80 sites; the same command resumes from there"), "{stderr}");
        assert!(!out.join("articles.jsonl").exists());
        let results = fs::metadata(out.join(RESULTS)).unwrap();
        assert!(results.len() > 100, "what is done need not be done again");
        let (code, told, _) = status(&out);
        assert!(code == 1 && told.starts_with("stopped: after "), "{told}");
        // It is not accepted as a finished run.
        let inspected = sitegrove().arg("report").arg(&out).output().unwrap();
        let (code, _, stderr) = parts(&inspected);
        assert!(code == 2 && stderr.contains("unfinished run"), "{stderr}");
        let (code, _, stderr) = run(&archive, &out, &[]);
        assert_eq!(code, 0, "{stderr}");
        assert_same(&outcome(&out), &outcome(&whole), name);
    }
}

fn status(out: &Path) -> (i32, String, String) {
    parts(&sitegrove().arg("status").arg(out).output().unwrap())
}

#[test]
fn a_second_run_refuses_and_status_tells_of_the_first() {
    let (folder, archive, out) = archive(60, 4);
    let child = begun(&archive, &out);
    for more in [&[][..], &["--overwrite"]] {
        let (code, _, stderr) = run(&archive, &out, more);
        assert_eq!(code, 2, "{stderr}");
        let who = format!("another run (process {}) is writing to", child.id());
        assert!(stderr.contains(&who), "{stderr}");
    }
    let (code, told, _) = status(&out);
    assert!(code == 0 && told.starts_with(&format!("running: process {}", child.id())), "{told}");
    kill_process(child);
    let (code, told, _) = status(&out);
    assert!(code == 1 && told.starts_with("interrupted"), "{told}");
    assert_eq!(run(&archive, &out, &[]).0, 0);
    let (code, told, _) = status(&out);
    assert!(code == 0 && told.starts_with("complete: 240 articles from 240 pages"), "{told}");
    let (code, _, stderr) = status(folder.path());
    assert!(code == 2 && stderr.contains("contains no run"), "{stderr}");
}

#[test]
fn nothing_is_done_twice_and_changes_are_noticed() {
    let (_folder, archive, out) = archive(4, 6);
    assert_eq!(run(&archive, &out, &[]).0, 0);
    let ledger = fs::read(out.join("ledger.json")).unwrap();
    let nothing = |what: &str| {
        let (code, stdout, stderr) = run(&archive, &out, &[]);
        assert!(code == 0 && stdout.starts_with("Nothing to do"), "{what}: {stdout}{stderr}");
        assert!(fs::read(out.join("ledger.json")).unwrap() == ledger, "{what}");
    };
    nothing("the same again");
    // The same bytes with another modification time are the same input.
    fs::write(&archive, fs::read(&archive).unwrap()).unwrap();
    nothing("a touched input");
    // Left by a process that was killed at the last moment.
    fs::create_dir(out.join(".sitegrove")).unwrap();
    fs::write(out.join(".sitegrove/run.json"), "{}").unwrap();
    nothing("what a dead process left");
    assert!(!out.join(".sitegrove").exists());
    // Missing files are written again.
    let articles = fs::read(out.join("articles.jsonl")).unwrap();
    fs::remove_file(out.join("articles.jsonl")).unwrap();
    assert_eq!(run(&archive, &out, &[]).0, 0);
    assert!(fs::read(out.join("articles.jsonl")).unwrap() == articles);
    // If outputs with other settings are requested, everything is written again, but only with `--overwrite`.
    assert_eq!(run(&archive, &out, &["--markdown"]).0, 2);
    assert!(fs::read(out.join("articles.jsonl")).unwrap() == articles);
    let (code, _, stderr) = run(&archive, &out, &["--markdown", "--overwrite"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(fs::read(out.join("articles.jsonl")).unwrap() != articles);
    // Other bytes are another input, even with the same length.
    let mut bytes = fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&archive, &bytes).unwrap();
    let (code, _, stderr) = run(&archive, &out, &["--markdown"]);
    assert!(code == 2 && stderr.contains("other inputs or settings"), "{stderr}");
}

#[test]
fn changed_inputs_of_an_unfinished_run_are_explained() {
    let (_folder, archive, out) = archive(60, 4);
    let child = begun(&archive, &out);
    kill_process(child);
    let results = out.join(RESULTS);
    let kept = fs::read(&results).unwrap();
    for (more, told) in [
        (&["--engine", "forest"][..], "other settings decided the results"),
        (&["--markdown"], "other outputs were chosen"),
    ] {
        let (code, _, stderr) = run(&archive, &out, more);
        assert!(code == 2 && stderr.contains(told), "{stderr}");
        assert!(stderr.contains("a different unfinished run"), "{stderr}");
    }
    let mut bytes = fs::read(&archive).unwrap();
    bytes.extend(fs::read(&archive).unwrap());
    fs::write(&archive, &bytes).unwrap();
    let (code, _, stderr) = run(&archive, &out, &[]);
    let told = format!("had {} bytes and has {}", bytes.len() / 2, bytes.len());
    assert!(code == 2 && stderr.contains(&told), "{stderr}");
    assert!(fs::read(&results).unwrap() == kept, "what was done must stay");
    assert_eq!(run(&archive, &out, &["--overwrite"]).0, 0);
    outcome(&out);
}

#[test]
fn a_disk_that_takes_no_more_loses_nothing() {
    let (folder, archive, _) = archive(60, 4);
    let whole = folder.path().join("whole");
    assert_eq!(run(&archive, &whole, &[]).0, 0);
    // No file may grow beyond a number of blocks of 1,024 bytes: a write fails, as on a full disk.
    for (blocks, memory, told) in [
        (60, "1GiB", "sites are kept: fix the cause"),
        (4, "1GiB", "fix the cause"),
        (2, "1MiB", "cannot keep the pages read"),
    ] {
        let out = folder.path().join(format!("out-{blocks}"));
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut limited = Command::new("bash");
        limited.args(["-c", &script, "bash", PATH, "run"]).arg(&archive).arg("--out").arg(&out);
        limited.args(["--jobs", "2", "--sinks", "jsonl,csv,warc,report", "--memory", memory]);
        let (code, _, stderr) = parts(&limited.output().unwrap());
        assert_eq!(code, 2, "{blocks} blocks: {stderr}");
        assert!(stderr.contains(told) && stderr.contains("File too large"), "{blocks}: {stderr}");
        assert!(!out.join("articles.jsonl").exists());
        let (code, _, stderr) = run(&archive, &out, &["--memory", memory]);
        assert_eq!(code, 0, "{stderr}");
        assert_same(&outcome(&out), &outcome(&whole), &format!("{blocks} blocks"));
    }
}

#[test]
fn an_output_that_failed_is_written_by_the_next_run() {
    let (folder, archive, out) = archive(6, 4);
    let whole = folder.path().join("whole");
    assert_eq!(run(&archive, &whole, &[]).0, 0);
    fs::create_dir_all(out.join(".articles.csv.partial/in-the-way")).unwrap();
    let (code, _, stderr) = run(&archive, &out, &[]);
    assert!(code == 1 && stderr.contains("csv"), "{code}: {stderr}");
    assert!(out.join("articles.jsonl").exists() && !out.join("articles.csv").exists());
    fs::remove_dir_all(out.join(".articles.csv.partial")).unwrap();
    let (code, _, stderr) = run(&archive, &out, &[]);
    assert_eq!(code, 0, "{stderr}");
    assert_same(&outcome(&out), &outcome(&whole), "after the second run");
    let ledger = parse(&fs::read_to_string(out.join("ledger.json")).unwrap());
    assert_eq!(ledger["stage_seconds"]["parse"], 0.0, "nothing needed to be parsed again");
}

#[test]
fn an_input_that_vanishes_is_told_and_read_when_it_is_back() {
    let (folder, first, out) = archive(60, 4);
    let second =
        Crawl::of_posts("https://late.example/notes/", 0..4).write(folder.path(), "late.warc.gz");
    let kept = fs::read(&second).unwrap();
    let changed = fs::metadata(&second).unwrap().modified().unwrap();
    let options = ["--jobs", "1", "--sinks", "jsonl,csv,warc,report"];
    let call = |out: &Path| run_command(&[&first, &second], out, &options);
    let whole = folder.path().join("whole");
    assert!(call(&whole).output().unwrap().status.success());
    // Removed after the run checked its inputs and before it opened them.
    let begin_and_remove = |out: &Path, memory: &str| {
        let mut child = call(out).args(["--memory", memory]).spawn().unwrap();
        wait_for(&mut child, "its beginning", || out.join(".sitegrove/run.json").exists());
        fs::remove_file(&second).unwrap();
        child
    };
    let (code, _, stderr) = parts(&begin_and_remove(&out, "1GiB").wait_with_output().unwrap());
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("late.warc.gz"), "{stderr}");
    let ledger = parse(&fs::read_to_string(out.join("ledger.json")).unwrap());
    assert_eq!(ledger["unreadable"].as_array().unwrap().len(), 1);
    let put_back = || {
        fs::write(&second, &kept).unwrap();
        fs::File::open(&second).unwrap().set_modified(changed).unwrap();
    };
    put_back();
    succeeded(&call(&out).output().unwrap());
    assert_same(&outcome(&out), &outcome(&whole), "with the input back");

    // Results computed without it are not reused, wherever the pages of the other input are.
    for memory in ["1GiB", "64kB"] {
        let out = folder.path().join(format!("killed with {memory}"));
        let mut child = begin_and_remove(&out, memory);
        wait_for_a_site(&mut child, &out);
        kill_process(child);
        put_back();
        let (code, _, stderr) = parts(&call(&out).output().unwrap());
        assert!(code == 0 && stderr.contains("processing all sites again"), "{stderr}");
        assert_same(&outcome(&out), &outcome(&whole), "with the input back after a kill");
    }
}
