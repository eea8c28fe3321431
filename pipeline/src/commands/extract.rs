//! `sitegrove extract`: extracts a few pages of files, archives and standard input, and prints them.

use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use archive::{PayloadKind, sniff_html, surt};
use clap::{Args, ValueEnum};
use config::Config;
use errors::Problem;
use grouping::{Tracking, site_key};
use input::cdx::{Listed, read_index};
use input::file_type::{kind_of, what_are, what_is};
use input::parts::RecordAt;
use input::read::{ArchiveReader, Intake, PayloadDigest, indexed, own_address, read, read_saved};
use input::source::{open, state};
use input::waiting::is_stream;
use input::{Input, InputPlaces, expand};
use model::{CutShort, Drop, DropReason, SiteResult};
use segment::group::group;
use site::clock::Clock;
use site::process;
use sitemodel::Engine;
use terminal::arguments::whole;
use terminal::printed::{Console, line};

use super::run::arguments::set;
use crate::run::sinks::with_scheme;

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ExtractFormat {
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
        read_named(&args.inputs, wanted.as_ref(), &config)?;
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

/// Address of a page from standard input that names none.
const FROM_STDIN: &str = "file:///stdin.html";
/// Number of bytes by which a page is distinguished from an archive.
const FIRST: usize = 8 << 10;
/// Advice on what can be extracted, for error messages.
const TAKEN: &str = "give HTML or MHTML files, or archives (WARC, ARC, WACZ)";

struct Pages {
    intakes: Vec<(Intake, PayloadDigest)>,
    /// Whether the pages were named, as files or by address; otherwise they are all pages of archives.
    are_named: bool,
    are_whole: bool,
}

/// Reads the inputs of the command. If a page is wanted by its address, keeps only pages of its site from archives.
fn read_named(named: &[String], wanted: Option<&WantedAddress>, config: &Config) -> Result<Pages> {
    let places = InputPlaces {
        base: &config.run.input_base,
        extra: &config.read.extra,
        ..InputPlaces::default()
    };
    let inputs: Vec<Input> =
        expand(named, &[], places)?.into_iter().map(checked).collect::<Result<_>>()?;
    let mut reading = KeptIntakes { wanted, intakes: Vec::new(), are_whole: true };
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let mut archives = 0;
    for input in &inputs {
        if input.is_stdin() {
            archives += usize::from(stdin(&mut reading, config)?);
            continue;
        }
        if let Some(listed) = by_index(input, wanted, &tracking)
            && reading.take_listed(&listed, &tracking, config)?
        {
            archives += 1;
            continue;
        }
        let mut take = |intake, digest: PayloadDigest| reading.take(intake, digest);
        let (record, _) = read(input, &config.read, &|_| {}, &AtomicBool::new(false), &mut take)?;
        archives += usize::from(matches!(input, Input::Records { .. } | Input::Table(_)));
        if matches!(input, Input::Archive(_)) {
            archives += 1;
            // Compressed files look like archives until they are read.
            if record.records.is_empty() {
                bail!(refused(input.path()));
            }
        }
    }
    let KeptIntakes { mut intakes, are_whole, .. } = reading;
    if let Some(wanted) = wanted {
        name(&mut intakes, wanted, config, &named.join(", "))?;
    }
    Ok(Pages { intakes, are_named: archives == 0 || wanted.is_some(), are_whole })
}

struct KeptIntakes<'a> {
    wanted: Option<&'a WantedAddress>,
    intakes: Vec<(Intake, PayloadDigest)>,
    are_whole: bool,
}

