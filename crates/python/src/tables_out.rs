//! Articles, drops and pages as Arrow tables.

use std::sync::Arc;

use arrow_array::builder::{
    Int64Builder, LargeStringBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_json::ReaderBuilder;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use serde::Serialize;
use sink::{ArticleRecord, DropRecord, article_record, drop_record, instant};

fn utf8(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

fn long(name: &str) -> Field {
    Field::new(name, DataType::LargeUtf8, true)
}

fn list(name: &str) -> Field {
    Field::new(name, DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))), true)
}

fn when(name: &str) -> Field {
    Field::new(name, DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true)
}

fn structure(name: &str, fields: Vec<Field>) -> Field {
    Field::new(name, DataType::Struct(Fields::from(fields)), true)
}

/// The item of a list of posts.
fn post() -> Field {
    structure("item", vec![utf8("author"), utf8("date"), long("text")])
}

/// A list of structures that each have these fields.
fn structures(name: &str, fields: Vec<Field>) -> Field {
    Field::new(name, DataType::List(Arc::new(structure("item", fields))), true)
}

/// The pictures, tables, embedded media and notes of articles.
fn parts() -> [Field; 4] {
    let count = |name: &str| Field::new(name, DataType::Int32, true);
    let cells = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    let rows = DataType::List(Arc::new(Field::new("item", cells, true)));
    let image = vec![
        utf8("url"),
        utf8("caption"),
        utf8("alt"),
        utf8("credit"),
        count("width"),
        count("height"),
        structure(
            "record",
            vec![utf8("url"), utf8("file"), Field::new("offset", DataType::Int64, true)],
        ),
    ];
    let table = vec![utf8("caption"), count("header_rows"), Field::new("rows", rows, true)];
    [
        structures("images", image),
        structures("tables", table),
        structures("embeds", ["kind", "url", "title"].map(utf8).into()),
        structures("footnotes", ["id", "label", "text"].map(utf8).into()),
    ]
}

/// The fields of articles: those of `articles.parquet`, but that each may be null.
fn article_fields() -> Vec<Field> {
    const SOURCES: [&str; 13] = [
        "title",
        "authors",
        "published",
        "modified",
        "language",
        "description",
        "image",
        "tags",
        "canonical",
        "site_name",
        "section",
        "access",
        "license",
    ];
    let [images, tables, embeds, footnotes] = parts();
    vec![
        Field::new("schema", DataType::Int32, true),
        utf8("url"),
        utf8("site"),
        utf8("template"),
        utf8("page_type"),
        Field::new("page_type_probability", DataType::Float64, true),
        utf8("title"),
        list("authors"),
        utf8("published"),
        when("published_at"),
        utf8("modified"),
        when("modified_at"),
        utf8("language"),
        Field::new("language_score", DataType::Float64, true),
        utf8("description"),
        utf8("image"),
        list("tags"),
        utf8("canonical"),
        utf8("site_name"),
        utf8("section"),
        utf8("access"),
        utf8("license"),
        Field::new("word_count", DataType::Int32, true),
        utf8("content_hash"),
        long("text"),
        long("html"),
        images,
        tables,
        embeds,
        footnotes,
        long("markdown"),
        long("comments"),
        Field::new("posts", DataType::List(Arc::new(post())), true),
        list("xpath"),
        list("prune"),
        utf8("cut"),
        utf8("engine"),
        utf8("route"),
        Field::new("wrapper_version", DataType::Int32, true),
        Field::new("confidence", DataType::Float64, true),
        Field::new("doubtful", DataType::Boolean, true),
        utf8("site_config"),
        Field::new("model_revision", DataType::Int32, true),
        utf8("health"),
        utf8("cluster"),
        utf8("duplicate_of"),
        Field::new("similarity", DataType::Float64, true),
        utf8("gone"),
        when("gone_at"),
        Field::new("gone_status", DataType::Int32, true),
        utf8("moved_to"),
        structure("sources", SOURCES.map(utf8).into()),
        utf8("fetched"),
        when("fetched_at"),
        utf8("charset"),
        utf8("charset_evidence"),
        structure("charset_overruled", ["http", "meta", "xml"].map(utf8).into()),
        structure(
            "origin",
            vec![
                utf8("file"),
                Field::new("offset", DataType::Int64, true),
                utf8("record_id"),
                utf8("truncated"),
            ],
        ),
    ]
}

/// The schema of articles.
pub(crate) fn articles() -> SchemaRef {
    Arc::new(Schema::new(article_fields()))
}

