//! The records of the sites of a run folder. Of the lines of articles and drops only their places are in memory, so that
//! a run may have many.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use grouping::site_key;
use model::{Origin, SiteSummary};
use report::{SiteRecords, foreign_line};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::results::lines::{self, LinesPlace};
use crate::results::{LineFile, Results};

#[derive(Deserialize)]
struct LineSite {
    site: String,
    url: String,
    origin: Origin,
}

impl LineSite {
    /// The site; for drops before grouping, that of the address.
    fn key(&self) -> String {
        let own = if self.site.is_empty() { site_key(&self.url) } else { None };
        own.unwrap_or_else(|| self.site.clone())
    }
}

pub(super) struct RunRecords<'a> {
    run: &'a Results,
    articles: LineIndex,
    drops: LineIndex,
}

impl<'a> RunRecords<'a> {
    pub(super) fn find(run: &'a Results, site: Option<&str>) -> Result<Self> {
        let articles = LineIndex::read(run.articles()?, site)?;
        Ok(Self { run, articles, drops: LineIndex::read(run.dropped(), site)? })
    }

    /// For each input file, the address of a page in it.
    pub(super) fn addresses(&self) -> BTreeMap<&str, &str> {
        let all = self.articles.addresses.iter().chain(&self.drops.addresses);
        all.map(|(file, url)| (file.as_str(), url.as_str())).collect()
    }

    pub(super) fn of_site(&self, site: &str) -> Result<SiteRecords> {
        let SiteSummary { site, templates, .. } = self.run.site_record(site)?;
        let (articles, drops) = (self.articles.lines(&site)?, self.drops.lines(&site)?);
        Ok(SiteRecords { ledger: Arc::clone(self.run.ledger()), templates, articles, drops, site })
    }
}

/// The places of each site's lines in a file.
struct LineIndex {
    file: LineFile,
    places: BTreeMap<String, Vec<LinesPlace>>,
    /// For each input file, the address of a page in it.
    addresses: BTreeMap<String, String>,
}

impl LineIndex {
    fn read(file: LineFile, only: Option<&str>) -> Result<Self> {
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

    fn lines<T: DeserializeOwned>(&self, site: &str) -> Result<Vec<T>> {
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
