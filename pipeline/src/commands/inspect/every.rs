//! Writes a page for every site of a run. The inputs are read once for all of them; of the run folder, only
//! the records of the current sites are in memory.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use model::Site;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use sink::{AtomicFile, site_file_name};

use super::document::document;
use super::look::look;
use super::records::{OfSite, Records, read_site, sites_of};
use super::reread::{Again, Reread, addresses, reread_all};
use super::settings::Settings;
use super::{InspectArgs, place, warn_of};
use crate::commands::progress::Progress;
use crate::lines::{self, Place};
use crate::memory::shown;
use crate::messages::LogFormat;
use crate::numerals::count;
use crate::printed::Console;
use crate::progress::observer::{Observer, Quiet};
use crate::report;
use crate::results::{LineFile, Results, unlike};
use crate::run::Stopped;

/// Writes the pages of all sites, then rebuilds the report with links to them.
///
/// # Errors
/// As [`super::run`].
pub(super) fn run(
    args: &InspectArgs,
    progress: Option<LogFormat>,
    stop: &AtomicBool,
    out: &mut Console<'_>,
) -> Result<()> {
    let results = Results::open(&args.run)?;
    let ledger = results.ledger();
    let settings = Settings::of_run(ledger)?;
    let articles = Index::read(results.articles()?)?;
    let drops = Index::read(results.dropped())?;
    let of_saved: BTreeMap<&str, &str> = (articles.addresses.iter().chain(&drops.addresses))
        .map(|(file, url)| (file.as_str(), url.as_str()))
        .collect();
    let progress = progress.map(|form| Progress::new(form, "writing"));
    let observer: &dyn Observer = match &progress {
        Some(progress) => progress,
        None => &Quiet,
    };
    let Again { sites, problems } =
        reread_all(ledger, &of_saved, &settings.config, stop, observer)?;
    let notes: Vec<String> = problems.iter().map(|(_, what)| what.clone()).collect();
    warn_of(&args.run, &notes);
    let mut again: BTreeMap<String, Site> =
        sites.into_iter().map(|site| (site.key.clone(), site)).collect();
    let named = sites_of(&results.wrappers())?;
    let each: Vec<(String, Option<Site>)> =
        named.into_iter().map(|name| (name.clone(), again.remove(&name))).collect();
    let (pages, size) = (each.len(), AtomicU64::new(0));
    let of_site = |site: &Option<Site>| site.as_ref().map_or(0, |site| site.pages.len());
    observer.processing(pages, each.iter().map(|(_, site)| of_site(site)).sum());
    let done = each.into_par_iter().try_for_each(|(name, site)| -> Result<()> {
        if stop.load(Ordering::Relaxed) {
            bail!(Stopped::Empty);
        }
        let read = of_site(&site);
        let records = records_of(&results, &name, &articles, &drops)?;
        let reread = Reread { problems: problems_of(&records, &problems), site, unread: 0 };
        let document = document(&look(&records, &settings, &reread, args.pages));
        size.fetch_add(document.len() as u64, Ordering::Relaxed);
        AtomicFile::write_whole(&place(&args.run, &name)?, document.as_bytes())?;
        observer.site_done(&name, read);
        Ok(())
    });
    drop(progress);
    done?;
    let folder = report::pages_of(&args.run);
    let size = shown(size.into_inner());
    writeln!(out, "{} in {} ({size})", count(pages, "page"), folder.display())?;
    if report::refresh(&args.run, ledger)? {
        writeln!(out, "{} links them", args.run.join(report::FILE).display())?;
    }
    Ok(())
}

fn records_of(run: &Results, site: &str, articles: &Index, drops: &Index) -> Result<Records> {
    let path = run.wrappers().join(format!("{}.json", site_file_name(site)));
    let (site, templates) = read_site(&path)?;
    let (articles, drops) = (articles.lines(&site)?, drops.lines(&site)?);
    Ok(Records { ledger: Arc::clone(run.ledger()), templates, articles, drops, site })
}

/// The problems of inputs that concern a site: those with its pages, and feeds.
fn problems_of(records: &Records, problems: &[(String, String)]) -> Vec<String> {
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

/// The places of each site's lines in a file.
struct Index {
    file: LineFile,
    places: BTreeMap<String, Vec<Place>>,
    /// For each input file, the address of a page in it.
    addresses: BTreeMap<String, String>,
}

impl Index {
    fn read(file: LineFile) -> Result<Self> {
        let (mut places, mut addresses) = (BTreeMap::<String, Vec<Place>>::new(), BTreeMap::new());
        let mut number = 0;
        let read = lines::each(file.path(), |place, line| -> Result<()> {
            number += 1;
            let of: OfSite =
                serde_json::from_slice(line).with_context(|| unlike(file.path(), number))?;
            let places = places.entry(of.key()).or_default();
            if !places.last_mut().is_some_and(|last| last.join(&place)) {
                places.push(place);
            }
            addresses.entry(of.origin.file.to_string()).or_insert(of.url);
            Ok(())
        });
        read.with_context(|| format!("cannot read {}", file.path().display()))?;
        Ok(Self { file, places, addresses })
    }

    /// The lines of a site.
    fn lines<T: DeserializeOwned>(&self, site: &str) -> Result<Vec<T>> {
        let shown = self.file.path().display();
        let mut found = Vec::new();
        for place in self.places.get(site).into_iter().flatten() {
            let text = lines::at(self.file.path(), place)
                .with_context(|| format!("cannot read {shown}"))?;
            for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                found.push(serde_json::from_slice(line).with_context(|| {
                    format!("{shown}: a line is not in the format of this version of sitegrove")
                })?);
            }
        }
        Ok(found)
    }
}
