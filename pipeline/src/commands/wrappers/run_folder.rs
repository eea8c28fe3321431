//! Reads the wrappers and articles of a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use grouping::site_key;
use model::SiteSummary;

use crate::commands::nearest::no_site;
use crate::results::Results;

/// Schema of the files that this version reads.
const SCHEMA: u32 = sink::SCHEMA;

/// The site files of a run folder, by site. If sites are given (by key, host or address), only
/// those.
///
/// # Errors
/// If the folder contains no finished run, a site is not in it, or a file cannot be read.
pub(super) fn sites(run: &Path, named: &[String]) -> Result<Vec<SiteSummary>> {
    let folder = Results::open(run)?.wrappers();
    let entries = fs::read_dir(&folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let mut by_site: BTreeMap<String, SiteSummary> = BTreeMap::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|e| e == "json") {
            let site = read(&path)?;
            by_site.insert(site.site.clone(), site);
        }
    }
    if named.is_empty() {
        return Ok(by_site.into_values().collect());
    }
    let known: Vec<String> = by_site.keys().cloned().collect();
    let one = |name: &String| {
        let bare = name.trim_end_matches('/');
        let meant = [Some(bare.to_owned()), site_key(name), site_key(&format!("http://{bare}/"))];
        let found = meant.into_iter().flatten().find_map(|key| by_site.remove(&key));
        found.ok_or_else(|| no_site(run, name, &known).into())
    };
    named.iter().map(one).collect()
}

fn read(path: &Path) -> Result<SiteSummary> {
    let shown = path.display();
    let bytes = fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let site: SiteSummary = serde_json::from_slice(&bytes)
        .with_context(|| format!("{shown}: not in the format of this version of sitegrove"))?;
    if site.schema.0 != SCHEMA {
        bail!("{shown} has schema {}; this version reads schema {SCHEMA}", site.schema.0);
    }
    Ok(site)
}
