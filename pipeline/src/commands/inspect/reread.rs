//! Reads the records of the sites of a run, and reads their pages again from its inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use config::Config;
use config::files::address_of;
use config::memory::weight;
use errors::{Stopped, error_chain};
use grouping::site_key;
use input::Input;
use input::cdx::records_of;
use input::read::{Intake, PayloadDigest, read};
use input::selection::{LeftOut, Selecting};
use input::table::is_table;
use input::waiting::is_stream;
use model::{FeedItem, Site, SiteSummary};
use modelstore::Store;
use percent_encoding::percent_decode_str;
use rayon::prelude::*;
use report::{PagesAgain, SiteRecords, SiteView, TemplatePages, WhatDiffers};
use segment::group::group;
use sink::{InputRecord, Ledger};
use site::learn::{ParsedSite, sample};
use sitemodel::{NoMeter, Settings, SiblingPage, SiteModel};

use crate::results::{LineIndex, Results};
use crate::run::RunRequest;

/// The records of the sites of a run folder. Only the places of the lines of articles and drops are in memory, because
/// a run may have many.
pub(in crate::commands) struct RunRecords<'a> {
    run: &'a Results,
    articles: LineIndex,
    drops: LineIndex,
}

impl<'a> RunRecords<'a> {
    pub(in crate::commands) fn find(run: &'a Results, site: Option<&str>) -> Result<Self> {
        let articles = LineIndex::read(run.articles()?, site)?;
        Ok(Self { run, articles, drops: LineIndex::read(run.dropped(), site)? })
    }

    /// For each input file, the address of a page in it.
    pub(in crate::commands) fn addresses(&self) -> BTreeMap<&str, &str> {
        let all = self.articles.addresses.iter().chain(&self.drops.addresses);
        all.map(|(file, url)| (file.as_str(), url.as_str())).collect()
    }

    pub(in crate::commands) fn of_site(&self, site: &str) -> Result<SiteRecords> {
        let SiteSummary { site, templates, .. } = self.run.site_record(site)?;
        let (articles, drops) = (self.articles.lines(&site)?, self.drops.lines(&site)?);
        Ok(SiteRecords { ledger: Arc::clone(self.run.ledger()), templates, articles, drops, site })
    }
}

/// Reads the inputs with pages of the site, and all feeds. Needs little more memory than the site itself:
/// other pages are not kept. Returns the site as in the run, if any of its pages is still available, and how the inputs
/// differ.
pub(in crate::commands) fn reread(
    records: &SiteRecords,
    request: RunRequest<'_>,
) -> Result<(Option<Site>, WhatDiffers)> {
    let addresses = addresses(records);
    // The original of a revisit may be in any archive.
    let all = records.ledger.inputs.iter().any(|input| input.records.contains_key("revisit"));
    let mut differs = WhatDiffers::default();
    let wanted: Vec<(&InputRecord, Input)> = (records.ledger.inputs.iter())
        .filter_map(|input| {
            let found = input_of(input, &addresses, all);
            let of_pages = input.records.contains_key("page");
            differs.unread += usize::from(found.is_none() && !of_pages);
            Some((input, found?))
        })
        .collect();
    let again = read_wanted(&wanted, Some(&records.site), request)?;
    differs.inputs.extend(again.problems.into_iter().map(|(_, what)| what));
    let named = records.ledger.inputs.iter().map(|i| i.file.as_str()).collect::<BTreeSet<_>>();
    let strange = addresses.keys().filter(|file| !named.contains(**file));
    let strange = strange.map(|file| format!("The ledger does not name the input {file}."));
    differs.inputs.extend(strange);
    let site = again.sites.into_iter().find(|site| site.key == records.site);
    Ok((site, differs))
}

pub(in crate::commands) struct RereadRun {
    pub(in crate::commands) sites: Vec<Site>,
    /// Missing and changed inputs, each with a sentence.
    pub(in crate::commands) problems: Vec<(String, String)>,
}

/// Reads all inputs of a run. `addresses` has the address of each saved page. Needs as much memory for pages
/// as the run.
pub(in crate::commands) fn reread_all(
    ledger: &Ledger,
    addresses: &BTreeMap<&str, &str>,
    request: RunRequest<'_>,
) -> Result<RereadRun> {
    let inputs = ledger.inputs.iter();
    let wanted: Vec<_> =
        inputs.filter_map(|input| Some((input, input_of(input, addresses, true)?))).collect();
    read_wanted(&wanted, None, request)
}

