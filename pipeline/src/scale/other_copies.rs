//! Copies of pages other than the best of each address: where that gives no article, the next one is
//! tried. A site that was down in the last crawl keeps its articles so.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jiff::Timestamp;
use model::{Article, DropReason, Origin, TemplateKind};
use sink::SiteResult;

use super::spool::{Spool, Stored};
use crate::further::WholeSite;
use crate::known::Known;
use crate::page_kind::address_says;
use crate::stages::group::{duplicate, kept_instead, when};

/// The copies of one address.
#[derive(Debug, Default)]
struct Copies {
    /// When the best one was fetched.
    kept: Option<Timestamp>,
    /// Digests of the payloads that were tried.
    tried: BTreeSet<(u64, u64)>,
    /// The others, the better first.
    others: VecDeque<Stored>,
}

/// Copies by address, without their HTML where that is on disk.
#[derive(Debug)]
pub(super) struct OtherCopies(BTreeMap<String, Copies>);

impl OtherCopies {
    /// Takes copies, those of one address the better first.
    pub(super) fn of(others: Vec<Stored>) -> Self {
        let mut copies: BTreeMap<String, Copies> = BTreeMap::new();
        for other in others {
            copies.entry(other.head.url.clone()).or_default().others.push_back(other);
        }
        Self(copies)
    }

    /// Those of some pages, which are the best copies.
    pub(super) fn of_pages(&mut self, pages: &[Stored]) -> Self {
        let take = |page: &Stored| {
            let (url, mut copies) = self.0.remove_entry(&page.head.url)?;
            copies.kept = page.head.fetched;
            copies.tried.extend(page.head.digest);
            Some((url, copies))
        };
        Self(pages.iter().filter_map(take).collect())
    }

    /// Tries copies where the page gave no article, and accounts for all that are not kept.
    ///
    /// # Errors
    /// If they cannot be read from the spool.
    pub(super) fn give(
        mut self,
        site: &WholeSite<'_>,
        known: Option<&Known>,
        spool: &Spool,
        prefix: &str,
        result: &mut SiteResult,
    ) -> io::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let failed = result.drops.iter().filter(|drop| {
            self.0.contains_key(&drop.url) && is_worth_another(drop.reason, &drop.url, site)
        });
        let mut wanted: BTreeSet<String> = failed.map(|drop| drop.url.clone()).collect();
        let mut found: BTreeMap<String, (Option<Timestamp>, Origin)> = BTreeMap::new();
        for round in 1.. {
            let next = self.next_of(&wanted, site.key, result);
            if next.is_empty() {
                break;
            }
            let most = site.config.cluster.whole_site_bytes / 2;
            for (number, some) in (1..).zip(at_once(next, most)) {
                let of_some = format!("{prefix}c{round}n{number}");
                for article in try_some(some, site, known, spool, &of_some, result)? {
                    wanted.remove(&article.url);
                    found.insert(article.url.clone(), (article.fetched, article.origin.clone()));
                    result.articles.push(article);
                }
            }
        }
        result.drops.retain_mut(|drop| match found.get(&drop.url) {
            Some((_, origin)) if drop.origin == *origin => false,
            Some((fetched, _)) => {
                drop.detail = match drop.reason {
                    DropReason::DuplicateUrl => kept_instead(&drop.origin, *fetched),
                    _ => format!("the article is that of the copy fetched {}", when(*fetched)),
                };
                true
            }
            None => true,
        });
        for (url, Copies { kept, others, .. }) in self.0 {
            let kept = found.get(&url).map_or(kept, |(fetched, _)| *fetched);
            result.drops.extend(others.iter().map(|copy| duplicate(site.key, copy, kept)));
        }
        result.articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
        result.drops.sort();
        Ok(())
    }

    /// The next copy of each wanted address that was not tried by its content.
    fn next_of(
        &mut self,
        wanted: &BTreeSet<String>,
        site: &str,
        result: &mut SiteResult,
    ) -> Vec<Stored> {
        let mut next = Vec::new();
        for url in wanted {
            let Some(Copies { kept, tried, others }) = self.0.get_mut(url) else { continue };
            while let Some(copy) = others.pop_front() {
                // Whether it is tried or not: it is another than the one kept, so far.
                result.drops.push(duplicate(site, &copy, *kept));
                if copy.head.digest.is_none_or(|digest| tried.insert(digest)) {
                    next.push(copy);
                    break;
                }
            }
        }
        next
    }
}

/// Whether a page that was dropped for this reason may have been an article in another copy. What its
/// address names a list is one in all.
fn is_worth_another(reason: DropReason, url: &str, site: &WholeSite<'_>) -> bool {
    match reason {
        DropReason::NoContent
        | DropReason::NoArticle
        | DropReason::TooMuchWork
        | DropReason::Internal => true,
        DropReason::ListPage => {
            address_says(url, site.addresses.below(url)) != Some(TemplateKind::List)
        }
        _ => false,
    }
}

/// Runs of copies that weigh so much together at most, but at least one.
fn at_once(copies: Vec<Stored>, most: u64) -> Vec<Vec<Stored>> {
    let mut runs: Vec<Vec<Stored>> = Vec::new();
    let mut weight = 0;
    for copy in copies {
        weight += copy.head.weight;
        match runs.last_mut() {
            Some(run) if weight <= most => run.push(copy),
            _ => {
                weight = copy.head.weight;
                runs.push(vec![copy]);
            }
        }
    }
    runs
}

/// The articles of some copies; adds to a result what else came of them.
fn try_some(
    copies: Vec<Stored>,
    site: &WholeSite<'_>,
    known: Option<&Known>,
    spool: &Spool,
    prefix: &str,
    result: &mut SiteResult,
) -> io::Result<Vec<Article>> {
    let pages = site.clock.read.time(|| spool.load(site.key, copies))?;
    let attempt = || site.extract(known, &mut BTreeMap::new(), &pages, prefix);
    // Each failed before: what fails again is left as it is.
    let Ok(more) = catch_unwind(AssertUnwindSafe(attempt)) else { return Ok(Vec::new()) };
    result.work.add(more.work);
    if !more.articles.is_empty() {
        result.letters.add(more.letters);
        result.record.absorb(more.record);
    }
    Ok(more.articles)
}
