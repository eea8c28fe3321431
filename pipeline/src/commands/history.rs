//! `sitegrove history`: the versions of an article in an archive. `sitegrove changes`: the articles of an archive that
//! were added, changed, read differently, gone or back since a date.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use errors::Problem;
use sink::{ArticleChange, ChangeKind};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line};

use crate::run::sinks::{article_key, with_scheme};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove history https://blog.example/2026/bread --archive articles.sqlite
  sitegrove history blog.example/2026/bread --archive articles.sqlite \\
      --format json

Archives are made by `sitegrove run … --archive FILE` (docs/ARCHIVE.md).")]
pub(super) struct HistoryArgs {
    /// Address of the article, with or without scheme, www. and tracking parameters
    url: String,
    /// The archive file, or a run folder that contains one
    #[arg(long, value_name = "FILE")]
    archive: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

/// Prints the versions of an article, the oldest first.
pub(super) fn history(args: &HistoryArgs, out: &mut Console<'_>) -> Result<()> {
    let archive = open(&args.archive)?;
    let key_of = article_key(&config::Config::load(None)?);
    let versions = archive.history(&key_of(&with_scheme(&args.url), None), &args.url)?;
    if versions.is_empty() {
        bail!(Problem::new(
            args.archive.display(),
            format!("the archive has no article with the address {}", args.url),
            format!(
                "`sitegrove changes --since 1970-01-01 --archive {}` lists its articles",
                args.archive.display()
            ),
        ));
    }
    if args.format == PrintFormat::Json {
        for version in &versions {
            out.json_line(version)?;
        }
        return Ok(());
    }
    for version in &versions {
        let date = |date: &Option<String>| date.as_deref().unwrap_or("no date").to_owned();
        let times = if version.visits == 1 { "visit" } else { "visits" };
        let (first, last) = (date(&version.first_seen), date(&version.last_seen));
        let until = if last == first { String::new() } else { format!(" to {last}") };
        writeln!(out, "version {}  {first}{until}  {} {times}", version.number, version.visits)?;
        writeln!(out, "  {}", line(&version.url))?;
        writeln!(out, "  {}", line(version.title.as_deref().unwrap_or("(no title)")))?;
        if let Some(why) = &version.truncated {
            writeln!(out, "  truncated ({}); there is no complete visit", line(why))?;
        }
        if !version.changed.is_empty() {
            writeln!(out, "  changed: {}", version.changed.join(", "))?;
        }
        if let Some(revision) = version.model_revision.filter(|&number| number > 0) {
            writeln!(out, "  model revision: {revision}")?;
        }
        for changed in version.diff.iter().flat_map(|diff| diff.lines()) {
            writeln!(out, "    {}", line(changed))?;
        }
        for reading in &version.readings {
            let by = match reading.model_revision {
                Some(number) if number > 0 => format!("model revision {number}"),
                _ => line(&reading.program).to_string(),
            };
            let kept = if reading.replaced { "; this replaced what was read before" } else { "" };
            let (seen, what) = (date(&reading.fetched), reading.changed.join(", "));
            writeln!(out, "  the same page, read differently  {seen}  by {by}: {what}{kept}")?;
            for changed in reading.diff.lines() {
                writeln!(out, "    {}", line(changed))?;
            }
        }
        for gone in &version.gone {
            let until = match gone.last_seen == gone.first_seen {
                true => String::new(),
                false => format!(" to {}", gone.last_seen),
            };
            let to = gone.moved_to.as_ref();
            let to = to.map_or_else(String::new, |to| format!(", moved to {}", line(to)));
            writeln!(out, "  gone  {}{until}  (status {}{to})", gone.first_seen, gone.status)?;
        }
        for own in &version.corrections {
            let (by, why) = (said(" by ", &own.by), said(": ", &own.reason));
            writeln!(out, "  {} corrected  {}{by}{why}", own.field, own.at)?;
            for changed in own.diff.lines() {
                writeln!(out, "    {}", line(changed))?;
            }
            if let Some(since) = &own.outdated {
                writeln!(out, "  correction outdated: another {} since {since}", own.field)?;
            }
            match (&own.ended, &own.reverted_by) {
                (Some(at), Some(by)) => {
                    writeln!(out, "  {} reverted  {at}{}", own.field, said(" by ", by))?;
                }
                (Some(at), None) => writeln!(out, "  replaced {at}")?,
                (None, _) => {}
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Puts `before` in front of a text; empty if the text is empty.
pub(super) fn said(before: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{before}{}", line(text)) }
}

/// Parses the date that an option gives. The error message begins with `option`.
pub(super) fn date_of(option: &str, date: &str) -> Result<jiff::Timestamp> {
    archive::parse_date(date).with_context(|| {
        format!("{option}invalid date `{date}`: expected 2026-10-05 or 2026-10-05T03:00:00Z")
    })
}

pub(super) fn open(path: &Path) -> Result<sink::ArticleArchive> {
    Ok(sink::ArticleArchive::open(&archive_in(path)?)?)
}

/// Returns the archive file at a path, or in the run folder at a path.
pub(super) fn archive_in(path: &Path) -> Result<PathBuf> {
    let inside = path.join("archive.sqlite");
    let what = match path.is_dir() {
        true if inside.is_file() => return Ok(inside),
        true => "the folder contains no archive of articles",
        false if path.exists() => return Ok(path.to_owned()),
        false => "there is no such archive",
    };
    bail!(Problem::new(path.display(), what, "`sitegrove run … --archive FILE` makes one"))
}

fn change_kind() -> impl TypedValueParser<Value = ChangeKind> {
    let named = |kind: ChangeKind| {
        PossibleValue::new(kind.as_str()).help(match kind {
            ChangeKind::New => "Its first version",
            ChangeKind::Changed => "The page changed",
            ChangeKind::Unclear => {
                "The page changed, and so did the model or the program that read it"
            }
            ChangeKind::Reread => "The same page, read differently",
            ChangeKind::Gone => "Its address has no page any more",
            ChangeKind::Moved => "Its address redirects to another one",
            ChangeKind::Back => "Its address has a page again",
            ChangeKind::Corrected => "A field was corrected by hand",
            ChangeKind::Reverted => "A correction was reverted",
            ChangeKind::Outdated => {
                "Another value is extracted now than the one that was corrected"
            }
        })
    };
    let known = |name: String| ChangeKind::parse(&name).ok_or("no such kind");
    PossibleValuesParser::new(ChangeKind::ALL.map(named)).try_map(known)
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove changes --since 2026-10-05 --archive articles.sqlite
  sitegrove changes --since 2026-10-05 --kinds new,changed \\
      --archive articles.sqlite
  sitegrove changes --since 2026-10-05T03:00:00Z --site blog.example \\
      --archive articles.sqlite --format json

Dates are those of the crawls, not of the runs (docs/ARCHIVE.md).")]
pub(super) struct ChangesArgs {
    /// Only versions first seen at this time or later: a date, or a date and time (RFC 3339)
    #[arg(long, value_name = "DATE")]
    since: String,
    /// The archive file, or a run folder that contains one
    #[arg(long, value_name = "FILE")]
    archive: PathBuf,
    /// Only this site (registrable domain)
    #[arg(long)]
    site: Option<String>,
    /// Only these kinds, comma-separated [default: all]
    #[arg(long, value_name = "LIST", value_parser = change_kind(), value_delimiter = ',')]
    kinds: Vec<ChangeKind>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

/// Prints the changes, by date.
pub(super) fn changes(args: &ChangesArgs, out: &mut Console<'_>) -> Result<()> {
    let since = date_of("", &args.since)?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let archive = open(&args.archive)?;
    archive.changes(&since, args.site.as_deref(), |change: ArticleChange| -> Result<()> {
        if !args.kinds.is_empty() && !args.kinds.contains(&change.kind) {
            return Ok(());
        }
        if args.format == PrintFormat::Json {
            out.json_line(&change)?;
        } else {
            let mut what = match (change.status, &change.moved_to) {
                (Some(_), Some(to)) => format!(" to {}", line(to)),
                (Some(status), None) => format!(" (status {status})"),
                _ if change.changed.is_empty() => String::new(),
                _ => format!(" ({})", change.changed.join(", ")),
            };
            what += &said(" by ", change.by.as_deref().unwrap_or_default());
            what += &said(": ", change.reason.as_deref().unwrap_or_default());
            let title = line(change.title.as_deref().unwrap_or("(no title)"));
            let (seen, kind, url) = (&change.first_seen, change.kind.as_str(), line(&change.url));
            writeln!(out, "{seen}  {kind:<9}  {url}  {title}{what}")?;
        }
        Ok(())
    })
}
