//! `sitegrove models list`, `show` and `history`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use modelstore::Store;
use report::readable::{count, size};
use serde_json::{Value, json};
use sitemodel::Template;

use super::revision;
use crate::commands::format::Format;
use crate::commands::whole_number::whole;
use crate::error_chain::Problem;
use crate::printed::{Console, line};

/// Arguments of `sitegrove models list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models list models.sqlite
  sitegrove models list models.sqlite --format json")]
pub(super) struct ListArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Arguments of `sitegrove models show`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models show models.sqlite blog.example
  sitegrove models show models.sqlite blog.example --revision 3 --format json")]
pub(super) struct ShowArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Key of the site
    site: String,
    /// Revision of its model [default: the newest]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    revision: Option<u32>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Arguments of `sitegrove models history`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models history models.sqlite blog.example")]
pub(super) struct HistoryArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Key of the site
    site: String,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

fn date(night: &str) -> &str {
    if night.is_empty() { "no date" } else { night }
}

pub(super) fn list(args: &ListArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.models)?;
    let sites = store.sites()?;
    if args.format == Format::Json {
        return Ok(sites.iter().try_for_each(|site| out.json_line(site))?);
    }
    writeln!(
        out,
        "{:<32} {:>8}  {:<13} {:<10}  {:<10} {:>8} {:>9}",
        "site", "revision", "health", "first seen", "last seen", "retained", "bytes"
    )?;
    for site in &sites {
        writeln!(
            out,
            "{:<32} {:>8}  {:<13} {:<10}  {:<10} {:>8} {:>9}",
            line(&site.site),
            site.revision,
            line(&site.verdict),
            line(date(&site.first_seen)),
            line(date(&site.last_seen)),
            site.retained,
            site.bytes
        )?;
    }
    let summary = store.summary()?;
    writeln!(
        out,
        "\n{}, {} in {}, {} in {}, {}",
        count(summary.sites as usize, "site"),
        count(summary.revisions as usize, "revision"),
        size(summary.model_bytes),
        count(summary.retained as usize, "retained page"),
        size(summary.sample_bytes),
        count(summary.runs as usize, "run")
    )?;
    Ok(())
}

/// A template as JSON.
pub(super) fn template_json(template: &Template) -> Value {
    json!({
        "template": template.id,
        "kind": template.kind.as_str(),
        "pages": template.pages,
        "examples": template.examples,
        "wrapper": template.wrapper().map(|wrapper| json!({
            "version": wrapper.version,
            "content": wrapper.content,
            "prune": wrapper.prune,
            "confidence": wrapper.confidence,
        })),
    })
}

pub(super) fn show(args: &ShowArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.models)?;
    let (row, model) = revision(&store, &args.site, args.revision)?;
    if args.format == Format::Json {
        let templates: Vec<Value> = model.templates().iter().map(template_json).collect();
        let own = json!({ "site": args.site, "model": row, "templates": templates });
        return Ok(out.json_line(&own)?);
    }
    writeln!(
        out,
        "{}: revision {} of {}, {} ({} pages, engine {})",
        line(&args.site),
        row.revision,
        line(date(&row.night)),
        line(&row.reason),
        row.pages,
        line(&row.engine)
    )?;
    for template in model.templates() {
        let (id, kind, pages) = (line(&template.id), template.kind.as_str(), template.pages);
        writeln!(out, "\n{id}: {kind}, learnt from {pages} pages")?;
        let Some(wrapper) = template.wrapper() else { continue };
        let (version, confidence) = (wrapper.version, wrapper.confidence);
        writeln!(out, "  wrapper version {version}, confidence {confidence:.2}")?;
        for expression in &wrapper.content {
            writeln!(out, "  content  {}", line(expression))?;
        }
        for expression in &wrapper.prune {
            writeln!(out, "  prune    {}", line(expression))?;
        }
    }
    Ok(())
}

pub(super) fn history(args: &HistoryArgs, out: &mut Console<'_>) -> Result<()> {
    let store = Store::open_read_only(&args.models)?;
    let (revisions, nights) = (store.revisions(&args.site)?, store.nights(&args.site)?);
    if revisions.is_empty() && nights.is_empty() {
        bail!(Problem::new(
            args.models.display(),
            format!("the site {} is not in this model store", args.site),
            format!("`sitegrove models list {}` lists its sites", args.models.display()),
        ));
    }
    if args.format == Format::Json {
        let own = json!({ "site": args.site, "revisions": revisions, "nights": nights });
        return Ok(out.json_line(&own)?);
    }
    writeln!(out, "revision  night       pages  templates  engine      why")?;
    for row in &revisions {
        writeln!(
            out,
            "{:>8}  {:<10}  {:>5}  {:>9}  {:<10}  {}",
            row.revision,
            line(date(&row.night)),
            row.pages,
            row.templates,
            line(&row.engine),
            line(&row.reason)
        )?;
    }
    writeln!(out, "\nnight       health         revision  pages  unassigned  decision")?;
    for row in &nights {
        writeln!(
            out,
            "{:<10}  {:<13}  {:>8}  {:>5}  {:>10}  {}: {}",
            line(date(&row.night)),
            line(&row.verdict),
            row.revision,
            row.pages,
            row.unassigned,
            line(&row.decision),
            line(&row.reason)
        )?;
    }
    Ok(())
}
