//! Learn: learns sites from the surveys of a crawl.
//!
//! A small site is finished: its result is written. For a large site, the first round writes the model, learnt from the
//! sample alone, and instructions for pages that are not ordinary (`Order`). The second round follows after models were
//! applied: it adds templates for the pages without one, and lists the pages and captures left to process.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use config::Config;
use errors::Stopped;
use grouping::Part;
use model::{FeedItem, SiteResult, SiteRules};
use modelstore::Store;
use rayon::prelude::*;
use segment::file::StepWriter;
use segment::file::{RowKind, SegmentRow, packed_row};
use segment::identity::{SiteShare, StepIdentity, StepKind};
use segment::pages::{SegmentPages, StoredSite};
use segment::settle::SettledSites;
use segment::stored::{HtmlPlace, StoredHead, StoredPage};
use segment::work_folder::WorkFolder;
use serde::{Deserialize, Serialize};
use site::clock::Clock;
use site::large::{LargeSite, learnt_site_configs};
use site::learn::{Surveyed, parse};
use site::made::StepOutputs;
use site::{Work, work_on};
use sitemodel::{Outcome, SiteModel};

use super::files::LocalFiles;
use super::files::{Files, check_paths};
use crate::run::RunRequest;
use crate::run::{nightly, thread_pool};
use crate::steps::files::settle_crawl;

/// The instruction for a page of a large site that is not an ordinary one.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct PageInstruction {
    /// The head of the page in this site. The page of a revisit has another address than the capture it copies.
    pub(crate) head: StoredHead,
    pub(crate) items: Vec<FeedItem>,
    /// Whether it is a later part of an article.
    pub(crate) part: bool,
}

/// The counts of a learn step.
#[derive(Debug, Default)]
pub struct LearnSummary {
    /// The round of learning, 1 or 2.
    pub round: u8,
    /// Number of finished sites.
    pub finished: usize,
    /// Number of large sites, to whose pages models have to be applied.
    pub large: usize,
    /// Number of these that need a second round.
    pub further: usize,
}

/// Learns a share of the sites of a crawl from all its surveys. This is the second round if files of the first round of
/// learning and applying are given, too.
///
/// # Errors
/// If files are missing or do not belong together, or cannot be read or written.
pub fn learn(
    request: RunRequest<'_>,
    paths: &[PathBuf],
    share: SiteShare,
    out: &Path,
) -> Result<LearnSummary> {
    let config = request.config;
    let local = LocalFiles::fetch(request, paths, out)?;
    let (paths, out) = (&local.paths[..], &*local.out);
    check_paths(config, paths, out)?;
    let store = store_to_read(config)?;
    let files = Files::open(paths, config)?;
    files.check_complete()?;
    let round = if files.applied.is_empty() { 1 } else { 2 };
    ensure!(
        round == 2 || files.learnt.is_empty(),
        "files of `sitegrove learn` are named, but none of `sitegrove apply`: for the first round name surveys \
         alone, for the second what was learnt and applied, too"
    );
    if round == 2 {
        files.check_learnt(1)?;
        files.check_applied(1)?;
    }
    if let (2, Some(store)) = (round, &store) {
        files.store()?.check(store)?;
    }
    let state = store.as_ref().map(Store::state).transpose()?;
    let identity = files.identity(StepKind::Learn, round, config);
    let identity = StepIdentity { share, store: state, ..identity };
    let folder = WorkFolder::beside(out)?;
    let learnt = write(request, store.as_ref(), files, &identity, folder.path(), out)?;
    local.put(request.stop)?;
    Ok(learnt)
}

/// Weight of sites that are learnt at a time.
const AT_ONCE: u64 = 64 << 20;

/// Opens the model store from the settings for reading; a store that does not exist is empty.
fn store_to_read(config: &Config) -> Result<Option<Store>> {
    ensure!(
        !config.run.reextract,
        "run.reextract: steps cannot read captures again; use `sitegrove run`"
    );
    Ok(config.run.models().map(Store::open_or_empty).transpose()?)
}

