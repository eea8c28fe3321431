//! Writes the outputs once the results of all sites are known, because duplicates and shared text are found across sites.
//!
//! The descriptions of articles, which are in the headings of results, are compared first. Then the results are read again
//! in order, some megabytes at a time, marked with what was found, rendered in parallel, and written.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use config::{Config, Duplicates, SinkName};
use errors::{Stopped, error_chain};
use model::Drop;
use modelstore::Store;
use rayon::ThreadPool;
use rayon::prelude::*;
use segment::duplicates::{Comparisons, Descriptions, marks_of};
use segment::frames::Frames;
use segment::marks::{ArticleMark, Marks};
use segment::records::{Records, RecordsRead};
use segment::settle::SettledSites;
use sink::{AtomicFile, EarlierRun, Ledger, figures_of};
use site::clock::Clock;

use super::corrections::CorrectionsByAddress;
use super::nightly::{SiteAnswers, SiteJudge};
use super::site_results::{
    ResultHeading, SiteResults, drop_duplicates, read_results, unpacked_length,
};
use crate::emit::{Outputs, Rendered, Renderers};
use crate::results::earlier_ledger;
use crate::run::folder::state_error;
use crate::run::ledger::{RunTally, SiteCounts};
use crate::run::{RunContext, resumable, stopped_or};

/// Bytes of uncompressed results that are processed at a time, unless a single result is larger.
const AT_ONCE: usize = 4 << 20;

#[derive(Debug)]
pub(crate) struct Emission<'a> {
    pub(crate) config: &'a Config,
    pub(crate) results: &'a Path,
    pub(crate) folder: &'a Path,
    /// The model store to update, and the responses without a page.
    pub(crate) store: Option<(&'a Store, &'a SiteAnswers)>,
    /// Whether the run uses all pages of the inputs.
    pub(crate) is_whole: bool,
    pub(crate) pool: &'a ThreadPool,
    pub(crate) clock: &'a Clock,
    pub(crate) stop: &'a AtomicBool,
}

impl Emission<'_> {
    /// Compares the descriptions of articles and returns marks for duplicates and shared text.
    pub(crate) fn describe(&self) -> Result<Marks> {
        let sought = Comparisons::of(&self.config.emit);
        if sought.is_empty() {
            return Ok(Marks::none());
        }
        let compare = || -> io::Result<Marks> {
            let mut descriptions = Descriptions::new(self.folder, sought)?;
            let mut frames = SiteResults::frames(self.results)?;
            while let Some(content) = frames.next_of_whole()? {
                let (heading, _) = ResultHeading::of_content(&content)?;
                heading.evidence.iter().try_for_each(|evidence| descriptions.add(evidence))?;
            }
            marks_of(descriptions)
        };
        let compared = self.clock.compare.time(compare);
        compared.with_context(|| format!("cannot compare articles in {}", self.folder.display()))
    }

    /// Writes all outputs and returns the failed ones with their errors. Fails with `stopped` if a wait was stopped.
    pub(crate) fn write(
        &self,
        mut marks: Marks,
        mut outputs: Outputs<'_>,
        tally: &mut RunTally,
        stopped: Stopped,
    ) -> Result<BTreeMap<String, String>> {
        let mut frames = SiteResults::frames(self.results).map_err(|e| self.unreadable(e))?;
        let renderers = outputs.renderers();
        let (mut ahead, mut sites) = (None, 0);
        let corrections = CorrectionsByAddress::of(self.config);
        let mut judge =
            self.store.map(|(store, answers)| SiteJudge::new(store, answers, self.is_whole));
        loop {
            let some =
                self.render(&mut frames, &mut ahead, &mut marks, &renderers, corrections.as_ref());
            let some = some.map_err(|e| self.unreadable(e))?;
            if some.is_empty() {
                if let Some(judge) = judge {
                    judge.each_absent(self.config.run.retire_after, &mut |night| {
                        tally.night(&night);
                        Ok(outputs.emit_night(&night)?)
                    })?;
                }
                if let Some((articles, outdated)) = corrections.map(|own| own.counts()) {
                    tally.corrected(articles, outdated);
                }
                let finished = self.clock.emit.time(|| outputs.finish());
                return finished.map_err(|error| stopped_or(error, stopped));
            }
            for (counted, mut site) in some {
                tally.add(&counted);
                if let Some(judge) = &mut judge {
                    judge.take(&counted, &mut site.result)?;
                }
                if let Some(night) = &site.result.night {
                    tally.night(night);
                }
                self.clock.emit.time(|| outputs.emit(site))?;
                sites += 1;
            }
            if self.stop.load(Ordering::Relaxed) {
                bail!(Stopped::Kept(format!("while writing, after the results of {sites} sites")));
            }
        }
    }

    fn unreadable(&self, error: io::Error) -> anyhow::Error {
        state_error("cannot read", self.results, error)
    }

    /// Renders the next sites; empty at the end. `ahead` holds a frame that was read but did not fit.
    fn render(
        &self,
        frames: &mut Frames,
        ahead: &mut Option<Vec<u8>>,
        marks: &mut Marks,
        renderers: &Renderers,
        corrections: Option<&CorrectionsByAddress<'_>>,
    ) -> io::Result<Vec<(SiteCounts, Rendered)>> {
        let (mut sites, mut bytes) = (Vec::new(), 0);
        while let Some(content) =
            ahead.take().map_or_else(|| frames.next_of_whole(), |own| Ok(Some(own)))?
        {
            let (heading, packed) = ResultHeading::of_content(&content)?;
            bytes += unpacked_length(packed);
            if bytes > AT_ONCE && !sites.is_empty() {
                *ahead = Some(content);
                break;
            }
            let marks = marks.of_next(heading.counted.articles())?;
            let packed_at = content.len() - packed.len();
            sites.push((heading, content, packed_at, marks));
        }
        let render = |(heading, content, packed_at, marks): (ResultHeading, Vec<u8>, _, Vec<_>)| {
            let ResultHeading { part, mut counted, .. } = heading;
            let of_others = |(_, mark): &&(usize, ArticleMark)| mark.is_of_other();
            let duplicates: Vec<usize> = marks.iter().filter(of_others).map(|own| own.0).collect();
            let has_boilerplate = marks.iter().any(|(_, mark)| mark.has_boilerplate());
            let drops = self.config.emit.duplicates == Duplicates::Drop && !duplicates.is_empty();
            let changes = drops || has_boilerplate;
            let reads_articles = changes || renderers.read_articles || corrections.is_some();
            let least = self.config.extract.min_words;
            let (mut result, mut without_boilerplate) =
                read_results(&content[packed_at..], marks, reads_articles, least)?;
            if drops {
                drop_duplicates(&mut result);
                without_boilerplate.retain(|own| duplicates.binary_search(own).is_err());
            } else if has_boilerplate {
                result.figures = Some(Box::new(figures_of(&result)));
            }
            if changes {
                counted = SiteCounts::of(&result);
            }
            let marked = if drops { 0 } else { duplicates.len() };
            counted.set_compared(marked, without_boilerplate.len());
            if let Some(corrections) = corrections {
                corrections.apply(&mut result);
            }
            Ok((counted, self.clock.emit.time(|| renderers.render(result, part))))
        };
        self.pool.install(|| sites.into_par_iter().map(render).collect())
    }
}

