//! Corrections of articles and templates, read from files with one correction per line and from archives of articles.

use std::path::Path;

use anyhow::{Context, Result, bail};
use model::{ArticleCorrection, CorrectedValues, TemplateCorrection};
use serde_json::{Map, Value};
use sink::{ArticleArchive, is_database, parse_instant};
use sitemodel::corrections::Corrections;

use crate::files::{read_small_text, sha256_of};

const MOST_BYTES: u64 = 1 << 30;

/// A line of a corrections file.
#[derive(Clone, Debug)]
pub enum CorrectionLine {
    /// Values of fields of one article.
    Article(Box<ArticleCorrection>),
    /// Marked blocks of a page, which correct its template.
    Template(Box<TemplateCorrection>),
}

/// The corrections of articles that a run applies.
#[derive(Clone, Debug, Default)]
pub struct ArticleCorrections {
    /// In the order in which they were given: a later correction of a field of an article replaces an earlier one.
    pub all: Vec<ArticleCorrection>,
    /// SHA-256 of the corrections, in hex.
    pub digest: String,
}

/// Reads corrections of articles and templates from files and archives. Returns `None` for templates if there are none.
///
/// # Errors
/// If a file cannot be read, or a line is not a correction.
pub fn read_corrections<'a>(
    paths: impl Iterator<Item = &'a Path>,
) -> Result<(ArticleCorrections, Option<Corrections>)> {
    let (mut all, mut of_templates) = (Vec::new(), Vec::new());
    for path in paths {
        match is_database(path)
            .with_context(|| format!("cannot read the corrections {}", path.display()))?
        {
            true => all.extend(ArticleArchive::open(path)?.corrections_in_force()?),
            false => {
                for line in correction_lines(path)? {
                    match line {
                        CorrectionLine::Article(own) => all.push(*own),
                        CorrectionLine::Template(own) => of_templates.push(*own),
                    }
                }
            }
        }
    }
    let digest = |of: serde_json::Result<String>| sha256_of(&of.unwrap_or_default());
    let digest_of_templates = digest(serde_json::to_string(&of_templates));
    let templates =
        (!of_templates.is_empty()).then(|| Corrections::new(of_templates, digest_of_templates));
    let digest = digest(serde_json::to_string(&all));
    Ok((ArticleCorrections { all, digest }, templates))
}

/// Keys of a line about an article.
const KEYS: [&str; 9] =
    ["url", "title", "authors", "published", "text", "by", "reason", "at", "extracted"];

/// Reads the lines of a corrections file, without empty ones.
///
/// # Errors
/// If the file cannot be read, or a line is not a correction.
pub fn correction_lines(path: &Path) -> Result<Vec<CorrectionLine>> {
    let shown = path.display();
    let text = read_small_text(path, MOST_BYTES)
        .with_context(|| format!("cannot read the corrections {shown}"))?;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let read = || -> Result<CorrectionLine, String> {
            let own: Map<String, Value> =
                serde_json::from_str(line).map_err(|error| error.to_string())?;
            if own.contains_key("blocks") {
                let own = serde_json::from_value(Value::Object(own));
                let own = own.map_err(|error| format!("it is none of a template: {error}"))?;
                return Ok(CorrectionLine::Template(Box::new(own)));
            }
            if let Some(other) = own.keys().find(|key| !KEYS.contains(&key.as_str())) {
                return Err(format!("unknown key `{other}`; known are {}", KEYS.join(", ")));
            }
            let own: ArticleCorrection =
                serde_json::from_value(Value::Object(own)).map_err(|error| error.to_string())?;
            if own.url.is_empty() || own.values.is_empty() {
                return Err("it needs `url` and a value to correct".to_owned());
            }
            let values = read_values(own.values)?;
            Ok(CorrectionLine::Article(Box::new(ArticleCorrection { values, ..own })))
        };
        match read() {
            Ok(own) => found.push(own),
            Err(what) => bail!("{shown}: line {number} is no correction: {what}"),
        }
    }
    Ok(found)
}

/// Checks the values of a correction.
///
/// # Errors
/// If a value is invalid, with the reason.
pub fn read_values(values: CorrectedValues) -> Result<CorrectedValues, String> {
    let trimmed = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let published = values.published.map(trimmed);
    if let Some(date) = published.as_deref().filter(|date| !date.is_empty())
        && parse_instant(date).is_none()
    {
        return Err(format!(
            "invalid date `{date}`: expected 2026-10-05, or 2026-10-05T03:00:00+01:00"
        ));
    }
    let text = values.text.map(|text| text.replace("\r\n", "\n").trim().to_owned());
    if text.as_ref().is_some_and(String::is_empty) {
        return Err("the text is empty".to_owned());
    }
    let authors = values.authors.map(|all| all.into_iter().map(trimmed).collect());
    Ok(CorrectedValues { title: values.title.map(trimmed), authors, published, text })
}
