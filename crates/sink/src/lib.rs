/*!
The contents of a run folder: the versioned records, and the writers of its files.

Every file appears complete or not at all ([`AtomicFile`]). The formats are documented field by field
in `docs/FORMATS.md`; a field is never renamed, retyped or removed without raising [`SCHEMA`].
*/

mod atomic;
mod bulk;
mod csv_rows;
mod dataset;
mod dropped;
mod file_name;
mod health;
mod html_page;
mod instant;
mod jsonl;
mod ledger;
mod parquet_file;
mod sink;
mod site_configs;
mod site_figures;
mod site_rows;
mod table;
mod text_file;
mod versions;
mod warc;
mod wrappers;

pub use atomic::{AtomicFile, SinkError, make_folder};
pub use bulk::{BulkDialect, bulk_file};
pub use csv_rows::{CsvStart, csv_file};
pub use dataset::{DatasetSink, foreign_to_dataset};
pub use dropped::{DropRecord, drop_record};
pub use file_name::site_file_name;
pub use health::{HealthRecord, health_record};
pub use html_page::{fragment_of, html_page};
pub use instant::instant;
pub use jsonl::{LineStorage, json_lines, jsonl_file};
pub use ledger::{
    ChosenPages, EarlierRun, InputRecord, LastNight, Ledger, PageSelection, RunCounts, RunPhase,
    RunProgress, RunState,
};
pub use model::SCHEMA;
pub use parquet_file::ParquetSink;
pub use sink::{Render, Sink};
pub use site_configs::SiteConfigSink;
pub use site_figures::{figures_of, length_class_end};
pub use site_rows::SiteRowsSink;
pub use table::TableBuilder;
pub use text_file::TextFileSink;
pub use versions::{
    ArticleArchive, ArticleChange, ArticleKey, ArticleReading, ArticleVersion, ChangeKind,
    GoneSpan, KeyOf, VersionsSink,
};
pub use warc::{WarcContent, WarcSink};
pub use wrappers::{PatternRecord, SiteRecord, SupportRecord, TemplateRecord, WrapperRecord};
