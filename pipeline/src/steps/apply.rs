//! Apply: applies the models of large sites to their pages.
//!
//! The outcome of a page depends only on the page, the model, and its instruction, if there is one. Only pages of large sites
//! are read.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use errors::Stopped;
use model::FeedItem;
use rayon::ThreadPool;
use rayon::prelude::*;
use segment::file::{RowKind, SegmentRow, decoded, hash_of, packed_row};
use segment::file::{StepFile, StepWriter};
use segment::identity::StepKind;
use segment::stored::{StoredHead, id_of, unpack};
use site::apply::{PageFinding, Unassigned, apply_page};
use site::learn::parse;
use site::made::{RowPlace, StepOutputs};
use sitemodel::{ApplyOptions, NoMeter, Outcome, Settings, SiteModel};
use terminal::progress_bar::Observer;

use super::files::LocalFiles;
use super::files::{Files, check_paths};
use super::learn::PageInstruction;
use crate::run::RunRequest;
use crate::run::thread_pool;

/// The counts of an apply step.
#[derive(Debug, Default)]
pub struct ApplySummary {
    /// The round, 1 or 2.
    pub round: u8,
    /// Number of pages that models were applied to.
    pub pages: u64,
    /// Number of these that fit no template, for which a second round of learning may add one.
    pub unassigned: u64,
}

/// Applies models to the pages of surveys; those of the second round if any are given.
///
/// # Errors
/// If files are missing or do not belong together, or cannot be read or written.
pub fn apply(request: RunRequest<'_>, paths: &[PathBuf], out: &Path) -> Result<ApplySummary> {
    let RunRequest { config, stop, observer } = request;
    let local = LocalFiles::fetch(request, paths, out)?;
    let (paths, out) = (&local.paths[..], &*local.out);
    check_paths(config, paths, out)?;
    let files = Files::open(paths, config)?;
    ensure!(
        !files.surveys.is_empty(),
        "no survey among the files: name the one whose pages are to be read"
    );
    ensure!(
        !files.learnt.is_empty(),
        "no file of `sitegrove learn` among the files: name all of them"
    );
    ensure!(
        files.applied.is_empty(),
        "apply takes surveys and what was learnt, not what was applied before"
    );
    for file in &files.learnt {
        let has = |digest: &String| file.identity().surveys.contains(digest);
        ensure!(
            files.digests().iter().all(has),
            "{} was not learnt from all of the surveys named",
            file.path().display()
        );
    }
    files.check_learnt(1)?;
    let round = files.learnt.iter().map(|file| file.identity().round).max().unwrap_or(1);
    files.check_learnt(round)?;
    let pool = thread_pool(config)?;
    files.check_causes()?;
    let identity = files.identity(StepKind::Apply, round, config);
    let Files { surveys, learnt, .. } = files;
    let mut file = StepWriter::create(out, &identity)
        .with_context(|| format!("cannot write {}", out.display()))?;
    let mut counts = ApplySummary { round, ..ApplySummary::default() };
    let outputs =
        StepOutputs::list(learnt, Vec::new(), &|_| true).context("cannot read what was learnt")?;
    let settings = config.settings();
    let with = ApplyStep { outputs: &outputs, settings: &settings, pool: &pool, round, observer };
    let mut pages = 0;
    for survey in &surveys {
        let listed = with.each_row(survey, &mut |_, of_row| {
            pages += of_row.sites();
            Ok(())
        });
        listed.with_context(|| format!("cannot read {}", survey.path().display()))?;
    }
    observer.processing(outputs.large_sites().count(), pages);
    for survey in &surveys {
        let mut push = |row: SegmentRow| {
            counts.pages += 1;
            counts.unassigned += u64::from(row.kind == RowKind::Unassigned);
            file.push(row)
        };
        let applied = with.survey(survey, stop, &mut push);
        applied.with_context(|| format!("cannot apply models to {}", survey.path().display()))?;
        Stopped::check(stop)?;
    }
    file.finish().with_context(|| format!("cannot write {}", out.display()))?;
    local.put(stop)?;
    Ok(counts)
}

/// The number of a page's row, and its instruction.
type InstructedRow = (u32, Option<PageInstruction>);

struct ApplyStep<'a> {
    outputs: &'a StepOutputs,
    settings: &'a Settings,
    pool: &'a ThreadPool,
    round: u8,
    observer: &'a dyn Observer,
}

/// The sites that a row of a survey is a page of.
struct OfRow<'a> {
    /// The large site of which it is an ordinary page.
    ordinary: Option<&'a str>,
    /// Its instructions, by site, with their places.
    orders: &'a [(String, RowPlace)],
}

impl OfRow<'_> {
    fn sites(&self) -> usize {
        usize::from(self.ordinary.is_some()) + self.orders.len()
    }
}

