//! `sitegrove correct`: corrects single articles of an archive.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use config::corrections::{CorrectionLine, correction_lines, read_values};
use config::files::{read_small_text, read_stdin_text};
use database::WaitPolicy;
use errors::Problem;
use input::waiting::waiting_for_databases;
use jiff::Timestamp;
use model::{ArticleCorrection, CorrectedField, CorrectedValues};
use sink::ArchiveCorrector;
use terminal::printed::{Console, line};

use super::history;
use crate::results::no_article;
use crate::run::sinks::{article_key, with_scheme};

/// Maximum size of a text, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// How long to wait for a run that is writing to the archive.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RevertedField {
    /// Its title
    Title,
    /// Its authors
    Authors,
    /// When it was published
    Published,
    /// Its text
    Text,
    /// All of these
    All,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove correct https://blog.example/bread --archive articles.sqlite \\
      --title \"Bread for beginners\" --published 2026-01-12 --by anna
  sitegrove correct https://blog.example/bread --archive articles.sqlite \\
      --authors \"Orla Penhale\" --authors \"Tom Reed\" --reason \"see imprint\"
  sitegrove correct --archive articles.sqlite --from corrections.jsonl
  sitegrove correct https://blog.example/bread --archive articles.sqlite \\
      --revert title
  sitegrove correct --archive articles.sqlite --list > corrections.jsonl

An empty value says that the article has none. Corrections stay when pages are extracted again, and are in force in `export`; runs apply them with --corrections (docs/CORRECTIONS.md).")]
pub(super) struct CorrectArgs {
    /// Address of the article, with or without scheme, www. and tracking parameters
    #[arg(required_unless_present_any = ["from", "list"], conflicts_with_all = ["from", "list"])]
    url: Option<String>,
    /// The archive file, or a run folder that contains one
    #[arg(long, value_name = "FILE")]
    archive: PathBuf,
    /// The headline
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The name of an author (repeatable)
    #[arg(long, value_name = "NAME")]
    authors: Vec<String>,
    /// When it was published: a date, or a date and time (RFC 3339)
    #[arg(long, value_name = "DATE")]
    published: Option<String>,
    /// File with the text, a blank line between paragraphs; - reads it from standard input
    #[arg(long, value_name = "FILE")]
    text_file: Option<PathBuf>,
    /// Who corrects it
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    by: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
    /// When it was corrected [default: now]
    #[arg(long, value_name = "DATE")]
    at: Option<String>,
    /// Take corrections from a file: JSON lines with url and values
    #[arg(long, value_name = "FILE", conflicts_with_all = ["title", "authors", "published", "text_file"])]
    from: Option<PathBuf>,
    /// End the corrections of these fields, comma-separated
    #[arg(
        long,
        value_name = "FIELDS",
        value_delimiter = ',',
        conflicts_with_all = ["title", "authors", "published", "text_file", "from"]
    )]
    revert: Vec<RevertedField>,
    /// Print the corrections that are in force, as --from takes them
    #[arg(long, conflicts_with_all = ["title", "authors", "published", "text_file", "from", "revert"])]
    list: bool,
}

