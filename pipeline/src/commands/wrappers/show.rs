//! `sitegrove wrappers list` and `show`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use model::{SiteSummary, TemplateSummary, WrapperRecord};
use serde_json::{Value, json};

use super::run_folder::sites;
use crate::commands::format::Format;
use crate::printed::{Console, line};
use crate::shortened::{middle, width_of, wrapper_in};

/// Maximum columns of the name of a site.
const SITE_COLUMNS: usize = 32;

/// Arguments of `sitegrove wrappers list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers list out/tonight")]
pub(super) struct ListArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Arguments of `sitegrove wrappers show`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers show out/tonight blog.example")]
pub(super) struct ShowArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Key of the site, a host or an address of it
    site: String,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The layout with a wrapper that has the most pages.
fn best(site: &SiteSummary) -> Option<(&TemplateSummary, &WrapperRecord)> {
    let learnt = site.templates.iter().filter_map(|t| Some((t, t.wrapper.as_ref()?)));
    // Of equal ones the first: they are in order.
    learnt.reduce(|best, next| if next.0.pages > best.0.pages { next } else { best })
}

/// A site as JSON: as it is listed.
fn summary(site: &SiteSummary) -> Value {
    let wrappers = site.templates.iter().filter(|t| t.wrapper.is_some()).count();
    json!({
        "site": site.site,
        "templates": site.templates.len(),
        "wrappers": wrappers,
        "confidence": best(site).map(|(_, best)| best.confidence),
        "content": best(site).map(|(_, best)| &best.content),
        "site_configs": site.site_configs,
    })
}

pub(super) fn list(args: &ListArgs, out: &mut Console<'_>) -> Result<()> {
    let sites = sites(&args.run, &[])?;
    if args.format == Format::Json {
        return sites.iter().try_for_each(|site| Ok(out.json_line(&summary(site))?));
    }
    let most = SITE_COLUMNS.min(out.width() / 3).max(12);
    let columns = sites.iter().map(|site| width_of(&line(&site.site))).max().unwrap_or(0);
    let columns = columns.clamp(4, most);
    let rest = out.width().saturating_sub(columns + 2 + 9 + 2 + 8 + 2 + 10 + 2).max(12);
    writeln!(
        out,
        "{:<columns$}  {:>9}  {:>8}  {:>10}  best wrapper",
        "site", "templates", "wrappers", "confidence"
    )?;
    for site in &sites {
        let wrappers = site.templates.iter().filter(|t| t.wrapper.is_some()).count();
        let (confidence, shown) = match (best(site), site.site_configs.first()) {
            (_, Some(config)) if config.matched > 0 => {
                let mark = " (site config)";
                let room = rest.saturating_sub(mark.len());
                ("-".to_owned(), wrapper_in(room, &config.body) + mark)
            }
            (Some((_, best)), _) => {
                (format!("{:.2}", best.confidence), wrapper_in(rest, &best.content))
            }
            (None, _) => ("-".to_owned(), "(none)".to_owned()),
        };
        let (name, layouts) = (middle(&line(&site.site), columns), site.templates.len());
        let space = " ".repeat(columns - width_of(&name));
        writeln!(out, "{name}{space}  {layouts:>9}  {wrappers:>8}  {confidence:>10}  {shown}")?;
    }
    Ok(())
}

pub(super) fn show(args: &ShowArgs, out: &mut Console<'_>) -> Result<()> {
    for site in sites(&args.run, std::slice::from_ref(&args.site))? {
        if args.format == Format::Json {
            out.json_line(&site)?;
            continue;
        }
        writeln!(out, "{}", line(&site.site))?;
        for config in &site.site_configs {
            writeln!(
                out,
                "\nsite config for {}: {} of {} pages matched",
                line(&config.host),
                config.matched,
                config.pages
            )?;
            lines("body", &config.body, out)?;
        }
        for template in &site.templates {
            writeln!(
                out,
                "\n{}: {}, {} pages",
                template.id,
                template.kind.as_str(),
                template.pages
            )?;
            if let Some(wrapper) = &template.wrapper {
                let support = &wrapper.support;
                lines("content", &wrapper.content, out)?;
                lines("prune", &wrapper.prune, out)?;
                writeln!(
                    out,
                    "  {:<10} {} version {}, confidence {:.2}; learnt from {} pages, exact on {:.0} %; {} of {} held back agree",
                    "engine",
                    wrapper.engine,
                    wrapper.version,
                    wrapper.confidence,
                    support.learnt_from,
                    support.exact * 100.0,
                    support.held_back_agreeing,
                    support.held_back,
                )?;
            } else {
                writeln!(out, "  no wrapper")?;
            }
            lines("examples", &template.examples, out)?;
        }
    }
    Ok(())
}

fn lines(name: &str, values: &[String], out: &mut dyn Write) -> Result<()> {
    for (at, value) in values.iter().enumerate() {
        writeln!(out, "  {:<10} {}", if at == 0 { name } else { "" }, line(value))?;
    }
    Ok(())
}
