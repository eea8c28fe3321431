//! Reads files of JSON lines, plain or compressed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use grouping::site_key;
use input::table::unpacked;
use model::Origin;
use report::foreign_line;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{LineFile, lines};

/// Magic number of a zstd frame (RFC 8878 §3.1.1).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens a file; gzip and zstd are recognised by their first bytes, not by the file name.
///
/// # Errors
/// If the file cannot be read. Damage is an error when it is reached, not before.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    unpacked(File::open(path)?)
}

/// The place of lines in a file that is plain or consists of zstd frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinesPlace {
    /// Offset of the frame that contains the first line; 0 in a plain file.
    frame: u64,
    /// Range of the bytes in the decompressed data, relative to the start of that frame.
    bytes: Range<u64>,
}

impl LinesPlace {
    /// Adds the lines at `next` if they follow these; returns whether they do.
    pub(crate) fn join(&mut self, next: &Self) -> bool {
        let follows = self.frame == next.frame && self.bytes.end == next.bytes.start;
        if follows {
            self.bytes.end = next.bytes.end;
        }
        follows
    }
}

/// Reads a file frame by frame and calls `take` for each line with its place. Needs the memory of one frame;
/// a run writes one per site.
pub(crate) fn each<E: From<io::Error>>(
    path: &Path,
    mut take: impl FnMut(LinesPlace, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = BufReader::new(File::open(path)?);
    if !file.fill_buf()?.starts_with(&ZSTD) {
        let (mut at, mut line) = (0, Vec::new());
        while let length @ 1.. = file.read_until(b'\n', &mut line)? as u64 {
            take(LinesPlace { frame: 0, bytes: at..at + length }, &line)?;
            at += length;
            line.clear();
        }
        return Ok(());
    }
    // In files that other programs compressed, a line may continue in the next frame.
    let (mut text, mut first, mut skipped) = (Vec::new(), 0, 0);
    loop {
        let frame = file.stream_position()?;
        if file.fill_buf()?.is_empty() {
            break;
        }
        if text.is_empty() {
            (first, skipped) = (frame, 0);
        }
        let mut decoder = zstd::Decoder::with_buffer(file)?.single_frame();
        decoder.read_to_end(&mut text)?;
        file = decoder.finish();
        let mut at = 0;
        while let Some(end) = text[at..].iter().position(|&byte| byte == b'\n') {
            let line = at..at + end + 1;
            let bytes = skipped + line.start as u64..skipped + line.end as u64;
            take(LinesPlace { frame: first, bytes }, &text[line.clone()])?;
            at = line.end;
        }
        text.drain(..at);
        skipped += at as u64;
    }
    if text.is_empty() {
        return Ok(());
    }
    let bytes = skipped..skipped + text.len() as u64;
    take(LinesPlace { frame: first, bytes }, &text)
}

pub(crate) fn at(path: &Path, place: &LinesPlace) -> io::Result<Vec<u8>> {
    let mut file = BufReader::new(File::open(path)?);
    let compressed = file.fill_buf()?.starts_with(&ZSTD);
    let LinesPlace { frame, bytes } = place;
    let mut reader: Box<dyn Read> = if compressed {
        file.seek(SeekFrom::Start(*frame))?;
        let mut decoder = zstd::Decoder::with_buffer(file)?;
        io::copy(&mut decoder.by_ref().take(bytes.start), &mut io::sink())?;
        Box::new(decoder)
    } else {
        file.seek(SeekFrom::Start(bytes.start))?;
        Box::new(file)
    };
    let length = bytes.end - bytes.start;
    let mut found = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut found)?;
    if found.len() as u64 == length { Ok(found) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// The fields that determine the site of a line, which is an article, a drop, or the wrappers of a site.
#[derive(Deserialize)]
struct LineSite {
    site: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    origin: Origin,
}

impl LineSite {
    /// Returns the key of the site. For drops before grouping, computes it from the address.
    fn key(&self) -> String {
        let own = if self.site.is_empty() { site_key(&self.url) } else { None };
        own.unwrap_or_else(|| self.site.clone())
    }
}

#[derive(Debug)]
pub(crate) struct LineIndex {
    file: LineFile,
    places: BTreeMap<String, Vec<LinesPlace>>,
    /// For each input file, the address of a page in it.
    pub(crate) addresses: BTreeMap<String, String>,
}

impl LineIndex {
    /// Finds the lines of all sites, or of one.
    pub(crate) fn read(file: LineFile, only: Option<&str>) -> Result<Self> {
        let (mut places, mut addresses) =
            (BTreeMap::<String, Vec<LinesPlace>>::new(), BTreeMap::new());
        let mut number = 0;
        let read = lines::each(file.path(), |place, line| -> Result<()> {
            number += 1;
            let of: LineSite =
                serde_json::from_slice(line).with_context(|| foreign_line(file.path(), number))?;
            let key = of.key();
            if only.is_some_and(|only| only != key) {
                return Ok(());
            }
            let places = places.entry(key).or_default();
            if !places.last_mut().is_some_and(|last| last.join(&place)) {
                places.push(place);
            }
            addresses.entry(of.origin.file.to_string()).or_insert(of.url);
            Ok(())
        });
        read.with_context(|| format!("cannot read {}", file.path().display()))?;
        Ok(Self { file, places, addresses })
    }

    pub(crate) fn sites(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// Reads the lines of a site, in the order of the file.
    pub(crate) fn lines<T: DeserializeOwned>(&self, site: &str) -> Result<Vec<T>> {
        let shown = self.file.path().display();
        let mut found = Vec::new();
        for place in self.places.get(site).into_iter().flatten() {
            let text = lines::at(self.file.path(), place)
                .with_context(|| format!("cannot read {shown}"))?;
            for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                found.push(serde_json::from_slice(line).with_context(|| {
                    format!("{shown}: a line is not in the format of this version of sitegrove")
                })?);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    fn read(bytes: &[u8]) -> io::Result<String> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(bytes)?;
        let mut text = String::new();
        open(file.path())?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn compressions_are_known_by_their_bytes() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"{}\n").unwrap();
        let gzip = gzip.finish().unwrap();
        let zstd = zstd::encode_all(&b"{}\n"[..], 1).unwrap();
        for bytes in [b"{}\n{}\n".to_vec(), gzip.repeat(2), zstd.repeat(2)] {
            assert_eq!(read(&bytes).unwrap(), "{}\n{}\n");
        }
        assert_eq!(read(b"").unwrap(), "");
        for whole in [gzip, zstd] {
            assert!(read(&whole[..whole.len() - 3]).is_err());
        }
    }
    #[test]
    fn lines_are_found_again_in_any_form() {
        let lines: Vec<String> = (0..40).map(|n| format!("{n} {}\n", "x".repeat(n * 7))).collect();
        let whole = lines.concat();
        let frame = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
        let one_each: Vec<u8> = lines.iter().flat_map(|line| frame(line)).collect();
        // Cut anywhere, with empty frames between.
        let (left, right) = whole.split_at(whole.len() / 3);
        let cut = [frame(""), frame(left), frame(""), frame(right)].concat();
        for stored in [whole.clone().into_bytes(), frame(&whole), one_each, cut] {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&stored).unwrap();
            let mut places = Vec::new();
            let take = |place, line: &[u8]| -> io::Result<()> {
                places.push((place, String::from_utf8(line.to_vec()).unwrap()));
                Ok(())
            };
            each(file.path(), take).unwrap();
            assert!(places.iter().map(|(_, line)| line).eq(&lines));
            for (place, line) in &places {
                assert_eq!(at(file.path(), place).unwrap(), line.as_bytes());
            }
            let mut joined = places[20].0.clone();
            if joined.join(&places[21].0) {
                assert_eq!(at(file.path(), &joined).unwrap(), lines[20..22].concat().as_bytes());
            }
            assert!(!joined.join(&places[30].0));
            // Cut off, it is an error unless what is left is whole lines.
            file.as_file().set_len(stored.len() as u64 - 3).unwrap();
            let mut last = Vec::new();
            let short = each(file.path(), |_, line: &[u8]| -> io::Result<()> {
                last = line.to_vec();
                Ok(())
            });
            assert!(short.is_err() || !last.ends_with(b"\n"));
        }
    }
}
