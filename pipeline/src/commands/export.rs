//! `sitegrove export`: writes articles as documents for readers.

mod articles;
mod pictures;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use articles::{ExportedArticle, WantedVersions};
use clap::{Args, Subcommand, ValueEnum};
use document::PictureFiles;
use errors::Problem;
use input::is_run_folder;
use model::{Article, contain_panics};
use report::readable::count;
use sink::{AtomicFile, make_folder};
use terminal::printed::{Console, line};

use crate::output_paths::{CommandPaths, OutputKind};

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
        (Some(run), _) => articles::of_run(run, &args.urls, args.site.as_deref())?,
        (None, Some(archive)) => {
            let versions = match (args.version, args.all_versions) {
                (Some(number), _) => WantedVersions::Number(number),
                (None, true) => WantedVersions::All,
                (None, false) => WantedVersions::Last,
            };
            articles::of_archive(archive, &args.urls, args.site.as_deref(), versions)?
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
        _ if args.pictures.is_empty() => pictures::of_records(&found)?,
        _ => pictures::of_inputs(&args.pictures, &found)?,
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
