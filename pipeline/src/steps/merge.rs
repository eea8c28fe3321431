//! Merge: results of small sites, and what came of the pages of large ones, to a run folder. Its files are those of
//! [`crate::run`] for all inputs of the crawl; the ledger has the times of merging.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use model::{Article, CharacterCounts, Drop, SiteConfigFile, SiteResult};
use sitemodel::{Outcome, SiteModel};

use super::crawl::Crawl;
use super::files::Files;
use super::identity::Share;
use super::made::{Made, SiteMade};
use super::survey::{NO_STORE, beside};
use crate::config::Config;
use crate::progress::ledger::{Clock, Ledger, State};
use crate::progress::tally::{Counted, Tally};
use crate::run::{Report, finish_folder};
use crate::shuffle::partition::StoredSite;
use crate::shuffle::spool::Spool;
use crate::shuffle::stored::Stored;
use crate::site::{Begun, Hand, Work};
use crate::stages::apply::{Applying, Findings, Unassigned};
use crate::stages::emit::Outputs;
use crate::stages::learn::Surveyed;

/// Number of drops without a site that are written at once.
const DROPS_AT_ONCE: usize = 1_024;

/// Writes the run folder of a crawl from all files that its steps wrote, in any order; of a share of its sites, where
/// the results are too many for one process. The first share has what belongs to no site. `overwrite` allows replacing
/// what a run or an earlier merge left there.
///
/// # Errors
/// If files are missing or do not belong together, or cannot be read; if the folder holds something else, or cannot be
/// written.
pub fn merge(
    config: &Config,
    paths: &[PathBuf],
    share: Share,
    overwrite: bool,
    stop: &AtomicBool,
) -> Result<Report> {
    ensure!(config.run.models().is_none(), "{NO_STORE}");
    config.emit.check(&config.run.out)?;
    let files = Files::open(paths, config)?;
    files.check_complete()?;
    files.check_learnt(1)?;
    let out = &config.run.out;
    check_folder(out, overwrite)?;
    let folder = beside(out);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let merged = Merging { config, share, stop, clock: Clock::default(), begun: Instant::now() }
        .merge(files, &folder);
    drop(std::fs::remove_dir_all(&folder));
    merged
}

/// Whether results may be written to a folder: it is new or empty, or holds results that may be replaced.
fn check_folder(out: &std::path::Path, overwrite: bool) -> Result<()> {
    let mut entries = match std::fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", out.display())),
    };
    if entries.next().is_none() {
        return Ok(());
    }
    match (Ledger::read(out).is_some(), overwrite) {
        (true, true) => Ok(()),
        (true, false) => bail!("{} contains a run; --overwrite replaces it", out.display()),
        (false, _) => {
            bail!("{} is not empty and contains no run; name another folder", out.display())
        }
    }
}

struct Merging<'a> {
    config: &'a Config,
    share: Share,
    stop: &'a AtomicBool,
    clock: Clock,
    begun: Instant,
}

