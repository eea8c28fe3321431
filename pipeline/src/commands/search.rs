//! `sitegrove search`: searches an index, or removes articles from it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use errors::Problem;
use index::{Hit, IndexError, SearchIndex, SearchRequest, SearchResults, forget, is_index};
use input::is_run_folder;
use jiff::Timestamp;
use model::contain_panics;
use report::readable::{count, grouped};
use serde::Serialize;
use serde_json::json;
use sink::{escape_markup, parse_instant};
use terminal::arguments::PrintFormat;
use terminal::messages::has_colours;
use terminal::printed::{self, Console};

use super::print_done;
use crate::results::finished_ledger;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove search out/tonight \"swing bridge\"
  sitegrove search articles.index '\"swing bridge\" -ferry' --since 2026-01-01 \\
      --lang en
  sitegrove search articles.index 'title:bridge AND authors:penhale' \\
      --format json
  sitegrove search articles.index --forget-site blog.example

Words are searched in title, body and authors, in the language of each article. \"…\" is a phrase; + and AND require a word; - and NOT exclude one; FIELD:… searches one of the fields title, body, authors, url, site, language, template or published (published:[2026-01-01T00:00:00Z TO 2026-02-01T00:00:00Z]).")]
pub(super) struct SearchArgs {
    /// Folder of the index, or of a run that contains one
    index: PathBuf,
    /// The query
    #[arg(required_unless_present_any = ["forget_site", "forget_url", "forget_gone"])]
    query: Option<String>,
    /// Only articles of this site
    #[arg(long, value_name = "SITE")]
    site: Option<String>,
    /// Only articles published on this date (2026-01-31, or 2026-01-31T06:00:00Z) or later
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<Timestamp>,
    /// Only articles in this language: en, de, …; und for articles of unknown language
    #[arg(long, value_name = "CODE")]
    lang: Option<String>,
    /// Find articles whose addresses are gone, too
    #[arg(long)]
    gone: bool,
    /// Number of articles to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = limit)]
    limit: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
    /// Remove all articles of a site from the index (repeatable)
    #[arg(long, value_name = "SITE", conflicts_with = "query")]
    forget_site: Vec<String>,
    /// Remove the article with this address from the index (repeatable)
    #[arg(long, value_name = "URL", conflicts_with = "query")]
    forget_url: Vec<String>,
    /// Remove all articles whose addresses are gone from the index
    #[arg(long, conflicts_with = "query")]
    forget_gone: bool,
}

/// Maximum number of articles that one search returns: they are kept in memory.
const MOST: usize = 100_000;

fn limit(text: &str) -> Result<usize, String> {
    let most = || format!("give a number from 0 to {MOST}");
    text.parse().ok().filter(|n| *n <= MOST).ok_or_else(most)
}

fn since(text: &str) -> Result<Timestamp, String> {
    let forms = "give a date as 2026-01-31, or with a time as 2026-01-31T06:00:00Z";
    parse_instant(text).ok_or_else(|| forms.to_owned())
}

