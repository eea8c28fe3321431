//! Writes objects to `s3://`: small files in one request, large ones in parts.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions,
    PutPayload, WriteMultipart,
};
use tokio::task::JoinSet;

use super::{RemotePlace, failed, runtime};
use crate::objects::{Objects, UploadFile};

/// Size in bytes above which a file is uploaded in parts, and minimum size of a part.
const PART: u64 = 8 << 20;
/// Maximum number of parts of an object; S3 allows 10,000.
const PARTS: u64 = 9_000;
/// Number of small files, or parts of a large file, that are uploaded at a time.
const AT_ONCE: usize = 8;

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
                files.iter().partition(|file| file.bytes <= PART);
            let mut waiting = small.into_iter().cloned();
            let mut running = JoinSet::new();
            loop {
                while running.len() < AT_ONCE
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
        let part = PART.max(file.bytes.div_ceil(PARTS));
        let part = usize::try_from(part).map_err(io::Error::other)?;
        let mut from = std::fs::File::open(&file.from)?;
        let key = self.key(&file.name)?;
        let options = PutMultipartOptions::from(attributes(&key));
        let begun = self.0.store.put_multipart_opts(&key, options).await.map_err(failed)?;
        let mut writer = WriteMultipart::new_with_chunk_size(begun, part);
        let mut buffer = vec![0; part];
        loop {
            let step = match writer.wait_for_capacity(AT_ONCE).await {
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
