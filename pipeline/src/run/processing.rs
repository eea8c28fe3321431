//! Learn and apply: sites are listed in order, processed in parallel, and their results kept in order in the journal.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use model::Drop;
use report::readable::{count, grouped};
use sink::RunPhase;

use super::nightly::{self, night_name};
use super::reading::Taken;
use super::{RunContext, Stopped, resumable};
use crate::error_chain::Problem;
use crate::frames::{Frames, is_damage};
use crate::progress::tally::{Counted, Tally};
use crate::records::{Records, RecordsRead};
use crate::resume::catalogue::Complete;
use crate::resume::folder::state_error;
use crate::resume::journal::{Heading, Journal, Order};
use crate::shuffle::partition::{DropOfPayload, ItemOfSite, Partitioned, Totals, each_site};
use crate::shuffle::sorted::Merged;
use crate::stages::emit::Outputs;
use crate::workers::{Done, Task, WorkerPool};

/// The sites to process.
#[derive(Debug)]
pub(super) struct Sites {
    complete: Complete,
    /// Hashes of their keys, in order.
    read: Vec<u64>,
    /// The last site, or part of a site, that is done, if the pages of the sites before it were not loaded.
    last: Option<Heading>,
    items: Merged<ItemOfSite>,
    drops: Merged<DropOfPayload>,
}

