//! Indexes of web archives as lists of records: CDX and CDXJ files, and [tables](crate::table) with the file, offset and length
//! of each record.
//!
//! CDXJ: `key timestamp {"filename": …, "offset": …, "length": …}`, one record per line. CDX: the first line names the columns
//! by letters, of which `g` is the file, `V` the offset and `S` the length.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use config::files::address_of;
use model::ExtraValue;
use serde::Deserialize;

use crate::parts::RecordAt;
use crate::source::{open, state};
use crate::table::{FILE, LENGTH, OFFSET, Row, extra_of, is_table, is_text, read_rows, unpacked};

/// Maximum length of a line, in bytes.
const LONGEST: u64 = 1 << 20;
/// Maximum number of lines of an index.
const MOST_LINES: u64 = 100_000_000;

/// Extra columns from the index rows of records, by the offset of the record.
pub type ExtraOfRecords = BTreeMap<u64, Vec<ExtraValue>>;

/// Whether a file name is that of an index.
pub fn is_index(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let bare = name.strip_suffix(".gz").unwrap_or(&name);
    bare.ends_with(".cdx") || bare.ends_with(".cdxj")
}

/// The contents of an index.
#[derive(Debug, Default)]
pub(crate) struct ListedArchives {
    /// The archives that the index names.
    pub archives: Vec<ListedArchive>,
    /// Files that cannot be used, with the reason: missing archives, and the index itself if some of its rows list no record.
    pub unusable: Vec<(PathBuf, String)>,
}

/// The records of an archive that an index lists.
#[derive(Debug)]
pub(crate) struct ListedArchive {
    /// Path of an existing archive, or an address that has not been tried.
    pub path: PathBuf,
    /// The records, sorted, each once.
    pub records: Vec<RecordAt>,
    /// Extra columns from the index rows of the records.
    pub extra: ExtraOfRecords,
}

/// Reads an index, and groups its records by archive, sorted, each once. `base` is the folder or address that archive names
/// are relative to, if not to the index. `extra` names further table columns to keep.
///
/// # Errors
/// If the index cannot be read or parsed, or none of the archives that it names exists.
pub(crate) fn expand(index: &Path, base: &Path, extra: &[String]) -> Result<ListedArchives> {
    let mut files: BTreeMap<String, (Vec<RecordAt>, ExtraOfRecords)> = BTreeMap::new();
    let mut unusable = 0_u64;
    let mut why = String::new();
    read_listed(index, extra, &mut |own| match own {
        Ok(own) => {
            let (records, kept) = files.entry(own.file).or_default();
            records.push(own.record);
            if !own.extra.is_empty() {
                kept.insert(own.record.offset, own.extra);
            }
        }
        Err(problem) => {
            unusable += 1;
            if why.is_empty() {
                why = problem;
            }
        }
    })?;
    let mut listed = ListedArchives::default();
    let mut problems = Vec::new();
    for (file, (mut records, extra)) in files {
        records.sort_unstable();
        records.dedup();
        match place_of(index, &file, base) {
            Some(path) => listed.archives.push(ListedArchive { path, records, extra }),
            None => {
                problems.push(format!("{} names {file}, which is not there", index.display()));
                let why = format!("it is not there; {} names it", index.display());
                listed.unusable.push((file.into(), why));
            }
        }
    }
    if listed.archives.is_empty() {
        let more = problems.len().saturating_sub(MISSING_NAMED);
        problems.truncate(MISSING_NAMED);
        if more > 0 {
            problems.push(format!(
                "and {more} more; give the folder or address of the archives with --input-base"
            ));
        }
        ensure!(problems.is_empty(), "{}", problems.join("\n"));
        ensure!(unusable == 0, "the index {} lists no records: {why}", index.display());
        bail!("the index {} lists no records", index.display());
    }
    if unusable > 0 {
        let why = format!("{unusable} of its rows list no record: {why}; the other rows were used");
        listed.unusable.push((index.to_owned(), why));
    }
    Ok(listed)
}

