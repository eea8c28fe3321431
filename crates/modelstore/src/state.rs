//! What a store holds, named by a digest of all that changed it. The program is deterministic: what it makes of the same
//! changes in the same order is the same, so nothing has to be read to name it.

use data_encoding::HEXLOWER;
use rusqlite::{Connection, Result};
use sha2::{Digest, Sha256};

/// The digest of all changes so far.
pub(crate) fn state_of(db: &Connection) -> Result<String> {
    db.query_row("SELECT digest FROM state", [], |row| row.get(0))
}

/// Adds a change to the digest, within the transaction that makes it.
pub(crate) fn record_change(db: &Connection, change: &[&[u8]]) -> Result<()> {
    let mut digest = Sha256::new_with_prefix(state_of(db)?);
    for part in change {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    db.execute("UPDATE state SET digest = ?1", [HEXLOWER.encode(&digest.finalize())]).map(drop)
}
