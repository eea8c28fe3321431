//! Inputs at `https://`, `http://`, `s3://`, `hdfs://` and `viewfs://`, read in ranges; outputs at `s3://`,
//! small files in one request, large ones in parts.
//!
//! No connection is made unless an input or output is at such an address. Failed requests are repeated. For S3, credentials are
//! found as by the AWS command line: environment variables, the profile in `~/.aws/credentials`, or the role of the machine. For
//! HDFS, the configuration in `HADOOP_CONF_DIR` is used, and the Kerberos ticket or tokens that Hadoop's own client would use.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hdfs_native_object_store::HdfsObjectStoreBuilder;
use object_store::aws::AmazonS3Builder;
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, ClientOptions, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, WriteMultipart,
};
use parquet::file::reader::{ChunkReader, Length};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use url::Url;

use crate::objects::{Objects, UploadFile};
use crate::parts::{RecordAt, Transfer};

/// Bytes of the first request after a jump. Each following request is twice as large as the one before.
const FIRST: u64 = 256 << 10;
/// Maximum size of a request, in bytes.
const MOST: u64 = 8 << 20;
/// Maximum size of a request for listed records, in bytes.
const PART: u64 = 2 << 20;
/// Maximum number of concurrent requests for listed records of a file.
const AT_ONCE: usize = 8;
/// If a request covers several listed records, the gaps between them are at most this fraction (1/8) of it.
const BETWEEN: u64 = 8;
/// Time between two checks of the stop flag.
const PATIENCE: Duration = Duration::from_millis(50);
/// Size of a request for a part of a table, in bytes.
const WINDOW: u64 = 1 << 20;
/// Number of parts of a table that are kept in memory.
const WINDOWS: usize = 8;
/// Characters that make an address a pattern.
const PATTERN: [char; 3] = ['*', '?', '['];
/// Schemes with folders that can be listed.
const LISTED: [&str; 3] = ["s3://", "hdfs://", "viewfs://"];

/// How long `hdfs-native` reuses a connection to a data node.
const KEPT: Duration = Duration::from_millis(3_200);

#[derive(Debug)]
struct RemotePlace {
    store: Arc<dyn ObjectStore>,
    key: Key,
}

/// The runtime for the requests of all threads of this process.
fn runtime() -> io::Result<&'static Runtime> {
    // One per process, since a process that Python forks has none of its parent's threads.
    static RUNTIMES: Mutex<BTreeMap<u32, &'static Runtime>> = Mutex::new(BTreeMap::new());
    let known = || RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    let running = known().get(&process).copied();
    if let Some(runtime) = running {
        return Ok(runtime);
    }
    let made = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    Ok(*known().entry(process).or_insert_with(|| Box::leak(Box::new(made))))
}

/// In a process forked from one that reads from HDFS, waits until the inherited connections are no longer reused: only the parent
/// would receive what arrives on them.
fn outlive_connections() {
    static LAST: Mutex<Option<u32>> = Mutex::new(None);
    let process = std::process::id();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.replace(process).is_some_and(|last| last != process) {
        std::thread::sleep(KEPT);
    }
}

