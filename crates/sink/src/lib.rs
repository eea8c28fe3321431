/*!
The contents of a run folder: its versioned records, and the writers of its files.

Every file appears as a whole or not at all ([`AtomicFile`]). `docs/FORMATS.md` documents the formats
field by field. A field is never renamed, retyped or removed without raising [`SCHEMA`].
*/

mod files;
mod ledger;
mod parquet_file;
mod records;
mod sink;
mod site_figures;
mod table;
mod text_files;
mod versions;
mod warc;

pub use files::{AtomicFile, SinkError, make_folder, site_file_name};
pub use ledger::{
    ChosenPages, EarlierRun, FetchCounts, InputRecord, LastNight, Ledger, ListedPart,
    PageSelection, RunCounts, RunPhase, RunProgress, RunState, SiteAlarm,
};
pub use model::SCHEMA;
pub use parquet_file::{DatasetSink, ParquetSink, foreign_to_dataset};
pub use records::{
    ComparedNight, DropRecord, HealthRecord, compared_night, drop_record, health_record,
};
pub use sink::{Render, Sink};
pub use site_figures::{SiteRowsSink, figures_of, length_class_end};
pub use table::{TableBuilder, parse_instant};
pub use text_files::{
    BulkDialect, CsvStart, LineStorage, SiteConfigSink, TextFileSink, bulk_file, csv_file,
    json_lines, jsonl_file, write_line,
};
pub use versions::{
    ArchiveCorrector, ArticleArchive, ArticleChange, ArticleKey, ArticleReading, ArticleVersion,
    ChangeKind, GoneSpan, KeyOf, StoredCorrection, VersionsSink, contradicts, is_database,
};
pub use warc::{WarcContent, WarcSink, escape_markup, fragment_of};
