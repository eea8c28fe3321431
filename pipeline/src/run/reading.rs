//! Reads the inputs: all of them, or, if an earlier process read them, only the pages of sites that are not
//! done.

use std::cmp::Reverse;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use grouping::Tracking;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use report::readable::size;
use sink::{AtomicFile, InputRecord, RunPhase};

use super::{RunContext, Stopped};
use crate::frames::{content_of, write_frame};
use crate::progress::status::Reading;
use crate::resume::catalogue::{self, Catalogue, Complete, boot};
use crate::resume::folder::{COMPLETE, state_error};
use crate::resume::journal::{Foreign, Heading, last_of};
use crate::resume::reread::{Again, Wanted, wanted};
use crate::selecting::{LeftOut, Selecting};
use crate::selection::warn_of_missing;
use crate::shuffle::partition::{Partitioned, Partitioner};
use crate::shuffle::spool::Spool;
use crate::stages::read::read;

/// Everything that was read.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) complete: Complete,
    pub(super) partitioned: Partitioned,
    /// The last site, or part of a site, that is done, if the pages of the sites before it were not loaded.
    pub(super) last: Option<Heading>,
}

/// Reopens the pages that an earlier process read, if all of them are still on disk: the machine was not
/// rebooted, and the files have their recorded sizes.
pub(super) fn on_disk(folder: &Path) -> Option<(Taken, Spool)> {
    let path = folder.join(COMPLETE);
    let frame = std::fs::read(&path).ok()?;
    let Some(complete) = content_of(frame).and_then(|json| serde_json::from_slice(&json).ok())
    else {
        return damaged(&path);
    };
    let complete: Complete = complete;
    if complete.boot != boot() {
        return None;
    }
    let reopened = Partitioned::reopen(folder, complete.totals)
        .and_then(|partitioned| Ok((partitioned, Spool::reopen(folder, &complete.parts)?)));
    match reopened {
        Ok((partitioned, Some(spool)))
            if complete.has_all_pages() && partitioned.sites.len() == complete.totals.sites =>
        {
            Some((Taken { complete, partitioned, last: None }, spool))
        }
        _ => {
            tracing::warn!(
                at = %folder.display(),
                next = "reading all inputs again",
                "the pages stored here are incomplete"
            );
            None
        }
    }
}

