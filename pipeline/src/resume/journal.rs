//! The results of all sites so far, from which a stopped run resumes.
//!
//! The file contains frames (`frames`) in the order of outputs. The content of each is the length of a heading (4 bytes,
//! little endian), the heading in MessagePack, the uncompressed length of the results (4 bytes), and the results in
//! MessagePack as an LZ4 block. The first incomplete or damaged frame ends the journal: results that did not reach the disk
//! before a crash are computed again. Other versions of the program do not read it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use duplicates::{Describer, Evidence};
use model::SiteResult;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::frames::{Frames, frame, unpacked};
use crate::progress::tally::Counted;

/// Size of a length within the content.
const LENGTH: usize = 4;
/// The heading of the results of a site, or of a part of a large one: what is needed of it before all results are known.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Heading {
    /// Number of the site in the order of outputs.
    pub(crate) index: usize,
    /// Number of the part.
    pub(crate) part: usize,
    pub(crate) counted: Counted,
    /// Descriptions of its articles; none if duplicates are not looked for.
    pub(crate) evidence: Vec<Evidence>,
}

impl Heading {
    /// The heading of a site, or of its part with this number.
    pub(crate) fn of(
        index: usize,
        part: usize,
        result: &SiteResult,
        describer: Option<&Describer>,
    ) -> Self {
        let describe = |describer: &Describer| {
            result.articles.iter().map(|of| describer.describe(of)).collect()
        };
        let evidence = describer.map(describe).unwrap_or_default();
        Self { index, part, counted: Counted::of(result), evidence }
    }

    /// The frame of a site with its results.
    pub(crate) fn frame(&self, result: &SiteResult) -> io::Result<Vec<u8>> {
        let mut heading = vec![0; LENGTH];
        rmp_serde::encode::write(&mut heading, self).map_err(io::Error::other)?;
        let length = u32::try_from(heading.len() - LENGTH).map_err(io::Error::other)?;
        heading[..LENGTH].copy_from_slice(&length.to_le_bytes());
        frame(&heading, |to| rmp_serde::encode::write_named(to, result).map_err(io::Error::other))
    }

    /// Splits the content of a frame into its heading and the compressed results.
    pub(crate) fn of_content(content: &[u8]) -> io::Result<(Self, &[u8])> {
        let (length, rest) = content.split_first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
        let heading = rest.split_at_checked(u32::from_le_bytes(*length) as usize);
        let (heading, packed) = heading.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((rmp_serde::from_slice(heading).map_err(io::Error::other)?, packed))
    }

    /// Numbers of the next site and part.
    pub(crate) fn next(&self) -> (usize, usize) {
        if self.counted.more { (self.index, self.part + 1) } else { (self.index + 1, 0) }
    }
}

/// Length of decompressed results, in bytes.
pub(crate) fn unpacked_length(packed: &[u8]) -> usize {
    packed.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize)
}

/// Decompresses results.
pub(crate) fn result_of(packed: &[u8]) -> io::Result<SiteResult> {
    rmp_serde::from_slice(&unpacked(packed)?).map_err(io::Error::other)
}

/// Checks sites as they come against those that were read.
#[derive(Debug)]
pub(crate) struct Order<'a> {
    /// Hashes of the keys of those that were read, in the order of outputs.
    sites: &'a [u64],
    /// How many of these came so far.
    come: usize,
}

impl<'a> Order<'a> {
    /// Expects all sites, or those after the key `last`.
    pub(crate) fn behind(sites: &'a [u64], last: Option<&str>) -> Self {
        let last = last.map(|key| xxh3_64(key.as_bytes()));
        Self { sites, come: last.map_or(0, |last| sites.partition_point(|&hash| hash <= last)) }
    }

    /// Whether the site with this key is the next, or the last one again with its next part. Sites with equal
    /// hashes count as one.
    pub(crate) fn comes(&mut self, key: &str) -> bool {
        let hash = Some(xxh3_64(key.as_bytes()));
        let (before, next) = (self.come.checked_sub(1), self.come);
        let is_next = self.sites.get(next).copied() == hash;
        self.come += usize::from(is_next);
        is_next || before.and_then(|before| self.sites.get(before).copied()) == hash
    }

    /// Whether all have come.
    pub(crate) fn is_at_end(&self) -> bool {
        self.come == self.sites.len()
    }
}

/// The last site, or part of a site, in the journal at `path`. Its sites must be the first of those that were
/// read, given as hashes of their keys, in order. Otherwise it does not belong to this run: the inner `Err`.
pub(crate) fn last_of(path: &Path, sites: &[u64]) -> io::Result<Result<Option<Heading>, Foreign>> {
    let Some(mut frames) = Frames::open(path)? else { return Ok(Ok(None)) };
    let mut order = Order::behind(sites, None);
    let mut last: Option<Heading> = None;
    while let Some(content) = frames.next()? {
        let (heading, _) = Heading::of_content(&content)?;
        let same = last.as_ref().is_some_and(|last| last.counted.site == heading.counted.site);
        let next = last.as_ref().map_or((0, 0), Heading::next);
        let fits = (heading.index, heading.part) == next && same == (heading.part > 0);
        if !fits || !order.comes(&heading.counted.site) {
            return Ok(Err(Foreign));
        }
        last = Some(heading);
    }
    Ok(Ok(last))
}

