//! Which pages share a layout: average-linkage clustering of tag-path sets.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

/// A page as clustering sees it.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// Hashes of its distinct tag paths, sorted.
    pub paths: &'a [u64],
    /// What decides whether the page is in the sample: a hash of this.
    pub url: &'a str,
    /// Feeds that list the page, sorted.
    pub feeds: &'a [u32],
}

/// How alike pages of one layout are.
#[derive(Clone, Copy, Debug)]
pub struct Likeness {
    /// Least mean similarity within a layout.
    pub threshold: f64,
    /// Added for pages listed by one feed.
    pub feed_bonus: f64,
    /// Most pages compared with each other; the others join the nearest group.
    pub sample: usize,
}

/// Overlap of two sets of tag paths: common paths over all paths (Jaccard), plus the feed bonus.
pub(crate) fn similarity(a: &Layout<'_>, b: &Layout<'_>, likeness: &Likeness) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0usize);
    while i < a.paths.len() && j < b.paths.len() {
        let order = a.paths[i].cmp(&b.paths[j]);
        common += usize::from(order.is_eq());
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    similarity_of(a, b, common, likeness)
}

/// The same where it is known how many paths they have in common.
fn similarity_of(a: &Layout<'_>, b: &Layout<'_>, common: usize, likeness: &Likeness) -> f64 {
    let all = a.paths.len() + b.paths.len() - common;
    let overlap = if all == 0 { 1.0 } else { common as f64 / all as f64 };
    let same_feed = a.feeds.iter().any(|f| b.feeds.binary_search(f).is_ok());
    overlap + if same_feed { likeness.feed_bonus } else { 0.0 }
}

/// The members that stand for the groups of a sample, and which of them have each path: a look at a
/// page's paths tells how many it has in common with all of them.
struct Cores<'a> {
    /// Per group its first few members: its members are alike by construction.
    groups: Vec<Vec<Layout<'a>>>,
    /// Where the row of a path begins: 1 for each member that has it, else 0.
    rows: FxHashMap<u64, usize>,
    has_path: Vec<u8>,
    members: usize,
}

/// Members that stand for a group.
const CORE: usize = 8;

