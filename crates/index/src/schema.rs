//! The fields of an index, and the record of how it was made.

use serde::{Deserialize, Serialize};
use tantivy::schema::{
    DateOptions, Field, FieldEntry, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema,
    SchemaBuilder, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;
use terms::Analyzer;

/// Version of the fields and of what is in them.
const VERSION: u32 = 7;

/// An analyzer that every tantivy has. Other programs cannot parse a query if the schema names
/// analyzers they do not have.
pub(crate) const EVERYWHERE: &str = "default";

/// The analyzer of a language, for parsing queries here.
pub(crate) const TERMS: &str = "terms";

/// The field that only addresses have that are gone.
pub(crate) const GONE: &str = "gone";

/// The fields, in the order of the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexFields {
    pub(crate) url: Field,
    pub(crate) site: Field,
    pub(crate) title: Field,
    pub(crate) body: Field,
    pub(crate) authors: Field,
    pub(crate) published: Field,
    pub(crate) language: Field,
    pub(crate) template: Field,
    pub(crate) truncated: Field,
    pub(crate) model_revision: Field,
    pub(crate) health: Field,
    pub(crate) fetched: Field,
    pub(crate) gone: Field,
    pub(crate) gone_status: Field,
    pub(crate) moved_to: Field,
    pub(crate) language_score: Field,
    pub(crate) confidence: Field,
    pub(crate) precision: Field,
    pub(crate) recall: Field,
    pub(crate) repeated: Field,
    pub(crate) links: Field,
    pub(crate) elsewhere: Field,
    pub(crate) doubt: Field,
    pub(crate) site_name: Field,
    pub(crate) section: Field,
    pub(crate) access: Field,
    pub(crate) license: Field,
    pub(crate) word_count: Field,
    pub(crate) content_hash: Field,
    pub(crate) passages: Field,
}

/// The schema, with the name of the analyzer of title and body.
pub(crate) fn schema(analyzer: &str) -> (Schema, IndexFields) {
    let mut builder = SchemaBuilder::default();
    let whole = |record| {
        TextFieldIndexing::default()
            .set_tokenizer(RAW_TOKENIZER_NAME)
            .set_fieldnorms(false)
            .set_index_option(record)
    };
    // Untokenized values: matched exactly, counted, and sorted by.
    let key = TextOptions::default()
        .set_indexing_options(whole(IndexRecordOption::Basic))
        .set_stored()
        .set_fast(RAW_TOKENIZER_NAME);
    let words = |analyzer: &str| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(analyzer)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        TextOptions::default().set_indexing_options(indexing).set_stored()
    };
    let number = NumericOptions::default().set_indexed().set_stored().set_fast();
    let date = DateOptions::default().set_indexed().set_stored().set_fast();
    let fields = IndexFields {
        url: builder.add_text_field("url", key.clone()),
        site: builder.add_text_field("site", key.clone()),
        title: builder.add_text_field("title", words(analyzer)),
        body: builder.add_text_field("body", words(analyzer)),
        authors: builder.add_text_field("authors", words(EVERYWHERE)),
        published: builder.add_date_field("published", date.clone()),
        language: builder.add_text_field("language", key.clone()),
        template: builder.add_text_field("template", key.clone()),
        truncated: builder.add_text_field("truncated", key.clone()),
        model_revision: builder.add_u64_field("model_revision", number.clone()),
        health: builder.add_text_field("health", key.clone()),
        fetched: builder.add_date_field("fetched", date.clone()),
        gone: builder.add_date_field(GONE, date),
        gone_status: builder.add_u64_field("gone_status", number.clone()),
        moved_to: builder.add_text_field("moved_to", key.clone()),
        language_score: builder.add_f64_field("language_score", number.clone()),
        confidence: builder.add_f64_field("confidence", number.clone()),
        precision: builder.add_f64_field("precision", number.clone()),
        recall: builder.add_f64_field("recall", number.clone()),
        repeated: builder.add_f64_field("repeated", number.clone()),
        links: builder.add_f64_field("links", number.clone()),
        elsewhere: builder.add_f64_field("elsewhere", number.clone()),
        doubt: builder.add_text_field("doubt", key.clone()),
        site_name: builder.add_text_field("site_name", key.clone()),
        section: builder.add_text_field("section", key.clone()),
        access: builder.add_text_field("access", key.clone()),
        license: builder.add_text_field("license", key.clone()),
        word_count: builder.add_u64_field("word_count", number),
        content_hash: builder.add_text_field("content_hash", key),
        // For those who read what was found; words are searched for in the body.
        passages: builder.add_json_field("passages", JsonObjectOptions::default().set_stored()),
    };
    (builder.build(), fields)
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
    /// The rules that determined its terms.
    terms: String,
}

impl Imprint {
    pub(crate) fn today() -> Self {
        Self { sitegrove_index: VERSION, terms: Analyzer::rules() }
    }

    /// Parses an imprint; `None` if it is of another program or of another version of the fields.
    pub(crate) fn read(payload: Option<&str>) -> Option<Self> {
        let imprint: Self = serde_json::from_str(payload?).ok()?;
        (1..=VERSION).contains(&imprint.sitegrove_index).then_some(imprint)
    }

    /// The rules an index was made with, in readable form.
    pub(crate) fn told(&self) -> String {
        format!("{} (fields {})", self.terms, self.sitegrove_index)
    }

    pub(crate) fn write(&self) -> String {
        // Two plain fields: serialization cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}