fn write(
    request: RunRequest<'_>,
    store: Option<&Store>,
    files: Files,
    identity: &StepIdentity,
    folder: &Path,
    out: &Path,
) -> Result<LearnSummary> {
    let RunRequest { config, stop, observer } = request;
    let Files { surveys, learnt, applied, .. } = files;
    let share = identity.share;
    let wants = |hash| share.has(hash);
    let made = StepOutputs::list(learnt, applied, &wants)
        .context("cannot read what was learnt and applied")?;
    let of_round = |hash| wants(hash) && (identity.round == 1 || made.has_model(hash));
    let SettledSites { pages, mut of_sites, inputs, .. } =
        settle_crawl(surveys, &of_round, folder, request).context("cannot read the surveys")?;
    if let Some(store) = store {
        store.recognise(&nightly::run_of(config, &inputs))?;
    }
    let pool = thread_pool(config)?;
    let mut sites: Vec<StoredSite> = Vec::new();
    pages.each_site(&mut of_sites, &of_round, &mut |site| {
        sites.push(site);
        Ok(ControlFlow::Continue(()))
    })?;
    observer.processing(sites.len(), sites.iter().map(StoredSite::captures).sum());
    let mut file = StepWriter::create(out, identity)
        .with_context(|| format!("cannot write {}", out.display()))?;
    let mut counts = LearnSummary { round: identity.round, ..LearnSummary::default() };
    let mut sites = sites.into_iter().peekable();
    while sites.peek().is_some() {
        Stopped::check(stop)?;
        let mut some = Vec::new();
        let mut weight = 0;
        while weight < AT_ONCE
            && let Some(site) = sites.next()
        {
            weight += site.weight();
            some.push(site);
        }
        let learn_one = |site: StoredSite| {
            let (key, captures) = (site.key.clone(), site.captures());
            let rows = match identity.round {
                1 => first_round(site, &pages, store, config),
                _ => second_round(site, &pages, store, &made, config),
            };
            observer.site_done(&key, captures);
            rows
        };
        let learnt: Vec<io::Result<Vec<SegmentRow>>> =
            pool.install(|| some.into_par_iter().map(learn_one).collect());
        for rows in learnt {
            let rows = rows.context("cannot read the pages of a site")?;
            match (identity.round, rows.first().map(|row| row.kind)) {
                (1, Some(RowKind::Result)) => counts.finished += 1,
                (1, _) => counts.large += 1,
                (_, first) => {
                    counts.large += 1;
                    counts.further += usize::from(first.is_some());
                }
            }
            let written = rows.into_iter().try_for_each(|row| file.push(row));
            written.with_context(|| format!("cannot write {}", out.display()))?;
        }
    }
    file.finish().with_context(|| format!("cannot write {}", out.display()))?;
    Ok(counts)
}

/// Returns the result of a small site, or the model of a large one with orders for its pages.
fn first_round(
    site: StoredSite,
    pages: &SegmentPages,
    store: Option<&Store>,
    config: &Config,
) -> io::Result<Vec<SegmentRow>> {
    let clock = Clock::default();
    if site.captures() <= config.sample.pages {
        let mut rows = Vec::new();
        let key = site.key.clone();
        let mut emit = |part: usize, result: SiteResult| {
            rows.push(packed_row(RowKind::Result, &key, part as u64, &result));
            ControlFlow::Continue(())
        };
        work_on(site, 0, pages, store, config, &clock, &mut emit)?;
        return rows.into_iter().collect();
    }
    let settings = &config.settings();
    let (work, items) = Work::of(site, pages, store, config, settings, &clock);
    let mut site = work.surveyed(items)?;
    let (model, decided) = LargeSite::InProcess(Vec::new()).begin(&work, &mut site)?.decided();
    let mut rows = vec![model_row(&work.key, 1, &model)];
    rows.push(packed_row(RowKind::Decided, &work.key, 0, &decided)?);
    rows.extend(orders(&work, &site)?);
    Ok(rows)
}

fn model_row(site: &str, round: u64, model: &SiteModel) -> SegmentRow {
    SegmentRow {
        kind: RowKind::Model,
        site: site.to_owned(),
        id: round,
        record: model.to_bytes(),
        html: Vec::new(),
    }
}

