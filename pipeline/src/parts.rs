//! Pages that are parts of one article, where a fixed wrapper says so and the crawl has them.

use std::collections::{BTreeMap, BTreeSet};

use dom::{html_of, text_of};
use grouping::PagesByLink;

use crate::fixed::Part;
use crate::parsed::ParsedPage;
use crate::stages::extract::base_of;

/// Most pages of an article.
const MOST: usize = 100;

/// Finds them among a site's pages: a page whose single page is there is a part of that; pages that
/// lead to each other as next pages are parts of the first, which gets their texts. Links count between
/// pages of one wrapper on which it finds a body. Of two pages that lead to one the first counts, by
/// address; a ring has no first page, and stays as it is.
pub fn join_parts(parsed: &mut [ParsedPage<'_>], pages: &PagesByLink) {
    let links = |page: &ParsedPage<'_>| {
        let fixed = page.fixed.as_ref().filter(|fixed| fixed.body.is_some())?;
        (fixed.single_page.is_some() || fixed.next_page.is_some()).then_some(())
    };
    if parsed.iter().all(|page| links(page).is_none()) {
        return;
    }
    let target = |from: usize, link: Option<&String>| -> Option<usize> {
        let to = *pages.pages(link?).first()? as usize;
        let (own, other) = (parsed[from].fixed.as_ref()?, parsed[to].fixed.as_ref()?);
        let fits = to != from && own.by.host == other.by.host;
        (fits && own.body.is_some() && other.body.is_some()).then_some(to)
    };
    let of = |at: usize| parsed[at].fixed.as_ref();
    let single: Vec<Option<usize>> = (0..parsed.len())
        .map(|at| target(at, of(at).and_then(|fixed| fixed.single_page.as_ref())))
        .collect();
    // A single page leads to itself or to nothing.
    let part_of_single = |at: usize| single[at].filter(|&to| single[to].is_none());
    let mut previous: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next: BTreeMap<usize, usize> = BTreeMap::new();
    for at in (0..parsed.len()).filter(|&at| part_of_single(at).is_none()) {
        let to = target(at, of(at).and_then(|fixed| fixed.next_page.as_ref()));
        if let Some(to) =
            to.filter(|&to| part_of_single(to).is_none() && !previous.contains_key(&to))
        {
            previous.insert(to, at);
            next.insert(at, to);
        }
    }
    let singles = (0..parsed.len()).filter_map(|at| Some((at, part_of_single(at)?)));
    let mut part_of: Vec<(usize, usize)> = singles.collect();
    let mut more: Vec<(usize, Vec<Part>)> = Vec::new();
    for &first in next.keys().filter(|at| !previous.contains_key(at)) {
        let chain = std::iter::successors(next.get(&first), |at| next.get(at)).copied();
        let mut seen = BTreeSet::from([first]);
        let chain: Vec<usize> = chain.take(MOST).take_while(|at| seen.insert(*at)).collect();
        part_of.extend(chain.iter().map(|&at| (at, first)));
        more.push((first, chain.iter().filter_map(|&at| part_from(&parsed[at])).collect()));
    }
    for (at, whole) in part_of {
        let url = parsed[whole].page.url.clone();
        if let Some(fixed) = &mut parsed[at].fixed {
            fixed.part_of = Some(url);
        }
    }
    for (at, parts) in more {
        if let Some(fixed) = &mut parsed[at].fixed {
            fixed.more = parts;
        }
    }
}

fn part_from(page: &ParsedPage<'_>) -> Option<Part> {
    let fixed = page.fixed.as_ref()?;
    let (_, nodes) = fixed.body.as_ref()?;
    let base = base_of(page);
    let html = |base| html_of(&page.document, nodes, &fixed.removed, &base);
    Some(Part {
        text: text_of(&page.document, nodes, &fixed.removed),
        html: base.map_or_else(String::new, html),
    })
}
