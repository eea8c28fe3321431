//! Digests of files and texts, as they are written: SHA-256, in hex.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// SHA-256 of a file's bytes, in hex.
pub(crate) fn file_hash(path: &Path) -> io::Result<String> {
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
pub(crate) fn sha256_of(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}