impl RunContext<'_> {
    /// The sites that were read.
    pub(super) fn sites(&self, taken: Taken) -> Result<Sites> {
        let Taken { complete, partitioned, last } = taken;
        {
            let mut ledger = self.status.ledger();
            ledger.take_inputs(&complete.inputs, &complete.unreadable);
            ledger.counts.feed_items = complete.totals.items;
            ledger.counts.feed_items_elsewhere = complete.totals.unmatched_items;
        }
        let Totals { sites, pages, .. } = complete.totals;
        self.status.phase(RunPhase::Resuming, |progress| {
            (progress.sites, progress.pages) = (sites as u64, pages);
        });
        self.observer.processing(sites, pages as usize);
        let Partitioned { drops, items, sites: read, .. } = partitioned;
        let items = items.finish().map_err(|e| self.spool_error(e))?;
        let drops = drops.finish().map_err(|e| self.spool_error(e))?;
        Ok(Sites { complete, read, last, items, drops })
    }

    /// Writes the drops that belong to no site, and passes answers without a page to the outputs. Returns the records
    /// among them that say something of articles.
    pub(super) fn emit_drops(
        &self,
        sites: &mut Sites,
        outputs: &mut Outputs<'_>,
        tally: &mut Tally,
    ) -> Result<Records> {
        outputs.of_night(&night_name(&sites.complete.inputs))?;
        let drops = &mut sites.drops;
        let mut records = RecordsRead::new(self.spool_at, self.config);
        loop {
            let some = drops.by_ref().take(DROPS_AT_ONCE).map(|drop| Ok(drop?.0));
            let some: Vec<Drop> =
                some.collect::<io::Result<_>>().map_err(|e| self.spool_error(e))?;
            if some.is_empty() {
                break;
            }
            for drop in &some {
                tally.drop(drop);
                records.see(drop).map_err(|e| self.spool_error(e))?;
            }
            outputs.emit_drops(&some)?;
        }
        tally.other_records(sites.complete.other_records);
        tally.left_out(&sites.complete.inputs);
        self.folder.of_what_was_read(&sites.complete.digest())?;
        if let Some(store) = self.growing() {
            let run = nightly::run_of(self.config, &sites.complete.inputs);
            self.status.ledger().last_night = nightly::begin(store, &run)?;
        }
        if sites.last.is_none() {
            self.last_done(&sites.read)?;
        }
        let records = records.finish(self.spool_at).map_err(|e| self.spool_error(e))?;
        outputs.take_absences(&records.absences)?;
        Ok(records)
    }

    /// Counts the results of an earlier process in the journal, whose sites were compared with those that were read.
    /// Returns the journal, open for appending, and the number of sites, and of parts of the next one, that are done.
    pub(super) fn resumed(&self, tally: &mut Tally) -> Result<(Journal, (usize, usize))> {
        let path = self.folder.journal();
        let failed = |e| state_error("cannot read", &path, e);
        let (mut next, mut end) = ((0, 0), 0);
        if let Some(mut frames) = Frames::open(&path).map_err(failed)? {
            while let Some(content) = frames.next().map_err(failed)? {
                let (heading, _) = Heading::of_content(&content).map_err(failed)?;
                next = heading.next();
                self.count(&heading.counted, tally);
            }
            end = frames.end();
        }
        let journal = Journal::open(&path, end);
        Ok((journal.map_err(|e| state_error("cannot write", &path, e))?, next))
    }

    /// Processes all sites after those that are done, and keeps their results in the journal.
    pub(super) fn process(
        &self,
        sites: Sites,
        records: &Records,
        done: (usize, usize),
        journal: &mut Journal,
        tally: &mut Tally,
    ) -> Result<()> {
        let Sites { complete, read, last, mut items, .. } = sites;
        let sites = complete.totals.sites;
        let workers = WorkerPool {
            config: self.config,
            spool: self.spool,
            store: self.store,
            records,
            describer: self.config.emit.describer(&self.config.group.tracking_parameters),
            clock: self.clock,
            stop: self.stop,
            together: self.pool,
            shares: self.shares,
        };
        let mut index = last.as_ref().map_or(0, |last| last.next().0);
        let mut order = Order::behind(&read, last.as_ref().map(|last| &*last.counted.site));
        let other = |what: &str| {
            let what = format!("the stored pages differ from those that were read: {what}");
            io::Error::other(what + "; start over with --overwrite")
        };
        let list = |hand: &mut dyn FnMut(Task) -> ControlFlow<()>| {
            let mut halted = false;
            each_site(self.spool, &mut items, &mut |mut site| {
                let at = index;
                index += 1;
                if !order.comes(&site.key) {
                    return Err(other(&format!("{} is not the expected site", site.key)));
                }
                if at < done.0 {
                    return Ok(ControlFlow::Continue(()));
                }
                if site.weight() <= self.shares.beside {
                    // Outside the lock: workers need not wait for the disk.
                    self.spool.fetch(&mut site.pages)?;
                }
                let done = if at == done.0 { done.1 } else { 0 };
                let handed = hand(Task { index: at, done, site });
                halted = handed.is_break();
                Ok(handed)
            })?;
            if halted || order.is_at_end() { Ok(()) } else { Err(other("sites are missing")) }
        };
        let path = self.folder.journal();
        let mut sites_done = done.0;
        let worked = workers.work(list, done, |site: Done| {
            journal.add(&site.frame).map_err(|e| state_error("cannot write", &path, e))?;
            sites_done = site.heading.next().0;
            self.count(&site.heading.counted, tally);
            Ok(())
        });
        let of_sites = || format!("{} of {}", grouped(sites_done as u64), count(sites, "site"));
        worked.map_err(|error| resumable(error, &of_sites()))?;
        if self.stop.load(Ordering::Relaxed) {
            bail!(Stopped::Kept(format!("after {}", of_sites())));
        }
        Ok(())
    }

    fn count(&self, site: &Counted, tally: &mut Tally) {
        self.observer.site_done(&site.site, site.pages);
        tally.add(site);
        tally.show(&mut self.status.ledger());
    }

    pub(super) fn spool_error(&self, error: io::Error) -> anyhow::Error {
        if is_damage(&error) {
            return error.into();
        }
        let what = "cannot keep the pages read in";
        let what = format!("{:#}", state_error(what, self.spool_at, error));
        let next = "free some space and give the same command again, or choose another folder with --spool \
                    or more memory with --memory";
        Problem::new("", what, next).into()
    }
}

/// Number of drops without a site that are written at once.
const DROPS_AT_ONCE: usize = 1_024;
