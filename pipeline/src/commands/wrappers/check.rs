//! `sitegrove wrappers check` and `test`: which directives of files are honoured, and which pages wrappers match.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::Args;
use config::Config;
use config::site_config_files::{LoadedSiteConfig, read_files, site_configs_of};
use errors::mark_begun;
use grouping::{SiteAddresses, Tracking};
use input::{InputPlaces, expand};
use model::{Article, Page, contain_panics};
use rayon::prelude::*;
use serde::Serialize;
use sink::Ledger;
use site::site_configs::squeezed;
use sitemodel::site_config::{HostConfig, SiteConfigs};
use sitemodel::stages::extract::{article_text, without_title};
use sitemodel::{Settings, parse_page};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line};
use wrapper::site_config::{DirectiveVerdict, Finding, SiteConfig, compile, host_of_file};

use crate::commands::wrappers::{site_config_files, sites};
use crate::results::Results;
use crate::run::read_grouped;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers check my-wrappers/
  sitegrove wrappers check blog.example.txt --all

`sitegrove run --site-configs` and `wrap.site_configs` use the files.

Exit codes: 0 every directive is honoured or needless; 1 some are not honoured, or a file name contains no host; 2 a file could not be read.")]
pub(super) struct WrappersCheckArgs {
    /// Files (HOST.txt) and folders of them
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// List every directive, not only those that are not honoured
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

#[derive(Serialize)]
struct FindingRecord<'a> {
    file: String,
    host: Option<&'a str>,
    line: usize,
    directive: &'a str,
    verdict: &'static str,
    why: Option<&'a str>,
}

pub(super) fn check(args: &WrappersCheckArgs, out: &mut Console<'_>) -> Result<bool> {
    let files = read_files(&args.paths)?;
    let mut by_directive: BTreeMap<(&str, DirectiveVerdict), usize> = BTreeMap::new();
    let mut whole = 0;
    for file in &files {
        let mut honoured = file.host.is_some();
        if file.host.is_none() && matches!(args.format, PrintFormat::Text) {
            let shown = file.path.display().to_string();
            writeln!(
                out,
                "{}: the file name contains no host, so the file is not used: name it HOST.txt",
                line(&shown)
            )?;
        }
        for finding in &file.findings {
            honoured &= finding.verdict != DirectiveVerdict::NotHonoured;
            *by_directive.entry((&finding.directive, finding.verdict)).or_default() += 1;
            if args.all || finding.verdict == DirectiveVerdict::NotHonoured {
                print_finding(file, finding, args.format, out)?;
            }
        }
        whole += usize::from(honoured);
    }
    if matches!(args.format, PrintFormat::Text) {
        print_findings_by_directive(&by_directive, whole, files.len(), out)?;
    }
    Ok(whole == files.len())
}

fn print_finding(
    file: &LoadedSiteConfig,
    finding: &Finding,
    format: PrintFormat,
    out: &mut Console<'_>,
) -> Result<()> {
    let (shown, verdict) = (file.path.display(), finding.verdict.as_str());
    match format {
        PrintFormat::Text => {
            let why = finding.why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
            let shown = format!("{shown}:{}: {}: {verdict}{why}", finding.line, finding.directive);
            writeln!(out, "{}", line(&shown))?;
        }
        PrintFormat::Json => {
            let record = FindingRecord {
                file: shown.to_string(),
                host: file.host.as_deref(),
                line: finding.line,
                directive: &finding.directive,
                verdict,
                why: finding.why.as_deref(),
            };
            out.json_line(&record)?;
        }
    }
    Ok(())
}

