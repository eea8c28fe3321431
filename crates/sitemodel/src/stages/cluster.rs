//! Cluster.
//!
//! Takes: parsed pages of a site, the feed items that point to them, and the addresses of all its pages.
//! Gives: layouts, and for each the templates of its pages by kind (article, list, other); then the template
//! of any further page.
//! Why: Forest ranks patterns over pages of one layout; over mixed layouts it fails (F1 30).
//! Drops: nothing itself; pages of list and other templates are dropped by their kind.

mod assign;

use grouping::AddressDigest;
use model::TemplateKind;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use self::assign::{Layout, outline};
use super::signify::Sibling;
use crate::layouts::{CORE, Cores, Outline, group_by_layout};
use crate::page_kind::{Impression, Middle};
use crate::parsed::recurring_tokens;
use crate::settings::Settings;

pub use self::assign::{Assigned, Layouts};
pub(crate) use self::assign::{leads_on, look};

/// A cluster of sample pages that becomes a template.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Kind of its pages.
    pub kind: TemplateKind,
    /// Its pages, as ascending indices into the sample.
    pub members: Vec<u32>,
    /// Hash of the tag paths that more than half of its pages have.
    pub signature: u64,
}

/// Separates the layouts of a sample, whose pages must be in the order of the hashes of their addresses.
/// Returns the layouts, and their clusters, numbered from `first`: each page is in the one of
/// [`Layouts::assign`], if any.
pub fn cluster(
    sample: &[Sibling<'_>],
    addresses: &AddressDigest,
    first: usize,
    settings: &Settings,
) -> (Layouts, Vec<Cluster>) {
    let config = &settings.tables().cluster;
    let recurring = recurring_tokens(sample.iter().map(|sibling| sibling.page));
    let outlines: Vec<Outline> = sample.par_iter().map(|page| outline(page, &recurring)).collect();
    let impressions: Vec<Impression> =
        sample.par_iter().map(|page| look(page, addresses, settings)).collect();
    let groups = group_by_layout(&outlines, config);
    let core = |group: &Vec<u32>| -> Vec<Outline> {
        group.iter().take(CORE).map(|&m| outlines[m as usize].clone()).collect()
    };
    let cores = Cores::of(groups.iter().map(core).collect());
    // Average linkage may have put a page into a layout whose core is not the nearest.
    let nearest: Vec<Option<(usize, f64)>> =
        outlines.par_iter().map(|outline| cores.nearest(outline, config)).collect();
    let home: Vec<usize> = home_of(&groups, outlines.len());
    let mut reach = vec![config.similarity; groups.len()];
    for (page, nearest) in nearest.iter().enumerate() {
        if let Some((at, alike)) = nearest
            && home[page] == *at
        {
            reach[*at] = reach[*at].min(alike.max(config.similarity * LEAST_REACH));
        }
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for (page, nearest) in (0..).zip(&nearest) {
        if let Some((at, alike)) = nearest
            && *alike >= reach[*at]
        {
            members[*at].push(page);
        }
    }
    let (mut layouts, mut clusters) = (Vec::new(), Vec::new());
    for (members, reach) in members.into_iter().zip(reach) {
        let own: Vec<Impression> = members.iter().map(|&m| impressions[m as usize]).collect();
        let middle = Middle::of(&own);
        let mut templates = Vec::new();
        for (kind, members) in split_by_kind(members, &own, middle) {
            templates.push((kind, (first + clusters.len()) as u32));
            let signature = signature(&members, &outlines);
            clusters.push(Cluster { kind, members, signature });
        }
        layouts.push(Layout { reach, middle, templates });
    }
    (Layouts { recurring, layouts, cores }, clusters)
}

/// Lower bound for the minimum similarity of a layout, as a share of the setting.
const LEAST_REACH: f64 = 0.5;

/// The group of each page.
fn home_of(groups: &[Vec<u32>], pages: usize) -> Vec<usize> {
    let mut home = vec![usize::MAX; pages];
    for (at, group) in groups.iter().enumerate() {
        group.iter().for_each(|&page| home[page as usize] = at);
    }
    home
}

/// Separates the pages of a layout by kind, the most numerous first.
fn split_by_kind(
    members: Vec<u32>,
    impressions: &[Impression],
    middle: Middle,
) -> impl Iterator<Item = (TemplateKind, Vec<u32>)> {
    let of = |kind| {
        let own = members.iter().zip(impressions).filter(|(_, page)| middle.kind(page) == kind);
        own.map(|(&member, _)| member).collect()
    };
    let mut parts: Vec<(TemplateKind, Vec<u32>)> =
        [TemplateKind::Article, TemplateKind::List, TemplateKind::Other]
            .into_iter()
            .map(|kind| (kind, of(kind)))
            .filter(|(_, members): &(_, Vec<u32>)| !members.is_empty())
            .collect();
    parts.sort_by_key(|(_, members)| (std::cmp::Reverse(members.len()), members[0]));
    parts.into_iter()
}

/// A hash of the tag paths that more than half of the members have.
fn signature(members: &[u32], outlines: &[Outline]) -> u64 {
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for &path in members.iter().flat_map(|&member| &outlines[member as usize].paths) {
        *counts.entry(path).or_default() += 1;
    }
    let mut shared: Vec<u64> = counts
        .into_iter()
        .filter(|(_, count)| *count as usize * 2 > members.len())
        .map(|(path, _)| path)
        .collect();
    shared.sort_unstable();
    let bytes: Vec<u8> = shared.iter().flat_map(|path| path.to_le_bytes()).collect();
    xxh3_64(&bytes)
}
