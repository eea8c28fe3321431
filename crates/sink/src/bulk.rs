//! `articles.bulk.ndjson`: articles in the import formats of search servers.
//!
//! Elasticsearch and OpenSearch: the body of a bulk request, an action line before each document
//! (Elasticsearch, "Bulk API"). Quickwit and Meilisearch: documents only, with an id in them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::{SinkError, TextFileSink, json_lines};
use model::{Article, Extracted};

/// The search server that the lines are for.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BulkDialect {
    /// An action line `{"index":{"_id":…}}`, then the document.
    Elasticsearch,
    /// The same.
    OpenSearch,
    /// The document with an `id`.
    Quickwit,
    /// The same.
    Meilisearch,
}

/// The id of an article: 32 hex digits, the same for the same address in every run, so that a later
/// version replaces an earlier one. Addresses themselves cannot be ids: they may be longer than the
/// 512 bytes that servers allow, and contain characters that Meilisearch does not.
fn id_of(article: &Article) -> String {
    format!("{:032x}", xxh3_128(article.url.as_bytes()))
}

#[derive(Serialize)]
struct Action {
    index: Target,
}

#[derive(Serialize)]
struct Target {
    _id: String,
}

#[derive(Serialize)]
struct Identified<'a> {
    id: String,
    #[serde(flatten)]
    record: &'a Article,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Action(Action),
    Document(&'a Article),
    Identified(Identified<'a>),
}

fn lines<'a>(dialect: BulkDialect, articles: &'a [Extracted]) -> Vec<u8> {
    let of_article = |extracted: &'a Extracted| {
        let (id, record) = (id_of(extracted), &extracted.article);
        match dialect {
            BulkDialect::Elasticsearch | BulkDialect::OpenSearch => {
                let action = Action { index: Target { _id: id } };
                vec![Line::Action(action), Line::Document(record)]
            }
            BulkDialect::Quickwit | BulkDialect::Meilisearch => {
                vec![Line::Identified(Identified { id, record })]
            }
        }
    };
    json_lines(articles.iter().flat_map(of_article))
}

/// Starts `articles.bulk.ndjson` at `path`.
///
/// # Errors
/// If it cannot be created.
pub fn bulk_file(path: &Path, dialect: BulkDialect) -> Result<TextFileSink, SinkError> {
    TextFileSink::create(path, b"", move |articles| lines(dialect, articles))
}
