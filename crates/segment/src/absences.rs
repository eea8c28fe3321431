//! Addresses that have no page any more: what the crawl answered with status 404 or 410, or with a redirect elsewhere.
//!
//! Such answers are dropped when they are read. A crawl may have many millions of them, so they are sorted on disk, and
//! articles of the crawl are looked up among them by the hashes of their addresses.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use grouping::{Address, Tracking};
use jiff::Timestamp;
use model::{Absence, Drop, Gone, SiteResult};
use xxhash_rust::xxh3::xxh3_64;

use crate::frames::{read_frame_at, write_frame};
use crate::sorted::Sorter;

/// Answers that are held in memory.
const HELD: usize = 1 << 16;
/// Answers that are looked up at once.
const GROUP: usize = 64;
/// Number of answers that are passed to the outputs at once.
const AT_ONCE: usize = 1_024;

/// An answer: the hash of its address in normal form, its time, the address, the status and the target.
type AbsenceRow = (u64, Timestamp, String, u16, Option<String>);

fn hash_of(address: &Address) -> u64 {
    xxh3_64(address.exact().as_bytes())
}

fn absence_of((_, at, url, status, moved_to): AbsenceRow) -> Absence {
    Absence { url, gone: Gone { at, status, moved_to } }
}

/// Receives the drops of a crawl, in any order.
#[derive(Debug)]
pub(crate) struct AbsencesRead {
    sorter: Sorter<AbsenceRow>,
    tracking: Tracking,
    count: usize,
}

impl AbsencesRead {
    /// What does not fit into memory is kept in `folder`, which must exist.
    pub(crate) fn new(folder: &Path, tracking: Tracking) -> Self {
        Self { sorter: Sorter::new(folder.join("absences")), tracking, count: 0 }
    }

    /// Notes an answer without a page. A redirect to another form of the same address, as from `http` to `https`, is
    /// none.
    pub(crate) fn see(&mut self, drop: &Drop) -> io::Result<()> {
        let Some(Gone { at, status, moved_to }) = &drop.gone else { return Ok(()) };
        let Some(own) = self.tracking.address(&drop.url) else { return Ok(()) };
        let target = moved_to.as_deref().and_then(|to| self.tracking.address(to));
        if target.is_some_and(|target| target.key == own.key) {
            return Ok(());
        }
        let bytes = drop.url.len() + moved_to.as_ref().map_or(0, String::len);
        let answer = (hash_of(&own), *at, drop.url.clone(), *status, moved_to.clone());
        self.count += 1;
        self.sorter.push(answer, bytes)
    }

    /// All of them, to be looked up.
    pub(crate) fn finish(self, folder: &Path) -> io::Result<Absences> {
        let sorted = self.sorter.finish()?;
        let answers = match self.count <= HELD {
            true => Answers::Held(sorted.collect::<io::Result<_>>()?),
            false => filed(sorted, folder.join("absences-sorted"))?,
        };
        Ok(Absences { answers, tracking: self.tracking })
    }
}

/// Writes sorted answers to a file: a frame for every group.
fn filed(
    sorted: impl Iterator<Item = io::Result<AbsenceRow>>,
    path: PathBuf,
) -> io::Result<Answers> {
    let mut to = BufWriter::new(File::create(&path)?);
    let (mut groups, mut at, mut group) = (Vec::new(), 0, Vec::new());
    for (number, answer) in sorted.enumerate() {
        let answer = answer?;
        if number % GROUP == 0 {
            at += write_group(&mut to, &std::mem::take(&mut group))?;
            groups.push((answer.0, at));
        }
        group.push(answer);
    }
    at += write_group(&mut to, &group)?;
    to.flush()?;
    Ok(Answers::Filed { file: File::open(&path)?, path, groups, length: at })
}

/// Writes a group, if there is something in it; returns the bytes of its frame.
fn write_group(to: &mut impl Write, group: &[AbsenceRow]) -> io::Result<u64> {
    if group.is_empty() {
        return Ok(0);
    }
    write_frame(to, &rmp_serde::to_vec(group).map_err(io::Error::other)?)
}

#[derive(Debug)]
enum Answers {
    /// In order.
    Held(Vec<AbsenceRow>),
    /// In a file, in order; of every group of answers the first hash and the offset.
    Filed { path: PathBuf, file: File, groups: Vec<(u64, u64)>, length: u64 },
}

/// The answers of a group of a file, by its number.
fn group_of(
    (path, file): (&Path, &File),
    groups: &[(u64, u64)],
    length: u64,
    number: usize,
) -> io::Result<Vec<AbsenceRow>> {
    let at = groups[number].1;
    let end = groups.get(number + 1).map_or(length, |group| group.1);
    let bytes = read_frame_at(file, path, at, (end - at) as usize)?;
    rmp_serde::from_slice(&bytes).map_err(io::Error::other)
}

