//! `sitegrove inspect`: what a run made of a site, and why, as one HTML page.

mod document;
mod every;
mod evidence;
mod labels;
mod look;
mod near;
mod reading;
mod records;
mod reread;
mod sample;
mod settings;
mod tables;
mod words;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use clap::Args;
use sink::{AtomicFile, site_file_name};

use crate::printed::Console;
use crate::report;

/// Arguments of `sitegrove inspect`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove inspect out/tonight harbour-gazette.example
  sitegrove inspect out/tonight harbour-gazette.example --out gazette.html --pages 10
  sitegrove inspect out/tonight blog.example --config my.toml
  sitegrove inspect out/tonight --all

Reads the pages of the site again from the inputs that the run's ledger names. Where they are gone,
shows what the run folder holds. Pages in RUN_DIR/report/sites are linked by the run's report.")]
pub struct InspectArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    pub run: PathBuf,
    /// Key of the site (registrable domain, as in wrappers/), a host or an address of it
    #[arg(required_unless_present = "all")]
    pub site: Option<String>,
    /// A page for every site of the run, in RUN_DIR/report/sites
    #[arg(long, conflicts_with_all = ["site", "out"])]
    pub all: bool,
    /// Where to write; - for standard output [default: RUN_DIR/report/sites/SITE.html]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Sample pages shown of each layout
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub pages: usize,
    /// The configuration the run was made with, if not the defaults
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Looks at a site of a run, or at all of them, and writes what there is to see. Pages at their usual
/// place are linked by the report, if the run has one: it is drawn again.
///
/// # Errors
/// If the run folder or the site is not there, or a page cannot be written; inputs that are gone are
/// no error, the page says so.
pub fn run(args: &InspectArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<()> {
    let Some(site) = args.site.as_deref() else { return every::run(args, stop, out) };
    let records = records::Records::read(&args.run, site)?;
    let settings = settings::settings_of(&records.ledger, args.config.as_deref())?;
    let reread = reread::reread(&records, &settings.config, stop)?;
    let view = look::look(&records, &settings, &reread, args.pages);
    for note in &view.notes {
        tracing::warn!("{note}");
    }
    let document = document::document(&view);
    match &args.out {
        Some(path) if path == Path::new("-") => out.as_html().write_all(document.as_bytes())?,
        Some(path) => {
            AtomicFile::write_whole(path, document.as_bytes())?;
            writeln!(out, "{}", path.display())?;
        }
        None => {
            let path = place(&args.run, &records.site)?;
            AtomicFile::write_whole(&path, document.as_bytes())?;
            writeln!(out, "{}", path.display())?;
            report::refresh(&args.run, &records.ledger)?;
        }
    }
    Ok(())
}

/// Where a site's page goes if nothing else is said; makes the folder.
fn place(run: &Path, site: &str) -> Result<PathBuf> {
    let folder = report::pages_of(run);
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    Ok(folder.join(format!("{}.html", site_file_name(site))))
}
