//! Small files that are read as a whole, such as lists and settings; digests of files; and paths that are
//! addresses.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use bytesize::ByteSize;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// Schemes of the addresses that can be read.
const SCHEMES: [&str; 5] = ["https://", "http://", "s3://", "hdfs://", "viewfs://"];

/// Returns the path as an address if it begins with a known scheme.
pub fn address_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    SCHEMES.iter().any(|scheme| text.starts_with(scheme)).then_some(text)
}

/// Removes `name/..` from a path: `configs/../out` becomes `out`, which reads better in outputs and messages.
pub fn without_detours(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match (part, short.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                short.pop();
            }
            (Component::CurDir, _) => {}
            _ => short.push(part),
        }
    }
    short
}

/// SHA-256 of the bytes of a file, in hex.
pub fn file_hash(path: &Path) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(HEXLOWER.encode(&digest.finalize())),
            n => digest.update(&buffer[..n]),
        }
    }
}

/// SHA-256 of a text, in hex.
pub fn sha256_of(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

/// Reads the bytes of a file.
///
/// # Errors
/// If it cannot be read, is a folder, or is larger than `most` bytes.
pub fn read_small(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Some systems can open folders: reading then fails with an error that names neither the reason nor the path.
    if fs::metadata(path)?.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    read_at_most(File::open(path)?, most)
}

/// Reads the text of a file, without its byte order mark.
///
/// # Errors
/// Like [`read_small`], or if it is neither UTF-8 nor UTF-16 with a byte order mark.
pub fn read_small_text(path: &Path, most: u64) -> io::Result<String> {
    text_of(read_small(path, most)?)
}

/// Reads a text from standard input, like [`read_small_text`].
///
/// # Errors
/// As [`read_small_text`].
pub fn read_stdin_text(most: u64) -> io::Result<String> {
    text_of(read_at_most(io::stdin(), most)?)
}

fn read_at_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!(
            "it has more than {}",
            ByteSize(most).display().si()
        )));
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
