//! Unions, where one expression is not enough: elements of several tags, two kinds of pages.

use std::collections::BTreeMap;

use dom::{LocalName, NodeId};

use crate::found::Found;
use crate::pages::Page;
use crate::search::best_path;
use crate::steps::Trail;
use crate::verdict::total_of;

/// Maximum number of expressions in a union: more are a list of cases, not a rule.
const MOST: usize = 3;

/// The best union, by tags, by order on the page or by kinds of pages; empty if there is none.
pub(crate) fn best_union(pages: &[Page<'_>], single: &Found) -> Vec<Trail> {
    let unions = [by_tag(pages), by_order(pages), by_page(pages, single)];
    unions
        .into_iter()
        .filter(|paths| paths.len() > 1)
        .min_by_key(|paths| total_of(paths, pages))
        .unwrap_or_default()
}

/// One expression for each tag name of the wanted elements.
fn by_tag(pages: &[Page<'_>]) -> Vec<Trail> {
    let mut groups: BTreeMap<LocalName, Vec<Vec<NodeId>>> = BTreeMap::new();
    for (i, page) in pages.iter().enumerate() {
        for &id in page.wanted {
            let Some(name) = page.document().name(id) else { continue };
            let group = groups.entry(name.clone()).or_insert_with(|| vec![Vec::new(); pages.len()]);
            group[i].push(id);
        }
    }
    let groups: Vec<_> = groups.into_values().collect();
    paths_of(pages, &groups)
}

/// One expression for the first wanted element of each page, one for the second, and so on.
fn by_order(pages: &[Page<'_>]) -> Vec<Trail> {
    let most = pages.iter().map(|page| page.wanted.len()).max().unwrap_or(0);
    let nth = |n: usize| pages.iter().map(move |p| p.wanted.get(n).copied().into_iter().collect());
    let groups: Vec<_> = (0..most.min(MOST + 1)).map(|n| nth(n).collect()).collect();
    paths_of(pages, &groups)
}

/// The best expression for each group of elements, given per page; empty if there is only one group
/// or too many.
fn paths_of(pages: &[Page<'_>], groups: &[Vec<Vec<NodeId>>]) -> Vec<Trail> {
    if !(2..=MOST).contains(&groups.len()) {
        return Vec::new();
    }
    let path_of = |group: &Vec<Vec<NodeId>>| {
        let part: Vec<Page<'_>> =
            pages.iter().zip(group).map(|(page, wanted)| page.wanting(wanted, true)).collect();
        Some(best_path(&part)?.trail)
    };
    let mut paths: Vec<Trail> = groups.iter().filter_map(path_of).collect();
    paths.dedup();
    paths
}

/// The best expression, and others for the pages on which it is wrong, which must not select
/// anything unwanted on the rest.
fn by_page(pages: &[Page<'_>], single: &Found) -> Vec<Trail> {
    let mut paths = vec![single.trail.clone()];
    while paths.len() < MOST {
        let is_right = |page: &Page<'_>| page.select_all(&paths) == page.wanted;
        let rest: Vec<Page<'_>> =
            pages.iter().map(|page| page.wanting(page.wanted, !is_right(page))).collect();
        match best_path(&rest) {
            Some(found) if !paths.contains(&found.trail) => paths.push(found.trail),
            _ => break,
        }
    }
    paths
}
