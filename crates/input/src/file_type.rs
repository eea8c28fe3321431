//! Recognises files by their contents, to name files that are not inputs and files that an output must not replace.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use database::name_kind;
use model::{Drop, DropReason};

use crate::waiting::is_stream;

/// Number of bytes by which a file is recognised.
const FIRST: u64 = 8 << 10;

/// Describes a file, for example as `text` or `a file of type image/png`; a compressed one together with its contents.
pub fn what_is(path: &Path) -> io::Result<String> {
    if path.is_dir() {
        return Ok("a folder".to_owned());
    }
    let first = first_bytes(path)?;
    if first.starts_with(PARQUET) {
        return Ok(what_table(path).unwrap_or("a Parquet file").to_owned());
    }
    let outer = what_are(&first);
    let mut inner = Vec::new();
    // The truncated data ends with an error, but only after the bytes that matter.
    let _ = match first.get(..4) {
        Some([0x1f, 0x8b, ..]) => {
            flate2::read::GzDecoder::new(&first[..]).take(FIRST).read_to_end(&mut inner)
        }
        Some([0x28, 0xb5, 0x2f, 0xfd]) => zstd::stream::read::Decoder::new(&first[..])
            .and_then(|inside| inside.take(FIRST).read_to_end(&mut inner)),
        _ => return Ok(outer),
    };
    Ok(if inner.is_empty() { outer } else { format!("{} in {outer}", what_are(&inner)) })
}

/// Reads the bytes by which a file is recognised.
///
/// # Errors
/// If it cannot be read.
pub fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    File::open(path)?.take(FIRST).read_to_end(&mut first)?;
    Ok(first)
}

/// First and last bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";
/// Maximum size of Parquet metadata that are searched, in bytes.
const METADATA: u64 = 64 << 20;

/// Describes a Parquet file written by this program, by its metadata, which may be damaged; `None` for others.
fn what_table(path: &Path) -> Option<&'static str> {
    let mut file = File::open(path).ok()?;
    let end = file.seek(SeekFrom::End(-8)).ok()?;
    let mut last = [0; 8];
    file.read_exact(&mut last).ok()?;
    let (length, _) = last.split_first_chunk()?;
    let length = u64::from(u32::from_le_bytes(*length)).min(end).min(METADATA);
    file.seek(SeekFrom::Start(end - length)).ok()?;
    let mut metadata = Vec::new();
    file.take(length).read_to_end(&mut metadata).ok()?;
    let has = |name: &[u8]| metadata.windows(name.len()).any(|bytes| bytes == name);
    match (has(b"sitegrove.step"), has(b"learnt_at") && has(b"blob")) {
        (true, _) => Some("a file of a step"),
        (false, true) => Some("a table of models"),
        _ => None,
    }
}

/// Describes an SQLite database by its header, which has the number of pages and the id of the program.
fn what_database(first: &[u8]) -> &'static str {
    let number =
        |at: usize| first.get(at..at + 4).map(|bytes| bytes.try_into().unwrap_or_default());
    let application = number(68).map_or(0, i32::from_be_bytes);
    match number(28).map(u32::from_be_bytes) {
        Some(0 | 1) if application == 0 => "an empty database",
        _ => name_kind(application.into()),
    }
}

/// The media type of bytes that are not text; `None` for text, and for unrecognised bytes that may be text in some
/// encoding.
pub fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    let known = infer::get(bytes).map(|found| found.mime_type());
    let known = known.filter(|known| !known.starts_with("text/"));
    // UTF-16 text has zero bytes. It begins with a byte order mark, or has a zero byte in each of its first pairs.
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    let binary = !wide && zeros > 0 && zeros * 4 < bytes.len();
    known.or(binary.then_some("application/octet-stream"))
}

/// The media type of an image, by its first bytes; `None` for anything else, and for SVG.
pub(crate) fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    infer::get(bytes).map(|found| found.mime_type()).filter(|kind| kind.starts_with("image/"))
}

/// Whether a drop is an image, which articles may refer to.
pub fn is_picture(drop: &Drop) -> bool {
    drop.reason == DropReason::ContentType && is_image(&drop.detail)
}

/// Whether a content type is that of an image.
pub fn is_image(content_type: &str) -> bool {
    content_type.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("image/"))
}

/// Describes bytes, for example as `text` or `a file of type image/png`.
pub fn what_are(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    let begins = |with: &[u8]| bytes.starts_with(with);
    let known = infer::get(bytes).map(|found| found.mime_type());
    match known {
        _ if begins(b"WARC/") => "a WARC archive".to_owned(),
        _ if begins(b"filedesc:") => "an ARC archive".to_owned(),
        _ if begins(b"SQLite format 3\0") => what_database(bytes).to_owned(),
        _ if begins(PARQUET) => "a Parquet file".to_owned(),
        Some("application/pdf") => "a PDF document".to_owned(),
        Some("application/epub+zip") => "an EPUB book".to_owned(),
        Some("application/zip") => "a ZIP file".to_owned(),
        Some("application/gzip") => "a gzip file".to_owned(),
        Some("application/zstd") => "a zstd file".to_owned(),
        Some("text/html") => "an HTML page".to_owned(),
        Some("text/xml") => "an XML document".to_owned(),
        Some(other) => format!("a file of type {other}"),
        None if archive::begins_as_archive(bytes) => "an archive".to_owned(),
        None if is_text(bytes) => "text".to_owned(),
        None => "binary data".to_owned(),
    }
}

/// Whether bytes are UTF-8 text, possibly truncated.
fn is_text(bytes: &[u8]) -> bool {
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    valid && !bytes.contains(&0)
}

/// Describes an input in which no record was found.
pub fn not_an_archive(path: &Path) -> String {
    let known = if is_stream(path) || path.as_os_str() == "-" { None } else { what_is(path).ok() };
    match known.as_deref() {
        Some(what @ ("a WARC archive" | "an ARC archive" | "an archive")) => {
            format!("is {what} without a readable record")
        }
        Some(what) => format!("is {what}, not an archive or an HTML page"),
        None => "holds no record of an archive".to_owned(),
    }
}
