//! Wrappers that were written by hand, read from files and found by host.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use sitemodel::site_config::{HostConfig, SiteConfigs};
use wrapper::site_config::{Finding, FixedWrapper, SiteConfig, compile, host_of_file};

use crate::digests::hex;

/// Longest file that is read, in bytes; the longest of 2,000 public ones has some kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// The file whose directives count for all hosts that have a file of their own.
const GLOBAL: &str = "global";

/// A file of the ftr-site-config format, read.
#[derive(Clone, Debug)]
pub struct WrapperFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// The host it is for (`example.com`, or `.example.com` for those below it); `None` if its name
    /// tells none.
    pub host: Option<String>,
    /// The wrapper.
    pub wrapper: FixedWrapper,
    /// What became of each directive.
    pub findings: Vec<Finding>,
    /// SHA-256 of its bytes.
    digest: [u8; 32],
}

impl WrapperFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is too large to be one of the format. What is in it is no error.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let bytes = fs::metadata(path).and_then(|about| match about.len() {
            ..=MAX_BYTES => fs::read(path).map(Some),
            _ => Ok(None),
        });
        let bytes = bytes.with_context(|| format!("cannot read the wrapper file {shown}"))?;
        let Some(bytes) = bytes else {
            bail!("{shown} is longer than {MAX_BYTES} bytes: no wrapper file");
        };
        let (wrapper, findings) = compile(&SiteConfig::parse(&String::from_utf8_lossy(&bytes)));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            path: path.to_owned(),
            host: host_of_file(&name),
            wrapper,
            findings,
            digest: Sha256::digest(&bytes).into(),
        })
    }

    /// Whether its directives are for all hosts.
    pub fn is_global(&self) -> bool {
        self.host.as_deref() == Some(GLOBAL)
    }
}

/// Reads files, and the `.txt` files of folders, in the order named and there by name.
///
/// # Errors
/// If a path is not there or cannot be read, or there is no file.
pub fn read_files(paths: &[PathBuf]) -> Result<Vec<WrapperFile>> {
    let mut files = Vec::new();
    for path in paths {
        let shown = path.display();
        if !path.is_dir() {
            files.push(WrapperFile::read(path)?);
            continue;
        }
        let entries =
            fs::read_dir(path).with_context(|| format!("cannot read the folder {shown}"))?;
        let mut inside: Vec<PathBuf> = entries
            .map(|entry| {
                Ok(entry.with_context(|| format!("cannot read the folder {shown}"))?.path())
            })
            .collect::<Result<_>>()?;
        inside.retain(|file| file.extension().is_some_and(|e| e == "txt") && file.is_file());
        inside.sort();
        if inside.is_empty() {
            bail!("there is no wrapper file (HOST.txt) in the folder {shown}");
        }
        for file in inside {
            files.push(WrapperFile::read(&file)?);
        }
    }
    Ok(files)
}

/// Orders files by host. Of two files for a host the later one counts. What `global.txt` says is added to
/// the others; alone it counts for nobody.
pub fn site_configs_of(files: &[WrapperFile]) -> SiteConfigs {
    let mut by_host: BTreeMap<String, &WrapperFile> = BTreeMap::new();
    for file in files {
        if let Some(host) = &file.host {
            by_host.insert(host.clone(), file);
        }
    }
    let mut digest = Sha256::new();
    for (host, file) in &by_host {
        digest.update(host.as_bytes());
        digest.update([0]);
        digest.update(file.digest);
    }
    let global = by_host.remove(GLOBAL);
    let config = |(host, file): (String, &WrapperFile)| {
        let mut wrapper = file.wrapper.clone();
        if let Some(global) = global {
            wrapper.extend(&global.wrapper);
        }
        HostConfig { host, wrapper }
    };
    SiteConfigs::new(by_host.into_iter().map(config), hex(&digest.finalize()))
}