fn failed(error: object_store::Error) -> io::Error {
    let kind = match &error {
        object_store::Error::NotFound { .. } => io::ErrorKind::NotFound,
        object_store::Error::PermissionDenied { .. } => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    // Only the causes: messages have the address already.
    io::Error::new(kind, errors::error_chain(&anyhow::Error::new(error)))
}

/// Offset of the path in an address.
fn end_of_host(address: &str) -> usize {
    let host = address.find("://").map_or(0, |at| at + 3);
    address[host..].find('/').map_or(address.len(), |at| host + at)
}

impl RemotePlace {
    fn of(address: &str) -> io::Result<Self> {
        if address.starts_with("hdfs://") || address.starts_with("viewfs://") {
            return Self::of_hdfs(address);
        }
        let url = Url::parse(address).map_err(io::Error::other)?;
        let host = url.host_str().unwrap_or_default();
        let store: Arc<dyn ObjectStore> = if url.scheme() == "s3" {
            let mut builder = AmazonS3Builder::from_env().with_bucket_name(host);
            if std::env::var_os("AWS_ACCESS_KEY_ID").is_none()
                && let Some(profile) = aws_profile()
            {
                builder = builder
                    .with_access_key_id(profile.access_key_id)
                    .with_secret_access_key(profile.secret_access_key);
                if let Some(token) = profile.session_token {
                    builder = builder.with_token(token);
                }
            }
            Arc::new(builder.build().map_err(failed)?)
        } else {
            if url.query().is_some() {
                let why = "addresses with a query (`?`) are not read; download the file";
                return Err(io::Error::other(why));
            }
            let options = ClientOptions::new().with_allow_http(url.scheme() == "http");
            let base = &url[..url::Position::BeforePath];
            let builder = HttpBuilder::new().with_url(base).with_client_options(options);
            Arc::new(builder.build().map_err(failed)?)
        };
        let key = Key::from_url_path(url.path()).map_err(|error| failed(error.into()))?;
        Ok(Self { store, key })
    }

    /// Parses an HDFS address. Names are not percent-encoded. Without a host, `fs.defaultFS` names the file system.
    fn of_hdfs(address: &str) -> io::Result<Self> {
        outlive_connections();
        let (base, path) = address.split_at(end_of_host(address));
        let runtime = runtime()?.handle().clone();
        let builder = HdfsObjectStoreBuilder::new().with_url(base).with_io_runtime(runtime);
        let store = Arc::new(builder.build().map_err(failed)?);
        let key = Key::parse(path).map_err(|error| failed(error.into()))?;
        Ok(Self { store, key })
    }

    fn head(&self) -> io::Result<ObjectMeta> {
        runtime()?.block_on(self.store.head(&self.key)).map_err(failed)
    }

    fn range(&self, range: Range<u64>) -> io::Result<bytes::Bytes> {
        runtime()?.block_on(self.store.get_range(&self.key, range)).map_err(failed)
    }

    /// Visits all objects below this place.
    fn each_object(&self, see: impl FnMut(ObjectMeta)) -> io::Result<()> {
        let (mut open, mut see) = (vec![self.key.clone()], see);
        while let Some(prefix) = open.pop() {
            let listed = runtime()?.block_on(self.store.list_with_delimiter(Some(&prefix)));
            let listed = listed.map_err(failed)?;
            open.extend(listed.common_prefixes);
            listed.objects.into_iter().for_each(&mut see);
        }
        Ok(())
    }
}

/// Length in bytes, and time of the last change in nanoseconds since 1970.
pub(crate) fn state(address: &str) -> io::Result<(u64, Option<i64>)> {
    let head = RemotePlace::of(address)?.head()?;
    Ok((head.size, head.last_modified.timestamp_nanos_opt().filter(|at| *at > 0)))
}

/// Lists the addresses of the objects below a prefix that ends with `/`, or of those that match a pattern; any other address
/// stands for itself. `wanted` filters the objects below a prefix.
pub(crate) fn list_addresses(
    address: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> io::Result<Vec<String>> {
    let is_listed = LISTED.iter().any(|scheme| address.starts_with(scheme));
    let is_pattern = address.contains(PATTERN) && is_listed;
    if !is_pattern && !address.ends_with('/') {
        return Ok(vec![address.to_owned()]);
    }
    if !is_listed {
        let why = "folders can be listed at s3:// and hdfs:// only; name the files";
        return Err(io::Error::other(why));
    }
    let pattern = glob::Pattern::new(address).map_err(io::Error::other)?;
    // The last folder before the pattern.
    let fixed = address.find(PATTERN).filter(|_| is_pattern).unwrap_or(address.len());
    let folder = address[..fixed].rfind('/').map_or(address, |at| &address[..=at]);
    let place = RemotePlace::of(folder)?;
    let base = &address[..end_of_host(address)];
    let mut found = Vec::new();
    place.each_object(|object| {
        let name = format!("{base}/{}", object.location);
        let fits = if is_pattern { pattern.matches(&name) } else { wanted(&name) };
        found.extend(fits.then_some(name));
    })?;
    found.sort_unstable();
    match found.is_empty() {
        true => Err(io::Error::new(io::ErrorKind::NotFound, "nothing to read is there")),
        false => Ok(found),
    }
}

/// A file at an address, read sequentially in growing ranges.
pub(crate) struct RemoteFile {
    place: RemotePlace,
    length: u64,
    at: u64,
    /// Bytes that were received, with the offset at which they begin.
    held: (u64, bytes::Bytes),
    next: u64,
    transfer: Arc<Transfer>,
}

impl RemoteFile {
    /// Opens a file. `transfer` counts what is read.
    pub(crate) fn open(address: &str, transfer: Arc<Transfer>) -> io::Result<Self> {
        let place = RemotePlace::of(address)?;
        let length = place.head()?.size;
        transfer.add(0);
        Ok(Self { place, length, at: 0, held: (0, bytes::Bytes::new()), next: FIRST, transfer })
    }

    /// The bytes in memory from the current position on.
    fn rest(&self) -> &[u8] {
        let (begins, bytes) = &self.held;
        let from = self.at.checked_sub(*begins).and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| bytes.get(from..)).unwrap_or_default()
    }
}

impl Read for RemoteFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest().is_empty() && self.at < self.length {
            let follows = self.held.0 + self.held.1.len() as u64 == self.at;
            self.next = if follows { (self.next * 2).min(MOST) } else { FIRST };
            let range = self.at..(self.at + self.next).min(self.length);
            self.held = (self.at, self.place.range(range)?);
            self.transfer.add(self.held.1.len());
            if self.held.1.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has shrunk"));
            }
        }
        let count = (&mut self.rest()).read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(to) => Some(to),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        self.at = to.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

