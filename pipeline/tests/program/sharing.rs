//! Stores and archives that several programs use at once: two runs, a run and its readers, and what stands at a path.

#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::common::crawl::Crawl;
use crate::common::program::{call, parts, succeed, word, write_file};
use crate::common::prose;
use crate::common::results::parse;
use crate::common::rows::column;
use crate::common::unfinished::{run_command, signal, wait_for};

/// The two files that grow from run to run, by their options.
const GROWING: [&str; 2] = ["--models", "--archive"];

fn crawl(folder: &Path, site: &str, day: &'static str) -> PathBuf {
    let mut crawl = Crawl::of_day(day);
    // One that is held up has enough to do to be caught at it.
    for n in 0..if site == "held-up.example" { 80 } else { 5 } {
        crawl.page(&format!("https://{site}/notes/{n}"), &prose::post(n));
    }
    crawl.write(folder, &format!("{site}-{day}.warc.gz"))
}

/// Starts a run into `out`.
fn start(archive: &Path, out: &Path, option: &str, file: &Path) -> Child {
    run_command(&[archive], out, &[option, word(file)]).spawn().unwrap()
}

/// Starts a run that has a file open for writing, and is held up until [`free`].
fn held_up(folder: &Path, option: &str, file: &Path) -> Child {
    let out = folder.join("out-held-up");
    let mut run = start(&crawl(folder, "held-up.example", "2026-03-01"), &out, option, file);
    // Its outputs are open once this one is.
    let partial = out.join(".dropped.jsonl.partial");
    wait_for(&mut run, "its outputs", || partial.exists());
    signal(&run, "-STOP");
    run
}

fn free(run: &Child) {
    signal(run, "-CONT");
}

/// Reads what a run says until it waits.
fn wait_until_it_waits(run: &mut Child) -> String {
    let mut told = Vec::new();
    let stderr = run.stderr.as_mut().unwrap();
    while !String::from_utf8_lossy(&told).contains("waiting for it") {
        let mut byte = [0];
        let read = stderr.read(&mut byte).unwrap();
        assert_eq!(read, 1, "it did not wait: {}", String::from_utf8_lossy(&told));
        told.push(byte[0]);
    }
    String::from_utf8(told).unwrap()
}

