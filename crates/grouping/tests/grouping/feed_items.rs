//! Feed items join the pages they point to.

use std::sync::Arc;

use model::FeedItem;
use sitegrove_grouping::{PageHead, PagesByLink, SiteAddresses, Tracking, join_feed_items};

use crate::samples::{feed_item, page};

fn joined(pages: &[&str], items: &[(&str, &str)]) -> Vec<Vec<u32>> {
    let tracking = Tracking::new(&["ref".into()]);
    let site = SiteAddresses::of(pages.iter().copied(), tracking);
    let heads: Vec<PageHead> =
        pages.iter().map(|url| PageHead::of(&page(url, url), None, "")).collect();
    let items: Vec<FeedItem> = items.iter().map(|(link, title)| feed_item(link, title)).collect();
    join_feed_items(&items, &PagesByLink::of(Arc::new(site), &heads), pages.len())
}

#[test]
fn items_join_the_page_they_lead_to() {
    let pages = ["https://e.org/a", "https://e.org/b"];
    let items = [
        ("http://www.e.org/b?ref=rss", "B"),
        ("https://e.org/c", "C"),
        ("https://e.org/b#top", "B"),
    ];
    assert_eq!(joined(&pages, &items), [vec![], vec![0, 2]]);
}

#[test]
fn comments_join_no_page() {
    let items = [
        ("https://e.org/a#comment-5", "By: Ann"),
        ("https://e.org/a#comment-6", "By: Ben"),
        ("https://e.org/a#ref-1", "A"),
        ("https://e.org/b#ref-1", "B"),
        ("https://e.org/b#xtor=RSS-3", "B"),
    ];
    assert_eq!(joined(&["https://e.org/a", "https://e.org/b"], &items), [vec![2], vec![3, 4]]);
}

#[test]
fn items_of_pages_that_the_crawl_lacks_join_none() {
    let pages = ["https://e.org/a?ref=1"];
    let items = [("https://e.org/a?ref=2", "B"), ("https://e.org/a?ref=3", "C"), (pages[0], "A")];
    assert_eq!(joined(&pages, &items), [vec![2]]);
    // With one title, all of them may point to the page.
    let alike = items.map(|(link, _)| (link, "A"));
    assert_eq!(joined(&pages, &alike), [vec![0, 1, 2]]);
}
