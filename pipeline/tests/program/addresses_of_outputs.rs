//! Outputs at an address: `--out s3://BUCKET/PREFIX`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::object_server::Server;
use crate::common::program::{in_repository, parts};

const OUT: &str = "s3://crawl/results/tonight";

/// The program with the sample crawl and an output at an address; its working folder is in `folder`.
fn run(server: &Server, folder: &Path, more: &[&str]) -> (i32, String, String) {
    let mut program = server.program();
    program.arg("run").arg(in_repository("data/crawl")).args(["--out", OUT, "--work"]);
    parts(&program.arg(folder.join("work")).args(more).output().unwrap())
}

#[test]
#[cfg(feature = "remote")]
fn files_of_steps_are_kept_in_a_bucket() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(std::collections::BTreeMap::new());
    let crawl = in_repository("data/crawl/sample-3.warc.gz");
    let expected = folder.path().join("expected");
    crate::common::program::run(&[&crawl], &expected, &[]);
    let work = folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let config = folder.path().join("work.toml");
    std::fs::write(&config, "[run]\nwork = \"work\"\n").unwrap();
    let at = |name: &str| format!("s3://crawl/steps/{name}.parquet");
    let merged = folder.path().join("merged").to_str().unwrap().to_owned();
    let (crawl, config) = (crawl.to_str().unwrap(), config.to_str().unwrap());
    let (survey, learn, apply) = (at("1-survey"), at("2-learn"), at("3-apply"));
    let (again, rest) = (at("4-again"), at("5-rest"));
    for step in [
        vec!["survey", crawl, "--out", &survey],
        vec!["learn", &survey, "--out", &learn],
        vec!["apply", &survey, &learn, "--out", &apply],
        vec!["learn", "s3://crawl/steps/", "--out", &again],
        vec!["apply", &survey, &learn, &again, "--out", &rest],
        vec!["merge", "s3://crawl/steps/*.parquet", "--out", &merged],
    ] {
        let (code, _, stderr) =
            parts(&server.program().args(&step).args(["--config", config]).output().unwrap());
        assert_eq!(code, 0, "{step:?}: {stderr}");
    }
    let read = |run: &std::path::Path| std::fs::read(run.join("articles.jsonl")).unwrap();
    assert!(read(&expected) == read(std::path::Path::new(&merged)));
    assert_eq!(server.below("steps/").len(), 5);

    let merge = |steps: &str, more: &[&str]| {
        let mut program = server.program();
        program.args(["merge", steps, "--out", OUT, "--config", config]).args(more);
        parts(&program.output().unwrap())
    };
    server.refuse("articles.csv");
    let (code, _, stderr) = merge("s3://crawl/steps/", &["--sinks", "jsonl,csv"]);
    assert!(
        code == 1 && stderr.contains(&format!("{OUT}/articles.csv: cannot be written")),
        "{stderr}"
    );
    server.refuse("");
    let (code, _, stderr) = merge("s3://crawl/steps/", &["--sinks", "jsonl"]);
    assert!(code == 2 && stderr.contains("no finished run"), "{stderr}");
    let (code, stdout, stderr) = merge("s3://crawl/steps/", &["--sinks", "jsonl,csv"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains(&format!("Results in {OUT}")), "{stdout}");
    let there = server.below("results/tonight/");
    assert!(there["articles.jsonl"] == read(&expected) && there.contains_key("ledger.json"));
    let (code, _, stderr) = merge("s3://crawl/steps/", &["--sinks", "jsonl,csv"]);
    assert!(code == 2 && stderr.contains("--overwrite replaces it"), "{stderr}");
    let (code, _, stderr) = merge("s3://crawl/steps/", &["--sinks", "jsonl", "--overwrite"]);
    assert_eq!(code, 0, "{stderr}");
    let there: Vec<String> = server.below("results/tonight/").into_keys().collect();
    assert!(!there.contains(&"articles.csv".to_owned()), "{there:?}");
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 0, "local copies are removed");
}

