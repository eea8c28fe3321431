//! Takes the pages of a site from the spool and processes them: whole, or in parts if they are too many.

use std::collections::BTreeMap;
use std::io;

use model::Site;

use super::gather::Waiting;
use super::giant::Hand;
use super::other_copies::OtherCopies;
use super::spool::Spool;
use crate::config::Config;
use crate::further::WholeSite;
use crate::ledger::Clock;
use crate::site::{addresses_of, process_within};

impl Waiting {
    /// What its pages weigh that are worked on at once.
    pub(crate) fn weight(&self) -> u64 {
        let best = self.pages.iter().map(|page| page.head.weight).sum();
        // Of one address after the other the copies may be worked on, each once.
        let mut largest: BTreeMap<&str, u64> = BTreeMap::new();
        for other in &self.others {
            let weight = largest.entry(&other.head.url).or_default();
            *weight = other.head.weight.max(*weight);
        }
        largest.into_values().sum::<u64>().max(best)
    }
}

/// Processes a site whose first `done` parts are done already.
///
/// # Errors
/// If its pages cannot be read from the spool.
pub(crate) fn work_on(
    site: Waiting,
    done: usize,
    spool: &Spool,
    config: &Config,
    clock: &Clock,
    hand: &mut Hand<'_>,
) -> io::Result<()> {
    if site.weight() > config.cluster.whole_site_bytes {
        return super::giant::work_on(site, done, spool, config, clock, hand);
    }
    let Waiting { key, pages, items, others } = site;
    let others = OtherCopies::of(others).of_pages(&pages);
    let pages = clock.read.time(|| spool.load(&key, pages))?;
    let site = Site { key, pages, feed_items: items };
    let addresses = &addresses_of(&site, config);
    let (mut result, known) = process_within(&site, addresses, config, clock);
    let Site { key, pages, feed_items } = site;
    drop(pages);
    let whole = WholeSite { key: &key, items: &feed_items, addresses, config, clock };
    others.give(&whole, known.as_ref(), spool, "", &mut result)?;
    let _ = hand(0, result);
    Ok(())
}
