//! List of everything that a run has read, except the HTML of pages, with the positions of the records in the
//! inputs. A process that resumes the run reads only the pages it needs.
//!
//! Written after all inputs are read, if pages are in memory. Pages on disk need no catalogue. Its frames are
//! like those of the journal: pages, drops, feed items, and last the totals. If the last frame is missing or
//! a frame is damaged, all inputs are read again. Other versions of the program do not read it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use grouping::site_key;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sink::InputRecord;
use xxhash_rust::xxh3::xxh3_64;

use crate::digests::sha256_of;
use crate::frames::{Frames, frame, unpacked};
use crate::shuffle::partition::{Partitioned, Totals};
use crate::shuffle::sorted::{Item, Sorter};
use crate::shuffle::spool::{Extent, PARTS, Spool};
use crate::shuffle::stored::{Head, SourceRecord};

/// Approximate size of a frame in bytes.
const FRAME: usize = 1 << 20;
/// Number of parts of the spool whose pages share a frame.
const PARTS_IN_FRAME: usize = 8;

/// Totals after everything was read. If the pages are still available, reading is not repeated.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Complete {
    pub(crate) inputs: Vec<InputRecord>,
    pub(crate) other_records: u64,
    /// Inputs that could not be read, with the reason.
    pub(crate) unreadable: Vec<String>,
    pub(crate) totals: Totals,
    /// Sizes of the parts of the spool, if pages are on disk.
    pub(crate) parts: Vec<Extent>,
    /// The boot of the machine, if known. Pages on disk are not synced, so some may be missing after a
    /// reboot.
    pub(crate) boot: Option<String>,
}

/// Identifies the boot of the machine, if the system reports it.
pub(crate) fn boot() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}

impl Complete {
    /// Whether all pages that were read are in the parts of the spool.
    pub(crate) fn has_all_pages(&self) -> bool {
        self.parts.iter().map(|part| part.pages).sum::<u64>() == self.totals.pages
    }

    /// A digest of what was read.
    pub(crate) fn digest(&self) -> String {
        let of: Vec<_> = self.inputs.iter().map(|input| (&input.file, &input.sha256)).collect();
        sha256_of(&serde_json::to_string(&(of, &self.unreadable)).unwrap_or_default())
    }
}

/// A page without its HTML.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Listed {
    pub(crate) head: Head,
    pub(crate) source: SourceRecord,
}

/// The last frame.
#[derive(Debug, Deserialize, Serialize)]
struct Contents<S, T> {
    /// Frames of pages, of drops and of feed items, in this order.
    frames: [usize; 3],
    /// Hashes of the keys of all sites, in the order of outputs.
    sites: S,
    complete: T,
}

/// Everything that an earlier process read.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) complete: Complete,
    pub(crate) partitioned: Partitioned,
    /// Frames of pages.
    pages: Vec<Vec<u8>>,
}

fn add<T: Serialize>(item: &T, to: &mut Vec<u8>) -> io::Result<()> {
    rmp_serde::encode::write(to, item).map_err(io::Error::other)
}

fn packed(content: &[u8]) -> io::Result<Vec<u8>> {
    frame(&[], |to| to.write_all(content))
}

/// Writes items in frames; returns the number of frames.
fn write_all<T: Item>(items: &Sorter<T>, to: &mut File) -> io::Result<usize> {
    let (mut content, mut frames, mut failed) = (Vec::new(), 1, Ok(()));
    items.each(&mut |item| {
        if failed.is_ok() {
            failed = add(item, &mut content);
        }
        if failed.is_ok() && content.len() > FRAME {
            failed = packed(&content).and_then(|frame| to.write_all(&frame));
            content.clear();
            frames += 1;
        }
    })?;
    failed?;
    to.write_all(&packed(&content)?)?;
    Ok(frames)
}

