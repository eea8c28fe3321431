//! `sitegrove export`: writes articles as documents for readers. Articles are read from the lines of a run, the records of a WARC,
//! or an archive of articles, and pictures from the archives of a crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use archive::{Limits, Record, RecordKind, RecordReader, Response};
use clap::{Args, Subcommand, ValueEnum};
use config::files::address_of;
use document::{PictureFile, PictureFiles, picture_addresses};
use errors::Problem;
use input::source::open;
use input::{Input, InputPlaces, expand, is_run_folder};
use model::{Article, contain_panics};
use report::readable::count;
use segment::records::normal_address;
use serde::Deserialize;
use serde_json::{Value, json};
use sink::{ArticleVersion, AtomicFile, StoredCorrection, is_database, make_folder};
use terminal::printed::{Console, line};

use crate::output_paths::{CommandPaths, OutputKind};
use crate::results::Results;
use crate::run::corrections::correct_field;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove export article https://blog.example/bread --run out/tonight \\
      --out bread.html
  sitegrove export article --site blog.example --run out/tonight \\
      --out blog.epub")]
pub(super) struct ExportArgs {
    #[command(subcommand)]
    command: ExportCommand,
}

#[derive(Debug, Subcommand)]
enum ExportCommand {
    /// Write articles as HTML, Markdown, EPUB, TEI or JSON
    Article(ArticleArgs),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DocumentFormat {
    /// One HTML page for each article, with its pictures in it
    Html,
    /// One Markdown file for each article
    Markdown,
    /// One EPUB 3 book of all articles
    Epub,
    /// One TEI P5 text for each article
    Tei,
    /// All fields of each article, as in articles.jsonl
    Json,
}

impl DocumentFormat {
    /// Determines the format of documents from the extension of their path: HTML for a folder, and for a name without
    /// an extension.
    fn of_path(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|own| own.to_string_lossy().to_ascii_lowercase());
        let Some(extension) = extension.filter(|_| !is_folder(path)) else { return Ok(Self::Html) };
        let all = Self::value_variants();
        all.iter().copied().find(|format| format.ending() == extension).ok_or_else(|| {
            let endings: Vec<String> = all.iter().map(|own| format!(".{}", own.ending())).collect();
            let next = format!(
                "use one of {}, or name the format with --format; a folder ends with /",
                endings.join(", ")
            );
            let what = format!("no format of documents has the extension .{extension}");
            Problem::new(shown(path), what, next).into()
        })
    }

    fn output(self) -> OutputKind {
        match self {
            Self::Html => OutputKind::Html,
            Self::Markdown => OutputKind::Text,
            Self::Epub => OutputKind::Book,
            Self::Tei => OutputKind::Xml,
            Self::Json => OutputKind::Json,
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Epub => "epub",
            Self::Tei => "xml",
            Self::Json => "json",
        }
    }
}

#[derive(Args, Debug)]
#[command(
    disable_version_flag = true,
    after_help = "\
Examples:
  sitegrove export article https://blog.example/bread --run out/tonight \\
      --out bread.html
  sitegrove export article --site blog.example --run out/tonight \\
      --out blog.epub
  sitegrove export article https://blog.example/bread \\
      --archive articles.sqlite --pictures crawl/ --out bread.html
  sitegrove export article --archive out/tonight/articles.warc.gz \\
      --format tei --out texts/"
)]
struct ArticleArgs {
    /// Addresses of articles; without any, all of the run, the archive or the site
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    /// Folder of a finished run
    #[arg(
        long,
        value_name = "RUN_DIR",
        conflicts_with = "archive",
        required_unless_present = "archive"
    )]
    run: Option<PathBuf>,
    /// Archive of articles (--archive of `sitegrove run`), of which the last versions are taken, or a WARC of articles
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
    /// Of articles of an archive, version N instead of the last
    #[arg(long, value_name = "N", requires = "archive", conflicts_with_all = ["run", "all_versions"])]
    version: Option<i64>,
    /// Of articles of an archive, all versions, the oldest first
    #[arg(long, requires = "archive", conflicts_with = "run")]
    all_versions: bool,
    /// Only articles of this site
    #[arg(long, value_name = "SITE")]
    site: Option<String>,
    /// Format of the documents [default: by the extension of --out; html for a folder]
    #[arg(long, value_name = "FORMAT")]
    format: Option<DocumentFormat>,
    /// WARC files or folders that have the pictures [default: those that the articles name]
    #[arg(long, value_name = "INPUT")]
    pictures: Vec<String>,
    /// File to write, or the folder for several documents
    #[arg(long, short, value_name = "PATH")]
    out: PathBuf,
}