/// Plans the requests for listed records: joins neighbours with small gaps, and splits long ranges.
fn ranges_of(records: &[RecordAt]) -> Vec<Range<u64>> {
    let mut joined: Vec<(Range<u64>, u64)> = Vec::new();
    for &RecordAt { offset, length } in records.iter().filter(|record| record.length > 0) {
        let end = offset.saturating_add(length);
        if let Some((range, between)) = joined.last_mut() {
            let gap = *between + offset.saturating_sub(range.end);
            let whole = end.max(range.end) - range.start;
            if gap.saturating_mul(BETWEEN) <= whole && (whole <= PART || offset < range.end) {
                range.end = range.end.max(end);
                *between = gap;
                continue;
            }
        }
        joined.push((offset..end, 0));
    }
    let parts = |(range, _): (Range<u64>, u64)| {
        let starts = (range.start..range.end).step_by(PART as usize);
        starts.map(move |start| start..start.saturating_add(PART).min(range.end))
    };
    joined.into_iter().flat_map(parts).collect()
}

/// Listed records of a file at an address, requested ahead in their order. A read that has to wait long is interrupted
/// ([`io::ErrorKind::Interrupted`]), so that its caller can stop. If a request fails, reading its range is an error, but the
/// ranges after it can be read.
pub(crate) struct RemoteRecords {
    place: RemotePlace,
    waiting: VecDeque<Range<u64>>,
    asked: VecDeque<(Range<u64>, JoinHandle<object_store::Result<bytes::Bytes>>)>,
    held: (Range<u64>, Result<bytes::Bytes, (io::ErrorKind, String)>),
    at: u64,
    transfer: Arc<Transfer>,
}

impl RemoteRecords {
    /// Opens records of a file, which must be sorted by position. `transfer` counts what is read.
    pub(crate) fn open(
        address: &str,
        records: &[RecordAt],
        transfer: Arc<Transfer>,
    ) -> io::Result<Self> {
        Ok(Self {
            place: RemotePlace::of(address)?,
            waiting: ranges_of(records).into(),
            asked: VecDeque::new(),
            held: (0..0, Ok(bytes::Bytes::new())),
            at: 0,
            transfer,
        })
    }

    /// Sends further requests, and waits a short time for the response to the oldest one.
    fn advance(&mut self) -> io::Result<()> {
        let runtime = runtime()?;
        while self.asked.len() < AT_ONCE
            && let Some(range) = self.waiting.pop_front()
        {
            let (store, key) = (Arc::clone(&self.place.store), self.place.key.clone());
            let wanted = range.clone();
            let asked = runtime.spawn(async move { store.get_range(&key, wanted).await });
            self.asked.push_back((range, asked));
        }
        let Some((range, asked)) = self.asked.front_mut() else {
            return Err(io::Error::other(
                "the records are not listed in the order of their places",
            ));
        };
        let Ok(answer) = runtime.block_on(async { timeout(PATIENCE, asked).await }) else {
            return Err(io::ErrorKind::Interrupted.into());
        };
        let answer = answer.map_err(io::Error::other).and_then(|answer| answer.map_err(failed));
        self.transfer.add(answer.as_ref().map_or(0, bytes::Bytes::len));
        self.held = (range.clone(), answer.map_err(|error| (error.kind(), error.to_string())));
        self.asked.pop_front();
        Ok(())
    }
}

