//! Inputs by address: `http://`, `https://` and `s3://`, and that nothing else opens a connection.

use std::collections::BTreeMap;

use crate::common::object_server::Server;
use crate::common::program::{in_repository, parts};
use crate::common::results::Results;

fn sample() -> BTreeMap<String, Vec<u8>> {
    let read = |name: &str| std::fs::read(in_repository(&format!("data/crawl/{name}"))).unwrap();
    [
        ("night/sample-1.warc.gz", read("sample-1.warc.gz")),
        ("night/more/sample-2.warc.gz", read("sample-2.warc.gz")),
        ("night/notes.txt", b"no archive".to_vec()),
        ("other/sample-3.warc.gz", read("sample-3.warc.gz")),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .into()
}

/// Addresses and texts.
fn texts(results: &Results) -> BTreeMap<String, String> {
    let of = |article: &serde_json::Value| {
        (article["url"].as_str().unwrap().to_owned(), article["text"].to_string())
    };
    results.articles.iter().map(of).collect()
}

fn local(folder: &std::path::Path, samples: &[u32]) -> BTreeMap<String, String> {
    let paths: Vec<_> = (samples.iter())
        .map(|n| in_repository(&format!("data/crawl/sample-{n}.warc.gz")))
        .collect();
    let paths: Vec<&std::path::Path> = paths.iter().map(std::path::PathBuf::as_path).collect();
    texts(&crate::common::program::run(&paths, &folder.join("local"), &["--overwrite"]))
}

#[cfg(feature = "remote")]
fn remote(server: &Server, folder: &std::path::Path, inputs: &[&str]) -> Results {
    let out = folder.join("remote");
    let output =
        server.program().arg("run").args(inputs).arg("--overwrite").arg("--out").arg(&out).output();
    let (code, stdout, stderr) = parts(&output.unwrap());
    assert_eq!(code, 0, "{stdout}\n{stderr}");
    Results::read(&out)
}

#[test]
#[cfg(feature = "remote")]
fn files_at_addresses_are_read_in_ranges() {
    let (server, folder) = (Server::start(sample()), tempfile::tempdir().unwrap());
    let address = format!("http://127.0.0.1:{}/night/sample-1.warc.gz", server.port);
    let results = remote(&server, folder.path(), &[&address]);
    assert_eq!(texts(&results), local(folder.path(), &[1]));
    assert_eq!(results.articles[0]["origin"]["file"], address);
    let ranges = server.seen().iter().filter(|seen| !seen.ends_with(" -")).count();
    assert!(ranges >= 1, "{:?}", server.seen());
    // A list of addresses in a file.
    let list = folder.path().join("list.txt");
    std::fs::write(&list, format!("{address}\n")).unwrap();
    let listed = remote(&server, folder.path(), &[&format!("@{}", list.display())]);
    assert_eq!(listed.articles, results.articles);
    let missing = format!("http://127.0.0.1:{}/night/none.warc.gz", server.port);
    let out = folder.path().join("none");
    let output = server.program().args(["run", &missing, "--out"]).arg(&out).output().unwrap();
    let (code, _, stderr) = parts(&output);
    assert!(code == 2 && stderr.contains("none.warc.gz"), "{code} {stderr}");
}

#[test]
#[cfg(feature = "remote")]
fn prefixes_and_patterns_of_buckets_are_listed() {
    let (server, folder) = (Server::start(sample()), tempfile::tempdir().unwrap());
    let all = remote(&server, folder.path(), &["s3://crawl/night/"]);
    assert_eq!(texts(&all), local(folder.path(), &[1, 2]));
    let inputs: Vec<&str> = all.ledger["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| input["file"].as_str().unwrap())
        .collect();
    assert_eq!(
        inputs,
        ["s3://crawl/night/more/sample-2.warc.gz", "s3://crawl/night/sample-1.warc.gz"]
    );
    let some = remote(&server, folder.path(), &["s3://crawl/*/sample-[13].warc.gz"]);
    assert_eq!(texts(&some), local(folder.path(), &[1, 3]));
}

#[test]
#[cfg(not(feature = "remote"))]
fn a_build_without_addresses_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(sample());
    for address in [
        format!("http://127.0.0.1:{}/night/sample-1.warc.gz", server.port),
        "https://crawl.example/night.warc.gz".to_owned(),
        "s3://crawl/night/".to_owned(),
    ] {
        let mut program = server.program();
        let output = program.args(["run", &address, "--out"]).arg(folder.path().join("out"));
        let (code, _, stderr) = parts(&output.output().unwrap());
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(&address) && stderr.contains("feature `remote`"), "{stderr}");
    }
    assert_eq!(server.seen(), [""; 0]);
}

#[test]
fn no_connection_is_opened_unless_an_input_is_an_address() {
    let (server, folder) = (Server::start(sample()), tempfile::tempdir().unwrap());
    let proxy = format!("http://127.0.0.1:{}", server.port);
    let out = folder.path().join("out");
    let output = server
        .program()
        .envs(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map(|name| (name, &proxy)))
        .arg("run")
        .arg(in_repository("data/crawl"))
        .args(["--sinks", "all", "--dataset"])
        .arg(folder.path().join("articles"))
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(parts(&output).0, 0);
    assert_eq!(server.seen(), [""; 0]);
    assert_eq!(texts(&Results::read(&out)), local(folder.path(), &[1, 2, 3]));
}
