//! Cluster.
//!
//! Takes: parsed pages of a site, the feed items that point to them, and the addresses of all its pages.
//! Gives: layouts, and for each of them the templates of its pages by kind (article, list, other); then the template of
//! any further page.
//! Why: Forest ranks patterns over pages of one layout; over mixed layouts it fails (F1 30).
//! Drops: nothing itself; pages of list and other templates are dropped by their kind.

use grouping::AddressDigest;
use model::TemplateKind;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::layouts::{CORE, Cores, Outline, group_by_layout, layout_of, recurring_tokens};
use crate::page_kind::{Impression, Middle, impression};
use crate::settings::Settings;
use crate::stages::signify::SiblingPage;

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

/// Separates the layouts of a sample, whose pages must be in the order of their address hashes. Returns the layouts and
/// their clusters, numbered from `first`. Each page is in the cluster that [`Layouts::assign`] gives for it, if any.
pub fn cluster(
    sample: &[SiblingPage<'_>],
    addresses: &AddressDigest,
    first: usize,
    settings: &Settings,
) -> (Layouts, Vec<Cluster>) {
    let config = &settings.tables().cluster;
    let recurring = recurring_tokens(sample.iter().map(|sibling| sibling.page));
    let outlines: Vec<Outline> = sample.par_iter().map(|page| outline(page, &recurring)).collect();
    let impressions: Vec<Impression> =
        sample.par_iter().map(|page| impression(page, addresses, settings)).collect();
    let groups = group_by_layout(&outlines, config);
    let cores = Cores::of_groups(&groups, &outlines);
    // Average linkage may have put a page into a layout other than that of the nearest core.
    let nearest: Vec<Option<(usize, f64)>> =
        outlines.par_iter().map(|outline| cores.nearest(outline, config)).collect();
    let mut home = vec![usize::MAX; outlines.len()];
    for (at, group) in groups.iter().enumerate() {
        group.iter().for_each(|&page| home[page as usize] = at);
    }
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
        layouts.push(PageLayout { reach, middle, templates });
    }
    (Layouts { recurring, layouts, cores }, clusters)
}

/// Lower limit of the minimum similarity of a layout, as a share of the setting.
const LEAST_REACH: f64 = 0.5;

/// Splits the pages of a layout by kind, the most numerous kind first.
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

/// Hashes the tag paths that more than half of the members have.
fn signature(members: &[u32], outlines: &[Outline]) -> u64 {
    let paths = members.iter().flat_map(|&member| &outlines[member as usize].paths);
    let mut paths: Vec<u64> = paths.copied().collect();
    // The paths of each page are sorted.
    paths.sort();
    let shared = paths.chunk_by(|a, b| a == b).filter(|same| same.len() * 2 > members.len());
    let bytes: Vec<u8> = shared.flat_map(|same| same[0].to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// The layouts that one round of learning found. They borrow nothing from the pages.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Layouts {
    #[serde(serialize_with = "model::sorted::set")]
    recurring: FxHashSet<u64>,
    layouts: Vec<PageLayout>,
    cores: Cores,
}

/// A layout: the kind of its pages, and its templates by kind.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct PageLayout {
    /// Minimum similarity of its pages: that of the least similar page of the sample, or that of the settings.
    reach: f64,
    middle: Middle,
    templates: Vec<(TemplateKind, u32)>,
}

/// The template of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assigned {
    /// This template, by its number.
    Template(u32),
    /// A page of a known layout, but of a kind without a template.
    Kind(TemplateKind),
    /// No layout is similar enough.
    No,
}

impl Layouts {
    /// Finds the template of a page. Depends on no other page.
    pub fn assign(
        &self,
        page: &SiblingPage<'_>,
        addresses: &AddressDigest,
        settings: &Settings,
    ) -> Assigned {
        let config = &settings.tables().cluster;
        let nearest = self.cores.nearest(&outline(page, &self.recurring), config);
        let Some((at, alike)) = nearest else { return Assigned::No };
        let layout = &self.layouts[at];
        if alike < layout.reach {
            return Assigned::No;
        }
        let kind = layout.middle.kind(&impression(page, addresses, settings));
        match layout.templates.iter().find(|(of, _)| *of == kind) {
            Some((_, template)) => Assigned::Template(*template),
            None => Assigned::Kind(kind),
        }
    }

    /// Removes templates, given by number, and layouts without templates; renumbers the others. Returns whether any
    /// layout is left.
    pub(crate) fn forget(&mut self, gone: &[u32]) -> bool {
        let before = self.layouts.len();
        let mut cores = Vec::new();
        let mut layouts = Vec::new();
        for (layout, core) in self.layouts.iter_mut().zip(self.cores.groups()) {
            let had = !layout.templates.is_empty();
            layout.templates.retain(|(_, template)| !gone.contains(template));
            for (_, template) in &mut layout.templates {
                *template -= gone.iter().filter(|&before| before < template).count() as u32;
            }
            if !layout.templates.is_empty() || !had {
                layouts.push(layout.clone());
                cores.push(core.clone());
            }
        }
        if layouts.len() < before {
            self.cores = cores.into();
            self.layouts = layouts;
        }
        self.layouts.iter().any(|layout| !layout.templates.is_empty())
    }

    /// Validates the layouts of a site with `templates` templates, after deserialisation.
    ///
    /// # Errors
    /// If they are not valid; the error says what is wrong.
    pub fn check(&self, templates: usize) -> Result<(), String> {
        let cores = self.cores.groups();
        if cores.len() != self.layouts.len() {
            return Err(format!("{} layouts, {} cores", self.layouts.len(), cores.len()));
        }
        if cores.iter().any(|core| core.is_empty() || core.len() > CORE) {
            return Err(format!("a core has no page, or more than {CORE}"));
        }
        let sorted = |outline: &Outline| outline.paths.is_sorted() && outline.feeds.is_sorted();
        if !cores.iter().flatten().all(sorted) {
            return Err("the tag paths of a core are not in order".to_owned());
        }
        let mut named = self.layouts.iter().flat_map(|layout| &layout.templates);
        match named.find(|(_, template)| *template as usize >= templates) {
            Some((_, template)) => Err(format!("there is no template {template}")),
            None => Ok(()),
        }
    }
}

fn outline(sibling: &SiblingPage<'_>, recurring: &FxHashSet<u64>) -> Outline {
    let mut feeds: Vec<u64> =
        sibling.feed_items.iter().map(|item| xxh3_64(item.feed.as_bytes())).collect();
    feeds.sort_unstable();
    feeds.dedup();
    Outline { paths: layout_of(sibling.page, recurring), feeds }
}
