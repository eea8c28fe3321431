//! `sitegrove inspect`: an HTML page that shows what was learnt about a site, and why.

pub(super) mod reread;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use clap::Args;
use errors::{Problem, Stopped, mark_begun};
use model::Site;
use rayon::prelude::*;
use report::readable::{count, size};
use report::{SiteRecords, WhatDiffers};
use sink::{AtomicFile, make_folder, site_file_name};
use terminal::arguments::whole;
use terminal::command_line::CommandContext;
use terminal::progress_bar::Quiet;

use super::run::watched;
use crate::commands::inspect::reread::{RereadRun, RunRecords, RunSettings, addresses, reread_all};
use crate::output_paths::{CommandPaths, OutputKind};
use crate::results::Results;
use crate::run::RunRequest;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove inspect out/tonight harbour-gazette.example
  sitegrove inspect out/tonight harbour-gazette.example --out gazette.html \\
      --pages 10
  sitegrove inspect out/tonight --all

Reads the pages of the site again from the inputs that the ledger names. If an input is missing, shows what is in the run folder. The report of the run links the pages in RUN_DIR/report/sites.")]
pub(super) struct InspectArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// The site: its key (registrable domain, as in wrappers/), a host or an address
    site: Option<String>,
    /// Write a page for every site of the run to RUN_DIR/report/sites
    #[arg(long, conflicts_with_all = ["site", "out"])]
    all: bool,
    /// Output file; - for standard output [default: RUN_DIR/report/sites/SITE.html]
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Number of pages to show for each layout
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole::<usize>)]
    pages: usize,
}

/// Writes the page of one site of a run, or the pages of all. If a page is written to its default place, the
/// report of the run, if any, is rebuilt to link it. Missing inputs are no error: the page names them.
pub(super) fn run(args: &InspectArgs, with: CommandContext<'_, '_>) -> Result<()> {
    mark_begun();
    if args.all {
        return inspect_all(args, with);
    }
    let CommandContext { stop, out, .. } = with;
    paths_of(args).check()?;
    let results = Results::open(&args.run)?;
    let Some(named) = &args.site else { return Err(no_site_named(&args.run, &results)) };
    let site = results.find_site(named)?;
    let records = RunRecords::find(&results, Some(&site))?.of_site(&site)?;
    let settings = RunSettings::new(&records.ledger)?;
    let reread =
        reread::reread(&records, RunRequest { config: &settings.config, stop, observer: &Quiet })?;
    let (page, notes) = settings.page_of_site(&records, reread, args.pages)?;
    warn_of(&args.run, &notes);
    let path = match &args.out {
        Some(path) if path == Path::new("-") => {
            return Ok(out.as_html().write_all(page.as_bytes())?);
        }
        Some(path) => {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                make_folder(folder)?;
            }
            path.clone()
        }
        None => place(&args.run, &records.site)?,
    };
    AtomicFile::write_whole(&path, page.as_bytes())?;
    writeln!(out, "{}", path.display())?;
    if args.out.is_none() {
        report::refresh(&args.run, &records.ledger)?;
    }
    Ok(())
}

fn paths_of(args: &InspectArgs) -> CommandPaths {
    // Each argument is named, so that a new one with a path is not forgotten.
    let InspectArgs { run, out, site: _, all: _, pages: _ } = args;
    CommandPaths::default().reads_run("RUN_DIR", run).writes(
        "--out",
        out.as_deref().unwrap_or(Path::new("")),
        OutputKind::Html,
    )
}

const NOTES_PRINTED: usize = 3;

fn warn_of(run: &Path, notes: &[String]) {
    for note in notes.iter().take(NOTES_PRINTED) {
        tracing::warn!(at = %run.display(), "{}", decapitalised(note));
    }
    let more = notes.len().saturating_sub(NOTES_PRINTED);
    if more > 0 {
        tracing::warn!(at = %run.display(), "{}; the pages have all", count(more, "more such note"));
    }
}

/// Removes the capital letter and the full stop from a sentence, to use it in a message.
pub(super) fn decapitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect::<String>().trim_end_matches('.').to_owned()
}

const SITES_NAMED: usize = 5;

fn no_site_named(folder: &Path, run: &Results) -> anyhow::Error {
    let sites = match run.sites() {
        Ok(sites) => sites,
        Err(error) => return error,
    };
    let more = match sites.len().saturating_sub(SITES_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = sites[..sites.len().min(SITES_NAMED)].join(", ");
    let next = format!("name one of its sites ({named}{more}), or give --all for a page of each");
    Problem::new(folder.display(), "no site is named", next).into()
}

/// Returns the default path of a site's page; creates its folder.
fn place(run: &Path, site: &str) -> Result<PathBuf> {
    let folder = report::pages_of(run);
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    Ok(folder.join(format!("{}.html", site_file_name(site))))
}

/// Writes the pages of all sites, then rebuilds the report with links to them.
fn inspect_all(args: &InspectArgs, with: CommandContext<'_, '_>) -> Result<()> {
    let results = Results::open(&args.run)?;
    let ledger = results.ledger();
    let settings = RunSettings::new(ledger)?;
    let all = RunRecords::find(&results, None)?;
    let bytes = AtomicU64::new(0);
    let pages = watched(&with, "writing", &settings.config, |request| {
        let RereadRun { sites, problems } = reread_all(ledger, &all.addresses(), request)?;
        let notes: Vec<String> = problems.iter().map(|(_, what)| what.clone()).collect();
        warn_of(&args.run, &notes);
        let mut again: BTreeMap<String, Site> =
            sites.into_iter().map(|site| (site.key.clone(), site)).collect();
        let named = results.sites()?;
        let each: Vec<(String, Option<Site>)> =
            named.into_iter().map(|name| (name.clone(), again.remove(&name))).collect();
        let pages = each.len();
        let of_site = |site: &Option<Site>| site.as_ref().map_or(0, |site| site.pages.len());
        request.observer.processing(pages, each.iter().map(|(_, site)| of_site(site)).sum());
        each.into_par_iter().try_for_each(|(name, site)| -> Result<()> {
            Stopped::check(request.stop)?;
            let read = of_site(&site);
            let records = all.of_site(&name)?;
            let inputs = problems_of(&records, &problems);
            let reread = (site, WhatDiffers { inputs, ..WhatDiffers::default() });
            let (page, _) = settings.page_of_site(&records, reread, args.pages)?;
            bytes.fetch_add(page.len() as u64, Ordering::Relaxed);
            AtomicFile::write_whole(&place(&args.run, &name)?, page.as_bytes())?;
            request.observer.site_done(&name, read);
            Ok(())
        })?;
        Ok(pages)
    })?;
    let folder = report::pages_of(&args.run);
    let size = size(bytes.into_inner());
    writeln!(with.out, "{} in {} ({size})", count(pages, "page"), folder.display())?;
    if report::refresh(&args.run, ledger)? {
        writeln!(with.out, "{} links them", args.run.join(report::FILE).display())?;
    }
    Ok(())
}

/// Returns the problems that concern a site: those of inputs with its pages, and of feeds.
fn problems_of(records: &SiteRecords, problems: &[(String, String)]) -> Vec<String> {
    if problems.is_empty() {
        return Vec::new();
    }
    let own = addresses(records);
    let feeds = |file: &str| {
        let mut inputs = records.ledger.inputs.iter();
        inputs.any(|input| input.file == file && input.records.contains_key("feed"))
    };
    let concerns = |file: &str| own.contains_key(file) || feeds(file);
    problems.iter().filter(|(file, _)| concerns(file)).map(|(_, what)| what.clone()).collect()
}
