//! Indexes a file of JSON lines by site, so that only the places of its lines are in memory.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use grouping::site_key;
use model::Origin;
use report::foreign_line;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::LineFile;
use super::lines::{self, LinesPlace};

/// The fields that determine the site of a line, which is an article, a drop, or the wrappers of a site.
#[derive(Deserialize)]
struct LineSite {
    site: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    origin: Origin,
}

impl LineSite {
    /// Returns the key of the site. For drops before grouping, computes it from the address.
    fn key(&self) -> String {
        let own = if self.site.is_empty() { site_key(&self.url) } else { None };
        own.unwrap_or_else(|| self.site.clone())
    }
}

#[derive(Debug)]
pub(crate) struct LineIndex {
    file: LineFile,
    places: BTreeMap<String, Vec<LinesPlace>>,
    /// For each input file, the address of a page in it.
    pub(crate) addresses: BTreeMap<String, String>,
}

impl LineIndex {
    /// Finds the lines of all sites, or of one.
    pub(crate) fn read(file: LineFile, only: Option<&str>) -> Result<Self> {
        let (mut places, mut addresses) =
            (BTreeMap::<String, Vec<LinesPlace>>::new(), BTreeMap::new());
        let mut number = 0;
        let read = lines::each(file.path(), |place, line| -> Result<()> {
            number += 1;
            let of: LineSite =
                serde_json::from_slice(line).with_context(|| foreign_line(file.path(), number))?;
            let key = of.key();
            if only.is_some_and(|only| only != key) {
                return Ok(());
            }
            let places = places.entry(key).or_default();
            if !places.last_mut().is_some_and(|last| last.join(&place)) {
                places.push(place);
            }
            addresses.entry(of.origin.file.to_string()).or_insert(of.url);
            Ok(())
        });
        read.with_context(|| format!("cannot read {}", file.path().display()))?;
        Ok(Self { file, places, addresses })
    }

    pub(crate) fn sites(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// Reads the lines of a site, in the order of the file.
    pub(crate) fn lines<T: DeserializeOwned>(&self, site: &str) -> Result<Vec<T>> {
        let shown = self.file.path().display();
        let mut found = Vec::new();
        for place in self.places.get(site).into_iter().flatten() {
            let text = lines::at(self.file.path(), place)
                .with_context(|| format!("cannot read {shown}"))?;
            for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                found.push(serde_json::from_slice(line).with_context(|| {
                    format!("{shown}: a line is not in the format of this version of sitegrove")
                })?);
            }
        }
        Ok(found)
    }
}