impl Drop for RemoteRecords {
    fn drop(&mut self) {
        self.asked.iter().for_each(|(_, asked)| asked.abort());
    }
}

impl Read for RemoteRecords {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.held.0.contains(&self.at) {
            self.advance()?;
        }
        let (range, answer) = &self.held;
        let bytes = answer.as_ref().map_err(|(kind, why)| io::Error::new(*kind, why.clone()))?;
        let from = usize::try_from(self.at - range.start).unwrap_or(usize::MAX);
        // The file may end before the range.
        let count = bytes.get(from..).unwrap_or_default().read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for RemoteRecords {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(to) = to else { return Err(io::ErrorKind::Unsupported.into()) };
        self.at = to;
        Ok(to)
    }
}

/// A file at an address with random access to its parts.
#[derive(Clone)]
pub(crate) struct RemoteChunks(Arc<Chunks>);

struct Chunks {
    place: RemotePlace,
    length: u64,
    /// The parts that were read last, each with its offset.
    held: Mutex<VecDeque<(u64, bytes::Bytes)>>,
}

impl RemoteChunks {
    pub(crate) fn open(address: &str) -> io::Result<Self> {
        let place = RemotePlace::of(address)?;
        let length = place.head()?.size;
        Ok(Self(Arc::new(Chunks { place, length, held: Mutex::default() })))
    }
}

impl Length for RemoteChunks {
    fn len(&self) -> u64 {
        self.0.length
    }
}

impl ChunkReader for RemoteChunks {
    type T = ChunkRead;

    fn get_read(&self, start: u64) -> parquet::errors::Result<ChunkRead> {
        Ok(ChunkRead { file: self.clone(), at: start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        Ok(self.0.read(start, length)?)
    }
}

impl Chunks {
    fn read(&self, start: u64, length: usize) -> io::Result<bytes::Bytes> {
        let end = start.saturating_add(length as u64);
        if end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let has =
            |(at, bytes): &&(u64, bytes::Bytes)| *at <= start && end <= *at + bytes.len() as u64;
        if let Some((at, bytes)) = held.iter().find(has) {
            let from = (start - at) as usize;
            return Ok(bytes.slice(from..from + length));
        }
        let range = start..end.max(start.saturating_add(WINDOW)).min(self.length);
        let bytes = self.place.range(range)?;
        if bytes.len() < length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has shrunk"));
        }
        held.truncate(WINDOWS - 1);
        held.push_front((start, bytes.clone()));
        Ok(bytes.slice(..length))
    }
}

pub(crate) struct ChunkRead {
    file: RemoteChunks,
    at: u64,
}

impl Read for ChunkRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.file.len().saturating_sub(self.at);
        let count = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        buffer[..count].copy_from_slice(&self.file.0.read(self.at, count)?);
        self.at += count as u64;
        Ok(count)
    }
}

#[derive(Debug, PartialEq, Eq)]
struct AwsProfile {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
}

/// Reads the profile that `AWS_PROFILE` names, or else `default`; `None` if the file or the profile does not exist.
fn aws_profile() -> Option<AwsProfile> {
    let named = std::env::var_os("AWS_SHARED_CREDENTIALS_FILE").map(PathBuf::from);
    let file = named.or_else(|| {
        Some(PathBuf::from(std::env::var_os("HOME")?).join(".aws").join("credentials"))
    })?;
    let name = std::env::var("AWS_PROFILE").unwrap_or_else(|_| "default".to_owned());
    profile_in(&std::fs::read_to_string(file).ok()?, &name)
}

