//! The inputs of a run, and reading a few of them into memory.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail, ensure};
use model::Site;
use rayon::prelude::*;

use super::Stopped;
use crate::config::Config;
use crate::inputs::{Input, expand, expand_for};
use crate::progress::ledger::Clock;
use crate::progress::observer::{Observer, Quiet};
use crate::resume::identity::InputState;
use crate::revisits::resolve;
use crate::stages::group::group;
use crate::stages::read::{InputSummary, Intake, PayloadDigest, read};
use crate::waiting;

/// Finds and examines the inputs. A stop also ends waiting for a file system that does not answer.
///
/// # Errors
/// If there are none, one does not exist, or none can be read.
pub(crate) fn find(config: &Config, stop: &AtomicBool) -> Result<(Vec<Input>, Vec<InputState>)> {
    let run = &config.run;
    let (out, named, feeds) = (run.out.clone(), run.inputs.clone(), run.feeds.clone());
    // With nothing given to read again, what the store retains is read again.
    let retained = config.run.models().filter(|_| config.run.reextract && named.is_empty());
    let retained = retained.map(std::path::Path::to_owned);
    let look = move || {
        let mut inputs = expand_for(Some(&out), &named, &feeds)?;
        if let Some(store) = retained {
            inputs.push(Input::Retained(store));
        }
        let states: Vec<_> = inputs.iter().map(InputState::of).collect();
        anyhow::Ok((inputs, states))
    };
    let looked = waiting::unless(&|| stop.load(Ordering::Relaxed), look);
    let (inputs, states) = looked.context("cannot start threads")?.ok_or(Stopped::Empty)??;
    if inputs.is_empty() {
        bail!("no inputs: name WARC files, HTML files or folders, or set run.inputs");
    }
    let all = inputs.len();
    let mut problems = Vec::new();
    let mut states_of = Vec::with_capacity(all);
    for (input, (state, problem)) in inputs.iter().zip(states) {
        problems
            .extend(problem.map(|why| (input.path().display(), format!("cannot be read: {why}"))));
        states_of.push(state);
    }
    if problems.len() == all {
        let lines: Vec<String> =
            problems.iter().map(|(at, what)| format!("{at}: {what}")).collect();
        bail!("{}", lines.join("\n"));
    }
    for (at, what) in problems {
        tracing::warn!(at = %at, next = "reading the other inputs", "{what}");
    }
    Ok((inputs, states_of))
}

/// Reads all inputs into memory, files in parallel, and resolves the revisits in them: for commands that need
/// a few pages.
pub(crate) fn read_all(
    config: &Config,
    inputs: &[Input],
    stop: &AtomicBool,
    observer: &dyn Observer,
    clock: &Clock,
) -> (Vec<InputSummary>, Vec<Intake>, Vec<String>) {
    let progress = |bytes| observer.read(bytes);
    let results: Vec<_> = inputs
        .par_iter()
        .map(|input| {
            let (mut intakes, mut digests) = (Vec::new(), Vec::new());
            let mut take = |intake, digest: PayloadDigest| {
                intakes.push(intake);
                digests.push(digest);
            };
            let summary = clock.read.time(|| read(input, &config.read, &progress, stop, &mut take));
            (summary, (intakes, digests))
        })
        .collect();
    let (mut summaries, mut intakes, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    let mut digests = Vec::new();
    for (summary, (of_input, of_payloads)) in results {
        intakes.extend(of_input);
        digests.extend(of_payloads);
        match summary {
            Ok(summary) => {
                let cut_short = summary.cut_short.as_ref();
                unreadable.extend(cut_short.map(|at| format!("{} {}", summary.file, at.problem())));
                summaries.push(summary);
            }
            Err(error) => unreadable.push(error.to_string()),
        }
    }
    resolve(&mut intakes, &digests);
    (summaries, intakes, unreadable)
}

/// Reads inputs into memory, all of them to their ends, and groups their pages by site.
///
/// # Errors
/// If an input does not exist, or one cannot be read to its end.
pub fn read_sites(inputs: &[String], feeds: &[String], config: &Config) -> Result<Vec<Site>> {
    let inputs = expand(inputs, feeds)?;
    let (_, intakes, unreadable) =
        read_all(config, &inputs, &AtomicBool::new(false), &Quiet, &Clock::default());
    ensure!(unreadable.is_empty(), "{}", unreadable.join("\n"));
    Ok(group(intakes, &config.group).sites)
}