pub(super) fn run(args: &ExportArgs, out: &mut Console<'_>) -> Result<()> {
    match &args.command {
        ExportCommand::Article(args) => export(args, out),
    }
}

fn export(args: &ArticleArgs, out: &mut Console<'_>) -> Result<()> {
    let format = match args.format {
        Some(format) => format,
        None => DocumentFormat::of_path(&args.out)?,
    };
    let found = match (&args.run, &args.archive) {
        (Some(run), _) => of_run(run, &args.urls, args.site.as_deref())?,
        (None, Some(archive)) => {
            let versions = match (args.version, args.all_versions) {
                (Some(number), _) => WantedVersions::Number(number),
                (None, true) => WantedVersions::All,
                (None, false) => WantedVersions::Last,
            };
            of_archive(archive, &args.urls, args.site.as_deref(), versions)?
        }
        (None, None) => bail!("name a run with --run, or an archive with --archive"),
    };
    if found.is_empty() {
        let from =
            args.run.as_ref().or(args.archive.as_ref()).map(|path| path.display().to_string());
        let of = args.site.as_ref().map_or_else(String::new, |site| format!(" of the site {site}"));
        let what = format!("contains no article{of}");
        bail!(Problem::new(
            from.unwrap_or_default(),
            what,
            "`sitegrove search` and articles.jsonl show what there is"
        ));
    }
    paths_of(args, format, found.len()).check()?;
    if is_run_folder(&args.out) {
        let what = "is the folder of a run, not one for documents";
        bail!(Problem::new(args.out.display(), what, "name another folder with --out"));
    }
    let pictures = match format {
        DocumentFormat::Markdown | DocumentFormat::Tei | DocumentFormat::Json => {
            PictureFiles::new()
        }
        _ if args.pictures.is_empty() => of_records(&found)?,
        _ => of_inputs(&args.pictures, &found)?,
    };
    if format == DocumentFormat::Epub {
        let articles: Vec<Article> = found.into_iter().map(|found| found.article).collect();
        let title = args.site.clone().unwrap_or_else(|| "Articles".to_owned());
        let book =
            document::to_epub(&articles, &title, &pictures).context("cannot make the book")?;
        AtomicFile::write_whole(&args.out, &book)?;
        writeln!(
            out,
            "{}, {} in {}",
            count(articles.len(), "article"),
            count(pictures.len(), "picture"),
            shown(&args.out)
        )?;
        return Ok(());
    }
    if let [only] = &found[..]
        && !is_folder(&args.out)
    {
        AtomicFile::write_whole(&args.out, &document_of(only, format, &pictures)?)?;
        writeln!(out, "{}", shown(&args.out))?;
        return Ok(());
    }
    make_folder(&args.out)?;
    let mut taken = BTreeSet::new();
    let mut written = 0;
    for one in &found {
        match contain_panics(|| document_of(one, format, &pictures)) {
            Ok(document) => {
                let name = file_name(&one.article.url, format.ending(), &mut taken);
                AtomicFile::write_whole(&args.out.join(name), &document?)?;
                written += 1;
            }
            Err(panic) => tracing::error!(
                at = %one.article.url,
                next = "please report it with the article",
                "left out: its document cannot be made: {panic}"
            ),
        }
    }
    writeln!(out, "{} in {}", count(written, "document"), shown(&args.out))?;
    Ok(())
}

/// Whether a path names a folder that exists, or ends with a separator.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(std::path::MAIN_SEPARATOR)
}

fn paths_of(args: &ArticleArgs, format: DocumentFormat, articles: usize) -> CommandPaths {
    // Each argument is named, so that a new one with a path is not forgotten.
    let ArticleArgs { run, archive, pictures, out, .. } = args;
    let is_file = format == DocumentFormat::Epub || (articles == 1 && !is_folder(out));
    let output = if is_file { format.output() } else { OutputKind::Folder };
    let paths = CommandPaths::default()
        .reads_run("--run", run.as_deref().unwrap_or(Path::new("")))
        .reads("--archive", archive.as_deref().unwrap_or(Path::new("")))
        .writes("--out", out, output);
    pictures.iter().fold(paths, |paths, path| paths.reads("--pictures", Path::new(path)))
}

fn shown(path: &Path) -> String {
    line(&path.to_string_lossy()).into_owned()
}

