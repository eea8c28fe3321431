//! Runs statements, which a connection keeps prepared, and reads their rows.

use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, Error, OptionalExtension, Params, Result, Row};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Runs a statement that changes rows. Returns how many it changed.
///
/// # Errors
/// If the file cannot be written, or the statement is wrong.
pub fn change(db: &Connection, sql: &str, params: impl Params) -> Result<usize> {
    db.prepare_cached(sql)?.execute(params)
}

/// Returns whether a query finds a row.
///
/// # Errors
/// If the file cannot be read, or the query is wrong.
pub fn exists(db: &Connection, sql: &str, params: impl Params) -> Result<bool> {
    db.prepare_cached(sql)?.exists(params)
}

/// Returns the first row that a query finds, if any.
///
/// # Errors
/// Those of [`exists`], and those of `read`.
pub fn first<T>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    db.prepare_cached(sql)?.query_row(params, read).optional()
}

/// Returns all rows that a query finds.
///
/// # Errors
/// Those of [`first`].
pub fn all<T, C: FromIterator<T>>(
    db: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<C> {
    db.prepare_cached(sql)?.query_map(params, read)?.collect()
}

/// Reads a row as a record with the names of its columns. Columns of bytes are left out.
///
/// # Errors
/// If a field of the record has no column, or a value has another type.
pub fn read_record<T: DeserializeOwned>(row: &Row<'_>) -> Result<T> {
    let mut record = Map::new();
    for (at, name) in row.as_ref().column_names().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(_) => row.get::<_, String>(at)?.into(),
            ValueRef::Blob(_) => continue,
        };
        record.insert(name.to_owned(), value);
    }
    serde_json::from_value(Value::Object(record))
        .map_err(|error| Error::FromSqlConversionFailure(0, Type::Null, Box::new(error)))
}

/// Reads a field of a record from a column of JSON. Invalid JSON counts as empty. For `#[serde(deserialize_with = …)]`.
///
/// # Errors
/// If the column has no text.
pub fn from_json<'de, T, D>(column: D) -> std::result::Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    let text = String::deserialize(column)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
