//! Apply: extracts the pages of a site with its model.
//!
//! Takes: parsed pages, the site's model, and which pages form one article.
//! Gives: for each page its article or the reason why it has none; together, the result of the site or of a part of it.
//! Why: this is the purpose of the program.
//! Drops: pages without an article, and pages that are parts of another page's article.

mod found;

use std::collections::BTreeMap;

use grouping::Part;
use model::{CharacterCounts, Extracted, FeedItem};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sitemodel::{
    Applied, ApplyOptions, KnownPage, Meter, Outcome, ParsedPage, Settings, SiblingPage, SiteModel,
};

use super::learn::{ParsedPages, Surveyed};

pub use self::found::PageFinding;
pub(crate) use self::found::{Findings, found, join, result, unassigned};

/// What happens to pages that fit no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Unassigned {
    /// Leave them for the second round of learning.
    Wait,
    /// Extract each by itself.
    Alone,
}

/// The outcomes of pages, by their indices in the site.
pub type Outcomes = BTreeMap<usize, Applied>;

/// Maximum number of nodes of the pages that are processed at the same time: each scored block takes a kilobyte, and
/// there is at most one block for every two nodes.
const NODES_AT_ONCE: usize = 300_000;

/// Pages with fewer nodes are always processed in parallel. Real pages have a few thousand.
const SMALL: usize = 20_000;

/// Applies a model to a page, given the feed items that point to it. The outcome depends on nothing else of the site.
pub fn apply_page(
    (model, settings): (&SiteModel, &Settings),
    meter: &dyn Meter,
    page: &ParsedPage<'_>,
    feed_items: &[&FeedItem],
    hints: ApplyOptions<'_>,
    unassigned: Unassigned,
) -> Applied {
    let sibling = SiblingPage { page, feed_items };
    let applied = model.apply_parsed(&sibling, hints, settings, meter);
    match (&applied.outcome, unassigned) {
        (Outcome::Unassigned, Unassigned::Alone) => {
            model.apply_alone(&sibling, hints, settings, meter)
        }
        _ => applied,
    }
}

/// A site and the model that is applied to its pages.
#[derive(Clone, Copy)]
pub struct ApplyContext<'a> {
    pub(crate) site: &'a Surveyed,
    pub(crate) model: &'a SiteModel,
    pub(crate) settings: &'a Settings,
    pub(crate) meter: &'a dyn Meter,
}

impl ApplyContext<'_> {
    /// Applies the model to the pages that have no outcome in `done`, and returns all outcomes. `known` has what learning
    /// found out about pages, by index.
    pub(crate) fn apply(
        &self,
        pages: &ParsedPages<'_>,
        known: &BTreeMap<usize, KnownPage>,
        unassigned: Unassigned,
        mut done: Outcomes,
    ) -> Outcomes {
        if unassigned == Unassigned::Alone {
            done.retain(|_, applied| applied.outcome != Outcome::Unassigned);
        }
        let further: Vec<(usize, &ParsedPage<'_>)> = pages
            .iter()
            .filter(|(at, _)| !done.contains_key(at))
            .filter_map(|(at, parsed)| Some((*at, parsed.as_ref().ok()?)))
            .collect();
        done.extend(self.each(&further, known, unassigned));
        done
    }

    /// Applies the model to parsed pages: in parallel, except for pages with very many nodes.
    pub(crate) fn each(
        &self,
        pages: &[(usize, &ParsedPage<'_>)],
        known: &BTreeMap<usize, KnownPage>,
        unassigned: Unassigned,
    ) -> Outcomes {
        let apply = |(at, page): &&(usize, &ParsedPage<'_>)| {
            (*at, self.one(*at, page, known.get(at), unassigned))
        };
        let most = (NODES_AT_ONCE / rayon::current_num_threads()).max(SMALL);
        let (large, small): (Vec<_>, Vec<_>) =
            pages.iter().partition(|(_, page)| page.document.len() > most);
        let mut outcomes: Outcomes = small.par_iter().map(apply).collect();
        outcomes.extend(large.iter().map(apply));
        outcomes
    }

    fn one(
        &self,
        at: usize,
        parsed: &ParsedPage<'_>,
        known: Option<&KnownPage>,
        unassigned: Unassigned,
    ) -> Applied {
        let hints = ApplyOptions { known, part: self.site.part(at) != Part::Whole };
        let with = (self.model, self.settings);
        apply_page(with, self.meter, parsed, &self.site.items_of(at), hints, unassigned)
    }

    /// Returns the articles of other captures, each given with the index of its page. Captures without an article are left out.
    pub(crate) fn captures(&self, captures: &ParsedPages<'_>) -> Vec<(Extracted, CharacterCounts)> {
        let article = |(at, parsed): &(usize, Result<ParsedPage<'_>, &model::Page>)| {
            let applied = self.one(*at, parsed.as_ref().ok()?, None, Unassigned::Alone);
            Some((applied.outcome.into_article()?, applied.characters))
        };
        captures.iter().filter_map(article).collect()
    }
}