/// Reads inputs; if a site is given, keeps only what may concern it.
fn read_wanted(
    wanted: &[(&InputRecord, Input)],
    site: Option<&str>,
    RunRequest { config, stop, observer }: RunRequest<'_>,
) -> Result<RereadRun> {
    observer.reading(wanted.len(), wanted.iter().map(|(record, _)| record.bytes).sum());
    let one = |(record, input): &(&InputRecord, Input)| {
        let found = read_again(record, input, site, config, stop);
        observer.read(record.bytes);
        found
    };
    let results: Vec<_> = wanted.par_iter().map(one).collect();
    Stopped::check(stop)?;
    let (mut intakes, mut problems) = (Vec::new(), Vec::new());
    for ((record, _), (of_input, problem)) in wanted.iter().zip(results) {
        intakes.extend(of_input);
        problems.extend(problem.map(|what| (record.file.clone(), what)));
    }
    Ok(RereadRun { sites: group(intakes, &config.group)?.sites, problems })
}

/// Returns a sentence that says why an input cannot be read again; `None` if it can.
fn why_unreadable(file: &str, input: &Input) -> Option<String> {
    let path = input.path();
    if input.is_stdin() {
        return Some("An input was the standard input, which cannot be read again.".to_owned());
    }
    if address_of(path).is_none() && !path.exists() {
        let place = match path.is_relative() {
            true => " in the current folder, where its path begins",
            false => "",
        };
        return Some(format!("The input {file} does not exist{place}."));
    }
    is_stream(path)
        .then(|| format!("The input {file} is not a regular file and cannot be read again."))
}

/// Reads an input again. Returns what may concern the site, and a sentence if the input is missing or has changed.
fn read_again(
    record: &InputRecord,
    input: &Input,
    site: Option<&str>,
    config: &Config,
    stop: &AtomicBool,
) -> (Vec<(Intake, PayloadDigest)>, Option<String>) {
    let (file, mut intakes) = (&record.file, Vec::new());
    if let Some(problem) = why_unreadable(file, input) {
        return (intakes, Some(problem));
    }
    // The run may have selected only some of its pages.
    let Some(selecting) = Selecting::again(record) else { return (intakes, None) };
    let mut left_out = LeftOut::default();
    let mut take = |intake: Intake, digest: PayloadDigest| {
        let Some(intake) = selecting.admit(intake, &mut left_out) else { return };
        if site.is_none_or(|site| may_matter(&intake, site)) {
            intakes.push((intake, digest));
        }
    };
    let problem = match read(input, &config.read, &|_| {}, stop, &mut take) {
        Err(error) => Some(format!("{error}.")),
        Ok((now, _)) if now.sha256 != record.sha256 => Some(format!(
            "The input {file} has changed since the run ({} bytes, then {}): pages of it may not be what they were.",
            now.bytes, record.bytes
        )),
        Ok(_) => None,
    };
    (intakes, problem)
}

/// Returns the address of one page for each file with pages of the site.
pub(in crate::commands) fn addresses(records: &SiteRecords) -> BTreeMap<&str, &str> {
    let of_articles = records.articles.iter().map(|a| (&a.origin, &*a.url));
    let of_drops = records.drops.iter().map(|d| (&*d.origin, &*d.url));
    of_articles.chain(of_drops).map(|(origin, url)| (&*origin.file, url)).collect()
}

