//! `sitegrove models check`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use modelstore::Store;
use serde_json::json;
use sitemodel::SiteModel;

use crate::commands::format::Format;
use crate::config::Config;
use crate::printed::{Console, line};

/// Arguments of `sitegrove models check`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models check models.sqlite
  sitegrove models check models.sqlite --config configs/nightly.toml

Exit codes: 0 all can be read, 1 something cannot, 2 the file is not a model store, or is damaged.")]
pub(super) struct CheckArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Settings that the newest models are compared with [default: the defaults]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Reads everything; returns whether all of it can be.
pub(super) fn run(args: &CheckArgs, out: &mut Console<'_>) -> Result<bool> {
    let settings = Config::load(args.config.as_deref())?.settings();
    let store = Store::open_read_only(&args.models)?;
    store.check()?;
    let (mut models, mut pages, mut faults, mut outdated) = (0_u64, 0_u64, 0_u64, 0_u64);
    for site in store.sites()? {
        let mut fault = |what: String| {
            faults += 1;
            match args.format {
                Format::Json => out.json_line(&json!({ "site": site.site, "fault": what })),
                Format::Text => writeln!(out, "{}: {}", line(&site.site), line(&what)),
            }
        };
        for row in store.revisions(&site.site)? {
            models += 1;
            let bytes = store.model(&site.site, Some(row.revision));
            let bytes = bytes.map_err(|error| error.to_string()).map(Option::unwrap_or_default);
            let read = bytes
                .and_then(|bytes| SiteModel::from_bytes(&bytes).map_err(|error| error.to_string()));
            match read {
                Err(what) => fault(format!("revision {}: {what}", row.revision))?,
                Ok(model) if row.revision == site.revision => {
                    outdated += u64::from(model.fits(&settings).is_err());
                }
                Ok(_) => {}
            }
        }
        match store.sample(&site.site) {
            Ok(sample) => pages += sample.len() as u64,
            Err(error) => fault(error.to_string())?,
        }
    }
    if args.format == Format::Json {
        out.json_line(&json!({
            "models": models,
            "retained_pages": pages,
            "faults": faults,
            "outdated_sites": outdated,
        }))?;
        return Ok(faults == 0);
    }
    writeln!(
        out,
        "{models} models and {pages} retained pages read, {faults} faults; {outdated} sites have a model of \
         other settings or weights, which the next run learns again"
    )?;
    Ok(faults == 0)
}
