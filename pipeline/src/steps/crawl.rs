//! All surveys of a crawl, read as if one process had read its inputs: captures, revisits, redirects and feed items
//! are settled among all of them.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use grouping::{Address, Revisit, Tracking};
use model::FeedItem;
use sink::InputRecord;

use super::file::{Listed, StepFile};
use super::identity::Share;
use super::row::{Kind, decoded, hash_of};
use crate::config::Config;
use crate::progress::observer::Observer;
use crate::shuffle::partition::{
    DropOfPayload, ItemOfSite, Partitioned, Partitioner, StoredSite, Totals, each_site,
};
use crate::shuffle::sorted::Merged;
use crate::shuffle::spool::{Spool, Surveys};
use crate::shuffle::stored::{Head, Html, PlaceInSurvey, SourceRecord, Stored};

/// The surveys whose pages are loaded.
#[derive(Debug)]
struct SurveyFiles(Vec<StepFile>);

impl Surveys for SurveyFiles {
    fn packed(&self, of: PlaceInSurvey) -> io::Result<Vec<u8>> {
        let file = self.0.get(of.survey as usize);
        file.ok_or_else(|| io::Error::other("a page is in no survey"))?.html(of.row)
    }
}

/// A crawl whose sites are formed.
pub(crate) struct Crawl {
    pub(crate) spool: Spool,
    items: Merged<ItemOfSite>,
    drops: Merged<DropOfPayload>,
    pub(crate) sites: Vec<u64>,
    pub(crate) totals: Totals,
    pub(crate) inputs: Vec<InputRecord>,
    pub(crate) unreadable: Vec<String>,
    pub(crate) other_records: u64,
    /// Pages of the sites of the share.
    pub(crate) pages: u64,
}

/// Whether a row is of something that may decide about other sites, too.
fn is_of_no_site(kind: Kind) -> bool {
    kind != Kind::Page
}

impl Crawl {
    /// Reads the heads of the pages of the sites that are wanted, by hash, and counts those of a share. Those of all
    /// other sites are read, too, if there are revisits, whose originals may be on any site, or feeds and redirects,
    /// which may meet on any page.
    ///
    /// # Errors
    /// If a survey cannot be read, or files cannot be written to `folder`, which must exist.
    pub(crate) fn read(
        surveys: Vec<StepFile>,
        wants: &dyn Fn(u64) -> bool,
        share: Share,
        folder: &Path,
        config: &Config,
        observer: &dyn Observer,
    ) -> io::Result<Self> {
        let sizes: Vec<u64> = surveys.iter().map(StepFile::size).collect();
        observer.reading(surveys.len(), sizes.iter().sum());
        // Each is read in two passes.
        let halves = |at: usize| (sizes[at] / 2, sizes[at] - sizes[at] / 2);
        let surveys = Arc::new(SurveyFiles(surveys));
        let as_surveys: Arc<dyn Surveys> = Arc::<SurveyFiles>::clone(&surveys);
        let spool = Spool::of_surveys(as_surveys);
        let tracking = Tracking::new(&config.group.tracking_parameters);
        let partitioner = Partitioner::new(&spool, folder, tracking);
        let (mut inputs, mut unreadable, mut other_records) = (Vec::new(), Vec::new(), 0);
        let mut kinds: BTreeSet<Kind> = BTreeSet::new();
        let mut named: BTreeSet<String> = BTreeSet::new();
        for (at, (survey, file)) in (0..).zip(&surveys.0).enumerate() {
            file.each(true, &|kind, _| is_of_no_site(kind), &mut |row| {
                kinds.insert(row.kind);
                if row.kind != Kind::Input {
                    return take(&partitioner, survey, &row);
                }
                match decoded::<Option<InputRecord>>(row.record.data())? {
                    Some(input) => {
                        other_records += row.id;
                        if !named.insert(input.file.clone()) {
                            let twice = format!("{} is in two of the surveys", input.file);
                            return Err(io::Error::other(twice + ": survey each input once"));
                        }
                        inputs.push(input);
                    }
                    None => unreadable
                        .push(String::from_utf8_lossy(&file.html(row.number)?).into_owned()),
                }
                Ok(())
            })?;
            observer.read(halves(at).0);
        }
        let has = |kind| kinds.contains(&kind);
        let all = has(Kind::Revisit) || (has(Kind::FeedItem) && has(Kind::Redirect));
        let of_share = Cell::new(0);
        for (at, (survey, file)) in (0..).zip(&surveys.0).enumerate() {
            let is_wanted = |kind, hash| {
                let is_page = kind == Kind::Page;
                if is_page && share.has(hash) {
                    of_share.set(of_share.get() + 1);
                }
                let wanted = all || hash == 0 || wants(hash);
                if is_page && !wanted {
                    partitioner.note_page(hash);
                }
                is_page && wanted
            };
            file.each(true, &is_wanted, &mut |row| take(&partitioner, survey, &row))?;
            observer.read(halves(at).1);
        }
        let Partitioned { drops, items, sites, totals } = partitioner.finish()?;
        inputs.sort_by(|a, b| a.file.cmp(&b.file));
        unreadable.sort_unstable();
        let (items, drops) = (items.finish()?, drops.finish()?);
        // Saved files, and revisits of pages of other shares, have no site yet when they are counted.
        let pages = if share == Share::ALL { totals.pages } else { of_share.get() };
        Ok(Self { spool, items, drops, sites, totals, inputs, unreadable, other_records, pages })
    }

    /// What was dropped before sites were formed, in order.
    pub(crate) fn drops(&mut self) -> &mut Merged<DropOfPayload> {
        &mut self.drops
    }

    /// Passes on the sites that are wanted, by hash, in the order of outputs.
    ///
    /// # Errors
    /// Those of `hand`.
    pub(crate) fn each_site(
        &mut self,
        wants: &dyn Fn(u64) -> bool,
        hand: &mut dyn FnMut(StoredSite) -> io::Result<()>,
    ) -> io::Result<()> {
        each_site(&self.spool, &mut self.items, &mut |site| {
            if wants(hash_of(&site.key)) {
                hand(site)?;
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

/// Hands a row of a survey on, as if it were read now.
fn take(to: &Partitioner<'_>, survey: u32, row: &Listed) -> io::Result<()> {
    let record = row.record.data();
    let page = || -> io::Result<Stored> {
        let head: Head = decoded(record)?;
        let place = PlaceInSurvey { survey, row: row.number, id: row.id };
        Ok(Stored { head, html: Html::Surveyed(place), source: SourceRecord::default() })
    };
    match row.kind {
        Kind::Page => to.page(page()?),
        Kind::Saved => to.saved(page()?),
        Kind::FeedItem => to.item(decoded::<FeedItem>(record)?),
        Kind::Feed => to.feed(decoded::<(u64, u64)>(record)?),
        Kind::Redirect => to.redirect(decoded::<(Address, String)>(record)?),
        Kind::Revisit => to.revisit(decoded::<Revisit>(record)?),
        Kind::Drop => to.dropped(decoded::<DropOfPayload>(record)?),
        _ => Err(io::Error::other("a survey holds a row of another step")),
    }
}