#[test]
#[cfg(not(feature = "remote"))]
fn a_build_without_addresses_says_so() {
    let (server, folder) = (Server::start(BTreeMap::new()), tempfile::tempdir().unwrap());
    let (code, _, stderr) = run(&server, folder.path(), &[]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains(OUT) && stderr.contains("feature `remote`"), "{stderr}");
    assert_eq!(server.seen(), [""; 0]);
}

#[cfg(feature = "remote")]
mod with_addresses {
    use super::*;

    const ALL: [&str; 4] = ["--sinks", "all", "--markdown", "--dataset=s3://crawl/articles/"];

    /// The files of the same run in a local folder, and those of its data set.
    fn local(folder: &Path) -> (BTreeMap<String, Vec<u8>>, BTreeMap<String, Vec<u8>>) {
        let (out, dataset) = (folder.join("local"), folder.join("articles"));
        let data = in_repository("data/crawl");
        let more = ["--sinks", "all", "--markdown", "--dataset", dataset.to_str().unwrap()];
        crate::common::program::run(&[&data], &out, &more);
        (files(&out), files(&dataset))
    }

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let (mut open, mut found) = (vec![folder.to_owned()], BTreeMap::new());
        while let Some(at) = open.pop() {
            for entry in std::fs::read_dir(at).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                    found.insert(name, std::fs::read(path).unwrap());
                }
            }
        }
        found
    }

    /// Whether a file is the same in every run: others hold times, or are in the order of threads.
    fn is_stable(name: &str) -> bool {
        let times = ["ledger.json", "articles.warc.gz", "articles.cdxj", "archive.sqlite"];
        !times.contains(&name) && !name.starts_with("report/") && !name.starts_with("index/")
    }

    fn stable(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
        files.retain(|name, _| is_stable(name));
        files
    }

    #[test]
    fn every_output_is_uploaded() {
        let (server, folder) = (Server::start(BTreeMap::new()), tempfile::tempdir().unwrap());
        let (code, stdout, stderr) = run(&server, folder.path(), &ALL);
        assert_eq!(code, 0, "{stdout}\n{stderr}");
        assert!(stdout.contains(&format!("Results in {OUT}")), "{stdout}");
        let (results, dataset) = local(folder.path());
        let (uploaded, articles) = (server.below("results/tonight/"), server.below("articles/"));
        let names = |files: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
            // Segments of an index are named anew each time.
            files.keys().filter(|name| !name.starts_with("index/")).cloned().collect()
        };
        assert_eq!(names(&uploaded), names(&results));
        assert!(uploaded.keys().any(|name| name.starts_with("index/")), "{:?}", uploaded.keys());
        assert_eq!(stable(uploaded), stable(results));
        assert!(!dataset.is_empty());
        assert_eq!(articles, dataset);
        // The ledger comes last, and nothing is left on this machine.
        let order = server.seen();
        let last = |end: &str| order.iter().rposition(|seen| seen.contains(end)).unwrap();
        let ledger = last("PUT /crawl/results/tonight/ledger.json");
        let others = order.iter().rposition(|seen| {
            seen.starts_with("PUT ") && !seen.contains("ledger.json") && !seen.contains("run.json")
        });
        assert!(others.unwrap() < ledger, "{order:?}");
        assert_eq!(files(&folder.path().join("work")), BTreeMap::new());

        // The same command does nothing, on a machine that has nothing of the run.
        let (code, stdout, _) = run(&server, &folder.path().join("other"), &ALL);
        assert!(code == 0 && stdout.starts_with("Nothing to do"), "{stdout}");
        // Another run is refused, or replaces it.
        let (code, _, stderr) = run(&server, folder.path(), &["--engine", "euclid"]);
        assert!(code == 2 && stderr.contains("other inputs or settings"), "{stderr}");
        let (code, _, stderr) = run(&server, folder.path(), &["--sinks", "csv", "--overwrite"]);
        assert_eq!(code, 0, "{stderr}");
        let names: Vec<String> = server.below("results/tonight/").into_keys().collect();
        let others = names.iter().filter(|name| !name.starts_with("wrappers/"));
        assert_eq!(others.collect::<Vec<_>>(), ["articles.csv", "dropped.jsonl", "ledger.json"]);
    }

    #[test]
    fn what_cannot_be_uploaded_is_kept_and_uploaded_by_the_same_command() {
        let (server, folder) = (Server::start(BTreeMap::new()), tempfile::tempdir().unwrap());
        server.refuse("articles.csv");
        let more = ["--sinks", "jsonl,csv"];
        let (code, _, stderr) = run(&server, folder.path(), &more);
        assert_eq!(code, 1, "{stderr}");
        assert!(stderr.contains(&format!("{OUT}/articles.csv: cannot be written")), "{stderr}");
        assert!(stderr.contains("the same command uploads what is missing"), "{stderr}");
        let uploaded = server.below("results/tonight/");
        assert!(uploaded.contains_key("articles.jsonl") && !uploaded.contains_key("ledger.json"));
        // Something else is not put among it.
        let (code, _, stderr) = run(&server, &folder.path().join("other"), &["--sinks", "csv"]);
        assert!(code == 2 && stderr.contains("different unfinished run"), "{stderr}");

        server.refuse("");
        let before = server.seen().len();
        let (code, stdout, stderr) = run(&server, folder.path(), &more);
        assert_eq!(code, 0, "{stdout}\n{stderr}");
        assert!(stdout.contains("Uploaded 1 object"), "{stdout}");
        let again = server.seen()[before..].join("\n");
        assert!(!again.contains("PUT /crawl/results/tonight/articles.jsonl"), "{again}");
        let uploaded = server.below("results/tonight/");
        assert!(uploaded.contains_key("ledger.json") && uploaded.contains_key("articles.csv"));
        assert!(!uploaded.contains_key(".sitegrove/run.json"));
        assert_eq!(files(&folder.path().join("work")), BTreeMap::new());

        // An output that was removed there is made again.
        server.remove("results/tonight/articles.csv");
        let (code, stdout, _) = run(&server, folder.path(), &more);
        assert!(code == 0 && !stdout.starts_with("Nothing to do"), "{stdout}");
        let names = |files: BTreeMap<String, Vec<u8>>| files.into_keys().collect::<Vec<_>>();
        assert_eq!(names(server.below("results/tonight/")), names(uploaded));
    }

    #[test]
    fn no_work_is_done_for_an_address_that_cannot_be_written_to() {
        let (server, folder) = (Server::start(BTreeMap::new()), tempfile::tempdir().unwrap());
        server.refuse("run.json");
        let (code, _, stderr) = run(&server, folder.path(), &[]);
        assert!(code == 2 && stderr.contains(&format!("cannot write to {OUT}")), "{stderr}");
        let other = BTreeMap::from([("results/tonight/notes.txt".to_owned(), b"mine".to_vec())]);
        let server = Server::start(other);
        let (code, _, stderr) = run(&server, folder.path(), &[]);
        assert!(code == 2 && stderr.contains("contains no finished run"), "{stderr}");
        for (option, why) in [
            (["--dataset", "s3://crawl/results/tonight/articles"], "lies below"),
            (["--index", "s3://crawl/index"], "is changed in place"),
            (["--out", "https://crawl.example/results"], "s3:// and hdfs:// only"),
        ] {
            let mut program = server.program();
            program.arg("run").arg(in_repository("data/crawl"));
            if option[0] != "--out" {
                program.args(["--out", OUT]);
            }
            let (code, _, stderr) = parts(&program.args(option).output().unwrap());
            assert!(code == 2 && stderr.contains(why), "{stderr}");
        }
        assert_eq!(server.below("").len(), 1);
    }
}
