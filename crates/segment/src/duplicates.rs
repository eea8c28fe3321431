//! Compares the articles of a crawl within bounded memory: groups duplicates, chooses the article that represents each group, and
//! finds text that articles share with other sites.
//!
//! | step | where |
//! |---|---|
//! | describe each article: address, title, sketches | the crate `duplicates`, in the threads that process sites |
//! | spill the descriptions to disk, and sort their keys | [`Descriptions`] |
//! | compare articles that share a key, join duplicates | `Groups` |
//! | choose the article that represents each group | `Groups` |
//! | find paragraphs that occur in articles of several sites | `SharedParagraphs` |
//! | return the marks of articles, in the order in which the articles were described | [`Marks`] |
//!
//! The result depends only on the articles and their order. In memory are: 32 MiB of keys, 24 bytes for each article in a
//! group, for paragraphs, 32 MiB for each of at most two sorts at a time, the occurrences of one
//! paragraph at one site, and the hashes of boilerplate.
//!
//! Paragraphs that occur in articles of several sites: text of publishing groups (offers, appeals, notices) in articles that
//! otherwise differ, and copies.
//!
//! A paragraph is boilerplate if it occurs in articles of three sites, and in several articles of two of these sites. An article
//! that consists mostly of text found at other sites is a copy: it does not count, and keeps its text. Versions of one article
//! count once. One site alone, or one article of each site, is not enough: most paragraphs that two sites share, such as
//! statements and questions, belong to their articles.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use config::EmitConfig;
use duplicates::{ArticleDescription, ParagraphWords};
use rustc_hash::FxBuildHasher;
use xxhash_rust::xxh3::xxh3_64;

use crate::frames::{damaged, read_exact_at, read_frame_at, write_frame};
use crate::marks::{ArticleMark, Marks};
use crate::sorted::{Item, Merged, Sorter};

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

/// Minimum number of sites at which boilerplate occurs.
const SITES: usize = 3;
/// Minimum number of these sites at which it occurs in several articles.
const REPEATING_SITES: usize = 2;

/// Collects the paragraphs of articles.
#[derive(Debug)]
struct SharedParagraphs {
    folder: PathBuf,
    /// Paragraph, hash of the site, number of the article.
    occurrences: Sorter<(ParagraphWords, u64, u32)>,
}

impl SharedParagraphs {
    /// Spills to `folder`, which must exist.
    pub(crate) fn new(folder: &Path) -> Self {
        let occurrences = Sorter::new(folder.join("paragraphs"));
        Self { folder: folder.to_owned(), occurrences }
    }

    pub(crate) fn add(&mut self, number: u32, article: &ArticleDescription) -> io::Result<()> {
        let mut paragraphs = article.paragraphs.iter();
        paragraphs.try_for_each(|&own| self.occurrences.push((own, article.site, number), 0))
    }

    /// Passes on a mark for each article that shares text with other sites.
    fn each_mark(
        self,
        described: &DescribedArticles,
        take: &mut dyn FnMut(ArticleMark) -> io::Result<()>,
    ) -> io::Result<()> {
        let path = |name| self.folder.join(name);
        let mut by_article: Sorter<(u32, ParagraphWords, u64)> =
            Sorter::new(path("paragraphs-shared"));
        each_of_several_sites(self.occurrences.finish()?, &mut |(words, site, number)| {
            by_article.push((number, words, site), 0)
        })?;

        let mut by_words: Sorter<(ParagraphWords, u64, bool, u64, u32)> =
            Sorter::new(path("paragraphs-counted"));
        each_group(by_article.finish()?, |item| item.0, &mut |number, items| {
            let article = described.get(number)?;
            let (total, story) = (article.paragraph_words, article.story());
            let shared: u32 = items.iter().map(|(_, words, _)| words.count).sum();
            let is_copy = shared > total / 2;
            items.iter().try_for_each(|&(_, words, site)| {
                by_words.push((words, site, is_copy, story, number), 0)
            })
        })?;

        let mut boilerplate: HashSet<u64, FxBuildHasher> = HashSet::default();
        let mut by_article: Sorter<(u32, ParagraphWords, bool)> =
            Sorter::new(path("paragraphs-judged"));
        let mut counted = PlacesCounter::default();
        for item in by_words.finish()? {
            let (words, site, is_copy, story, number) = item?;
            boilerplate.extend(counted.count(words, site, is_copy, story));
            by_article.push((number, words, is_copy), 0)?;
        }
        boilerplate.extend(counted.finish());

        each_group(by_article.finish()?, |item| item.0, &mut |number, items| {
            let is_copy = items.iter().any(|item| item.2);
            let is_boilerplate =
                |words: &ParagraphWords| !is_copy && boilerplate.contains(&words.hash);
            let (mut own, elsewhere): (Vec<_>, Vec<_>) =
                items.iter().map(|item| item.1).partition(is_boilerplate);
            if !own.iter().any(|words| words.is_long()) {
                own.clear();
            }
            let sum = |some: &[ParagraphWords]| -> u32 { some.iter().map(|own| own.count).sum() };
            let left = described.get(number)?.paragraph_words.saturating_sub(sum(&own));
            let elsewhere: Vec<_> = elsewhere.into_iter().filter(|own| own.is_long()).collect();
            let share = f64::from(sum(&elsewhere)) / f64::from(left.max(1));
            let mut own: Vec<u64> = own.iter().map(|words| words.hash).collect();
            own.sort_unstable();
            if share == 0.0 && own.is_empty() {
                return Ok(());
            }
            take(ArticleMark::of_shared_text(number, share.min(1.0), own))
        })
    }
}

