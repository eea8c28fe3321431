//! Survey: reads inputs and writes down everything that is in them, pages in the order of outputs.
//!
//! A page is written with its head (address, digests, weight, and what it declares of its address and of the parts of
//! its article) and with its HTML, compressed. Inputs are read once; the steps after this one read surveys.

use std::cmp::Reverse;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use grouping::matching::halves;
use grouping::{Tracking, redirect, site_key};
use model::{CutShort, Page};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sink::InputRecord;

use super::file::StepWriter;
use super::identity::{Identity, Step};
use super::row::{Kind, Row, hash_of};
use super::work_folder::WorkFolder;
use crate::config::Config;
use crate::digests::sha256_of;
use crate::memory::Shares;
use crate::output_paths::{CommandPaths, OutputKind};
use crate::progress::observer::Observer;
use crate::run::{find_inputs, mark_begun};
use crate::selecting::{LeftOut, Selecting};
use crate::selection::selection_of;
use crate::shuffle::places::stored;
use crate::shuffle::spool::{PARTS, SAVED, Spool};
use crate::shuffle::stored::Stored;
use crate::stages::group::own_address;
use crate::stages::learn::Declared;
use crate::stages::read::{Intake, Source, read};

/// What a survey read.
#[derive(Debug, Default)]
pub struct Surveyed {
    /// Pages, older captures included.
    pub pages: u64,
    /// Inputs that were read.
    pub inputs: usize,
    /// Inputs that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Archives that are cut short, and where.
    pub cut_short: Vec<(String, CutShort)>,
}

/// Surveys the inputs that the settings name, and writes the survey to `out`.
///
/// # Errors
/// If inputs do not exist or none can be read, or the survey cannot be written. Nothing is left then.
pub fn survey(
    config: &Config,
    out: &Path,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<Surveyed> {
    let (inputs, states) = find_inputs(config, stop)?;
    let paths = inputs
        .iter()
        .fold(CommandPaths::default(), |all, input| all.reads("an input", input.path()));
    paths.writes("--out", out, OutputKind::Step).check()?;
    mark_begun();
    let budget = config.run.budget()?;
    let pool = ThreadPoolBuilder::new().num_threads(config.run.jobs).build();
    let pool = pool.context("cannot start threads")?;
    let shares = Shares::of(budget, pool.current_num_threads(), config.read.most_memory());
    let folder = WorkFolder::beside(out)?;
    let spool = Spool::new(folder.path(), shares.waiting);
    let collecting = Collecting::new(config, &spool);
    let selecting = Selecting::new(selection_of(&config.run)?);
    observer.reading(inputs.len(), states.iter().map(|state| state.bytes).sum());
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    let read_one = |number: usize| {
        let mut left_out = LeftOut::default();
        let mut take = |intake, source| {
            if let Some(intake) = selecting.admit(intake, &mut left_out) {
                collecting.take(number, intake, source);
            }
        };
        let halt = AtomicBool::new(false);
        let progress = |bytes| {
            observer.read(bytes);
            if stop.load(Ordering::Relaxed) || collecting.has_failed() {
                halt.store(true, Ordering::Relaxed);
            }
        };
        let summary = read(&inputs[number], &config.read, &progress, &halt, &mut take);
        let record = |summary| (selecting.record(&summary, left_out), summary.other_records);
        (number, summary.map(record))
    };
    let readers = ThreadPoolBuilder::new().num_threads(shares.files).build();
    let readers: ThreadPool = readers.context("cannot start threads")?;
    let mut summaries: Vec<_> = if selecting.is_in_order() {
        order.into_iter().map(read_one).collect()
    } else {
        order.sort_by_key(|&number| Reverse(states[number].bytes));
        readers.install(|| order.into_iter().par_bridge().map(read_one).collect())
    };
    summaries.sort_by_key(|(number, _)| *number);
    if stop.load(Ordering::Relaxed) {
        bail!(crate::run::Stopped::Empty);
    }
    let mut surveyed = Surveyed::default();
    let mut rows = collecting.finish()?;
    let mut names = Vec::new();
    for (number, summary) in summaries {
        match summary {
            Ok((record, others)) => {
                let record = InputRecord { modified: states[number].modified, ..record };
                let of =
                    record.chosen.as_ref().map(|own| own.pages.to_string()).unwrap_or_default();
                names.push(format!("{} {}{of}", record.file, record.sha256));
                let cut_short = record.cut_short.clone();
                surveyed.cut_short.extend(cut_short.map(|at| (record.file.clone(), at)));
                rows.push(Row::of(Kind::Input, "", others, &Some(record))?);
                surveyed.inputs += 1;
            }
            Err(error) => {
                names.push(error.to_string());
                rows.push(Row {
                    html: error.to_string().into_bytes(),
                    ..Row::of(Kind::Input, "", 0, &None::<InputRecord>)?
                });
                surveyed.unreadable.push(error.to_string());
            }
        }
    }
    names.sort_unstable();
    let digest = sha256_of(&names.join("\n"));
    let identity = Identity::of(Step::Survey, 0, config, vec![digest]);
    let write = || -> io::Result<u64> {
        let mut file = StepWriter::create(out, &identity)?;
        rows.sort_by(|a, b| (a.kind, &a.record).cmp(&(b.kind, &b.record)));
        rows.into_iter().try_for_each(|row| file.push(row))?;
        let pages = write_pages(&spool, &mut file)?;
        file.finish()?;
        Ok(pages)
    };
    surveyed.pages = write().with_context(|| format!("cannot write {}", out.display()))?;
    Ok(surveyed)
}

/// Writes the pages of a spool in the order of outputs.
fn write_pages(spool: &Spool, file: &mut StepWriter) -> io::Result<u64> {
    let mut count = 0;
    for part in [SAVED].into_iter().chain(0..PARTS) {
        let mut pages: Vec<(String, Stored)> = (spool.take(part)?.into_iter())
            .map(|page| {
                (site_key(&page.head.url).filter(|_| part != SAVED).unwrap_or_default(), page)
            })
            .collect();
        pages.sort_by_cached_key(|(site, page)| {
            (hash_of(site), site.clone(), page.head.url.clone(), page.id())
        });
        for (site, mut page) in pages {
            let kind = if part == SAVED { Kind::Saved } else { Kind::Page };
            let html = spool.packed(&mut page)?;
            file.push(Row { html, ..Row::of(kind, &site, page.id(), &page.head)? })?;
            count += 1;
        }
    }
    Ok(count)
}

/// Receives what is read, from many threads.
struct Collecting<'a> {
    settings: sitemodel::Settings,
    spool: &'a Spool,
    tracking: Tracking,
    rows: Mutex<Vec<Row>>,
    failure: Mutex<Option<io::Error>>,
}

