//! `sitegrove models export` and `import`: models as a table in a Parquet file.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use modelstore::Store;
use report::readable::{count, grouped};
use serde_json::json;

use crate::commands::format::Format;
use crate::models_table::{self, Imported};
use crate::printed::{Console, line};
use crate::waiting::{NEVER_SET, waiting_for_databases};

/// Arguments of `sitegrove models export`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models export models.sqlite --out models.parquet
  sitegrove models export models.sqlite blog.example --out blog.parquet
  sitegrove models export models.sqlite --since 2026-10-05 \\
      --out tables/models/2026-10-05.parquet")]
pub(super) struct ExportArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Keys of sites [default: all]
    #[arg(value_name = "SITE")]
    sites: Vec<String>,
    /// The Parquet file to write: a row for each revision
    #[arg(long, short, value_name = "TABLE")]
    out: PathBuf,
    /// Only revisions that were learnt in this night or later, YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    since: Option<jiff::civil::Date>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Arguments of `sitegrove models import`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models import models.sqlite models.parquet
  sitegrove models import models.sqlite tables/models/*.parquet

Revisions keep their numbers. A revision that the store already has is skipped. If the store has a different revision under that number, nothing is imported.")]
pub(super) struct ImportArgs {
    /// The model store; made where there is none
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Tables that `sitegrove models export` wrote
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

pub(super) fn export(args: &ExportArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.models)?;
    let since = args.since.map(|date| date.to_string()).unwrap_or_default();
    let revisions = models_table::export(&store, &args.sites, &since, &args.out)?;
    let file = args.out.to_string_lossy();
    match args.format {
        Format::Json => out.json_line(&json!({ "revisions": revisions, "file": file }))?,
        Format::Text => {
            out.note(format_args!("{} in {}", count(revisions, "revision"), line(&file)))?
        }
    }
    Ok(())
}

pub(super) fn import(args: &ImportArgs, out: &mut Console<'_>) -> Result<()> {
    let waiting = waiting_for_databases(&NEVER_SET);
    let store = Store::open(&args.models, waiting)?;
    let Imported { added, known } = models_table::import(&store, &args.tables, waiting)?;
    match args.format {
        Format::Json => out.json_line(&json!({ "added": added, "known": known }))?,
        Format::Text => out.note(format_args!(
            "{} added, {} known already",
            count(added, "revision"),
            grouped(known as u64)
        ))?,
    }
    Ok(())
}