/// The schema of what comes of pages: the fields of articles, and those of drops.
pub(crate) fn outcomes() -> SchemaRef {
    let of_drops = ["stage", "reason", "detail"].map(utf8);
    Arc::new(Schema::new(article_fields().into_iter().chain(of_drops).collect::<Vec<_>>()))
}

/// The schema of drops.
pub(crate) fn drops() -> SchemaRef {
    let of_article = |name: &str| article_fields().into_iter().find(|f| f.name() == name);
    let fields = ["stage", "reason", "url", "site", "detail"].map(utf8).into_iter();
    Arc::new(Schema::new(fields.chain(of_article("origin")).collect::<Vec<_>>()))
}

/// The schema of pages.
pub(crate) fn pages() -> SchemaRef {
    Arc::new(Schema::new(vec![
        utf8("url"),
        utf8("site"),
        when("fetched"),
        utf8("file"),
        Field::new("offset", DataType::Int64, true),
        utf8("record_id"),
        utf8("truncated"),
        utf8("charset"),
        utf8("charset_evidence"),
        long("html"),
    ]))
}

/// A row of [`outcomes`].
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum OutcomeRow<'a> {
    /// An article.
    Article(Box<ArticleRow<'a>>),
    /// A drop.
    Drop(Box<DropRecord<'a>>),
}

/// A row of [`articles`].
#[derive(Serialize)]
pub(crate) struct ArticleRow<'a> {
    #[serde(flatten)]
    record: ArticleRecord<'a>,
    published_at: Option<i64>,
    modified_at: Option<i64>,
    fetched_at: Option<i64>,
}

impl<'a> OutcomeRow<'a> {
    /// The row of an article.
    pub(crate) fn of_article(article: &'a model::Article) -> Self {
        let micros = |field: &Option<model::Field<String>>| {
            instant(&field.as_ref()?.value).map(|instant| instant.as_microsecond())
        };
        Self::Article(Box::new(ArticleRow {
            record: article_record(article),
            published_at: micros(&article.metadata.published),
            modified_at: micros(&article.metadata.modified),
            fetched_at: article.fetched.map(|fetched| fetched.as_microsecond()),
        }))
    }

    /// The row of a drop.
    pub(crate) fn of_drop(drop: &'a model::Drop) -> Self {
        Self::Drop(Box::new(drop_record(drop)))
    }
}

/// Rows as a batch of a schema, which must have all their fields.
///
/// # Errors
/// If it has not.
pub(crate) fn batch_of<R: Serialize>(
    schema: &SchemaRef,
    rows: &[R],
) -> Result<RecordBatch, ArrowError> {
    let builder = ReaderBuilder::new(Arc::clone(schema)).with_batch_size(rows.len().max(1));
    let mut decoder = builder.with_strict_mode(true).build_decoder()?;
    decoder.serialize(rows)?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(Arc::clone(schema))))
}

/// Pages as a batch of the schema [`pages`].
///
/// # Errors
/// If a number does not fit its column.
pub(crate) fn batch_of_pages(pages: &[model::Page]) -> Result<RecordBatch, ArrowError> {
    let text = |of: fn(&model::Page) -> Option<&str>| -> ArrayRef {
        let mut column = StringBuilder::new();
        pages.iter().for_each(|page| column.append_option(of(page)));
        Arc::new(column.finish())
    };
    let (mut fetched, mut offsets) = (TimestampMicrosecondBuilder::new(), Int64Builder::new());
    let mut htmls = LargeStringBuilder::with_capacity(
        pages.len(),
        pages.iter().map(|page| page.html.len()).sum(),
    );
    for page in pages {
        fetched.append_option(page.fetched.map(|fetched| fetched.as_microsecond()));
        offsets.append_option(i64::try_from(page.origin.offset).ok());
        htmls.append_value(&*page.html);
    }
    let columns: Vec<ArrayRef> = vec![
        text(|page| Some(&page.url)),
        text(|page| Some(&page.site)),
        Arc::new(fetched.finish().with_timezone("UTC")),
        text(|page| Some(&page.origin.file)),
        Arc::new(offsets.finish()),
        text(|page| Some(&page.origin.record_id)),
        text(|page| page.origin.truncated.as_deref()),
        text(|page| Some(page.charset.name)),
        text(|page| Some(page.charset.evidence.as_str())),
        Arc::new(htmls.finish()),
    ];
    RecordBatch::try_new(self::pages(), columns)
}
