//! Takes the pages of a site from the spool and processes them: whole, or in parts if they are too many.

use std::io;
use std::ops::ControlFlow;

use model::Site;
use sink::SiteResult;

use super::gather::Waiting;
use super::spool::Spool;
use crate::config::Config;
use crate::ledger::Clock;
use crate::site::process;

/// Takes the results of a site's parts, by number; says whether to go on.
pub(crate) type Hand<'a> = dyn FnMut(usize, SiteResult) -> ControlFlow<()> + Send + 'a;

impl Waiting {
    /// What its pages weigh.
    pub(crate) fn weight(&self) -> u64 {
        self.pages.iter().map(|page| page.head.weight).sum()
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
    let Waiting { key, pages, items, drops } = site;
    let pages = clock.read.time(|| spool.load(&key, pages))?;
    let mut result = process(&Site { key, pages, feed_items: items }, config, clock);
    result.drops.extend(drops);
    result.drops.sort();
    let _ = hand(0, result);
    Ok(())
}