impl RunContext<'_> {
    /// Everything that was read: kept on disk, listed in a catalogue, or read now.
    pub(super) fn taken(&self, kept: Option<Taken>) -> Result<Taken> {
        let taken_up = kept.map_or_else(|| self.take_up(), |kept| Ok(Some(kept)))?;
        taken_up.map_or_else(|| self.read(), Ok)
    }

    /// Reads all inputs, files in parallel.
    fn read(&self) -> Result<Taken> {
        self.make_spool_folder()?;
        let gathered_at = self.spool_at;
        self.check_space()?;
        self.observer.reading(self.inputs.len(), self.identity.bytes());
        let tracking = Tracking::new(&self.config.group.tracking_parameters);
        let partitioner = Partitioner::new(self.spool, gathered_at, tracking);
        let reading = self.reading();
        let selecting = Selecting::new(self.identity.selection().clone());
        let read_one = |(number, input)| {
            let mut left_out = LeftOut::default();
            let mut take = |intake, source| {
                let Some(intake) = selecting.admit(intake, &mut left_out) else { return };
                if !partitioner.take(number, intake, source) {
                    reading.halt.store(true, Ordering::Relaxed);
                }
            };
            let progress = |bytes| reading.progress(bytes);
            let config = &self.config.read;
            let read = || read(input, config, &progress, &reading.halt, &mut take);
            let summary = self.clock.read.time(read);
            let record = |summary| (selecting.record(&summary, left_out), summary.other_records);
            (number, summary.map(record))
        };
        let mut order: Vec<_> = self.inputs.iter().enumerate().collect();
        let mut summaries: Vec<_> = if selecting.is_in_order() {
            order.into_iter().map(read_one).collect()
        } else {
            // The largest first, so that no thread starts it when the others are done.
            order.sort_by_key(|&(number, _)| Reverse(self.identity.inputs()[number].bytes));
            let read_all = || order.into_iter().par_bridge().map(read_one).collect();
            self.readers()?.install(read_all)
        };
        summaries.sort_by_key(|&(number, _)| number);
        if self.stop.load(Ordering::Relaxed) {
            let done_before = std::fs::metadata(self.folder.journal()).is_ok_and(|of| of.len() > 0);
            bail!(match done_before {
                true => Stopped::Kept("while the inputs were read again".to_owned()),
                false => Stopped::Empty,
            });
        }
        let partitioned = self.clock.group.time(|| partitioner.finish());
        let partitioned = partitioned.map_err(|e| self.spool_error(e))?;
        warn_of_missing(self.identity.selection(), &partitioned.sites);
        let (mut inputs, mut unreadable, mut other_records) = (Vec::new(), Vec::new(), 0);
        for ((_, summary), state) in summaries.into_iter().zip(self.identity.inputs()) {
            match summary {
                Ok((record, others)) => {
                    other_records += others;
                    inputs.push(InputRecord { modified: state.modified, ..record });
                }
                Err(error) => unreadable.push(error.to_string()),
            }
        }
        inputs.sort_by(|a, b| a.file.cmp(&b.file));
        let totals = partitioned.totals;
        let on_disk = self.spool.is_on_disk();
        let parts = if on_disk { self.spool.extents() } else { Ok(Vec::new()) };
        let parts = parts.map_err(|e| self.spool_error(e))?;
        let complete = Complete { inputs, other_records, unreadable, totals, parts, boot: boot() };
        if on_disk {
            // An input that could not be read may be readable the next time.
            if complete.unreadable.is_empty() {
                let mut frame = Vec::new();
                write_frame(&mut frame, &serde_json::to_vec(&complete)?)?;
                AtomicFile::write_whole(&self.spool_at.join(COMPLETE), &frame)?;
            }
        } else {
            self.clock.group.time(|| self.write_down(&complete, &partitioned));
        }
        Ok(Taken { complete, partitioned, last: None })
    }

    /// Records what was read for a process that resumes the run. Best effort.
    fn write_down(&self, complete: &Complete, partitioned: &Partitioned) {
        let path = self.folder.catalogue();
        let of_use = complete.unreadable.is_empty() && !self.identity.has_stream();
        let write = || catalogue::write(&path, self.spool, partitioned, complete);
        let written = if of_use { self.pool.install(write) } else { Ok(()) };
        if let Err(error) = &written {
            tracing::warn!(
                at = %path.display(),
                next = "if the run is stopped, all inputs will be read again",
                "cannot be written: {error}"
            );
        }
        if written.is_err() || !of_use {
            // The file of an earlier process is useless too, and its checksums show it.
            let _ = std::fs::remove_file(&path);
        }
    }

    /// One thread per file that may be read in parallel.
    fn readers(&self) -> Result<ThreadPool> {
        let readers = ThreadPoolBuilder::new().num_threads(self.shares.files).build();
        readers.context("cannot start threads")
    }

    pub(super) fn make_spool_folder(&self) -> Result<()> {
        let made = Spool::make_folder(self.spool_at);
        made.map_err(|e| state_error("cannot create the folder", self.spool_at, e))
    }

    fn reading(&self) -> Reading<'_> {
        let halt = AtomicBool::new(false);
        Reading { status: self.status, observer: self.observer, stop: self.stop, halt }
    }

    /// Uses the catalogue of an earlier process, if there is one, and reads only the pages of sites that are
    /// not done. `None` without a catalogue, or if the inputs have changed.
    fn take_up(&self) -> Result<Option<Taken>> {
        let path = self.folder.catalogue();
        if !path.exists() {
            return Ok(None);
        }
        self.make_spool_folder()?;
        let read = || Catalogue::read(&path, self.spool_at);
        let Ok(Some(catalogue)) = self.pool.install(read) else {
            return Ok(damaged(&path));
        };
        if !self.folder.is_of(&catalogue.complete.digest()) {
            return Ok(None);
        }
        let last = self.last_done(&catalogue.partitioned.sites)?;
        let (key, whole) = match &last {
            Some(Heading { counted, .. }) => (Some(&*counted.site), !counted.more),
            None => (None, false),
        };
        let Ok(rest) = self.pool.install(|| catalogue.pages_of_rest(key, whole)) else {
            return Ok(damaged(&path));
        };
        let wanted = wanted(rest, self.inputs.len());
        let html: u64 = wanted.iter().map(Wanted::html_bytes).sum();
        if html > self.shares.waiting {
            self.check_space()?;
        }
        let files = wanted.iter().filter(|wanted| !wanted.places.is_empty()).count();
        self.observer.reading(files, wanted.iter().map(Wanted::bytes).sum());
        self.status.phase(RunPhase::Resuming, |_| ());
        let reading = self.reading();
        let again = Again {
            inputs: self.inputs,
            config: &self.config.read,
            spool: self.spool,
            reading: &reading,
        };
        let readers = self.readers()?;
        let found = self.clock.read.time(|| readers.install(|| again.read(&wanted)));
        let found = found.map_err(|e| self.spool_error(e))?;
        if self.stop.load(Ordering::Relaxed) {
            bail!(Stopped::Kept("while pages were read again".to_owned()));
        }
        if !found {
            tracing::warn!(next = "reading all inputs again", "the inputs have changed");
            self.spool.clear().map_err(|e| self.spool_error(e))?;
            self.status.phase(RunPhase::Reading, |_| ());
            return Ok(None);
        }
        let Catalogue { complete, partitioned, .. } = catalogue;
        Ok(Some(Taken { complete, partitioned, last }))
    }

    /// The last site, or part of a site, that an earlier process finished. The journal is removed if the
    /// hashes of its sites' keys do not match the sites that were read.
    pub(super) fn last_done(&self, sites: &[u64]) -> Result<Option<Heading>> {
        let path = self.folder.journal();
        match last_of(&path, sites).map_err(|e| state_error("cannot read", &path, e))? {
            Ok(last) => Ok(last),
            Err(Foreign) => {
                tracing::warn!(
                    at = %path.display(),
                    next = "processing all sites again",
                    "belongs to other sites than those that were read"
                );
                std::fs::remove_file(&path).map_err(|e| state_error("cannot remove", &path, e))?;
                Ok(None)
            }
        }
    }

    /// If the pages will probably not fit into memory, checks that they fit on disk.
    fn check_space(&self) -> Result<()> {
        let (html, needed) = self.identity.inputs().iter().fold((0, 0), |(html, needed), input| {
            let name = input.file.to_ascii_lowercase();
            let packed = [".gz", ".zst", ".lz4", ".bz2", ".xz", ".wacz"]
                .iter()
                .any(|end| name.ends_with(end));
            // HTML compresses to about a fifth, in archives and in the spool.
            if packed {
                (html + 5 * input.bytes, needed + input.bytes * 5 / 4)
            } else {
                (html + input.bytes, needed + input.bytes / 4)
            }
        });
        if html <= self.shares.waiting {
            return Ok(());
        }
        let Ok(free) = free_space(self.spool_at) else { return Ok(()) };
        if free < needed {
            bail!(
                "{}: {} of free space is too little for the pages that do not fit into memory (about {} \
                 of HTML, {} on disk); free some space, name another folder with --spool, or give more \
                 memory with --memory",
                self.spool_at.display(),
                size(free),
                size(html),
                size(needed),
            );
        }
        Ok(())
    }
}

/// Reports that a file with what was read is damaged.
fn damaged<T>(file: &Path) -> Option<T> {
    tracing::warn!(at = %file.display(), next = "reading all inputs again", "is damaged");
    None
}

/// Free bytes on the disk of a folder.
fn free_space(folder: &Path) -> io::Result<u64> {
    let of = rustix::fs::statvfs(folder)?;
    Ok(of.f_bavail.saturating_mul(of.f_frsize))
}