/// Weight of pages that are processed at a time.
const AT_ONCE: u64 = 16 << 20;

impl ApplyStep<'_> {
    fn survey(
        &self,
        survey: &StepFile,
        stop: &AtomicBool,
        push: &mut dyn FnMut(SegmentRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut sites: BTreeMap<(u64, String), Vec<InstructedRow>> = BTreeMap::new();
        self.each_row(survey, &mut |row, OfRow { ordinary, orders }| {
            if let Some(site) = ordinary {
                sites.entry((hash_of(site), site.to_owned())).or_default().push((row, None));
            }
            for (site, place) in orders {
                let list: Vec<PageInstruction> = decoded(&self.outputs.record(*place)?)?;
                let of_site = sites.entry((hash_of(site), site.clone())).or_default();
                of_site.extend(list.into_iter().map(|order| (row, Some(order))));
            }
            Ok(())
        })?;
        for ((_, site), pages) in sites {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            self.site(&site, pages, survey, push)?;
        }
        Ok(())
    }

    /// Visits the rows of a survey that models are applied to.
    fn each_row(
        &self,
        survey: &StepFile,
        see: &mut dyn FnMut(u32, OfRow<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let large: BTreeSet<u64> = self.outputs.large_sites().collect();
        // Pages of other sites may be copied, for revisits: rows are identified by their ids.
        let instructions = &self.outputs.instructions;
        let is_page = |kind, hash: u64| {
            kind == RowKind::Saved
                || (kind == RowKind::Page && (!instructions.is_empty() || large.contains(&hash)))
        };
        survey.each(false, &is_page, &mut |row| {
            let site = &*row.site;
            let orders = instructions.get(&row.id).map_or(&[][..], Vec::as_slice);
            let is_ordinary = !site.is_empty()
                && self.round == 1
                && self.outputs.is_large(site)
                && orders.iter().all(|(own, _)| own != site);
            see(row.number, OfRow { ordinary: is_ordinary.then_some(site), orders })
        })
    }

    fn site(
        &self,
        site: &str,
        pages: Vec<InstructedRow>,
        survey: &StepFile,
        push: &mut dyn FnMut(SegmentRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let of_site = self.outputs.of_site(site)?;
        let model = of_site.model(self.round.into())?;
        let then = match self.round {
            1 => of_site.decided()?.0,
            _ => Unassigned::Alone,
        };
        let mut pages = pages.into_iter().peekable();
        let mut last = None;
        while pages.peek().is_some() {
            let (mut some, mut weight) = (Vec::new(), 0);
            let mut rows_begun = 0;
            while weight < AT_ONCE
                && let Some((row, order)) = pages.next()
            {
                // A page may be at several addresses of the site.
                rows_begun += usize::from(last.replace(row) != Some(row));
                let instruction = match order {
                    Some(instruction) => instruction,
                    None => {
                        let head: StoredHead = decoded(&survey.record(row)?)?;
                        PageInstruction { head, items: Vec::new(), part: false }
                    }
                };
                weight += instruction.head.weight;
                some.push((row, instruction));
            }
            let rows: Vec<u32> = some.iter().map(|(row, _)| *row).collect();
            let htmls = survey.htmls(&rows)?;
            let one = |((_, page), html): ((u32, PageInstruction), Vec<u8>)| {
                self.page(site, (&model, then), page, &html)
            };
            let rows: Vec<io::Result<SegmentRow>> =
                self.pool.install(|| some.into_par_iter().zip(htmls).map(one).collect());
            rows.into_iter().try_for_each(|row| push(row?))?;
            self.observer.site_done(site, rows_begun);
        }
        Ok(())
    }

    fn page(
        &self,
        site: &str,
        (model, then): (&SiteModel, Unassigned),
        instruction: PageInstruction,
        html: &[u8],
    ) -> io::Result<SegmentRow> {
        let PageInstruction { head, items, part } = instruction;
        let id = id_of(&head);
        let html = unpack(html, head.length)?.into();
        let pages = [(0, head.into_page(site, html))];
        let parsed = parse(&pages, self.settings, &NoMeter);
        let items: Vec<&FeedItem> = items.iter().collect();
        let found = match &parsed[..] {
            [(_, Ok(page))] => {
                let hints = ApplyOptions { known: None, part };
                PageFinding::of(
                    page,
                    apply_page((model, self.settings), &NoMeter, page, &items, hints, then),
                )
            }
            _ => PageFinding::failed(site, &pages[0].1),
        };
        let kind = match found.applied.outcome {
            Outcome::Article(_) => RowKind::Article,
            Outcome::Drop(_) => RowKind::Dropped,
            Outcome::Unassigned => RowKind::Unassigned,
        };
        packed_row(kind, site, id, &found)
    }
}
