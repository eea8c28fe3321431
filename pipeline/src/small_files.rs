//! Files that are read as a whole, and are small unless something else was named: lists, settings, weights.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use report::readable::size;

/// The bytes of a file.
///
/// # Errors
/// If it cannot be read, is a folder, or has more than `most` bytes.
pub(crate) fn read_small(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Where folders can be opened, the system does not say what is wrong before it is read, and not of what.
    if fs::metadata(path)?.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    read_at_most(File::open(path)?, most)
}

/// The text of a file, without a byte order mark.
///
/// # Errors
/// As [`read_small`], or if it is neither UTF-8 nor, with a byte order mark, UTF-16.
pub(crate) fn read_small_text(path: &Path, most: u64) -> io::Result<String> {
    text_of(read_small(path, most)?)
}

/// The same for what the standard input has.
///
/// # Errors
/// As [`read_small_text`].
pub(crate) fn read_stdin_text(most: u64) -> io::Result<String> {
    text_of(read_at_most(io::stdin(), most)?)
}

fn read_at_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {}", size(most))));
    }
    Ok(bytes)
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => {
            let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))?;
            return Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text));
        }
    };
    let (pairs, odd) = bytes[2..].as_chunks();
    let units: Vec<u16> = pairs.iter().copied().map(unit).collect();
    let text = String::from_utf16(&units).ok().filter(|_| odd.is_empty());
    text.ok_or_else(|| io::Error::other("it is not UTF-16, as its byte order mark says"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_byte_order_are_no_text() {
        let of = |bytes: &[u8]| text_of(bytes.to_vec()).ok();
        assert_eq!(of("\u{feff}a.warc é".as_bytes()).as_deref(), Some("a.warc é"));
        assert_eq!(of(b"\xff\xfea\0\xe9\0").as_deref(), Some("aé"));
        assert_eq!(of(b"\xfe\xff\0a\0\xe9").as_deref(), Some("aé"));
        assert_eq!(of(b"").as_deref(), Some(""));
        assert_eq!(of(b"\xff\xfea"), None);
        assert_eq!(of(b"a\xff"), None);
    }

    #[test]
    fn what_is_not_small_is_refused() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        io::Write::write_all(&mut file, &[b'a'; 2_000]).unwrap();
        assert_eq!(read_small(file.path(), 2_000).unwrap().len(), 2_000);
        assert!(read_small(file.path(), 1_999).unwrap_err().to_string().contains("more than"));
        assert!(read_small(Path::new("/"), 9).unwrap_err().to_string().contains("folder"));
    }
}