/// Searches and prints the articles found, or removes articles and prints their number.
pub(super) fn run(args: &SearchArgs, out: &mut Console<'_>) -> Result<()> {
    let folder = folder_of(&args.index)?;
    let Some(query) = &args.query else {
        let done = forget(&folder, &args.forget_site, &args.forget_url, args.forget_gone)?;
        let value = json!({ "removed": done.articles, "remain": done.left });
        let (removed, left) = (count(done.articles as usize, "article"), grouped(done.left));
        let said = format_args!("{removed} removed, {left} remain");
        return Ok(print_done(args.format, said, &value, out)?);
    };
    let index = SearchIndex::open(&folder)?;
    let request = SearchRequest {
        query,
        site: args.site.as_deref(),
        since: args.since,
        language: args.lang.as_deref(),
        gone: args.gone,
        limit: args.limit,
    };
    let found = contain_panics(|| index.search(&request)).context("cannot search")?;
    let answer = match found {
        Err(error @ IndexError::Query(_)) => {
            bail!(Problem::new(
                "",
                error.to_string(),
                "put words with special characters in quotation marks (see sitegrove search --help)",
            ))
        }
        answer => answer?,
    };
    if !answer.has_words && index.articles() > 0 {
        let next = "add words that distinguish articles";
        tracing::warn!(next, "the query has no words, or only words that every text has");
    }
    if args.format == PrintFormat::Json {
        let hits = answer.hits.iter().map(|hit| HitRecord { hit, snippet: html(hit) });
        let record = AnswerRecord {
            articles: index.articles(),
            total: answer.total,
            hits: hits.collect(),
            sites: &answer.sites,
            languages: &answer.languages,
        };
        serde_json::to_writer_pretty(out.as_json(), &record)?;
        writeln!(out)?;
        return Ok(());
    }
    print(
        &answer,
        &index,
        if has_colours(&io::stdout()) { ("\x1b[1m", "\x1b[0m") } else { ("**", "**") },
        out,
    )
}

/// Returns the folder of the index: `named`, or the index in the run folder `named`.
fn folder_of(named: &Path) -> Result<PathBuf> {
    let inside = named.join("index");
    if is_index(named) {
        return Ok(named.to_owned());
    }
    if is_index(&inside) {
        return Ok(inside);
    }
    if is_run_folder(named) {
        // An unfinished run gets its index when it is resumed.
        finished_ledger(named)?;
    }
    let shown = named.display();
    let (what, next) = match () {
        () if !named.exists() => ("the folder does not exist", format!("`sitegrove run … --index {shown}` makes an index there")),
        () if is_run_folder(named) => (
            "this run has no search index",
            "make one by giving its command again with `--index DIR --overwrite`, or with index in --sinks".to_owned(),
        ),
        () if named.is_file() => (
            "is a file, and a search index is a folder",
            "`sitegrove run … --index DIR` makes one".to_owned(),
        ),
        () => ("the folder contains no search index", "`sitegrove run … --index DIR` makes one".to_owned()),
    };
    bail!(Problem::new(shown, what, next))
}

const COUNTS_SHOWN: usize = 10;

fn print(
    answer: &SearchResults,
    index: &SearchIndex,
    marks: (&'static str, &'static str),
    out: &mut Console<'_>,
) -> Result<()> {
    let (found, all) = (answer.total as u64, index.articles() as usize);
    let verb = if found == 1 { "matches" } else { "match" };
    writeln!(out, "{} of {} {verb}", grouped(found), count(all, "article"))?;
    for (number, hit) in (1..).zip(&answer.hits) {
        let title = hit.title.as_deref().unwrap_or("(no title)");
        writeln!(out, "\n{number}. {}", line(title))?;
        writeln!(out, "   {}", line(&hit.url))?;
        let published = hit.published.map(|p| p.to_string());
        let authors = hit.authors.join(", ");
        let facts = [&hit.site, published.as_deref().unwrap_or(""), &hit.language, &authors];
        let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
        writeln!(out, "   {}  [{:.2}]", line(&facts.join(" · ")), hit.score)?;
        if let Some(gone) = hit.gone {
            let status = hit.gone_status.unwrap_or_default();
            let to = hit.moved_to.as_ref().map_or(String::new(), |to| format!(", moved to {to}"));
            writeln!(out, "   gone since {gone} (status {status}){}", line(&to))?;
        }
        write!(out, "   ")?;
        for (shown, matched) in excerpt_of(hit) {
            if matched {
                out.ours(marks.0)?;
            }
            write!(out, "{shown}")?;
            if matched {
                out.ours(marks.1)?;
            }
        }
        writeln!(out)?;
    }
    for (what, counts) in [("site", &answer.sites), ("language", &answer.languages)] {
        if !counts.is_empty() {
            writeln!(out, "{}By {what}: {}", if what == "site" { "\n" } else { "" }, most(counts))?;
        }
    }
    Ok(())
}

