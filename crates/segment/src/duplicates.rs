//! Articles of a crawl that are the same: groups them, with bounded memory, and chooses what represents each group.
//!
//! | step | where |
//! |---|---|
//! | describe each article: address, title, sketches | the crate `duplicates`, in the threads that process sites |
//! | keep the descriptions on disk, and sort their keys | [`Descriptions`] |
//! | compare articles that share a key, join those that are the same | `Groups` |
//! | choose the article that represents each group | `Groups` |
//! | hand over what is to be noted of each article, in the order in which they were described | [`Marks`] |
//!
//! The result depends on the articles and their order only. In memory are: 32 MiB of keys, and 24 bytes for each article
//! that is in a group.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use duplicates::ArticleDescription;
use model::Article;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::frames::{damaged, read_exact_at, read_frame_at, write_frame};
use crate::sorted::{Merged, Sorter};

/// Groups the articles that were described; those without further evidence are the same if their similarity is at least
/// `least`. Returns what is to be noted of them.
///
/// # Errors
/// If files cannot be read or written.
pub fn marks_of(descriptions: Descriptions, least: f64) -> io::Result<Marks> {
    let mut marks = Sorter::new(descriptions.folder().join("marks"));
    let (described, keys) = descriptions.finish()?;
    let groups = Groups::of(keys, &described, least)?;
    groups.each_mark(&described, least, &mut |mark| marks.push(mark, 0))?;
    Ok(Marks::of(marks.finish()?))
}

/// File of the descriptions.
const RECORDS: &str = "descriptions";
/// Bytes of an offset.
const OFFSET: usize = 8;

/// Receives the descriptions of articles, in the order of outputs.
#[derive(Debug)]
pub struct Descriptions {
    folder: PathBuf,
    records: BufWriter<File>,
    /// The end of each record.
    ends: BufWriter<File>,
    end: u64,
    /// Bytes of the longest record.
    longest: u64,
    count: u32,
    keys: Sorter<(u64, u32)>,
}

impl Descriptions {
    /// Keeps them in a folder, which must exist.
    ///
    /// # Errors
    /// If files cannot be created there.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let file = |name| {
            let path = folder.join(name);
            File::options().read(true).write(true).create(true).truncate(true).open(path)
        };
        Ok(Self {
            folder: folder.to_owned(),
            records: BufWriter::new(file(RECORDS)?),
            ends: BufWriter::new(file("descriptions-ends")?),
            end: 0,
            longest: 0,
            count: 0,
            keys: Sorter::new(folder.join("description-keys")),
        })
    }

    /// Adds the next article.
    ///
    /// # Errors
    /// If the disk is full or the like, or there are more than four thousand million articles.
    pub fn add(&mut self, evidence: &ArticleDescription) -> io::Result<()> {
        let record = rmp_serde::to_vec(evidence).map_err(io::Error::other)?;
        let bytes = write_frame(&mut self.records, &record)?;
        self.longest = self.longest.max(bytes);
        self.end += bytes;
        self.ends.write_all(&self.end.to_le_bytes())?;
        for key in evidence.keys() {
            self.keys.push((key, self.count), 0)?;
        }
        self.count = self.count.checked_add(1).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(())
    }

    fn finish(self) -> io::Result<(DescribedArticles, Merged<(u64, u32)>)> {
        let flushed =
            |file: BufWriter<File>| file.into_inner().map_err(io::IntoInnerError::into_error);
        let (records, ends) = (flushed(self.records)?, flushed(self.ends)?);
        let described = DescribedArticles {
            records,
            ends,
            path: self.folder.join(RECORDS),
            longest: self.longest,
        };
        Ok((described, self.keys.finish()?))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

#[derive(Debug)]
struct DescribedArticles {
    /// A frame of each.
    records: File,
    path: PathBuf,
    ends: File,
    longest: u64,
}

impl DescribedArticles {
    pub(crate) fn get(&self, number: u32) -> io::Result<ArticleDescription> {
        let mut bounds = [[0; OFFSET]; 2];
        let at = u64::from(number) * OFFSET as u64;
        match at.checked_sub(OFFSET as u64) {
            Some(before) => read_exact_at(&self.ends, bounds.as_flattened_mut(), before)?,
            None => read_exact_at(&self.ends, &mut bounds[1], at)?,
        }
        let [start, end] = bounds.map(u64::from_le_bytes);
        let bytes = end.checked_sub(start).filter(|bytes| *bytes <= self.longest);
        let bytes = bytes.ok_or_else(|| damaged(&self.path, start))?;
        let record = read_frame_at(&self.records, &self.path, start, bytes as usize)?;
        rmp_serde::from_slice(&record).map_err(io::Error::other)
    }
}

/// Articles that share a key are compared with at most this many of those before them: a text that a whole site has, or
/// one canonical address for all pages, must not take time quadratic in their number.
const LEADERS: usize = 8;
/// Within a group, articles are the same as the one that represents it with so much less similarity: others are between.
const SLACK: f64 = 0.15;
/// Articles that represent parts of a group, at most; the rest of such a chain of ever different texts stays alone.
const MOST_PARTS: usize = 64;

/// Groups, as a forest: each article leads to another of its group, or to itself.
#[derive(Debug, Default)]
pub(crate) struct Groups(HashMap<u32, u32, FxBuildHasher>);

impl Groups {
    /// Compares articles that share a key; `keys` come in order.
    fn of(keys: Merged<(u64, u32)>, described: &DescribedArticles, least: f64) -> io::Result<Self> {
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
    fn each_mark(
        self,
        described: &DescribedArticles,
        least: f64,
        take: &mut dyn FnMut(DuplicateMark) -> io::Result<()>,
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
    described: &DescribedArticles,
    least: f64,
    take: &mut dyn FnMut(DuplicateMark) -> io::Result<()>,
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
                take(DuplicateMark::new(number, cluster, Some((best.url.clone(), similarity))))?;
                marked += 1;
            }
            None => rest.push(number),
        }
    }
    if marked > 0 {
        take(DuplicateMark::new(first, cluster, None))?;
    }
    Ok(rest)
}

