//! `sitegrove inspect`: an HTML page that shows what was learnt about a site, and why. Its pages are read again
//! from the inputs of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, Result};
use clap::Args;
use config::Config;
use config::files::address_of;
use config::memory::weight;
use errors::{Problem, Stopped, error_chain, mark_begun};
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
use report::readable::{count, size};
use report::{PagesAgain, SiteRecords, SiteView, TemplatePages, WhatDiffers};
use segment::group::group;
use sink::{AtomicFile, InputRecord, Ledger, make_folder, site_file_name};
use site::learn::{ParsedSite, sample};
use sitemodel::{NoMeter, Settings, SiblingPage, SiteModel};
use terminal::arguments::whole;
use terminal::command_line::CommandContext;
use terminal::progress_bar::Quiet;

use super::run::watched;
use crate::output_paths::{CommandPaths, OutputKind};
use crate::results::{LineIndex, Results};
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
    let reread = reread(&records, RunRequest { config: &settings.config, stop, observer: &Quiet })?;
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

/// The records of the sites of a run folder. Only the places of the lines of articles and drops are in memory, because
/// a run may have many.
pub(super) struct RunRecords<'a> {
    run: &'a Results,
    articles: LineIndex,
    drops: LineIndex,
}

impl<'a> RunRecords<'a> {
    pub(super) fn find(run: &'a Results, site: Option<&str>) -> Result<Self> {
        let articles = LineIndex::read(run.articles()?, site)?;
        Ok(Self { run, articles, drops: LineIndex::read(run.dropped(), site)? })
    }

    /// For each input file, the address of a page in it.
    pub(super) fn addresses(&self) -> BTreeMap<&str, &str> {
        let all = self.articles.addresses.iter().chain(&self.drops.addresses);
        all.map(|(file, url)| (file.as_str(), url.as_str())).collect()
    }

    pub(super) fn of_site(&self, site: &str) -> Result<SiteRecords> {
        let SiteSummary { site, templates, .. } = self.run.site_record(site)?;
        let (articles, drops) = (self.articles.lines(&site)?, self.drops.lines(&site)?);
        Ok(SiteRecords { ledger: Arc::clone(self.run.ledger()), templates, articles, drops, site })
    }
}

/// Reads the inputs with pages of the site, and all feeds. Needs little more memory than the site itself:
/// other pages are not kept. Returns the site as in the run, if any of its pages is still available, and how the inputs
/// differ.
fn reread(records: &SiteRecords, request: RunRequest<'_>) -> Result<(Option<Site>, WhatDiffers)> {
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
fn addresses(records: &SiteRecords) -> BTreeMap<&str, &str> {
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

pub(super) struct RunSettings {
    pub(super) config: Config,
    /// The differences from the settings and models of the run, one sentence each.
    differences: Vec<String>,
    /// The model store, if the run used one and it has not changed since.
    store: Option<Store>,
}

impl RunSettings {
    /// Loads the settings that the ledger of a run names, and opens the model store that the run used.
    pub(super) fn new(ledger: &Ledger) -> Result<Self> {
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
    fn page_of_site(
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
