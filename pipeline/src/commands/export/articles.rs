//! Reads the articles to export from the lines of a run, the records of a WARC, or an archive of articles.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use archive::{Limits, RecordKind, RecordReader};
use errors::Problem;
use model::Article;
use serde::Deserialize;
use serde_json::{Value, json};
use sink::{ArticleVersion, StoredCorrection, is_database};

use crate::results::Results;
use crate::run::corrections::correct_field;

pub(super) struct ExportedArticle {
    pub(super) article: Article,
    /// The JSON object of the article, as in `articles.jsonl` or an archive.
    pub(super) record: Value,
}

/// Which versions of the articles of an archive to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedVersions {
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

pub(super) fn of_run(
    folder: &Path,
    urls: &[String],
    site: Option<&str>,
) -> Result<Vec<ExportedArticle>> {
    let mut wanted = WantedArticles::new(urls, site);
    Results::open(folder)?.articles()?.each(|record: Value, _| wanted.offer(record))?;
    wanted.finish(folder)
}

/// Reads the articles of an archive, which is an SQLite file or a WARC of articles.
pub(super) fn of_archive(
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
