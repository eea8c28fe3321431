//! Models as files: out of one store, into another.

use rusqlite::params;

use crate::error::StoreError;
use crate::rows::Exported;
use crate::sample::pack;
use crate::store::Store;

impl Store {
    /// Adds a model that came from elsewhere as the next revision of its site. Returns its number. To be
    /// followed by [`Store::commit`].
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn import(&self, exported: &Exported) -> Result<u32, StoreError> {
        let Exported { site, night, revision } = exported;
        let packed = pack(&revision.model)
            .map_err(|error| StoreError::damaged(self.path(), error.to_string()))?;
        let db = self.db();
        let import = || {
            let sql = "INSERT INTO sites (site, first_seen, last_seen, revision)
                VALUES (?1, ?2, ?2, 0) ON CONFLICT DO NOTHING";
            db.execute(sql, params![site, night])?;
            let sql = "SELECT coalesce(max(revision), 0) + 1 FROM models WHERE site = ?1";
            let number: u32 = db.query_row(sql, [site], |row| row.get(0))?;
            let sql =
                "INSERT INTO models VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL, ?11)";
            db.execute(
                sql,
                params![
                    site,
                    number,
                    night,
                    revision.reason,
                    revision.pages as i64,
                    revision.templates as i64,
                    revision.format,
                    revision.engine,
                    revision.weights,
                    revision.settings,
                    packed
                ],
            )?;
            db.execute("UPDATE sites SET revision = ?2 WHERE site = ?1", params![site, number])?;
            Ok(number)
        };
        import().map_err(self.failed("cannot write to"))
    }
}
