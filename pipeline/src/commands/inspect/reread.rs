//! Reads the pages of a site again from the inputs of its run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
use config::Config;
use config::files::address_of;
use errors::Stopped;
use grouping::site_key;
use input::Input;
use input::read::{Intake, PayloadDigest, read};
use input::selecting::{LeftOut, Selecting};
use input::waiting::is_stream;
use model::Site;
use percent_encoding::percent_decode_str;
use rayon::prelude::*;
use report::SiteRecords;
use segment::group::group;
use sink::{InputRecord, Ledger};
use terminal::observer::{Observer, Quiet};

/// The result of reading again.
pub(super) struct Reread {
    /// The site as in the run, if any of its pages is still available.
    pub(super) site: Option<Site>,
    /// Missing and changed inputs, one sentence each.
    pub(super) problems: Vec<String>,
    /// Archives without a page of the site, which were not read; their feed items are missing.
    pub(super) unread: usize,
}

/// Reads the inputs with pages of the site, and all feeds. Needs little more memory than the site itself:
/// other pages are not kept.
pub(super) fn reread(records: &SiteRecords, config: &Config, stop: &AtomicBool) -> Result<Reread> {
    let addresses = addresses(records);
    // The original of a revisit may be in any archive.
    let all = records.ledger.inputs.iter().any(|input| input.records.contains_key("revisit"));
    let mut unread = 0;
    let wanted: Vec<(&InputRecord, Input)> = (records.ledger.inputs.iter())
        .filter_map(|input| {
            let found = input_of(input, &addresses, all);
            let of_pages = input.records.contains_key("page");
            unread += usize::from(found.is_none() && !of_pages);
            Some((input, found?))
        })
        .collect();
    let again = read_wanted(&wanted, Some(&records.site), config, stop, &Quiet)?;
    let mut problems: Vec<String> = again.problems.into_iter().map(|(_, what)| what).collect();
    let named = records.ledger.inputs.iter().map(|i| i.file.as_str()).collect::<BTreeSet<_>>();
    let strange = addresses.keys().filter(|file| !named.contains(**file));
    problems.extend(strange.map(|file| format!("The ledger does not name the input {file}.")));
    let site = again.sites.into_iter().find(|site| site.key == records.site);
    Ok(Reread { site, problems, unread })
}

/// All inputs of a run, read again.
pub(super) struct RereadRun {
    pub(super) sites: Vec<Site>,
    /// Missing and changed inputs, each with a sentence.
    pub(super) problems: Vec<(String, String)>,
}

