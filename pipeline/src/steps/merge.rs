//! Merge: writes the results of all sites to a run folder. Its files equal those of [`crate::run`] on all inputs of the crawl,
//! except for the times in the ledger, which are those of merging.
//!
//! Describe: describes the articles of a share of the sites, so that duplicates are found across shares. If several processes
//! merge, each needs the descriptions of all articles of the crawl, about 750 bytes per article.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use config::Config;
use config::files::sha256_of;
use duplicates::ArticleDescription;
use errors::Stopped;
use model::SiteResult;
use modelstore::Store;
use segment::duplicates::{Comparisons, Descriptions, marks_of};
use segment::file::{RowKind, StepFile, StepWriter, hash_of, packed_row, unpacked};
use segment::identity::{SiteShare, StepIdentity, StepKind};
use segment::marks::Marks;
use segment::pages::{SegmentPages, StoredSite};
use segment::settle::SettledSites;
use segment::work_folder::WorkFolder;
use sink::{InputRecord, LastNight, RunState};
use site::Work;
use site::clock::Clock;
use site::large::LargeSite;
use site::made::{SiteStepOutputs, StepOutputs};

use super::files::{Files, LearntWith, LocalFiles, check_paths, settle_crawl};
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

/// A share of the sites of a crawl, with all files that steps wrote.
struct Assembly<'a> {
    pub(super) request: RunRequest<'a>,
    pub(super) share: SiteShare,
    pub(super) clock: &'a Clock,
}

/// Takes part number N of the result of a site.
type TakePart<'a> = dyn FnMut(usize, SiteResult) -> Result<()> + 'a;

impl Assembly<'_> {
    /// Opens the files of steps. Data that does not fit into memory is spilled to `folder`.
    pub(super) fn open(&self, files: Files, folder: &Path) -> Result<(StepOutputs, SettledSites)> {
        let rounds = files.learnt.iter().map(|file| file.identity().round).max().unwrap_or(1);
        if has_large(&files)? || rounds == 2 {
            for round in 1..=2 {
                files.check_learnt(round)?;
                files.check_applied(round)?;
            }
        }
        let Files { surveys, learnt, applied, .. } = files;
        let made = StepOutputs::list(learnt, applied, &|hash| self.share.has(hash))
            .context("cannot read what was learnt and applied")?;
        let is_wanted = |hash| self.share.has(hash);
        let sites = settle_crawl(surveys, &is_wanted, folder, self.request)
            .context("cannot read the surveys")?;
        Ok((made, sites))
    }

    /// Passes on the results of all sites in the order of outputs.
    pub(super) fn each(
        &self,
        sites: &mut SettledSites,
        made: &StepOutputs,
        store: Option<&Store>,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let SettledSites { pages, of_sites, hashes, totals, .. } = sites;
        let mut expected = hashes.clone();
        expected.retain(|&hash| self.share.has(hash));
        self.request.observer.processing(expected.len(), totals.wanted_pages as usize);
        let mut take = |part: usize, result: SiteResult| {
            self.request.observer.site_done(&result.site, result.pages);
            take(part, result)
        };
        let mut found = 0;
        let mut large: Vec<StoredSite> = Vec::new();
        pages.each_site(of_sites, &|hash| made.has_model(hash), &mut |site| {
            large.push(site);
            Ok(ControlFlow::Continue(()))
        })?;
        let mut large = large.into_iter().peekable();
        for (hash, key) in made.sites() {
            Stopped::check(self.request.stop)?;
            ensure!(
                expected.binary_search(hash).is_ok(),
                "{key} was learnt, but is in none of the surveys"
            );
            found += 1;
            let of_site = made.of_site(key)?;
            if !of_site.is_large() {
                for result in of_site.results() {
                    let (part, result) =
                        result.with_context(|| format!("cannot read the result of {key}"))?;
                    take(part, result)?;
                }
                continue;
            }
            // Sites of one hash may be small.
            while large.next_if(|site| (hash_of(&site.key), &site.key) < (*hash, key)).is_some() {}
            let Some(site) = large.next_if(|site| site.key == *key) else {
                bail!("{key} was learnt, but is in none of the surveys");
            };
            self.large(site, of_site, pages, store, &mut take)?;
        }
        ensure!(
            found >= expected.len(),
            "{} sites were learnt, and {} are in the surveys: a file of `sitegrove learn` is missing",
            found,
            expected.len()
        );
        Ok(())
    }

    fn large(
        &self,
        site: StoredSite,
        made: SiteStepOutputs<'_>,
        pages: &SegmentPages,
        store: Option<&Store>,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let settings = &self.request.config.settings();
        let at_once = site.weight() <= self.request.config.run.batch_bytes;
        let key = site.key.clone();
        let (mut work, items) =
            Work::of(site, pages, store, self.request.config, settings, self.clock);
        let mut failed = None;
        let mut hand_over = |part, result| match take(part, result) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        };
        let worked = match at_once {
            true => work.assemble(made, items).map(|result| {
                let _ = hand_over(0, result);
            }),
            false => work.in_batches(&mut LargeSite::FromSteps(made), items, 0, &mut hand_over),
        };
        worked.with_context(|| format!("cannot merge what came of {key}"))?;
        failed.map_or(Ok(()), Err)
    }
}

