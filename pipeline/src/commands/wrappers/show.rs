//! `sitegrove wrappers list` and `show`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::run_folder::{SiteFile, TemplateEntry, WrapperEntry, sites};
use crate::printed::line;

/// Arguments of `sitegrove wrappers list`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers list out/tonight")]
pub(super) struct ListArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
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
}

/// The layout with a wrapper that has the most pages.
fn best(site: &SiteFile) -> Option<(&TemplateEntry, &WrapperEntry)> {
    let learnt = site.templates.iter().filter_map(|t| Some((t, t.wrapper.as_ref()?)));
    // Of equal ones the first: they are in order.
    learnt.reduce(|best, next| if next.0.pages > best.0.pages { next } else { best })
}

pub(super) fn list(args: &ListArgs, out: &mut dyn Write) -> Result<()> {
    let sites = sites(&args.run, &[])?;
    writeln!(
        out,
        "{:<32} {:>7} {:>8} {:>10}  best wrapper",
        "site", "layouts", "wrappers", "confidence"
    )?;
    for site in &sites {
        let wrappers = site.templates.iter().filter(|t| t.wrapper.is_some()).count();
        let (confidence, shown) = match (best(site), site.site_configs.first()) {
            (_, Some(config)) if config.matched > 0 => {
                ("-".to_owned(), format!("{} (site config)", config.body.join("  or  ")))
            }
            (Some((_, best)), _) => (format!("{:.2}", best.confidence), best.content.join("  |  ")),
            (None, _) => ("-".to_owned(), "(none)".to_owned()),
        };
        let (name, layouts, shown) = (line(&site.site), site.templates.len(), line(&shown));
        writeln!(out, "{name:<32} {layouts:>7} {wrappers:>8} {confidence:>10}  {shown}")?;
    }
    Ok(())
}

pub(super) fn show(args: &ShowArgs, out: &mut dyn Write) -> Result<()> {
    for site in sites(&args.run, std::slice::from_ref(&args.site))? {
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
            writeln!(out, "\n{}: {}, {} pages", template.id, template.kind, template.pages)?;
            if let Some(wrapper) = &template.wrapper {
                let support = &wrapper.support;
                lines("content", &wrapper.content, out)?;
                lines("prune", &wrapper.prune, out)?;
                writeln!(
                    out,
                    "  {:<10} {} version {}, confidence {:.2}; learnt from {} pages, {} of {} held back agree",
                    "engine",
                    wrapper.engine,
                    wrapper.version,
                    wrapper.confidence,
                    support.learnt_from,
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
