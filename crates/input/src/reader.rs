//! Reads inputs, several files in parallel.

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

/// The outcome of each input, in the order of inputs: its record for the ledger and the number of its records of types that
/// contain no page, or why it could not be read.
#[derive(Debug, Default)]
pub struct InputsRead(pub Vec<Result<(InputRecord, u64), String>>);

/// Measures the time spent in a part of the work, summed over threads.
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

    /// The total so far, in seconds.
    pub fn seconds(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64 / 1e9
    }
}

/// The inputs of a run, and how to read them.
pub struct InputReader<'a> {
    /// The settings. Reading uses the limits in the table `read`.
    pub config: &'a Config,
    /// The inputs. They are read in any order unless the selection has a limit.
    pub inputs: &'a [Input],
    /// State of each input: the largest ones are read first.
    pub states: &'a [InputState],
    /// Which pages are passed on.
    pub selection: &'a PageSelection,
    /// Number of files that are read in parallel.
    pub files: usize,
    /// Measures the time spent reading.
    pub timer: &'a Timer,
    /// Ends reading early when it is set.
    pub stop: &'a AtomicBool,
    /// Receives the number of bytes that were read since the last call.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl InputReader<'_> {
    /// Reads all inputs, and passes the selected contents to `take` with the number of the input. Ends early if `take` returns
    /// false or the run is stopped.
    ///
    /// # Errors
    /// If no thread can be started.
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
        if self.selection.limit > 0 {
            let read = order.into_iter().map(|number| read_one(number).1);
            return Ok(InputsRead(read.collect()));
        }
        // The largest first, so that no thread starts a large file when the others have finished.
        order.sort_by_key(|&number| Reverse(self.states[number].bytes));
        let readers = ThreadPoolBuilder::new().num_threads(self.files).build();
        let readers = readers.context("cannot start threads")?;
        let mut read: Vec<_> =
            readers.install(|| order.into_iter().par_bridge().map(read_one).collect());
        read.sort_by_key(|&(number, _)| number);
        Ok(InputsRead(read.into_iter().map(|(_, record)| record).collect()))
    }
}
