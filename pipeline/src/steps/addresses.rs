//! Files of steps at addresses, for clusters without a shared disk. A step reads and writes local files: its inputs are
//! downloaded first, and its output is uploaded as a whole at the end.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use config::files::{address_of, sha256_of};
use errors::{Problem, Stopped};
use input::objects::UploadFile;
use input::source::{addresses_like, objects, open};
use segment::work_folder::WorkFolder;

use crate::run::RunRequest;
use crate::run::target::work_folder;

/// Bytes copied between two checks of the stop flag.
const CHUNK: u64 = 4 << 20;

/// The local files of a step: named ones, and copies of those at addresses.
pub(crate) struct LocalFiles {
    /// The files that the step reads.
    pub(crate) paths: Vec<PathBuf>,
    /// The file that it writes.
    pub(crate) out: PathBuf,
    /// The address to upload it to.
    address: Option<String>,
    /// The folder of the copies, removed on drop.
    _folder: Option<WorkFolder>,
}

impl LocalFiles {
    /// Downloads the files at addresses, including folders and patterns.
    pub(crate) fn fetch(request: RunRequest<'_>, named: &[PathBuf], out: &Path) -> Result<Self> {
        let address = address_of(out);
        let (mut paths, mut out) = (Vec::with_capacity(named.len()), out.to_owned());
        if address.is_none() && named.iter().all(|path| address_of(path).is_none()) {
            paths.extend_from_slice(named);
            return Ok(Self { paths, out, address: None, _folder: None });
        }
        let address = address.map(str::to_owned);
        let all: Vec<_> = named.iter().chain([&out]).map(|own| own.to_string_lossy()).collect();
        let work = work_folder(request.config);
        // A repeated step removes what a killed one left.
        let name = format!(".sitegrove-step-{}", &sha256_of(&all.join("\n"))[..16]);
        let folder = WorkFolder::create(work.join(name))?;
        for path in named {
            match address_of(path) {
                None => paths.push(path.clone()),
                Some(address) => fetch(address, folder.path(), request.stop, &mut paths)
                    .with_context(|| format!("cannot read {address}"))?,
            }
        }
        if let Some(address) = &address {
            let Some((_, name)) = divided(address) else {
                let next = "give one such as s3://BUCKET/steps/NAME.parquet";
                bail!(Problem::new(address, "is not the address of a file", next));
            };
            out = folder.path().join(name);
        }
        Ok(Self { paths, out, address, _folder: Some(folder) })
    }

    /// Uploads the output of the step to its address.
    pub(crate) fn put(self, stop: &AtomicBool) -> Result<()> {
        let Some((above, name)) = self.address.as_deref().and_then(divided) else { return Ok(()) };
        let cannot = || format!("cannot write {above}/{name}");
        let bytes = fs::metadata(&self.out)?.len();
        let file = UploadFile { from: self.out.clone(), name: name.to_owned(), bytes };
        let bucket = objects(above).with_context(cannot)?;
        if let Some((_, error)) = bucket.upload(&[file], stop, &mut |_| ()).into_iter().next() {
            return Err(error).with_context(cannot);
        }
        Stopped::check(stop)?;
        Ok(())
    }
}

/// Splits an address into prefix and object name; `None` if it ends with a slash.
fn divided(address: &str) -> Option<(&str, &str)> {
    address.rsplit_once('/').filter(|(_, name)| !name.is_empty())
}

/// Downloads the files that an address stands for.
fn fetch(address: &str, folder: &Path, stop: &AtomicBool, to: &mut Vec<PathBuf>) -> Result<()> {
    for address in addresses_like(address, &|name| name.ends_with(".parquet"))? {
        let name = address.rsplit('/').next().unwrap_or_default();
        let path = folder.join(format!("{}-{name}", to.len()));
        let mut from = open(Path::new(&address))?;
        let mut file = File::create(&path)?;
        while io::copy(&mut from.by_ref().take(CHUNK), &mut file)? == CHUNK {
            Stopped::check(stop)?;
        }
        file.flush()?;
        to.push(path);
    }
    Ok(())
}