/// The records of an archive that the indexes list, sorted, each once.
///
/// # Errors
/// If an index cannot be read or parsed.
pub fn records_of(indexes: &[PathBuf], archive: &Path) -> Result<Vec<RecordAt>> {
    let mut records = Vec::new();
    for index in indexes {
        read_listed(index, &[], &mut |own| {
            if let Ok(own) = own
                && archive.ends_with(&own.file)
            {
                records.push(own.record);
            }
        })?;
    }
    records.sort_unstable();
    records.dedup();
    Ok(records)
}

/// Reads an index of any format. Passes an error to `take` for a row that lists no record.
fn read_listed(
    index: &Path,
    extra: &[String],
    take: &mut dyn FnMut(Result<Listed, String>),
) -> Result<()> {
    let read = match is_table(index) {
        true => read_table(index, extra, take),
        false => read_index(index, &mut |own| take(Ok(own))),
    };
    read.with_context(|| format!("cannot read the index {}", index.display()))
}

/// Maximum number of missing archives that a message names.
const MISSING_NAMED: usize = 5;

/// Finds an archive: below `base`, if that is given; else next to the index, in the folder `archive` next to the folder of the
/// index (as in pywb and WACZ), next to that folder, or under its name as it is.
fn place_of(index: &Path, file: &str, base: &Path) -> Option<PathBuf> {
    let named = PathBuf::from(file);
    if address_of(&named).is_some() || named.is_absolute() {
        return Some(named);
    }
    if let Some(address) = address_of(base) {
        return Some(format!("{}/{file}", address.trim_end_matches('/')).into());
    }
    if !base.as_os_str().is_empty() {
        return Some(base.join(file)).filter(|place| state(place).is_ok());
    }
    let folder = index.parent().unwrap_or(Path::new(""));
    let above = folder.parent().unwrap_or(Path::new(""));
    let places = [folder.join(file), above.join("archive").join(file), above.join(file), named];
    places.into_iter().find(|place| state(place).is_ok())
}

/// Reads the rows of a table that lists records. Passes an error to `take` for a row that lists none.
fn read_table(
    table: &Path,
    extra: &[String],
    take: &mut dyn FnMut(Result<Listed, String>),
) -> Result<()> {
    let mut row_of = |(number, row): Row<'_>| {
        let at = number + 1;
        take(match row {
            Ok([file, offset, length, kept @ ..]) => {
                let record = offset.number().zip(length.number());
                match file.text().zip(record) {
                    Some((file, (offset, length))) => {
                        let record = RecordAt { offset, length };
                        let (file, extra) = (file.to_owned(), extra_of(extra, kept));
                        Ok(Listed { file, record, url: String::new(), extra })
                    }
                    None => Err(format!("row {at} names no file, offset and length of a record")),
                }
            }
            Ok(_) => Err(format!("row {at} has not the columns that were asked for")),
            Err(why) => Err(format!("row {at}: {why}")),
        });
        match number < MOST_LINES {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    };
    let text: Box<dyn Read> = match is_text(table) {
        true => Box::new(open(table)?),
        false => Box::new(io::empty()),
    };
    read_rows(table, text, (&[FILE, OFFSET, LENGTH], extra), 0, &mut row_of)
}

/// A record that an index lists.
#[derive(Debug)]
pub struct Listed {
    /// Name of the archive in the index.
    pub file: String,
    /// Position of the record in the archive.
    pub record: RecordAt,
    /// Address of the page; empty if the index does not have it.
    pub url: String,
    /// Extra columns of the row.
    pub extra: Vec<ExtraValue>,
}

#[derive(Deserialize)]
struct CdxjLine {
    filename: String,
    offset: Number,
    length: Number,
    #[serde(default)]
    url: String,
}

/// A number, or a string with a number, which some programs write.
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
/// If it cannot be read or parsed.
pub fn read_index(index: &Path, take: &mut dyn FnMut(Listed)) -> Result<()> {
    read_index_from(open(index)?, take)
}

/// Reads an index, or some lines of one, compressed or not.
pub(crate) fn read_index_from(index: impl Read, take: &mut dyn FnMut(Listed)) -> Result<()> {
    let mut from = unpacked(index)?;
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
            take(Listed { file: line.filename, record, url: line.url, extra: Vec::new() });
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
        Some(Listed { file: cell(self.file)?, record, url, extra: Vec::new() })
    }
}
