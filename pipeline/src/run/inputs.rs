//! Finds the inputs of a run, and reads inputs into memory for commands that need a few pages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};
use config::Config;
use errors::Stopped;
use input::InputState;
use input::read::{Intake, PayloadDigest};
use input::reader::{InputReader, Timer};
use input::{Input, InputPlaces, expand, waiting};
use model::Site;
use segment::group::{Grouped, group};
use sink::PageSelection;

/// Finds and examines the inputs. `stop` also ends the wait for a file system that does not answer.
pub(crate) fn find(config: &Config, stop: &AtomicBool) -> Result<(Vec<Input>, Vec<InputState>)> {
    let run = &config.run;
    let (out, named, feeds) = (run.out.clone(), run.inputs.clone(), run.feeds.clone());
    let (base, extra) = (run.input_base.clone(), config.read.extra.clone());
    // Without inputs, a run with `--reextract` reads the pages that the store retains.
    let retained = config.run.models().filter(|_| config.run.reextract && named.is_empty());
    let retained = retained.map(std::path::Path::to_owned);
    let look = move || {
        let mut inputs =
            expand(&named, &feeds, InputPlaces { own: &out, base: &base, extra: &extra })?;
        if let Some(store) = retained {
            inputs.push(Input::Retained(store));
        }
        let states: Vec<_> = inputs.iter().map(InputState::of).collect();
        anyhow::Ok((inputs, states))
    };
    let looked = waiting::run_unless_stopped(&|| stop.load(Ordering::Relaxed), look);
    let (inputs, states) = looked.context("cannot start threads")?.ok_or(Stopped::Empty)??;
    if inputs.is_empty() {
        bail!("no inputs: name WARC files, HTML files or folders, or set run.inputs");
    }
    let is_listed =
        |input: &Input| matches!(input, Input::Records { .. } | Input::Unreadable { .. });
    if !run.input_base.as_os_str().is_empty() && !inputs.iter().any(is_listed) {
        tracing::warn!(at = "--input-base", "has no effect: no input is an index of archives");
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

/// Reads inputs into memory, files in parallel, and groups their pages by site: for commands that need a few pages. Also
/// returns the inputs that could not be read to their end, each with the reason.
pub(crate) fn read_grouped(
    config: &Config,
    inputs: &[Input],
    stop: &AtomicBool,
) -> Result<(Grouped, Vec<String>)> {
    let intakes: Mutex<Vec<(Intake, PayloadDigest)>> = Mutex::default();
    let states: Vec<InputState> = inputs.iter().map(|input| InputState::of(input).0).collect();
    let reader = InputReader {
        config,
        inputs,
        states: &states,
        selection: &PageSelection::default(),
        files: rayon::current_num_threads(),
        timer: &Timer::default(),
        stop,
        progress: &|_| (),
    };
    let read = reader.read(&|_, intake, digest| {
        intakes.lock().unwrap_or_else(PoisonError::into_inner).push((intake, digest));
        true
    })?;
    Stopped::check(stop)?;
    let unreadable = read.0.into_iter().filter_map(|input| match input {
        Ok((record, _)) => {
            let cut_short = record.cut_short.as_ref()?;
            Some(format!("{} {}", record.file, cut_short.problem()))
        }
        Err(why) => Some(why),
    });
    let unreadable = unreadable.collect();
    let intakes = intakes.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((group(intakes, &config.group)?, unreadable))
}

/// Reads inputs into memory and groups their pages by site.
///
/// # Errors
/// If an input does not exist or cannot be read to its end.
pub fn read_sites(inputs: &[String], feeds: &[String], config: &Config) -> Result<Vec<Site>> {
    let places = InputPlaces {
        base: &config.run.input_base,
        extra: &config.read.extra,
        ..InputPlaces::default()
    };
    let inputs = expand(inputs, feeds, places)?;
    let (grouped, unreadable) = read_grouped(config, &inputs, &AtomicBool::new(false))?;
    ensure!(unreadable.is_empty(), "{}", unreadable.join("\n"));
    Ok(grouped.sites)
}
