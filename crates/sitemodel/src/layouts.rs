//! Groups pages by layout: computes the tag paths of a page, clusters their sets by average linkage, and finds the
//! nearest layout of a further page.

use dom::{ElementKind, LocalName, NodeId, local_name};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::parsed::ParsedPage;
use crate::settings::ClusterConfig;

/// Returns the tokens that at least two pages have: names that are generated for each page are not features of its
/// layout.
pub(crate) fn recurring_tokens<'a>(
    pages: impl Iterator<Item = &'a ParsedPage<'a>>,
) -> FxHashSet<u64> {
    let mut tokens: Vec<u64> = pages.flat_map(|page| page.tokens.iter().copied()).collect();
    // The tokens of each page are sorted.
    tokens.sort();
    tokens.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]).collect()
}

/// Hashes of the distinct tag paths of a page, each of three steps, sorted: the features of its layout. An
/// element's label is its tag with the recurring parts of its id and class names. Paths are short, so that
/// one name that changes from page to page (WordPress gives `body` the post's number, category and slug) does
/// not affect every path below it. Text-level elements are left out: they belong to the text, not to the
/// layout.
pub(crate) fn layout_of(page: &ParsedPage<'_>, recurring: &FxHashSet<u64>) -> Vec<u64> {
    let document = &page.document;
    let kinds = document.kinds();
    let of_kind = |(at, kind): (usize, &ElementKind)| {
        let name = document.name(kind.first)?;
        Some((label_of(name, page.names.of_kind(at), recurring), dom::is_inline(name)))
    };
    let labels: Vec<(u64, bool)> = kinds.all().iter().enumerate().filter_map(of_kind).collect();
    let of_nodes = kinds.of_nodes();
    let label = |id: NodeId| labels[of_nodes[id as usize] as usize];
    let mut layout = Vec::new();
    for (id, node) in document.nodes().iter().enumerate() {
        if node.name.is_none() {
            continue;
        }
        let (own, is_inline) = label(id as NodeId);
        if is_inline {
            continue;
        }
        let above = node.parent;
        let two_above = document.node(above).parent;
        let path = [label(two_above).0, label(above).0, own];
        layout.push(path.iter().fold(0u64, |hash, label| {
            (hash.rotate_left(23) ^ label).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }));
    }
    layout.sort_unstable();
    layout.dedup();
    layout
}

fn label_of(name: &LocalName, tokens: &[u64], recurring: &FxHashSet<u64>) -> u64 {
    let tag = xxh3_64(name.as_bytes());
    if matches!(*name, local_name!("html") | local_name!("body")) {
        return tag;
    }
    // The order of class names does not matter: a sum of hashes.
    let counts = tokens.iter().filter(|token| recurring.contains(token));
    counts.fold(tag, |sum, token| sum.wrapping_add(*token))
}

/// The features of a page for clustering.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) struct Outline {
    /// Hashes of its distinct tag paths, sorted.
    pub(crate) paths: Vec<u64>,
    /// Hashes of the addresses of the feeds that list it, sorted.
    pub(crate) feeds: Vec<u64>,
}

/// Similarity of two pages: common paths over all paths (Jaccard), plus the feed bonus.
fn similarity(a: &Outline, b: &Outline, config: &ClusterConfig) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0usize);
    while i < a.paths.len() && j < b.paths.len() {
        let order = a.paths[i].cmp(&b.paths[j]);
        common += usize::from(order.is_eq());
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    similarity_of(a, b, common, config)
}

/// Like [`similarity`], given the number of common paths.
fn similarity_of(a: &Outline, b: &Outline, common: usize, config: &ClusterConfig) -> f64 {
    let all = a.paths.len() + b.paths.len() - common;
    let overlap = if all == 0 { 1.0 } else { common as f64 / all as f64 };
    let same_feed = a.feeds.iter().any(|f| b.feeds.binary_search(f).is_ok());
    overlap + if same_feed { config.feed_bonus } else { 0.0 }
}

/// Number of members that represent a layout. A few are enough, since members are similar by construction.
pub(crate) const CORE: usize = 8;

