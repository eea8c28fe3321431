//! The sample of a site.

use proptest::prelude::*;
use sitegrove_grouping::{SampleHead, SampleLimits, address_hash, choose};

fn chosen<'a>(pages: &[(&'a str, u64)], pages_most: usize, bytes: u64) -> (Vec<&'a str>, bool) {
    let heads: Vec<_> = pages.iter().map(|&(url, bytes)| SampleHead::of(url, bytes)).collect();
    let sample = choose(&heads, SampleLimits { pages: pages_most, bytes });
    (sample.chosen.iter().map(|&at| heads[at].url).collect(), sample.cut_by_bytes)
}

fn by_hash(mut urls: Vec<&str>) -> Vec<&str> {
    urls.sort_by_key(|url| address_hash(url));
    urls
}

#[test]
fn addresses_are_hashed_as_others_can_compute() {
    // XXH3-64 with the seed 0, of the bytes of the address.
    assert_eq!(address_hash(""), 0x2d06_8005_38d3_94c2);
    assert_ne!(address_hash("https://e.org/1"), address_hash("https://e.org/2"));
}

#[test]
fn the_smallest_hashes_are_chosen() {
    let urls = ["https://e.org/1", "https://e.org/2", "https://e.org/3", "https://e.org/4"];
    let pages = urls.map(|url| (url, 10));
    let all = by_hash(urls.to_vec());
    assert_eq!(chosen(&pages, 3, 800), (all[..3].to_vec(), false));
    assert_eq!(chosen(&pages, 9, 800), (all.clone(), false));
    // Of one address one.
    assert_eq!(chosen(&[pages[0], pages[0]], 9, 800).0, urls[..1]);
    // 35 of 40 bytes end it, unless there are enough pages.
    let small = urls.map(|url| (url, 5));
    let many: Vec<_> = (0..20).map(|n| format!("https://e.org/many/{n}")).collect();
    let many: Vec<_> = many.iter().map(|url| (url.as_str(), 5)).collect();
    assert_eq!(chosen(&small, 9, 40), (all, false));
    let cut = chosen(&many, 9, 40);
    assert_eq!((cut.0.len(), cut.1), (7, true));
    let whole = chosen(&many, 7, 40);
    assert_eq!((whole.0, whole.1), (cut.0, false));
    assert_eq!(chosen(&[], 9, 40), (Vec::new(), false));
}

#[test]
fn large_pages_are_left_out_unless_all_are() {
    let (small, large) = (("https://e.org/s", 100), ("https://e.org/l", 101));
    assert_eq!(chosen(&[small, large], 9, 800), (vec![small.0], false));
    assert_eq!(chosen(&[large], 9, 800), (vec![large.0], false));
    let huge = [("https://e.org/1", 900), ("https://e.org/2", 900)];
    let first = by_hash(vec![huge[0].0, huge[1].0]).remove(0);
    assert_eq!(chosen(&huge, 9, 800), (vec![first], true));
    assert_eq!(chosen(&huge, 0, 0), (vec![first], false));
}

fn pages() -> impl Strategy<Value = Vec<(u64, u64)>> {
    // Hashes and sizes that meet: sizes on both sides of an eighth of the limit.
    prop::collection::btree_map(0_u64..40, 1_u64..20, 0..25)
        .prop_map(|pages| pages.into_iter().collect())
}

fn heads(pages: &[(u64, u64)]) -> Vec<SampleHead<'_>> {
    // Few hashes, so that addresses decide.
    const URLS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let head =
        |&(n, bytes): &(u64, u64)| SampleHead { hash: n / 8, url: URLS[(n % 8) as usize], bytes };
    pages.iter().map(head).collect()
}

fn sample(pages: &[(u64, u64)], limits: SampleLimits) -> (Vec<(u64, u64)>, bool) {
    let sample = choose(&heads(pages), limits);
    (sample.chosen.iter().map(|&at| pages[at]).collect(), sample.cut_by_bytes)
}

proptest! {
    #[test]
    fn samples_merge(
        all in pages().prop_shuffle(),
        parts in prop::collection::vec(0_usize..3, 40),
        most in 1_usize..12,
        bytes in 0_u64..150,
    ) {
        let limits = SampleLimits { pages: most, bytes };
        let of_part = |part| -> Vec<(u64, u64)> {
            all.iter().zip(&parts).filter(|(_, of)| **of == part).map(|(page, _)| *page).collect()
        };
        let samples: Vec<(u64, u64)> =
            (0..3).flat_map(|part| sample(&of_part(part), limits).0).collect();
        prop_assert_eq!(sample(&samples, limits), sample(&all, limits));
    }

    #[test]
    fn order_does_not_matter_and_limits_are_kept(
        (all, shuffled) in pages().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        most in 1_usize..12,
        bytes in 0_u64..150,
    ) {
        let limits = SampleLimits { pages: most, bytes };
        let (chosen, cut) = sample(&all, limits);
        prop_assert_eq!(&sample(&shuffled, limits), &(chosen.clone(), cut));
        prop_assert!(chosen.len() <= most && chosen.is_empty() == all.is_empty());
        prop_assert!(chosen.is_sorted());
        let total: u64 = chosen.iter().map(|(_, bytes)| bytes).sum();
        if all.iter().any(|page| page.1 <= bytes / 8) {
            prop_assert!(total <= bytes);
            let fitting = all.iter().filter(|page| page.1 <= bytes / 8).count();
            prop_assert!(cut || chosen.len() == most.min(fitting));
        }
    }
}
