//! Groups what was read by site, all in memory: for commands that need only a few pages.
//!
//! Takes: everything read: pages, feed items, redirects, revisits.
//! Gives: sites in the order of outputs, each with its pages sorted and the feed items that lead to them.
//! Why: from here on, the site is the unit of memory, parallelism and output. A run forms its sites from segments instead.
//! Drops: other captures of a URL (`duplicate-url`) and pages without a host (`bad-url`).

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;

use config::GroupConfig;
use grouping::{Tracking, duplicate};
use input::read::{Intake, PayloadDigest};
use input::reader::InputsRead;
use model::{Drop, Site};

use crate::collect::Collector;
use crate::pages::StoredSite;
use crate::settle::{SettledSites, settle_sites};

/// What was read, grouped and sorted.
#[derive(Debug, Default)]
pub struct Grouped {
    /// Sites, sorted by (hash of the key, key), which is the order of all outputs. They have the best capture of each address.
    pub sites: Vec<Site>,
    /// Drops of reading and grouping, sorted: other captures of a URL (`duplicate-url`), pages without a host (`bad-url`),
    /// revisits whose page is missing, and drops that were in the input.
    pub drops: Vec<Drop>,
    /// Number of feed items whose site has no page.
    pub unmatched_items: u64,
}

/// Groups pages and feed items by site. The result does not depend on the order of what was read.
///
/// # Errors
/// If the HTML of a page cannot be compressed or decompressed.
pub fn group(read: Vec<(Intake, PayloadDigest)>, config: &GroupConfig) -> io::Result<Grouped> {
    let tracking = Tracking::new(&config.tracking_parameters);
    let collector = Collector::new(tracking, None, None);
    for (intake, digest) in read {
        collector.take(intake, digest);
    }
    let settled = settle_sites(collector.finish(InputsRead::default())?, config, None, &|_| true)?;
    let SettledSites { pages, mut of_sites, drops, totals, .. } = settled;
    let unmatched_items = totals.unmatched_items;
    let mut grouped = Grouped { unmatched_items, ..Grouped::default() };
    grouped.drops = drops.map(|drop| Ok(drop?.0)).collect::<io::Result<_>>()?;
    pages.each_site(&mut of_sites, &|_| true, &mut |site| {
        let StoredSite { key, pages: best, items, others } = site;
        let kept: BTreeMap<&str, _> =
            best.iter().map(|page| (&*page.head.url, page.head.fetched)).collect();
        grouped.drops.extend(
            others
                .iter()
                .map(|copy| duplicate(&key, copy, kept.get(&*copy.head.url).copied().flatten())),
        );
        let pages = pages.load(&key, best)?;
        grouped.sites.push(Site { key, pages, feed_items: items });
        Ok(ControlFlow::Continue(()))
    })?;
    grouped.drops.sort();
    Ok(grouped)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::{Charset, CharsetEvidence, DropReason, FeedItem, Origin, Overruled, Page};
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use config::Config;

    fn page(url: &str, html: &str) -> Page {
        let (name, evidence) = ("UTF-8", CharsetEvidence::ValidUtf8);
        Page {
            url: url.to_owned(),
            site: String::new(),
            fetched: None,
            origin: Origin { file: "a".into(), ..Origin::default() },
            charset: Charset { name, evidence, overruled: Overruled::default() },
            notes: None,
            html: html.into(),
        }
    }

    fn feed_item(link: &str, title: &str) -> FeedItem {
        FeedItem { link: link.to_owned(), title: title.to_owned(), ..FeedItem::default() }
    }

    fn group_all(
        pages: Vec<Page>,
        items: Vec<FeedItem>,
        redirects: Vec<(String, String)>,
    ) -> Grouped {
        let redirects = redirects.into_iter().map(|(from, to)| Intake::Redirect { from, to });
        let read = (pages.into_iter().map(Intake::Page))
            .chain([Intake::Feed(items)])
            .chain(redirects)
            .map(|intake| (intake, None));
        group(read.collect(), &Config::load(None).unwrap().group).unwrap()
    }

    #[test]
    fn pages_and_items_come_together_by_site() {
        let mut old = page("https://www.e.org/a", "old");
        old.origin.record_id = "1".to_owned();
        let mut new = page("https://www.e.org/a", "new");
        new.fetched = Some(Timestamp::UNIX_EPOCH);
        let pages = vec![old, page("https://f.org/", "f"), new, page("mailto:x", "no host")];
        let items = vec![
            feed_item("https://go.example/1?utm_source=x", "by a redirect"),
            feed_item("https://f.org/b", "F"),
            feed_item("https://f.org/b", "F"),
            feed_item("https://gone.example/", "G"),
        ];
        let redirects = vec![("https://go.example/1".to_owned(), "https://e.org/a".to_owned())];
        let Grouped { sites, drops, unmatched_items } = group_all(pages, items, redirects);
        let mut shown: Vec<_> = (sites.iter())
            .map(|site| {
                let htmls: Vec<&str> = site.pages.iter().map(|page| &*page.html).collect();
                let links: Vec<&str> = site.feed_items.iter().map(|item| &*item.link).collect();
                (&*site.key, htmls, links)
            })
            .collect();
        shown.sort_unstable();
        let expected = [
            ("e.org", vec!["new"], vec!["https://e.org/a"]),
            ("f.org", vec!["f"], vec!["https://f.org/b"]),
        ];
        assert_eq!(shown, expected);
        assert!(sites.is_sorted_by_key(|site| xxh3_64(site.key.as_bytes())));
        assert!(sites.iter().all(|site| site.pages.iter().all(|page| page.site == site.key)));
        let reasons: Vec<DropReason> = drops.iter().map(|drop| drop.reason).collect();
        assert_eq!(reasons, [DropReason::BadUrl, DropReason::DuplicateUrl]);
        assert_eq!((drops[1].origin.record_id.as_str(), unmatched_items), ("1", 1));
    }

    proptest! {
        #[test]
        fn order_does_not_matter(
            pages in prop::collection::vec(("[ab]\\.org", "[ab]?", "[xy]"), 0..8),
            items in prop::collection::vec(("[abc]\\.org", "[ab]?"), 0..6),
            redirects in prop::collection::vec(("[abc]\\.org/[ab]?", "[abc]\\.org/[ab]?"), 0..4),
        ) {
            let page = |(host, path, html): &(String, String, String)| {
                page(&format!("https://{host}/{path}"), html)
            };
            let item =
                |(host, path): &(String, String)| feed_item(&format!("https://{host}/{path}"), "");
            let redirect = |(from, to): &(String, String)| {
                (format!("https://{from}"), format!("https://{to}"))
            };
            let forwards = group_all(
                pages.iter().map(page).collect(),
                items.iter().map(item).collect(),
                redirects.iter().map(redirect).collect(),
            );
            let backwards = group_all(
                pages.iter().rev().map(page).collect(),
                items.iter().rev().map(item).collect(),
                redirects.iter().rev().map(redirect).collect(),
            );
            prop_assert_eq!(format!("{forwards:?}"), format!("{backwards:?}"));
        }
    }
}
