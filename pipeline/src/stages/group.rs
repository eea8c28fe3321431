//! Stage 2, group.
//!
//! Takes: everything read: pages, feed items, redirects.
//! Gives: sites in emission order, each with its pages sorted and the feed items that point to them.
//! Why: the site is the unit of memory, parallelism and output from here on.
//! Drops: other captures of a URL (`duplicate-url`) and pages without a host (`bad-url`).

use std::collections::BTreeMap;

use grouping::{Sites, Tracking, group_by_site};
use model::{Drop, Page, Site, contain_panics};

use super::read::Intake;
use crate::config::GroupConfig;

/// The results of the read stage, grouped and sorted.
#[derive(Debug, Default)]
pub struct Grouped {
    /// Sites, sorted by (hash of the key, key): the order of all outputs.
    pub sites: Vec<Site>,
    /// What was dropped while reading and grouping, sorted.
    pub drops: Vec<Drop>,
    /// Feed items whose site has no page.
    pub unmatched_items: u64,
}

/// Groups pages and feed items by site. The result does not depend on the order of `intakes`.
pub fn group(intakes: Vec<Intake>, config: &GroupConfig) -> Grouped {
    let tracking = Tracking::new(&config.tracking_parameters);
    let (mut pages, mut items, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
    let mut drops: Vec<Drop> = Vec::new();
    for intake in name_saved_files(intakes) {
        match intake {
            Intake::Page(page) => pages.push(page),
            Intake::Feed(feed_items) => items.extend(feed_items),
            Intake::Redirect { from, to } => redirects.push((from, to)),
            Intake::Revisit(revisit) => drops.push(revisit.without_original()),
            Intake::Drop(drop) => drops.push(drop),
        }
    }
    let Sites { sites, drops: left_out, unmatched_items } =
        group_by_site(pages, items, redirects, &tracking);
    drops.extend(left_out);
    drops.sort();
    Grouped { sites, drops, unmatched_items }
}

/// The canonical address that a saved file declares, if it is a web address.
pub(crate) fn own_address(page: &Page) -> Option<String> {
    if !page.url.starts_with("file:") {
        return None;
    }
    let read = || dom::parse(&page.html).head().link("canonical").map(str::to_owned);
    let canonical = url::Url::parse(&contain_panics(read).ok()??).ok()?;
    matches!(canonical.scheme(), "http" | "https").then(|| canonical.into())
}

/// Saved files get the canonical address that they declare, unless another file declares the same one.
fn name_saved_files(mut intakes: Vec<Intake>) -> Vec<Intake> {
    let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, intake) in intakes.iter().enumerate() {
        if let Intake::Page(page) = intake
            && let Some(canonical) = own_address(page)
        {
            named.entry(canonical).or_default().push(i);
        }
    }
    for (canonical, files) in named {
        if let [file] = files[..]
            && let Intake::Page(page) = &mut intakes[file]
        {
            page.url = canonical;
        }
    }
    intakes
}
