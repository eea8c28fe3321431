//! Captures of one address: the best is the page, the others are duplicates.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;
use model::{Drop, DropReason, Origin, Page, Stage};
use xxhash_rust::xxh3::xxh3_128;

/// A capture of a page, with or without its HTML.
pub trait Capture {
    /// Its address.
    fn url(&self) -> &str;
    /// When it was fetched.
    fn fetched(&self) -> Option<Timestamp>;
    /// The record it comes from.
    fn origin(&self) -> &Origin;
    /// XXH3-128 of its HTML. Called only if captures differ only in their place.
    fn digest(&self) -> u128;
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

    fn digest(&self) -> u128 {
        xxh3_128(self.html.as_bytes())
    }
}

/// The captures of the pages of a site.
#[derive(Debug)]
pub struct Copies<C> {
    /// The best of each address, in the order of addresses.
    pub best: Vec<C>,
    /// All others, in the same order, those of one address best first.
    pub others: Vec<C>,
}

/// Sorts the captures of the pages of a site. For one address, complete captures come first, then later ones,
/// then by record id and content. The path of a file decides only which of several places of the same bytes
/// is reported.
pub fn settle<C: Capture + Clone>(mut captures: Vec<C>) -> Copies<C> {
    captures.sort_unstable_by(|a, b| {
        let order =
            |capture: &C| (capture.origin().truncated.is_some(), Reverse(capture.fetched()));
        let place = |capture: &C| (capture.origin().offset, Arc::clone(&capture.origin().file));
        (a.url().cmp(b.url()))
            .then_with(|| order(a).cmp(&order(b)))
            .then_with(|| a.origin().record_id.cmp(&b.origin().record_id))
            .then_with(|| a.digest().cmp(&b.digest()))
            .then_with(|| place(a).cmp(&place(b)))
    });
    // In place: a site may have millions of pages.
    let mut others = Vec::new();
    captures.dedup_by(|capture, best| {
        let is_other = capture.url() == best.url();
        if is_other {
            others.push(capture.clone());
        }
        is_other
    });
    Copies { best: captures, others }
}

/// A page that is dropped while grouping.
pub fn drop_of(site: &str, page: &impl Capture, reason: DropReason, detail: String) -> Drop {
    let (site, url) = (site.to_owned(), page.url().to_owned());
    let (origin, stage) = (page.origin().clone(), Stage::Group);
    Drop { site, url, origin, stage, reason, detail, gone: None }
}

/// A time in the text of a drop.
pub fn when(fetched: Option<Timestamp>) -> String {
    fetched.map_or_else(|| "at an unknown time".to_owned(), |time| time.to_string())
}

/// The drop of a capture in favour of the one that was fetched at `kept`.
pub fn duplicate(site: &str, copy: &impl Capture, kept: Option<Timestamp>) -> Drop {
    drop_of(site, copy, DropReason::DuplicateUrl, kept_instead(copy.origin(), kept))
}

/// The text of that drop.
pub fn kept_instead(copy: &Origin, kept: Option<Timestamp>) -> String {
    let when = when(kept);
    match &copy.truncated {
        Some(why) => format!("truncated ({why}); the copy fetched {when} is kept"),
        None => format!("the copy fetched {when} is kept"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::head::PageHead;
    use crate::samples::page;

    fn capture(url: &str, day: i64, record_id: &str, html: &str, file: &str) -> PageHead {
        let mut page = page(url, html);
        page.fetched = Timestamp::from_second(day * 86_400).ok();
        page.origin.record_id = record_id.to_owned();
        page.origin.file = file.into();
        PageHead::of(&page, None, "")
    }

    #[test]
    fn complete_captures_come_first_then_later_ones() {
        let mut cut = capture("u", 9, "cut", "x", "a");
        cut.origin.truncated = Some("length".to_owned());
        let mut unknown = capture("u", 0, "unknown", "x", "a");
        unknown.fetched = None;
        let (early, late) = (capture("u", 1, "early", "x", "b"), capture("u", 2, "late", "x", "c"));
        let other = capture("t", 0, "other", "x", "d");
        let copies = settle(vec![cut, early, unknown, other, late]);
        let ids = |of: &[PageHead]| -> Vec<String> {
            of.iter().map(|head| head.origin.record_id.clone()).collect()
        };
        assert_eq!(ids(&copies.best), ["other", "late"]);
        assert_eq!(ids(&copies.others), ["early", "unknown", "cut"]);
        let [.., cut] = &copies.others[..] else { unreachable!("three") };
        let drop = duplicate("s", cut, copies.best[1].fetched);
        assert_eq!(
            drop.detail,
            "truncated (length); the copy fetched 1970-01-03T00:00:00Z is kept"
        );
        assert_eq!((&*drop.url, drop.reason), ("u", DropReason::DuplicateUrl));
    }

    #[test]
    fn a_page_and_its_head_have_one_digest() {
        let page = page("u", "<p>x");
        assert_eq!(Capture::digest(&page), PageHead::of(&page, None, "").digest);
    }

    proptest! {
        #[test]
        fn neither_order_nor_paths_decide(
            captures in prop::collection::vec((0_u8..2, 0_i64..2, 0_u8..2, 0_u8..2), 1..12),
            files in prop::collection::vec("[a-c]", 12),
            order in prop::collection::vec(any::<u64>(), 12),
        ) {
            let heads: Vec<PageHead> = (captures.iter().zip(&files))
                .map(|(&(url, day, id, html), file)| {
                    capture(&url.to_string(), day, &id.to_string(), &html.to_string(), file)
                })
                .collect();
            let mut shuffled: Vec<(u64, PageHead)> = order.into_iter().zip(heads.clone()).collect();
            shuffled.sort_by_key(|(by, _)| *by);
            let shuffled: Vec<PageHead> = shuffled.into_iter().map(|(_, head)| head).collect();
            let (one, other) = (settle(heads.clone()), settle(shuffled.clone()));
            prop_assert_eq!(&one.best, &other.best);
            prop_assert_eq!(&one.others, &other.others);
            // With all files named alike the same contents come first.
            let unnamed = |heads: Vec<PageHead>| -> Vec<PageHead> {
                let unname = |mut head: PageHead| {
                    head.origin.file = "".into();
                    head
                };
                heads.into_iter().map(unname).collect()
            };
            prop_assert_eq!(unnamed(one.best), settle(unnamed(shuffled)).best);
        }
    }
}
