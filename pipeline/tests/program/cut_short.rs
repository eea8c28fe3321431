//! An archive that breaks off: what is before the break is kept, and every command that reads it says so.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::crawl::Crawl;
use crate::common::program::{parts, sitegrove, write_file};
use crate::common::results::{Results, parse};

/// An archive of six pages that ends within the last, its name, and the offset of the record that is not complete.
fn cut(folder: &Path) -> (PathBuf, usize) {
    let crawl = Crawl::of_posts("https://cut.example/notes/", 0..6);
    let bytes = crawl.members().concat();
    let path = write_file(folder, "cut.warc.gz", &bytes[..bytes.len() - 200]);
    (path, bytes.len() - crawl.members()[5].len())
}

/// Calls the program; gives the exit code, what it prints and its messages.
fn call(command: &str, arguments: &[&Path], more: &[&str]) -> (i32, String, String) {
    parts(&sitegrove().arg(command).args(arguments).args(more).output().unwrap())
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_run_keeps_what_is_whole_and_ends_with_exit_code_1_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, offset) = cut(folder.path());
    let (out, metrics) = (path(folder.path(), "out"), path(folder.path(), "run.prom"));
    let said = format!("cut.warc.gz: is cut short at byte {offset}: ");
    let options = ["--out", &out, "--metrics", &metrics];
    // The second time, the run is complete: nothing is done, and the input is as incomplete as before.
    for time in ["first", "second"] {
        let (code, _, stderr) = call("run", &[&archive], &options);
        assert_eq!(code, 1, "the {time} time: {stderr}");
        assert!(stderr.contains(&said), "the {time} time: {stderr}");
        assert_eq!(stderr.matches(&format!("at byte {offset}")).count(), 1, "{stderr}");
        assert!(stderr.contains("kept") && stderr.contains("fetch the archive again"), "{stderr}");
        let results = Results::read(out.as_ref());
        assert_eq!(results.articles.len(), 5, "{:?}", results.dropped);
        let unreadable = results.ledger["unreadable"].as_array().unwrap();
        assert_eq!(unreadable.len(), 1, "{unreadable:?}");
        assert!(unreadable[0].as_str().unwrap().contains("cut.warc.gz is cut short at byte"));
        assert_eq!(results.ledger["inputs"][0]["cut_short"]["offset"], offset);
    }
    let metrics = fs::read_to_string(&metrics).unwrap();
    assert!(metrics.contains("sitegrove_unreadable_inputs 1\n"), "{metrics}");
    // Nothing is said twice, and errors are printed with --quiet, too.
    let (code, _, stderr) = call("run", &[&archive], &["--overwrite", "--quiet", "--out", &out]);
    assert_eq!((code, stderr.lines().count()), (1, 1), "{stderr}");
    let json = ["--overwrite", "--out", &out, "--log-format", "json", "--quiet"];
    let (_, _, stderr) = call("run", &[&archive], &json);
    let line: Value = parse(stderr.lines().next().unwrap());
    assert_eq!(line["level"], "ERROR");
    assert!(line["fields"]["at"].as_str().unwrap().ends_with("cut.warc.gz"), "{line}");
    assert!(line["fields"]["message"].as_str().unwrap().contains(&offset.to_string()), "{line}");

    // Once it is whole, it is another input.
    let (whole, _) = (fs::read(&archive).unwrap(), fs::remove_file(&archive).unwrap());
    fs::write(&archive, [whole, vec![0; 9]].concat()).unwrap();
    let (code, _, stderr) = call("run", &[&archive], &["--out", &out]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--overwrite"), "{stderr}");
}

#[test]
fn a_run_that_is_resumed_ends_as_if_it_had_not_been_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, offset) = cut(folder.path());
    for memory in ["1GiB", "64kB"] {
        let out = path(folder.path(), memory);
        // The output that cannot be written leaves the state of the run for the same command.
        let in_the_way = Path::new(&out).join("articles.csv/in-the-way");
        fs::create_dir_all(&in_the_way).unwrap();
        let options = ["--out", &out, "--sinks", "jsonl,csv", "--memory", memory];
        let (code, _, stderr) =
            call("run", &[&archive], &[&options[..], &["--overwrite"]].concat());
        assert!(code == 1 && stderr.contains("csv"), "{stderr}");
        fs::remove_dir_all(in_the_way.parent().unwrap()).unwrap();
        let (code, _, stderr) = call("run", &[&archive], &options);
        assert_eq!(code, 1, "{stderr}");
        assert!(stderr.contains(&format!("is cut short at byte {offset}")), "{stderr}");
        assert!(Path::new(&out).join("articles.csv").is_file());
        assert_eq!(Results::read(out.as_ref()).articles.len(), 5);
    }
}

#[test]
fn every_command_that_reads_archives_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, offset) = cut(folder.path());
    let of = |name: &str| path(folder.path(), name);
    let said = |step: &str, (code, _, stderr): (i32, String, String)| {
        assert_eq!(code, 1, "{step}: {stderr}");
        let is_said = stderr.contains(&format!("is cut short at byte {offset}: "));
        assert!(is_said, "{step}: {stderr}");
    };
    let survey = of("survey.parquet");
    said("survey", call("survey", &[&archive], &["--out", &survey]));
    let learnt = of("learn.parquet");
    let (code, _, stderr) = call("learn", &[survey.as_ref()], &["--out", &learnt]);
    assert_eq!(code, 0, "{stderr}");
    let merged = of("merged");
    let files: [&Path; 2] = [survey.as_ref(), learnt.as_ref()];
    said("merge", call("merge", &files, &["--out", &merged]));
    assert_eq!(Results::read(merged.as_ref()).articles.len(), 5);
    said("wrappers test", call("wrappers", &["test".as_ref(), merged.as_ref(), &archive], &[]));
    let (code, stdout, _) = call("extract", &[&archive], &[]);
    assert_eq!((code, stdout.matches("https://cut.example/notes/").count()), (1, 5), "{stdout}");
    said("extract", call("extract", &[&archive], &[]));
    let piped =
        sitegrove().args(["extract", "-"]).write_stdin(fs::read(&archive).unwrap()).output();
    said("extract from standard input", parts(&piped.unwrap()));
    // The forecast is printed beside the input.
    let (code, stdout, _) = call("run", &[&archive], &["--dry-run", "--format", "json"]);
    let forecast: Value = parse(&stdout);
    assert_eq!(code, 1, "{stdout}");
    let problem = forecast["inputs"][0]["problem"].as_str().unwrap();
    assert!(problem.starts_with(&format!("is cut short at byte {offset}")), "{problem}");
    // The beginning of the last page is there, and is too little for an article.
    assert_eq!(forecast["pages"], 6);
}