/// The members that represent layouts, with an index from paths to members: one pass over a page's paths
/// counts the paths it has in common with each. Linear in the paths of the members.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(from = "Vec<Vec<Outline>>", into = "Vec<Vec<Outline>>")]
pub(crate) struct Cores {
    /// The first few members of each layout.
    groups: Vec<Vec<Outline>>,
    /// Start and end of the members that have a path.
    rows: FxHashMap<u64, (u32, u32)>,
    having: Vec<u32>,
    members: usize,
}

impl From<Cores> for Vec<Vec<Outline>> {
    fn from(cores: Cores) -> Self {
        cores.groups
    }
}

impl From<Vec<Vec<Outline>>> for Cores {
    /// Takes at most [`CORE`] members of each layout.
    fn from(groups: Vec<Vec<Outline>>) -> Self {
        let mut pairs: Vec<(u64, u32)> = (groups.iter().flatten().zip(0..))
            .flat_map(|(member, at)| member.paths.iter().map(move |&path| (path, at)))
            .collect();
        pairs.sort_unstable();
        let mut rows = FxHashMap::default();
        let mut end = 0;
        for row in pairs.chunk_by(|a, b| a.0 == b.0) {
            let begin = end;
            end += row.len() as u32;
            rows.insert(row[0].0, (begin, end));
        }
        let members = groups.iter().map(Vec::len).sum();
        Self { groups, rows, having: pairs.into_iter().map(|pair| pair.1).collect(), members }
    }
}

impl Cores {
    /// Takes the first members of each group of pages.
    pub(crate) fn of_groups(groups: &[Vec<u32>], pages: &[Outline]) -> Self {
        let core = |group: &Vec<u32>| {
            group.iter().take(CORE).map(|&member| pages[member as usize].clone()).collect()
        };
        groups.iter().map(core).collect::<Vec<_>>().into()
    }

    pub(crate) fn groups(&self) -> &[Vec<Outline>] {
        &self.groups
    }

    /// Returns the layout whose core has the highest average similarity to a page (the first of equals), and that
    /// similarity. `None` if there are no layouts.
    pub(crate) fn nearest(&self, page: &Outline, config: &ClusterConfig) -> Option<(usize, f64)> {
        let mut common = vec![0u32; self.members];
        for &(begin, end) in page.paths.iter().filter_map(|path| self.rows.get(path)) {
            let having = &self.having[begin as usize..end as usize];
            having.iter().for_each(|&member| common[member as usize] += 1);
        }
        let mut common = common.into_iter();
        let mut best: Option<(usize, f64)> = None;
        for (at, core) in self.groups.iter().enumerate() {
            let each = core.iter().zip(common.by_ref());
            let sum: f64 =
                each.map(|(m, common)| similarity_of(page, m, common as usize, config)).sum();
            let mean = sum / core.len() as f64;
            if best.is_none_or(|(_, most)| mean > most) {
                best = Some((at, mean));
            }
        }
        best
    }
}

