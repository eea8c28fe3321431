//! Pages that are parts of one article.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use sitegrove_grouping::{
    PageHead, PagesByLink, Part, PartHead, Parts, SiteAddresses, Tracking, join_parts, parts_of,
};

use crate::samples::page;

/// Pages in the order of their addresses, with single page and next page by number.
type Links = (Option<usize>, Option<usize>);

const URLS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

fn page_of(link: &str) -> Option<usize> {
    URLS.iter().position(|url| *url == link)
}

fn heads(links: &[Links]) -> Vec<PartHead<'static>> {
    let head = |(at, &(single, next)): (usize, &Links)| PartHead {
        url: URLS[at],
        single_page: single.map(|to| URLS[to]),
        next_page: next.map(|to| URLS[to]),
        group: Some("e.org"),
    };
    links.iter().enumerate().map(head).collect()
}

fn joined(links: &[Links]) -> Parts {
    join_parts(&heads(links), &page_of)
}

fn next(to: usize) -> Links {
    (None, Some(to))
}

fn single(to: usize) -> Links {
    (Some(to), None)
}

const NONE: Links = (None, None);

#[test]
fn next_pages_are_parts_of_the_first() {
    let Parts { pages, following } = joined(&[NONE, next(0), next(1), NONE]);
    assert_eq!(pages, [Part::Of(2), Part::Of(2), Part::Whole, Part::Whole]);
    assert_eq!(following, BTreeMap::from([(2, vec![1, 0])]));
}

#[test]
fn of_two_that_lead_to_one_the_first_by_address_counts() {
    let Parts { pages, following } = joined(&[next(2), next(2), NONE]);
    assert_eq!(pages, [Part::Whole, Part::Whole, Part::Of(0)]);
    assert_eq!(following, BTreeMap::from([(0, vec![2])]));
    let mut turned = heads(&[next(2), next(2), NONE]);
    (turned[0].url, turned[1].url) = ("b", "a");
    assert_eq!(join_parts(&turned, &page_of).following, BTreeMap::from([(1, vec![2])]));
}

#[test]
fn heads_and_their_links_make_articles() {
    let urls: Vec<String> =
        (0..120).map(|n| format!("https://e.org/a{:02}?page={}", n / 3, n % 3 + 1)).collect();
    let site = SiteAddresses::of(urls.iter().map(String::as_str), Tracking::new(&["ref".into()]));
    let head = |(at, url): (usize, &String)| PageHead {
        next_page: (at % 3 < 2).then(|| format!("{}&ref=next", urls[at + 1])),
        part_group: Some("e.org".to_owned()),
        ..PageHead::of(&page(url, url), None, "")
    };
    let heads: Vec<PageHead> = urls.iter().enumerate().map(head).collect();
    let Parts { pages, following } = parts_of(&heads, &PagesByLink::of(Arc::new(site), &heads));
    let articles = (0..40).map(|n| (3 * n, vec![3 * n + 1, 3 * n + 2]));
    assert_eq!(following, articles.collect());
    assert_eq!(pages.iter().filter(|part| **part == Part::Whole).count(), 40);
}

#[test]
fn rings_stay_and_pages_do_not_follow_themselves() {
    let Parts { pages, following } = joined(&[next(1), next(0), next(2), single(3)]);
    assert_eq!((pages, following), (vec![Part::Whole; 4], BTreeMap::new()));
    // A page that leads into a ring comes after those in the ring if its address does.
    let Parts { pages, .. } = joined(&[next(1), next(0), next(0)]);
    assert_eq!(pages, [Part::Whole; 3]);
    let Parts { following, .. } = joined(&[next(1), next(2), next(1)]);
    assert_eq!(following, BTreeMap::from([(0, vec![1, 2])]));
}

#[test]
fn the_single_page_is_the_article() {
    let Parts { pages, following } = joined(&[(Some(2), Some(1)), (Some(2), None), single(2)]);
    assert_eq!(pages, [Part::Of(2), Part::Of(2), Part::Whole]);
    assert!(following.is_empty(), "nothing is joined: {following:?}");
    // In a chain of single-page versions only the last is one.
    let Parts { pages, .. } = joined(&[single(1), single(2), NONE]);
    assert_eq!(pages, [Part::Whole, Part::Of(2), Part::Whole]);
    // A part of a single page is no next page.
    let Parts { pages, following } = joined(&[next(1), single(2), NONE]);
    assert_eq!((pages[0], following.len()), (Part::Whole, 0));
}

#[test]
fn links_count_within_a_group() {
    let mut pages = heads(&[next(1), next(2), next(3), NONE]);
    pages[1].group = Some("other.example");
    pages[3].group = None;
    assert_eq!(join_parts(&pages, &page_of).pages, [Part::Whole; 4]);
    pages[1].group = None;
    pages[2].group = None;
    assert!(join_parts(&pages, &page_of).following.is_empty());
    assert!(join_parts(&pages, &|_| None).following.is_empty());
    assert!(join_parts(&pages, &|_| Some(99)).following.is_empty());
}

#[test]
fn an_article_has_a_hundred_more_pages_at_most() {
    let urls: Vec<String> = (0..150).map(|n| format!("{n:03}")).collect();
    let head = |at: usize| PartHead {
        url: &urls[at],
        next_page: urls.get(at + 1).map(String::as_str),
        group: Some(""),
        ..PartHead::default()
    };
    let pages: Vec<PartHead<'_>> = (0..150).map(head).collect();
    let parts = join_parts(&pages, &|link| link.parse().ok());
    assert_eq!(parts.following[&0], (1..=100).collect::<Vec<_>>());
    assert_eq!((parts.pages[100], parts.pages[101]), (Part::Of(0), Part::Whole));
}

proptest! {
    #[test]
    fn articles_do_not_overlap_whatever_the_order(
        links in prop::collection::vec(
            (prop::option::weighted(0.2, 0_usize..8), prop::option::weighted(0.7, 0_usize..8)),
            8,
        ),
        order in Just((0_usize..8).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let parts = joined(&links);
        for (&first, following) in &parts.following {
            prop_assert_eq!(parts.pages[first], Part::Whole);
            prop_assert!(!following.is_empty());
            for &at in following {
                prop_assert_eq!(parts.pages[at], Part::Of(first));
            }
        }
        for (at, part) in parts.pages.iter().enumerate() {
            if let Part::Of(whole) = part {
                prop_assert_eq!(parts.pages[*whole], Part::Whole);
                let listed = parts.following.values().filter(|of| of.contains(&at)).count();
                let by_single = links[at].0.is_some_and(|single| {
                    single == *whole || parts.following[whole].contains(&single)
                });
                prop_assert!(listed == 1 || by_single && listed == 0);
            }
        }
        // The same in another order of rows.
        let heads = heads(&links);
        let rows: Vec<PartHead<'_>> = order.iter().map(|&at| heads[at]).collect();
        let place = |at: usize| order.iter().position(|of| *of == at).unwrap();
        let again = join_parts(&rows, &|link| page_of(link).map(place));
        let whole = |part: Part| match part {
            Part::Whole => None,
            Part::Of(at) => Some(order[at]),
        };
        for at in 0..8 {
            let expected = match parts.pages[at] {
                Part::Whole => None,
                Part::Of(whole) => Some(whole),
            };
            prop_assert_eq!(whole(again.pages[place(at)]), expected);
        }
    }
}
