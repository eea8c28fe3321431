//! Models as a table in a Parquet file: one row for each revision, by site and number. docs/NIGHTLY.md has its columns.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};
use database::WaitPolicy;
use model::contain_panics;
use modelstore::{Import, ModelRow, RevisionRow, Store};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::{Field, Row};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use segment::checked_file::{self, CheckedFile, CheckedWriter};
use sink::{AtomicFile, make_folder};
use sitemodel::SiteModel;

use crate::output_paths::{CommandPaths, OutputKind};

const SCHEMA: &str = "message model {
    required binary site (STRING);
    required int32 revision;
    required binary learnt_at (STRING);
    required binary reason (STRING);
    required int64 pages;
    required int64 templates;
    required int32 format;
    required binary engine (STRING);
    optional binary weights (STRING);
    required binary settings (STRING);
    optional binary health (STRING);
    required binary blob;
}";
/// Bytes of models at which a row group ends: it is held in memory until then.
const GROUP: usize = 16 << 20;

/// Writes the revisions of the models of some sites, or of all if none is named, that were learnt in the night `since`
/// (`YYYY-MM-DD`) or later; all, if that is empty. Returns how many.
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
    let mut revisions = 0;
    for site in &keys {
        for model in store.models(site)?.into_iter().filter(|model| *model.head.night >= *since) {
            table.push(model)?;
            revisions += 1;
        }
    }
    table.finish()?;
    Ok(revisions)
}

/// What became of the revisions of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Revisions that were added.
    pub added: usize,
    /// Revisions that the store had.
    pub known: usize,
}

/// Adds the revisions of tables to a store, under their numbers.
///
/// # Errors
/// If a table cannot be read, is something else or damaged, or has other bytes than the store under the number of a
/// revision. The store is then as it was.
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

/// Checks that a row says what its model is.
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
    file: SerializedFileWriter<CheckedWriter>,
    rows: Vec<ModelRow>,
    bytes: usize,
}

impl ModelsTableWriter {
    /// Starts the table at `path`, and the folder it is in.
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
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let file = CheckedWriter::new(AtomicFile::create(path)?);
        let file = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
        Ok(Self { path: path.to_owned(), file, rows: Vec::new(), bytes: 0 })
    }

    fn push(&mut self, model: ModelRow) -> Result<()> {
        self.bytes += model.blob.len();
        self.rows.push(model);
        if self.bytes >= GROUP { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        self.bytes = 0;
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        write_group(&mut group, &rows)
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        group.close()?;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.write()?;
        checked_file::finish(self.file)
    }
}

fn write_group(
    group: &mut SerializedRowGroupWriter<'_, CheckedWriter>,
    rows: &[ModelRow],
) -> Result<()> {
    type Text = fn(&ModelRow) -> Option<&[u8]>;
    let texts: [Text; 8] = [
        |row| Some(row.site.as_bytes()),
        |row| Some(row.head.night.as_bytes()),
        |row| Some(row.head.reason.as_bytes()),
        |row| Some(row.head.engine.as_bytes()),
        |row| row.head.weights.as_ref().map(String::as_bytes),
        |row| Some(row.settings.as_bytes()),
        |row| row.health.as_ref().map(String::as_bytes),
        |row| Some(&row.blob),
    ];
    let mut texts = texts.into_iter();
    let longs: [fn(&ModelRow) -> u64; 2] = [|row| row.head.pages, |row| row.head.templates];
    let mut longs = longs.into_iter();
    let ints: [fn(&ModelRow) -> u32; 2] = [|row| row.head.revision, |row| row.head.format];
    let mut ints = ints.into_iter();
    while let Some(mut column) = group.next_column()? {
        match column.untyped() {
            parquet::column::writer::ColumnWriter::Int32ColumnWriter(_) => {
                let of = ints.next().context("a column too many")?;
                let values: Vec<i32> = rows.iter().map(|row| of(row).cast_signed()).collect();
                column.typed::<Int32Type>().write_batch(&values, None, None)?;
            }
            parquet::column::writer::ColumnWriter::Int64ColumnWriter(_) => {
                let of = longs.next().context("a column too many")?;
                let values: Vec<i64> = rows.iter().map(|row| of(row).cast_signed()).collect();
                column.typed::<Int64Type>().write_batch(&values, None, None)?;
            }
            _ => {
                let of = texts.next().context("a column too many")?;
                let levels: Vec<i16> =
                    rows.iter().map(|row| i16::from(of(row).is_some())).collect();
                let values: Vec<ByteArray> = rows
                    .iter()
                    .filter_map(|row| of(row).map(|bytes| bytes.to_vec().into()))
                    .collect();
                column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
            }
        }
        column.close()?;
    }
    Ok(())
}

/// Reads the rows of a table, of any program that keeps its columns.
fn each(path: &Path, take: &mut dyn FnMut(ModelRow) -> Result<()>) -> Result<()> {
    contain_panics(|| read_rows(path, take))
        .with_context(|| format!("{} is damaged", path.display()))?
}

fn read_rows(path: &Path, take: &mut dyn FnMut(ModelRow) -> Result<()>) -> Result<()> {
    let checked = CheckedFile::open(path).with_context(|| no_table(path))?;
    let Some(file) = checked else {
        // Another program wrote it.
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let reader = SerializedFileReader::new(file).with_context(|| no_table(path))?;
        return each_row(&reader, path, take);
    };
    let reader = SerializedFileReader::new(file).with_context(|| no_table(path))?;
    each_row(&reader, path, take)
}

fn no_table(path: &Path) -> String {
    format!("{} is not a table of models (`sitegrove models export` writes them)", path.display())
}

fn each_row(
    reader: &dyn FileReader,
    path: &Path,
    take: &mut dyn FnMut(ModelRow) -> Result<()>,
) -> Result<()> {
    for row in reader.get_row_iter(None)? {
        let row = row.with_context(|| format!("{} is damaged", path.display()))?;
        take(model_of(&row).with_context(|| no_table(path))?)?;
    }
    Ok(())
}

fn model_of(row: &Row) -> Result<ModelRow> {
    let field = |name: &str| {
        let found = row.get_column_iter().find(|(own, _)| *own == name).map(|(_, field)| field);
        found.with_context(|| format!("no column `{name}`"))
    };
    let optional = |name: &str| match field(name)? {
        Field::Str(text) => Ok(Some(text.clone())),
        Field::Null => Ok(None),
        other => bail!("`{name}` is {other}"),
    };
    let text = |name: &str| optional(name)?.ok_or_else(|| anyhow!("`{name}` is null"));
    let number = |name: &str| -> Result<u64> {
        let number = match field(name)? {
            Field::Int(number) => i64::from(*number),
            Field::Long(number) => *number,
            other => bail!("`{name}` is {other}"),
        };
        u64::try_from(number).with_context(|| format!("`{name}` is {number}"))
    };
    let short = |name: &str| Ok::<_, anyhow::Error>(u32::try_from(number(name)?)?);
    let Field::Bytes(blob) = field("blob")? else { bail!("`blob` is not binary") };
    let blob = blob.data().to_vec();
    let head = RevisionRow {
        revision: short("revision")?,
        night: text("learnt_at")?,
        reason: text("reason")?,
        pages: number("pages")?,
        templates: number("templates")?,
        format: short("format")?,
        engine: text("engine")?,
        weights: optional("weights")?,
        bytes: blob.len() as u64,
    };
    let (site, settings, health) = (text("site")?, text("settings")?, optional("health")?);
    Ok(ModelRow { site, head, settings, health, blob })
}