/// Groups pages by layout: lists of ascending indices, the largest group first, ties by first member. `pages`
/// must be in the order of the hashes of their addresses, so that the result does not depend on the order in
/// which they were read.
///
/// The first pages are clustered by average linkage; each other page joins the group it is most similar to on
/// average, if that is similar enough; the remaining pages are clustered in the same way. Cost: a look-up for
/// each path of a page, and a comparison of two sets for each pair of clustered pages.
pub(crate) fn group_by_layout(pages: &[Outline], config: &ClusterConfig) -> Vec<Vec<u32>> {
    let mut left: Vec<u32> = (0..pages.len() as u32).collect();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    while !left.is_empty() {
        let rest = left.split_off(left.len().min(config.sample.max(1)));
        let fresh = agglomerate(pages, &left, config);
        left.clear();
        let cores = (!rest.is_empty()).then(|| Cores::of_groups(&fresh, pages));
        let first = groups.len();
        groups.extend(fresh);
        for page in rest {
            match cores.as_ref().and_then(|cores| cores.nearest(&pages[page as usize], config)) {
                Some((at, alike)) if alike >= config.similarity => groups[first + at].push(page),
                _ => left.push(page),
            }
        }
    }
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_by_key(|g| (std::cmp::Reverse(g.len()), g[0]));
    groups
}
/// Average linkage: joins the two most similar groups until none are similar enough.
fn agglomerate(pages: &[Outline], members: &[u32], config: &ClusterConfig) -> Vec<Vec<u32>> {
    let n = members.len();
    let mut similar = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            let s = similarity(&pages[members[i] as usize], &pages[members[j] as usize], config);
            similar[i * n + j] = s;
            similar[j * n + i] = s;
        }
    }
    let mut groups: Vec<Vec<u32>> = members.iter().map(|&m| vec![m]).collect();
    let mut alive: Vec<usize> = (0..n).collect();
    loop {
        let mut best = (f64::MIN, 0, 0);
        for (k, &i) in alive.iter().enumerate() {
            for &j in &alive[..k] {
                if similar[i * n + j] > best.0 {
                    best = (similar[i * n + j], i, j);
                }
            }
        }
        let (s, from, into) = best;
        if alive.len() < 2 || s < config.similarity {
            break;
        }
        let (a, b) = (groups[from].len() as f64, groups[into].len() as f64);
        for &k in &alive {
            let mean = (a * similar[from * n + k] + b * similar[into * n + k]) / (a + b);
            similar[into * n + k] = mean;
            similar[k * n + into] = mean;
        }
        let moved = std::mem::take(&mut groups[from]);
        groups[into].extend(moved);
        alive.retain(|&k| k != from);
    }
    groups.retain(|g| !g.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: ClusterConfig = ClusterConfig {
        similarity: 0.5,
        feed_bonus: 0.2,
        sample: 4,
        min_words: 20,
        extract_lists: false,
    };

    fn outline(paths: &[u64], feeds: &[u64]) -> Outline {
        Outline { paths: paths.to_vec(), feeds: feeds.to_vec() }
    }

    #[test]
    fn layouts_that_are_not_among_the_first_pages_are_groups_too() {
        let (a, b, c) = ([1, 2, 3, 4], [1, 7, 8, 9], [20, 21, 22]);
        let layout = |page: u32| if page < 5 { 0 } else { 1 + page % 2 };
        let of = |page| match layout(page) {
            0 => outline(&a, &[]),
            1 => outline(&b, &[]),
            _ => outline(&c, &[]),
        };
        let pages: Vec<_> = (0..30).map(of).collect();
        let of_layout = |wanted| (0..30).filter(|&page| layout(page) == wanted).collect::<Vec<_>>();
        let expected = [of_layout(2), of_layout(1), of_layout(0)];
        assert_eq!(group_by_layout(&pages, &CONFIG), expected);
    }

    #[test]
    fn cores_tell_the_similarity_of_each_two_pages() {
        let feeds: [&[u64]; 3] = [&[], &[0], &[0, 1]];
        let pages: Vec<Outline> = (0..30u64)
            .map(|page| {
                let has = |path: &u64| (path * 7 + page * page) % 5 < 2 + page % 3;
                let paths: Vec<u64> = (0..40).filter(has).collect();
                outline(&paths, feeds[page as usize % 3])
            })
            .collect();
        let groups = vec![pages[..8].to_vec(), pages[12..13].to_vec(), pages[13..16].to_vec()];
        let cores = Cores::from(groups.clone());
        for page in &pages[16..] {
            let mean = |core: &Vec<Outline>| {
                let each = core.iter().map(|member| similarity(page, member, &CONFIG));
                each.sum::<f64>() / core.len() as f64
            };
            let means: Vec<f64> = groups.iter().map(mean).collect();
            let (at, best) = cores.nearest(page, &CONFIG).unwrap();
            assert_eq!((means[at], at), (best, means.iter().position(|&m| m == best).unwrap()));
            assert!(means.iter().all(|&mean| mean <= best), "{means:?}");
        }
        assert_eq!(Cores::default().nearest(&pages[0], &CONFIG), None);
    }

    #[test]
    fn a_feed_draws_its_pages_together() {
        let (a, b) = ([1, 2, 3, 4, 5], [1, 2, 8, 9]);
        let apart = [outline(&a, &[]), outline(&b, &[])];
        let together = [outline(&a, &[1]), outline(&b, &[0, 1])];
        assert_eq!(group_by_layout(&apart, &CONFIG).len(), 2);
        let generous = ClusterConfig { feed_bonus: 0.3, ..CONFIG };
        assert_eq!(group_by_layout(&together, &generous).len(), 1);
        assert_eq!(group_by_layout(&[], &CONFIG).len(), 0);
    }
}
