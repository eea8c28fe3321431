//! The pages of a site, read again from the inputs of its run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};
use model::Site;
use percent_encoding::percent_decode_str;
use rayon::prelude::*;

use super::records::{OriginLine, Records};
use crate::config::Config;
use crate::inputs::Input;
use crate::ledger::InputRecord;
use crate::run::Stopped;
use crate::stages::group::group;
use crate::stages::read::{Intake, read};
use crate::urls::site_of;

/// What could be read again.
pub(super) struct Reread {
    /// The site as the run saw it, if any of its pages is still there.
    pub(super) site: Option<Site>,
    /// Inputs that are gone or not what they were, one sentence each.
    pub(super) problems: Vec<String>,
    /// Archives without a page of the site, which were not read: their feeds are not known.
    pub(super) unread: usize,
}

/// Reads the inputs that hold pages of the site, and all feeds. Takes the time and little more memory
/// than the site itself: pages of others are let go as they come.
///
/// # Errors
/// With [`Stopped`].
pub(super) fn reread(records: &Records, config: &Config, stop: &AtomicBool) -> Result<Reread> {
    let addresses = addresses(records);
    let mut unread = 0;
    let wanted: Vec<(&InputRecord, Input)> = (records.ledger.inputs.iter())
        .filter_map(|input| {
            let found = input_of(input, &addresses);
            let of_pages = input.records.contains_key("page");
            unread += usize::from(found.is_none() && !of_pages);
            Some((input, found?))
        })
        .collect();
    let results: Vec<(Vec<Intake>, Option<String>)> = wanted
        .par_iter()
        .map(|(record, input)| {
            let mut intakes = Vec::new();
            let mut sink = |intake: Intake| {
                if may_matter(&intake, &records.site) {
                    intakes.push(intake);
                }
            };
            let file = &record.file;
            let problem = if !input.path().exists() {
                Some(format!("The input {file} is gone."))
            } else {
                match read(input, &config.read, &|_| {}, stop, &mut sink) {
                    Err(error) => Some(format!("{error}.")),
                    Ok(now) if now.sha256 != record.sha256 => Some(format!(
                        "The input {file} has changed since the run ({} bytes, then {}): pages of it \
                         may not be what they were.",
                        now.bytes, record.bytes
                    )),
                    Ok(_) => None,
                }
            };
            (intakes, problem)
        })
        .collect();
    if stop.load(Ordering::Relaxed) {
        bail!(Stopped);
    }
    let (mut intakes, mut problems) = (Vec::new(), Vec::new());
    for (of_input, problem) in results {
        intakes.extend(of_input);
        problems.extend(problem);
    }
    let named = records.ledger.inputs.iter().map(|i| i.file.as_str()).collect::<BTreeSet<_>>();
    let strange = addresses.keys().filter(|file| !named.contains(**file));
    problems.extend(strange.map(|file| format!("The ledger does not name the input {file}.")));
    let sites = group(intakes, &config.group).sites;
    let site = sites.into_iter().find(|site| site.key == records.site);
    Ok(Reread { site, problems, unread })
}

/// Per file that holds pages of the site the address of one of them.
fn addresses(records: &Records) -> BTreeMap<&str, &str> {
    let of_articles = records.articles.iter().map(|a| (&a.origin, &a.url));
    let of_drops = records.drops.iter().map(|d| (&d.origin, &d.url));
    of_articles
        .chain(of_drops)
        .map(|(OriginLine { file, .. }, url)| (file.as_str(), url.as_str()))
        .collect()
}

/// The input as the run took it; `None` for archives without a page of the site.
fn input_of(record: &InputRecord, addresses: &BTreeMap<&str, &str>) -> Option<Input> {
    let path = PathBuf::from(&record.file);
    if record.records.contains_key("feed") {
        return Some(Input::Feed(path));
    }
    let address = addresses.get(record.file.as_str())?;
    if !record.records.contains_key("page") {
        return Some(Input::Archive(path));
    }
    let (folder, name) = place_of_file(address, &path);
    Some(Input::Html { path, name, folder })
}

/// Folder and name of a saved page, as its address has them. If it has another address (the canonical
/// one it names) they matter no more.
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

/// Whether what was read can have to do with the site.
fn may_matter(intake: &Intake, site: &str) -> bool {
    match intake {
        // Saved files get their address only later, from each other.
        Intake::Page(page) => {
            page.url.starts_with("file:") || site_of(&page.url).is_some_and(|own| own == site)
        }
        Intake::Drop(_) => false,
        _ => true,
    }
}
