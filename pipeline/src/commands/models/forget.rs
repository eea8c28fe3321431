//! `sitegrove models forget`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use errors::Problem;
use input::waiting::{NEVER_SET, waiting_for_databases};
use serde_json::json;
use terminal::format::PrintFormat;
use terminal::printed::{Console, line};

use super::open;

/// Arguments of `sitegrove models forget`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models forget models.sqlite blog.example")]
pub(super) struct ForgetArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Keys of sites
    #[arg(value_name = "SITE", required = true)]
    sites: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

pub(super) fn forget(args: &ForgetArgs, out: &mut Console<'_>) -> Result<()> {
    let store = open(&args.models)?;
    for site in &args.sites {
        if !store.forget(site)? {
            bail!(Problem::new(
                args.models.display(),
                format!("the site {site} is not in this model store; nothing was removed"),
                format!("`sitegrove models list {}` lists its sites", args.models.display()),
            ));
        }
        match args.format {
            PrintFormat::Json => out.json_line(&json!({ "site": site, "forgotten": true }))?,
            PrintFormat::Text => out.note(format_args!("{}: forgotten", line(site)))?,
        }
    }
    store.commit(u64::MAX, waiting_for_databases(&NEVER_SET))?;
    Ok(())
}
