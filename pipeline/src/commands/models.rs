//! `sitegrove models`: the models that runs keep from night to night, looked at, compared, moved and forgotten.

mod check;
mod diff;
mod forget;
mod show;
mod transfer;

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use errors::Problem;
use input::waiting::{NEVER_SET, waiting_for_databases};
use modelstore::{RevisionRow, Store};
use sitemodel::SiteModel;
use terminal::printed::Console;

/// Arguments of `sitegrove models`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models list models.sqlite
  sitegrove models history models.sqlite blog.example
  sitegrove models diff models.sqlite blog.example --from 1 --to 2
  sitegrove models export models.sqlite --out models.parquet
  sitegrove models check models.sqlite

The file is made by `sitegrove run … --models FILE` (docs/NIGHTLY.md).")]
pub struct ModelsArgs {
    #[command(subcommand)]
    command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// List the sites, with the revision and health of each model
    List(show::ModelsListArgs),
    /// Show the templates of a site's model, with their wrappers
    Show(show::ModelsShowArgs),
    /// Show the revisions of a site's model, and the decision of each run with its reason
    History(show::ModelsHistoryArgs),
    /// Compare two revisions of a site's model
    Diff(diff::DiffArgs),
    /// Check that the file is intact and that all models and retained pages can be read
    Check(check::ModelsCheckArgs),
    /// Export revisions of models to a Parquet file
    Export(transfer::ModelsExportArgs),
    /// Import models from Parquet files that export wrote
    Import(transfer::ImportArgs),
    /// Remove sites and everything that is stored about them
    Forget(forget::ForgetArgs),
}

/// Runs the command. Returns whether all was well: `check` found no fault, `diff` found no difference.
///
/// # Errors
/// If the store cannot be read or written, or has no such site or revision.
pub fn run(args: &ModelsArgs, out: &mut Console<'_>) -> Result<bool> {
    match &args.command {
        ModelsCommand::List(args) => show::list(args, out).map(|()| true),
        ModelsCommand::Show(args) => show::show(args, out).map(|()| true),
        ModelsCommand::History(args) => show::history(args, out).map(|()| true),
        ModelsCommand::Diff(args) => diff::run(args, out),
        ModelsCommand::Check(args) => check::run(args, out),
        ModelsCommand::Export(args) => transfer::export(args, out).map(|()| true),
        ModelsCommand::Import(args) => transfer::import(args, out).map(|()| true),
        ModelsCommand::Forget(args) => forget::forget(args, out).map(|()| true),
    }
}

/// Opens a store to change it.
fn open(path: &Path) -> Result<Store> {
    if !path.is_file() {
        bail!(Problem::new(
            path.display(),
            "there is no model store",
            "`sitegrove run … --models FILE` makes one",
        ));
    }
    Ok(Store::open(path, waiting_for_databases(&NEVER_SET))?)
}

/// A revision of a site's model, the newest where none is named, with what the store says of it.
fn revision(store: &Store, site: &str, number: Option<u32>) -> Result<(RevisionRow, SiteModel)> {
    let revisions = store.revisions(site)?;
    let row = match number {
        Some(number) => revisions.into_iter().find(|row| row.revision == number),
        None => revisions.into_iter().next_back(),
    };
    let shown = store.path().display();
    let Some(row) = row else {
        match number {
            Some(number) => bail!("{shown} has no revision {number} of a model of {site}"),
            None => bail!(Problem::new(
                &shown,
                format!("there is no model of {site}"),
                format!("`sitegrove models list {shown}` lists its sites"),
            )),
        }
    };
    let bytes = store.model(site, Some(row.revision))?.unwrap_or_default();
    let model = SiteModel::from_bytes(&bytes)
        .with_context(|| format!("{shown}: revision {} of {site}", row.revision))?;
    Ok((row, model))
}
