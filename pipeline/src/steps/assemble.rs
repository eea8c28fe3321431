//! The results of sites, put together from what steps wrote: those of small sites, and what came of the pages of large
//! ones.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail, ensure};
use model::{CharacterCounts, Extracted, SiteConfigFile, SiteResult};
use modelstore::Store;
use sitemodel::{Outcome, SiteModel};

use super::crawl::Crawl;
use super::files::Files;
use super::identity::Share;
use super::made::{Made, SiteMade};
use super::row::{Kind, hash_of};
use crate::config::Config;
use crate::progress::ledger::Clock;
use crate::progress::observer::Observer;
use crate::shuffle::partition::StoredSite;
use crate::shuffle::spool::Spool;
use crate::shuffle::stored::Stored;
use crate::site::{Begun, Hand, Work};
use crate::stages::apply::{Applying, Findings, Unassigned};
use crate::stages::learn::Surveyed;

/// A share of the sites of a crawl, of which all that steps wrote is there.
pub(super) struct Assembly<'a> {
    pub(super) config: &'a Config,
    pub(super) share: Share,
    pub(super) stop: &'a AtomicBool,
    pub(super) clock: &'a Clock,
    pub(super) observer: &'a dyn Observer,
}

/// Takes a part of the result of a site, by its number.
pub(super) type TakePart<'a> = dyn FnMut(usize, SiteResult) -> Result<()> + 'a;

impl Assembly<'_> {
    /// Opens what steps wrote. What does not fit into memory is kept in `folder`.
    ///
    /// # Errors
    /// If files are missing or cannot be read.
    pub(super) fn open(&self, files: Files, folder: &Path) -> Result<(Made, Crawl)> {
        let rounds = files.learnt.iter().map(|file| file.identity().round).max().unwrap_or(1);
        if has_large(&files)? || rounds == 2 {
            for round in 1..=2 {
                files.check_learnt(round)?;
                files.check_applied(round)?;
            }
        }
        let Files { surveys, learnt, applied, .. } = files;
        let made = Made::list(learnt, applied, &|hash| self.share.has(hash))
            .context("cannot read what was learnt and applied")?;
        let has_model = |hash| made.has_model(hash);
        let crawl =
            Crawl::read(surveys, &has_model, self.share, folder, self.config, self.observer)
                .context("cannot read the surveys")?;
        Ok((made, crawl))
    }

    /// Hands over the results of all sites, in the order of outputs.
    ///
    /// # Errors
    /// If something is missing or cannot be read, or `take` fails.
    pub(super) fn each(
        &self,
        crawl: &mut Crawl,
        made: &Made,
        store: Option<&Store>,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let mut expected = crawl.sites.clone();
        expected.retain(|&hash| self.share.has(hash));
        self.observer.processing(expected.len(), crawl.pages as usize);
        let mut take = |part: usize, result: SiteResult| {
            self.observer.site_done(&result.site, result.pages);
            take(part, result)
        };
        let mut found = 0;
        let mut large: Vec<StoredSite> = Vec::new();
        crawl.each_site(&|hash| made.has_model(hash), &mut |site| {
            large.push(site);
            Ok(())
        })?;
        let mut large = large.into_iter().peekable();
        for (hash, key) in made.sites() {
            if self.stop.load(Ordering::Relaxed) {
                bail!(crate::run::Stopped::Empty);
            }
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
            self.large(site, of_site, &crawl.spool, store, &mut take)?;
        }
        ensure!(
            found >= expected.len(),
            "{} sites were learnt, and {} are in the surveys: a file of `sitegrove learn` is missing",
            found,
            expected.len()
        );
        Ok(())
    }

    /// The result of a large site, in the parts in which a run has it.
    fn large(
        &self,
        site: StoredSite,
        made: SiteMade<'_>,
        spool: &Spool,
        store: Option<&Store>,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let settings = &self.config.settings();
        let at_once = site.weight() <= self.config.run.batch_bytes;
        let key = site.key.clone();
        let (mut work, items) = Work::of(site, spool, store, self.config, settings, self.clock);
        let mut failed = None;
        let mut hand = Merged(made);
        let mut hand_over = |part, result| match take(part, result) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        let heads = work.needed_heads(&items);
        let worked = heads.and_then(|heads| match at_once {
            true => work.whole(&mut hand, items, heads, &mut hand_over),
            false => work.in_batches(&mut hand, items, heads, 0, &mut hand_over),
        });
        worked.with_context(|| format!("cannot merge what came of {key}"))?;
        failed.map_or(Ok(()), Err)
    }
}

/// Whether there is a large site.
fn has_large(files: &Files) -> Result<bool> {
    let mut has = false;
    for file in files.learnt.iter().filter(|file| file.identity().round == 1) {
        file.each(false, &|kind, _| kind == Kind::Model, &mut |_| {
            has = true;
            Ok(())
        })?;
    }
    Ok(has)
}

/// A site whose pages other processes applied models to.
struct Merged<'a>(SiteMade<'a>);

impl Hand for Merged<'_> {
    fn begin(&mut self, work: &Work<'_>, site: &mut Surveyed) -> io::Result<Begun> {
        work.begun_elsewhere(site)?;
        Ok(Begun::elsewhere(self.0.model(1)?, self.0.decided()?))
    }

    fn apply(
        &mut self,
        work: &Work<'_>,
        _: &Applying<'_>,
        pages: &[usize],
        then: Unassigned,
    ) -> io::Result<Findings> {
        let found = |&page: &usize| {
            let stored = &work.pages[page];
            let found = match then {
                Unassigned::Wait => self.0.found(stored)?,
                Unassigned::Alone => self.0.found_last(stored)?,
            };
            Ok((page, found))
        };
        pages.iter().map(found).collect()
    }

    fn learn_further(
        &mut self,
        _: &Work<'_>,
        _: &Surveyed,
        _: &[usize],
        _: &SiteModel,
    ) -> io::Result<SiteModel> {
        self.0.model(2)
    }

    fn captures(
        &mut self,
        _: &Work<'_>,
        _: &Applying<'_>,
        captures: Vec<(usize, Stored)>,
    ) -> io::Result<Vec<(Extracted, CharacterCounts)>> {
        let mut articles = Vec::new();
        for (_, capture) in captures {
            let applied = self.0.found_last(&capture)?.applied;
            if let Outcome::Article(article) = applied.outcome {
                articles.push((*article, applied.characters));
            }
        }
        Ok(articles)
    }

    fn site_configs(&mut self, _: &Work<'_>, _: &Applying<'_>) -> io::Result<Vec<SiteConfigFile>> {
        self.0.site_configs()
    }
}