/// Writes the catalogue of the pages in `spool`, all in memory, and of everything else. It survives the end
/// of this process, but is not synced: checksums show whether it survived a crash of the machine.
pub(crate) fn write(
    path: &Path,
    spool: &Spool,
    partitioned: &Partitioned,
    complete: &Complete,
) -> io::Result<()> {
    let mut to = File::create(path)?;
    let parts: Vec<usize> = (0..PARTS).collect();
    let frame_of = |parts: &[usize]| {
        let mut content = Vec::new();
        for &part in parts {
            spool.each_held(part, &mut |head, source| add(&(head, source), &mut content))?;
        }
        packed(&content)
    };
    let pages: io::Result<Vec<_>> = parts.par_chunks(PARTS_IN_FRAME).map(frame_of).collect();
    let pages = pages?;
    pages.iter().try_for_each(|frame| to.write_all(frame))?;
    let drops = write_all(&partitioned.drops, &mut to)?;
    let items = write_all(&partitioned.items, &mut to)?;
    let mut content = Vec::new();
    let (frames, sites) = ([pages.len(), drops, items], &partitioned.sites);
    add(&Contents { frames, sites, complete }, &mut content)?;
    to.write_all(&packed(&content)?)
}

/// The items in a frame.
fn unpack<T: DeserializeOwned>(frame: &[u8]) -> io::Result<Vec<T>> {
    let content = unpacked(frame)?;
    let mut from = &content[..];
    let mut items = Vec::new();
    while !from.is_empty() {
        items.push(rmp_serde::from_read(&mut from).map_err(io::Error::other)?);
    }
    Ok(items)
}

/// Items in any order. If they do not fit into memory, they are sorted in files at `path`.
fn sorter<T: Item>(frames: &[Vec<u8>], path: PathBuf) -> io::Result<Sorter<T>> {
    let mut sorter = Sorter::new(path);
    for frame in frames {
        let items: Vec<T> = unpack(frame)?;
        // Such text compresses to about a third.
        let each = 3 * frame.len() / items.len().max(1);
        items.into_iter().try_for_each(|item| sorter.push(item, each))?;
    }
    Ok(sorter)
}

impl Catalogue {
    /// Reads the catalogue at `path`; none if it is missing or incomplete. Items that do not fit into memory
    /// are sorted in files in `folder`.
    ///
    /// # Errors
    /// If reading fails, or valid frames contain something else.
    pub(crate) fn read(path: &Path, folder: &Path) -> io::Result<Option<Self>> {
        let Some(mut from) = Frames::open(path)? else { return Ok(None) };
        let mut frames = Vec::new();
        while let Some(frame) = from.next()? {
            frames.push(frame);
        }
        let last = frames.pop().map(|last| unpack::<Contents<_, Complete>>(&last)).transpose()?;
        let Some(contents) = last.and_then(|mut last| last.pop()) else { return Ok(None) };
        let Contents { frames: [of_pages, of_drops, of_items], sites, complete } = contents;
        if of_pages + of_drops + of_items != frames.len() {
            return Ok(None);
        }
        let rest = frames.split_off(of_pages);
        let (of_drops, of_items) = rest.split_at(of_drops);
        let drops = sorter(of_drops, folder.join("drops-listed"))?;
        let items = sorter(of_items, folder.join("items-listed"))?;
        let partitioned = Partitioned { drops, items, sites, totals: complete.totals };
        Ok(Some(Self { complete, partitioned, pages: frames }))
    }

