//! A server of files for `http://`, and of a bucket for `s3://`.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::program::sitegrove;

/// A server of files, by path; of a bucket `crawl`, too. The first request of every file fails.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// Requests so far: method, path, and range.
    seen: Arc<Mutex<Vec<String>>>,
    files: Arc<Files>,
    /// Objects whose names end so may not be written.
    refused: Arc<Mutex<String>>,
}

type Files = Mutex<BTreeMap<String, Vec<u8>>>;

impl Server {
    pub(crate) fn start(files: BTreeMap<String, Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (files, refused) = (Arc::new(Mutex::new(files)), Arc::new(Mutex::default()));
        let server = Self { port, seen, files, refused };
        let Self { seen, files, refused, .. } = &server;
        let of_thread = (Arc::clone(seen), Arc::clone(files), Arc::clone(refused));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, files, refused) = of_thread.clone();
                std::thread::spawn(move || serve(stream, &files, &seen, &refused));
            }
        });
        server
    }

    /// The files below a prefix, by the rest of their paths.
    pub(crate) fn below(&self, prefix: &str) -> BTreeMap<String, Vec<u8>> {
        let files = self.files.lock().unwrap();
        let own = files.iter().filter_map(|(name, bytes)| {
            Some((name.strip_prefix(prefix)?.to_owned(), bytes.clone()))
        });
        own.collect()
    }

    pub(crate) fn remove(&self, name: &str) {
        self.files.lock().unwrap().remove(name).unwrap();
    }

    /// From now on, refuses to write objects whose names end so; none if empty.
    pub(crate) fn refuse(&self, end: &str) {
        end.clone_into(&mut self.refused.lock().unwrap());
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// The program, with S3 at this server.
    pub(crate) fn program(&self) -> assert_cmd::Command {
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

fn serve(mut stream: TcpStream, files: &Files, seen: &Mutex<Vec<String>>, refused: &Mutex<String>) {
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
        let length = head.lines().find_map(|line| {
            line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned)
        });
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        stream.read_exact(&mut body).unwrap();
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
        let name = path.trim_start_matches("/crawl/").trim_start_matches('/');
        let refused = refused.lock().unwrap().clone();
        let answer = if is_first {
            said("503 Slow Down", "")
        } else if method == "PUT" && !refused.is_empty() && name.ends_with(&refused) {
            said("403 Forbidden", "")
        } else if method == "PUT" {
            files.lock().unwrap().insert(name.replace("%3D", "="), body);
            said("200 OK", "")
        } else if method == "POST" && query.starts_with("delete") {
            let body = String::from_utf8(body).unwrap();
            let mut removed = String::new();
            for part in body.split("<Key>").skip(1) {
                let key = part.split("</Key>").next().unwrap();
                files.lock().unwrap().remove(key);
                removed.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
            }
            said("200 OK", &format!("<DeleteResult>{removed}</DeleteResult>"))
        } else if query.contains("list-type=2") {
            listing(&files.lock().unwrap(), query)
        } else {
            file(&files.lock().unwrap(), name, method, range)
        };
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

fn said(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nETag: \"1\"\r\n\r\n{body}")
        .into_bytes()
}

type Listed = BTreeMap<String, Vec<u8>>;

fn file(files: &Listed, path: &str, method: &str, range: Option<String>) -> Vec<u8> {
    let Some(bytes) = files.get(path) else {
        return said("404 Not Found", "");
    };
    let (mut from, mut to) = (0, bytes.len());
    if let Some((first, last)) = range.as_deref().and_then(|range| range.split_once('-')) {
        from = first.parse().unwrap();
        to = last.trim().parse::<usize>().map_or(to, |last| (last + 1).min(to));
    }
    if from >= bytes.len() && range.is_some() {
        return said("416 Range Not Satisfiable", "");
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
fn listing(files: &Listed, query: &str) -> Vec<u8> {
    let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
    let prefix = prefix.replace("%2F", "/").replace("%3D", "=");
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
