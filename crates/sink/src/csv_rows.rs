//! `articles.csv`: one row an article, for spreadsheets and quick looks (RFC 4180, UTF-8).

use std::borrow::Cow;
use std::path::Path;

use model::Article;

use crate::{AtomicFile, SinkError};

const HEADER: [&str; 15] = [
    "url",
    "site",
    "template",
    "title",
    "authors",
    "published",
    "modified",
    "language",
    "description",
    "image",
    "tags",
    "text",
    "engine",
    "route",
    "confidence",
];

/// Writes articles as rows.
pub struct ArticleCsv {
    writer: csv::Writer<AtomicFile>,
    path: std::path::PathBuf,
}

impl ArticleCsv {
    /// Begins the file with its header row.
    ///
    /// # Errors
    /// If the file cannot be created or written.
    pub fn create(path: &Path) -> Result<Self, SinkError> {
        let writer = csv::Writer::from_writer(AtomicFile::create(path)?);
        let mut csv = Self { writer, path: path.to_owned() };
        csv.row(HEADER.iter().map(|h| Cow::Borrowed(*h)))?;
        Ok(csv)
    }

    /// Writes one article. Lists are joined by `; `.
    ///
    /// # Errors
    /// If the disk is full or the like.
    pub fn write(&mut self, article: &Article) -> Result<(), SinkError> {
        let m = &article.metadata;
        let text = |f: &Option<model::Field<String>>| {
            f.as_ref().map(|f| f.value.clone()).unwrap_or_default()
        };
        let list = |f: &Option<model::Field<Vec<String>>>| {
            f.as_ref().map(|f| f.value.join("; ")).unwrap_or_default()
        };
        let cells: [Cow<'_, str>; 15] = [
            (&article.url).into(),
            (&article.site).into(),
            (&article.template).into(),
            text(&m.title).into(),
            list(&m.authors).into(),
            text(&m.published).into(),
            text(&m.modified).into(),
            text(&m.language).into(),
            text(&m.description).into(),
            text(&m.image).into(),
            list(&m.tags).into(),
            (&article.text).into(),
            (&article.engine).into(),
            article.route.as_str().into(),
            format!("{:.4}", article.confidence).into(),
        ];
        self.row(cells.into_iter().map(harmless))
    }

    fn row<'a>(&mut self, cells: impl Iterator<Item = Cow<'a, str>>) -> Result<(), SinkError> {
        let cells: Vec<_> = cells.collect();
        self.writer.write_record(cells.iter().map(|c| c.as_bytes())).map_err(|e| SinkError {
            what: "cannot write",
            path: self.path.clone(),
            source: std::io::Error::other(e),
        })
    }

    /// Writes everything to disk and moves the file to its place.
    ///
    /// # Errors
    /// As [`AtomicFile::finish`].
    pub fn finish(self) -> Result<(), SinkError> {
        let path = self.path;
        let file = self.writer.into_inner().map_err(|e| SinkError {
            what: "cannot write",
            path,
            source: std::io::Error::other(e.to_string()),
        })?;
        file.finish()
    }
}

/// Spreadsheets run cells that begin like a formula: an apostrophe keeps them text (OWASP, CSV
/// injection).
fn harmless(cell: Cow<'_, str>) -> Cow<'_, str> {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{cell}").into()
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
        assert_eq!(harmless("one".into()), "one");
    }
}
