//! A resumed run keeps what an earlier process wrote, as far as the same bytes would be written
//! again.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

mod common;
use common::crawl::Crawl;
use common::program::{PATH, parts};
use common::prose;
use common::unfinished::{assert_same, copy, outcome, signal, wait_for};

const SITES: usize = 40;

/// An archive of small sites that keep a run busy, and of some larger ones.
fn archive(folder: &Path) -> PathBuf {
    let filler: String =
        (0..40).map(|n| format!("<p>{}</p>", prose::paragraphs(n + 7).join(" "))).collect();
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
    crawl.write(folder, "crawl.warc.gz")
}

/// A run with outputs that can be resumed, except for those in `more`.
fn command(archive: &Path, out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(PATH);
    command.env("RUST_LOG", "sitegrove=debug").arg("run").args(more).arg(archive);
    command.arg("--out").arg(out).args(["--jobs", "2", "--sinks", "jsonl,csv,bulk,report"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end; returns the number of sites already in the outputs, and the total.
fn run(archive: &Path, out: &Path, more: &[&str]) -> (usize, usize) {
    let (code, _, stderr) = parts(&command(archive, out, more).output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    let (before, _) =
        stderr.split_once(" sites (or parts) done before were in").unwrap_or(("", ""));
    let mut numbers = before.rsplit(' ').filter_map(|word| word.parse().ok());
    let (of, here) = (numbers.next(), numbers.next());
    (here.unwrap_or(0), of.unwrap_or(0))
}

/// A run that was stopped when half of its sites were finished.
fn stopped(archive: &Path, out: &Path, more: &[&str]) {
    let mut child = command(archive, out, more).spawn().unwrap();
    let half = || fs::read_dir(out.join("wrappers")).map_or(0, Iterator::count) > SITES / 2;
    wait_for(&mut child, "half of its sites", half);
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
fn sites_in_the_outputs_are_not_written_again() {
    for (text, name) in [
        ("", ".articles.jsonl.partial"),
        ("[emit]\njsonl = \"zstd\"\n", ".articles.jsonl.zst.partial"),
        (IN_PARTS, ".articles.jsonl.partial"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let archive = archive(folder.path());
        let settings = settings(folder.path(), text);
        let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
        let more = [settings.as_str()];
        assert_eq!(run(&archive, &whole, &more), (0, 0));
        stopped(&archive, &out, &more);
        assert!(out.join(name).exists());
        let whole_sites = fs::read_dir(out.join("wrappers")).unwrap().count();
        let (here, of) = run(&archive, &out, &more);
        assert!(here == of && of > SITES / 2, "{here} of {of} sites with {text}");
        assert_eq!(
            of > whole_sites,
            text == IN_PARTS,
            "{of} sites or parts of {whole_sites} sites"
        );
        assert_same(&outcome(&out), &outcome(&whole), text);
    }
}

#[test]
fn outputs_that_are_not_what_they_were_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let settings = settings(folder.path(), IN_PARTS);
    let (whole, left) = (folder.path().join("whole"), folder.path().join("left"));
    let with = [settings.as_str()];
    run(&archive, &whole, &with);
    stopped(&archive, &left, &with);
    let expected = outcome(&whole);
    let wrappers = fs::read_dir(left.join("wrappers")).unwrap().map(|entry| entry.unwrap().path());
    let wrapper = wrappers.min().unwrap();
    let wrapper = wrapper.strip_prefix(&left).unwrap().to_str().unwrap();
    let (articles, dropped) = (".articles.jsonl.partial", ".dropped.jsonl.partial");
    let nothing = |bytes: &mut Vec<u8>| bytes.clear();
    let half = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    let a_byte = |bytes: &mut Vec<u8>| {
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
    };
    let first = |bytes: &mut Vec<u8>| bytes[0] ^= 1;
    let more = |bytes: &mut Vec<u8>| bytes.extend(b"{}\n");
    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
    // The damage to each file, and whether no site, some or all are still valid.
    let cases: [(&str, &str, Damage<'_>, [bool; 3]); 14] = [
        ("half", articles, &half, [false, true, false]),
        ("byte", articles, &a_byte, [false, true, false]),
        ("first", articles, &first, [true, false, false]),
        ("nothing", articles, &nothing, [true, false, false]),
        ("more", articles, &more, [false, false, true]),
        ("half", dropped, &half, [false, true, false]),
        ("byte", dropped, &a_byte, [false, true, false]),
        ("first", ".articles.csv.partial", &first, [true, false, false]),
        ("byte", ".articles.csv.partial", &a_byte, [false, true, false]),
        ("half", ".articles.bulk.ndjson.partial", &half, [false, true, false]),
        ("half", "report/.sites.jsonl.partial", &half, [false, true, false]),
        ("byte", wrapper, &a_byte, [true, true, false]),
        ("more", wrapper, &more, [true, true, false]),
        ("nothing", wrapper, &nothing, [true, true, false]),
    ];
    for (n, (what, file, damage, [none, some, all])) in cases.into_iter().enumerate() {
        let out = folder.path().join(n.to_string());
        copy(&left, &out);
        let mut bytes = fs::read(out.join(file)).unwrap();
        damage(&mut bytes);
        fs::write(out.join(file), bytes).unwrap();
        let (here, of) = run(&archive, &out, &with);
        let as_told = match here {
            0 => none,
            _ if here < of => some,
            _ => all,
        };
        assert!(as_told && of > SITES / 2, "{what} of {file}: {here} of {of}");
        assert_same(&outcome(&out), &expected, &format!("{what} of {file}"));
    }
    // A file that is missing.
    for file in [articles, dropped, wrapper] {
        let out = folder.path().join(format!("without-{}", file.replace('/', "-")));
        copy(&left, &out);
        fs::remove_file(out.join(file)).unwrap();
        let (here, of) = run(&archive, &out, &with);
        assert!(here < of, "without {file}: {here} of {of}");
        assert_same(&outcome(&out), &expected, &format!("without {file}"));
    }
}

#[test]
fn an_output_that_could_not_be_written_then_is_whole_at_last() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    run(&archive, &whole, &[]);
    let in_the_way = out.join(".articles.csv.partial");
    fs::create_dir_all(in_the_way.join("folder")).unwrap();
    stopped(&archive, &out, &[]);
    fs::remove_dir_all(&in_the_way).unwrap();
    let (here, of) = run(&archive, &out, &[]);
    assert!(here == 0 && of > SITES / 2, "{here} of {of}");
    assert_same(&outcome(&out), &outcome(&whole), "with all outputs again");
}

#[test]
fn killed_again_and_again_it_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let settings = settings(folder.path(), IN_PARTS);
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let more = [settings.as_str()];
    run(&archive, &whole, &more);
    let journal =
        |out: &Path| fs::metadata(out.join(".sitegrove/journal")).map_or(0, |of| of.len());
    let most = journal_of(&archive, &folder.path().join("other"), &more);
    for share in [1, 2, 3] {
        let mut child = command(&archive, &out, &more).spawn().unwrap();
        wait_for(&mut child, "another site", || journal(&out) > most * share / 4);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (_, of) = run(&archive, &out, &more);
    assert!(of > SITES / 2, "{of} sites or parts were done");
    assert_same(&outcome(&out), &outcome(&whole), "killed three times");
}

/// Size of the journal of a run, in bytes, when most of its sites are finished.
fn journal_of(archive: &Path, out: &Path, more: &[&str]) -> u64 {
    let mut child = command(archive, out, more).spawn().unwrap();
    let most = || fs::read_dir(out.join("wrappers")).map_or(0, Iterator::count) > SITES * 3 / 4;
    wait_for(&mut child, "most of its sites", most);
    child.kill().unwrap();
    child.wait().unwrap();
    fs::metadata(out.join(".sitegrove/journal")).unwrap().len()
}

#[test]
fn outputs_of_a_run_that_is_replaced_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive(folder.path());
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    stopped(&archive, &out, &[]);
    let only = |out: &Path| {
        let mut command = Command::new(PATH);
        command.env_remove("RUST_LOG").arg("run").arg(&archive).args(["--overwrite", "--out"]);
        command.arg(out).args(["--sinks", "jsonl", "--engine", "text-density"]);
        let (code, _, stderr) = parts(&command.output().unwrap());
        assert_eq!(code, 0, "{stderr}");
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
