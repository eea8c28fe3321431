//! `sitegrove models`: the models that runs keep from night to night, looked at, compared, moved and forgotten.

mod check;
mod diff;
mod show;
mod transfer;

use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use modelstore::{RevisionRow, Store};
use sitemodel::SiteModel;

use crate::printed::Console;

/// Arguments of `sitegrove models`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models list models.sqlite
  sitegrove models history models.sqlite blog.example
  sitegrove models diff models.sqlite blog.example --from 1 --to 2
  sitegrove models export models.sqlite blog.example --revision 2 > blog.model
  sitegrove models check models.sqlite

The file is made by `sitegrove run … --models FILE` (docs/NIGHTLY.md).")]
pub struct ModelsArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// All sites, each with the revision and health of its model
    List(show::ListArgs),
    /// The templates of a site's model, with their wrappers
    Show(show::ShowArgs),
    /// The revisions of a site's model, and its nights with what was decided and why
    History(show::HistoryArgs),
    /// What differs between two revisions of a site's model
    Diff(diff::DiffArgs),
    /// Check that the file is whole and all models and retained pages can be read
    Check(check::CheckArgs),
    /// Write one revision of a site's model to standard output
    Export(transfer::ExportArgs),
    /// Add exported models as the next revisions of their sites
    Import(transfer::ImportArgs),
    /// Remove all that is known of sites
    Forget(transfer::ForgetArgs),
}

/// Runs the command. Returns whether all was well: `check` found no fault, `diff` found no difference.
///
/// # Errors
/// If the store cannot be read or written, or has no such site or revision.
pub fn run(args: &ModelsArgs, out: &mut Console<'_>) -> Result<bool> {
    match &args.command {
        Command::List(args) => show::list(args, out).map(|()| true),
        Command::Show(args) => show::show(args, out).map(|()| true),
        Command::History(args) => show::history(args, out).map(|()| true),
        Command::Diff(args) => diff::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Export(args) => transfer::export(args, out).map(|()| true),
        Command::Import(args) => transfer::import(args, out).map(|()| true),
        Command::Forget(args) => transfer::forget(args, out).map(|()| true),
    }
}

/// Opens a store to change it.
fn open(path: &Path) -> Result<Store> {
    if !path.is_file() {
        bail!("there is no model store at {}", path.display());
    }
    let waiting = || tracing::warn!("a run writes to {}: waiting for it", path.display());
    Ok(Store::open(path, &waiting)?)
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
            None => {
                bail!("{shown} has no model of {site}; `sitegrove models list` shows its sites")
            }
        }
    };
    let bytes = store.model(site, Some(row.revision))?.unwrap_or_default();
    let model = SiteModel::from_bytes(&bytes)
        .with_context(|| format!("{shown}: revision {} of {site}", row.revision))?;
    Ok((row, model))
}
