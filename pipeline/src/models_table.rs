//! Writes models to a Parquet table with one row for each revision, and reads them back. docs/NIGHTLY.md has its columns.

use std::fs::File;
use std::num::TryFromIntError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use arrow_schema::{FieldRef, Schema};
use database::WaitPolicy;
use model::contain_panics;
use modelstore::{Import, ModelRow, RevisionRow, Store};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnPath;
use segment::checked_file::{self, CheckedFile, CheckedWriter};
use serde::{Deserialize, Serialize};
use serde_arrow::ArrayBuilder;
use serde_arrow::schema::{SchemaLike as _, TracingOptions};
use serde_json::json;
use sink::{AtomicFile, make_folder};
use sitemodel::SiteModel;

use crate::output_paths::{CommandPaths, OutputKind};

/// A row of the table. Integers are signed because some programs cannot read unsigned ones.
#[derive(Deserialize, Serialize)]
struct ModelsTableRow {
    site: String,
    revision: i32,
    learnt_at: String,
    reason: String,
    pages: i64,
    templates: i64,
    format: i32,
    engine: String,
    weights: Option<String>,
    settings: String,
    health: Option<String>,
    blob: Vec<u8>,
}

/// Number of rows that are decoded at once, with their models in memory.
const BATCH: usize = 16;
/// Size in bytes of the models at which a row group ends; it is in memory until then.
const GROUP: usize = 16 << 20;

/// Writes the revisions of the models of `sites`, or of all sites if none is named, and returns their number. Unless `since`
/// (`YYYY-MM-DD`) is empty, writes only revisions that were learnt in that night or later.
///
/// # Errors
/// If the store has no such site or cannot be read, or the table cannot be written.
pub fn export(store: &Store, sites: &[String], since: &str, out: &Path) -> Result<usize> {
    let mut keys: Vec<String> = store.sites()?.into_iter().map(|row| row.site).collect();
    if let Some(unknown) = sites.iter().find(|site| !keys.contains(site)) {
        let shown = store.path().display();
        bail!("{shown} has no site {unknown}; `sitegrove models list` shows its sites");
    }
    keys.retain(|site| sites.is_empty() || sites.contains(site));
    CommandPaths::default()
        .reads("the model store", store.path())
        .writes("--out", out, OutputKind::ModelsTable)
        .check()?;
    let mut table = ModelsTableWriter::create(out)?;
    let access = || format!("cannot write {}", out.display());
    let mut revisions = 0;
    for site in &keys {
        for model in store.models(site)?.into_iter().filter(|model| *model.head.night >= *since) {
            table.push(model).with_context(access)?;
            revisions += 1;
        }
    }
    table.finish().with_context(access)?;
    Ok(revisions)
}

/// Counts of the revisions in imported tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Revisions that were added.
    pub added: usize,
    /// Revisions that the store already had.
    pub known: usize,
}

/// Adds the revisions of tables to a store; they keep their numbers.
///
/// # Errors
/// If a table cannot be read, is damaged or is no table of models, or if the store has a different revision under the
/// same number. The store is then unchanged.
pub fn import(store: &Store, tables: &[PathBuf], waiting: WaitPolicy<'_>) -> Result<Imported> {
    let mut imported = Imported::default();
    for path in tables {
        let shown = path.display();
        let mut take = |model: ModelRow| {
            let of = || format!("{shown}: revision {} of {}", model.head.revision, model.site);
            check(&model).with_context(of)?;
            match store.import(&model)? {
                Import::Added => imported.added += 1,
                Import::Known => imported.known += 1,
                Import::Other => bail!(
                    "{shown}: {} has another revision {} of {}; nothing was imported. `sitegrove models forget` \
                     removes a site",
                    store.path().display(),
                    model.head.revision,
                    model.site
                ),
            }
            Ok(())
        };
        each(path, &mut take)?;
    }
    store.commit(u64::MAX, waiting)?;
    Ok(imported)
}