fn profile_in(text: &str, name: &str) -> Option<AwsProfile> {
    let is_own =
        |line: &str| line.strip_prefix('[')?.strip_suffix(']').map(|own| own.trim() == name);
    let mut values = BTreeMap::new();
    let mut within = false;
    for line in text.lines().map(str::trim) {
        if let Some(own) = is_own(line) {
            within = own;
        } else if within && let Some((key, value)) = line.split_once('=') {
            values.insert(key.trim(), value.trim().to_owned());
        }
    }
    Some(AwsProfile {
        access_key_id: values.remove("aws_access_key_id")?,
        secret_access_key: values.remove("aws_secret_access_key")?,
        session_token: values.remove("aws_session_token"),
    })
}

/// Size in bytes above which a file is uploaded in parts, and minimum size of a part.
const UPLOAD_PART: u64 = 8 << 20;
/// Maximum number of parts of an object; S3 allows 10,000.
const UPLOAD_PARTS: u64 = 9_000;
/// Number of small files, or parts of a large file, that are uploaded at a time.
const UPLOADS_AT_ONCE: usize = 8;

/// Media types by the ends of names, for browsers and other programs that read objects.
const TYPES: [(&str, &str); 5] = [
    (".html", "text/html; charset=utf-8"),
    (".json", "application/json"),
    (".jsonl", "application/x-ndjson"),
    (".ndjson", "application/x-ndjson"),
    (".csv", "text/csv; charset=utf-8"),
];

/// Attributes of an object with this name.
fn attributes(key: &Key) -> Attributes {
    let kind = TYPES.into_iter().find(|(end, _)| key.as_ref().ends_with(end));
    kind.map(|(_, kind)| (Attribute::ContentType, kind)).into_iter().collect()
}

#[derive(Debug)]
pub(crate) struct Bucket(RemotePlace);

impl Bucket {
    pub(crate) fn open(address: &str) -> io::Result<Self> {
        RemotePlace::of(address).map(Self)
    }

    fn key(&self, name: &str) -> io::Result<Key> {
        Key::parse(format!("{}/{name}", self.0.key)).map_err(io::Error::other)
    }
}

impl Objects for Bucket {
    fn list(&self) -> io::Result<BTreeMap<String, u64>> {
        let mut found = BTreeMap::new();
        self.0.each_object(|object| {
            let Some(parts) = object.location.prefix_match(&self.0.key) else { return };
            let name: Vec<String> = parts.map(|part| part.as_ref().to_owned()).collect();
            found.insert(name.join("/"), object.size);
        })?;
        Ok(found)
    }

    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        let key = self.key(name)?;
        let get = async { self.0.store.get(&key).await?.bytes().await };
        Ok(runtime()?.block_on(get).map_err(failed)?.to_vec())
    }

    fn put(&self, name: &str, contents: Vec<u8>) -> io::Result<()> {
        let key = self.key(name)?;
        let options = PutOptions::from(attributes(&key));
        let put = self.0.store.put_opts(&key, PutPayload::from(contents), options);
        runtime()?.block_on(put).map(|_| ()).map_err(failed)
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        match runtime()?.block_on(self.0.store.delete(&self.key(name)?)) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    fn upload(
        &self,
        files: &[UploadFile],
        stop: &AtomicBool,
        done: &mut dyn FnMut(&UploadFile),
    ) -> Vec<(String, io::Error)> {
        let runtime = match runtime() {
            Ok(runtime) => runtime,
            Err(error) => return vec![(String::new(), error)],
        };
        runtime.block_on(async {
            let mut problems = Vec::new();
            let (small, large): (Vec<_>, Vec<_>) =
                files.iter().partition(|file| file.bytes <= UPLOAD_PART);
            let mut waiting = small.into_iter().cloned();
            let mut running = JoinSet::new();
            loop {
                while running.len() < UPLOADS_AT_ONCE
                    && !stop.load(Ordering::Relaxed)
                    && let Some(file) = waiting.next()
                {
                    let (store, key) = (Arc::clone(&self.0.store), self.key(&file.name));
                    running.spawn(async move {
                        let outcome = put_file(&*store, key, &file.from).await;
                        (file, outcome)
                    });
                }
                let Some(joined) = running.join_next().await else { break };
                match joined {
                    Ok((file, Ok(()))) => done(&file),
                    Ok((file, Err(error))) => problems.push((file.name, error)),
                    Err(error) => problems.push((String::new(), io::Error::other(error))),
                }
            }
            for file in large {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                match self.put_large(file, stop).await {
                    Ok(true) => done(file),
                    Ok(false) => {}
                    Err(error) => problems.push((file.name.clone(), error)),
                }
            }
            problems.sort_by(|a, b| a.0.cmp(&b.0));
            problems
        })
    }
}

