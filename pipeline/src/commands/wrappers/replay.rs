//! `sitegrove wrappers test`: tests wrappers on the pages of archives.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::Args;
use dom::text_of;
use grouping::{SiteAddresses, Tracking};
use model::{Article, Page, contain_panics};
use rayon::prelude::*;
use serde::Serialize;
use sink::Ledger;
use sitemodel::site_config::{HostConfig, SiteConfigs};
use sitemodel::stages::extract::without_title;
use sitemodel::{Settings, parse_page};
use wrapper::site_config::{SiteConfig, compile, host_of_file};

use super::export::site_config_files;
use super::run_folder::sites;
use crate::commands::format::Format;
use crate::config::Config;
use crate::inputs::expand;
use crate::printed::{Console, line};
use crate::results::Results;
use crate::run::{mark_begun, read_grouped};
use crate::site_config_files::{read_files, site_configs_of};
use crate::site_configs::squeezed;

/// Arguments of `sitegrove wrappers test`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers test my-wrappers/ crawl/*.warc.gz
  sitegrove wrappers test blog.example.txt crawl/ --run out/tonight
  sitegrove wrappers test out/last-night crawl/*.warc.gz --run out/tonight

For each wrapper with pages, prints: the number of pages of its host, and on how many of them it finds a body (list pages are included; a wrapper need not match them); the number of its tests (test_url, with test_contains) whose pages are in the inputs, and how many hold; with --run, the number of articles of that run, and how many have the same text, apart from white space.

Exit codes: 0 every wrapper with pages matches at least one of them, and all tests hold; 1 otherwise; 2 could not test.")]
pub(super) struct TestArgs {
    /// A site config (HOST.txt), a folder of them, or a run folder
    #[arg(value_name = "WRAPPERS")]
    wrappers: PathBuf,
    /// WARC files, HTML files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// A run to compare articles with
    #[arg(long, value_name = "RUN_DIR")]
    run: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The outcome of testing a wrapper.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    host: String,
    pages: usize,
    matched: usize,
    tests: usize,
    tests_held: usize,
    /// Articles of the run to compare with.
    articles: usize,
    same_text: usize,
    /// The tests that failed, one sentence each.
    failures: Vec<String>,
}

impl Outcome {
    /// Adds the counts of `other`.
    fn add(&mut self, other: &Self) {
        self.pages += other.pages;
        self.matched += other.matched;
        self.tests += other.tests;
        self.tests_held += other.tests_held;
        self.articles += other.articles;
        self.same_text += other.same_text;
    }
}

/// Titles and texts of articles, by address.
type Texts = BTreeMap<String, (String, String)>;

pub(super) fn run(args: &TestArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
    let mut config = Config::load(None)?;
    let wrappers = wrappers_of(&args.wrappers)?;
    config.site_configs = Some(std::sync::Arc::new(wrappers));
    let settings = config.settings();
    let mut texts: Texts = BTreeMap::new();
    if let Some(run) = &args.run {
        Results::open(run)?.articles()?.each(|article: Article, _| {
            texts.insert(article.url, (article.title.unwrap_or_default(), article.text));
            Ok(())
        })?;
    }
    let inputs = expand(&args.inputs, &[])?;
    mark_begun();
    let (grouped, unreadable) = read_grouped(&config, &inputs, stop)?;
    for problem in &unreadable {
        tracing::error!(next = "the rest was read", "{problem}");
    }
    let pages: Vec<&Page> = grouped.sites.iter().flat_map(|site| &site.pages).collect();
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let addresses = SiteAddresses::of(pages.iter().map(|page| &*page.url), tracking);
    let outcomes: Vec<(String, Outcome)> =
        pages.par_iter().filter_map(|page| try_page(page, &settings, &addresses, &texts)).collect();
    let mut by_host: BTreeMap<String, Outcome> = BTreeMap::new();
    for (host, one) in outcomes {
        let all =
            by_host.entry(host.clone()).or_insert_with(|| Outcome { host, ..Outcome::default() });
        all.add(&one);
        all.failures.extend(one.failures);
    }
    if by_host.is_empty() {
        bail!("the inputs contain no page of a host in {}", args.wrappers.display());
    }
    if let Some(run) = &args.run
        && by_host.values().all(|outcome| outcome.articles == 0)
    {
        tracing::warn!(at = %run.display(), "the run has no article from these pages");
    }
    print(&by_host, args, out)?;
    let good = |outcome: &Outcome| outcome.matched > 0 && outcome.tests == outcome.tests_held;
    Ok(by_host.values().all(good) && unreadable.is_empty())
}

/// Wrappers of a file, of a folder of files, or of a run.
fn wrappers_of(path: &Path) -> Result<SiteConfigs> {
    if path.is_file() || Ledger::read(path).is_none() {
        return Ok(site_configs_of(&read_files(&[path.to_owned()])?));
    }
    let files = site_config_files(path, &sites(path, &[])?)?;
    let configs = files.iter().filter_map(|(name, text)| {
        Some(HostConfig { host: host_of_file(name)?, wrapper: compile(&SiteConfig::parse(text)).0 })
    });
    Ok(SiteConfigs::new(configs, String::new()))
}

fn try_page(
    page: &Page,
    settings: &Settings,
    addresses: &SiteAddresses,
    texts: &Texts,
) -> Option<(String, Outcome)> {
    // A page on which the parser fails is one that no wrapper matches.
    let parsed = contain_panics(|| parse_page(page, settings)).ok()?;
    let configured = parsed.configured.as_ref()?;
    let found = &configured.found;
    let text = found
        .body
        .as_ref()
        .map(|(_, nodes)| text_of(&parsed.document, nodes, &found.removed))
        .filter(|text| !text.trim().is_empty());
    let mut outcome =
        Outcome { pages: 1, matched: usize::from(text.is_some()), ..Outcome::default() };
    if let Some((title, theirs)) = texts.get(&page.url) {
        outcome.articles = 1;
        // Whether the text begins with the title is a setting.
        let body = |text| squeezed(without_title(text, title));
        let same = text.as_ref().is_some_and(|ours| body(ours).eq(body(theirs)));
        outcome.same_text = usize::from(same);
    }
    let own = addresses.address(&page.url);
    for test in configured.by.wrapper.tests() {
        if own.is_none() || addresses.meant_by(&test.url) != own.as_ref() {
            continue;
        }
        outcome.tests += 1;
        match &text {
            None => outcome.failures.push(format!("{}: no body was found", test.url)),
            Some(text) => {
                let text = dom::normalize_space(text);
                let lacks = |wanted: &&String| !text.contains(&dom::normalize_space(wanted));
                match test.contains.iter().find(lacks) {
                    None => outcome.tests_held += 1,
                    Some(wanted) => {
                        outcome.failures.push(format!("{}: the body lacks {wanted:?}", test.url));
                    }
                }
            }
        }
    }
    Some((configured.by.host.clone(), outcome))
}

fn print(
    by_host: &BTreeMap<String, Outcome>,
    args: &TestArgs,
    out: &mut Console<'_>,
) -> Result<()> {
    if matches!(args.format, Format::Json) {
        for outcome in by_host.values() {
            serde_json::to_writer(out.as_json(), outcome)?;
            writeln!(out)?;
        }
        return Ok(());
    }
    let with_run = args.run.is_some();
    let agreement = |outcome: &Outcome| {
        if with_run {
            format!("  {:>9}", format!("{} of {}", outcome.same_text, outcome.articles))
        } else {
            String::new()
        }
    };
    let head = if with_run { "  same text" } else { "" };
    writeln!(
        out,
        "{:<40} {:>6} {:>8} {:>6} {:>8}{head}",
        "wrapper for", "pages", "matched", "rate", "tests"
    )?;
    let mut total = Outcome { host: "all".to_owned(), ..Outcome::default() };
    for outcome in by_host.values() {
        row(outcome, &agreement(outcome), out)?;
        total.add(outcome);
    }
    if by_host.len() > 1 {
        row(&total, &agreement(&total), out)?;
    }
    for failure in by_host.values().flat_map(|outcome| &outcome.failures) {
        writeln!(out, "failed: {}", line(failure))?;
    }
    Ok(())
}

fn row(outcome: &Outcome, agreement: &str, out: &mut dyn Write) -> Result<()> {
    let Outcome { host, pages, matched, tests, tests_held, .. } = outcome;
    let rate = 100.0 * *matched as f64 / (*pages).max(1) as f64;
    let (host, tests) = (line(host), format!("{tests_held} of {tests}"));
    writeln!(out, "{host:<40} {pages:>6} {matched:>8} {rate:>5.0}% {tests:>8}{agreement}")?;
    Ok(())
}
