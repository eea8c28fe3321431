//! The records of a site in a run folder.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use grouping::site_key;
use model::{Article, Origin};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sink::{SiteRecord, TemplateRecord, site_file_name};

use crate::commands::nearest::no_site;
use crate::progress::ledger::Ledger;
use crate::results::{LineFile, Results, unlike};

/// The records of one site.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) site: String,
    pub(super) ledger: Arc<Ledger>,
    pub(super) templates: Vec<TemplateRecord>,
    pub(super) articles: Vec<Article>,
    pub(super) drops: Vec<DropLine>,
}

/// A line of `dropped.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct DropLine {
    pub(super) stage: String,
    pub(super) reason: String,
    pub(super) url: String,
    pub(super) detail: String,
    pub(super) origin: Origin,
}

/// The fields of a line that determine its site.
#[derive(Deserialize)]
pub(super) struct OfSite {
    site: String,
    pub(super) url: String,
    pub(super) origin: Origin,
}

impl OfSite {
    /// The site; for drops before grouping, that of the address.
    pub(super) fn key(&self) -> String {
        let own = if self.site.is_empty() { site_key(&self.url) } else { None };
        own.unwrap_or_else(|| self.site.clone())
    }
}

impl Records {
    /// Reads the records of a site, given by its key, its host or an address.
    ///
    /// # Errors
    /// If the folder contains no finished run, the run has no such site (similar names are suggested), or a
    /// file cannot be read.
    pub(super) fn read(folder: &Path, named: &str) -> Result<Self> {
        let run = Results::open(folder)?;
        let (site, templates) = site_of_run(&run, folder, named)?;
        let of_site = |line: &OfSite| line.key() == site;
        let articles = lines(&run.articles()?, &of_site)?;
        let drops = lines(&run.dropped(), &of_site)?;
        Ok(Self { site, ledger: Arc::clone(run.ledger()), templates, articles, drops })
    }
}

/// The requested site, with its templates.
fn site_of_run(run: &Results, folder: &Path, named: &str) -> Result<(String, Vec<TemplateRecord>)> {
    let wrappers = run.wrappers();
    let host = named.trim_end_matches('/');
    let meant = [Some(named.to_owned()), site_key(named), site_key(&format!("http://{host}/"))];
    for site in meant.into_iter().flatten() {
        let path = wrappers.join(format!("{}.json", site_file_name(&site)));
        if path.is_file() {
            return read_site(&path);
        }
    }
    let sites = sites_of(&wrappers)?;
    Err(no_site(folder, named, &sites).into())
}

/// A site's key and templates from its wrapper file.
pub(super) fn read_site(path: &Path) -> Result<(String, Vec<TemplateRecord>)> {
    let found: SiteRecord = json(path)?;
    Ok((found.site, found.templates))
}

/// The keys of all sites of the run in a folder, sorted.
///
/// # Errors
/// If it contains no finished run.
pub(super) fn sites(folder: &Path) -> Result<Vec<String>> {
    sites_of(&Results::open(folder)?.wrappers())
}

/// The keys of all sites of a run, sorted.
pub(super) fn sites_of(wrappers: &Path) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Named {
        site: String,
    }
    let entries = fs::read_dir(wrappers)
        .with_context(|| format!("cannot read the folder {}", wrappers.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "json"));
    let mut sites: Vec<String> =
        files.filter_map(|path| json::<Named>(&path).ok()).map(|named| named.site).collect();
    sites.sort_unstable();
    Ok(sites)
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let shown = path.display();
    let bytes = fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{shown}: not in the format of this version of sitegrove"))
}

/// The lines of a file that are about the site.
fn lines<T: DeserializeOwned>(
    file: &LineFile,
    of_site: &dyn Fn(&OfSite) -> bool,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    let mut number = 0;
    file.each(|line: OfSite, text| {
        number += 1;
        if of_site(&line) {
            found.push(serde_json::from_str(text).with_context(|| unlike(file.path(), number))?);
        }
        Ok(())
    })?;
    Ok(found)
}