/// What is noted of one article.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct DuplicateMark {
    number: u32,
    cluster: u64,
    /// Address of the article that represents the group, and the bits of the similarity.
    of: Option<(String, u64)>,
}

impl DuplicateMark {
    /// Notes an article by its number: its group, and the article that represents that, with the similarity.
    pub fn new(number: u32, cluster: u64, of: Option<(String, f64)>) -> Self {
        Self { number, cluster, of: of.map(|(url, similarity)| (url, similarity.to_bits())) }
    }

    /// Whether another article represents the group.
    pub fn is_of_other(&self) -> bool {
        self.of.is_some()
    }

    /// Notes it in the article.
    pub fn note(self, article: &mut Article) {
        article.cluster = Some(format!("{:016x}", self.cluster));
        let of = self.of.map(|(url, similarity)| (url, f64::from_bits(similarity)));
        (article.duplicate_of, article.similarity) = of.unzip();
    }
}

/// Notes for articles, in the order of outputs.
#[derive(Debug)]
pub struct Marks {
    marks: Option<Merged<DuplicateMark>>,
    next: u64,
}

impl Marks {
    fn of(marks: Merged<DuplicateMark>) -> Self {
        Self { marks: Some(marks), next: 0 }
    }

    /// No notes at all.
    pub fn none() -> Self {
        Self { marks: None, next: 0 }
    }

    /// Passes over articles that come next in the order of outputs.
    ///
    /// # Errors
    /// If notes cannot be read.
    pub fn pass(&mut self, articles: u64) -> io::Result<()> {
        self.next += articles;
        while self
            .marks
            .as_ref()
            .and_then(Merged::peek)
            .is_some_and(|mark| u64::from(mark.number) < self.next)
        {
            self.marks.as_mut().and_then(Iterator::next).transpose()?;
        }
        Ok(())
    }

    /// The notes for so many articles, the next in the order of outputs: each with its index among these, in order.
    ///
    /// # Errors
    /// If notes cannot be read.
    pub fn of_next(&mut self, articles: usize) -> io::Result<Vec<(usize, DuplicateMark)>> {
        let mut found = Vec::new();
        let Some(marks) = &mut self.marks else { return Ok(found) };
        let first = self.next;
        self.next += articles as u64;
        while let Some(at) =
            marks.peek().map(|mark| u64::from(mark.number)).filter(|&at| at < self.next)
        {
            let Some(mark) = marks.next().transpose()? else { break };
            found.push(((at - first) as usize, mark));
        }
        Ok(found)
    }
}
