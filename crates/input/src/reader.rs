//! Reads inputs, files in parallel.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use config::Config;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use sink::{InputRecord, PageSelection};

use crate::Input;
use crate::inputs::InputState;
use crate::read::{Intake, PayloadDigest, read};
use crate::selection::{LeftOut, Selecting};

/// What became of inputs, in their order: the record of each for the ledger with the number of its records of types that
/// are no pages, or why it could not be read.
#[derive(Debug, Default)]
pub struct InputsRead(pub Vec<Result<(InputRecord, u64), String>>);

impl InputsRead {
    /// Whether an input could not be read; it may be readable the next time.
    pub fn has_unreadable(&self) -> bool {
        self.0.iter().any(Result::is_err)
    }
}

/// Time spent in a part of the work, summed over threads.
#[derive(Debug, Default)]
pub struct Timer(AtomicU64);

impl Timer {
    /// Runs `work` and adds the time it took.
    pub fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_add(nanos, Ordering::Relaxed);
        result
    }

    /// Seconds added up so far.
    pub fn seconds(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64 / 1e9
    }
}

/// Inputs, and how they are read.
pub struct InputReader<'a> {
    /// Its limits count, those of the table `read`.
    pub config: &'a Config,
    /// What is read, in any order unless the selection has a limit.
    pub inputs: &'a [Input],
    /// The state of each: the largest are read first.
    pub states: &'a [InputState],
    /// What is passed on of what is read.
    pub selection: &'a PageSelection,
    /// How many files are read in parallel.
    pub files: usize,
    /// Time spent reading.
    pub timer: &'a Timer,
    /// Ends reading early, once set.
    pub stop: &'a AtomicBool,
    /// Receives the number of bytes that were read since the last call.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl InputReader<'_> {
    /// Reads all inputs and passes on what is chosen of each, by its number. Ends early once `take` returns false or the
    /// run is stopped.
    ///
    /// # Errors
    /// If no threads can be started.
    pub fn read(
        &self,
        take: &(dyn Fn(usize, Intake, PayloadDigest) -> bool + Sync),
    ) -> Result<InputsRead> {
        let selecting = Selecting::new(self.selection.clone());
        let halt = AtomicBool::new(false);
        let progress = |bytes| {
            (self.progress)(bytes);
            if self.stop.load(Ordering::Relaxed) {
                halt.store(true, Ordering::Relaxed);
            }
        };
        let read_one = |number: usize| {
            let mut left_out = LeftOut::default();
            let mut take = |intake, digest| {
                if let Some(intake) = selecting.admit(intake, &mut left_out)
                    && !take(number, intake, digest)
                {
                    halt.store(true, Ordering::Relaxed);
                }
            };
            let (input, config) = (&self.inputs[number], &self.config.read);
            let read = || read(input, config, &progress, &halt, &mut take);
            let read = self.timer.time(read).map_err(|error| error.to_string());
            let record = read.map(|(record, others)| {
                let record = selecting.record(record, left_out);
                let modified = self.states[number].modified;
                (InputRecord { modified, ..record }, others)
            });
            (number, record)
        };
        let mut order: Vec<usize> = (0..self.inputs.len()).collect();
        if selecting.is_in_order() {
            let read = order.into_iter().map(|number| read_one(number).1);
            return Ok(InputsRead(read.collect()));
        }
        // The largest first, so that no thread starts it when the others are done.
        order.sort_by_key(|&number| Reverse(self.states[number].bytes));
        let readers = ThreadPoolBuilder::new().num_threads(self.files).build();
        let readers = readers.context("cannot start threads")?;
        let mut read: Vec<_> =
            readers.install(|| order.into_iter().par_bridge().map(read_one).collect());
        read.sort_by_key(|&(number, _)| number);
        Ok(InputsRead(read.into_iter().map(|(_, record)| record).collect()))
    }
}
