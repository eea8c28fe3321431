//! The fields of an index, and the record of how it was made.

use serde::{Deserialize, Serialize};
use tantivy::schema::{
    DateOptions, Field, FieldEntry, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema,
    SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;
use terms::Analyzer;

/// Version of the fields and their contents.
const VERSION: u32 = 8;

/// Name of an analyzer that is built into tantivy. Other programs cannot parse a query if the
/// schema names analyzers that they do not have.
pub(crate) const EVERYWHERE: &str = "default";

/// Name under which the analyzer of a language is registered to parse queries.
pub(crate) const TERMS: &str = "terms";

/// Name of the field that is set only for articles whose addresses are gone.
pub(crate) const GONE: &str = "gone";

/// Declares the fields in schema order, each with its `SchemaBuilder` method and options.
macro_rules! fields {
    ($analyzer:ident => $($name:ident: $add:ident($options:expr),)*) => {
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct IndexFields {
            $(pub(crate) $name: Field,)*
        }

        /// The schema, with the name of the analyzer of title and body.
        pub(crate) fn schema($analyzer: &str) -> (Schema, IndexFields) {
            let mut builder = SchemaBuilder::default();
            let fields = IndexFields { $($name: builder.$add(stringify!($name), $options),)* };
            (builder.build(), fields)
        }
    };
}

fields! { analyzer =>
    url: add_text_field(key()),
    site: add_text_field(key()),
    title: add_text_field(words(analyzer)),
    body: add_text_field(words(analyzer)),
    authors: add_text_field(words(EVERYWHERE)),
    published: add_date_field(date()),
    language: add_text_field(key()),
    template: add_text_field(key()),
    truncated: add_text_field(key()),
    model_revision: add_u64_field(number()),
    health: add_text_field(key()),
    fetched: add_date_field(date()),
    gone: add_date_field(date()),
    gone_status: add_u64_field(number()),
    moved_to: add_text_field(key()),
    language_score: add_f64_field(number()),
    confidence: add_f64_field(number()),
    precision: add_f64_field(number()),
    recall: add_f64_field(number()),
    repeated: add_f64_field(number()),
    links: add_f64_field(number()),
    boilerplate: add_f64_field(number()),
    elsewhere: add_f64_field(number()),
    doubt: add_text_field(key()),
    site_name: add_text_field(key()),
    section: add_text_field(key()),
    access: add_text_field(key()),
    license: add_text_field(key()),
    word_count: add_u64_field(number()),
    content_hash: add_text_field(key()),
    // Only stored, for readers of search results: queries search the body.
    passages: add_json_field(JsonObjectOptions::default().set_stored()),
}

/// Options of a value that is not tokenized: it is matched exactly, counted, and sorted by.
fn key() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(RAW_TOKENIZER_NAME)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    TextOptions::default().set_indexing_options(indexing).set_stored().set_fast(RAW_TOKENIZER_NAME)
}

fn words(analyzer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(analyzer)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    TextOptions::default().set_indexing_options(indexing).set_stored()
}

fn number() -> NumericOptions {
    NumericOptions::default().set_indexed().set_stored().set_fast()
}

fn date() -> DateOptions {
    DateOptions::default().set_indexed().set_stored().set_fast()
}

/// Whether an index has the fields that this version writes.
pub(crate) fn is_known(found: &Schema) -> bool {
    let today = schema(EVERYWHERE).0;
    let fields = |schema: &Schema| -> Vec<FieldEntry> {
        schema.fields().map(|(_, entry)| entry.clone()).collect()
    };
    fields(&today) == fields(found)
}

/// How an index was made, as recorded in its `meta.json`.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Imprint {
    sitegrove_index: u32,
    /// The analysis rules that its terms were made with.
    terms: String,
}

impl Imprint {
    pub(crate) fn today() -> Self {
        Self { sitegrove_index: VERSION, terms: Analyzer::rules() }
    }

    /// Parses an imprint; `None` if another program or a later version wrote it.
    pub(crate) fn read(payload: Option<&str>) -> Option<Self> {
        let imprint: Self = serde_json::from_str(payload?).ok()?;
        (1..=VERSION).contains(&imprint.sitegrove_index).then_some(imprint)
    }

    /// Describes the rules and the version of the fields that an index was made with.
    pub(crate) fn description(&self) -> String {
        format!("{} (fields {})", self.terms, self.sitegrove_index)
    }

    pub(crate) fn write(&self) -> String {
        // Two plain fields: serialization cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