/// The sites in a store or an archive, and that it is one file.
fn sites(option: &str, file: &Path) -> Vec<String> {
    let sql = match option {
        "--models" => "SELECT site FROM sites ORDER BY site",
        _ => "SELECT DISTINCT site FROM articles ORDER BY site",
    };
    column(file, sql)
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn the_night_of_a_run_that_waited_is_kept_where_the_first_run_is_stopped() {
    for option in GROWING {
        for ended_by in ["-TERM", "-KILL"] {
            let folder = tempfile::tempdir().unwrap();
            let growing = folder.path().join("growing");
            fs::create_dir(&growing).unwrap();
            let file = growing.join("all.sqlite");
            let first = held_up(folder.path(), option, &file);
            let archive = crawl(folder.path(), "second.example", "2026-03-01");
            let out = folder.path().join("out-second");
            let mut second = start(&archive, &out, option, &file);
            wait_until_it_waits(&mut second);
            signal(&first, ended_by);
            free(&first);
            let (code, _, errors) = parts(&first.wait_with_output().unwrap());
            assert_eq!(code, if ended_by == "-TERM" { 130 } else { -1 }, "{errors}");
            let (code, _, errors) = parts(&second.wait_with_output().unwrap());
            assert_eq!(code, 0, "{option} {ended_by}: {errors}");
            assert_eq!(sites(option, &file), ["second.example"], "{option} {ended_by}");
            assert_eq!(names(&growing), ["all.sqlite"], "{option} {ended_by}");
        }
    }
}

#[test]
fn a_run_that_waits_is_stopped_at_once() {
    for option in GROWING {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.sqlite");
        let first = held_up(folder.path(), option, &file);
        let archive = crawl(folder.path(), "second.example", "2026-03-01");
        let out = folder.path().join("out-second");
        let mut second = start(&archive, &out, option, &file);
        wait_until_it_waits(&mut second);
        let sent = Instant::now();
        signal(&second, "-TERM");
        let (code, _, errors) = parts(&second.wait_with_output().unwrap());
        // It would wait for minutes.
        assert!(sent.elapsed() < Duration::from_secs(20), "{option}: {:?}", sent.elapsed());
        assert!(code == 130 && errors.contains("stopped"), "{option}: {code} {errors}");
        free(&first);
        assert!(first.wait_with_output().unwrap().status.success());
        // The same command goes on.
        let again = start(&archive, &out, option, &file).wait_with_output().unwrap();
        assert!(again.status.success(), "{}", parts(&again).2);
        assert_eq!(sites(option, &file), ["held-up.example", "second.example"], "{option}");
    }
}

/// Reads a file again and again, each time for this long, until told to stop. Returns how often.
fn read_repeatedly(file: &Path, until: &AtomicBool, each: Duration, between: Duration) -> usize {
    let mut reads = 0;
    while !until.load(Ordering::Relaxed) {
        let db = Connection::open(file).unwrap();
        // Long enough for the moments in which a run begins and ends.
        db.busy_timeout(Duration::from_secs(20)).unwrap();
        db.execute_batch("BEGIN").unwrap();
        let count: i64 =
            db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
        assert!(count > 3, "{count}");
        thread::sleep(each);
        db.execute_batch("COMMIT").unwrap();
        drop(db);
        reads += 1;
        thread::sleep(between);
    }
    reads
}

#[test]
fn nights_succeed_while_others_read() {
    for option in GROWING {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.sqlite");
        let night = |n: usize| {
            let days = crate::common::nights::DAYS;
            let archive = crawl(folder.path(), &format!("{n:02}.example"), days[n]);
            let out = folder.path().join(format!("out-{n}"));
            let run = start(&archive, &out, option, &file).wait_with_output().unwrap();
            let (code, _, errors) = parts(&run);
            assert_eq!(code, 0, "{option}, night {n}: {errors}");
        };
        night(0);
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let polls = [(0, 1), (3, 0), (40, 0)].map(|(each, between)| {
                let [each, between] = [each, between].map(Duration::from_millis);
                let (file, ended) = (&file, &ended);
                scope.spawn(move || read_repeatedly(file, ended, each, between))
            });
            // The flag is set even if a night fails, or the readers would read for ever.
            let nights = scope.spawn(|| (1..11).for_each(night)).join();
            ended.store(true, Ordering::Relaxed);
            let reads = polls.map(|poll| poll.join().unwrap());
            assert!(nights.is_ok() && reads.iter().all(|reads| *reads > 10), "{reads:?}");
        });
        assert_eq!(sites(option, &file).len(), 11);
    }
}

#[test]
fn a_night_waits_for_one_who_reads_for_long() {
    for option in GROWING {
        for stops in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("all.sqlite");
            let archive = crawl(folder.path(), "first.example", "2026-03-01");
            let out = folder.path().join("out-first");
            assert!(start(&archive, &out, option, &file).wait().unwrap().success());
            let reader = Connection::open(&file).unwrap();
            reader.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").unwrap();
            let archive = crawl(folder.path(), "second.example", "2026-03-02");
            let out = folder.path().join("out-second");
            let mut run = start(&archive, &out, option, &file);
            let mut told = String::new();
            while !told.contains("another program is reading it") {
                let mut bytes = [0; 1];
                let read = run.stderr.as_mut().unwrap().read(&mut bytes).unwrap();
                assert_eq!(read, 1, "it did not wait: {told}");
                told.push(char::from(bytes[0]));
            }
            if stops {
                let sent = Instant::now();
                signal(&run, "-TERM");
                let (code, _, errors) = parts(&run.wait_with_output().unwrap());
                assert!(sent.elapsed() < Duration::from_secs(20), "{:?}", sent.elapsed());
                assert!(code == 130 && errors.contains("resumes from there"), "{code} {errors}");
                reader.execute_batch("COMMIT").unwrap();
                run = start(&archive, &out, option, &file);
            } else {
                assert!(run.try_wait().unwrap().is_none(), "it waits");
                reader.execute_batch("COMMIT").unwrap();
            }
            drop(reader);
            let (code, _, errors) = parts(&run.wait_with_output().unwrap());
            assert_eq!(code, 0, "{option}: {errors}");
            assert_eq!(sites(option, &file), ["first.example", "second.example"], "{option}");
        }
    }
}

