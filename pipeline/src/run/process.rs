//! Processes sites in parallel and keeps their results in the order of outputs.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use config::files::sha256_of;
use duplicates::Describer;
use errors::Stopped;
use model::SiteResult;
use rayon::{ThreadPool, ThreadPoolBuilder};
use report::readable::{count, grouped};
use segment::pages::{SegmentPages, StoredSite};
use segment::records::Records;
use segment::settle::SettledSites;
use sink::RunPhase;
use site::work_on;

use super::site_results::{ResultHeading, SiteResults};
use super::{RunContext, resumable};
use crate::run::folder::state_error;
use crate::run::ledger::{RunTally, SiteCounts};

impl RunContext<'_> {
    /// Processes all sites without results from an earlier process, and keeps their results. Progress continues from `tally`.
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
        let (mut results, had_others) = opened.map_err(|error| cannot("cannot read", error))?;
        if had_others {
            tracing::warn!(
                next = "processing all sites again",
                "the inputs or the store of models have changed"
            );
        }
        let first = results.next();
        self.status.phase(RunPhase::Learning, |progress| progress.sites_resumed = first.0 as u64);
        let SettledSites { pages, mut of_sites, totals, .. } = sites;
        let describer = self.config.emit.describer(&self.config.group.tracking_parameters);
        let workers = WorkerPool { run: self, pages: &pages, records, describer };
        let list = |hand: &mut dyn FnMut(Task) -> ControlFlow<()>| -> io::Result<()> {
            let mut index = 0;
            pages.each_site(&mut of_sites, &|_| true, &mut |mut site| {
                let at = index;
                index += 1;
                if at < first.0 {
                    return Ok(ControlFlow::Continue(()));
                }
                if site.weight() <= self.shares.parallel_site {
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

    /// A digest of what the results depend on beside the identity of the run: the contents of the inputs and the model store.
    fn causes(&self, sites: &SettledSites) -> Result<String> {
        let inputs: Vec<_> =
            sites.inputs.iter().map(|input| (&input.file, &input.sha256)).collect();
        let store = self.store.map(modelstore::Store::state).transpose()?;
        Ok(sha256_of(&serde_json::to_string(&(inputs, &sites.unreadable, store))?))
    }

    fn count(&self, site: &SiteCounts, tally: &mut RunTally) {
        self.observer.site_done(&site.site, site.pages());
        tally.add(site);
        tally.show(&mut self.status.ledger());
    }
}

#[derive(Debug)]
struct Task {
    index: usize,
    /// Number of its parts that an earlier process completed.
    done: usize,
    site: StoredSite,
}

#[derive(Debug)]
struct Done {
    heading: ResultHeading,
    /// Its frame for the file `results`.
    frame: Vec<u8>,
}

#[derive(Debug)]
struct WorkerPool<'a> {
    /// Its thread pool shares the work of large sites.
    run: &'a RunContext<'a>,
    pages: &'a SegmentPages,
    records: &'a Records,
    /// Describes articles, if duplicates or shared text are looked for.
    describer: Option<Describer>,
}

impl WorkerPool<'_> {
    /// Processes the sites from `list` and passes their results to `take` in order, from number and part `first` on. When
    /// stopped, finishes the sites in progress and returns early.
    fn work(
        &self,
        list: impl FnOnce(&mut dyn FnMut(Task) -> ControlFlow<()>) -> io::Result<()> + Send,
        first: (usize, usize),
        mut take: impl FnMut(Done) -> Result<()>,
    ) -> Result<()> {
        let threads = self.run.pool.current_num_threads();
        let (to_workers, tasks) = sync_channel::<Task>(2 * threads);
        let (to_us, results) = sync_channel::<Result<Done>>(2 * threads);
        let failed = AtomicBool::new(false);
        let halted = || failed.load(Ordering::Relaxed) || self.run.stop.load(Ordering::Relaxed);
        let queue = TaskQueue { tasks: Mutex::new(tasks), turn: RwLock::new(()) };
        let gate = Gate::new(self.run.shares.in_progress);
        let alone = |_| ThreadPoolBuilder::new().num_threads(1).build();
        let pools: Vec<ThreadPool> =
            (0..threads).map(alone).collect::<Result<_, _>>().context("cannot start threads")?;
        std::thread::scope(|scope| {
            let (queue, gate, halted, listed) = (&queue, &gate, &halted, to_us.clone());
            scope.spawn(move || {
                let mut hand = |task: Task| {
                    gate.admit(task.index, task.site.weight(), halted);
                    let sent = !halted() && to_workers.send(task).is_ok();
                    if sent { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                };
                if let Err(error) = list(&mut hand) {
                    let error = anyhow::Error::new(error).context("cannot list the pages read");
                    let _ = listed.send(Err(error));
                }
            });
            for pool in &pools {
                let to_us = to_us.clone();
                scope.spawn(move || self.serve(queue, pool, &to_us, halted));
            }
            drop(to_us);
            let outcome = in_order(&results, first, &mut |done: Done| {
                let next = done.heading.next().0;
                take(done)?;
                gate.release(next);
                Ok(())
            });
            if outcome.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            // No sender may block on a result that is not needed any more.
            results.iter().for_each(drop);
            outcome
        })
    }

    fn pack(&self, index: usize, part: usize, mut result: SiteResult) -> io::Result<Done> {
        self.records.add_to(&mut result)?;
        let describe = || ResultHeading::of(index, part, &result, self.describer.as_ref());
        let heading = self.run.clock.compare.time(describe);
        let frame = heading.frame(result)?;
        Ok(Done { heading, frame })
    }

    fn serve(
        &self,
        queue: &TaskQueue,
        own: &ThreadPool,
        to_us: &SyncSender<Result<Done>>,
        halted: &(dyn Fn() -> bool + Sync),
    ) {
        // The turn is taken before the next task: a large site must not overtake the sites before it.
        let next = || {
            let tasks = queue.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            let task = tasks.recv().ok()?;
            let large = task.site.weight() > self.run.shares.parallel_site;
            let beside =
                (!large).then(|| queue.turn.read().unwrap_or_else(PoisonError::into_inner));
            let alone = large.then(|| queue.turn.write().unwrap_or_else(PoisonError::into_inner));
            Some((task, beside, alone))
        };
        while let Some((Task { index, done, site }, beside, alone)) = next() {
            if halted() {
                continue;
            }
            let pool = if alone.is_some() { self.run.pool } else { own };
            let mut hand = |part: usize, result: SiteResult| {
                let done = self.pack(index, part, result).context("cannot pack results");
                let go_on = to_us.send(done).is_ok() && !halted();
                if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let key = site.key.clone();
            let RunContext { config, store, clock, .. } = *self.run;
            let work = || work_on(site, done, self.pages, store, config, clock, &mut hand);
            let worked = pool.install(work);
            if let Err(error) = worked {
                let error =
                    anyhow::Error::new(error).context(format!("cannot read the pages of {key}"));
                let _ = to_us.send(Err(error));
            }
            drop((beside, alone));
        }
    }
}

/// Tasks that run in parallel, or one that runs alone.
#[derive(Debug)]
struct TaskQueue {
    tasks: Mutex<Receiver<Task>>,
    turn: RwLock<()>,
}

/// Limits the total weight of sites whose results wait to be taken, so that results do not pile up in memory behind a
/// slow site.
#[derive(Debug)]
struct Gate {
    most: u64,
    inside: Mutex<Inside>,
    moved: Condvar,
}

/// Admitted sites whose results were not taken yet.
#[derive(Debug, Default)]
struct Inside {
    /// Weights by site number.
    sites: VecDeque<(usize, u64)>,
    weight: u64,
}

impl Gate {
    fn new(most: u64) -> Self {
        Self { most, inside: Mutex::default(), moved: Condvar::new() }
    }

    /// Waits until there is room for a site or no other site is admitted. This terminates, because the results of the first
    /// admitted site are always taken next.
    fn admit(&self, index: usize, weight: u64, halted: &(dyn Fn() -> bool + Sync)) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        while !inside.sites.is_empty() && inside.weight + weight > self.most && !halted() {
            // A stop does not notify this condition variable.
            let waited = self.moved.wait_timeout(inside, Duration::from_millis(100));
            inside = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        inside.sites.push_back((index, weight));
        inside.weight += weight;
    }

    /// Removes the sites before number `next`, whose results were taken.
    fn release(&self, next: usize) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(&(_, weight)) = inside.sites.front().filter(|(index, _)| *index < next) {
            inside.sites.pop_front();
            inside.weight -= weight;
        }
        drop(inside);
        self.moved.notify_one();
    }
}

/// Passes results on in order, from number and part `next` on, until the channel closes.
fn in_order(
    results: &Receiver<Result<Done>>,
    mut next: (usize, usize),
    take: &mut dyn FnMut(Done) -> Result<()>,
) -> Result<()> {
    let mut waiting: BTreeMap<(usize, usize), Done> = BTreeMap::new();
    for done in results {
        let done = done?;
        waiting.insert((done.heading.index, done.heading.part), done);
        while let Some(done) = waiting.remove(&next) {
            next = done.heading.next();
            take(done)?;
        }
    }
    Ok(())
}
