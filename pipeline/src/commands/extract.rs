//! `sitegrove extract`: extracts a few sibling pages and prints them.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use model::SiteResult;
use sink::article_record;

use crate::config::Config;
use crate::inputs::{Input, expand};
use crate::printed::{Console, line};
use crate::progress::ledger::Clock;
use crate::site::process;
use crate::stages::group::group;
use crate::stages::read::read;
use sitemodel::Engine;

/// Output format.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ExtractFormat {
    /// Title, XPath and text of each page
    #[default]
    Text,
    /// One JSON object per page, as in articles.jsonl
    Json,
    /// The HTML fragment of each page
    Html,
    /// Title and text of each page as Markdown
    Markdown,
}

/// Arguments of `sitegrove extract`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove extract post-1.html post-2.html post-3.html
  sitegrove extract saved-pages/ --format json
  sitegrove extract page.html --format markdown
  sitegrove extract page.html --engine euclid")]
pub struct ExtractArgs {
    /// HTML files of one layout, or a folder of them
    #[arg(required = true, value_name = "PAGE.html")]
    pub pages: Vec<PathBuf>,
    /// Extraction engine (see `sitegrove run --help`)
    #[arg(long, value_name = "NAME")]
    pub engine: Option<Engine>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ExtractFormat,
}

/// Extracts a few pages without a run folder. List pages are extracted too: a page that is named is wanted.
///
/// # Errors
/// If a page cannot be read or the output cannot be written.
pub fn run(args: &ExtractArgs, out: &mut Console<'_>) -> Result<()> {
    let mut config = Config::load(None)?;
    config.cluster.extract_lists = true;
    config.cluster.min_words = 0;
    if let Some(engine) = args.engine {
        config.rank.engine = engine;
    }
    config.emit.markdown = matches!(args.format, ExtractFormat::Markdown);
    let named: Vec<String> = args.pages.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    // A file named here is a page, whatever its extension.
    let inputs = expand(&named, &[])?.into_iter().map(|input| match input {
        Input::Archive(path) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Input::Html { path, name, folder: String::new() }
        }
        input => input,
    });
    let mut intakes = Vec::new();
    for input in inputs {
        let stop = AtomicBool::new(false);
        read(&input, &config.read, &|_| {}, &stop, &mut |intake, _| intakes.push(intake))?;
    }
    let grouped = group(intakes, &config.group);
    let clock = Clock::default();
    let mut extracted = 0;
    for site in &grouped.sites {
        let result = process(site, &config, &clock);
        extracted += result.articles.len();
        print(&result, args.format, out)?;
    }
    if extracted == 0 {
        bail!("no article found in {}", named.join(", "));
    }
    Ok(())
}

fn print(result: &SiteResult, format: ExtractFormat, out: &mut Console<'_>) -> Result<()> {
    for article in &result.articles {
        match format {
            ExtractFormat::Json => {
                serde_json::to_writer(out.as_json(), &article_record(article))?;
                writeln!(out)?;
            }
            ExtractFormat::Html => writeln!(out.as_html(), "{}", article.html)?,
            ExtractFormat::Markdown => {
                let body = article.markdown.as_deref().unwrap_or_default();
                let title = article.metadata.title.as_ref();
                let title = title.map(|t| format!("# {}", dom::markdown_of_text(&t.value)));
                // Many bodies start with their heading.
                if let Some(title) = title.filter(|title| !body.lines().any(|line| line == title)) {
                    writeln!(out, "{title}\n")?;
                }
                writeln!(out, "{body}\n")?;
            }
            ExtractFormat::Text => {
                let title = article.metadata.title.as_ref().map_or("", |t| t.value.as_str());
                writeln!(out, "# {}", line(title))?;
                writeln!(out, "{}", line(&article.origin.file))?;
                writeln!(out, "{} ({})", line(&article.xpath.join(" | ")), article.engine)?;
                writeln!(out, "\n{}\n", article.text)?;
            }
        }
    }
    for drop in &result.drops {
        tracing::warn!("{}: {}", drop.origin.file, drop.reason.as_str());
    }
    Ok(())
}
