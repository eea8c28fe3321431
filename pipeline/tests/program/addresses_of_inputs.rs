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

/// The records that a table lists are fetched, and little else; throttled requests are repeated, and a record that the server
/// refuses costs only itself.
#[test]
#[cfg(feature = "remote")]
fn listed_records_at_an_address_are_fetched_and_little_else() {
    use crate::common::crawl::Crawl;
    use crate::common::prose;
    let folder = tempfile::tempdir().unwrap();
    let mut crawl = Crawl::new();
    for n in 0..60 {
        crawl.page(&format!("https://notes.example/on-bridges-{n}"), &prose::post(n % 9));
    }
    let (mut at, mut lines, mut needed) = (0, String::new(), 0);
    for (n, member) in crawl.members().iter().enumerate() {
        if n % 20 < 8 {
            let name = "crawl-data/CC-MAIN-2026-21/notes.warc.gz";
            lines += &format!("{name},{at},{}\n", member.len());
            needed += member.len();
        }
        at += member.len();
    }
    let table = folder.path().join("rows.csv");
    let head = "warc_filename,warc_record_offset,warc_record_length\n";
    std::fs::write(&table, format!("{head}{lines}")).unwrap();
    let name = "night/crawl-data/CC-MAIN-2026-21/notes.warc.gz".to_owned();
    let server = Server::start([(name, crawl.members().concat())].into());
    let base = format!("http://127.0.0.1:{}/night/", server.port);
    let results = remote(&server, folder.path(), &[table.to_str().unwrap(), "--input-base", &base]);
    assert_eq!(results.articles.len(), 24);
    let input = &results.ledger["inputs"][0];
    assert_eq!((&input["bytes"], &input["fetched"]["bytes"]), (&needed.into(), &needed.into()));
    assert_eq!(input["fetched"]["requests"], 3, "{:?}", server.seen());
    // From a bucket, with a row that is not in the archive.
    let row = format!("crawl-data/CC-MAIN-2026-21/notes.warc.gz,{},50\n", at + 1_000);
    std::fs::write(&table, format!("{head}{lines}{row}")).unwrap();
    let out = folder.path().join("refused");
    let run = ["run", table.to_str().unwrap(), "--input-base", "s3://crawl/night", "--out"];
    let (code, _, stderr) = parts(&server.program().args(run).arg(&out).output().unwrap());
    assert!(code == 1 && stderr.contains("could not be read"), "{code} {stderr}");
    let drops = std::fs::read_to_string(out.join("dropped.jsonl")).unwrap();
    assert!(drops.contains("unreadable-record"), "{drops}");
    assert_eq!(Results::read(&out).articles.len(), 24);
    // The same command again has nothing to do.
    let again = parts(&server.program().args(run).arg(&out).output().unwrap());
    assert!(again.0 == 1 && again.1.contains("Nothing to do"), "{again:?}");
    // An archive that is not there is named, and the others are read.
    let gone = "crawl-data/CC-MAIN-2026-21/gone.warc.gz,0,50\n";
    std::fs::write(&table, format!("{head}{lines}{gone}")).unwrap();
    let arguments = [&run[..4], &["--overwrite", "--out"]].concat();
    let (code, _, stderr) = parts(&server.program().args(arguments).arg(&out).output().unwrap());
    assert!(code == 1 && stderr.contains("gone.warc.gz"), "{code} {stderr}");
    assert_eq!(Results::read(&out).articles.len(), 24);
}

/// Tables of pages are read at addresses, too.
#[test]
#[cfg(feature = "remote")]
fn tables_at_an_address_are_read() {
    use crate::common::prose;
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<_> = (0..6).map(|n| crate::input_tables::page_row(n, &prose::post(n))).collect();
    let local = folder.path().join("pages.parquet");
    crate::input_tables::write_parquet(&local, &rows);
    let lines: String = rows.iter().map(|row| serde_json::to_string(row).unwrap() + "\n").collect();
    let files = [
        ("night/pages.parquet".to_owned(), std::fs::read(&local).unwrap()),
        ("night/pages.jsonl".to_owned(), lines.into_bytes()),
    ];
    let server = Server::start(files.into());
    let expected =
        texts(&crate::common::program::run(&[&local], &folder.path().join("local"), &[]));
    assert_eq!(expected.len(), 6);
    for name in ["s3://crawl/night/pages.parquet", "s3://crawl/night/pages.jsonl"] {
        assert_eq!(texts(&remote(&server, folder.path(), &[name])), expected, "{name}");
    }
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