fn has_large(files: &Files) -> Result<bool> {
    let mut has = false;
    for file in files.learnt.iter().filter(|file| file.identity().round == 1) {
        file.each(false, &|kind, _| kind == RowKind::Model, &mut |_| {
            has = true;
            Ok(())
        })?;
    }
    Ok(has)
}

/// Describes the articles of a share of the sites of a crawl, given all files of its steps in any order, and writes the
/// descriptions to `to`. Returns the number of articles. It is 0, and the file empty, if the settings look for neither
/// duplicates nor shared text.
///
/// # Errors
/// If files are missing or do not belong together, or cannot be read; if the file cannot be written.
pub fn describe(
    request: RunRequest<'_>,
    paths: &[PathBuf],
    share: SiteShare,
    to: &Path,
) -> Result<u64> {
    let config = request.config;
    let local = LocalFiles::fetch(request, paths, to)?;
    let (paths, to) = (&local.paths[..], &*local.out);
    check_paths(config, paths, to)?;
    let describer = config.emit.describer(&config.group.tracking_parameters);
    let files = Files::open(paths, config)?;
    files.check_complete()?;
    files.check_learnt(1)?;
    ensure!(
        files.store()?.state.is_none(),
        "with a store of models, one process merges all sites, and describes their articles itself"
    );
    let identity = StepIdentity { share, ..files.identity(StepKind::Describe, 0, config) };
    let folder = WorkFolder::beside(to)?;
    let clock = Clock::default();
    let assembly = Assembly { request, share, clock: &clock };
    let cannot = || format!("cannot write {}", to.display());
    let mut writer = StepWriter::create(to, &identity).with_context(cannot)?;
    let mut articles = 0;
    if let Some(describer) = describer {
        let (made, mut sites) = assembly.open(files, folder.path())?;
        assembly.each(&mut sites, &made, None, &mut |part, result| {
            let of_site: Vec<ArticleDescription> =
                result.articles.iter().map(|article| describer.describe(article)).collect();
            articles += of_site.len() as u64;
            let row = packed_row(RowKind::Described, &result.site, part as u64, &of_site);
            row.and_then(|row| writer.push(row)).with_context(cannot)
        })?;
    }
    writer.finish().with_context(cannot)?;
    local.put(request.stop)?;
    Ok(articles)
}

struct DescriptionFiles {
    files: Vec<StepFile>,
    /// File and row of each part of each site, in the order of outputs.
    rows: BTreeMap<(u64, String, u64), (usize, u32)>,
}

impl DescriptionFiles {
    pub(super) fn list(files: Vec<StepFile>) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for (number, file) in files.iter().enumerate() {
            file.each(false, &|_, _| true, &mut |row| {
                rows.insert((hash_of(&row.site), row.site, row.id), (number, row.number));
                Ok(())
            })
            .with_context(|| format!("cannot read {}", file.path().display()))?;
        }
        Ok(Self { files, rows })
    }

    /// The marks for the articles of a share. Data that does not fit into memory is spilled to `folder`.
    pub(super) fn marks(self, share: SiteShare, folder: &Path, config: &Config) -> Result<Marks> {
        let compare = || -> io::Result<Marks> {
            let mut described = Descriptions::new(folder, Comparisons::of(&config.emit))?;
            let mut before = 0;
            for ((hash, ..), (file, row)) in &self.rows {
                let record = self.files[*file].record(*row)?;
                let of_site: Vec<ArticleDescription> = unpacked(&record)?;
                of_site.iter().try_for_each(|evidence| described.add(evidence))?;
                before += if share.is_after(*hash) { of_site.len() as u64 } else { 0 };
            }
            let mut marks = marks_of(described)?;
            // Shares are ranges in the order of outputs.
            marks.pass(before)?;
            Ok(marks)
        };
        compare().context("cannot compare the articles of all shares")
    }
}
