//! `sitegrove wrappers`: lists, shows, exports, checks and tests learnt wrappers and site configs.

mod check;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use config::SinkName;
use errors::mark_begun;
use grouping::site_key;
use model::{Article, Route, SiteSummary, Support, TemplateSummary, WrapperRecord, counts_of};
use serde_json::{Value, json};
use sink::{AtomicFile, site_file_name};
use site::site_configs::{about_layouts, file_name, test_pages};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line};
use terminal::shortened::{padded, width_of, wrapper_in};
use url::Url;
use wrapper::site_config::{Exported, export, file_hosts, host_of_file};

use crate::output_paths::{CommandPaths, OutputKind};
use crate::results::Results;

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
    Check(check::WrappersCheckArgs),
    /// Test wrappers on archives: how many pages they match, and whether their tests hold
    Test(check::TestArgs),
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
        WrappersCommand::Check(args) => check::check(args, out),
        WrappersCommand::Test(args) => check::test(args, stop, out),
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

pub(crate) fn site_config_files(run: &Path, sites: &[SiteSummary]) -> Result<Vec<NamedText>> {
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
pub(super) fn sites(run: &Path, named: &[String]) -> Result<Vec<SiteSummary>> {
    let results = Results::open(run)?;
    if !named.is_empty() {
        return named.iter().map(|name| results.site_record(&results.find_site(name)?)).collect();
    }
    results.site_records()
}
