//! The records of the sites of a run folder. Of the lines of articles and drops only their places are in memory, so that
//! a run may have many.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use model::SiteSummary;
use report::SiteRecords;

use crate::results::{LineIndex, Results};

pub(in crate::commands) struct RunRecords<'a> {
    run: &'a Results,
    articles: LineIndex,
    drops: LineIndex,
}

impl<'a> RunRecords<'a> {
    pub(in crate::commands) fn find(run: &'a Results, site: Option<&str>) -> Result<Self> {
        let articles = LineIndex::read(run.articles()?, site)?;
        Ok(Self { run, articles, drops: LineIndex::read(run.dropped(), site)? })
    }

    /// For each input file, the address of a page in it.
    pub(in crate::commands) fn addresses(&self) -> BTreeMap<&str, &str> {
        let all = self.articles.addresses.iter().chain(&self.drops.addresses);
        all.map(|(file, url)| (file.as_str(), url.as_str())).collect()
    }

    pub(in crate::commands) fn of_site(&self, site: &str) -> Result<SiteRecords> {
        let SiteSummary { site, templates, .. } = self.run.site_record(site)?;
        let (articles, drops) = (self.articles.lines(&site)?, self.drops.lines(&site)?);
        Ok(SiteRecords { ledger: Arc::clone(self.run.ledger()), templates, articles, drops, site })
    }
}