fn print_findings_by_directive(
    by_directive: &BTreeMap<(&str, DirectiveVerdict), usize>,
    whole: usize,
    files: usize,
    out: &mut dyn Write,
) -> Result<()> {
    let of = |wanted: DirectiveVerdict| -> usize {
        by_directive.iter().filter(|((_, verdict), _)| *verdict == wanted).map(|(_, n)| n).sum()
    };
    writeln!(
        out,
        "{files} files, {whole} of them fully honoured; directives: {} honoured, {} needless, {} not honoured",
        of(DirectiveVerdict::Honoured),
        of(DirectiveVerdict::Needless),
        of(DirectiveVerdict::NotHonoured),
    )?;
    let mut counts: Vec<(&(&str, DirectiveVerdict), &usize)> = by_directive.iter().collect();
    counts.sort_by_key(|((name, verdict), n)| (*verdict, std::cmp::Reverse(**n), *name));
    for ((name, verdict), n) in counts {
        writeln!(out, "{n:>8}  {:<14} {}", verdict.as_str(), line(name))?;
    }
    Ok(())
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers test my-wrappers/ crawl/*.warc.gz
  sitegrove wrappers test blog.example.txt crawl/ --run out/tonight
  sitegrove wrappers test out/last-night crawl/*.warc.gz --run out/tonight

For each wrapper with pages, prints: the number of pages of its host, and on how many of them it finds a body (list pages are included; a wrapper need not match them); the number of its tests (test_url, with test_contains) whose pages are in the inputs, and how many hold; with --run, the number of articles of that run, and how many have the same text, apart from white space.

Exit codes: 0 every wrapper with pages matches at least one of them, and all tests hold; 1 otherwise; 2 could not test.")]
pub(crate) struct TestArgs {
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
    format: PrintFormat,
}

#[derive(Debug, Default, Serialize)]
struct TestOutcome {
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

impl TestOutcome {
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
type ArticleTexts = BTreeMap<String, (String, String)>;

pub(crate) fn test(args: &TestArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
    let mut config = Config::load(None)?;
    let wrappers = wrappers_of(&args.wrappers)?;
    config.site_configs = Some(std::sync::Arc::new(wrappers));
    let settings = config.settings();
    let mut texts: ArticleTexts = BTreeMap::new();
    if let Some(run) = &args.run {
        Results::open(run)?.articles()?.each(|article: Article, _| {
            texts.insert(article.url, (article.title.unwrap_or_default(), article.text));
            Ok(())
        })?;
    }
    let inputs = expand(&args.inputs, &[], InputPlaces::default())?;
    mark_begun();
    let (grouped, unreadable) = read_grouped(&config, &inputs, stop)?;
    for problem in &unreadable {
        tracing::error!(next = "the rest was read", "{problem}");
    }
    let pages: Vec<&Page> = grouped.sites.iter().flat_map(|site| &site.pages).collect();
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let addresses = SiteAddresses::of(pages.iter().map(|page| &*page.url), tracking);
    let outcomes: Vec<(String, TestOutcome)> =
        pages.par_iter().filter_map(|page| try_page(page, &settings, &addresses, &texts)).collect();
    let mut by_host: BTreeMap<String, TestOutcome> = BTreeMap::new();
    for (host, one) in outcomes {
        let all = by_host
            .entry(host.clone())
            .or_insert_with(|| TestOutcome { host, ..TestOutcome::default() });
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
    print_outcomes(&by_host, args, out)?;
    let good = |outcome: &TestOutcome| outcome.matched > 0 && outcome.tests == outcome.tests_held;
    Ok(by_host.values().all(good) && unreadable.is_empty())
}

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
    texts: &ArticleTexts,
) -> Option<(String, TestOutcome)> {
    // No wrapper matches a page on which the parser fails.
    let parsed = contain_panics(|| parse_page(page, settings)).ok()?;
    let configured = parsed.configured.as_ref()?;
    let found = &configured.found;
    let text = found
        .body
        .as_ref()
        .map(|(_, nodes)| article_text(&parsed.document, &page.url, nodes, &found.removed))
        .filter(|text| !text.trim().is_empty());
    let mut outcome =
        TestOutcome { pages: 1, matched: usize::from(text.is_some()), ..TestOutcome::default() };
    if let Some((title, theirs)) = texts.get(&page.url) {
        outcome.articles = 1;
        // A setting decides whether texts begin with the title, so it is not compared.
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

fn print_outcomes(
    by_host: &BTreeMap<String, TestOutcome>,
    args: &TestArgs,
    out: &mut Console<'_>,
) -> Result<()> {
    if matches!(args.format, PrintFormat::Json) {
        return Ok(by_host.values().try_for_each(|outcome| out.json_line(outcome))?);
    }
    let with_run = args.run.is_some();
    let agreement = |outcome: &TestOutcome| match with_run {
        true => format!("  {:>9}", format!("{} of {}", outcome.same_text, outcome.articles)),
        false => String::new(),
    };
    let head = if with_run { "  same text" } else { "" };
    writeln!(
        out,
        "{:<40} {:>6} {:>8} {:>6} {:>8}{head}",
        "wrapper for", "pages", "matched", "rate", "tests"
    )?;
    let mut total = TestOutcome { host: "all".to_owned(), ..TestOutcome::default() };
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

fn row(outcome: &TestOutcome, agreement: &str, out: &mut dyn Write) -> Result<()> {
    let TestOutcome { host, pages, matched, tests, tests_held, .. } = outcome;
    let rate = 100.0 * *matched as f64 / (*pages).max(1) as f64;
    let (host, tests) = (line(host), format!("{tests_held} of {tests}"));
    writeln!(out, "{host:<40} {pages:>6} {matched:>8} {rate:>5.0}% {tests:>8}{agreement}")?;
    Ok(())
}
