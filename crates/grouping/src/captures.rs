//! Captures of one address: the best is the page, the others are duplicates.

use jiff::Timestamp;
use model::{Drop, DropReason, Origin, Page, Stage};

/// A page as grouping sees it, whether its HTML is at hand or not.
pub trait Capture {
    /// Its address.
    fn url(&self) -> &str;
    /// When it was fetched.
    fn fetched(&self) -> Option<Timestamp>;
    /// Where it lies.
    fn origin(&self) -> &Origin;
}

impl Capture for Page {
    fn url(&self) -> &str {
        &self.url
    }

    fn fetched(&self) -> Option<Timestamp> {
        self.fetched
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }
}

/// The captures of the pages of a site.
#[derive(Debug)]
pub struct Copies<C> {
    /// The best of each address, in the order of addresses.
    pub best: Vec<C>,
    /// All others, in the same order, those of one address the better first.
    pub others: Vec<C>,
}

/// Sorts the captures of the pages of a site. Of one address complete captures come first, then later
/// ones.
pub fn settle<C: Capture>(mut captures: Vec<C>) -> Copies<C> {
    captures.sort_by(|a, b| {
        let truncated = |capture: &C| capture.origin().truncated.is_some();
        (a.url().cmp(b.url()))
            .then_with(|| truncated(a).cmp(&truncated(b)))
            .then_with(|| b.fetched().cmp(&a.fetched()))
            .then_with(|| b.origin().cmp(a.origin()))
    });
    let mut copies: Copies<C> = Copies { best: Vec::new(), others: Vec::new() };
    for capture in captures {
        match copies.best.last() {
            Some(last) if last.url() == capture.url() => copies.others.push(capture),
            _ => copies.best.push(capture),
        }
    }
    copies
}

/// A page left out while grouping.
pub fn drop_of(site: &str, page: &impl Capture, reason: DropReason, detail: String) -> Drop {
    let (site, url) = (site.to_owned(), page.url().to_owned());
    Drop { site, url, origin: page.origin().clone(), stage: Stage::Group, reason, detail }
}

/// A time as drops tell it.
pub fn when(fetched: Option<Timestamp>) -> String {
    fetched.map_or_else(|| "at a time unknown".to_owned(), |time| time.to_string())
}

/// Why a capture is left out: the one that was fetched at `kept` is kept.
pub fn duplicate(site: &str, copy: &impl Capture, kept: Option<Timestamp>) -> Drop {
    drop_of(site, copy, DropReason::DuplicateUrl, kept_instead(copy.origin(), kept))
}

/// The same in words.
pub fn kept_instead(copy: &Origin, kept: Option<Timestamp>) -> String {
    let when = when(kept);
    match &copy.truncated {
        Some(why) => format!("truncated ({why}); the copy fetched {when} is kept"),
        None => format!("the copy fetched {when} is kept"),
    }
}