impl Answers {
    /// The answers with a hash, by time.
    fn find(&self, hash: u64) -> io::Result<Vec<AbsenceRow>> {
        let (path, file, groups, length) = match self {
            Self::Held(answers) => {
                let from = answers.partition_point(|answer| answer.0 < hash);
                let alike = answers[from..].iter().take_while(|answer| answer.0 == hash);
                return Ok(alike.cloned().collect());
            }
            Self::Filed { path, file, groups, length } => (path, file, groups, *length),
        };
        // The first answer with the hash is in the last group that begins below it, or begins the next.
        let first = groups.partition_point(|group| group.0 < hash).saturating_sub(1);
        let mut found = Vec::new();
        for at in first..groups.len() {
            if groups[at].0 > hash {
                break;
            }
            let answers = group_of((path, file), groups, length, at)?;
            found.extend(answers.into_iter().filter(|answer| answer.0 == hash));
        }
        Ok(found)
    }
}

/// The answers of a crawl that had no page, by address.
#[derive(Debug)]
pub struct Absences {
    answers: Answers,
    tracking: Tracking,
}

impl Absences {
    /// Marks the articles whose address had no page when the crawl asked for it later; of several answers, by the
    /// first.
    ///
    /// # Errors
    /// If the file with the answers cannot be read.
    pub fn mark(&self, result: &mut SiteResult) -> io::Result<()> {
        if matches!(&self.answers, Answers::Held(answers) if answers.is_empty()) {
            return Ok(());
        }
        for article in &mut result.articles {
            let Some(address) = self.tracking.address(&article.url) else { continue };
            let answers = self.answers.find(hash_of(&address))?;
            let fetched = article.fetched;
            let later = |(_, at, _, status, moved_to): AbsenceRow| {
                let gone = Gone { at, status, moved_to };
                gone.is_after(fetched).then_some(gone)
            };
            article.set_absence(answers.into_iter().find_map(later));
        }
        Ok(())
    }

    /// Passes all of them on, some at a time; those of one address are passed on together.
    ///
    /// # Errors
    /// If the file with the answers cannot be read, and those of `take`.
    pub fn each<E: From<io::Error>>(
        &self,
        take: &mut dyn FnMut(&[Absence]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut some = Vec::with_capacity(AT_ONCE);
        let mut last = None;
        let mut add = |answer: AbsenceRow| -> Result<(), E> {
            // Answers of one address stay together.
            if some.len() >= AT_ONCE && last != Some(answer.0) {
                take(&some)?;
                some.clear();
            }
            last = Some(answer.0);
            some.push(absence_of(answer));
            Ok(())
        };
        match &self.answers {
            Answers::Held(answers) => answers.iter().cloned().try_for_each(&mut add)?,
            Answers::Filed { path, file, groups, length } => {
                for number in 0..groups.len() {
                    let answers = group_of((path, file), groups, *length, number)?;
                    answers.into_iter().try_for_each(&mut add)?;
                }
            }
        }
        if !some.is_empty() {
            take(&some)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_in_memory_and_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        // Hashes that differ, and some that come often, also where groups meet.
        let answer = |n: u64| {
            let hash = if (300..600).contains(&n) { 300 } else { n / 3 * 7 };
            let moved_to = n.is_multiple_of(2).then(|| format!("https://b.example/{n}"));
            (hash, Timestamp::UNIX_EPOCH, format!("https://a.example/{n}"), 404, moved_to)
        };
        let mut answers: Vec<AbsenceRow> = (0..3_000).map(answer).collect();
        answers.sort_unstable();
        let file = filed(answers.iter().cloned().map(Ok), folder.path().join("sorted")).unwrap();
        let held = Answers::Held(answers.clone());
        for hash in 0..7_010 {
            let expected: Vec<AbsenceRow> =
                answers.iter().filter(|answer| answer.0 == hash).cloned().collect();
            assert_eq!(held.find(hash).unwrap(), expected, "{hash}");
            assert_eq!(file.find(hash).unwrap(), expected, "{hash}");
        }
        let tracking = || Tracking::new(&[]);
        for answers in [held, file] {
            let mut all = Vec::new();
            let absences = Absences { answers, tracking: tracking() };
            let mut take = |some: &[Absence]| -> io::Result<()> {
                all.extend_from_slice(some);
                Ok(())
            };
            absences.each(&mut take).unwrap();
            assert_eq!(all.len(), 3_000);
        }
    }
}
