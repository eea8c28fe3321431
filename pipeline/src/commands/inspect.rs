//! `sitegrove inspect`: what a run made of a site, and why, as one HTML page.

mod document;
mod evidence;
mod html;
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

/// Arguments of `sitegrove inspect`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove inspect out/tonight harbour-gazette.example
  sitegrove inspect out/tonight harbour-gazette.example --out gazette.html --pages 10
  sitegrove inspect out/tonight blog.example --config my.toml

Reads the pages of the site again from the inputs that the run's ledger names. Where they are gone,
shows what the run folder holds.")]
pub struct InspectArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    pub run: PathBuf,
    /// Key of the site (registrable domain, as in wrappers/), a host or an address of it
    pub site: String,
    /// Where to write; - for standard output [default: RUN_DIR/inspect/SITE.html]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Sample pages shown of each layout
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub pages: usize,
    /// The configuration the run was made with, if not the defaults
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Looks at a site of a run and writes the page.
///
/// # Errors
/// If the run folder or the site is not there, or the page cannot be written; inputs that are gone
/// are no error, the page says so.
pub fn run(args: &InspectArgs, stop: &AtomicBool, out: &mut dyn Write) -> Result<()> {
    let records = records::Records::read(&args.run, &args.site)?;
    let settings = settings::settings_of(&records.ledger, args.config.as_deref())?;
    let reread = reread::reread(&records, &settings.config, stop)?;
    let view = look::look(&records, &settings, &reread, args.pages);
    for note in &view.notes {
        tracing::warn!("{note}");
    }
    let document = document::document(&view);
    if args.out.as_deref() == Some(Path::new("-")) {
        out.write_all(document.as_bytes())?;
        return Ok(());
    }
    let path = match &args.out {
        Some(path) => path.clone(),
        None => {
            let folder = args.run.join("inspect");
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot create the folder {}", folder.display()))?;
            folder.join(format!("{}.html", site_file_name(&records.site)))
        }
    };
    AtomicFile::write_whole(&path, document.as_bytes())?;
    writeln!(out, "{}", path.display())?;
    Ok(())
}
