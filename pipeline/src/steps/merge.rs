//! Merge: writes the results of all sites to a run folder. Its files equal those of [`crate::run`] on all inputs of the crawl,
//! except for the times in the ledger, which are those of merging.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use config::Config;
use config::files::sha256_of;
use errors::Stopped;
use model::SiteResult;
use modelstore::Store;
use segment::duplicates::Comparisons;
use segment::identity::SiteShare;
use segment::work_folder::WorkFolder;
use sink::{InputRecord, LastNight, RunState};
use site::clock::Clock;

use super::addresses::LocalFiles;
use super::assemble::Assembly;
use super::describe::DescriptionFiles;
use super::files::{Files, LearntWith};
use crate::emit::Outputs;
use crate::output_paths::CommandPaths;
use crate::results::check_earlier;
use crate::run::emission::{Emission, write_drops};
use crate::run::folder::{RunFolder, holds_merge};
use crate::run::ledger::{RunTally, begin_ledger, close_ledger};
use crate::run::sinks::check_outputs;
use crate::run::site_results::{ResultHeading, SiteResults};
use crate::run::target::RemoteTarget;
use crate::run::{RunReport, RunRequest, finish_folder, nightly, stopped_or, thread_pool};

/// Writes the run folder of a crawl, or of a share of its sites, from all files of its steps in any order. The first share
/// includes what belongs to no site. Like that of a [run](crate::run::target::run), the folder can be at an address.
/// `overwrite` allows replacing what a run or an earlier merge left there.
///
/// # Errors
/// If files are missing or do not belong together, or cannot be read; if the folder holds something else, or cannot be
/// written.
pub fn merge(
    request: RunRequest<'_>,
    paths: &[PathBuf],
    share: SiteShare,
    overwrite: bool,
) -> Result<RunReport> {
    let target = RemoteTarget::of(request.config)?;
    let config = target.as_ref().map_or(request.config, RemoteTarget::config);
    let (stop, request) = (request.stop, RunRequest { config, ..request });
    let _lock = target.as_ref().map(RemoteTarget::lock).transpose()?;
    let local = LocalFiles::fetch(request, paths, Path::new(""))?;
    let paths = &local.paths[..];
    check_outputs(&config.emit, &config.run.out)?;
    let own = CommandPaths::of_run(config, &[]);
    paths.iter().fold(own, |all, path| all.reads("a file", path)).check()?;
    let files = Files::open(paths, config)?;
    files.check_complete()?;
    files.check_learnt(1)?;
    ensure!(
        files.store()?.state.is_none() || share == SiteShare::ALL,
        "--share cannot be used with --models: one process has to merge all sites, since the store takes all of them at once"
    );
    let is_compared = !Comparisons::of(&config.emit).is_empty();
    let is_described = files.check_described()? && is_compared;
    ensure!(
        is_described || share == SiteShare::ALL || !is_compared,
        "--share: duplicates and shared text are looked for among the articles of all shares, so name the files of \
         `sitegrove describe` for all of them, too; or look for neither (--duplicates keep, and \
         emit.find_shared_text = false in the configuration)"
    );
    ensure!(
        config.run.earlier().is_none() || share == SiteShare::ALL,
        "--compare: a share of the sites cannot be compared with a run; compare the results of all"
    );
    check_earlier(config)?;
    let digest = digest(&files, share, config);
    if let Some(target) = &target {
        target.claim_for_merge(&digest, overwrite)?;
    }
    // The local folder for an address belongs to this program.
    let folder =
        RunFolder::claim_for_merge(&config.run.out, &digest, overwrite || target.is_some())?;
    let work = WorkFolder::create(folder.state().join("work"))?;
    let clock = Clock::default();
    let assembly = Assembly { request, share, clock: &clock };
    let begin = || folder.begin_merge(&digest);
    let report = merge_files(&assembly, files, work.path(), is_described, begin);
    drop(work);
    // An unfinished merge can be started again.
    if report.is_ok() || !holds_merge(folder.path()) {
        folder.finish()?;
    }
    match target {
        Some(target) => target.upload(report?, stop),
        None => report,
    }
}