/// Formats the largest counts.
fn most(counts: &BTreeMap<String, u64>) -> String {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    let shown = sorted.iter().take(COUNTS_SHOWN).map(|(name, n)| format!("{} {n}", line(name)));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if sorted.len() > COUNTS_SHOWN {
        text += &format!(", and {} more", sorted.len() - COUNTS_SHOWN);
    }
    text
}

/// Puts a text on one line and collapses its white space.
fn line(text: &str) -> String {
    let words = text.split_whitespace().map(printed::line);
    words.collect::<Vec<_>>().join(" ")
}

/// Splits the excerpt, on one line, into pieces, each with whether it matches the query.
fn excerpt_of(hit: &Hit) -> Vec<(String, bool)> {
    let mut pieces: Vec<(String, bool)> = Vec::new();
    for (part, matched) in parts(hit) {
        let shown = line(part);
        let ends = [part.chars().next(), part.chars().next_back()];
        let [before, after] = ends.map(|at| at.is_some_and(char::is_whitespace));
        let spaced = pieces.last().is_none_or(|(last, _)| last.ends_with(' '));
        if before && !spaced {
            pieces.push((" ".to_owned(), false));
        }
        if !shown.is_empty() {
            pieces.push((shown, matched));
            pieces.extend(after.then(|| (" ".to_owned(), false)));
        }
    }
    pieces.pop_if(|(last, _)| last == " ");
    pieces
}

/// Splits the excerpt into pieces, each with whether it matches the query.
fn parts(hit: &Hit) -> Vec<(&str, bool)> {
    // Matches of pairs of characters overlap.
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for next in &hit.highlighted {
        match ranges.last_mut() {
            Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
            _ => ranges.push(next.clone()),
        }
    }
    let mut parts = Vec::new();
    let mut at = 0;
    for Range { start, end } in ranges {
        if let (Some(before), Some(matched)) =
            (hit.excerpt.get(at..start), hit.excerpt.get(start..end))
        {
            parts.extend([(before, false), (matched, true)]);
            at = end;
        }
    }
    parts.push((hit.excerpt.get(at..).unwrap_or_default(), false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

#[derive(Serialize)]
struct AnswerRecord<'a> {
    articles: u64,
    total: usize,
    hits: Vec<HitRecord<'a>>,
    sites: &'a BTreeMap<String, u64>,
    languages: &'a BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct HitRecord<'a> {
    #[serde(flatten)]
    hit: &'a Hit,
    /// HTML with the matches in `<b>`.
    snippet: String,
}

fn html(hit: &Hit) -> String {
    let piece = |(part, matched): (&str, bool)| {
        let escaped = escape_markup(part);
        if matched { format!("<b>{escaped}</b>") } else { escaped }
    };
    parts(hit).into_iter().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(excerpt: &str, highlighted: &[Range<usize>]) -> Hit {
        Hit { excerpt: excerpt.to_owned(), highlighted: highlighted.to_vec(), ..Hit::default() }
    }

    fn marked(hit: &Hit) -> String {
        let mark =
            |(text, matched): (String, bool)| if matched { format!("[{text}]") } else { text };
        excerpt_of(hit).into_iter().map(mark).collect()
    }

    #[test]
    fn matches_are_marked() {
        let one = hit("The <old>\n\nstork, a stork.", &[11..16, 20..25]);
        assert_eq!(marked(&one), "The <old> [stork], a [stork].");
        assert_eq!(html(&one), "The &lt;old&gt;\n\n<b>stork</b>, a <b>stork</b>.");
        let pairs = hit("北京大学", &[0..6, 3..9]);
        assert_eq!(marked(&pairs), "[北京大]学");
        assert_eq!(marked(&hit("none", &[])), "none");
        // Invalid ranges must not panic.
        assert_eq!(marked(&hit("ü x", &[1..9, 3..4])), "ü x");
    }
}
