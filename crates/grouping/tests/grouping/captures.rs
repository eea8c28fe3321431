//! The best capture of an address is kept.

use jiff::Timestamp;
use model::DropReason;
use proptest::prelude::*;
use sitegrove_grouping::{Capture, PageHead, duplicate, settle};

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