/// The id of the row with the HTML of a page.
fn row_of(page: &StoredPage) -> u64 {
    match page.html {
        HtmlPlace::Filed(place) => place.id,
        _ => page.id(),
    }
}

fn order_of(site: &Surveyed, page: usize, head: &StoredHead) -> PageInstruction {
    let head = StoredHead { declared: None, ..head.clone() };
    let items = site.items_of(page).into_iter().cloned().collect();
    PageInstruction { head, items, part: site.part(page) != Part::Whole }
}

/// Orders for the pages of a site whose rows are not exactly one ordinary page.
fn orders(work: &Work<'_>, site: &Surveyed) -> io::Result<Vec<SegmentRow>> {
    let mut of_rows: BTreeMap<u64, (Vec<PageInstruction>, bool)> = BTreeMap::new();
    for other in work.others.all() {
        of_rows.entry(row_of(other)).or_insert((Vec::new(), false));
    }
    for (at, page) in work.pages.iter().enumerate() {
        let order = order_of(site, at, &page.head);
        // The row of a saved page does not name its site.
        let is_saved = page.head.url.starts_with("file:");
        // Nor does a row hold the rules from files of the site.
        let has_rules = page.head.notes.as_ref().is_some_and(|of| of.site != SiteRules::default());
        let is_ordinary = row_of(page) == page.id()
            && !is_saved
            && !has_rules
            && order.items.is_empty()
            && !order.part;
        let (orders, ordinary) = of_rows.entry(row_of(page)).or_default();
        orders.push(order);
        *ordinary = is_ordinary && orders.len() == 1;
    }
    let not_ordinary = of_rows.into_iter().filter(|(_, (_, is_ordinary))| !is_ordinary);
    not_ordinary
        .map(|(row, (orders, _))| SegmentRow::of(RowKind::Order, &work.key, row, &orders))
        .collect()
}

/// Returns what a large site needs after models were applied: the final model, and orders for the pages and captures left.
/// Returns nothing if the site is complete.
fn second_round(
    site: StoredSite,
    pages: &SegmentPages,
    store: Option<&Store>,
    made: &StepOutputs,
    config: &Config,
) -> io::Result<Vec<SegmentRow>> {
    let clock = Clock::default();
    let settings = &config.settings();
    let (work, items) = Work::of(site, pages, store, config, settings, &clock);
    let mut site = work.surveyed(items)?;
    work.begin_from_other_process(&mut site)?;
    let made = made.of_site(&work.key)?;
    let mut rows = Vec::new();
    let mut left: Vec<usize> = Vec::new();
    let mut orders: BTreeMap<u64, Vec<PageInstruction>> = BTreeMap::new();
    for (at, page) in work.pages.iter().enumerate() {
        let (is_unassigned, waits) = match made.kind(page)? {
            RowKind::Article => continue,
            RowKind::Unassigned => (true, true),
            _ => match made.found(page, 1)?.applied.outcome {
                Outcome::Drop(drop) => (false, work.others.may_help(&drop, &site)),
                _ => (false, false),
            },
        };
        if is_unassigned {
            left.push(at);
            orders.entry(row_of(page)).or_default().push(order_of(&site, at, &page.head));
        }
        if waits {
            for capture in work.others.tried_of(&page.head) {
                let order = order_of(&site, at, &capture.head);
                orders.entry(row_of(capture)).or_default().push(order);
            }
        }
    }
    let mut model = made.model(1)?;
    if !left.is_empty() {
        model = LargeSite::InProcess(Vec::new()).learn_further(&work, &site, &left, &model)?;
        rows.push(model_row(&work.key, 2, &model));
    }
    for (row, orders) in orders {
        rows.push(SegmentRow::of(RowKind::Order, &work.key, row, &orders)?);
    }
    if work.wants_site_configs() {
        let sampled: BTreeSet<usize> =
            work.sample().into_iter().chain(work.sample_of(&left)).collect();
        let pages = work.load(&sampled.into_iter().collect::<Vec<_>>())?;
        let parsed = parse(&pages, settings, &clock);
        let configs = learnt_site_configs(&work.applying(&site, &model), &parsed);
        rows.push(SegmentRow::of(RowKind::SiteConfigs, &work.key, 0, &configs)?);
    }
    Ok(rows)
}
