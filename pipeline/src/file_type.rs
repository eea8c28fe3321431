//! What a file is, by its first bytes: to name files that are no input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::waiting::is_stream;

/// Bytes that a file is recognised by.
const FIRST: u64 = 8 << 10;

/// What a file is, such as `text` or `a file of type image/png`; compressed ones with what is in them.
pub(crate) fn what_is(path: &Path) -> io::Result<String> {
    if path.is_dir() {
        return Ok("a folder".to_owned());
    }
    let mut first = Vec::new();
    File::open(path)?.take(FIRST).read_to_end(&mut first)?;
    let outer = what_are(&first);
    let mut inner = Vec::new();
    // What is cut off is an error after the bytes that count.
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

/// The media type of bytes that are no text; `None` for text, and for what is not recognised and may be text in any
/// charset.
pub(crate) fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    let known = infer::get(bytes).map(|found| found.mime_type());
    let known = known.filter(|known| !known.starts_with("text/"));
    // UTF-16 has zero bytes, and begins with a mark or has one in each of the first pairs.
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let zeros = bytes.iter().filter(|byte| **byte == 0).count();
    let binary = !wide && zeros > 0 && zeros * 4 < bytes.len();
    known.or(binary.then_some("application/octet-stream"))
}

/// The media type of a picture, by its first bytes; `None` for anything else, and for SVG.
pub(crate) fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    infer::get(bytes).map(|found| found.mime_type()).filter(|kind| kind.starts_with("image/"))
}

/// What bytes are, such as `text` or `a file of type image/png`.
pub(crate) fn what_are(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    let begins = |with: &[u8]| bytes.starts_with(with);
    let known = infer::get(bytes).map(|found| found.mime_type());
    match known {
        _ if begins(b"WARC/") => "a WARC archive".to_owned(),
        _ if begins(b"filedesc:") => "an ARC archive".to_owned(),
        _ if begins(b"SQLite format 3\0") => "an SQLite database".to_owned(),
        _ if begins(b"PAR1") => "a Parquet file".to_owned(),
        Some("application/pdf") => "a PDF document".to_owned(),
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

/// Whether bytes are text in UTF-8, which may be cut off.
fn is_text(bytes: &[u8]) -> bool {
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    valid && !bytes.contains(&0)
}

/// Says of an input in which no record was found what it is instead.
pub(crate) fn not_an_archive(path: &Path) -> String {
    let known = if is_stream(path) || path.as_os_str() == "-" { None } else { what_is(path).ok() };
    match known.as_deref() {
        Some(what @ ("a WARC archive" | "an ARC archive" | "an archive")) => {
            format!("is {what} without a readable record")
        }
        Some(what) => format!("is {what}, not an archive or an HTML page"),
        None => "holds no record of an archive".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn files_are_named_by_what_they_are() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"plain words\n").unwrap();
        let gzip = gzip.finish().unwrap();
        for (bytes, what) in [
            (&b""[..], "an empty file"),
            (b"%PDF-1.7 ...", "a PDF document"),
            (b"\x89PNG\r\n\x1a\n.......", "a file of type image/png"),
            (b"plain words\n", "text"),
            (b"\x00\x01\x02\xff\xfe\xfd", "binary data"),
            (b"WARC/1.1\r\n", "a WARC archive"),
            (b"<!DOCTYPE html><p>", "an HTML page"),
            (&gzip, "text in a gzip file"),
        ] {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(bytes).unwrap();
            assert_eq!(what_is(file.path()).unwrap(), what);
        }
    }
}
