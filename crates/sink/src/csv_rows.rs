//! `articles.csv`: one row per article, for spreadsheets and quick inspection (RFC 4180 except for
//! line feeds at the ends of rows; UTF-8).

use std::path::Path;

use model::{Article, Extracted, FieldVisitor, RecordField};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{SinkError, TextFileSink};

/// Fields without a column: they are for programs, or cannot be read in a cell.
const LEFT_OUT: [&str; 32] = [
    "schema", "page_type_probability", "canonical", "html", "images", "tables", "embeds",
    "footnotes", "markdown", "comments", "posts", "passages", "xpath", "prune", "cut",
    "wrapper_version", "doubtful", "site_config", "cluster", "similarity", "gone_status",
    "sources", "corrections", "fetched", "charset", "charset_evidence", "charset_overruled",
    "origin", "rights", "extra", "quality", "doubt",
];

fn is_column(field: &RecordField) -> bool {
    !LEFT_OUT.contains(&field.name)
}

/// How `articles.csv` begins.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CsvStart {
    /// With the header row.
    Plain,
    /// With a byte order mark before the header row, so that spreadsheets recognise UTF-8 when they open the file directly.
    Mark,
}

/// Creates `articles.csv` at `path`.
///
/// # Errors
/// If it cannot be created.
pub fn csv_file(path: &Path, start: CsvStart) -> Result<TextFileSink, SinkError> {
    let mark = if start == CsvStart::Mark { "\u{feff}" } else { "" };
    let start = [mark.as_bytes(), &csv_header()].concat();
    TextFileSink::create(path, &start, csv_rows)
}

/// Returns the header row of `articles.csv`, with its line break.
fn csv_header() -> Vec<u8> {
    let columns = Article::FIELDS.iter().filter(|field| is_column(field));
    rows(std::iter::once(columns.map(|field| field.name.to_owned()).collect()))
}

/// Returns the rows of articles, in order, with line breaks. Lists are joined with `; `.
fn csv_rows(articles: &[Extracted]) -> Vec<u8> {
    rows(articles.iter().map(|article| {
        let mut row = CsvRow(Vec::new());
        article.visit_fields(&mut row);
        row.0
    }))
}

fn rows(rows: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // All rows have the same length and are written to memory: this cannot fail.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

struct CsvRow(Vec<String>);

impl FieldVisitor for CsvRow {
    fn visit<T: Serialize>(&mut self, field: &'static RecordField, value: &T) {
        if is_column(field) {
            let value = serde_json::to_value(value).unwrap_or_default();
            self.0.push(harmless(cell(value)));
        }
    }
}

fn cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => format!("{number:.4}"),
            None => number.to_string(),
        },
        Value::Array(values) => values.into_iter().map(cell).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

/// Spreadsheets evaluate cells that begin like a formula. A leading apostrophe keeps them text
/// (OWASP, CSV injection; the full-width forms are for Japanese editions).
fn harmless(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        format!("'{cell}")
    } else {
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_text() {
        assert_eq!(harmless("=1+1".into()), "'=1+1");
        assert_eq!(harmless("＠SUM(A1)".into()), "'＠SUM(A1)");
        assert_eq!(harmless("one".into()), "one");
    }

    #[test]
    fn the_header_is_one_line() {
        let header = String::from_utf8(csv_header()).unwrap();
        assert!(header.starts_with("url,site,") && header.ends_with("moved_to\n"), "{header}");
    }
}