impl Merging<'_> {
    fn merge(&self, files: Files, folder: &std::path::Path) -> Result<Report> {
        let config = self.config;
        let rounds = files.learnt.iter().map(|file| file.identity().round).max().unwrap_or(1);
        if has_large(&files)? || rounds == 2 {
            for round in 1..=2 {
                files.check_learnt(round)?;
                files.check_applied(round)?;
            }
        }
        let Files { surveys, learnt, applied } = files;
        let made = Made::list(learnt, applied, &|hash| self.share.has(hash))
            .context("cannot read what was learnt and applied")?;
        let mut crawl = Crawl::read(surveys, &|hash| made.has_model(hash), folder, config)
            .context("cannot read the surveys")?;
        let mut ledger = Ledger::begin(config, 1);
        ledger.inputs.clone_from(&crawl.inputs);
        ledger.unreadable.clone_from(&crawl.unreadable);
        ledger.counts.feed_items = crawl.totals.items;
        ledger.counts.feed_items_elsewhere = crawl.totals.unmatched_items;
        std::fs::create_dir_all(&config.run.out)
            .with_context(|| format!("cannot create {}", config.run.out.display()))?;
        let mut outputs = Outputs::create(&config.run.out, config)?;
        let mut tally = Tally::default();
        if self.share.part == 1 {
            emit_drops(&mut crawl, &mut outputs, &mut tally)?;
        }
        self.sites(&mut crawl, &made, &mut outputs, &mut tally)?;
        ledger.failed_sinks = self.clock.emit.time(|| outputs.finish())?;
        tally.show(&mut ledger);
        ledger.close(self.begun, &self.clock);
        (ledger.state, ledger.progress) = (State::Complete, None);
        let ledger = finish_folder(config, ledger)?;
        Ok(Report { ledger, best: tally.into_best(), nothing_to_do: false })
    }

    /// Writes the results of all sites, in the order of outputs.
    fn sites(
        &self,
        crawl: &mut Crawl,
        made: &Made,
        outputs: &mut Outputs,
        tally: &mut Tally,
    ) -> Result<()> {
        let mut expected = crawl.sites.clone();
        expected.retain(|&hash| self.share.has(hash));
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
            let mut emit =
                |part: usize, result: SiteResult| self.emit(part, result, outputs, tally);
            if !of_site.is_large() {
                for result in of_site.results() {
                    let (part, result) =
                        result.with_context(|| format!("cannot read the result of {key}"))?;
                    emit(part, result)?;
                }
                continue;
            }
            // Sites of one hash may be small.
            while large
                .next_if(|site| (super::row::hash_of(&site.key), &site.key) < (*hash, key))
                .is_some()
            {}
            let Some(site) = large.next_if(|site| site.key == *key) else {
                bail!("{key} was learnt, but is in none of the surveys");
            };
            self.large(site, of_site, &crawl.spool, &mut emit)?;
        }
        ensure!(
            found >= expected.len(),
            "{} sites were learnt, and {} are in the surveys: a file of `sitegrove learn` is missing",
            found,
            expected.len()
        );
        Ok(())
    }

    fn emit(
        &self,
        part: usize,
        result: SiteResult,
        outputs: &mut Outputs,
        tally: &mut Tally,
    ) -> Result<()> {
        let rendered = outputs.renderers().render(result, part);
        tally.add(&Counted::of(rendered.result()));
        self.clock.emit.time(|| outputs.emit(rendered)).map_err(Into::into)
    }

    /// The result of a large site, in the parts in which a run has it.
    fn large(
        &self,
        site: StoredSite,
        made: SiteMade<'_>,
        spool: &Spool,
        emit: &mut dyn FnMut(usize, SiteResult) -> Result<()>,
    ) -> Result<()> {
        let settings = &self.config.settings();
        let at_once = site.weight() <= self.config.run.batch_bytes;
        let key = site.key.clone();
        let (mut work, items) = Work::of(site, spool, None, self.config, settings, &self.clock);
        let mut failed = None;
        let mut hand = Merged(made);
        let mut take = |part, result| match emit(part, result) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        let heads = work.needed_heads(&items);
        let worked = heads.and_then(|heads| match at_once {
            true => work.whole(&mut hand, items, heads, &mut take),
            false => work.in_batches(&mut hand, items, heads, 0, &mut take),
        });
        worked.with_context(|| format!("cannot merge what came of {key}"))?;
        failed.map_or(Ok(()), Err)
    }
}

/// Writes the drops that belong to no site.
fn emit_drops(crawl: &mut Crawl, outputs: &mut Outputs, tally: &mut Tally) -> Result<()> {
    tally.other_records(crawl.other_records);
    loop {
        let some = crawl.drops().take(DROPS_AT_ONCE).map(|drop| Ok(drop?.0));
        let some: Vec<Drop> = some.collect::<io::Result<_>>()?;
        if some.is_empty() {
            return Ok(());
        }
        some.iter().for_each(|drop| tally.drop(drop));
        outputs.emit_drops(&some)?;
    }
}

/// Whether there is a large site.
fn has_large(files: &Files) -> Result<bool> {
    let mut has = false;
    for file in files.learnt.iter().filter(|file| file.identity().round == 1) {
        file.each(false, &|kind, _| kind == super::row::Kind::Model, &mut |_| {
            has = true;
            Ok(())
        })?;
    }
    Ok(has)
}

/// A site whose pages other processes applied models to.
struct Merged<'a>(SiteMade<'a>);

impl Hand for Merged<'_> {
    fn begin(&mut self, _: &Work<'_>, _: &mut Surveyed) -> io::Result<Begun> {
        Ok(Begun::of(self.0.model(1)?))
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
    ) -> io::Result<Vec<(Article, CharacterCounts)>> {
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
