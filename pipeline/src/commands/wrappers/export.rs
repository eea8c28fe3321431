//! `sitegrove wrappers export`: the wrappers of a run in a format that other programs read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use grouping::site_key;
use model::{Article, Route, SiteSummary};
use sink::{AtomicFile, site_file_name};
use url::Url;
use wrapper::site_config::{Exported, export, file_hosts, host_of_file};

use super::run_folder::sites;
use crate::output_paths::{CommandPaths, OutputKind};
use crate::printed::Console;
use crate::results::Results;
use crate::sink_name::SinkName;
use crate::site_configs::{file_name, snippet};

/// Output format.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// HOST.txt, as Full-Text RSS and wallabag read it
    #[default]
    SiteConfig,
    /// SITE.json, as in wrappers/
    Json,
}

/// Arguments of `sitegrove wrappers export`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers export out/tonight blog.example
  sitegrove wrappers export out/tonight --out my-site-config/
  sitegrove wrappers export out/tonight --format json blog.example

Files that the run wrote (--sinks siteconfig) are used as they are: they were tested on pages and contain title, authors and date. All others are made from wrappers/ and articles.jsonl.")]
pub(super) struct ExportArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Sites to export: keys, hosts or addresses [default: all]
    #[arg(value_name = "SITE")]
    sites: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "site-config")]
    format: Format,
    /// Output folder; without it, the files are printed
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &ExportArgs, out: &mut Console<'_>) -> Result<()> {
    let sites = sites(&args.run, &args.sites)?;
    let files = match args.format {
        Format::Json => sites.iter().map(json).collect::<Result<Vec<_>>>()?,
        Format::SiteConfig => site_config_files(&args.run, &sites)?,
    };
    if files.is_empty() {
        bail!("none of these sites has a wrapper and a host");
    }
    let Some(folder) = &args.out else {
        for (name, text) in &files {
            if files.len() > 1 && matches!(args.format, Format::SiteConfig) {
                writeln!(out, "# {name}")?;
            }
            match args.format {
                Format::Json => out.as_json().write_all(text.as_bytes())?,
                Format::SiteConfig => out.write_all(text.as_bytes())?,
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

/// The files of the sites, by name.
///
/// # Errors
/// If the results of the run cannot be read.
pub(super) fn site_config_files(run: &Path, sites: &[SiteSummary]) -> Result<Vec<NamedText>> {
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

/// The files that the run wrote for hosts of these sites.
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

/// Files made from a site's wrappers, for the hosts of its articles.
fn made(site: &SiteSummary, articles: &[Article]) -> Vec<NamedText> {
    let host = |url: &str| Url::parse(url).ok().and_then(|u| Some(u.host_str()?.to_owned()));
    let hosts: Vec<String> = articles.iter().map(|a| host(&a.url).unwrap_or_default()).collect();
    let names: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let file = |(host, places): (String, Vec<usize>)| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for &at in &places {
            *counts.entry(&articles[at].template).or_default() += 1;
        }
        let mut used: Vec<_> = (site.templates.iter())
            .filter_map(|t| Some((t, t.wrapper.as_ref()?, *counts.get(t.id.as_str())?)))
            .collect();
        used.sort_by_key(|(_, _, pages)| std::cmp::Reverse(*pages));
        let wrappers: Vec<(&[String], &[String])> =
            used.iter().map(|(_, w, _)| (w.content.as_slice(), w.prune.as_slice())).collect();
        let mut about = vec![format!("Learnt by sitegrove {}.", env!("CARGO_PKG_VERSION"))];
        about.extend(used.iter().map(|(template, wrapper, pages)| {
            format!(
                "layout {}: {pages} articles, confidence {:.2}",
                template.id, wrapper.confidence
            )
        }));
        let tests: Vec<(&str, Option<String>)> = (places.iter().take(3))
            .map(|&at| (articles[at].url.as_str(), snippet(&articles[at].text)))
            .collect();
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