    /// The pages of all sites that are not done, by site, with the hash of its key, in the order of outputs.
    /// The sites before the key `last` are done; that site itself is done only if `whole`.
    ///
    /// # Errors
    /// If frames contain something else.
    pub(crate) fn pages_of_rest(
        &self,
        last: Option<&str>,
        whole: bool,
    ) -> io::Result<Vec<(u64, Vec<Listed>)>> {
        let last = last.map(|key| (xxh3_64(key.as_bytes()), key));
        let is_done = |hash: u64, key: &str| match last {
            Some(last) => (hash, key) < last || whole && (hash, key) == last,
            None => false,
        };
        let rest = |frame: &Vec<u8>| {
            let mut sites: BTreeMap<(u64, String), Vec<Listed>> = BTreeMap::new();
            for page in unpack::<Listed>(frame)? {
                let key = site_key(&page.head.url).unwrap_or_default();
                let hash = xxh3_64(key.as_bytes());
                if !is_done(hash, &key) {
                    sites.entry((hash, key)).or_default().push(page);
                }
            }
            Ok(sites.into_iter().map(|((hash, _), pages)| (hash, pages)).collect())
        };
        // All sites in the frames before are done.
        let first = last.map_or(0, |(hash, _)| Spool::part_of(hash) / PARTS_IN_FRAME);
        let frames = self.pages.get(first..).unwrap_or_default();
        let sites: io::Result<Vec<Vec<_>>> = frames.par_iter().map(rest).collect();
        Ok(sites?.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::shuffle::partition::Partitioner;
    use crate::shuffle::sorted::Merged;
    use crate::stages::read::{Intake, Place, Source};
    use grouping::Tracking;
    use grouping::matching::whole;
    use model::{Charset, CharsetEvidence, Drop, DropReason, Origin, Overruled, Page, Stage};
    use xxhash_rust::xxh3::xxh3_128;

    fn origin(offset: u64) -> Origin {
        Origin { file: "a".into(), offset, record_id: String::new(), truncated: None }
    }

    fn page(n: u64) -> Page {
        Page {
            url: format!("https://{}.example/{n}", n % 3),
            site: String::new(),
            fetched: None,
            origin: origin(n),
            charset: Charset {
                name: "UTF-8",
                evidence: CharsetEvidence::Bom,
                overruled: Overruled::default(),
            },
            html: format!("<p>{n}").into(),
        }
    }

    fn dropped(n: u64) -> Drop {
        let (site, url, detail) = (String::new(), n.to_string(), "x".repeat(9_000));
        let reason = DropReason::BadUrl;
        let (origin, stage) = (origin(n), Stage::Read);
        Drop { site, url, origin, stage, reason, detail, gone: None }
    }

    #[test]
    fn what_is_written_comes_back_and_no_damage_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::new(&folder.path().join("spool"), 1 << 30);
        let partitioner = Partitioner::new(&spool, folder.path(), Tracking::new(&[]));
        for n in 0..12 {
            let source = Source { number: 7, end: Some(n + 1), ..Source::default() };
            assert!(partitioner.take(1, Intake::Page(page(n)), source));
        }
        // More than fit into one frame.
        for n in 0..300 {
            assert!(partitioner.take(1, Intake::Drop(dropped(n)), Source::default()));
        }
        let partitioned = partitioner.finish().unwrap();
        let totals = partitioned.totals;
        let complete = Complete {
            inputs: Vec::new(),
            other_records: 3,
            unreadable: Vec::new(),
            totals,
            parts: Vec::new(),
            boot: None,
        };
        let path = folder.path().join("catalogue");
        assert!(Catalogue::read(&path, folder.path()).unwrap().is_none());
        write(&path, &spool, &partitioned, &complete).unwrap();

        let again = Catalogue::read(&path, folder.path()).unwrap().unwrap();
        assert_eq!((again.complete.other_records, again.complete.totals.pages), (3, 12));
        assert_eq!(again.partitioned.sites, partitioned.sites);
        let all = again.pages_of_rest(None, true).unwrap();
        let pages = |of: &[(u64, Vec<Listed>)]| of.iter().map(|(_, pages)| pages.len()).sum();
        assert_eq!((all.len(), pages(&all)), (3, 12_usize));
        assert!(all.iter().map(|(hash, _)| hash).eq(&partitioned.sites));
        for (at, (_, of_site)) in all.iter().enumerate() {
            let key = site_key(&of_site[0].head.url);
            for (whole, left) in [(true, 2 - at), (false, 3 - at)] {
                let rest = again.pages_of_rest(key.as_deref(), whole).unwrap();
                assert_eq!((rest.len(), pages(&rest)), (left, 4 * left), "{key:?}, {whole}");
            }
        }
        let rest = all;
        for Listed { head, source } in rest.into_iter().flat_map(|(_, pages)| pages) {
            let n = head.origin.offset;
            assert_eq!(head.url, page(n).url);
            assert_eq!(whole(head.content), xxh3_128(page(n).html.as_bytes()));
            let place = Place { offset: n, number: 7, end: Some(n + 1) };
            assert_eq!((source.input, source.place), (1, place));
        }

        let (before, after) = (partitioned.drops.finish(), again.partitioned.drops.finish());
        let drops = |of: Merged<_>| of.map(Result::unwrap).collect::<Vec<_>>();
        assert!(drops(before.unwrap()) == drops(after.unwrap()));

        let whole = fs::read(&path).unwrap();
        let refused = |bytes: &[u8], what: &str| {
            fs::write(&path, bytes).unwrap();
            assert!(!matches!(Catalogue::read(&path, folder.path()), Ok(Some(_))), "{what}");
        };
        for at in 0..whole.len() {
            refused(&whole[..at], &format!("cut at {at}"));
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            refused(&damaged, &format!("byte {at}"));
        }
    }
}
