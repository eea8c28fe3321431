//! Compares the articles of a crawl within bounded memory: groups duplicates, chooses the article that represents each group, and
//! finds text that articles share with other sites.
//!
//! | step | where |
//! |---|---|
//! | describe each article: address, title, sketches | the crate `duplicates`, in the threads that process sites |
//! | spill the descriptions to disk, and sort their keys | [`Descriptions`] |
//! | compare articles that share a key, join duplicates | `Groups` |
//! | choose the article that represents each group | `Groups` |
//! | find paragraphs that occur in articles of several sites | `shared_paragraphs` |
//! | return the marks of articles, in the order in which the articles were described | [`Marks`] |
//!
//! The result depends only on the articles and their order. In memory are: 32 MiB of keys, 24 bytes for each article in a
//! group, and what the header of `shared_paragraphs` lists.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use config::EmitConfig;
use duplicates::ArticleDescription;
use rustc_hash::FxBuildHasher;
use xxhash_rust::xxh3::xxh3_64;

use crate::described::DescribedArticles;
use crate::frames::write_frame;
use crate::marks::{ArticleMark, Marks};
use crate::shared_paragraphs::SharedParagraphs;
use crate::sorted::{Merged, Sorter};

/// What to look for among the articles of a crawl.
#[derive(Clone, Copy, Debug)]
pub struct Comparisons {
    /// Minimum similarity of duplicates without further evidence; `None` to look for no duplicates.
    pub duplicates: Option<f64>,
    /// Whether to look for text that articles share with other sites.
    pub shared_text: bool,
}

impl Comparisons {
    /// The comparisons that the settings ask for.
    pub fn of(emit: &EmitConfig) -> Self {
        let looks_for_duplicates = emit.duplicates != config::Duplicates::Keep;
        Self {
            duplicates: looks_for_duplicates.then_some(emit.duplicate_similarity),
            shared_text: emit.find_shared_text,
        }
    }

    /// Whether nothing is compared.
    pub fn is_empty(self) -> bool {
        self.duplicates.is_none() && !self.shared_text
    }
}

/// Compares all described articles, and returns their marks.
///
/// # Errors
/// If files cannot be read or written.
pub fn marks_of(descriptions: Descriptions) -> io::Result<Marks> {
    let Descriptions { folder, records, ends, longest, sought, keys, paragraphs, .. } =
        descriptions;
    let flushed = |file: BufWriter<File>| file.into_inner().map_err(io::IntoInnerError::into_error);
    let (records, ends) = (flushed(records)?, flushed(ends)?);
    let described = DescribedArticles { records, ends, path: folder.join(RECORDS), longest };
    let mut marks = Sorter::new(folder.join("marks"));
    let mut take = |mark: ArticleMark| {
        let bytes = mark.heap_bytes();
        marks.push(mark, bytes)
    };
    if let Some(least) = sought.duplicates {
        Groups::of(keys.finish()?, &described, least)?.each_mark(&described, least, &mut take)?;
    }
    if sought.shared_text {
        paragraphs.each_mark(&described, &mut take)?;
    }
    Ok(Marks::of(marks.finish()?))
}

/// File name of the descriptions.
const RECORDS: &str = "descriptions";

/// Collects the descriptions of articles, in the order of outputs.
#[derive(Debug)]
pub struct Descriptions {
    folder: PathBuf,
    records: BufWriter<File>,
    /// The offset at which each record ends.
    ends: BufWriter<File>,
    end: u64,
    /// Length of the longest record, in bytes.
    longest: u64,
    count: u32,
    sought: Comparisons,
    keys: Sorter<(u64, u32)>,
    paragraphs: SharedParagraphs,
}

impl Descriptions {
    /// Creates the files for descriptions in `folder`, which must exist.
    ///
    /// # Errors
    /// If files cannot be created there.
    pub fn new(folder: &Path, sought: Comparisons) -> io::Result<Self> {
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
            sought,
            keys: Sorter::new(folder.join("description-keys")),
            paragraphs: SharedParagraphs::new(folder),
        })
    }

    /// Adds the next article.
    ///
    /// # Errors
    /// If the disk is full or the like, or there are more than 2³² articles.
    pub fn add(&mut self, evidence: &ArticleDescription) -> io::Result<()> {
        let record = rmp_serde::to_vec(evidence).map_err(io::Error::other)?;
        let bytes = write_frame(&mut self.records, &record)?;
        self.longest = self.longest.max(bytes);
        self.end += bytes;
        self.ends.write_all(&self.end.to_le_bytes())?;
        if self.sought.duplicates.is_some() {
            evidence.keys().try_for_each(|key| self.keys.push((key, self.count), 0))?;
        }
        if self.sought.shared_text {
            self.paragraphs.add(self.count, evidence)?;
        }
        self.count = self.count.checked_add(1).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(())
    }
}

/// Maximum number of earlier articles that an article with the same key is compared with: a text that a whole site has, or one
/// canonical address for all pages, must not take time quadratic in their number.
const LEADERS: usize = 8;
/// An article of a group may be less similar to the group's representative by this much: articles between them link the two.
const SLACK: f64 = 0.15;
/// Maximum number of parts that a group is split into. What is left of a chain of ever different texts belongs to no group.
const MOST_PARTS: usize = 64;

/// Groups, as a forest: each article points to another one of its group, or to itself.
#[derive(Debug, Default)]
pub(crate) struct Groups(HashMap<u32, u32, FxBuildHasher>);

impl Groups {
    /// Joins similar articles that share a key. `keys` must be sorted.
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

    /// Follows the forest to the root of an article.
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

    /// Chooses the representative of each group, and passes on a mark for each of its articles.
    fn each_mark(
        self,
        described: &DescribedArticles,
        least: f64,
        take: &mut dyn FnMut(ArticleMark) -> io::Result<()>,
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

/// Marks the best of some articles and its duplicates; returns the others.
fn mark_part(
    numbers: &[u32],
    described: &DescribedArticles,
    least: f64,
    take: &mut dyn FnMut(ArticleMark) -> io::Result<()>,
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
                take(ArticleMark::of_duplicate(
                    number,
                    cluster,
                    Some((best.url.clone(), similarity)),
                ))?;
                marked += 1;
            }
            None => rest.push(number),
        }
    }
    if marked > 0 {
        take(ArticleMark::of_duplicate(first, cluster, None))?;
    }
    Ok(rest)
}