/// A journal does not match the sites that were read.
#[derive(Debug, PartialEq)]
pub(crate) struct Foreign;

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    end: u64,
}

impl Journal {
    /// Opens the journal at `path`, or creates it, and truncates it to `end` bytes.
    pub(crate) fn open(path: &Path, end: u64) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok(Self { file, end })
    }

    /// Appends a frame. It survives the end of this process; a crash of the machine loses the last seconds.
    pub(crate) fn add(&mut self, frame: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(frame);
        if written.is_err() {
            // A partial frame on a full disk must not be in the way of the next attempt.
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))?;
        } else {
            self.end += frame.len() as u64;
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame_of(index: usize) -> Vec<u8> {
        let result = SiteResult::of_articles(&format!("{index}.example"), Vec::new());
        Heading::of(index, 0, &result, None).frame(&result).unwrap()
    }

    fn sites(path: &Path) -> (Vec<String>, u64) {
        let mut frames = Frames::open(path).unwrap().unwrap();
        let mut found = Vec::new();
        while let Some(content) = frames.next().unwrap() {
            let (heading, packed) = Heading::of_content(&content).unwrap();
            let result = result_of(packed).unwrap();
            assert_eq!(result.site, heading.counted.site);
            found.push(result.site);
        }
        assert!(frames.next().unwrap().is_none(), "nothing behind the end");
        (found, frames.end())
    }

    #[test]
    fn a_journal_of_other_sites_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let key = |n: usize| format!("{n}.example");
        let mut keys: Vec<String> = (0..6).map(key).collect();
        keys.sort_by_key(|key| xxh3_64(key.as_bytes()));
        let hashes: Vec<u64> = keys.iter().map(|key| xxh3_64(key.as_bytes())).collect();
        let frame_of = |key: &str, index: usize, part: usize, more: bool| {
            let result = SiteResult::of_articles(key, Vec::new());
            let mut heading = Heading::of(index, part, &result, None);
            heading.counted.more = more;
            heading.frame(&result).unwrap()
        };
        let last = |frames: &[(usize, usize, usize, bool)], sites: &[u64]| {
            let frames: Vec<Vec<u8>> = (frames.iter())
                .map(|&(site, index, part, more)| frame_of(&keys[site], index, part, more))
                .collect();
            std::fs::write(&path, frames.concat()).unwrap();
            last_of(&path, sites).unwrap().map(|last| last.map(|heading| heading.next()))
        };
        assert_eq!(last(&[], &hashes), Ok(None));
        assert_eq!(last(&[(0, 0, 0, false), (1, 1, 0, false)], &hashes), Ok(Some((2, 0))));
        let in_parts = [(0, 0, 0, false), (1, 1, 0, true), (1, 1, 1, true)];
        assert_eq!(last(&in_parts, &hashes), Ok(Some((1, 2))));
        for (what, frames) in [
            ("a site is left out", &[(0, 0, 0, false), (2, 1, 0, false)][..]),
            ("not from the first on", &[(1, 0, 0, false)]),
            ("a site twice", &[(0, 0, 0, false), (0, 1, 0, false)]),
            ("parts of two sites", &[(0, 0, 0, true), (1, 0, 1, false)]),
            ("a part is left out", &[(0, 0, 0, true), (0, 0, 2, false)]),
            ("numbers that do not follow", &[(0, 0, 0, false), (1, 2, 0, false)]),
        ] {
            assert_eq!(last(frames, &hashes), Err(Foreign), "{what}");
        }
        // A site that is missing in the journal.
        let before = [(0, 0, 0, false), (2, 1, 0, false)];
        assert_eq!(last(&before, &[hashes[0], hashes[2]]), Ok(Some((2, 0))));
        assert_eq!(last(&before, &hashes[..1]), Err(Foreign), "more than were read");

        let mut order = Order::behind(&hashes, Some(&keys[3]));
        assert!(order.comes(&keys[3]) && order.comes(&keys[4]) && !order.comes(&keys[0]));
        assert!(!order.is_at_end() && order.comes(&keys[5]) && order.is_at_end());
    }

    #[test]
    fn a_torn_or_damaged_end_is_left_out_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        assert!(Frames::open(&path).unwrap().is_none());
        let mut journal = Journal::open(&path, 0).unwrap();
        for index in 0..3 {
            journal.add(&frame_of(index)).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        let third = frame_of(2).len();
        for kept in 0..third {
            std::fs::write(&path, &whole[..whole.len() - third + kept]).unwrap();
            let (found, end) = sites(&path);
            assert_eq!(found, ["0.example", "1.example"], "{kept} bytes of the third");
            assert_eq!(end as usize, whole.len() - third);
        }
        let mut damaged = whole.clone();
        let at = whole.len() - third - 2;
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let (found, end) = sites(&path);
        assert_eq!(found, ["0.example"]);
        let mut journal = Journal::open(&path, end).unwrap();
        for index in 1..3 {
            journal.add(&frame_of(index)).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == whole, "the same sites are the same bytes");
    }
}
