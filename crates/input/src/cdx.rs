//! Indexes of web archives as lists of records: CDX and CDXJ files, which name the file, offset and length of each record.
//!
//! CDXJ: `key timestamp {"filename": …, "offset": …, "length": …}`, one record a line. CDX: columns that the first line names
//! by letters, of which `g` is the file, `V` the offset and `S` the length.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use config::files::address_of;
use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use crate::source::{open, state};

/// Maximum length of a line, in bytes.
const LONGEST: u64 = 1 << 20;
/// Maximum lines of an index.
const MOST_LINES: u64 = 100_000_000;

/// A record of an archive.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordAt {
    /// Offset of the record, or of its compressed member, in bytes.
    pub offset: u64,
    /// Bytes that it takes there.
    pub length: u64,
}

/// Whether a file has the name of an index.
pub fn is_index(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let bare = name.strip_suffix(".gz").unwrap_or(&name);
    bare.ends_with(".cdx") || bare.ends_with(".cdxj")
}

/// The archives that an index names, each with the records that it lists: in order, each once.
///
/// # Errors
/// If the index cannot be read or understood, or an archive is not where it says.
pub fn expand(index: &Path) -> Result<Vec<(PathBuf, Vec<RecordAt>)>> {
    let mut files: BTreeMap<String, Vec<RecordAt>> = BTreeMap::new();
    read_index(index, &mut |own| files.entry(own.file).or_default().push(own.record))
        .with_context(|| format!("cannot read the index {}", index.display()))?;
    let mut archives = Vec::with_capacity(files.len());
    let mut problems = Vec::new();
    for (file, mut records) in files {
        records.sort_unstable();
        records.dedup();
        match place_of(index, &file) {
            Some(path) => archives.push((path, records)),
            None => problems.push(format!("{} names {file}, which is not there", index.display())),
        }
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    ensure!(!archives.is_empty(), "the index {} lists no records", index.display());
    Ok(archives)
}

/// The place of an archive: as it is named, beside the index, or in the folder `archive` beside the folder of the index,
/// as pywb and WACZ have it.
fn place_of(index: &Path, file: &str) -> Option<PathBuf> {
    let named = PathBuf::from(file);
    if address_of(&named).is_some() || named.is_absolute() {
        return Some(named);
    }
    let folder = index.parent().unwrap_or(Path::new(""));
    let above = folder.parent().unwrap_or(Path::new(""));
    let places = [folder.join(file), above.join("archive").join(file), above.join(file), named];
    places.into_iter().find(|place| state(place).is_ok())
}

/// A record that an index lists.
#[derive(Debug)]
pub struct Listed {
    /// The archive, as the index names it.
    pub file: String,
    /// Where the record is in it.
    pub record: RecordAt,
    /// Its address; empty if the index does not have it.
    pub url: String,
}

#[derive(Deserialize)]
struct CdxjLine {
    filename: String,
    offset: Number,
    length: Number,
    #[serde(default)]
    url: String,
}

/// A number, or one as text, which some programs write.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u64),
    Text(String),
}

impl Number {
    fn value(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        }
    }
}

/// Reads an index.
///
/// # Errors
/// If it cannot be read or understood.
pub fn read_index(index: &Path, take: &mut dyn FnMut(Listed)) -> Result<()> {
    read_index_from(open(index)?, take)
}

/// Reads an index, or some of its lines, compressed or not.
pub(crate) fn read_index_from(index: impl Read, take: &mut dyn FnMut(Listed)) -> Result<()> {
    let mut from = BufReader::new(index);
    let is_packed = from.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let mut from: Box<dyn BufRead + '_> = match is_packed {
        true => Box::new(BufReader::new(MultiGzDecoder::new(from))),
        false => Box::new(from),
    };
    let mut columns = None;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let length = from.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line);
        if length.with_context(|| format!("line {number}"))? == 0 {
            return Ok(());
        }
        ensure!(line.len() as u64 <= LONGEST, "line {number} has more than {LONGEST} bytes");
        ensure!(number <= MOST_LINES, "it has more than {MOST_LINES} lines: divide it");
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        let wrong = || format!("line {number} names no file, offset and length of a record");
        if let Some(letters) = text.strip_prefix("CDX ") {
            columns = Some(Columns::of(letters)?);
        } else if let Some(at) = text.find('{') {
            let line: CdxjLine = serde_json::from_str(&text[at..]).with_context(wrong)?;
            let (offset, length) =
                line.offset.value().zip(line.length.value()).with_context(wrong)?;
            let record = RecordAt { offset, length };
            take(Listed { file: line.filename, record, url: line.url });
        } else if !text.is_empty() && !text.starts_with('!') {
            let columns = columns.as_ref().context(
                "it is neither CDXJ nor CDX, whose first line begins with ` CDX` and names the columns",
            )?;
            take(columns.record(text).with_context(wrong)?);
        }
    }
    Ok(())
}

struct Columns {
    file: usize,
    offset: usize,
    length: usize,
    url: Option<usize>,
}

impl Columns {
    fn of(letters: &str) -> Result<Self> {
        let place = |letter: &str| letters.split_ascii_whitespace().position(|own| own == letter);
        match (place("g"), place("V"), place("S")) {
            (Some(file), Some(offset), Some(length)) => {
                Ok(Self { file, offset, length, url: place("a") })
            }
            _ => bail!(
                "its columns (`{letters}`) are not enough: g (file), V (offset) and S (length) are needed"
            ),
        }
    }

    fn record(&self, line: &str) -> Option<Listed> {
        let cells: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| cells.get(at)?.parse().ok();
        let record = RecordAt { offset: number(self.offset)?, length: number(self.length)? };
        let cell = |at: usize| cells.get(at).map(|cell| (*cell).to_owned());
        let url = self.url.and_then(cell).unwrap_or_default();
        Some(Listed { file: cell(self.file)?, record, url })
    }
}

/// The listed records of an archive, one after the other.
pub struct Ranges<R> {
    file: R,
    records: std::vec::IntoIter<RecordAt>,
    left: u64,
}

impl<R: Read + io::Seek> Ranges<R> {
    /// Reads these parts of a file.
    pub fn new(file: R, records: Vec<RecordAt>) -> Self {
        Self { file, records: records.into_iter(), left: 0 }
    }
}

impl<R: Read + io::Seek> Read for Ranges<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            let Some(next) = self.records.next() else { return Ok(0) };
            self.file.seek(io::SeekFrom::Start(next.offset))?;
            self.left = next.length;
        }
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let count = self.file.read(&mut buffer[..most])?;
        // The file ends before the record does: what follows is read from its own place.
        self.left = if count == 0 { 0 } else { self.left - count as u64 };
        if count == 0 && self.records.len() > 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file ends before a record that its index lists",
            ));
        }
        Ok(count)
    }
}
