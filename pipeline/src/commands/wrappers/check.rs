//! `sitegrove wrappers check`: which directives of files are honoured.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use wrapper::site_config::{DirectiveVerdict, Finding};

use crate::commands::format::Format;
use crate::printed::{Console, line};
use crate::site_config_files::{SiteConfigFile, read_files};

/// Arguments of `sitegrove wrappers check`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers check my-wrappers/
  sitegrove wrappers check blog.example.txt --all

`sitegrove run --site-configs` and `wrap.site_configs` use the files.

Exit codes: 0 every directive is honoured or needless; 1 some are not honoured, or a file name contains no host; 2 a file could not be read.")]
pub(super) struct CheckArgs {
    /// Files (HOST.txt) and folders of them
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// List every directive, not only those that are not honoured
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Serialize)]
struct FindingRecord<'a> {
    file: String,
    host: Option<&'a str>,
    line: usize,
    directive: &'a str,
    verdict: &'static str,
    why: Option<&'a str>,
}

pub(super) fn run(args: &CheckArgs, out: &mut Console<'_>) -> Result<bool> {
    let files = read_files(&args.paths)?;
    let mut by_directive: BTreeMap<(&str, DirectiveVerdict), usize> = BTreeMap::new();
    let mut whole = 0;
    for file in &files {
        let mut honoured = file.host.is_some();
        if file.host.is_none() && matches!(args.format, Format::Text) {
            let shown = file.path.display().to_string();
            let shown = line(&shown);
            writeln!(
                out,
                "{shown}: the file name contains no host, so the file is not used: name it HOST.txt"
            )?;
        }
        for finding in &file.findings {
            honoured &= finding.verdict != DirectiveVerdict::NotHonoured;
            *by_directive.entry((&finding.directive, finding.verdict)).or_default() += 1;
            if args.all || finding.verdict == DirectiveVerdict::NotHonoured {
                print(file, finding, args.format, out)?;
            }
        }
        whole += usize::from(honoured);
    }
    if matches!(args.format, Format::Text) {
        summary(&by_directive, whole, files.len(), out)?;
    }
    Ok(whole == files.len())
}

fn print(
    file: &SiteConfigFile,
    finding: &Finding,
    format: Format,
    out: &mut Console<'_>,
) -> Result<()> {
    let (shown, verdict) = (file.path.display(), finding.verdict.as_str());
    match format {
        Format::Text => {
            let why = finding.why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
            let shown = format!("{shown}:{}: {}: {verdict}{why}", finding.line, finding.directive);
            writeln!(out, "{}", line(&shown))?;
        }
        Format::Json => {
            let record = FindingRecord {
                file: shown.to_string(),
                host: file.host.as_deref(),
                line: finding.line,
                directive: &finding.directive,
                verdict,
                why: finding.why.as_deref(),
            };
            serde_json::to_writer(out.as_json(), &record)?;
            writeln!(out)?;
        }
    }
    Ok(())
}

fn summary(
    by_directive: &BTreeMap<(&str, DirectiveVerdict), usize>,
    whole: usize,
    files: usize,
    out: &mut dyn Write,
) -> Result<()> {
    let of = |wanted: DirectiveVerdict| -> usize {
        by_directive.iter().filter(|((_, verdict), _)| *verdict == wanted).map(|(_, n)| n).sum()
    };
    writeln!(
        out,
        "{files} files, {whole} of them fully honoured; directives: {} honoured, {} needless, {} not honoured",
        of(DirectiveVerdict::Honoured),
        of(DirectiveVerdict::Needless),
        of(DirectiveVerdict::NotHonoured),
    )?;
    let mut counts: Vec<(&(&str, DirectiveVerdict), &usize)> = by_directive.iter().collect();
    counts.sort_by_key(|((name, verdict), n)| (*verdict, std::cmp::Reverse(**n), *name));
    for ((name, verdict), n) in counts {
        writeln!(out, "{n:>8}  {:<14} {}", verdict.as_str(), line(name))?;
    }
    Ok(())
}