impl Bucket {
    /// Uploads a file in parts. The object appears with the last part. Returns false if `stop` was set: nothing of the
    /// object is kept then.
    async fn put_large(&self, file: &UploadFile, stop: &AtomicBool) -> io::Result<bool> {
        let part = UPLOAD_PART.max(file.bytes.div_ceil(UPLOAD_PARTS));
        let part = usize::try_from(part).map_err(io::Error::other)?;
        let mut from = std::fs::File::open(&file.from)?;
        let key = self.key(&file.name)?;
        let options = PutMultipartOptions::from(attributes(&key));
        let begun = self.0.store.put_multipart_opts(&key, options).await.map_err(failed)?;
        let mut writer = WriteMultipart::new_with_chunk_size(begun, part);
        let mut buffer = vec![0; part];
        loop {
            let step = match writer.wait_for_capacity(UPLOADS_AT_ONCE).await {
                Ok(()) => from.read(&mut buffer),
                Err(error) => Err(failed(error)),
            };
            match step {
                Ok(0) => break,
                Ok(_) if stop.load(Ordering::Relaxed) => {
                    // Parts that cannot be removed are left to the lifecycle rules of the bucket.
                    let _ = writer.abort().await;
                    return Ok(false);
                }
                Ok(count) => writer.write(&buffer[..count]),
                Err(error) => {
                    let _ = writer.abort().await;
                    return Err(error);
                }
            }
        }
        writer.finish().await.map(|_| true).map_err(failed)
    }
}

async fn put_file(store: &dyn ObjectStore, key: io::Result<Key>, from: &Path) -> io::Result<()> {
    let key = key?;
    let contents = std::fs::read(from)?;
    let options = PutOptions::from(attributes(&key));
    store.put_opts(&key, contents.into(), options).await.map(|_| ()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_records_are_asked_for_together() {
        let of = |records: &[(u64, u64)]| {
            let records: Vec<RecordAt> =
                records.iter().map(|&(offset, length)| RecordAt { offset, length }).collect();
            ranges_of(&records)
        };
        let one: [Range<u64>; 1] = [100..300];
        assert_eq!(of(&[(100, 100), (200, 100)]), one);
        assert_eq!(of(&[(100, 90), (210, 90)]), one, "a tenth between them");
        assert_eq!(of(&[(100, 50), (250, 50)]), [100..150, 250..300]);
        assert_eq!(of(&[(100, 200), (150, 50)]), one, "one within the other");
        assert_eq!(
            of(&[(0, PART + 5), (PART + 5, 5)]),
            [0..PART, PART..PART + 5, PART + 5..PART + 10]
        );
        assert_eq!(of(&[(7, 0)]), [0..0; 0]);
        assert_eq!(of(&[(u64::MAX - 1, 9)]), [u64::MAX - 1..u64::MAX]);
        // With many gaps, too, few bytes are read in vain.
        let many: Vec<(u64, u64)> = (0..1_000).map(|n| (n * 1_100, 1_000)).collect();
        let fetched: u64 = of(&many).iter().map(|range| range.end - range.start).sum();
        assert!(fetched < 1_000_000 * 8 / 7 && of(&many).len() < 10);
    }

    #[test]
    fn profiles_are_read_by_name() {
        let text = "[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n[ other ]\n\
                    aws_access_key_id = C\naws_secret_access_key = D=\naws_session_token = E\n[none]\n";
        let profile =
            |name| profile_in(text, name).map(|own| (own.access_key_id, own.secret_access_key));
        assert_eq!(profile("default"), Some(("A".to_owned(), "B".to_owned())));
        assert_eq!(profile("other"), Some(("C".to_owned(), "D=".to_owned())));
        assert_eq!(profile_in(text, "other").unwrap().session_token.as_deref(), Some("E"));
        assert_eq!((profile("none"), profile("nobody")), (None, None));
    }
}