#[test]
fn what_stands_at_the_path_stays() {
    for option in GROWING {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("another-disk");
        fs::create_dir(&elsewhere).unwrap();
        let prepared = write_file(&elsewhere, "prepared", "");
        let link = folder.path().join("all.sqlite");
        symlink(&prepared, &link).unwrap();
        // A run that is stopped leaves the link and the file.
        let run = held_up(folder.path(), option, &link);
        signal(&run, "-TERM");
        free(&run);
        let (code, _, errors) = parts(&run.wait_with_output().unwrap());
        assert_eq!(code, 130, "{errors}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(&elsewhere), ["prepared"]);
        // The next one fills it.
        let archive = crawl(folder.path(), "second.example", "2026-03-01");
        let out = folder.path().join("out-second");
        let run = start(&archive, &out, option, &link).wait_with_output().unwrap();
        assert!(run.status.success(), "{}", parts(&run).2);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(sites(option, &prepared), ["second.example"]);
        // A pipe is no place for either, nor is a folder.
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (n, wrong) in [pipe.as_path(), Path::new("/dev/null"), &elsewhere].iter().enumerate() {
            let out = folder.path().join(format!("out-wrong-{n}"));
            let run = start(&archive, &out, option, wrong).wait_with_output().unwrap();
            let (code, _, errors) = parts(&run);
            let what = if wrong.is_dir() { "is a folder" } else { "is not a regular file" };
            assert!(code == 2 && errors.contains(what), "{code} {errors}");
            assert!(wrong.exists());
        }
    }
}

#[test]
fn nothing_is_added_to_a_file_that_was_moved_away() {
    for option in GROWING {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.sqlite");
        let run = held_up(folder.path(), option, &file);
        fs::rename(&file, folder.path().join("moved.sqlite")).unwrap();
        free(&run);
        let (code, _, errors) = parts(&run.wait_with_output().unwrap());
        assert!(code > 0 && errors.contains("was moved, removed or replaced"), "{code} {errors}");
        let archive = folder.path().join("held-up.example-2026-03-01.warc.gz");
        let out = folder.path().join("out-held-up");
        let again = start(&archive, &out, option, &file).wait_with_output().unwrap();
        assert!(again.status.success(), "{}", parts(&again).2);
        assert_eq!(sites(option, &file), ["held-up.example"]);
    }
}

#[test]
fn commands_that_only_read_work_while_a_run_writes() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("models.sqlite");
    let archive = crawl(folder.path(), "first.example", "2026-03-01");
    let out = folder.path().join("out-first");
    assert!(start(&archive, &out, "--models", &store).wait().unwrap().success());
    let run = held_up(folder.path(), "--models", &store);
    let shown = store.to_str().unwrap();
    for arguments in [
        &["models", "list", shown, "--format", "json"][..],
        &["models", "history", shown, "first.example", "--format", "json"],
        &["models", "check", shown],
    ] {
        let said = succeed(arguments);
        assert!(!said.contains("held-up"), "{said}");
    }
    free(&run);
    assert!(run.wait_with_output().unwrap().status.success());
    let (_, said, _) = parts(&call(&["models", "list", shown, "--format", "json"]));
    assert!(said.lines().count() == 2 && parse(said.lines().next().unwrap()).is_object(), "{said}");
}
