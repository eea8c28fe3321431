//! Tries the other captures of a page if the best one gives no article. This keeps the articles of a site that was down
//! during the last crawl.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;

use grouping::{duplicate, kept_instead, when};
use jiff::Timestamp;
use model::{CharacterCounts, DropReason, Extracted, Origin, SiteResult, TemplateKind};
use segment::stored::{StoredHead, StoredPage};
use sitemodel::page_kind::address_says;

use crate::learn::Surveyed;

#[derive(Debug, Default)]
struct Captures {
    /// Index of the page in its site.
    page: usize,
    /// When the best capture was fetched.
    kept: Option<Timestamp>,
    /// Digests of the payloads that were tried.
    tried: BTreeSet<(u64, u64)>,
    /// The other captures, best first.
    others: VecDeque<StoredPage>,
}

/// Extracts captures, each given with the index of its page, and returns the articles. Captures without one are left out.
type Try<'a> =
    dyn FnMut(Vec<(usize, StoredPage)>) -> io::Result<Vec<(Extracted, CharacterCounts)>> + 'a;

/// Other captures by address; their HTML may be on disk.
#[derive(Debug)]
pub struct OtherCaptures(BTreeMap<String, Captures>);

impl OtherCaptures {
    /// Groups captures by address. Captures of one address must be in order, the best first.
    pub(crate) fn of(others: Vec<StoredPage>) -> Self {
        let mut captures: BTreeMap<String, Captures> = BTreeMap::new();
        for other in others {
            captures.entry(other.head.url.clone()).or_default().others.push_back(other);
        }
        Self(captures)
    }

    /// Removes and returns the captures of some pages, given by index and by the head of the best capture.
    pub(crate) fn take_of<'a>(
        &mut self,
        pages: impl Iterator<Item = (usize, &'a StoredHead)>,
    ) -> Self {
        let take = |(page, head): (usize, &StoredHead)| {
            let (url, mut captures) = self.0.remove_entry(&head.url)?;
            captures.page = page;
            captures.kept = head.fetched;
            captures.tried.extend(head.digest);
            Some((url, captures))
        };
        Self(pages.filter_map(take).collect())
    }

    /// All captures.
    pub fn all(&self) -> impl Iterator<Item = &StoredPage> {
        self.0.values().flat_map(|captures| &captures.others)
    }

    /// Whether a dropped page has other captures that may give an article.
    pub fn may_help(&self, drop: &model::Drop, site: &Surveyed) -> bool {
        self.0.contains_key(&drop.url) && is_worth_another(drop.reason, &drop.url, site)
    }

    /// Returns the captures to try if the page gives no article, best first, and of each payload only the first.
    pub fn tried_of(&self, page: &StoredHead) -> Vec<&StoredPage> {
        let Some(captures) = self.0.get(&page.url) else { return Vec::new() };
        let mut tried: BTreeSet<(u64, u64)> = page.digest.into_iter().collect();
        let is_new =
            |capture: &&StoredPage| capture.head.digest.is_none_or(|own| tried.insert(own));
        captures.others.iter().filter(is_new).collect()
    }

    /// Tries captures of pages without an article, in batches of limited size, and adds a drop for each
    /// capture that is not kept.
    pub(crate) fn try_for(
        mut self,
        site: &Surveyed,
        most: u64,
        result: &mut SiteResult,
        try_some: &mut Try<'_>,
    ) -> io::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let failed = result.drops.iter().filter(|drop| self.may_help(drop, site));
        let of_failed = |drop: &model::Drop| (drop.url.clone(), shows_article(drop, site));
        let mut wanted: BTreeMap<String, bool> = failed.map(of_failed).collect();
        let mut found: BTreeMap<String, (Option<Timestamp>, Origin)> = BTreeMap::new();
        loop {
            let next = self.next_of(&wanted, &site.key, result);
            if next.is_empty() {
                break;
            }
            for some in batches(next, most, |(_, capture)| capture.head.weight) {
                for (article, characters) in try_some(some)? {
                    result.characters.add(characters);
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
                    _ => {
                        format!("the article was taken from the capture fetched {}", when(*fetched))
                    }
                };
                true
            }
            None => true,
        });
        for (url, Captures { kept, others, .. }) in self.0 {
            let kept = found.get(&url).map_or(kept, |(fetched, _)| *fetched);
            let key = &site.key;
            result.drops.extend(others.iter().map(|capture| duplicate(key, capture, kept)));
        }
        result.articles.sort_by(|a, b| (&a.url, &a.origin).cmp(&(&b.url, &b.origin)));
        result.drops.sort();
        Ok(())
    }

    /// Returns the next untried capture of each wanted address. The values of `wanted` say whether renderings count.
    fn next_of(
        &mut self,
        wanted: &BTreeMap<String, bool>,
        site: &str,
        result: &mut SiteResult,
    ) -> Vec<(usize, StoredPage)> {
        let mut next = Vec::new();
        for (url, &may_be_rendered) in wanted {
            let Some(captures) = self.0.get_mut(url) else { continue };
            while let Some(capture) = captures.others.pop_front() {
                // Every capture gets a drop; `try_for` removes it again if the capture gives an article.
                result.drops.push(duplicate(site, &capture, captures.kept));
                let is_wanted = may_be_rendered || !capture.head.origin.is_rendering();
                if is_wanted
                    && capture.head.digest.is_none_or(|digest| captures.tried.insert(digest))
                {
                    next.push((captures.page, capture));
                    break;
                }
            }
        }
        next
    }
}

/// Whether another capture of a page that was dropped for this reason may be an article. A page that is a list by its
/// address is a list in every capture.
fn is_worth_another(reason: DropReason, url: &str, site: &Surveyed) -> bool {
    match reason {
        wall if wall.is_wall() => true,
        DropReason::NoContent
        | DropReason::NoArticle
        | DropReason::TooMuchWork
        | DropReason::Internal => true,
        DropReason::ListPage => {
            let is_section = site.addresses.pages_below(url);
            address_says(url, is_section) != Some(TemplateKind::List)
        }
        _ => false,
    }
}

/// Whether a browser may show an article on a dropped page. By text alone, a rendering cannot be distinguished from a list or a wall.
fn shows_article(drop: &model::Drop, site: &Surveyed) -> bool {
    let is_section = site.addresses.pages_below(&drop.url);
    matches!(drop.reason, DropReason::ScriptShell | DropReason::NoContent | DropReason::NoArticle)
        && address_says(&drop.url, is_section) != Some(TemplateKind::List)
}

/// Splits items into batches of at most `most` bytes, each with at least one item.
pub(crate) fn batches<T>(things: Vec<T>, most: u64, weight_of: impl Fn(&T) -> u64) -> Vec<Vec<T>> {
    let mut batches: Vec<Vec<T>> = Vec::new();
    let mut weight = 0;
    for thing in things {
        let own = weight_of(&thing);
        weight += own;
        match batches.last_mut() {
            Some(batch) if weight <= most => batch.push(thing),
            _ => {
                weight = own;
                batches.push(vec![thing]);
            }
        }
    }
    batches
}