impl<'a> Cores<'a> {
    fn of(pages: &[Layout<'a>], groups: &[Vec<u32>]) -> Self {
        let core = |group: &Vec<u32>| group.iter().take(CORE).map(|&m| pages[m as usize]).collect();
        let groups: Vec<Vec<Layout<'a>>> = groups.iter().map(core).collect();
        let members = groups.iter().map(Vec::len).sum();
        let mut cores = Self { groups, rows: FxHashMap::default(), has_path: Vec::new(), members };
        for (at, member) in cores.groups.iter().flatten().enumerate() {
            for &path in member.paths {
                let row = *cores.rows.entry(path).or_insert(cores.has_path.len());
                if row == cores.has_path.len() {
                    cores.has_path.resize(row + members, 0);
                }
                cores.has_path[row + at] = 1;
            }
        }
        cores
    }

    /// The group whose core a page is most similar to on average, and how similar; the first of equals.
    fn nearest(&self, page: &Layout<'_>, likeness: &Likeness) -> (usize, f64) {
        let mut common = vec![0u32; self.members];
        for row in page.paths.iter().filter_map(|path| self.rows.get(path)) {
            let has_path = &self.has_path[*row..row + self.members];
            common.iter_mut().zip(has_path).for_each(|(sum, &has)| *sum += u32::from(has));
        }
        let mut common = common.into_iter();
        let mut best = (0, f64::MIN);
        for (at, core) in self.groups.iter().enumerate() {
            let each = core.iter().zip(common.by_ref());
            let sum: f64 =
                each.map(|(m, common)| similarity_of(page, m, common as usize, likeness)).sum();
            let mean = sum / core.len() as f64;
            if mean > best.1 {
                best = (at, mean);
            }
        }
        best
    }
}

/// Groups pages by layout: lists of indices, each rising, the largest group first, ties by first
/// member. Does not depend on the order of the pages beyond those indices.
///
/// A sample of the pages (the smallest hashes of their URLs, so samples of parts of a crawl can be
/// merged) is clustered by average linkage; each other page joins the group it is most similar to
/// on average, if that is similar enough; what is left is clustered in the same way. Cost: a look-up for
/// each path of a page, and an overlap of two sets for each two pages of a sample.
pub fn group_by_layout(pages: &[Layout<'_>], likeness: &Likeness) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by_cached_key(|&i| (xxh3_64(pages[i as usize].url.as_bytes()), i));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut left = order;
    while !left.is_empty() {
        let rest = left.split_off(left.len().min(likeness.sample.max(1)));
        let fresh = agglomerate(pages, &left, likeness);
        left = Vec::new();
        let cores = Cores::of(pages, &fresh);
        let first = groups.len();
        groups.extend(fresh);
        for page in rest {
            let best = cores.nearest(&pages[page as usize], likeness);
            if best.1 >= likeness.threshold {
                groups[first + best.0].push(page);
            } else {
                left.push(page);
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
fn agglomerate(pages: &[Layout<'_>], members: &[u32], likeness: &Likeness) -> Vec<Vec<u32>> {
    let n = members.len();
    let mut similar = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            let s = similarity(&pages[members[i] as usize], &pages[members[j] as usize], likeness);
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
        if alive.len() < 2 || s < likeness.threshold {
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

    const LIKENESS: Likeness = Likeness { threshold: 0.5, feed_bonus: 0.2, sample: 4 };

    fn layout<'a>(paths: &'a [u64], url: &'a str, feeds: &'a [u32]) -> Layout<'a> {
        Layout { paths, url, feeds }
    }

    #[test]
    fn separates_layouts_and_places_pages_outside_the_sample() {
        let (a, b) = ([1, 2, 3, 4], [1, 7, 8, 9]);
        let urls: Vec<String> = (0..20).map(|i| format!("u{i}")).collect();
        let pages: Vec<_> =
            (0..20).map(|i| layout(if i % 2 == 0 { &a } else { &b }, &urls[i], &[])).collect();
        let groups = group_by_layout(&pages, &LIKENESS);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0], (0..20).step_by(2).collect::<Vec<u32>>());
    }

    #[test]
    fn cores_tell_the_similarity_of_each_two_pages() {
        let paths: Vec<Vec<u64>> = (0..30u64)
            .map(|page| {
                (0..40u64).filter(|path| (path * 7 + page * page) % 5 < 2 + page % 3).collect()
            })
            .collect();
        let feeds = [vec![], vec![0], vec![0, 1]];
        let pages: Vec<Layout<'_>> = paths
            .iter()
            .enumerate()
            .map(|(at, paths)| Layout { paths, url: "", feeds: &feeds[at % 3] })
            .collect();
        let groups: Vec<Vec<u32>> = vec![(0..12).collect(), vec![12], (13..16).collect()];
        let cores = Cores::of(&pages, &groups);
        for page in &pages[16..] {
            let mean = |group: &Vec<u32>| {
                let core = &group[..group.len().min(CORE)];
                let each = core.iter().map(|&m| similarity(page, &pages[m as usize], &LIKENESS));
                each.sum::<f64>() / core.len() as f64
            };
            let means: Vec<f64> = groups.iter().map(mean).collect();
            let (at, best) = cores.nearest(page, &LIKENESS);
            assert_eq!((means[at], at), (best, means.iter().position(|&m| m == best).unwrap()));
            assert!(means.iter().all(|&mean| mean <= best), "{means:?}");
        }
    }

    #[test]
    fn a_feed_draws_its_pages_together() {
        let (a, b) = ([1, 2, 3, 4, 5], [1, 2, 8, 9]);
        let apart = [layout(&a, "a", &[]), layout(&b, "b", &[])];
        let together = [layout(&a, "a", &[1]), layout(&b, "b", &[0, 1])];
        assert_eq!(group_by_layout(&apart, &LIKENESS).len(), 2);
        let generous = Likeness { feed_bonus: 0.3, ..LIKENESS };
        assert_eq!(group_by_layout(&together, &generous).len(), 1);
        assert_eq!(group_by_layout(&[], &LIKENESS).len(), 0);
    }
}
