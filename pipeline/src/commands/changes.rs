//! `sitegrove changes`: the articles of an archive that were added, changed, read differently, gone or back since a date.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use terminal::arguments::PrintFormat;
use terminal::printed::Console;

/// What happened to an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Its first version
    New,
    /// The page changed
    Changed,
    /// The page changed, and so did the model or the program that read it
    Unclear,
    /// The same page, read differently
    Reread,
    /// Its address has no page any more
    Gone,
    /// Its address redirects to another one
    Moved,
    /// Its address has a page again
    Back,
    /// A field was corrected by hand
    Corrected,
    /// A correction was reverted
    Reverted,
    /// Another value is extracted now than the one that was corrected
    Outdated,
}

/// Arguments of `sitegrove changes`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove changes --since 2026-10-05 --archive articles.sqlite
  sitegrove changes --since 2026-10-05 --kinds new,changed \\
      --archive articles.sqlite
  sitegrove changes --since 2026-10-05T03:00:00Z --site blog.example \\
      --archive articles.sqlite --format json

Dates are those of the crawls, not of the runs (docs/ARCHIVE.md).")]
pub struct ChangesArgs {
    /// Only versions first seen at this time or later: a date, or a date and time (RFC 3339)
    #[arg(long, value_name = "DATE")]
    pub since: String,
    /// The archive file, or a run folder that contains one
    #[arg(long, value_name = "FILE")]
    pub archive: PathBuf,
    /// Only this site (registrable domain)
    #[arg(long)]
    pub site: Option<String>,
    /// Only these kinds, comma-separated [default: all]
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    pub kinds: Vec<KindArg>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: PrintFormat,
}

/// Prints the new versions, by date.
///
/// # Errors
/// If the date or the archive cannot be read, or the output cannot be written.
pub fn run(args: &ChangesArgs, out: &mut Console<'_>) -> Result<()> {
    use anyhow::Context;
    use sink::{ArticleChange, ChangeKind};
    use terminal::printed::line;

    let since = archive::parse_date(&args.since).with_context(|| {
        format!("invalid date `{}`: expected 2026-10-05 or 2026-10-05T03:00:00Z", args.since)
    })?;
    let since = since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let kind = |kind: &KindArg| match kind {
        KindArg::New => ChangeKind::New,
        KindArg::Changed => ChangeKind::Changed,
        KindArg::Unclear => ChangeKind::Unclear,
        KindArg::Reread => ChangeKind::Reread,
        KindArg::Gone => ChangeKind::Gone,
        KindArg::Moved => ChangeKind::Moved,
        KindArg::Back => ChangeKind::Back,
        KindArg::Corrected => ChangeKind::Corrected,
        KindArg::Reverted => ChangeKind::Reverted,
        KindArg::Outdated => ChangeKind::Outdated,
    };
    let wanted: Vec<ChangeKind> = args.kinds.iter().map(kind).collect();
    let archive = super::history::open(&args.archive)?;
    archive.changes(&since, args.site.as_deref(), |change: ArticleChange| -> Result<()> {
        if !wanted.is_empty() && !wanted.contains(&change.kind) {
            return Ok(());
        }
        if args.format == PrintFormat::Json {
            out.json_line(&change)?;
        } else {
            let what = if change.changed.is_empty() {
                String::new()
            } else {
                format!(" ({})", change.changed.join(", "))
            };
            let what = match (change.status, &change.moved_to) {
                (Some(_), Some(to)) => format!(" to {}", line(to)),
                (Some(status), None) => format!(" (status {status})"),
                _ => what,
            };
            let said = [(" by ", &change.by), (": ", &change.reason)];
            let said = said.into_iter().filter_map(|(before, text)| Some((before, text.as_ref()?)));
            let said = said.filter(|own| !own.1.is_empty());
            let what =
                said.fold(what, |what, (before, text)| format!("{what}{before}{}", line(text)));
            let title = line(change.title.as_deref().unwrap_or("(no title)"));
            let (seen, kind, url) = (&change.first_seen, change.kind.as_str(), line(&change.url));
            writeln!(out, "{seen}  {kind:<9}  {url}  {title}{what}")?;
        }
        Ok(())
    })
}
