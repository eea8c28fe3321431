//! The results of sites, in the order of outputs: a stopped run resumes from them, and the outputs are written of them.
//!
//! The file contains frames (`frames`). The first says what the results were computed from. The content of each other is the
//! length of a heading (4 bytes, little endian), the heading in MessagePack, the uncompressed length of the results (4
//! bytes), and the results in MessagePack as an LZ4 block. The first incomplete or damaged frame ends the file: results that
//! did not reach the disk before a crash are computed again. Other versions of the program do not read it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use duplicates::{ArticleDescription, Describer};
use model::SiteResult;
use segment::frames::{Frames, HEADER, frame, unpacked, write_frame};
use serde::{Deserialize, Serialize};

use crate::run::ledger::SiteCounts;

/// Size of a length within the content.
const LENGTH: usize = 4;
/// The heading of the results of a site, or of a part of a large one: what is needed of it before all results are known.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ResultHeading {
    pub(crate) index: usize,
    pub(crate) part: usize,
    pub(crate) counted: SiteCounts,
    /// Descriptions of its articles; none if duplicates are not looked for.
    pub(crate) evidence: Vec<ArticleDescription>,
}

impl ResultHeading {
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
        Self { index, part, counted: SiteCounts::of(result), evidence }
    }

    pub(crate) fn frame(&self, result: &SiteResult) -> io::Result<Vec<u8>> {
        let mut heading = vec![0; LENGTH];
        rmp_serde::encode::write_named(&mut heading, self).map_err(io::Error::other)?;
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

    pub(crate) fn next(&self) -> (usize, usize) {
        if self.counted.more { (self.index, self.part + 1) } else { (self.index + 1, 0) }
    }
}

/// Length of decompressed results, in bytes.
pub(crate) fn unpacked_length(packed: &[u8]) -> usize {
    packed.first_chunk().map_or(0, |length| u32::from_le_bytes(*length) as usize)
}

pub(crate) fn result_of(packed: &[u8]) -> io::Result<SiteResult> {
    rmp_serde::from_slice(&unpacked(packed)?).map_err(io::Error::other)
}

#[derive(Debug)]
pub(crate) struct SiteResults {
    file: File,
    end: u64,
    next: (usize, usize),
}

/// What was found in a file of results.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Earlier {
    /// Nothing, or results of the same causes.
    Fits,
    /// Results of other causes, which are removed.
    OfOtherCauses,
}

impl SiteResults {
    /// Length of a file without results: causes are a digest in hex.
    pub(crate) const EMPTY: u64 = (HEADER + 64) as u64;

    /// Opens the file at `path`, or creates it. Results of the same causes in it are kept and passed on, by their headings.
    pub(crate) fn open(
        path: &Path,
        causes: &str,
        see: &mut dyn FnMut(&ResultHeading),
    ) -> io::Result<(Self, Earlier)> {
        let (mut end, mut next, mut earlier) = (0, (0, 0), Earlier::Fits);
        if let Some(mut frames) = Frames::open(path)?
            && let Some(first) = frames.next_until_damage()?
        {
            earlier = Earlier::OfOtherCauses;
            if first == causes.as_bytes() {
                earlier = Earlier::Fits;
                while let Some(content) = frames.next_until_damage()? {
                    let (heading, _) = ResultHeading::of_content(&content)?;
                    next = heading.next();
                    see(&heading);
                }
                end = frames.end();
            }
        }
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        if end == 0 {
            end = write_frame(&mut file, causes.as_bytes())?;
        }
        Ok((Self { file, end, next }, earlier))
    }

    pub(crate) fn next(&self) -> (usize, usize) {
        self.next
    }

    /// Appends a frame. It survives the end of this process; a crash of the machine loses the last seconds.
    pub(crate) fn add(&mut self, heading: &ResultHeading, frame: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(frame);
        if written.is_err() {
            // A partial frame on a full disk must not be in the way of the next attempt.
            self.file.set_len(self.end)?;
            self.file.seek(SeekFrom::Start(self.end))?;
        } else {
            self.end += frame.len() as u64;
            self.next = heading.next();
        }
        written
    }

    pub(crate) fn frames(path: &Path) -> io::Result<Frames> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "the file is missing");
        let mut frames = Frames::open(path)?.ok_or_else(missing)?;
        frames.next_of_whole()?;
        Ok(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(to: &mut SiteResults, index: usize) -> usize {
        let result = SiteResult::from_articles(&format!("{index}.example"), Vec::new());
        let heading = ResultHeading::of(index, 0, &result, None);
        let frame = heading.frame(&result).unwrap();
        to.add(&heading, &frame).unwrap();
        frame.len()
    }

    fn open(path: &Path, causes: &str) -> (Vec<String>, SiteResults, Earlier) {
        let mut found = Vec::new();
        let mut see = |heading: &ResultHeading| found.push(heading.counted.site.clone());
        let (results, earlier) = SiteResults::open(path, causes, &mut see).unwrap();
        (found, results, earlier)
    }

    #[test]
    fn results_of_other_causes_are_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        let (_, mut results, earlier) = open(&path, "these");
        assert_eq!((results.next(), earlier), ((0, 0), Earlier::Fits));
        add(&mut results, 0);
        add(&mut results, 1);
        let (found, results, earlier) = open(&path, "these");
        assert_eq!((found.len(), results.next(), earlier), (2, (2, 0), Earlier::Fits));
        let (found, results, earlier) = open(&path, "others");
        assert_eq!((found.len(), results.next(), earlier), (0, (0, 0), Earlier::OfOtherCauses));
        let (found, _, earlier) = open(&path, "others");
        assert_eq!((found.len(), earlier), (0, Earlier::Fits));
    }

    #[test]
    fn a_torn_or_damaged_end_is_left_out_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        let (_, mut results, _) = open(&path, "");
        let third = (0..3).map(|index| add(&mut results, index)).last().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for kept in 0..third {
            std::fs::write(&path, &whole[..whole.len() - third + kept]).unwrap();
            let (found, results, _) = open(&path, "");
            assert_eq!(found, ["0.example", "1.example"], "{kept} bytes of the third");
            assert_eq!(results.end as usize, whole.len() - third);
        }
        let mut damaged = whole.clone();
        let at = whole.len() - third - 2;
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let (found, mut results, _) = open(&path, "");
        assert_eq!(found, ["0.example"]);
        for index in 1..3 {
            add(&mut results, index);
        }
        assert!(std::fs::read(&path).unwrap() == whole, "the same sites are the same bytes");
        let mut frames = SiteResults::frames(&path).unwrap();
        for index in 0..3 {
            let content = frames.next_of_whole().unwrap().unwrap();
            let (heading, packed) = ResultHeading::of_content(&content).unwrap();
            assert_eq!(result_of(packed).unwrap().site, heading.counted.site);
            assert_eq!(heading.index, index);
        }
        assert!(frames.next_of_whole().unwrap().is_none(), "nothing behind the end");
    }
}
