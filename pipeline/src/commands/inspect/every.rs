//! Writes a page for every site of a run. The inputs are read once for all of them.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Result, bail};
use errors::Stopped;
use model::Site;
use rayon::prelude::*;
use report::SiteRecords;
use report::readable::{count, size};
use sink::AtomicFile;
use terminal::messages::LogFormat;
use terminal::observer::{Observer, Quiet};
use terminal::printed::Console;
use terminal::progress_bar::ProgressDisplay;

use super::records::{RunRecords, sites_of};
use super::relearn::RunSettings;
use super::reread::{Reread, RereadRun, addresses, reread_all};
use super::{InspectArgs, place, warn_of};
use crate::results::Results;

/// Writes the pages of all sites, then rebuilds the report with links to them.
pub(super) fn run(
    args: &InspectArgs,
    progress: Option<LogFormat>,
    stop: &AtomicBool,
    out: &mut Console<'_>,
) -> Result<()> {
    let results = Results::open(&args.run)?;
    let ledger = results.ledger();
    let settings = RunSettings::new(ledger)?;
    let all = RunRecords::find(&results, None)?;
    let progress = progress.map(|form| ProgressDisplay::new(form, "writing"));
    let observer: &dyn Observer = match &progress {
        Some(progress) => progress,
        None => &Quiet,
    };
    let RereadRun { sites, problems } =
        reread_all(ledger, &all.addresses(), &settings.config, stop, observer)?;
    let notes: Vec<String> = problems.iter().map(|(_, what)| what.clone()).collect();
    warn_of(&args.run, &notes);
    let mut again: BTreeMap<String, Site> =
        sites.into_iter().map(|site| (site.key.clone(), site)).collect();
    let named = sites_of(&results)?;
    let each: Vec<(String, Option<Site>)> =
        named.into_iter().map(|name| (name.clone(), again.remove(&name))).collect();
    let (pages, bytes) = (each.len(), AtomicU64::new(0));
    let of_site = |site: &Option<Site>| site.as_ref().map_or(0, |site| site.pages.len());
    observer.processing(pages, each.iter().map(|(_, site)| of_site(site)).sum());
    let done = each.into_par_iter().try_for_each(|(name, site)| -> Result<()> {
        if stop.load(Ordering::Relaxed) {
            bail!(Stopped::Empty);
        }
        let read = of_site(&site);
        let records = all.of_site(&name)?;
        let reread = Reread { problems: problems_of(&records, &problems), site, unread: 0 };
        let (page, _) = settings.page_of_site(&records, reread, args.pages)?;
        bytes.fetch_add(page.len() as u64, Ordering::Relaxed);
        AtomicFile::write_whole(&place(&args.run, &name)?, page.as_bytes())?;
        observer.site_done(&name, read);
        Ok(())
    });
    drop(progress);
    done?;
    let folder = report::pages_of(&args.run);
    let size = size(bytes.into_inner());
    writeln!(out, "{} in {} ({size})", count(pages, "page"), folder.display())?;
    if report::refresh(&args.run, ledger)? {
        writeln!(out, "{} links them", args.run.join(report::FILE).display())?;
    }
    Ok(())
}

/// The problems of inputs that concern a site: those with its pages, and feeds.
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