fn document_of(
    found: &ExportedArticle,
    format: DocumentFormat,
    pictures: &PictureFiles,
) -> Result<Vec<u8>> {
    Ok(match format {
        DocumentFormat::Html => document::to_html(&found.article, pictures).into_bytes(),
        DocumentFormat::Markdown => document::to_markdown(&found.article).into_bytes(),
        DocumentFormat::Tei => document::to_tei(&found.article).into_bytes(),
        DocumentFormat::Json => {
            let mut bytes = serde_json::to_vec_pretty(&found.record)?;
            bytes.push(b'\n');
            bytes
        }
        DocumentFormat::Epub => bail!("a book holds all articles"),
    })
}

/// Maximum length of a file name without its extension, in characters.
const LONGEST: usize = 100;

/// Names the document of an article: its address in plain characters, with a number if that name is taken.
fn file_name(url: &str, ending: &str, taken: &mut BTreeSet<String>) -> String {
    let address = url.split_once("://").map_or(url, |parts| parts.1);
    let plain =
        |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let name: String = address.chars().map(plain).take(LONGEST).collect();
    let name = name.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let name = name.trim_matches('.');
    let name = if name.is_empty() { "article" } else { name };
    let numbered = |number: usize| match number {
        1 => format!("{name}.{ending}"),
        _ => format!("{name}-{number}.{ending}"),
    };
    let free = (1..).map(numbered).find(|name| taken.insert(name.clone()));
    free.unwrap_or_else(|| format!("article.{ending}"))
}

struct ExportedArticle {
    article: Article,
    /// The JSON object of the article, as in `articles.jsonl` or an archive.
    record: Value,
}

/// Which versions of the articles of an archive to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WantedVersions {
    Last,
    Number(i64),
    All,
}

struct WantedArticles<'a> {
    urls: &'a [String],
    site: Option<&'a str>,
    missing: BTreeSet<&'a str>,
    found: Vec<ExportedArticle>,
}

impl<'a> WantedArticles<'a> {
    fn new(urls: &'a [String], site: Option<&'a str>) -> Self {
        let missing = urls.iter().map(String::as_str).collect();
        Self { urls, site, missing, found: Vec::new() }
    }

    fn offer(&mut self, record: Value) -> Result<()> {
        let url = record.get("url").and_then(Value::as_str).unwrap_or_default();
        if !self.urls.is_empty() && !self.urls.iter().any(|wanted| wanted == url) {
            return Ok(());
        }
        let article = Article::deserialize(&record)?;
        if self.site.is_none_or(|wanted| wanted == article.site) {
            self.missing.remove(article.url.as_str());
            self.found.push(ExportedArticle { article, record });
        }
        Ok(())
    }

    /// Returns the articles, in the order of the named addresses, if any. Fails if one is missing.
    fn finish(mut self, place: &Path) -> Result<Vec<ExportedArticle>> {
        if let Some(url) = self.missing.first() {
            bail!("no article with the address {url} is in {}", place.display());
        }
        let rank =
            |found: &ExportedArticle| self.urls.iter().position(|url| *url == found.article.url);
        self.found.sort_by_key(rank);
        Ok(self.found)
    }
}

fn of_run(folder: &Path, urls: &[String], site: Option<&str>) -> Result<Vec<ExportedArticle>> {
    let mut wanted = WantedArticles::new(urls, site);
    Results::open(folder)?.articles()?.each(|record: Value, _| wanted.offer(record))?;
    wanted.finish(folder)
}

/// Reads the articles of an archive, which is an SQLite file or a WARC of articles.
fn of_archive(
    path: &Path,
    urls: &[String],
    site: Option<&str>,
    versions: WantedVersions,
) -> Result<Vec<ExportedArticle>> {
    if path.is_dir() {
        let next = "name a file; the folder of a run is named with --run";
        bail!(Problem::new(path.display(), "is a folder, not an archive of articles", next));
    }
    match is_database(path).with_context(|| format!("cannot read {}", path.display()))? {
        true => of_sqlite(path, urls, site, versions),
        false if versions != WantedVersions::Last => {
            let next = "name an archive in SQLite (--archive of `sitegrove run`)";
            bail!(Problem::new(path.display(), "a WARC of articles has no versions", next))
        }
        false => of_warc(path, urls, site),
    }
}