/// Reads all inputs of a run. `addresses` has the address of each saved page. Needs as much memory for pages
/// as the run.
pub(super) fn reread_all(
    ledger: &Ledger,
    addresses: &BTreeMap<&str, &str>,
    config: &Config,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<RereadRun> {
    let inputs = ledger.inputs.iter();
    let wanted: Vec<_> =
        inputs.filter_map(|input| Some((input, input_of(input, addresses, true)?))).collect();
    read_wanted(&wanted, None, config, stop, observer)
}

/// Reads inputs; if a site is given, keeps only what may concern it.
fn read_wanted(
    wanted: &[(&InputRecord, Input)],
    site: Option<&str>,
    config: &Config,
    stop: &AtomicBool,
    observer: &dyn Observer,
) -> Result<RereadRun> {
    observer.reading(wanted.len(), wanted.iter().map(|(record, _)| record.bytes).sum());
    let one = |(record, input): &(&InputRecord, Input)| {
        let found = read_again(record, input, site, config, stop);
        observer.read(record.bytes);
        found
    };
    let results: Vec<OfInput> = wanted.par_iter().map(one).collect();
    if stop.load(Ordering::Relaxed) {
        bail!(Stopped::Empty);
    }
    let (mut intakes, mut problems) = (Vec::new(), Vec::new());
    for ((record, _), of_input) in wanted.iter().zip(results) {
        intakes.extend(of_input.intakes);
        problems.extend(of_input.problem.map(|what| (record.file.clone(), what)));
    }
    Ok(RereadRun { sites: group(intakes, &config.group)?.sites, problems })
}

/// The results of an input that may concern the site.
#[derive(Default)]
struct OfInput {
    intakes: Vec<(Intake, PayloadDigest)>,
    problem: Option<String>,
}

fn read_again(
    record: &InputRecord,
    input: &Input,
    site: Option<&str>,
    config: &Config,
    stop: &AtomicBool,
) -> OfInput {
    let file = &record.file;
    let mut found = OfInput::default();
    if input.is_stdin() {
        found.problem =
            Some("An input was the standard input, which cannot be read again.".to_owned());
        return found;
    }
    if address_of(input.path()).is_none() && !input.path().exists() {
        let place = match input.path().is_relative() {
            true => " in the current folder, where its path begins",
            false => "",
        };
        found.problem = Some(format!("The input {file} does not exist{place}."));
        return found;
    }
    if is_stream(input.path()) {
        found.problem =
            Some(format!("The input {file} is not a regular file and cannot be read again."));
        return found;
    }
    // The run may have taken some of its pages only.
    let Some(selecting) = Selecting::again(record) else { return found };
    let mut left_out = LeftOut::default();
    let intakes = &mut found.intakes;
    let mut take = |intake: Intake, digest: PayloadDigest| {
        let Some(intake) = selecting.admit(intake, &mut left_out) else { return };
        if site.is_none_or(|site| may_matter(&intake, site)) {
            intakes.push((intake, digest));
        }
    };
    match read(input, &config.read, &|_| {}, stop, &mut take) {
        Err(error) => found.problem = Some(format!("{error}.")),
        Ok(now) => {
            if now.sha256 != record.sha256 {
                found.problem = Some(format!(
                    "The input {file} has changed since the run ({} bytes, then {}): pages of it may \
                     not be what they were.",
                    now.bytes, record.bytes
                ));
            }
        }
    }
    found
}

/// For each file with pages of the site, the address of one of them.
pub(super) fn addresses(records: &SiteRecords) -> BTreeMap<&str, &str> {
    let of_articles = records.articles.iter().map(|a| (&a.origin, &*a.url));
    let of_drops = records.drops.iter().map(|d| (&*d.origin, &*d.url));
    of_articles.chain(of_drops).map(|(origin, url)| (&*origin.file, url)).collect()
}

/// The input as in the run; `None` for archives without a page of the site, unless all are wanted.
fn input_of(
    record: &InputRecord,
    addresses: &BTreeMap<&str, &str>,
    all_archives: bool,
) -> Option<Input> {
    let path = PathBuf::from(&record.file);
    if record.records.contains_key("feed") {
        return Some(Input::Feed(path));
    }
    let address = addresses.get(record.file.as_str());
    if !record.records.contains_key("page") {
        return (all_archives || address.is_some()).then_some(Input::Archive(path));
    }
    let address = address?;
    let (folder, name) = place_of_file(address, &path);
    Some(Input::Html { path, name, folder })
}

/// Folder and name of a saved page, from its address; irrelevant if it has a canonical address.
fn place_of_file(address: &str, path: &Path) -> (String, String) {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let rest = address.strip_prefix("file:///");
    if let Some((folder, name)) = rest.and_then(|rest| rest.split_once('/')) {
        return (decoded(folder), decoded(name));
    }
    let text = |part: Option<&std::ffi::OsStr>| {
        part.map_or_else(String::new, |part| part.to_string_lossy().into_owned())
    };
    (text(path.parent().and_then(Path::file_name)).to_lowercase(), text(path.file_name()))
}

/// Whether something may concern the site.
fn may_matter(intake: &Intake, site: &str) -> bool {
    match intake {
        // The addresses of saved files are determined later.
        Intake::Page(page) => {
            page.url.starts_with("file:") || site_key(&page.url).is_some_and(|own| own == site)
        }
        Intake::Revisit(revisit) => site_key(&revisit.url).is_some_and(|own| own == site),
        Intake::Drop(_) => false,
        _ => true,
    }
}