/// Number of drops without a site that are written at a time.
const DROPS_AT_ONCE: usize = 1_024;

/// Writes the drops of reading, and passes responses without a page to the outputs, if given. Returns the records among
/// them that concern articles, and the responses without a page by site.
pub(crate) fn write_drops(
    sites: &mut SettledSites,
    folder: &Path,
    config: &Config,
    mut to: Option<(&mut Outputs<'_>, &mut RunTally)>,
) -> Result<(Records, SiteAnswers)> {
    let mut records = RecordsRead::new(folder, config);
    let mut answers = SiteAnswers::default();
    if let Some((_, tally)) = &mut to {
        tally.unlisted(sites.other_records, &sites.inputs);
    }
    loop {
        let some = sites.drops.by_ref().take(DROPS_AT_ONCE).map(|drop| Ok(drop?.0));
        let mut some: Vec<Drop> = some.collect::<io::Result<_>>()?;
        if some.is_empty() {
            let records = records.finish(folder)?;
            if let Some((outputs, _)) = &mut to {
                outputs.take_absences(&records.absences)?;
            }
            return Ok((records, answers));
        }
        some.iter_mut().for_each(|drop| answers.see(drop));
        some.iter().try_for_each(|drop| records.see(drop))?;
        if let Some((outputs, tally)) = &mut to {
            some.iter().for_each(|drop| tally.add_drops(drop.reason.as_str(), 1));
            outputs.emit_drops(&some)?;
        }
    }
}

impl RunContext<'_> {
    /// Writes the report, then the ledger, which marks the run as complete, and removes the state of the run.
    pub(crate) fn finish(&self, ledger: Ledger) -> Result<Ledger> {
        let ledger =
            finish_folder(self.config, ledger).inspect_err(|error| self.status.stopped(error));
        let ledger = ledger.map_err(|error| resumable(error, "all sites"))?;
        self.status.write_metrics(&ledger);
        drop(self.work_folder.exists().then(|| std::fs::remove_dir_all(self.work_folder)));
        Ok(ledger)
    }
}

/// Writes the report, then the ledger, which marks the results as complete.
pub(crate) fn finish_folder(config: &Config, mut ledger: Ledger) -> Result<Ledger> {
    report::forget_comparison(&config.run.out);
    if let Some(earlier) = config.run.earlier() {
        // It was readable when the run began. A failed comparison must not cost the results.
        match compare(&config.run.out, &ledger, earlier) {
            Ok(compared) => ledger.compared = Some(compared),
            Err(error) => tracing::warn!("--compare: {}", error_chain(&error)),
        }
    }
    draw_report(config, &mut ledger)?;
    AtomicFile::write_whole(&config.run.out.join(Ledger::FILE), ledger.to_json().as_bytes())?;
    Ok(ledger)
}

/// Compares a run that was already finished with the earlier run from the settings, and rebuilds its report.
pub(crate) fn compare_finished(config: &Config, ledger: &mut Ledger) -> Result<()> {
    let Some(earlier) = config.run.earlier() else { return Ok(()) };
    let out = &config.run.out;
    ledger.compared = Some(compare(out, ledger, earlier)?);
    report::refresh(out, ledger)?;
    AtomicFile::write_whole(&out.join(Ledger::FILE), ledger.to_json().as_bytes())?;
    Ok(())
}

fn compare(run: &Path, ledger: &Ledger, earlier: &Path) -> Result<EarlierRun> {
    report::compare(run, ledger, earlier, &earlier_ledger(run, earlier)?)
}

/// Writes the report, if it is chosen and its figures are complete. As it shows times, only the ledger is written after it.
fn draw_report(config: &Config, ledger: &mut Ledger) -> Result<()> {
    let name = SinkName::Report;
    let chosen = config.emit.chosen();
    if !chosen.contains(&name) || ledger.failed_sinks.contains_key(name.as_str()) {
        return Ok(());
    }
    if let Err(error) = report::write(&config.run.out, ledger) {
        if ledger.failed_sinks.len() + 1 == chosen.len() {
            return Err(error);
        }
        ledger.failed_sinks.insert(name.as_str().to_owned(), error_chain(&error));
    }
    Ok(())
}