fn check(row: &ModelRow) -> Result<()> {
    ensure!(row.head.revision > 0, "revisions are counted from 1");
    let bytes = row.model().context("the model cannot be unpacked")?;
    match SiteModel::from_bytes(&bytes) {
        Ok(model) => ensure!(model.site() == row.site, "the model is of {}", model.site()),
        // Models of other versions are kept: sites are learnt again from retained pages.
        Err(_) if row.head.format != sitemodel::FORMAT => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

struct ModelsTableWriter {
    path: PathBuf,
    file: ArrowWriter<CheckedWriter>,
    rows: ArrayBuilder,
    bytes: usize,
}

impl ModelsTableWriter {
    /// Creates the table at `path`, and its folder if necessary.
    fn create(path: &Path) -> Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folder(folder)?;
        }
        let blob = ColumnPath::from("blob");
        let properties = WriterProperties::builder()
            .set_created_by(concat!("sitegrove version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            .set_max_row_group_row_count(None)
            // Models are compressed already.
            .set_column_compression(blob.clone(), Compression::UNCOMPRESSED)
            .set_column_dictionary_enabled(blob.clone(), false)
            .set_column_statistics_enabled(blob, EnabledStatistics::None)
            .build();
        let options = ArrowWriterOptions::new()
            .with_properties(properties)
            .with_skip_arrow_metadata(true)
            .with_schema_root("model".to_owned());
        let traced = TracingOptions::default()
            .strings_as_large_utf8(false)
            .overwrite("blob", json!({"name": "blob", "data_type": "Binary"}))?;
        let columns = Vec::<FieldRef>::from_type::<ModelsTableRow>(traced)?;
        let rows = ArrayBuilder::from_arrow(&columns)?;
        let file = CheckedWriter::new(AtomicFile::create(path)?);
        let schema = Arc::new(Schema::new(columns));
        let file = ArrowWriter::try_new_with_options(file, schema, options)?;
        Ok(Self { path: path.to_owned(), file, rows, bytes: 0 })
    }

    fn push(&mut self, model: ModelRow) -> Result<()> {
        self.bytes += model.blob.len();
        self.rows.push(ModelsTableRow::of(model))?;
        if self.bytes >= GROUP { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        self.bytes = 0;
        let rows = self.rows.to_record_batch()?;
        let written = self.file.write(&rows).and_then(|()| self.file.flush());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn finish(mut self) -> Result<()> {
        self.write()?;
        checked_file::finish(self.file.into_serialized_writer()?.0)
    }
}

impl ModelsTableRow {
    fn of(model: ModelRow) -> Self {
        let ModelRow { site, head, settings, health, blob } = model;
        let RevisionRow { night: learnt_at, reason, engine, weights, .. } = head;
        let (revision, format) = (head.revision.cast_signed(), head.format.cast_signed());
        let (pages, templates) = (head.pages.cast_signed(), head.templates.cast_signed());
        Self {
            site,
            revision,
            learnt_at,
            reason,
            pages,
            templates,
            format,
            engine,
            weights,
            settings,
            health,
            blob,
        }
    }

    fn model(self) -> Result<ModelRow, TryFromIntError> {
        let head = RevisionRow {
            revision: self.revision.try_into()?,
            night: self.learnt_at,
            reason: self.reason,
            pages: self.pages.try_into()?,
            templates: self.templates.try_into()?,
            format: self.format.try_into()?,
            engine: self.engine,
            weights: self.weights,
            bytes: self.blob.len() as u64,
        };
        let Self { site, settings, health, blob, .. } = self;
        Ok(ModelRow { site, head, settings, health, blob })
    }
}

/// Reads the rows of a table, which any program may have written with these columns.
fn each(path: &Path, take: &mut dyn FnMut(ModelRow) -> Result<()>) -> Result<()> {
    contain_panics(|| read_rows(path, take))
        .with_context(|| format!("{} is damaged", path.display()))?
}

fn read_rows(path: &Path, take: &mut dyn FnMut(ModelRow) -> Result<()>) -> Result<()> {
    let no_table = || {
        let shown = path.display();
        format!("{shown} is not a table of models (`sitegrove models export` writes them)")
    };
    match CheckedFile::open(path).with_context(no_table)? {
        Some(file) => read_batches(file, path, no_table, take),
        // The file has no checksums: another program wrote it.
        None => {
            let file =
                File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            read_batches(file, path, no_table, take)
        }
    }
}

fn read_batches(
    file: impl ChunkReader + 'static,
    path: &Path,
    no_table: impl Fn() -> String,
    take: &mut dyn FnMut(ModelRow) -> Result<()>,
) -> Result<()> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).with_context(&no_table)?;
    for batch in reader.with_batch_size(BATCH).build()? {
        let batch = batch.with_context(|| format!("{} is damaged", path.display()))?;
        let rows: Vec<ModelsTableRow> =
            serde_arrow::from_record_batch(&batch).with_context(&no_table)?;
        rows.into_iter().try_for_each(|row| take(row.model().with_context(&no_table)?))?;
    }
    Ok(())
}
