//! The best capture of an address is kept.

use jiff::Timestamp;
use model::{DropReason, Page};
use proptest::prelude::*;
use sitegrove_grouping::{Capture, PageHead, duplicate, settle};

use crate::samples::page;

fn capture(url: &str, day: i64, record_id: &str, html: &str, file: &str) -> Page {
    let mut page = page(url, html);
    page.fetched = Timestamp::from_second(day * 86_400).ok();
    page.origin.record_id = record_id.to_owned();
    page.origin.file = file.into();
    page
}

fn heads(pages: &[Page]) -> Vec<PageHead> {
    pages.iter().map(|page| PageHead::of(page, None, "")).collect()
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
    let ids = |of: &[Page]| -> Vec<String> {
        of.iter().map(|page| page.origin.record_id.clone()).collect()
    };
    assert_eq!(ids(&copies.best), ["other", "late"]);
    assert_eq!(ids(&copies.others), ["early", "unknown", "cut"]);
    let [.., cut] = &copies.others[..] else { unreachable!("three") };
    let drop = duplicate("s", cut, copies.best[1].fetched);
    assert_eq!(drop.detail, "truncated (length); the copy fetched 1970-01-03T00:00:00Z is kept");
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
        let pages: Vec<Page> = (captures.iter().zip(&files))
            .map(|(&(url, day, id, html), file)| {
                capture(&url.to_string(), day, &id.to_string(), &html.to_string(), file)
            })
            .collect();
        let mut shuffled: Vec<(u64, Page)> = order.into_iter().zip(pages.clone()).collect();
        shuffled.sort_by_key(|(by, _)| *by);
        let shuffled: Vec<Page> = shuffled.into_iter().map(|(_, page)| page).collect();
        let (one, other) = (settle(pages), settle(shuffled.clone()));
        prop_assert_eq!(heads(&one.best), heads(&other.best));
        prop_assert_eq!(heads(&one.others), heads(&other.others));
        // With all files named alike the same contents come first.
        let unnamed = |pages: Vec<Page>| -> Vec<Page> {
            let unname = |mut page: Page| {
                page.origin.file = "".into();
                page
            };
            pages.into_iter().map(unname).collect()
        };
        prop_assert_eq!(heads(&unnamed(one.best)), heads(&settle(unnamed(shuffled)).best));
    }
}