fn of_warc(path: &Path, urls: &[String], site: Option<&str>) -> Result<Vec<ExportedArticle>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let has_body = |kind| matches!(kind, RecordKind::Conversion | RecordKind::Metadata);
    let records = RecordReader::new(BufReader::new(file), &Limits::USUAL).with_bodies_of(has_body);
    let mut wanted = WantedArticles::new(urls, site);
    let mut before: Option<archive::Record> = None;
    for record in records.filter_map(Result::ok) {
        if record.kind == RecordKind::Conversion {
            before = Some(record);
            continue;
        }
        let (RecordKind::Metadata, Some(conversion)) = (record.kind, before.take()) else {
            continue;
        };
        let refers_to = record.headers.get("WARC-Refers-To").unwrap_or_default();
        if refers_to.trim_matches(['<', '>']) != conversion.record_id {
            continue;
        }
        let Ok(mut fields) = serde_json::from_slice::<Value>(&record.body) else { continue };
        let block = String::from_utf8_lossy(&conversion.body);
        let is_html = conversion
            .headers
            .get("Content-Type")
            .is_some_and(|kind| kind.starts_with("text/html"));
        match is_html {
            true => fields["html"] = sink::fragment_of(&block).into(),
            false => fields["text"] = block.into(),
        }
        wanted.offer(fields)?;
    }
    wanted.finish(path)
}

fn of_sqlite(
    path: &Path,
    urls: &[String],
    site: Option<&str>,
    wanted: WantedVersions,
) -> Result<Vec<ExportedArticle>> {
    let archive = sink::ArticleArchive::open(path)?;
    let mut found = Vec::new();
    let mut take = |versions: Vec<ArticleVersion>| -> Result<()> {
        let corrections = versions.last().map_or_else(Vec::new, |own| own.corrections.clone());
        let last = versions.len();
        for (number, version) in (1..).zip(versions) {
            let is_wanted = match wanted {
                WantedVersions::Last => number == last,
                WantedVersions::Number(own) => version.number == own,
                WantedVersions::All => true,
            };
            if is_wanted {
                found.push(exported(version, &corrections, number == last)?);
            }
        }
        Ok(())
    };
    if urls.is_empty() {
        for key in archive.keys(site)? {
            take(archive.versions(&key)?)?;
        }
        return Ok(found);
    }
    ensure!(
        site.is_none(),
        "--site: articles of an archive are named by address or by site, not both"
    );
    let key_of = crate::run::sinks::article_key(&config::Config::load(None)?);
    for url in urls {
        let versions = archive.history(&key_of(url, None), url)?;
        let number = versions.len();
        if number == 0 {
            bail!("no article with the address {url} is in {}", path.display());
        }
        if let WantedVersions::Number(own) = wanted
            && !(1..=number as i64).contains(&own)
        {
            bail!(Problem::new(
                url,
                format!("has no version {own}"),
                format!("its last is {number}")
            ));
        }
        take(versions)?;
    }
    Ok(found)
}

/// Converts a version to an article and applies the corrections that are in force: all of them to the last version; to an
/// earlier one, those of values that it has, too.
fn exported(
    version: ArticleVersion,
    corrections: &[StoredCorrection],
    is_last: bool,
) -> Result<ExportedArticle> {
    let mut record = serde_json::to_value(&version)?;
    record["html"] = version.html.as_str().into();
    record["fetched"] = version.last_seen.as_deref().into();
    let mut article = Article {
        url: version.url,
        title: version.title,
        authors: version.authors,
        published: version.published,
        modified: version.modified,
        language: version.language,
        description: version.description,
        fetched: version.last_seen.and_then(|seen| seen.parse().ok()),
        html: version.html,
        text: version.text,
        ..Article::default()
    };
    let before = article.clone();
    let applied = corrections.iter().filter(|own| own.is_in_force()).filter(|own| {
        let applies = is_last || own.is_of(&before);
        if let Some((field, correction)) = own.line(&before.url).filter(|_| applies) {
            correct_field(&mut article, field, &correction, own.outdated.is_some(), 0);
        }
        applies
    });
    let applied: Vec<&StoredCorrection> = applied.collect();
    if !applied.is_empty() {
        for (name, value) in [
            ("title", json!(article.title)),
            ("authors", json!(article.authors)),
            ("published", json!(article.published)),
            ("text", json!(article.text)),
            ("html", json!(article.html)),
            ("corrections", json!(applied)),
        ] {
            record[name] = value;
        }
    }
    Ok(ExportedArticle { article, record })
}

/// Largest picture that is put into a document, in bytes.
const LARGEST: usize = 32 << 20;

/// The source addresses of wanted pictures, each with the addresses by which documents refer to the picture.
type WantedPictures = BTreeMap<String, BTreeSet<String>>;

