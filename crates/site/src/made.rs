//! Outputs of the steps by site: results of small sites, models of large sites, and outcomes of their pages.

use std::collections::{BTreeMap, HashMap};
use std::io;

use model::{CharacterCounts, Extracted, SiteResult, WrittenSiteConfig};
use rustc_hash::FxBuildHasher;
use segment::file::StepFile;
use segment::file::{RowKind, decoded, hash_of, unpacked};
use segment::stored::StoredPage;
use sitemodel::SiteModel;

use super::night::Decided;
use crate::apply::{Findings, PageFinding, Unassigned};

/// Position of a row: the number of its file, and its number in the file.
#[derive(Clone, Copy, Debug)]
pub struct RowPlace {
    file: u32,
    row: u32,
}

#[derive(Debug, Default)]
struct SiteRowPlaces {
    /// Parts of the site's result, by number.
    results: BTreeMap<u64, RowPlace>,
    models: BTreeMap<u64, RowPlace>,
    decided: Option<RowPlace>,
    site_configs: Option<RowPlace>,
    /// Outcomes of pages by the id of the page, for each of the two rounds.
    found: [HashMap<u64, (RowKind, RowPlace), FxBuildHasher>; 2],
}

/// Outputs of the steps for some sites.
#[derive(Debug, Default)]
pub struct StepOutputs {
    files: Vec<StepFile>,
    sites: BTreeMap<(u64, String), SiteRowPlaces>,
    /// Positions of the instructions of the last round of learning, with their sites, by the id of a page's row.
    pub instructions: BTreeMap<u64, Vec<(String, RowPlace)>>,
}

impl StepOutputs {
    /// Lists the rows that files have of the wanted sites. `wants` is given the hash of a site's key.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn list(
        learnt: Vec<StepFile>,
        applied: Vec<StepFile>,
        wants: &dyn Fn(u64) -> bool,
    ) -> io::Result<Self> {
        let mut made = Self::default();
        let last = learnt.iter().map(|file| file.identity().round).max();
        for file in learnt.into_iter().chain(applied) {
            let number = u32::try_from(made.files.len()).map_err(io::Error::other)?;
            let round = usize::from(file.identity().round == 2);
            let is_last = Some(file.identity().round) == last;
            let Self { sites, instructions, .. } = &mut made;
            let is_wanted = |kind, hash| wants(hash) && (kind != RowKind::Order || is_last);
            file.each(false, &is_wanted, &mut |row| {
                let place = RowPlace { file: number, row: row.number };
                if row.kind == RowKind::Order {
                    instructions.entry(row.id).or_default().push((row.site, place));
                    return Ok(());
                }
                let site = sites.entry((hash_of(&row.site), row.site)).or_default();
                match row.kind {
                    RowKind::Result => drop(site.results.insert(row.id, place)),
                    RowKind::Model => drop(site.models.insert(row.id, place)),
                    RowKind::Decided => site.decided = Some(place),
                    RowKind::SiteConfigs => site.site_configs = Some(place),
                    kind => drop(site.found[round].insert(row.id, (kind, place))),
                }
                Ok(())
            })?;
            made.files.push(file);
        }
        Ok(made)
    }

    /// Whether a site with this hash has a model, that is, is a large site.
    pub fn has_model(&self, hash: u64) -> bool {
        let of_hash = self.sites.range((hash, String::new())..);
        of_hash.take_while(|((own, _), _)| *own == hash).any(|(_, rows)| !rows.models.is_empty())
    }

    /// Returns the outputs for a site.
    ///
    /// # Errors
    /// If there are none.
    pub fn of_site<'a>(&'a self, key: &'a str) -> io::Result<SiteStepOutputs<'a>> {
        let rows = self.sites.get(&(hash_of(key), key.to_owned()));
        let nothing = || {
            io::Error::other(format!(
                "nothing was learnt of {key}: a file of `sitegrove learn` is missing"
            ))
        };
        Ok(SiteStepOutputs { made: self, key, rows: rows.ok_or_else(nothing)? })
    }

    /// Hashes and keys of all sites, in the order of outputs.
    pub fn sites(&self) -> impl Iterator<Item = &(u64, String)> {
        self.sites.keys()
    }

    /// Whether the site with this key is a large site.
    pub fn is_large(&self, key: &str) -> bool {
        self.sites.get(&(hash_of(key), key.to_owned())).is_some_and(|rows| !rows.models.is_empty())
    }

    /// Hashes of the keys of large sites.
    pub fn large_sites(&self) -> impl Iterator<Item = u64> {
        self.sites.iter().filter(|(_, rows)| !rows.models.is_empty()).map(|((hash, _), _)| *hash)
    }

    /// Reads a row.
    ///
    /// # Errors
    /// If the row is damaged.
    pub fn record(&self, place: RowPlace) -> io::Result<Vec<u8>> {
        self.files[place.file as usize].record(place.row)
    }
}

