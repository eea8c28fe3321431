//! `sitegrove wrappers`: lists, shows, exports, checks and tests learnt wrappers and site configs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use config::site_config_files::{LoadedSiteConfig, read_files, site_configs_of};
use config::{Config, SinkName};
use errors::mark_begun;
use grouping::{SiteAddresses, Tracking, site_key};
use input::{InputPlaces, expand};
use model::{
    Article, Page, Route, SiteSummary, Support, TemplateSummary, WrapperRecord, contain_panics,
    counts_of,
};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use sink::{AtomicFile, Ledger, site_file_name};
use site::site_configs::{about_layouts, file_name, squeezed, test_pages};
use sitemodel::site_config::{HostConfig, SiteConfigs};
use sitemodel::stages::extract::{article_text, without_title};
use sitemodel::{Settings, parse_page};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line, padded, width_of, wrapper_in};
use url::Url;
use wrapper::site_config::{
    DirectiveVerdict, Exported, Finding, SiteConfig, compile, export, file_hosts, host_of_file,
};

use crate::output_paths::{CommandPaths, OutputKind};
use crate::results::Results;
use crate::run::read_grouped;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers list out/tonight
  sitegrove wrappers export out/tonight blog.example
  sitegrove wrappers check my-wrappers/
  sitegrove wrappers test my-wrappers/ crawl/*.warc.gz --run out/tonight")]
pub(super) struct WrappersArgs {
    #[command(subcommand)]
    command: WrappersCommand,
}

#[derive(Debug, Subcommand)]
enum WrappersCommand {
    /// List the sites of a run with their best wrappers
    #[command(after_help = "\
Examples:
  sitegrove wrappers list out/tonight")]
    List(WrappersListArgs),
    /// Show all templates of a site with their wrappers
    Show(WrappersShowArgs),
    /// Export the wrappers of a run in a format that other programs read
    Export(WrappersExportArgs),
    /// Check site configs: which directives are honoured and which are not
    Check(WrappersCheckArgs),
    /// Test wrappers on archives: how many pages they match, and whether their tests hold
    Test(TestArgs),
}

/// Runs the command. Returns whether it succeeded; each subcommand documents its exit codes.
pub(super) fn run(args: &WrappersArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
    if !matches!(args.command, WrappersCommand::Test(_)) {
        mark_begun();
    }
    match &args.command {
        WrappersCommand::List(args) => list(args, out).map(|()| true),
        WrappersCommand::Show(args) => show(args, out).map(|()| true),
        WrappersCommand::Export(args) => export_wrappers(args, out).map(|()| true),
        WrappersCommand::Check(args) => check(args, out),
        WrappersCommand::Test(args) => test(args, stop, out),
    }
}

/// Maximum width of the name of a site, in columns.
const SITE_COLUMNS: usize = 32;

#[derive(Args, Debug)]
struct WrappersListArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers show out/tonight blog.example")]
struct WrappersShowArgs {
    #[command(flatten)]
    of: WrappersListArgs,
    /// Key of the site, a host or an address of it
    site: String,
}

fn best(site: &SiteSummary) -> Option<(&TemplateSummary, &WrapperRecord)> {
    let learnt = site.templates.iter().filter_map(|t| Some((t, t.wrapper.as_ref()?)));
    // The first of those with most pages: templates are in order.
    learnt.reduce(|best, next| if next.0.pages > best.0.pages { next } else { best })
}

/// Returns a site as JSON, as `list` prints it.
fn summary(site: &SiteSummary) -> Value {
    let wrappers = site.templates.iter().filter(|t| t.wrapper.is_some()).count();
    json!({
        "site": site.site,
        "templates": site.templates.len(),
        "wrappers": wrappers,
        "confidence": best(site).map(|(_, best)| best.confidence),
        "content": best(site).map(|(_, best)| &best.content),
        "site_configs": site.site_configs,
    })
}

fn list(args: &WrappersListArgs, out: &mut Console<'_>) -> Result<()> {
    let sites = sites(&args.run, &[])?;
    if args.format == PrintFormat::Json {
        return sites.iter().try_for_each(|site| Ok(out.json_line(&summary(site))?));
    }
    let most = SITE_COLUMNS.min(out.width() / 3).max(12);
    let columns = sites.iter().map(|site| width_of(&line(&site.site))).max().unwrap_or(0);
    let columns = columns.clamp(4, most);
    let rest = out.width().saturating_sub(columns + 2 + 9 + 2 + 8 + 2 + 10 + 2).max(12);
    writeln!(
        out,
        "{:<columns$}  {:>9}  {:>8}  {:>10}  best wrapper",
        "site", "templates", "wrappers", "confidence"
    )?;
    for site in &sites {
        let wrappers = site.templates.iter().filter(|t| t.wrapper.is_some()).count();
        let (confidence, shown) = match (best(site), site.site_configs.first()) {
            (_, Some(config)) if config.matched > 0 => {
                let mark = " (site config)";
                let room = rest.saturating_sub(mark.len());
                ("-".to_owned(), wrapper_in(room, &config.body) + mark)
            }
            (Some((_, best)), _) => {
                (format!("{:.2}", best.confidence), wrapper_in(rest, &best.content))
            }
            (None, _) => ("-".to_owned(), "(none)".to_owned()),
        };
        let (name, layouts) = (padded(&line(&site.site), columns), site.templates.len());
        writeln!(out, "{name}  {layouts:>9}  {wrappers:>8}  {confidence:>10}  {shown}")?;
    }
    Ok(())
}

fn show(args: &WrappersShowArgs, out: &mut Console<'_>) -> Result<()> {
    for site in sites(&args.of.run, std::slice::from_ref(&args.site))? {
        if args.of.format == PrintFormat::Json {
            out.json_line(&site)?;
            continue;
        }
        writeln!(out, "{}", line(&site.site))?;
        for config in &site.site_configs {
            let (host, matched, pages) = (line(&config.host), config.matched, config.pages);
            writeln!(out, "\nsite config for {host}: {matched} of {pages} pages matched")?;
            lines("body", &config.body, out)?;
        }
        for template in &site.templates {
            let (id, kind, pages) = (&template.id, template.kind.as_str(), template.pages);
            writeln!(out, "\n{id}: {kind}, {pages} pages")?;
            if let Some(wrapper) = &template.wrapper {
                lines("content", &wrapper.content, out)?;
                lines("prune", &wrapper.prune, out)?;
                let WrapperRecord { engine, version, confidence, support, .. } = wrapper;
                let Support { learnt_from, held_back, held_back_agreeing, .. } = support;
                let exact = support.exact * 100.0;
                writeln!(
                    out,
                    "  engine     {engine} version {version}, confidence {confidence:.2}; learnt from {learnt_from} pages, \
                     exact on {exact:.0} %; {held_back_agreeing} of {held_back} held back agree"
                )?;
            } else {
                writeln!(out, "  no wrapper")?;
            }
            lines("examples", &template.examples, out)?;
        }
    }
    Ok(())
}

fn lines(name: &str, values: &[String], out: &mut dyn Write) -> Result<()> {
    for (at, value) in values.iter().enumerate() {
        writeln!(out, "  {:<10} {}", if at == 0 { name } else { "" }, line(value))?;
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum WrapperFormat {
    /// HOST.txt, as Full-Text RSS and wallabag read it
    #[default]
    SiteConfig,
    /// SITE.json, as in wrappers/
    Json,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers export out/tonight blog.example
  sitegrove wrappers export out/tonight --out my-site-config/
  sitegrove wrappers export out/tonight --format json blog.example

Files that the run wrote (--sinks siteconfig) are used as they are: they were tested on pages and contain title, authors and date. All others are made from wrappers/ and articles.jsonl.")]
struct WrappersExportArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Sites to export: keys, hosts or addresses [default: all]
    #[arg(value_name = "SITE")]
    sites: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "site-config")]
    format: WrapperFormat,
    /// Output folder; without it, the files are printed
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn export_wrappers(args: &WrappersExportArgs, out: &mut Console<'_>) -> Result<()> {
    let sites = sites(&args.run, &args.sites)?;
    let files = match args.format {
        WrapperFormat::Json => sites.iter().map(json).collect::<Result<Vec<_>>>()?,
        WrapperFormat::SiteConfig => site_config_files(&args.run, &sites)?,
    };
    if files.is_empty() {
        bail!("none of these sites has a wrapper and a host");
    }
    let Some(folder) = &args.out else {
        for (name, text) in &files {
            if files.len() > 1 && matches!(args.format, WrapperFormat::SiteConfig) {
                writeln!(out, "# {name}")?;
            }
            match args.format {
                WrapperFormat::Json => out.as_json().write_all(text.as_bytes())?,
                WrapperFormat::SiteConfig => out.write_all(text.as_bytes())?,
            }
        }
        return Ok(());
    };
    CommandPaths::default().writes("--out", folder, OutputKind::Folder).check()?;
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    for (name, text) in &files {
        AtomicFile::write_whole(&folder.join(name), text.as_bytes())?;
    }
    Ok(out.note(format_args!("{} files in {}", files.len(), folder.display()))?)
}

type NamedText = (String, String);

fn json(site: &SiteSummary) -> Result<NamedText> {
    let text = serde_json::to_string_pretty(site)?;
    Ok((format!("{}.json", site_file_name(&site.site)), text + "\n"))
}

fn site_config_files(run: &Path, sites: &[SiteSummary]) -> Result<Vec<NamedText>> {
    let results = Results::open(run)?;
    let own = SinkName::SiteConfig;
    let folder = run.join(own.files()[0]);
    if folder.is_dir() && !results.ledger().failed_sinks.contains_key(own.as_str()) {
        return written(&folder, sites);
    }
    let mut of_site: BTreeMap<&str, Vec<Article>> =
        sites.iter().map(|site| (site.site.as_str(), Vec::new())).collect();
    let articles = results.articles().context(
        "files of the format are made from the articles of a run, unless it wrote them itself \
         (--sinks siteconfig); --format json needs neither",
    )?;
    articles.each(|article: Article, _| {
        if article.route == Route::Wrapper
            && let Some(own) = of_site.get_mut(article.site.as_str())
        {
            own.push(article);
        }
        Ok(())
    })?;
    let mut files = Vec::new();
    for site in sites {
        files.extend(made(site, &of_site[site.site.as_str()]));
    }
    files.sort();
    Ok(files)
}

/// Reads the site configs that the run wrote for hosts of these sites.
fn written(folder: &Path, sites: &[SiteSummary]) -> Result<Vec<NamedText>> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder)?.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let host = host_of_file(&name).map(|host| host.trim_start_matches('.').to_owned());
        let site = host.and_then(|host| site_key(&format!("http://{host}/")));
        if site.is_some_and(|key| sites.iter().any(|site| site.site == key)) {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            found.push((name, text));
        }
    }
    found.sort();
    Ok(found)
}

/// Makes site configs from a site's wrappers, for the hosts of its articles.
fn made(site: &SiteSummary, articles: &[Article]) -> Vec<NamedText> {
    let host = |url: &str| Url::parse(url).ok().and_then(|u| Some(u.host_str()?.to_owned()));
    let hosts: Vec<String> = articles.iter().map(|a| host(&a.url).unwrap_or_default()).collect();
    let names: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let file = |(host, places): (String, Vec<usize>)| {
        let counts: BTreeMap<&str, usize> =
            counts_of(places.iter().map(|&at| articles[at].template.as_str()));
        let mut used: Vec<_> = (site.templates.iter())
            .filter_map(|t| Some((t, t.wrapper.as_ref()?, *counts.get(t.id.as_str())?)))
            .collect();
        used.sort_by_key(|(_, _, pages)| std::cmp::Reverse(*pages));
        let wrappers: Vec<(&[String], &[String])> =
            used.iter().map(|(_, w, _)| (w.content.as_slice(), w.prune.as_slice())).collect();
        let about = about_layouts(used.iter().map(|(t, w, pages)| (&*t.id, *pages, w.confidence)));
        let tests = test_pages(places.iter().map(|&at| &articles[at]));
        let tests: Vec<(&str, Option<&str>)> =
            tests.iter().map(|(url, text)| (*url, text.as_deref())).collect();
        (!wrappers.is_empty()).then(|| {
            let text = export(&Exported {
                about: &about,
                wrappers: &wrappers,
                title: &[],
                author: &[],
                date: &[],
                tests: &tests,
                samples: None,
            });
            (file_name(&host), text.to_string())
        })
    };
    file_hosts(&names).into_iter().filter_map(file).collect()
}

/// Reads the wrappers of all sites of a run, by key, or of the named sites (by key, host or address), in that order.
fn sites(run: &Path, named: &[String]) -> Result<Vec<SiteSummary>> {
    let results = Results::open(run)?;
    if !named.is_empty() {
        return named.iter().map(|name| results.site_record(&results.find_site(name)?)).collect();
    }
    results.site_records()
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers check my-wrappers/
  sitegrove wrappers check blog.example.txt --all

`sitegrove run --site-configs` and `wrap.site_configs` use the files.

Exit codes: 0 every directive is honoured or needless; 1 some are not honoured, or a file name contains no host; 2 a file could not be read.")]
struct WrappersCheckArgs {
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

fn check(args: &WrappersCheckArgs, out: &mut Console<'_>) -> Result<bool> {
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
struct TestArgs {
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

fn test(args: &TestArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
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
