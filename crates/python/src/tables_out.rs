//! Pages as Arrow tables.

use std::sync::Arc;

use arrow_array::builder::{
    Int64Builder, LargeStringBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};

fn utf8(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

fn long(name: &str) -> Field {
    Field::new(name, DataType::LargeUtf8, true)
}

fn when(name: &str) -> Field {
    Field::new(name, DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true)
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
