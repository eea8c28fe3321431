//! Sites are listed in order, processed in parallel, and their results kept in order.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use config::files::sha256_of;
use errors::Stopped;
use report::readable::{count, grouped};
use segment::records::Records;
use segment::settle::SettledSites;
use sink::RunPhase;

use super::site_results::{Earlier, SiteResults};
use super::{RunContext, resumable};
use crate::progress::tally::{RunTally, SiteCounts};
use crate::resume::folder::state_error;
use crate::workers::{Done, Task, WorkerPool};

impl RunContext<'_> {
    /// Processes all sites whose results an earlier process did not keep, and keeps their results. `tally` is counted
    /// on for the progress.
    pub(super) fn process(
        &self,
        sites: SettledSites,
        records: &Records,
        mut tally: RunTally,
    ) -> Result<()> {
        let path = self.folder.results();
        let cannot = |what, error| state_error(what, &path, error);
        let causes = self.causes(&sites)?;
        let opened = SiteResults::open(&path, &causes, &mut |heading| {
            self.count(&heading.counted, &mut tally);
        });
        let (mut results, earlier) = opened.map_err(|error| cannot("cannot read", error))?;
        if earlier == Earlier::OfOtherCauses {
            tracing::warn!(
                next = "processing all sites again",
                "the inputs or the store of models have changed"
            );
        }
        let first = results.next();
        self.status.phase(RunPhase::Learning, |progress| progress.sites_resumed = first.0 as u64);
        let SettledSites { pages, mut of_sites, totals, .. } = sites;
        let workers = WorkerPool {
            config: self.config,
            pages: &pages,
            store: self.store,
            records,
            describer: self.config.emit.describer(&self.config.group.tracking_parameters),
            clock: self.clock,
            stop: self.stop,
            together: self.pool,
            shares: self.shares,
        };
        let list = |hand: &mut dyn FnMut(Task) -> ControlFlow<()>| -> io::Result<()> {
            let mut index = 0;
            pages.each_site(&mut of_sites, &|_| true, &mut |mut site| {
                let at = index;
                index += 1;
                if at < first.0 {
                    return Ok(ControlFlow::Continue(()));
                }
                if site.weight() <= self.shares.beside {
                    // Outside the lock: workers need not wait for the disk.
                    pages.fetch(&mut site.pages)?;
                }
                let done = if at == first.0 { first.1 } else { 0 };
                Ok(hand(Task { index: at, done, site }))
            })
        };
        let mut sites_done = first.0;
        let worked = workers.work(list, first, |Done { heading, frame }| {
            results.add(&heading, &frame).map_err(|error| cannot("cannot write", error))?;
            sites_done = results.next().0;
            self.count(&heading.counted, &mut tally);
            Ok(())
        });
        let of_sites =
            || format!("{} of {}", grouped(sites_done as u64), count(totals.sites, "site"));
        worked.map_err(|error| resumable(error, &of_sites()))?;
        if self.stop.load(Ordering::Relaxed) {
            bail!(Stopped::Kept(format!("after {}", of_sites())));
        }
        Ok(())
    }

    /// A digest of what decides the results, beside what identifies the run: the contents of the inputs, and of the store
    /// of models.
    fn causes(&self, sites: &SettledSites) -> Result<String> {
        let inputs: Vec<_> =
            sites.inputs.iter().map(|input| (&input.file, &input.sha256)).collect();
        let store = self.store.map(modelstore::Store::state).transpose()?;
        Ok(sha256_of(&serde_json::to_string(&(inputs, &sites.unreadable, store))?))
    }

    fn count(&self, site: &SiteCounts, tally: &mut RunTally) {
        self.observer.site_done(&site.site, site.pages);
        tally.add(site);
        tally.show(&mut self.status.ledger());
    }
}
