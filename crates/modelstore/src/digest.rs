//! A digest of what a store holds.

use data_encoding::HEXLOWER;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};
use sha2::{Digest, Sha256};

/// What decides: the rest follows from the runs, in their order, and is forgotten with its sites. Retained pages may weigh
/// gigabytes, so their addresses, times and sizes stand for them.
const ROWS: [&str; 5] = [
    "SELECT id, digest, night, sites, pages, program FROM runs ORDER BY id",
    "SELECT * FROM sites ORDER BY site",
    "SELECT * FROM models ORDER BY site, revision",
    "SELECT * FROM templates ORDER BY site, template",
    "SELECT * FROM retained ORDER BY site, url",
];

/// SHA-256 of these rows, in hex.
///
/// # Errors
/// If they cannot be read.
pub(crate) fn digest_of(db: &Connection) -> Result<String> {
    let mut digest = Sha256::new();
    for sql in ROWS {
        let mut statement = db.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                add(row.get_ref(column)?, &mut digest);
            }
        }
        // No value begins with it.
        digest.update([u8::MAX]);
    }
    Ok(HEXLOWER.encode(&digest.finalize()))
}

/// Adds a value with its type and length.
fn add(value: ValueRef<'_>, to: &mut Sha256) {
    let (kind, number, bytes): (u8, u64, &[u8]) = match value {
        ValueRef::Null => (0, 0, &[]),
        ValueRef::Integer(number) => (1, number.cast_unsigned(), &[]),
        ValueRef::Real(number) => (2, number.to_bits(), &[]),
        ValueRef::Text(text) => (3, text.len() as u64, text),
        ValueRef::Blob(blob) => (4, blob.len() as u64, blob),
    };
    to.update([kind]);
    to.update(number.to_le_bytes());
    to.update(bytes);
}