impl<'a> Collecting<'a> {
    fn new(config: &Config, spool: &'a Spool) -> Self {
        Self {
            settings: config.settings(),
            spool,
            tracking: Tracking::new(&config.group.tracking_parameters),
            rows: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    fn take(&self, input: usize, intake: Intake, source: Source) {
        if let Err(error) = self.try_take(input, intake, &source) {
            self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn try_take(&self, input: usize, intake: Intake, source: &Source) -> io::Result<()> {
        let digest = source.digest.map(halves);
        let row = match intake {
            Intake::Page(page) => return self.page(input, page, source),
            Intake::Feed(items) => {
                if let Some(digest) = digest {
                    self.push(Row::of(Kind::Feed, "", 0, &digest)?);
                }
                return items.iter().try_for_each(|item| {
                    self.push(Row::of(Kind::FeedItem, "", 0, item)?);
                    Ok(())
                });
            }
            Intake::Redirect { from, to } => match redirect(&from, to, &self.tracking) {
                Some(redirect) => Row::of(Kind::Redirect, "", 0, &redirect)?,
                None => return Ok(()),
            },
            Intake::Revisit(revisit) => Row::of(Kind::Revisit, "", 0, &revisit)?,
            Intake::Drop(drop) => Row::of(Kind::Drop, "", 0, &(drop, digest))?,
        };
        self.push(row);
        Ok(())
    }

    fn push(&self, row: Row) {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
    }

    fn page(&self, input: usize, page: Page, source: &Source) -> io::Result<()> {
        let is_saved = page.url.starts_with("file:");
        let canonical = if is_saved { own_address(&page) } else { None };
        let part = match site_key(&page.url).filter(|_| !is_saved) {
            Some(site) => Spool::part_of(hash_of(&site)),
            None if is_saved => SAVED,
            // It is dropped when sites are formed.
            None => 0,
        };
        let declared = Declared::of_page(&page, &self.settings);
        let mut page = stored(input, page, source, canonical);
        page.head.declared = Some(Box::new(declared));
        self.spool.put(part, page)
    }

    /// All that is no page.
    fn finish(self) -> Result<Vec<Row>> {
        match self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error).context("cannot keep what was read"),
            None => Ok(self.rows.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}
