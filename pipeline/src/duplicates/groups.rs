//! Groups of articles that are the same.

use std::collections::HashMap;
use std::io;

use duplicates::ArticleDescription;
use rustc_hash::FxBuildHasher;
use xxhash_rust::xxh3::xxh3_64;

use super::descriptions::Described;
use super::marks::Mark;
use crate::segment::sorted::Merged;

/// Articles that share a key are compared with at most this many of those before them: a text that a whole site has, or
/// one canonical address for all pages, must not take time quadratic in their number.
const LEADERS: usize = 8;
/// Within a group, articles are the same as the one that represents it with so much less similarity: others are between.
const SLACK: f64 = 0.15;
/// Articles that represent parts of a group, at most; the rest of such a chain of ever different texts stays alone.
const MOST_PARTS: usize = 64;

/// Groups, as a forest: each article leads to another of its group, or to itself.
#[derive(Debug, Default)]
pub(super) struct Groups(HashMap<u32, u32, FxBuildHasher>);

impl Groups {
    /// Compares articles that share a key; `keys` come in order.
    ///
    /// # Errors
    /// If something cannot be read.
    pub(super) fn of(
        keys: Merged<(u64, u32)>,
        described: &Described,
        least: f64,
    ) -> io::Result<Self> {
        let mut groups = Self::default();
        let mut current = None;
        let mut leaders: Vec<(u32, Option<ArticleDescription>)> = Vec::new();
        for item in keys {
            let (key, number) = item?;
            if current.replace(key) != Some(key) {
                leaders.clear();
                leaders.push((number, None));
                continue;
            }
            let root = groups.root(number);
            if leaders.iter().any(|&(leader, _)| groups.root(leader) == root) {
                continue;
            }
            let own = described.get(number)?;
            let mut is_one = false;
            for (leader, evidence) in &mut leaders {
                let other = match evidence {
                    Some(evidence) => evidence,
                    none => none.insert(described.get(*leader)?),
                };
                if own.similarity(other, least).is_some() {
                    groups.join(*leader, number);
                    is_one = true;
                    break;
                }
            }
            if !is_one && leaders.len() < LEADERS {
                leaders.push((number, Some(own)));
            }
        }
        Ok(groups)
    }

    /// The first article that an article leads to.
    fn root(&self, mut number: u32) -> u32 {
        while let Some(&up) = self.0.get(&number)
            && up != number
        {
            number = up;
        }
        number
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        let (first, second) = (one.min(other), one.max(other));
        self.0.insert(first, first);
        self.0.insert(second, first);
    }

    /// Chooses what represents each group, and hands over what is to be noted of its articles.
    ///
    /// # Errors
    /// If descriptions cannot be read, or `take` fails.
    pub(super) fn each_mark(
        self,
        described: &Described,
        least: f64,
        take: &mut dyn FnMut(Mark) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut members: Vec<(u32, u32)> =
            self.0.keys().map(|&number| (self.root(number), number)).collect();
        members.sort_unstable();
        drop(self);
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            let mut rest: Vec<u32> = group.iter().map(|&(_, number)| number).collect();
            for _ in 0..MOST_PARTS {
                if rest.len() < 2 {
                    break;
                }
                rest = mark_part(&rest, described, least, take)?;
            }
        }
        Ok(())
    }
}

/// Marks the best of some articles, and those that are the same as it; returns the others.
fn mark_part(
    numbers: &[u32],
    described: &Described,
    least: f64,
    take: &mut dyn FnMut(Mark) -> io::Result<()>,
) -> io::Result<Vec<u32>> {
    let mut named: HashMap<u64, u32, FxBuildHasher> = HashMap::default();
    for &number in numbers {
        *named.entry(described.get(number)?.address()).or_default() += 1;
    }
    let named = |of: &ArticleDescription| named.get(&of.address()).copied().unwrap_or_default();
    let mut best: Option<(u32, ArticleDescription)> = None;
    for &number in numbers {
        let own = described.get(number)?;
        let is_better =
            |(_, best): &(u32, ArticleDescription)| own.is_before(named(&own), best, named(best));
        if best.as_ref().is_none_or(is_better) {
            best = Some((number, own));
        }
    }
    let Some((first, best)) = best else { return Ok(Vec::new()) };
    let cluster = xxh3_64(best.url.as_bytes());
    let (mut rest, mut marked) = (Vec::new(), 0);
    for &number in numbers.iter().filter(|&&number| number != first) {
        match described.get(number)?.similarity(&best, least - SLACK) {
            Some(similarity) => {
                take(Mark::new(number, cluster, Some((best.url.clone(), similarity))))?;
                marked += 1;
            }
            None => rest.push(number),
        }
    }
    if marked > 0 {
        take(Mark::new(first, cluster, None))?;
    }
    Ok(rest)
}