fn digest(files: &Files, share: SiteShare, config: &Config) -> String {
    let Files { surveys, learnt, applied, described } = files;
    let all = [surveys, learnt, applied, described].into_iter().flatten();
    let mut of: Vec<String> = all.map(|file| file.identity().digest()).collect();
    of.sort_unstable();
    sha256_of(&format!("{} {share} {}", of.join(" "), config.outputs_hash()))
}

/// Merges files; calls `begin` before results are written.
fn merge_files(
    assembly: &Assembly<'_>,
    mut files: Files,
    folder: &Path,
    is_described: bool,
    begin: impl FnOnce() -> Result<()>,
) -> Result<RunReport> {
    let begun = Instant::now();
    let &Assembly { request: RunRequest { config, stop, .. }, share, clock } = assembly;
    let described = std::mem::take(&mut files.described);
    let learnt_with = files.store()?;
    let (made, mut sites) = assembly.open(files, folder)?;
    let (store, last_night) = open_store(config, stop, &sites.inputs, &learnt_with)?.unzip();
    let pool = thread_pool(config)?;
    let mut ledger = begin_ledger(config, pool.current_num_threads());
    ledger.last_night = last_night.flatten();
    ledger.take_inputs(&sites.inputs, &sites.unreadable);
    ledger.counts.feed_items = sites.totals.items;
    ledger.counts.feed_items_elsewhere = sites.totals.unmatched_items;
    begin()?;
    let mut outputs = Outputs::create(config, sites.totals.sites, stop)
        .map_err(|error| stopped_or(error, Stopped::Empty))?;
    let night = nightly::night_name(&sites.inputs);
    outputs.begin_night(&if share == SiteShare::ALL {
        night
    } else {
        format!("{night}-{}-of-{}", share.part, share.of)
    })?;
    let mut tally = RunTally::default();
    let of = (share.part == 1).then_some((&mut outputs, &mut tally));
    let (records, answers) = write_drops(&mut sites, folder, config, of)?;
    let path = folder.join("results");
    let kept = || format!("cannot write {}", path.display());
    let (mut results, _) = SiteResults::open(&path, "", &mut |_| ()).with_context(kept)?;
    let describer =
        (!is_described).then(|| config.emit.describer(&config.group.tracking_parameters)).flatten();
    let mut keep = |part: usize, mut result: SiteResult| {
        records.add_to(&mut result)?;
        let heading = ResultHeading::of(results.next().0, part, &result, describer.as_ref());
        let frame = heading.frame(result)?;
        results.add(&heading, &frame).with_context(kept)
    };
    assembly.each(&mut sites, &made, store.as_ref(), &mut keep)?;
    let emission = Emission {
        config,
        results: &path,
        folder,
        store: store.as_ref().map(|store| (store, &answers)),
        is_whole: ledger.selection().is_all(),
        pool: &pool,
        clock,
        stop,
    };
    let marks = match is_described {
        true => DescriptionFiles::list(described)?.marks(share, folder, config)?,
        false => emission.describe()?,
    };
    ledger.failed_sinks = emission.write(marks, outputs, &mut tally, Stopped::Empty)?;
    if let Some(store) = &store {
        ledger.store_state = Some(nightly::commit(store, config, stop, Stopped::Empty)?);
    }
    tally.show(&mut ledger);
    close_ledger(&mut ledger, begun, clock);
    (ledger.state, ledger.progress) = (RunState::Complete, None);
    let ledger = finish_folder(config, ledger)?;
    Ok(RunReport { ledger, best: tally.into_best(), nothing_to_do: false, upload: None })
}

/// Opens the model store for this night, if there is one, and returns it with the previous night. Its state must be that
/// from when sites were learnt, or include this very night.
fn open_store(
    config: &Config,
    stop: &AtomicBool,
    inputs: &[InputRecord],
    learnt_with: &LearntWith,
) -> Result<Option<(Store, Option<LastNight>)>> {
    let Some(store) = nightly::open(config, stop, Stopped::Empty)? else {
        return Ok(None);
    };
    let run = nightly::run_of(config, inputs);
    if !store.recognise(&run)? {
        learnt_with.check(&store)?;
    }
    let last_night = nightly::begin(&store, &run)?;
    Ok(Some((store, last_night)))
}
