//! Files of steps at addresses: clusters without a shared disk keep them in a bucket. A step reads and writes local files; they are
//! fetched before it, and what it wrote is put to its address after it, as a whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use config::Config;
use config::files::{address_of, sha256_of};
use errors::{Problem, Stopped};
use input::objects::UploadFile;
use input::source::{addresses_like, objects, open};
use segment::work_folder::WorkFolder;

/// Bytes that are copied between two checks of the stop flag.
const CHUNK: u64 = 4 << 20;

/// Does a step with local files: those of `paths` that are addresses, or folders or patterns of them, are fetched first, and `out`,
/// if it is an address, is written when the step is done. Without addresses, nothing is copied.
///
/// # Errors
/// Those of the step; if a file cannot be fetched or written.
pub(crate) fn with_local_files<T>(
    config: &Config,
    paths: &[PathBuf],
    out: &Path,
    stop: &AtomicBool,
    step: impl FnOnce(&[PathBuf], &Path) -> Result<T>,
) -> Result<T> {
    if address_of(out).is_none() && paths.iter().all(|path| address_of(path).is_none()) {
        return step(paths, out);
    }
    let named: Vec<String> = paths
        .iter()
        .map(PathBuf::as_path)
        .chain([out])
        .map(|own| own.display().to_string())
        .collect();
    let work = match config.run.work.as_os_str().is_empty() {
        true => std::env::temp_dir(),
        false => config.run.work.clone(),
    };
    // The same step again removes what a killed one left.
    let name = format!(".sitegrove-step-{}", &sha256_of(&named.join("\n"))[..16]);
    let folder = WorkFolder::create(work.join(name))?;
    let mut local = Vec::with_capacity(paths.len());
    for path in paths {
        match address_of(path) {
            None => local.push(path.clone()),
            Some(address) => fetch(address, folder.path(), stop, &mut local)
                .with_context(|| format!("cannot read {address}"))?,
        }
    }
    let Some(address) = address_of(out) else { return step(&local, out) };
    let Some((above, name)) = address.rsplit_once('/').filter(|(_, name)| !name.is_empty()) else {
        bail!(Problem::new(
            address,
            "is not the address of a file",
            "give one such as s3://BUCKET/steps/NAME.parquet"
        ));
    };
    let made = folder.path().join(name);
    let done = step(&local, &made)?;
    let bytes = fs::metadata(&made)?.len();
    let file = UploadFile { from: made, name: name.to_owned(), bytes };
    let bucket = objects(above).with_context(|| format!("cannot write {address}"))?;
    if let Some((_, error)) = bucket.upload(&[file], stop, &mut |_| ()).into_iter().next() {
        return Err(error).with_context(|| format!("cannot write {address}"));
    }
    if stop.load(Ordering::Relaxed) {
        bail!(Stopped::Empty);
    }
    Ok(done)
}

/// Fetches the files that an address stands for.
fn fetch(address: &str, folder: &Path, stop: &AtomicBool, to: &mut Vec<PathBuf>) -> Result<()> {
    for address in addresses_like(address, &|name| name.ends_with(".parquet"))? {
        let name = address.rsplit('/').next().unwrap_or_default();
        let path = folder.join(format!("{}-{name}", to.len()));
        let mut from = open(Path::new(&address))?;
        let mut file = File::create(&path)?;
        while io::copy(&mut from.by_ref().take(CHUNK), &mut file)? == CHUNK {
            if stop.load(Ordering::Relaxed) {
                bail!(Stopped::Empty);
            }
        }
        file.flush()?;
        to.push(path);
    }
    Ok(())
}