/// Reads the pictures of articles from the records that the articles name. Archives that no longer exist, or are not files,
/// are left out.
fn of_records(articles: &[ExportedArticle]) -> Result<PictureFiles> {
    let mut files: BTreeMap<&str, BTreeMap<u64, WantedPictures>> = BTreeMap::new();
    for image in articles.iter().flat_map(|found| &found.article.images) {
        if let Some(record) = &image.record {
            let at = files.entry(&record.file).or_default().entry(record.offset).or_default();
            at.entry(normal_address(&record.url).into_owned())
                .or_default()
                .insert(image.url.clone());
        }
    }
    let mut pictures = PictureFiles::new();
    for (file, places) in files {
        let path = Path::new(file);
        if address_of(path).is_none() && path.is_file() {
            let read = read_places(path, places, &mut pictures);
            read.with_context(|| format!("cannot read {file}"))?;
        }
    }
    Ok(pictures)
}

/// Reads the records at these offsets. If an offset has a different record, as in an archive that is compressed as a
/// whole, searches the whole file for the picture.
fn read_places(
    path: &Path,
    places: BTreeMap<u64, WantedPictures>,
    pictures: &mut PictureFiles,
) -> io::Result<()> {
    let mut elsewhere = WantedPictures::new();
    let mut file = open(path)?;
    for (offset, wanted) in places {
        file.seek(SeekFrom::Start(offset))?;
        let first = records(&mut file).next().filter(|record| record.offset == 0);
        match first {
            Some(record) if shown_by(&record, &wanted).is_some() => {
                take(record, &wanted, pictures);
            }
            _ => {
                for (source, shown) in wanted {
                    elsewhere.entry(source).or_default().extend(shown);
                }
            }
        }
    }
    if !elsewhere.is_empty() {
        file.rewind()?;
        records(&mut file).for_each(|record| take(record, &elsewhere, pictures));
    }
    Ok(())
}

/// Reads the pictures of articles from these archives. Of several captures, the last is used.
fn of_inputs(inputs: &[String], articles: &[ExportedArticle]) -> Result<PictureFiles> {
    let mut wanted = WantedPictures::new();
    let mut want = |source: &str, shown: &str| {
        wanted.entry(normal_address(source).into_owned()).or_default().insert(shown.to_owned());
    };
    for found in articles {
        let sources = picture_addresses(&found.article.html);
        sources.iter().flatten().for_each(|source| want(source, source));
        for image in &found.article.images {
            image.record.iter().for_each(|record| want(&record.url, &image.url));
        }
    }
    let mut pictures = PictureFiles::new();
    if wanted.is_empty() {
        return Ok(pictures);
    }
    for input in expand(inputs, &[], InputPlaces::default())? {
        let Input::Archive(path) = &input else { continue };
        let mut file = open(path).with_context(|| format!("cannot read {}", path.display()))?;
        records(&mut file).for_each(|record| take(record, &wanted, &mut pictures));
    }
    Ok(pictures)
}

/// Reads the records of an archive, with the bodies of those that may contain pictures.
fn records(file: impl Read) -> impl Iterator<Item = Record> {
    let has_body = |kind| matches!(kind, RecordKind::Response | RecordKind::Resource);
    let reader = RecordReader::new(BufReader::new(file), &Limits::USUAL).with_bodies_of(has_body);
    reader.filter_map(Result::ok)
}

/// Returns the addresses by which documents refer to the picture of a record; `None` if it is not wanted.
fn shown_by<'a>(record: &Record, wanted: &'a WantedPictures) -> Option<&'a BTreeSet<String>> {
    wanted.get(&*normal_address(record.target_uri.as_deref()?))
}

/// Adds the picture of a record to `pictures`, if it is wanted.
fn take(record: Record, wanted: &WantedPictures, pictures: &mut PictureFiles) {
    let Some(shown) = shown_by(&record, wanted) else { return };
    let bytes = match record.kind {
        RecordKind::Resource => Some(record.body),
        RecordKind::Response => payload(record.body),
        _ => None,
    };
    if let Some(picture) = bytes.filter(|bytes| bytes.len() <= LARGEST).and_then(PictureFile::of) {
        pictures.extend(shown.iter().map(|address| (address.clone(), picture.clone())));
    }
}

/// Returns the payload of a response with status 200.
fn payload(block: Vec<u8>) -> Option<Vec<u8>> {
    let response = Response::parse(&block).ok().filter(|response| response.status == 200)?;
    response.into_body(block, LARGEST).ok().map(|(bytes, _)| bytes)
}
