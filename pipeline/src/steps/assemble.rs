//! Assembles the results of sites from the files of steps: results of small sites, and outcomes of the pages of large ones.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use errors::Stopped;
use model::SiteResult;
use modelstore::Store;
use segment::identity::SiteShare;
use segment::pages::{SegmentPages, StoredSite};
use segment::row::{RowKind, hash_of};
use segment::settle::SettledSites;
use site::Work;
use site::clock::Clock;
use site::large::LargeSite;
use site::made::{SiteStepOutputs, StepOutputs};

use super::files::Files;
use crate::run::RunRequest;
use crate::steps::files::settle_crawl;

/// A share of the sites of a crawl, with all files that steps wrote.
pub(super) struct Assembly<'a> {
    pub(super) request: RunRequest<'a>,
    pub(super) share: SiteShare,
    pub(super) clock: &'a Clock,
}

/// Takes part number N of the result of a site.
type TakePart<'a> = dyn FnMut(usize, SiteResult) -> Result<()> + 'a;

impl Assembly<'_> {
    /// Opens the files of steps. Data that does not fit into memory is spilled to `folder`.
    pub(super) fn open(&self, files: Files, folder: &Path) -> Result<(StepOutputs, SettledSites)> {
        let rounds = files.learnt.iter().map(|file| file.identity().round).max().unwrap_or(1);
        if has_large(&files)? || rounds == 2 {
            for round in 1..=2 {
                files.check_learnt(round)?;
                files.check_applied(round)?;
            }
        }
        let Files { surveys, learnt, applied, .. } = files;
        let made = StepOutputs::list(learnt, applied, &|hash| self.share.has(hash))
            .context("cannot read what was learnt and applied")?;
        let is_wanted = |hash| self.share.has(hash);
        let sites = settle_crawl(surveys, &is_wanted, folder, self.request)
            .context("cannot read the surveys")?;
        Ok((made, sites))
    }

    /// Passes on the results of all sites in the order of outputs.
    pub(super) fn each(
        &self,
        sites: &mut SettledSites,
        made: &StepOutputs,
        store: Option<&Store>,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let SettledSites { pages, of_sites, hashes, totals, .. } = sites;
        let mut expected = hashes.clone();
        expected.retain(|&hash| self.share.has(hash));
        self.request.observer.processing(expected.len(), totals.wanted_pages as usize);
        let mut take = |part: usize, result: SiteResult| {
            self.request.observer.site_done(&result.site, result.pages);
            take(part, result)
        };
        let mut found = 0;
        let mut large: Vec<StoredSite> = Vec::new();
        pages.each_site(of_sites, &|hash| made.has_model(hash), &mut |site| {
            large.push(site);
            Ok(ControlFlow::Continue(()))
        })?;
        let mut large = large.into_iter().peekable();
        for (hash, key) in made.sites() {
            Stopped::check(self.request.stop)?;
            ensure!(
                expected.binary_search(hash).is_ok(),
                "{key} was learnt, but is in none of the surveys"
            );
            found += 1;
            let of_site = made.of_site(key)?;
            if !of_site.is_large() {
                for result in of_site.results() {
                    let (part, result) =
                        result.with_context(|| format!("cannot read the result of {key}"))?;
                    take(part, result)?;
                }
                continue;
            }
            // Sites of one hash may be small.
            while large.next_if(|site| (hash_of(&site.key), &site.key) < (*hash, key)).is_some() {}
            let Some(site) = large.next_if(|site| site.key == *key) else {
                bail!("{key} was learnt, but is in none of the surveys");
            };
            self.large(site, of_site, pages, store, &mut take)?;
        }
        ensure!(
            found >= expected.len(),
            "{} sites were learnt, and {} are in the surveys: a file of `sitegrove learn` is missing",
            found,
            expected.len()
        );
        Ok(())
    }

    fn large(
        &self,
        site: StoredSite,
        made: SiteStepOutputs<'_>,
        pages: &SegmentPages,
        store: Option<&Store>,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let settings = &self.request.config.settings();
        let at_once = site.weight() <= self.request.config.run.batch_bytes;
        let key = site.key.clone();
        let (mut work, items) =
            Work::of(site, pages, store, self.request.config, settings, self.clock);
        let mut failed = None;
        let mut hand_over = |part, result| match take(part, result) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        let worked = match at_once {
            true => work.assemble(made, items).map(|result| {
                let _ = hand_over(0, result);
            }),
            false => work.in_batches(&mut LargeSite::FromSteps(made), items, 0, &mut hand_over),
        };
        worked.with_context(|| format!("cannot merge what came of {key}"))?;
        failed.map_or(Ok(()), Err)
    }
}

fn has_large(files: &Files) -> Result<bool> {
    let mut has = false;
    for file in files.learnt.iter().filter(|file| file.identity().round == 1) {
        file.each(false, &|kind, _| kind == RowKind::Model, &mut |_| {
            has = true;
            Ok(())
        })?;
    }
    Ok(has)
}
