//! A model applied to a table, batch by batch.

use std::sync::{Arc, Mutex};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use model::FeedItem;
use rayon::prelude::*;
use sink::{TableBuilder, drop_record};
use sitegrove::in_memory::{self, AppliedPage};
use sitemodel::{ApplyStatistics, Outcome, SiteModel};

use crate::detached::{guarded, in_threads};
use crate::pages_in::{Batches, pages_of};
use crate::seen::locked;
use crate::settings::Chosen;

/// Rows that are worked on at once, and bytes of their HTML: these bound memory, whatever the batches given are.
const MOST_ROWS: usize = 1_024;
const MOST_BYTES: usize = 8 << 20;

/// What comes of the pages of a table, in its order.
pub(crate) struct Applying {
    with: With,
    batches: Batches,
    /// What is left of the last batch.
    rest: Option<RecordBatch>,
}

/// What is applied to each batch, and how.
pub(crate) struct With {
    pub(crate) model: Arc<SiteModel>,
    pub(crate) chosen: Arc<Chosen>,
    pub(crate) seen: Arc<Mutex<ApplyStatistics>>,
    pub(crate) items: Vec<FeedItem>,
    pub(crate) threads: usize,
}

impl Applying {
    /// Begins; nothing is done before the first batch is asked for.
    pub(crate) fn new(with: With, batches: Batches) -> Self {
        Self { with, batches, rest: None }
    }
}

impl Iterator for Applying {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = loop {
            match self.rest.take().filter(|rest| rest.num_rows() > 0) {
                Some(batch) => break batch,
                None => match self.batches.next()? {
                    Ok(batch) => self.rest = Some(batch),
                    Err(error) => return Some(Err(error)),
                },
            }
        };
        let rows = rows_at_once(&batch);
        self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
        Some(self.with.outcomes(&batch.slice(0, rows)))
    }
}

impl With {
    fn outcomes(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let work = || in_threads(self.threads, || self.apply(batch));
        let failed = |message: String| ArrowError::ComputeError(message);
        guarded(work).map_err(failed)?.map_err(failed)?
    }

    fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let mut pages = pages_of(batch)?;
        pages.iter_mut().for_each(|page| self.model.site().clone_into(&mut page.site));
        let apply = |page| in_memory::apply(&self.model, page, &self.items, &self.chosen.settings);
        let taken: Vec<AppliedPage> = pages.par_iter().map(apply).collect();
        let mut seen = ApplyStatistics::default();
        taken.iter().for_each(|taken| seen.add(&taken.seen()));
        locked(&self.seen).merge(&seen);
        let mut rows = TableBuilder::of_outcomes()?;
        for taken in &taken {
            match &taken.applied.outcome {
                Outcome::Article(extracted) => rows.push(&extracted.article)?,
                Outcome::Drop(drop) => rows.push(&drop_record(drop))?,
                Outcome::Unassigned => {
                    return Err(ArrowError::ComputeError("a page was not looked at".into()));
                }
            }
        }
        rows.take_batch()
    }
}

/// How many of the first rows of a batch are worked on at once.
fn rows_at_once(batch: &RecordBatch) -> usize {
    let Some(html) = batch.column_by_name("html") else { return batch.num_rows() };
    let length = |row: usize| match html.data_type() {
        DataType::Utf8 => html.as_string::<i32>().value_length(row) as usize,
        DataType::LargeUtf8 => html.as_string::<i64>().value_length(row) as usize,
        DataType::Binary => html.as_binary::<i32>().value_length(row) as usize,
        DataType::LargeBinary => html.as_binary::<i64>().value_length(row) as usize,
        DataType::Utf8View => html.as_string_view().value(row).len(),
        DataType::BinaryView => html.as_binary_view().value(row).len(),
        _ => 0,
    };
    let mut bytes = 0;
    let fits = |row: &usize| {
        bytes += length(*row);
        bytes <= MOST_BYTES
    };
    (0..html.len().min(MOST_ROWS)).take_while(fits).count().max(1)
}
