//! Apply: the models of large sites to their pages, where these are.
//!
//! What comes of a page depends on the page, the model, and the order for it, if there is one. Nothing is read but the
//! pages of large sites.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail, ensure};
use config::Config;
use model::{FeedItem, Page};
use rayon::ThreadPool;
use rayon::prelude::*;
use segment::file::{StepFile, StepWriter};
use segment::identity::{StepIdentity, StepKind};
use segment::row::{RowKind, SegmentRow, decoded, hash_of, packed_row, unpacked};
use segment::stored::{StoredHead, id_of, unpack};
use sitemodel::{ApplyOptions, NoMeter, Outcome, Settings, SiteModel};
use terminal::progress_bar::Observer;

use super::files::{Files, check_paths};
use super::learn::PageInstruction;
use crate::run::thread_pool;
use crate::site::Decided;
use crate::stages::apply::{PageFinding, Unassigned, apply_page};
use crate::stages::learn::parse;

/// What was applied.
#[derive(Debug, Default)]
pub struct ApplySummary {
    /// Which round it was.
    pub round: u8,
    /// Pages that models were applied to.
    pub pages: u64,
    /// Of these, pages that no template is for; a second round of learning may add one.
    pub unassigned: u64,
}

/// Applies models to the pages of surveys: those of the second round, if any are named.
///
/// # Errors
/// If files are missing or do not belong together, or cannot be read or written.
pub fn apply(
    config: &Config,
    paths: &[PathBuf],
    out: &Path,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<ApplySummary> {
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
    let identity = StepIdentity::of(StepKind::Apply, round, config, files.digests())
        .made_of(files.made().map(StepFile::identity));
    let mut file = StepWriter::create(out, &identity)
        .with_context(|| format!("cannot write {}", out.display()))?;
    let mut counts = ApplySummary { round, ..ApplySummary::default() };
    let models = Models::list(&files.learnt, round).context("cannot read what was learnt")?;
    let settings = config.settings();
    let with = ApplyStep { models: &models, settings: &settings, pool: &pool, round, observer };
    let mut pages = 0;
    for survey in &files.surveys {
        let listed = with.each_row(survey, &mut |_, of_row| {
            pages += of_row.sites();
            Ok(())
        });
        listed.with_context(|| format!("cannot read {}", survey.path().display()))?;
    }
    observer.processing(models.models.len(), pages);
    for survey in &files.surveys {
        let mut push = |row: SegmentRow| {
            counts.pages += 1;
            counts.unassigned += u64::from(row.kind == RowKind::Unassigned);
            file.push(row)
        };
        let applied = with.survey(survey, stop, &mut push);
        applied.with_context(|| format!("cannot apply models to {}", survey.path().display()))?;
        if stop.load(Ordering::Relaxed) {
            bail!(errors::Stopped::Empty);
        }
    }
    file.finish().with_context(|| format!("cannot write {}", out.display()))?;
    Ok(counts)
}

struct Models<'a> {
    files: &'a [StepFile],
    /// Files and rows of the models of large sites.
    models: BTreeMap<(u64, String), (u64, usize, u32)>,
    /// Large sites whose pages without a template are extracted by themselves at once.
    alone: BTreeSet<(u64, String)>,
    /// Orders by the id of a page's row, with their sites.
    orders: BTreeMap<u64, Vec<(String, usize, u32)>>,
}

impl<'a> Models<'a> {
    fn list(files: &'a [StepFile], round: u8) -> io::Result<Self> {
        let mut listed = Self {
            files,
            models: BTreeMap::new(),
            alone: BTreeSet::new(),
            orders: BTreeMap::new(),
        };
        for (number, file) in files.iter().enumerate() {
            let is_of_round = file.identity().round == round;
            let wanted = |kind, _| {
                matches!(kind, RowKind::Model | RowKind::Decided)
                    || (kind == RowKind::Order && is_of_round)
            };
            file.each(false, &wanted, &mut |row| {
                if row.kind == RowKind::Order {
                    listed.orders.entry(row.id).or_default().push((row.site, number, row.number));
                    return Ok(());
                }
                if row.kind == RowKind::Decided {
                    let (then, _): Decided = unpacked(&file.record(row.number)?)?;
                    if then == Unassigned::Alone {
                        listed.alone.insert((hash_of(&row.site), row.site));
                    }
                    return Ok(());
                }
                let place = (row.id, number, row.number);
                let of_site = listed.models.entry((hash_of(&row.site), row.site)).or_insert(place);
                *of_site = place.max(*of_site);
                Ok(())
            })?;
        }
        Ok(listed)
    }