/// Returns the input as in the run; `None` if it has no page of the site, unless it is a feed, a table, or a wanted archive.
fn input_of(
    record: &InputRecord,
    addresses: &BTreeMap<&str, &str>,
    all_archives: bool,
) -> Option<Input> {
    let path = PathBuf::from(&record.file);
    if let Some(part) = &record.listed {
        let is_wanted = all_archives || addresses.contains_key(record.file.as_str());
        let indexes: Vec<PathBuf> = part.indexes.iter().map(PathBuf::from).collect();
        let listed = || match records_of(&indexes, &path) {
            Ok(records) => Input::Records {
                path: path.clone(),
                records: records.into(),
                extra: Arc::default(),
                indexes: indexes.clone(),
            },
            Err(error) => Input::Unreadable { path: path.clone(), why: error_chain(&error) },
        };
        return is_wanted.then(listed);
    }
    if is_table(&path) && record.records.contains_key("page") {
        return Some(Input::Table(path));
    }
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

/// Derives the folder and name of a saved page from its address. They do not matter if the page has a canonical address.
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

pub(crate) struct RunSettings {
    pub(crate) config: Config,
    /// The differences from the settings and models of the run, one sentence each.
    differences: Vec<String>,
    /// The model store, if the run used one and it has not changed since.
    store: Option<Store>,
}

impl RunSettings {
    /// Loads the settings that the ledger of a run names, and opens the model store that the run used.
    pub(crate) fn new(ledger: &Ledger) -> Result<Self> {
        let default = Config::load(None)?;
        let mut differences = Vec::new();
        let config = default.with(ledger.settings.clone()).unwrap_or_else(|error| {
            differences.push(assumed(
                &format!("The settings of the run cannot be used: {}", error_chain(&error)),
                "the default settings",
            ));
            default
        });
        if differences.is_empty() && config.hash() != ledger.config_hash {
            let what = match ledger.version.as_str() {
                env!("CARGO_PKG_VERSION") => {
                    "The weights or the site configs that the run used have changed".to_owned()
                }
                other => format!("The run was made by version {other}"),
            };
            differences.push(assumed(&what, "those of today"));
        }
        let store = open_store(&config, ledger).unwrap_or_else(|problem| {
            differences.push(assumed(&problem, "models learnt from this run's pages alone"));
            None
        });
        Ok(Self { config, differences, store })
    }

    /// Makes the page about a site, with at most `most` sample pages for each template; also returns its notes.
    pub(crate) fn page_of_site(
        &self,
        records: &SiteRecords,
        (site, mut differs): (Option<Site>, WhatDiffers),
        most: usize,
    ) -> Result<(String, Vec<String>)> {
        let settings = self.config.settings();
        let parsed = site.as_ref().map(|site| (site, ParsedSite::of(site, &settings)));
        let items = parsed.as_ref().map(|(_, parsed)| parsed.items()).unwrap_or_default();
        let again = parsed
            .as_ref()
            .map(|(site, parsed)| self.sort_into_templates(site, parsed, &items, &settings));
        differs.settings.clone_from(&self.differences);
        let view = SiteView::new(records, again.as_ref(), &differs, &settings, most);
        Ok((view.to_html()?, view.notes))
    }

    fn sort_into_templates<'a>(
        &self,
        site: &'a Site,
        parsed: &'a ParsedSite<'a>,
        items: &'a [Vec<&'a FeedItem>],
        settings: &Settings,
    ) -> PagesAgain<'a> {
        let sibling = |at: usize| SiblingPage { page: &parsed.pages[at], feed_items: &items[at] };
        let model = self.stored_model(&site.key).unwrap_or_else(|| {
            let weights = site.pages.iter().map(|page| (&*page.url, weight(&page.html)));
            let chosen = sample(weights, settings);
            let siblings: Vec<SiblingPage<'_>> =
                chosen.chosen.iter().map(|&at| sibling(at)).collect();
            let learning = parsed.surveyed.learn(
                &siblings,
                chosen.cut_by_bytes,
                None,
                &[],
                settings,
                &NoMeter,
            );
            learning.model
        });
        let assigned: Vec<Option<u32>> = (0..parsed.pages.len())
            .into_par_iter()
            .map(|at| model.template_of(&sibling(at), settings))
            .collect();
        let templates = (0..).zip(model.templates()).map(|(number, template)| {
            let own = (0..).zip(&assigned).filter(|(_, to)| **to == Some(number));
            let mut members = parsed.in_sample_order(own.map(|(at, _)| at));
            // Corrected pages come first, as in learning.
            let corrections = template.corrections.clone();
            let url = |at: u32| &parsed.pages[at as usize].page.url;
            members.sort_by_key(|&at| corrections.iter().all(|own| own.url != *url(at)));
            TemplatePages { id: template.id.clone(), members, corrections }
        });
        let origins = site.pages.iter().map(|page| &page.origin);
        PagesAgain {
            pages: &parsed.pages,
            feed_items: items,
            templates: templates.collect(),
            by_origin: origins.zip(0..).collect(),
        }
    }

    /// Reads the model of a site that the run applied, if there is a store that has it.
    fn stored_model(&self, site: &str) -> Option<SiteModel> {
        let state = self.store.as_ref()?.site(site).ok()?;
        SiteModel::from_bytes(&state.model?).ok()
    }
}

fn open_store(config: &Config, ledger: &Ledger) -> Result<Option<Store>, String> {
    let (Some(path), Some(then)) = (config.run.models(), &ledger.store_state) else {
        return Ok(None);
    };
    let unreadable = |error| format!("The models of the run cannot be read: {error}");
    let store = Store::open_read_only(path).map_err(unreadable)?;
    match store.state().map_err(unreadable)? {
        now if now == *then => Ok(Some(store)),
        _ => Err(format!("The store {} has changed since the run", path.display())),
    }
}

/// Makes a sentence that says what is different and what is used instead.
fn assumed(what: &str, with: &str) -> String {
    format!(
        "{what}. Scores and patterns below are computed with {with}, and may differ from those of the run. Articles and \
         wrappers are the run's own."
    )
}
