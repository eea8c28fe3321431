//! `sitegrove extract`: extracts a few pages and prints them.

mod pages;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use config::Config;
use errors::Problem;
use grouping::Tracking;
use model::SiteResult;
use pages::{Pages, WantedAddress};
use segment::group::group;
use site::clock::Clock;
use site::process;
use sitemodel::Engine;
use terminal::arguments::whole;
use terminal::printed::{Console, line};

use crate::commands::run::arguments::set;

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum ExtractFormat {
    /// Title, author, date, XPath and text of each page
    #[default]
    Text,
    /// One JSON object per page, as in articles.jsonl
    Json,
    /// The HTML fragment of each page
    Html,
    /// Title and text of each page as Markdown
    Markdown,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove extract post-1.html post-2.html post-3.html
  sitegrove extract saved-pages/ --format json
  sitegrove extract page.html --format markdown
  sitegrove extract crawl.warc.gz --url https://blog.example/bread
  curl -s https://blog.example/bread | sitegrove extract - \\
      --url https://blog.example/bread

Pages of one layout are better extracted together: the text that they share is then recognised. With --url, the other pages of the same site in an archive are used in the same way, and only the page with that address is printed. They are found by the index in a WACZ file, or beside an archive (CDX, CDXJ), if it lists the page; else the archive is read as a whole.

Exit codes: 0 success; 1 articles were printed, but an archive could not be read to its end; 2 no article was found, or a file is neither HTML nor an archive.")]
pub(super) struct ExtractArgs {
    /// HTML or MHTML files, folders of them, archives (WARC, ARC, WACZ), indexes of archives or tables of pages
    /// (Parquet, CSV, JSONL); - reads a page or an archive from standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,
    /// Folder or address that the archives named in an index are relative to [default: what is beside the index]
    #[arg(long, value_name = "DIR|ADDRESS")]
    input_base: Option<PathBuf>,
    /// Only the page with this address; of a single HTML file, its address
    #[arg(long, value_name = "ADDRESS")]
    url: Option<String>,
    /// Extraction engine (see `sitegrove run --help`) [default: grove]
    #[arg(long, value_name = "NAME")]
    engine: Option<Engine>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ExtractFormat,
    /// With --format json, divide each text into passages of at most so many words
    #[arg(long, value_name = "WORDS", value_parser = whole::<u32>, default_value_t = 0, hide_default_value = true)]
    passages: u32,
}

/// Extracts a few pages without a run folder. List pages that are named, as files or by address, are extracted too.
/// Returns whether every archive was read to its end.
pub(super) fn run(args: &ExtractArgs, out: &mut Console<'_>) -> Result<bool> {
    let mut config = Config::load(None)?;
    if let Some(engine) = args.engine {
        config.rank.engine = engine;
    }
    set(&mut config.run.input_base, &args.input_base);
    config.emit.markdown = matches!(args.format, ExtractFormat::Markdown);
    if args.passages > 0 && !matches!(args.format, ExtractFormat::Json) {
        bail!("--passages needs --format json");
    }
    config.emit.passages = args.passages;
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let wanted = args.url.as_deref().map(|url| WantedAddress::of(url, &tracking)).transpose()?;
    let Pages { intakes, are_named, are_whole } =
        pages::read_named(&args.inputs, wanted.as_ref(), &config)?;
    if are_named {
        config.cluster.extract_lists = true;
        config.cluster.min_words = 0;
    }
    let grouped = group(intakes, &config.group)?;
    let clock = Clock::default();
    let mut extracted = 0;
    for site in &grouped.sites {
        let mut result = process(site, &config, &clock);
        if let Some(wanted) = &wanted {
            result.articles.retain(|article| wanted.is(&article.url, &tracking));
            result.drops.retain(|drop| wanted.is(&drop.url, &tracking));
        }
        extracted += result.articles.len();
        print(&result, args.format, are_named, out)?;
    }
    if extracted == 0 {
        let at = args.inputs.join(", ");
        bail!(Problem::new(line(&at), "no article found", ""));
    }
    Ok(are_whole)
}

fn print(
    result: &SiteResult,
    format: ExtractFormat,
    are_named: bool,
    out: &mut Console<'_>,
) -> Result<()> {
    for article in &result.articles {
        match format {
            ExtractFormat::Json => out.json_line(&article.article)?,
            ExtractFormat::Html => writeln!(out.as_html(), "{}", article.html)?,
            ExtractFormat::Markdown => {
                let body = article.markdown.as_deref().unwrap_or_default();
                let title = article.title.as_deref();
                let title = title.map(|title| format!("# {}", dom::markdown_of_text(title)));
                // Many bodies already contain the title as a heading.
                if let Some(title) = title.filter(|title| !body.lines().any(|line| line == title)) {
                    writeln!(out, "{title}\n")?;
                }
                writeln!(out, "{body}\n")?;
            }
            ExtractFormat::Text => {
                if let Some(title) = &article.title {
                    writeln!(out, "# {}", line(title))?;
                }
                let is_file = article.url.starts_with("file:");
                let from = if is_file { &*article.origin.file } else { &*article.url };
                writeln!(out, "{}", line(from))?;
                if !is_file && are_named {
                    writeln!(out, "{}", line(&article.origin.file))?;
                }
                let authors = (!article.authors.is_empty()).then(|| article.authors.join(", "));
                let who_and_when: Vec<String> =
                    authors.into_iter().chain(article.published.clone()).collect();
                if !who_and_when.is_empty() {
                    writeln!(out, "{}", line(&who_and_when.join("; ")))?;
                }
                writeln!(out, "{} ({})", line(&article.xpath.join(" | ")), article.engine)?;
                writeln!(out, "\n{}\n", article.text)?;
            }
        }
    }
    for drop in &result.drops {
        let at =
            if are_named && drop.url.starts_with("file:") { &*drop.origin.file } else { &drop.url };
        // Archives contain many pages without articles.
        match are_named {
            true => tracing::warn!(at, "no article ({})", drop.reason.as_str()),
            false => tracing::info!(at, "no article ({})", drop.reason.as_str()),
        }
    }
    Ok(())
}