/// Outputs of the steps for one site.
#[derive(Clone, Copy, Debug)]
pub struct SiteStepOutputs<'a> {
    made: &'a StepOutputs,
    key: &'a str,
    rows: &'a SiteRowPlaces,
}

impl SiteStepOutputs<'_> {
    /// Whether the site is large, so that there is a model of it.
    pub fn is_large(&self) -> bool {
        !self.rows.models.is_empty()
    }

    /// The parts of its result, if it is a small site.
    pub fn results(&self) -> impl Iterator<Item = io::Result<(usize, SiteResult)>> {
        self.rows
            .results
            .iter()
            .map(|(number, place)| Ok((*number as usize, unpacked(&self.made.record(*place)?)?)))
    }

    /// Returns the model after a round. If the second round added nothing, this is the model of the first.
    ///
    /// # Errors
    /// If there is no model, or it is damaged.
    pub fn model(&self, round: u64) -> io::Result<SiteModel> {
        let last = self.rows.models.range(..=round).next_back();
        let (_, place) = last.ok_or_else(|| self.missing("its model"))?;
        SiteModel::from_bytes(&self.made.record(*place)?).map_err(io::Error::other)
    }

    /// Returns what becomes of unassigned pages, and what the store is to keep of the night.
    ///
    /// # Errors
    /// If that is missing or damaged.
    pub fn decided(&self) -> io::Result<Decided> {
        let place = self.rows.decided.ok_or_else(|| self.missing("what was decided"))?;
        unpacked(&self.made.record(place)?)
    }

    pub(crate) fn site_configs(&self) -> io::Result<Vec<WrittenSiteConfig>> {
        match self.rows.site_configs {
            Some(place) => decoded(&self.made.record(place)?),
            None => Ok(Vec::new()),
        }
    }

    fn place(&self, page: &StoredPage, round: usize) -> io::Result<(RowKind, RowPlace)> {
        let id = page.id();
        let found = self.rows.found[..round].iter().rev().find_map(|round| round.get(&id));
        found.copied().ok_or_else(|| self.missing(&page.head.url))
    }

    /// Returns the kind of outcome that a page had in the first round.
    ///
    /// # Errors
    /// If it is missing.
    pub fn kind(&self, page: &StoredPage) -> io::Result<RowKind> {
        Ok(self.place(page, 1)?.0)
    }

    /// Returns the outcome of a page after a round, the first or the second.
    ///
    /// # Errors
    /// If that is missing or damaged.
    pub fn found(&self, page: &StoredPage, round: usize) -> io::Result<PageFinding> {
        unpacked(&self.made.record(self.place(page, round)?.1)?)
    }

    /// Returns the outcomes of pages: those of the first round, or the final ones.
    pub(crate) fn findings(
        &self,
        pages: &[usize],
        of: &[StoredPage],
        then: Unassigned,
    ) -> io::Result<Findings> {
        let round = if then == Unassigned::Wait { 1 } else { 2 };
        pages.iter().map(|&page| Ok((page, self.found(&of[page], round)?))).collect()
    }

    pub(crate) fn captures(
        &self,
        captures: Vec<(usize, StoredPage)>,
    ) -> io::Result<Vec<(Extracted, CharacterCounts)>> {
        let mut articles = Vec::new();
        for (_, capture) in captures {
            let applied = self.found(&capture, 2)?.applied;
            let article = applied.outcome.into_article();
            articles.extend(article.map(|article| (article, applied.characters)));
        }
        Ok(articles)
    }

    fn missing(&self, what: &str) -> io::Error {
        let site = self.key;
        io::Error::other(format!(
            "of {site}, {what} is missing: a file of `sitegrove apply` or `sitegrove learn` is not named"
        ))
    }
}
