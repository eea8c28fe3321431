//! The schema of `articles.parquet`: the fields of `articles.jsonl`, plus timestamps for dates.

use parquet::errors::ParquetError;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;

/// Fields have the names and the order of `articles.jsonl`; `NAME_at` is the instant of `NAME`.
const SCHEMA: &str = "
message article {
  required int32 schema;
  required binary url (STRING);
  required binary site (STRING);
  required binary template (STRING);
  optional binary page_type (STRING);
  optional double page_type_probability;
  optional binary title (STRING);
  required group authors (LIST) { repeated group list { required binary element (STRING); } }
  optional binary published (STRING);
  optional int64 published_at (TIMESTAMP(MICROS,true));
  optional binary modified (STRING);
  optional int64 modified_at (TIMESTAMP(MICROS,true));
  optional binary language (STRING);
  optional double language_score;
  optional binary description (STRING);
  optional binary image (STRING);
  required group tags (LIST) { repeated group list { required binary element (STRING); } }
  optional binary canonical (STRING);
  optional binary site_name (STRING);
  optional binary section (STRING);
  optional binary access (STRING);
  optional binary license (STRING);
  required int32 word_count;
  required binary content_hash (STRING);
  required binary text (STRING);
  required binary html (STRING);
  optional group images (LIST) { repeated group list { required group element {
    required binary url (STRING);
    optional binary caption (STRING);
    optional binary alt (STRING);
    optional binary credit (STRING);
    optional int32 width;
    optional int32 height;
    optional group record { required binary url (STRING); required binary file (STRING); required int64 offset; }
  } } }
  optional group tables (LIST) { repeated group list { required group element {
    optional binary caption (STRING);
    required int32 header_rows;
    required group rows (LIST) { repeated group list {
      required group element (LIST) { repeated group list { required binary element (STRING); } }
    } }
  } } }
  optional group embeds (LIST) { repeated group list { required group element {
    required binary kind (STRING);
    required binary url (STRING);
    optional binary title (STRING);
  } } }
  optional group footnotes (LIST) { repeated group list { required group element {
    required binary id (STRING);
    required binary label (STRING);
    required binary text (STRING);
  } } }
  optional binary markdown (STRING);
  optional binary comments (STRING);
  optional group posts (LIST) { repeated group list { required group element {
    optional binary author (STRING);
    optional binary date (STRING);
    required binary text (STRING);
  } } }
  required group xpath (LIST) { repeated group list { required binary element (STRING); } }
  required group prune (LIST) { repeated group list { required binary element (STRING); } }
  optional binary cut (STRING);
  required binary engine (STRING);
  required binary route (STRING);
  required int32 wrapper_version;
  required double confidence;
  required boolean doubtful;
  optional binary site_config (STRING);
  optional int32 model_revision;
  optional binary health (STRING);
  optional binary cluster (STRING);
  optional binary duplicate_of (STRING);
  optional double similarity;
  optional binary gone (STRING);
  optional int64 gone_at (TIMESTAMP(MICROS,true));
  optional int32 gone_status;
  optional binary moved_to (STRING);
  required group sources {
    optional binary title (STRING);
    optional binary authors (STRING);
    optional binary published (STRING);
    optional binary modified (STRING);
    optional binary language (STRING);
    optional binary description (STRING);
    optional binary image (STRING);
    optional binary tags (STRING);
    optional binary canonical (STRING);
    optional binary site_name (STRING);
    optional binary section (STRING);
    optional binary access (STRING);
    optional binary license (STRING);
  }
  optional binary fetched (STRING);
  optional int64 fetched_at (TIMESTAMP(MICROS,true));
  required binary charset (STRING);
  required binary charset_evidence (STRING);
  optional group charset_overruled {
    optional binary http (STRING);
    optional binary meta (STRING);
    optional binary xml (STRING);
  }
  required group origin {
    required binary file (STRING);
    required int64 offset;
    optional binary record_id (STRING);
    optional binary truncated (STRING);
  }
}";

/// Columns whose values hardly repeat, for which a dictionary would be useless.
pub(crate) const UNIQUE: [&str; 13] = [
    "url",
    "title",
    "description",
    "image",
    "canonical",
    "content_hash",
    "text",
    "html",
    "markdown",
    "comments",
    "cut",
    "origin.offset",
    "origin.record_id",
];

/// Columns of long text, for which minimum and maximum values are useless.
pub(crate) const LONG: [&str; 6] = ["text", "html", "markdown", "comments", "description", "cut"];

/// The schema.
pub(crate) fn schema() -> Result<Type, ParquetError> {
    parse_message_type(SCHEMA)
}