impl KeptIntakes<'_> {
    fn take(&mut self, intake: Intake, digest: PayloadDigest) {
        let site = match &intake {
            Intake::Page(page) if page.url.starts_with("file:") => None,
            Intake::Page(page) => site_key(&page.url),
            Intake::Revisit(revisit) => site_key(&revisit.url),
            // A drop contains no page, but may say that the archive is damaged.
            Intake::Drop(drop) => return self.note_damage(drop),
            Intake::Feed(_) | Intake::Redirect { .. } | Intake::SiteFile(_) => None,
        };
        let other = |wanted: &WantedAddress| site.is_some() && site != wanted.site;
        if !self.wanted.is_some_and(other) {
            self.intakes.push((intake, digest));
        }
    }

    /// Reports an archive that is cut short.
    fn note_damage(&mut self, drop: &Drop) {
        if drop.reason == DropReason::CutShort {
            let cut_short = CutShort { offset: drop.origin.offset, detail: drop.detail.clone() };
            tracing::error!(at = %drop.origin.file, "{}", cut_short.problem());
            self.are_whole = false;
        }
    }

    /// Reads the records of an archive that its index lists. Returns whether the wanted page is among them; if not,
    /// keeps none of them.
    fn take_listed(
        &mut self,
        listed: &Input,
        tracking: &Tracking,
        config: &Config,
    ) -> Result<bool> {
        let before = self.intakes.len();
        let mut take = |intake, digest: PayloadDigest| self.take(intake, digest);
        read(listed, &config.read, &|_| {}, &AtomicBool::new(false), &mut take)?;
        let is_wanted = |(intake, _): &(Intake, PayloadDigest)| match (intake, self.wanted) {
            (Intake::Page(page), Some(wanted)) => {
                let url = own_address(page).unwrap_or_else(|| page.url.clone());
                wanted.is(&url, tracking)
            }
            (Intake::Revisit(revisit), Some(wanted)) => wanted.is(&revisit.url, tracking),
            _ => false,
        };
        let found = self.intakes[before..].iter().any(is_wanted);
        if !found {
            self.intakes.truncate(before);
        }
        Ok(found)
    }
}

/// Checks that an input is HTML or an archive. The file of a page may have any name.
fn checked(input: Input) -> Result<Input> {
    let path = input.path();
    if input.is_stdin() || is_stream(path) {
        return Ok(input);
    }
    let mut first = Vec::new();
    let opened = open(path).and_then(|file| file.take(FIRST as u64).read_to_end(&mut first));
    opened.with_context(|| format!("cannot read {}", path.display()))?;
    // Pages may contain NUL bytes.
    let begins_as_page = sniff_html(None, &first) == PayloadKind::Html;
    match &input {
        // Other problems are reported while reading.
        Input::Html { .. } if begins_as_page || kind_of(&first).is_none() => Ok(input),
        Input::Archive(_) if is_archive(path, &first) => Ok(input),
        Input::Archive(_) if begins_as_page => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok(Input::Html { path: path.to_owned(), name, folder: String::new() })
        }
        Input::Unreadable { .. } | Input::Records { .. } | Input::Table(_) => Ok(input),
        _ => bail!(refused(path)),
    }
}

/// Returns the error that a file is neither HTML nor an archive. It says what the file is.
fn refused(path: &Path) -> Problem {
    let what = what_is(path).unwrap_or_else(|_| "unreadable".to_owned());
    let next = if what.starts_with("an HTML page in") { "decompress it first" } else { TAKEN };
    Problem::new(path.display(), format!("is {what}, not HTML or an archive"), next)
}

/// Whether a file begins like an archive, or is a ZIP file with the name of an archive.
fn is_archive(path: &Path, first: &[u8]) -> bool {
    archive::begins_as_archive(first) || first.starts_with(b"PK\x03\x04") && input::is_archive(path)
}

/// Reads a page or an archive from standard input. Returns whether it is an archive.
fn stdin(reading: &mut KeptIntakes<'_>, config: &Config) -> Result<bool> {
    let mut first = Vec::new();
    let input = || "cannot read standard input";
    io::stdin().take(FIRST as u64).read_to_end(&mut first).with_context(input)?;
    if archive::begins_as_archive(&first) {
        let beginning = what_are(&first);
        let reader = Cursor::new(first).chain(io::stdin());
        let mut records = 0;
        for intake in ArchiveReader::new(reader, "-", &config.read) {
            reading.take(intake?, None);
            records += 1;
        }
        if records == 0 {
            let what = format!("is {beginning}, without a record of an archive");
            bail!(Problem::new("standard input", what, TAKEN));
        }
        return Ok(true);
    }
    if sniff_html(None, &first) != PayloadKind::Html && !first.starts_with(b"MIME") {
        let what = format!("is {}, not HTML or an archive", what_are(&first));
        bail!(Problem::new("standard input", what, TAKEN));
    }
    let limit = config.read.max_payload_bytes as u64;
    io::stdin().take(limit).read_to_end(&mut first).with_context(input)?;
    let mut take = |intake, digest: PayloadDigest| reading.take(intake, digest);
    read_saved(first, FROM_STDIN.to_owned(), &config.read, &mut take);
    Ok(false)
}

