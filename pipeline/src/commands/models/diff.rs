//! `sitegrove models diff`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use modelstore::Store;
use serde_json::json;
use sitemodel::{SiteModel, Template};

use super::revision;
use super::show::template_json;
use crate::commands::format::Format;
use crate::commands::whole_number::whole;
use crate::printed::{Console, line};

/// Arguments of `sitegrove models diff`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove models diff models.sqlite blog.example
  sitegrove models diff models.sqlite blog.example --from 1 --to 4 \\
      --format json

Exit codes: 0 no difference, 1 some, 2 could not compare.")]
pub(super) struct DiffArgs {
    /// The model store
    #[arg(value_name = "FILE")]
    models: PathBuf,
    /// Key of the site
    site: String,
    /// The older revision [default: the one before]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    from: Option<u32>,
    /// The newer revision [default: the newest]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    to: Option<u32>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

type Templates<'a> = BTreeMap<&'a str, &'a Template>;

fn templates(model: &SiteModel) -> Templates<'_> {
    model.templates().iter().map(|template| (&*template.id, template)).collect()
}

fn expressions(template: &Template) -> Vec<String> {
    let wrapper = template.wrapper();
    let content = wrapper.iter().flat_map(|w| w.content.iter().map(|x| format!("content  {x}")));
    let prune = wrapper.iter().flat_map(|w| w.prune.iter().map(|x| format!("prune    {x}")));
    content.chain(prune).collect()
}

/// Prints what differs; returns whether nothing does.
pub(super) fn run(args: &DiffArgs, out: &mut Console<'_>) -> Result<bool> {
    let store = Store::open_read_only(&args.models)?;
    let (new_row, new) = revision(&store, &args.site, args.to)?;
    let before = args.from.unwrap_or_else(|| new_row.revision.saturating_sub(1).max(1));
    let (old_row, old) = revision(&store, &args.site, Some(before))?;
    let (old, new) = (templates(&old), templates(&new));
    let ids: std::collections::BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let mut differences = 0;
    for id in ids {
        let (then, now) = (old.get(id), new.get(id));
        let what = match (then, now) {
            (None, _) => "added",
            (_, None) => "removed",
            (Some(then), Some(now)) if expressions(then) != expressions(now) => "changed",
            (Some(then), Some(now)) if then.pages != now.pages => "learnt from other pages",
            _ => continue,
        };
        differences += 1;
        if args.format == Format::Json {
            let own = json!({
                "site": args.site,
                "template": id,
                "difference": what,
                "from": then.map(|template| template_json(template)),
                "to": now.map(|template| template_json(template)),
            });
            out.json_line(&own)?;
            continue;
        }
        let pages = |of: Option<&&Template>| of.map_or(0, |template| template.pages);
        writeln!(out, "{}: {what} ({} → {} pages)", line(id), pages(then), pages(now))?;
        let lines = |of: Option<&&Template>| of.map_or(Vec::new(), |own| expressions(own));
        let (then, now) = (lines(then), lines(now));
        for gone in then.iter().filter(|own| !now.contains(own)) {
            writeln!(out, "  - {}", line(gone))?;
        }
        for new in now.iter().filter(|own| !then.contains(own)) {
            writeln!(out, "  + {}", line(new))?;
        }
    }
    if differences == 0 && args.format == Format::Text {
        let (from, to) = (old_row.revision, new_row.revision);
        writeln!(out, "revisions {from} and {to} of {} do not differ", line(&args.site))?;
    }
    Ok(differences == 0)
}
