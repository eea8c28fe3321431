//! Which pages share a layout: average-linkage clustering of tag-path sets.

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
    let all = a.paths.len() + b.paths.len() - common;
    let overlap = if all == 0 { 1.0 } else { common as f64 / all as f64 };
    let same_feed = a.feeds.iter().any(|f| b.feeds.binary_search(f).is_ok());
    overlap + if same_feed { likeness.feed_bonus } else { 0.0 }
}

/// Groups pages by layout: lists of indices, each rising, the largest group first, ties by first
/// member. Does not depend on the order of the pages beyond those indices.
///
/// A sample of the pages (the smallest hashes of their URLs, so samples of parts of a crawl can be
/// merged) is clustered by average linkage; each other page joins the group it is most similar to
/// on average, if that is similar enough; what is left is clustered in the same way. Cost:
/// O(pages · sample) set overlaps.
pub fn group_by_layout(pages: &[Layout<'_>], likeness: &Likeness) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by_cached_key(|&i| (xxh3_64(pages[i as usize].url.as_bytes()), i));
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut left = order;
    while !left.is_empty() {
        let rest = left.split_off(left.len().min(likeness.sample.max(1)));
        let fresh = agglomerate(pages, &left, likeness);
        left = Vec::new();
        let cores: Vec<Vec<u32>> = fresh.clone();
        let first = groups.len();
        groups.extend(fresh);
        for page in rest {
            let mean = |core: &Vec<u32>| {
                // A few members stand for a group: its members are alike by construction.
                let core = &core[..core.len().min(8)];
                let sum: f64 = core
                    .iter()
                    .map(|&m| similarity(&pages[page as usize], &pages[m as usize], likeness))
                    .sum();
                sum / core.len() as f64
            };
            let best = cores
                .iter()
                .map(mean)
                .enumerate()
                .fold((0, f64::MIN), |best, (i, s)| if s > best.1 { (i, s) } else { best });
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