/// Passes on the occurrences of paragraphs that occur at several sites.
fn each_of_several_sites(
    occurrences: Merged<(ParagraphWords, u64, u32)>,
    take: &mut dyn FnMut((ParagraphWords, u64, u32)) -> io::Result<()>,
) -> io::Result<()> {
    // Occurrences at the first site of a paragraph, until a second site is seen.
    let mut first: Vec<(ParagraphWords, u64, u32)> = Vec::new();
    let mut several: Option<ParagraphWords> = None;
    for item in occurrences {
        let item = item?;
        if several != Some(item.0) {
            match first.first() {
                Some(before) if before.0 == item.0 && before.1 != item.1 => several = Some(item.0),
                Some(before) if before.0 != item.0 => first.clear(),
                _ => {}
            }
        }
        if several == Some(item.0) {
            first.drain(..).try_for_each(&mut *take)?;
            take(item)?;
        } else {
            first.push(item);
        }
    }
    Ok(())
}

/// Passes on sorted items in groups that have the same number.
fn each_group<T: Item>(
    items: Merged<T>,
    number_of: impl Fn(&T) -> u32,
    take: &mut dyn FnMut(u32, &[T]) -> io::Result<()>,
) -> io::Result<()> {
    let mut group: Vec<T> = Vec::new();
    for item in items {
        let item = item?;
        if let Some(first) = group.first().map(&number_of)
            && first != number_of(&item)
        {
            take(first, &group)?;
            group.clear();
        }
        group.push(item);
    }
    group.first().map(&number_of).map_or(Ok(()), |first| take(first, &group))
}

/// Counts the sites and articles of one paragraph after another, from occurrences sorted by paragraph and site.
#[derive(Debug, Default)]
struct PlacesCounter {
    words: ParagraphWords,
    site: Option<u64>,
    /// Story of the last article of the current site that is not a copy.
    story: Option<u64>,
    /// Number of stories of the current site.
    stories: usize,
    sites: usize,
    repeating: usize,
}

impl PlacesCounter {
    /// Counts the next occurrence. If it begins a new paragraph and the previous one is boilerplate, returns the hash of that.
    fn count(
        &mut self,
        words: ParagraphWords,
        site: u64,
        is_copy: bool,
        story: u64,
    ) -> Option<u64> {
        let mut ended = None;
        if words != self.words {
            ended = self.finish();
            self.words = words;
        }
        if self.site.replace(site) != Some(site) {
            (self.story, self.stories) = (None, 0);
        }
        if !is_copy && self.story.replace(story) != Some(story) {
            self.stories += 1;
            self.sites += usize::from(self.stories == 1);
            self.repeating += usize::from(self.stories == 2);
        }
        ended
    }

    /// Returns the hash of the last paragraph if it is boilerplate.
    fn finish(&mut self) -> Option<u64> {
        let ended = std::mem::take(self);
        let is_boilerplate = ended.sites >= SITES && ended.repeating >= REPEATING_SITES;
        is_boilerplate.then_some(ended.words.hash)
    }
}

const OFFSET: usize = 8;

/// The descriptions of articles in a file, by number of the article.
#[derive(Debug)]
struct DescribedArticles {
    /// One frame for each description.
    pub(crate) records: File,
    pub(crate) path: PathBuf,
    /// Offset at which each description ends, in 8 bytes, little endian.
    pub(crate) ends: File,
    /// Length of the longest description, in bytes.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns which of the paragraphs are boilerplate. A paragraph is given as one pair per site: the number of its articles, of
    /// which each two are one story, and the number of copies.
    fn boilerplate(paragraphs: &[&[(usize, usize)]]) -> Vec<u64> {
        let mut counter = PlacesCounter::default();
        let mut found = Vec::new();
        for (hash, sites) in (1..).zip(paragraphs) {
            for (site, &(articles, copies)) in (0..).zip(*sites) {
                for at in 0..articles + copies {
                    let words = ParagraphWords { hash, count: 9 };
                    // Copies come last.
                    found.extend(counter.count(words, site, at >= articles, at as u64 / 2));
                }
            }
        }
        found.extend(counter.finish());
        found
    }

    #[test]
    fn boilerplate_is_repeated_at_several_sites() {
        assert!(boilerplate(&[]).is_empty());
        assert_eq!(boilerplate(&[&[(3, 0), (3, 0), (1, 0)]]), [1]);
        let others: [&[(usize, usize)]; 6] = [
            &[(90, 0)],
            &[(9, 0), (9, 0)],
            &[(1, 0), (1, 0), (1, 0), (1, 0)],
            &[(9, 0), (1, 0), (1, 0)],
            &[(2, 5), (3, 0), (1, 0)],
            &[(3, 0), (3, 0), (0, 3)],
        ];
        assert!(boilerplate(&others).is_empty());
        assert_eq!(boilerplate(&[others[0], &[(1, 1), (3, 0), (4, 2)], others[2]]), [2]);
    }

    #[test]
    fn paragraphs_of_one_site_are_passed_over() {
        let mut sorter = Sorter::in_memory();
        let of = |hash| ParagraphWords { hash, count: 9 };
        let all = [
            (1, 7, 0),
            (1, 7, 1),
            (2, 7, 0),
            (2, 7, 2),
            (2, 8, 3),
            (3, 8, 3),
            (4, 1, 4),
            (4, 8, 3),
            (4, 9, 5),
        ];
        all.iter().rev().for_each(|&(hash, site, article)| {
            sorter.push((of(hash), site, article), 0).unwrap();
        });
        let mut found = Vec::new();
        let mut take = |(words, site, article): (ParagraphWords, u64, u32)| {
            found.push((words.hash, site, article));
            Ok(())
        };
        each_of_several_sites(sorter.finish().unwrap(), &mut take).unwrap();
        assert_eq!(found, [2, 3, 4, 6, 7, 8].map(|at: usize| all[at]));
    }
}
