//! A bit that flips in a file of a step is found by the step that reads the file, or changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::crawl::Crawl;
use crate::common::program::{parts, sitegrove};
use crate::common::prose;
use crate::common::steps::bytes;

/// Bits that are flipped in a file.
const FLIPS: usize = 60;

/// Calls a step on files in a folder; gives the exit code and the message.
fn call(folder: &Path, line: &str) -> (i32, String) {
    let mut words = line.split(' ');
    let mut command = sitegrove();
    command.arg(words.next().unwrap());
    let path = |word: &str| match word.starts_with("--") {
        true => PathBuf::from(word),
        false => folder.join(word),
    };
    command.args(words.map(path));
    let command = command.args(["--sinks", "jsonl,csv", "--config"]);
    let (code, _, stderr) = parts(&command.arg(folder.join("settings.toml")).output().unwrap());
    (code, stderr)
}

fn outcome(out: &Path) -> Vec<u8> {
    if out.is_dir() { format!("{:?}", bytes(out)).into_bytes() } else { fs::read(out).unwrap() }
}

/// Flips bits all over a file, one at a time, and calls what reads it: it must fail and name the file, or do the same.
/// Gives how often it failed.
fn flip(file: &Path, act: &dyn Fn() -> (i32, String), result: &dyn Fn() -> Vec<u8>) -> usize {
    let whole = fs::read(file).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    let (code, stderr) = act();
    assert_eq!(code, 0, "{name}: {stderr}");
    let expected = result();
    let mut refused = 0;
    for flip in 0..FLIPS {
        let (at, bit) = (flip * (whole.len() - 1) / (FLIPS - 1), flip * 5 % 8);
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << bit;
        fs::write(file, damaged).unwrap();
        let (code, stderr) = act();
        let what = format!("bit {bit} of byte {at} of {} in {name}: {stderr}", whole.len());
        assert!(!stderr.contains("panicked"), "{what}");
        match code {
            0 => assert!(result() == expected, "{what} other results"),
            2 => {
                assert!(stderr.contains(name), "{what} does not name the file");
                refused += 1;
            }
            other => panic!("exit code {other}: {what}"),
        }
    }
    fs::write(file, whole).unwrap();
    refused
}

#[test]
fn a_flipped_bit_in_a_file_of_a_step_never_changes_results() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("settings.toml"), "[sample]\npages = 5\n").unwrap();
    let mut crawl = Crawl::new();
    for n in 0..24 {
        crawl.page(&format!("https://large.example/notes/{n}"), &prose::post(n));
        if n % 8 == 0 {
            crawl.page(&format!("https://small.example/{n}"), &prose::post(500 + n));
            let text = prose::paragraphs(900 + n).concat();
            let story = format!(
                "<html><body><main id=story><h2>Story {n}</h2><p>{text}</p></main></body></html>"
            );
            crawl.page(&format!("https://large.example/stories/{n}"), &story);
        }
    }
    crawl.write(folder, "crawl.warc.gz");
    assert_eq!(call(folder, "survey crawl.warc.gz --out survey.parquet").0, 0);
    let first = "survey.parquet learn.parquet apply.parquet";
    let second = "survey.parquet learn.parquet again.parquet";
    let all = "survey.parquet learn.parquet apply.parquet again.parquet rest.parquet";
    let mut refused = Vec::new();
    for (file, step, out) in [
        ("survey", "learn survey.parquet".to_owned(), "learn.parquet"),
        ("learn", "apply survey.parquet learn.parquet".to_owned(), "apply.parquet"),
        ("apply", format!("learn {first}"), "again.parquet"),
        ("again", format!("apply {second}"), "rest.parquet"),
        ("rest", format!("describe {all}"), "describe.parquet"),
        ("describe", format!("merge {all} describe.parquet --overwrite"), "merged"),
        ("survey", format!("merge {all} describe.parquet --overwrite"), "merged"),
    ] {
        let act = || call(folder, &format!("{step} --out {out}"));
        let result = || outcome(&folder.join(out));
        refused.push((file, flip(&folder.join(format!("{file}.parquet")), &act, &result)));
    }
    // Parts of a file that a step does not read may be damaged.
    assert!(refused.iter().all(|(_, refused)| *refused > 0), "{refused:?}");
}

#[test]
fn a_flipped_bit_in_a_table_of_models_never_changes_what_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let crawl = Crawl::of_posts("https://notes.example/", 0..12);
    let archive = crawl.write(folder.path(), "crawl.warc.gz");
    let call = |arguments: &[&Path]| {
        let (code, _, stderr) = parts(&sitegrove().args(arguments).output().unwrap());
        (code, stderr)
    };
    let (store, table) = (path("models.sqlite"), path("models.parquet"));
    let words = |words: &'static str| words.split(' ').map(Path::new);
    let run: Vec<&Path> = words("run --models").chain([&*store, &*archive]).collect();
    let out = path("out");
    assert_eq!(call(&[&run[..], &["--out".as_ref(), &*out]].concat()).0, 0);
    let export: Vec<&Path> =
        words("models export").chain([&*store, "--out".as_ref(), &*table]).collect();
    assert_eq!(call(&export).0, 0);
    let (other, again) = (path("other.sqlite"), path("again.parquet"));
    let act = || {
        let _ = fs::remove_file(&other);
        let import: Vec<&Path> = words("models import").chain([&*other, &*table]).collect();
        call(&import)
    };
    let result = || {
        let export: Vec<&Path> =
            words("models export").chain([&*other, "--out".as_ref(), &*again]).collect();
        assert_eq!(call(&export).0, 0);
        fs::read(&again).unwrap()
    };
    assert!(flip(&table, &act, &result) > 0);
}
