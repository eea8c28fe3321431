//! Rows of SQLite files.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::{FromSql, Value};
use rusqlite::{Connection, Result, Row};

/// The first column of what a query gives.
pub(crate) fn column<T: FromSql>(file: impl AsRef<Path>, sql: &str) -> Vec<T> {
    let db = Connection::open(file).unwrap();
    let mut statement = db.prepare(sql).unwrap();
    let found = statement.query_map([], |row| row.get(0)).unwrap();
    found.collect::<Result<_>>().unwrap()
}

/// The number that a query gives.
pub(crate) fn number(file: impl AsRef<Path>, sql: &str) -> i64 {
    column(file, sql)[0]
}

/// The rows of all tables.
pub(crate) fn all_rows(file: &Path) -> BTreeMap<String, Vec<String>> {
    let db = Connection::open(file).unwrap();
    let rows = |table: String| {
        let mut all = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = all.column_count();
        let row = |row: &Row<'_>| {
            let values = (0..columns).map(|at| row.get::<_, Value>(at));
            Ok(format!("{:?}", values.collect::<Result<Vec<_>>>()?))
        };
        let mut rows: Vec<String> = all.query_map([], row).unwrap().map(Result::unwrap).collect();
        rows.sort();
        (table, rows)
    };
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    column(file, tables).into_iter().map(rows).collect()
}
