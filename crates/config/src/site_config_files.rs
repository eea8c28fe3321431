//! Site configs: read from files, and found by host.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use data_encoding::HEXLOWER;
use model::contain_panics;
use sha2::{Digest, Sha256};
use sitemodel::site_config::{HostConfig, SiteConfigs};
use wrapper::site_config::{CompiledSiteConfig, Finding, SiteConfig, compile, host_of_file};

use crate::files::read_small;

/// Maximum size of a file in bytes. The longest of 2,000 public files has a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// The file whose directives are added to those of every other file.
const GLOBAL: &str = "global";

/// A site config that was read from a file.
#[derive(Clone, Debug)]
pub struct LoadedSiteConfig {
    /// Path of the file.
    pub path: PathBuf,
    /// Host that it applies to (`example.com`, or `.example.com` for its subdomains); `None` if the file name
    /// contains no host.
    pub host: Option<String>,
    /// The wrapper.
    pub wrapper: CompiledSiteConfig,
    /// The finding for each directive.
    pub findings: Vec<Finding>,
    digest: [u8; 32],
}

impl LoadedSiteConfig {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is too large to be a site config. Its contents are never an error.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let bytes = read_small(path, MAX_BYTES)
            .with_context(|| format!("cannot read the site config {shown}"))?;
        let compiled = || compile(&SiteConfig::parse(&String::from_utf8_lossy(&bytes)));
        let (wrapper, findings) = contain_panics(compiled)
            .with_context(|| format!("cannot read the site config {shown}"))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            path: path.to_owned(),
            host: host_of_file(&name),
            wrapper,
            findings,
            digest: Sha256::digest(&bytes).into(),
        })
    }
}

/// Reads files, and the `.txt` files of folders, in the order of `paths`, and within a folder by name.
///
/// # Errors
/// If a path does not exist or cannot be read, or a folder contains no site config.
pub fn read_files(paths: &[PathBuf]) -> Result<Vec<LoadedSiteConfig>> {
    let mut files = Vec::new();
    for path in paths {
        let shown = path.display();
        if !path.is_dir() {
            files.push(LoadedSiteConfig::read(path)?);
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
            bail!("the folder {shown} contains no site config (HOST.txt)");
        }
        for file in inside {
            files.push(LoadedSiteConfig::read(&file)?);
        }
    }
    Ok(files)
}

/// Maps hosts to site configs. If several files are for one host, the last one wins. The directives of
/// `global.txt` are added to those of every other file. That file alone has no effect.
pub fn site_configs_of(files: &[LoadedSiteConfig]) -> SiteConfigs {
    let mut by_host: BTreeMap<String, &LoadedSiteConfig> = BTreeMap::new();
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
    let config = |(host, file): (String, &LoadedSiteConfig)| {
        let mut wrapper = file.wrapper.clone();
        if let Some(global) = global {
            wrapper.extend(&global.wrapper);
        }
        HostConfig { host, wrapper }
    };
    SiteConfigs::new(by_host.into_iter().map(config), HEXLOWER.encode(&digest.finalize()))
}
