//! The feed items that point to a page.

use std::collections::{BTreeMap, BTreeSet};

use model::FeedItem;

use crate::links::PagesByLink;

/// Joins the feed items of a site to its `pages` pages: returns for each page the indices of the items that
/// point to it.
pub fn join_feed_items(items: &[FeedItem], links: &PagesByLink, pages: usize) -> Vec<Vec<u32>> {
    let mut joined = vec![Vec::new(); pages];
    for (i, item) in items.iter().enumerate() {
        for &page in links.pages(&item.link) {
            joined[page as usize].push(i as u32);
        }
    }
    for (page, of_page) in (0..).zip(&mut joined).filter(|(_, of_page)| of_page.len() > 1) {
        keep_own(page, of_page, items, links);
    }
    joined
}

/// Items with different titles whose links differ in the value of a tracking parameter point to different
/// pages, some of which the crawl lacks. Then only exact links are joined.
fn keep_own(page: u32, of_page: &mut Vec<u32>, items: &[FeedItem], links: &PagesByLink) {
    let item = |i: &u32| &items[*i as usize];
    let is_own = |i: &u32| links.is_exact(&item(i).link, page);
    let others = of_page.iter().filter(|i| !is_own(i)).map(item);
    let titles: BTreeSet<&str> = others.clone().map(|other| other.title.as_str()).collect();
    if titles.len() < 2 {
        return;
    }
    let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for address in others.filter_map(|other| links.site().address(&other.link)) {
        for (name, value) in address.parameters() {
            values.entry(name.to_owned()).or_default().insert(value.to_owned());
        }
    }
    if values.values().any(|values| values.len() > 1) {
        of_page.retain(is_own);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::addresses::SiteAddresses;
    use crate::head::PageHead;
    use crate::samples::{feed_item, page};
    use crate::tracking::Tracking;

    fn joined(pages: &[&str], items: &[(&str, &str)]) -> Vec<Vec<u32>> {
        let tracking = Tracking::new(&["ref".into()]);
        let site = SiteAddresses::of(pages.iter().copied(), tracking);
        let heads: Vec<PageHead> =
            pages.iter().map(|url| PageHead::of(&page(url, url), None, "")).collect();
        let items: Vec<FeedItem> =
            items.iter().map(|(link, title)| feed_item(link, title)).collect();
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
    fn items_of_pages_that_the_crawl_lacks_join_none() {
        let pages = ["https://e.org/a?ref=1"];
        let items =
            [("https://e.org/a?ref=2", "B"), ("https://e.org/a?ref=3", "C"), (pages[0], "A")];
        assert_eq!(joined(&pages, &items), [vec![2]]);
        // With one title, all of them may point to the page.
        let alike = items.map(|(link, _)| (link, "A"));
        assert_eq!(joined(&pages, &alike), [vec![0, 1, 2]]);
    }
}