    /// What becomes of pages of a site that the model of a round has no template for.
    fn unassigned(&self, key: &str, round: u8) -> Unassigned {
        match round == 1 && !self.alone.contains(&(hash_of(key), key.to_owned())) {
            true => Unassigned::Wait,
            false => Unassigned::Alone,
        }
    }

    /// The last model of a site.
    fn of_site(&self, key: &str) -> io::Result<SiteModel> {
        let place = self.models.get(&(hash_of(key), key.to_owned()));
        let missing = || io::Error::other(format!("there is no model of {key}"));
        let &(_, file, row) = place.ok_or_else(missing)?;
        SiteModel::from_bytes(&self.files[file].record(row)?).map_err(io::Error::other)
    }
}

/// The number of a page's row, and the order for it.
type Ordered = (u32, Option<PageInstruction>);

struct WantedPage {
    row: u32,
    head: StoredHead,
    items: Vec<FeedItem>,
    part: bool,
}

struct ApplyStep<'a> {
    models: &'a Models<'a>,
    settings: &'a Settings,
    pool: &'a ThreadPool,
    round: u8,
    observer: &'a dyn Observer,
}

/// What a row of a survey is a page of.
struct OfRow<'a> {
    /// The large site that it is an ordinary page of.
    ordinary: Option<&'a str>,
    /// Orders for it: sites, and where the orders are.
    orders: &'a [(String, usize, u32)],
}

impl OfRow<'_> {
    fn sites(&self) -> usize {
        usize::from(self.ordinary.is_some()) + self.orders.len()
    }
}

/// Weight of pages that are worked on at once.
const AT_ONCE: u64 = 16 << 20;

impl ApplyStep<'_> {
    fn survey(
        &self,
        survey: &StepFile,
        stop: &AtomicBool,
        push: &mut dyn FnMut(SegmentRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut sites: BTreeMap<(u64, String), Vec<Ordered>> = BTreeMap::new();
        self.each_row(survey, &mut |row, OfRow { ordinary, orders }| {
            if let Some(site) = ordinary {
                sites.entry((hash_of(site), site.to_owned())).or_default().push((row, None));
            }
            for (site, file, at) in orders {
                let list: Vec<PageInstruction> = decoded(&self.models.files[*file].record(*at)?)?;
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

    /// Visits the rows of a survey to whose pages models are applied.
    fn each_row(
        &self,
        survey: &StepFile,
        see: &mut dyn FnMut(u32, OfRow<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let large: BTreeSet<u64> = self.models.models.keys().map(|(hash, _)| *hash).collect();
        // Pages of other sites may be copied, for revisits: rows are identified by their ids.
        let has_orders = !self.models.orders.is_empty();
        let is_page = |kind, hash: u64| {
            kind == RowKind::Saved
                || (kind == RowKind::Page && (has_orders || large.contains(&hash)))
        };
        survey.each(false, &is_page, &mut |row| {
            let site = &*row.site;
            let orders = self.models.orders.get(&row.id).map_or(&[][..], Vec::as_slice);
            let is_ordinary = !site.is_empty()
                && self.round == 1
                && self.models.models.contains_key(&(hash_of(site), site.to_owned()))
                && orders.iter().all(|(own, _, _)| own != site);
            see(row.number, OfRow { ordinary: is_ordinary.then_some(site), orders })
        })
    }

    fn site(
        &self,
        site: &str,
        pages: Vec<Ordered>,
        survey: &StepFile,
        push: &mut dyn FnMut(SegmentRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let model = self.models.of_site(site)?;
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
                let wanted = match order {
                    Some(PageInstruction { head, items, part }) => {
                        WantedPage { row, head, items, part }
                    }
                    None => {
                        let head: StoredHead = decoded(&survey.record(row)?)?;
                        WantedPage { row, head, items: Vec::new(), part: false }
                    }
                };
                weight += wanted.head.weight;
                some.push(wanted);
            }
            let rows: Vec<u32> = some.iter().map(|wanted| wanted.row).collect();
            let htmls = survey.htmls(&rows)?;
            let one =
                |(wanted, html): (WantedPage, Vec<u8>)| self.page(site, &model, wanted, &html);
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
        model: &SiteModel,
        wanted: WantedPage,
        html: &[u8],
    ) -> io::Result<SegmentRow> {
        let WantedPage { head, items, part, .. } = wanted;
        let id = id_of(&head);
        let html = unpack(html, head.length)?.into();
        let StoredHead { url, fetched, origin, charset, .. } = head;
        let page = Page { url, site: site.to_owned(), fetched, origin, charset, html };
        let pages = [(0, page)];
        let parsed = parse(&pages, self.settings, &NoMeter);
        let items: Vec<&FeedItem> = items.iter().collect();
        let then = self.models.unassigned(site, self.round);
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
