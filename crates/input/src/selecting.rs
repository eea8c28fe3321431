//! Chooses among what is read, as a [`PageSelection`] says.
//!
//! The other records are counted by reason, for each input, and not listed one by one: a run of one site of a large
//! crawl would list the crawl.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use grouping::site_key;
use jiff::Timestamp;
use model::DropReason;
use sink::{ChosenPages, InputRecord, PageSelection};

use crate::file_type::is_picture;
use crate::read::{InputSummary, Intake, own_address};

/// Chooses among what is read. With a limit, inputs must be read one after the other.
#[derive(Debug)]
pub struct Selecting {
    selection: PageSelection,
    /// Pages taken so far.
    taken: AtomicU64,
}

/// What was left out of one input.
#[derive(Debug, Default)]
pub struct LeftOut {
    records: BTreeMap<String, u64>,
    html_bytes: u64,
    /// Pages and revisits that were taken.
    taken: u64,
}

impl Selecting {
    /// Chooses what `selection` says, of all inputs together.
    pub fn new(selection: PageSelection) -> Self {
        Self { selection, taken: AtomicU64::new(0) }
    }

    /// Chooses from one input as before, by its record; `None` if no page of it was taken.
    pub fn again(record: &InputRecord) -> Option<Self> {
        let Some(chosen) = &record.chosen else { return Some(Self::new(PageSelection::default())) };
        let limit = if chosen.pages.limit > 0 { chosen.taken } else { 0 };
        let selection = PageSelection { limit, ..chosen.pages.clone() };
        (chosen.taken > 0).then(|| Self::new(selection))
    }

    /// Whether inputs must be read in their order, one after the other.
    pub(crate) fn is_in_order(&self) -> bool {
        self.selection.limit > 0
    }

    /// Passes on what is chosen; counts what is not.
    pub fn admit(&self, intake: Intake, left_out: &mut LeftOut) -> Option<Intake> {
        if self.selection.is_all() {
            return Some(intake);
        }
        let Some(reason) = self.against(&intake) else {
            left_out.taken += u64::from(matches!(intake, Intake::Page(_) | Intake::Revisit(_)));
            return Some(intake);
        };
        *left_out.records.entry(reason.as_str().to_owned()).or_default() += 1;
        if let Intake::Page(page) = intake {
            left_out.html_bytes += page.html.len() as u64;
        }
        None
    }

    /// Why something is not chosen, if so. Feeds, redirects and pictures say something of pages of other sites, too:
    /// they are always taken.
    fn against(&self, intake: &Intake) -> Option<DropReason> {
        let (site, date) = match intake {
            Intake::Page(page) => (
                own_address(page).map_or_else(|| site_key(&page.url), |own| site_key(&own)),
                page.fetched,
            ),
            Intake::Revisit(revisit) => (site_key(&revisit.url), revisit.date),
            Intake::Drop(drop) if is_picture(drop) => return None,
            Intake::Drop(drop) => return self.against_drop(site_key(&drop.url)),
            Intake::Feed(_) | Intake::Redirect { .. } => return None,
        };
        let chosen = &self.selection;
        if !chosen.sites.is_empty() && !site.is_some_and(|site| chosen.sites.contains(&site)) {
            return Some(DropReason::OtherSite);
        }
        let bounded = chosen.since.is_some() || chosen.before.is_some();
        let within = |date: Timestamp| {
            chosen.since.is_none_or(|since| since <= date)
                && chosen.before.is_none_or(|before| date < before)
        };
        if bounded && !date.is_some_and(within) {
            return Some(DropReason::OtherDate);
        }
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        (chosen.limit > 0 && number >= chosen.limit).then_some(DropReason::OverLimit)
    }

    /// Damage has no address: it is always reported, up to the limit.
    fn against_drop(&self, site: Option<String>) -> Option<DropReason> {
        let chosen = &self.selection;
        match site {
            Some(site) if !chosen.sites.is_empty() && !chosen.sites.contains(&site) => {
                Some(DropReason::OtherSite)
            }
            _ if chosen.limit > 0 && self.taken.load(Ordering::Relaxed) >= chosen.limit => {
                Some(DropReason::OverLimit)
            }
            _ => None,
        }
    }

    /// The record of an input for the ledger.
    pub fn record(&self, summary: &InputSummary, left_out: LeftOut) -> InputRecord {
        let record = InputRecord::from(summary);
        let html_bytes = record.html_bytes.saturating_sub(left_out.html_bytes);
        let LeftOut { records, taken, .. } = left_out;
        let chosen = || ChosenPages { pages: self.selection.clone(), taken, left_out: records };
        InputRecord { chosen: (!self.selection.is_all()).then(chosen), html_bytes, ..record }
    }
}
