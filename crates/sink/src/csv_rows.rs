//! `articles.csv`: one row per article, for spreadsheets and quick inspection (RFC 4180 except for
//! line feeds at the ends of rows; UTF-8).

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use model::{Article, Field, Verdict};

use crate::articles::{access_of, content_hash, word_count};
use crate::{AtomicFile, Render, Sink, SinkError};
use model::SiteResult;

const HEADER: [&str; 28] = [
    "url",
    "site",
    "template",
    "page_type",
    "title",
    "authors",
    "published",
    "modified",
    "language",
    "language_score",
    "description",
    "image",
    "tags",
    "site_name",
    "section",
    "access",
    "license",
    "word_count",
    "content_hash",
    "text",
    "engine",
    "route",
    "confidence",
    "model_revision",
    "health",
    "duplicate_of",
    "gone",
    "moved_to",
];

/// Writes `articles.csv`.
#[derive(Debug)]
pub struct CsvSink(AtomicFile);

/// The byte order mark of UTF-8, by which spreadsheets recognise UTF-8 when a file is opened
/// directly.
const MARK: &[u8] = "\u{feff}".as_bytes();

impl CsvSink {
    /// Starts the file at `path` with its header, after a byte order mark if `mark`.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path, mark: bool) -> Result<Self, SinkError> {
        let mut file = AtomicFile::create(path)?;
        if mark {
            file.write_bytes(MARK)?;
        }
        file.write_bytes(&csv_header())?;
        Ok(Self(file))
    }
}

impl Sink for CsvSink {
    fn render(&self) -> Option<Render> {
        Some(Arc::new(|site| csv_rows(&site.articles)))
    }

    fn take(&mut self, _site: &SiteResult, rendered: &[u8]) -> Result<(), SinkError> {
        self.0.write_bytes(rendered)
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        self.0.finish()
    }
}

/// The header row of `articles.csv`, including its line break.
fn csv_header() -> Vec<u8> {
    rows(std::iter::once(HEADER.map(Cow::Borrowed)))
}

/// The rows of articles, in order, including line breaks. Lists are joined by `; `.
fn csv_rows(articles: &[Article]) -> Vec<u8> {
    rows(articles.iter().map(|article| cells(article).map(harmless)))
}

fn rows<'a>(rows: impl Iterator<Item = [Cow<'a, str>; 28]>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // All rows have the same length and are written to memory: this cannot fail.
        let _ = writer.write_record(row.iter().map(|cell| cell.as_bytes()));
    }
    writer.into_inner().unwrap_or_default()
}

fn cells(article: &Article) -> [Cow<'_, str>; 28] {
    fn text(field: &Option<Field<String>>) -> Cow<'_, str> {
        field.as_ref().map_or(Cow::Borrowed(""), |f| f.value.as_str().into())
    }
    fn list(field: &Option<Field<Vec<String>>>) -> Cow<'_, str> {
        field.as_ref().map_or(Cow::Borrowed(""), |f| f.value.join("; ").into())
    }
    let m = &article.metadata;
    [
        (&article.url).into(),
        (&article.site).into(),
        (&article.template).into(),
        article.page_type.map_or("", |own| own.page_type.as_str()).into(),
        text(&m.title),
        list(&m.authors),
        text(&m.published),
        text(&m.modified),
        text(&m.language),
        article.language_score.map_or(Cow::Borrowed(""), |score| format!("{score:.4}").into()),
        text(&m.description),
        text(&m.image),
        list(&m.tags),
        text(&m.site_name),
        text(&m.section),
        access_of(article).unwrap_or_default().into(),
        text(&m.license),
        word_count(&article.text).to_string().into(),
        content_hash(&article.text).into(),
        (&article.text).into(),
        (&article.engine).into(),
        article.route.as_str().into(),
        format!("{:.4}", article.confidence).into(),
        article.model_revision.map_or(Cow::Borrowed(""), |number| number.to_string().into()),
        article.health.map_or("", Verdict::as_str).into(),
        article.duplicate_of().unwrap_or_default().into(),
        article.gone.as_ref().map_or(Cow::Borrowed(""), |gone| gone.at.to_string().into()),
        article.gone.as_ref().and_then(|gone| gone.moved_to.as_deref()).unwrap_or_default().into(),
    ]
}

/// Spreadsheets evaluate cells that begin like a formula. A leading apostrophe keeps them text
/// (OWASP, CSV injection; the full-width forms are for Japanese editions).
fn harmless(cell: Cow<'_, str>) -> Cow<'_, str> {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
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
        assert_eq!(harmless("＠SUM(A1)".into()), "'＠SUM(A1)");
        assert_eq!(harmless("one".into()), "one");
    }

    #[test]
    fn the_header_is_one_line() {
        let header = String::from_utf8(csv_header()).unwrap();
        assert!(header.starts_with("url,site,") && header.ends_with("moved_to\n"), "{header}");
    }
}
