//! Run folders of every form.

// Prints the current figures, with `cargo test -- --nocapture`.
#![allow(clippy::print_stdout)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::common::combinations::{Inputs, SINKS};
use super::common::program::{call, in_repository, parts, run};
use super::common::results::parse;

/// F1 in percent over gold, slightly below the current value (93.2): a drop is a bug.
const FLOOR: f64 = 92.0;

/// Evaluates a run as JSON. Returns the exit code and both streams.
fn evaluate(out: &Path, gold: &Path) -> (i32, String, String) {
    let options = ["evaluate", "--measures", "pairs", "--format", "json", "--gold"];
    let paths = [gold, out].map(Path::as_os_str);
    parts(&call(&[&options.map(OsStr::new)[..], &paths].concat()))
}

/// Evaluates a run, which must be refused with this reason.
#[track_caller]
fn assert_refused(out: &Path, gold: &Path, why: &str) {
    let (code, stdout, stderr) = evaluate(out, gold);
    assert!(code == 2 && stdout.is_empty(), "{stdout}{stderr}");
    assert!(stderr.contains(why), "{stderr}");
}

#[test]
fn texts_agree_with_gold() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    run(&[&in_repository("configs/quickstart.toml")], &out, &[]);
    let (code, stdout, stderr) = evaluate(&out, &in_repository("data/gold.jsonl"));
    assert_eq!(code, 0, "{stderr}");
    let report = parse(&stdout);
    let pairs = &report["measures"][0];
    assert_eq!(pairs["measure"], "pairs");
    let f1 = pairs["rows"][0]["f1"][0].as_f64().unwrap();
    println!("sample crawl: title-neutral 2-gram F1 {f1}, macro over templates");
    assert!(f1 >= FLOOR, "F1 {f1} is below {FLOOR}");
    assert_eq!(report["runs"][0]["missing"], 0);
}

#[test]
fn articles_are_read_in_every_form_in_which_a_run_writes_lines() {
    let inputs = Inputs::make();
    let place = |name: &str| inputs.folder.path().join(name);
    fs::write(place("zstd.toml"), "[emit]\njsonl = 'zstd'\n").unwrap();
    let (plain, compressed) = (place("plain/out"), place("compressed/out"));
    run(&[&inputs.archive], &plain, &[]);
    run(&[&place("zstd.toml"), &inputs.archive], &compressed, &[]);
    let (code, of_plain, stderr) = evaluate(&plain, &inputs.gold);
    assert_eq!(code, 0, "{stderr}");
    assert!(of_plain.contains("\"f1\": ") && !of_plain.contains("\"records\": 0"), "{of_plain}");
    let (code, of_compressed, stderr) = evaluate(&compressed, &inputs.gold);
    assert_eq!(code, 0, "{stderr}");
    let renamed = of_compressed.replace("articles.jsonl.zst", "articles.jsonl");
    assert_eq!(renamed.replace("compressed/out", "plain/out"), of_plain);
    // Outputs beside the lines change nothing.
    run(&[&inputs.archive], &plain, &["--overwrite", "--sinks", &SINKS.join(",")]);
    assert_eq!(evaluate(&plain, &inputs.gold).1, of_plain);
}

#[test]
fn runs_without_lines_are_refused() {
    let inputs = Inputs::make();
    for sink in SINKS.iter().filter(|sink| **sink != "jsonl") {
        let out = inputs.folder.path().join(sink);
        run(&[&inputs.archive], &out, &["--sinks", sink]);
        assert_refused(&out, &inputs.gold, "run it again with jsonl in --sinks");
    }
    let out = inputs.folder.path().join("empty");
    fs::create_dir(&out).unwrap();
    assert_refused(&out, &inputs.gold, "contains no articles");
}

#[test]
fn articles_that_could_not_be_written_are_not_taken_from_an_earlier_run() {
    let inputs = Inputs::make();
    let out = inputs.folder.path().join("out");
    run(&[&inputs.archive], &out, &[]);
    // An earlier run's file in one form, and an obstacle at the path of the other.
    fs::create_dir_all(out.join("articles.jsonl.zst/in-the-way")).unwrap();
    let settings = inputs.folder.path().join("zstd.toml");
    fs::write(&settings, "[emit]\njsonl = 'zstd'\n").unwrap();
    let [settings, archive, place] =
        [&settings, &inputs.archive, &out].map(|p| p.to_str().unwrap());
    let (code, _, stderr) =
        parts(&call(&["run", settings, archive, "--overwrite", "--out", place]));
    assert_eq!(code, 1, "{stderr}");
    assert_refused(&out, &inputs.gold, "could not write its articles");
}

#[cfg(unix)]
#[test]
fn an_unfinished_run_is_not_taken_for_a_finished_one() {
    use super::common::crawl::Crawl;
    use super::common::program::PATH;
    use super::common::prose;
    use super::common::unfinished::{signal, wait_for_a_site};

    let inputs = Inputs::make();
    let mut crawl = Crawl::new();
    for n in 0..1600 {
        let (site, note) = (n / 4, n % 4);
        crawl.page(&format!("https://site-{site}.example/notes/{note}"), &prose::post(n));
    }
    let archive = crawl.write(inputs.folder.path(), "large.warc.gz");
    for (sent, memory) in [("-INT", "1GiB"), ("-KILL", "1kB")] {
        let out = inputs.folder.path().join(sent);
        let mut child = std::process::Command::new(PATH)
            .args(["run", "--quiet", "--jobs", "1", "--memory", memory, "--out"])
            .args([&out, &archive])
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        wait_for_a_site(&mut child, &out);
        signal(&child, sent);
        let _ = child.wait().unwrap();
        assert_refused(&out, &inputs.gold, "unfinished run");
    }
}
