//! Inputs by address: `http://`, `https://` and `s3://`, and that nothing else opens a connection.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

mod common;
use common::program::{in_repository, parts, sitegrove};
use common::results::Results;

/// A server of files, by path; of a bucket `crawl`, too. The first request of every file fails.
struct Server {
    port: u16,
    /// Requests so far: method, path, and range.
    seen: Arc<Mutex<Vec<String>>>,
}

type Files = Arc<BTreeMap<String, Vec<u8>>>;

impl Server {
    fn start(files: BTreeMap<String, Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (files, of_thread) = (Arc::new(files), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (files, seen) = (Arc::clone(&files), Arc::clone(&of_thread));
                std::thread::spawn(move || serve(stream, &files, &seen));
            }
        });
        Self { port, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// The program, with S3 at this server.
    fn program(&self) -> assert_cmd::Command {
        let mut program = sitegrove();
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        program
            .env("AWS_ENDPOINT", &endpoint)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "eu-west-1")
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret");
        program
    }
}

fn serve(mut stream: TcpStream, files: &Files, seen: &Mutex<Vec<String>>) {
    loop {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read(&mut byte) {
                Ok(1) => head.push(byte[0]),
                _ => return,
            }
        }
        let head = String::from_utf8(head).unwrap();
        let mut words = head.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let range = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
        let request = format!("{method} {target} {}", range.as_deref().unwrap_or("-"));
        let is_first = {
            let mut seen = seen.lock().unwrap();
            let known = seen.iter().any(|other| other.split(' ').nth(1) == Some(target));
            seen.push(request);
            !known
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let answer = if is_first {
            "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n".as_bytes().to_vec()
        } else if query.contains("list-type=2") {
            listing(files, query)
        } else {
            file(files, path.trim_start_matches("/crawl/").trim_start_matches('/'), method, range)
        };
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

fn file(files: &Files, path: &str, method: &str, range: Option<String>) -> Vec<u8> {
    let Some(bytes) = files.get(path) else {
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
    };
    let (mut from, mut to) = (0, bytes.len());
    if let Some((first, last)) = range.as_deref().and_then(|range| range.split_once('-')) {
        from = first.parse().unwrap();
        to = last.trim().parse::<usize>().map_or(to, |last| (last + 1).min(to));
    }
    let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
    let mut answer = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nContent-Range: bytes {from}-{}/{}\r\nETag: \"1\"\r\n\
         Last-Modified: Mon, 05 Oct 2026 03:00:00 GMT\r\nAccept-Ranges: bytes\r\n\r\n",
        to - from,
        to.saturating_sub(1),
        bytes.len()
    )
    .into_bytes();
    if method == "GET" {
        answer.extend_from_slice(&bytes[from..to]);
    }
    answer
}

/// The objects below a prefix, and the folders.
fn listing(files: &Files, query: &str) -> Vec<u8> {
    let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
    let prefix = prefix.replace("%2F", "/");
    let (mut objects, mut folders) = (String::new(), std::collections::BTreeSet::new());
    for (name, bytes) in files.iter().filter(|(name, _)| name.starts_with(&prefix)) {
        match name[prefix.len()..].split_once('/') {
            Some((folder, _)) => _ = folders.insert(format!("{prefix}{folder}/")),
            None => objects.push_str(&format!(
                "<Contents><Key>{name}</Key><LastModified>2026-10-05T03:00:00.000Z</LastModified>\
                 <ETag>1</ETag><Size>{}</Size></Contents>",
                bytes.len()
            )),
        }
    }
    let folders: String = folders
        .iter()
        .map(|folder| format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"))
        .collect();
    let body = format!(
        "<?xml version=\"1.0\"?><ListBucketResult><Name>crawl</Name><IsTruncated>false</IsTruncated>\
         {objects}{folders}</ListBucketResult>"
    );
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

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
    texts(&common::program::run(&paths, &folder.join("local"), &["--overwrite"]))
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
