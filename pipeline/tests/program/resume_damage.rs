//! A bit that flips in what an interrupted run left never changes its results.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::crawl::Crawl;
use crate::common::program::parts;
use crate::common::prose;
use crate::common::unfinished::{
    assert_same, copy, kill_process, outcome, run_command, wait_for_a_site,
};

/// Bits that are flipped in a file.
const FLIPS: usize = 8;
const SITES: usize = 16;

fn crawl(folder: &Path) -> PathBuf {
    let filler = prose::filler(20);
    let mut crawl = Crawl::new();
    for page in 0..5 * SITES {
        let url = format!("https://site-{}.example/notes/{}", page / 5, page % 5);
        crawl.page(&url, &prose::post_with(page, "", &filler));
        crawl.response(&format!("{url}/gone"), "HTTP/1.1 404 Not Found\r\n", b"gone");
    }
    crawl.write(folder, "crawl.warc.gz")
}

fn command(crawl: &Path, out: &Path, memory: &str) -> Command {
    let more = ["--jobs", "1", "--memory", memory, "--sinks", "jsonl,csv,report"];
    run_command(&[crawl], out, &more)
}

/// Flips bits in all files of a run that was killed; it resumes and gives the same, or says which file is damaged.
fn check(memory: &str, expected_files: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let crawl = crawl(folder.path());
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    assert!(command(&crawl, &whole, memory).output().unwrap().status.success());
    let whole = outcome(&whole);
    let mut child = command(&crawl, &killed, memory).spawn().unwrap();
    wait_for_a_site(&mut child, &killed);
    kill_process(child);

    let state = Path::new(".sitegrove");
    let mut files: Vec<PathBuf> = Vec::new();
    for inside in [state.to_owned(), state.join("segments")] {
        let Ok(entries) = fs::read_dir(killed.join(&inside)) else { continue };
        for entry in entries.map(Result::unwrap) {
            let is_used = entry.path().is_file() && entry.file_name() != "lock";
            files.extend(is_used.then(|| inside.join(entry.file_name())));
        }
    }
    for name in expected_files {
        assert!(files.iter().any(|file| file.ends_with(name)), "no {name}: {files:?}");
    }
    files.sort();
    let (mut resumed, mut refused) = (0, 0);
    for file in &files {
        let bytes = fs::read(killed.join(file)).unwrap();
        for flip in (0..FLIPS).filter(|_| !bytes.is_empty()) {
            let (at, bit) = (flip * (bytes.len() - 1) / (FLIPS - 1), flip * 5 % 8);
            let out = folder.path().join("out");
            let _ = fs::remove_dir_all(&out);
            copy(&killed, &out);
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            fs::write(out.join(file), damaged).unwrap();
            let (code, _, stderr) = parts(&command(&crawl, &out, memory).output().unwrap());
            let what = format!("bit {bit} of byte {at} of {}: {stderr}", file.display());
            assert!(!stderr.contains("panicked"), "{what}");
            let name = file.file_name().unwrap().to_str().unwrap();
            if code == 0 {
                assert_same(&outcome(&out), &whole, &what);
                resumed += 1;
            } else {
                let is_named = stderr.contains(name) || stderr.contains("different unfinished run");
                assert!(code == 2 && is_named, "{code}: {what}");
                refused += 1;
                // The same command reads the inputs again; what looks like another run is replaced.
                let mut again = command(&crawl, &out, memory);
                again.args(stderr.contains("different unfinished run").then_some("--overwrite"));
                let (code, _, stderr) = parts(&again.output().unwrap());
                assert_eq!(code, 0, "{what}, and then: {stderr}");
                assert_same(&outcome(&out), &whole, &what);
            }
        }
    }
    assert!(resumed > 0 && refused > 0, "{memory}: {resumed} resumed, {refused} refused");
}

#[test]
fn flipped_bits_in_files_of_pages_never_change_results() {
    check("1MB", &["results", "run.json", "segment-000000"]);
}

#[test]
fn flipped_bits_in_results_never_change_results() {
    check("1GiB", &["results", "run.json"]);
}
