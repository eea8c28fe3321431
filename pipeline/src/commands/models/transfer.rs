//! `sitegrove models export`, `import` and `forget`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use modelstore::{Exported, Revision, Store};
use serde_json::{Value, json};
use sitemodel::SiteModel;

use super::show::template_json;
use super::{open, revision};
use crate::printed::{Console, line};

/// What an exported revision looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// All of it, for `sitegrove models import`
    #[default]
    Model,
    /// Its wrappers with version and dates, as JSON
    Json,
}

/// Arguments of `sitegrove models export`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models export models.sqlite blog.example > blog.model
  sitegrove models export models.sqlite blog.example --revision 2 --format json")]
pub(super) struct ExportArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Key of the site
    site: String,
    /// Revision of its model [default: the newest]
    #[arg(long, value_name = "N")]
    revision: Option<u32>,
    /// What is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Arguments of `sitegrove models import`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models import models.sqlite blog.model")]
pub(super) struct ImportArgs {
    /// The model store; made where there is none
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Exported models
    #[arg(value_name = "MODEL", required = true)]
    files: Vec<PathBuf>,
}

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
}

/// The first bytes of an exported model.
const MAGIC: &[u8] = b"sitegrove model 1\n";

pub(super) fn export(args: &ExportArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::look(&args.models)?;
    let (row, model) = revision(&store, &args.site, args.revision)?;
    if args.format == Format::Json {
        let templates: Vec<Value> = model.templates().iter().map(template_json).collect();
        let own = json!({ "site": args.site, "model": row, "templates": templates });
        serde_json::to_writer_pretty(out.as_json(), &own)?;
        return Ok(writeln!(out)?);
    }
    let mut stdout = std::io::stdout();
    if stdout.is_terminal() {
        bail!("a model is no text: redirect the output to a file, or take --format json");
    }
    let head = model.head();
    let hex = |digest: &[u8; 32]| data_encoding::HEXLOWER.encode(digest);
    let exported = Exported {
        site: args.site.clone(),
        night: row.night,
        revision: Revision {
            number: row.revision,
            reason: row.reason,
            pages: row.pages,
            templates: row.templates,
            format: row.format,
            engine: row.engine,
            weights: head.weights.as_ref().map(hex),
            settings: hex(&head.settings),
            model: model.to_bytes(),
        },
    };
    out.flush()?;
    // Bytes, which the console would take for text.
    stdout.write_all(MAGIC)?;
    stdout.write_all(&rmp_serde::to_vec(&exported)?)?;
    Ok(stdout.flush()?)
}

pub(super) fn import(args: &ImportArgs, out: &mut Console<'_>) -> Result<()> {
    let read = |path: &PathBuf| -> Result<Exported> {
        let shown = path.display();
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            bail!("{shown} is no exported model (`sitegrove models export` makes them)");
        };
        let mut exported: Exported =
            rmp_serde::from_slice(rest).with_context(|| format!("{shown} is damaged"))?;
        let model = SiteModel::from_bytes(&exported.revision.model)
            .with_context(|| format!("the model in {shown}"))?;
        if model.site() != exported.site {
            bail!("{shown} says it is of {}, its model is of {}", exported.site, model.site());
        }
        exported.revision.reason = format!("imported: {}", exported.revision.reason);
        Ok(exported)
    };
    // All are read before any is added.
    let exported: Vec<Exported> = args.files.iter().map(read).collect::<Result<_>>()?;
    let store = match args.models.exists() {
        true => open(&args.models)?,
        false => Store::open(&args.models, &|| ())?,
    };
    for exported in &exported {
        let number = store.import(exported)?;
        writeln!(out, "{}: revision {number}", line(&exported.site))?;
    }
    store.commit(u64::MAX)?;
    Ok(())
}

pub(super) fn forget(args: &ForgetArgs, out: &mut Console<'_>) -> Result<()> {
    let store = open(&args.models)?;
    for site in &args.sites {
        if !store.forget(site)? {
            bail!("{} knows nothing of {site}; nothing was removed", args.models.display());
        }
        writeln!(out, "{}: forgotten", line(site))?;
    }
    store.commit(u64::MAX)?;
    Ok(())
}
