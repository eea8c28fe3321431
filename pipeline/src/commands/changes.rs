//! `sitegrove changes`: the articles of an archive that were added, changed, read differently, gone or back since a date.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sink::{ArticleChange, ChangeKind};
use terminal::arguments::PrintFormat;
use terminal::printed::{Console, line};

use super::history::{date_of, open, said};

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
pub(super) fn run(args: &ChangesArgs, out: &mut Console<'_>) -> Result<()> {
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