/// Checks that the wanted page is among the intakes. If the only page is a file, gives it the wanted address.
fn name(
    intakes: &mut [(Intake, PayloadDigest)],
    wanted: &WantedAddress,
    config: &Config,
    at: &str,
) -> Result<()> {
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let (mut pages, mut urls) = (Vec::new(), Vec::new());
    for (intake, _) in intakes {
        match intake {
            Intake::Page(page) => pages.push(page),
            Intake::Revisit(revisit) => urls.push(revisit.url.clone()),
            _ => {}
        }
    }
    if let [page] = &mut pages[..]
        && page.url.starts_with("file:")
    {
        page.url.clone_from(&wanted.url);
        return Ok(());
    }
    urls.extend(pages.iter().map(|page| own_address(page).unwrap_or_else(|| page.url.clone())));
    if urls.iter().any(|url| wanted.is(url, &tracking)) {
        return Ok(());
    }
    let likeness = |url: &&String| (strsim::jaro_winkler(url, &wanted.url) * 1e6) as u64;
    let next = match urls.iter().max_by_key(likeness) {
        Some(nearest) => format!("the nearest address is {nearest}"),
        None => "the input has no page of that site".to_owned(),
    };
    bail!(Problem::new(at, format!("there is no page with the address {}", wanted.url), next))
}

/// Returns the records of an archive that belong to the site of the wanted page. `None` if no page is wanted, there is no
/// index that can be read, or the index does not list the page; the archive is then read as a whole.
fn by_index(input: &Input, wanted: Option<&WantedAddress>, tracking: &Tracking) -> Option<Input> {
    let (Input::Archive(path), Some(wanted)) = (input, wanted) else { return None };
    let site = wanted.site.as_deref().filter(|_| !input.is_stdin() && !is_stream(path))?;
    let (mut records, mut is_listed) = (Vec::<RecordAt>::new(), false);
    let mut take = |own: Listed| {
        if site_key(&own.url).as_deref() == Some(site) {
            is_listed |= wanted.is(&own.url, tracking);
            records.push(own.record);
        }
    };
    let (index, done) = if input.format() == "WACZ" {
        let key = surt(&format!("https://{site}/"));
        (path.clone(), indexed(path, key.trim_end_matches(")/"), &mut take))
    } else if let Some(index) = beside(path) {
        let name = path.file_name();
        let mut own = |listed: Listed| {
            if Path::new(&listed.file).file_name() == name {
                take(listed);
            }
        };
        let done = read_index(&index, &mut own);
        (index, done)
    } else {
        return None;
    };
    if let Err(error) = done {
        let next = "reading the archive as a whole";
        tracing::warn!(at = %index.display(), next, "cannot use the index: {error:#}");
        return None;
    }
    if !is_listed {
        return None;
    }
    records.sort_unstable();
    records.dedup();
    tracing::info!(at = %path.display(), "reading the {} records of {site} in its index", records.len());
    Some(Input::Records {
        path: path.clone(),
        records: records.into(),
        extra: Arc::default(),
        indexes: vec![index],
    })
}

/// Finds the index of an archive: a file beside it with its name and the extension of an index, with or without the
/// extensions of the archive.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let mut stems = vec![name];
    while let Some((stem, end)) = stems[stems.len() - 1].rsplit_once('.')
        && ["gz", "zst", "warc", "arc"].contains(&end)
    {
        stems.push(stem);
    }
    let names = stems.iter().flat_map(|stem| {
        ["cdxj", "cdxj.gz", "cdx", "cdx.gz"].map(|end| path.with_file_name(format!("{stem}.{end}")))
    });
    names.into_iter().find(|index| state(index).is_ok())
}

struct WantedAddress {
    url: String,
    key: String,
    site: Option<String>,
}

impl WantedAddress {
    /// Parses the address of a wanted page. Without a scheme, it is an https address.
    fn of(url: &str, tracking: &Tracking) -> Result<Self> {
        let url = with_scheme(url);
        let Some(address) = tracking.address(&url) else {
            let next = "give one such as https://blog.example/bread";
            bail!(Problem::new("--url", format!("`{url}` is not an address"), next));
        };
        Ok(Self { site: site_key(&url), key: address.key, url })
    }

    fn is(&self, url: &str, tracking: &Tracking) -> bool {
        tracking.address(url).is_some_and(|address| address.key == self.key)
    }
}
