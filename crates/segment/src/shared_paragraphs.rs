//! Paragraphs that occur in articles of several sites: text of publishing groups (offers, appeals, notices) in articles that
//! otherwise differ, and copies.
//!
//! A paragraph is boilerplate if it occurs in articles of three sites, and in several articles of two of these sites. An article
//! that consists mostly of text found at other sites is a copy: it does not count, and keeps its text. Versions of one article
//! count once. One site alone, or one article of each site, is not enough: most paragraphs that two sites share, such as
//! statements and questions, belong to their articles.
//!
//! In memory are: 32 MiB for each of at most two sorts at a time, the occurrences of one paragraph at one site, and the hashes
//! of boilerplate.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use duplicates::{ArticleDescription, ParagraphWords};
use rustc_hash::FxBuildHasher;

use crate::described::DescribedArticles;
use crate::marks::ArticleMark;
use crate::sorted::{Item, Merged, Sorter};

/// Minimum number of sites at which boilerplate occurs.
const SITES: usize = 3;
/// Minimum number of these sites at which it occurs in several articles.
const REPEATING_SITES: usize = 2;

/// Collects the paragraphs of articles.
#[derive(Debug)]
pub(crate) struct SharedParagraphs {
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
    pub(crate) fn each_mark(
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
