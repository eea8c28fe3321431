//! Files of JSON lines, read whatever they are compressed with.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

/// The articles of a run folder: `articles.jsonl`, or `articles.jsonl.zst` where that is there
/// instead.
pub(crate) fn articles_of(folder: &Path) -> PathBuf {
    let (plain, compressed) = (folder.join("articles.jsonl"), folder.join("articles.jsonl.zst"));
    if !plain.exists() && compressed.exists() { compressed } else { plain }
}

/// Opens a file; gzip and zstd are known by their first bytes, whatever the file is called.
///
/// # Errors
/// If it cannot be read. What is damaged or cut short is an error later, where it is.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(File::open(path)?);
    let head = file.fill_buf()?;
    Ok(if head.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?))
    } else {
        Box::new(file)
    })
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
}