pub(super) fn run(args: &CorrectArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<()> {
    let path = history::archive_in(&args.archive)?;
    if args.list {
        let found = sink::ArticleArchive::open(&path)?.corrections_in_force()?;
        return found.iter().try_for_each(|own| Ok(out.json_line(own)?));
    }
    let now = match &args.at {
        Some(at) => history::date_of("--at: ", at)?,
        None => Timestamp::now(),
    };
    let corrections = corrections_of(args)?;
    let key_of = article_key(&config::Config::load(None)?);
    let waiting = WaitPolicy { patience: PATIENCE, ..waiting_for_databases(stop) };
    let corrector = ArchiveCorrector::open(&path, waiting)?;
    let mut told = Vec::new();
    for own in &corrections {
        let (url, key) = (&own.url, key_of(&with_scheme(&own.url), None));
        let reverted: BTreeSet<CorrectedField> =
            args.revert.iter().flat_map(|own| own.fields()).collect();
        let at = own.at.unwrap_or(now);
        let (done, fields) = match reverted.is_empty() {
            true => ("corrected", corrector.correct(&key, own, at)?),
            false => ("reverted", corrector.revert(&key, url, &reverted, &own.by, at)?),
        };
        let Some(fields) = fields else { bail!(missing(&path, &key, url)?) };
        let names: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
        match names.is_empty() {
            true if !reverted.is_empty() => bail!(Problem::new(
                line(url),
                "no correction of these fields is in force",
                "`sitegrove history` shows the corrections of an article"
            )),
            true => told.push(format!("{}: corrected so already", line(url))),
            false => told.push(format!("{}: {done} {}", line(url), names.join(", "))),
        }
    }
    corrector.commit(waiting)?;
    told.iter().try_for_each(|line| Ok(writeln!(out, "{line}")?))
}

impl RevertedField {
    fn fields(self) -> impl Iterator<Item = CorrectedField> {
        let own = match self {
            Self::Title => Some(CorrectedField::Title),
            Self::Authors => Some(CorrectedField::Authors),
            Self::Published => Some(CorrectedField::Published),
            Self::Text => Some(CorrectedField::Text),
            Self::All => None,
        };
        CorrectedField::ALL.into_iter().filter(move |field| own.is_none_or(|own| own == *field))
    }
}

fn corrections_of(args: &CorrectArgs) -> Result<Vec<ArticleCorrection>> {
    let CorrectArgs { url, title, authors, published, text_file, by, reason, .. } = args;
    let Some(url) = url else {
        let path = args.from.as_deref().unwrap_or(Path::new(""));
        let with_names = |own: ArticleCorrection| ArticleCorrection {
            by: if own.by.is_empty() { by.clone() } else { own.by },
            reason: if own.reason.is_empty() { reason.clone() } else { own.reason },
            ..own
        };
        let of_articles = correction_lines(path)?.into_iter().filter_map(|line| match line {
            CorrectionLine::Article(own) => Some(with_names(*own)),
            CorrectionLine::Template(_) => None,
        });
        let found: Vec<ArticleCorrection> = of_articles.collect();
        if found.is_empty() {
            bail!(Problem::new(path.display(), "it has no correction of an article", ""));
        }
        return Ok(found);
    };
    let text = text_file.as_deref().map(read_text).transpose()?;
    for name in authors.iter().filter(|name| name.contains(", ")) {
        let next = "repeat --authors for each person";
        tracing::warn!(next, "“{name}” is taken as the name of one person");
    }
    let is_named = |name: &&String| !name.trim().is_empty();
    let values = CorrectedValues {
        title: title.clone(),
        authors: (!authors.is_empty()).then(|| authors.iter().filter(is_named).cloned().collect()),
        published: published.clone(),
        text,
    };
    if values.is_empty() && args.revert.is_empty() {
        bail!(Problem::new(
            line(url),
            "nothing to correct it to",
            "give --title, --authors, --published or --text-file"
        ));
    }
    let values = read_values(values).map_err(|what| anyhow::anyhow!(what))?;
    let own = ArticleCorrection {
        url: url.clone(),
        values,
        by: by.clone(),
        reason: reason.clone(),
        ..ArticleCorrection::default()
    };
    Ok(vec![own])
}

fn read_text(path: &Path) -> Result<String> {
    let read = match path == Path::new("-") {
        true => read_stdin_text(MOST_BYTES),
        false => read_small_text(path, MOST_BYTES),
    };
    read.with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the error that an archive has no article with an address. It names the nearest addresses.
fn missing(path: &Path, key: &sink::ArticleKey, url: &str) -> Result<Problem> {
    let archive = sink::ArticleArchive::open(path)?;
    Ok(no_article(path, url, &key.own, &archive.keys_near(&key.own)?))
}
