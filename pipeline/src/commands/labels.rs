//! `sitegrove labels`: pages of doubtful templates for models or people to label, and their answers as corrections.

mod answers;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use answers::{AnswerCounts, corrections_of};
use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use config::files::read_small_text;
use dom::{Document, normalize_space};
use errors::{Problem, mark_begun};
use grouping::address_hash;
use jiff::{Timestamp, Unit};
use model::{Article, NamedElement, Page, Site};
use report::readable::count;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sink::{AtomicFile, escape_markup};
use sitemodel::markable::{MarkableBlock, MarkablePage, most_typical};
use sitemodel::{ParsedPage, Settings, parse_page};
use terminal::arguments::{PrintFormat, whole};
use terminal::printed::Console;
use terminal::progress_bar::Quiet;

use super::inspect::{RunRecords, RunSettings, decapitalised, reread_all};
use super::print_note;
use crate::output_paths::{CommandPaths, OutputKind};
use crate::results::Results;
use crate::run::RunRequest;

/// Maximum size of a file of labels or answers, in bytes.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove labels export out/tonight --out labels.jsonl
  sitegrove labels import labels.jsonl --answers answers.jsonl \\
      --out corrections.jsonl")]
pub(super) struct LabelsArgs {
    #[command(subcommand)]
    command: LabelsCommand,
}

#[derive(Debug, Subcommand)]
enum LabelsCommand {
    /// Write a typical page of each doubtful template, to be labelled
    Export(LabelsExportArgs),
    /// Turn the answers of models or people into corrections
    Import(LabelsImportArgs),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum LabelForm {
    /// Simplified HTML whose elements have `_item_id` attributes, as MinerU-HTML, Dripper and Pulpie read it.
    Items,
    /// Numbered lines of text, for any chat model.
    Blocks,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove labels export out/tonight --out labels.jsonl
  sitegrove labels export out/tonight --below 0.9 --form blocks \\
      --out labels.jsonl

Reads the pages again from the inputs that the ledger names. docs/CORRECTIONS.md has the prompt for chat models.")]
struct LabelsExportArgs {
    /// Folder of a finished run
    #[arg(value_name = "RUN_DIR")]
    run: PathBuf,
    /// Take templates whose articles have a lower mean confidence
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.8)]
    below: f64,
    /// Number of pages of each template
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>)]
    per_template: usize,
    /// Form of the pages
    #[arg(long, value_enum, default_value_t = LabelForm::Items)]
    form: LabelForm,
    /// File to write (JSON lines)
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Format of the message at the end
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove labels import labels.jsonl --answers answers.jsonl \\
      --by dripper --out corrections.jsonl
  sitegrove run crawl/ --corrections corrections.jsonl --out out/again

An answer is a JSON line with the url of a page and its answer: {\"1\": \"other\", \"2\": \"main\"}, 1other2main, or a list of the numbers that are content. Answers that cannot be read are named and left out.")]
struct LabelsImportArgs {
    /// What `sitegrove labels export` wrote
    #[arg(value_name = "LABELS")]
    labels: PathBuf,
    /// Files of answers (JSON lines; repeatable)
    #[arg(long, value_name = "FILE", required = true)]
    answers: Vec<PathBuf>,
    /// File of corrections to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Who answered, to be noted in the corrections
    #[arg(long, value_name = "NAME", default_value = "model")]
    by: String,
    /// Why, to be noted in the corrections
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// When, to be noted in the corrections [default: now]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Format of the message at the end
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: PrintFormat,
}

/// Exports pages to be labelled, or imports answers. Returns whether the pages of all doubtful templates were available.
pub(super) fn run(args: &LabelsArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
    mark_begun();
    match &args.command {
        LabelsCommand::Export(args) => export(args, stop, out),
        LabelsCommand::Import(args) => import(args, out).map(|()| true),
    }
}

fn export(args: &LabelsExportArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
    CommandPaths::default()
        .reads_run("RUN_DIR", &args.run)
        .writes("--out", &args.out, OutputKind::Json)
        .check()?;
    let (tasks, templates, is_whole) = tasks_of_run(args, stop)?;
    write_lines(&args.out, &tasks)?;
    let value = json!({"pages": tasks.len(), "templates": templates, "file": args.out});
    let (pages, templates) = (count(tasks.len(), "page"), count(templates, "template"));
    let (below, file) = (args.below, args.out.display());
    let said = format_args!("{pages} of {templates} below {below} in {file}");
    print_note(args.format, said, &value, out)?;
    Ok(is_whole)
}

fn import(args: &LabelsImportArgs, out: &mut Console<'_>) -> Result<()> {
    let paths = CommandPaths::default().reads("LABELS", &args.labels);
    let paths = args.answers.iter().fold(paths, |paths, path| paths.reads("--answers", path));
    paths.writes("--out", &args.out, OutputKind::Json).check()?;
    let tasks: Vec<LabelTask> = read_lines(&args.labels)?;
    let now = || Timestamp::now().round(Unit::Second).unwrap_or_default().to_string();
    let origin = (args.by.clone(), args.at.clone().unwrap_or_else(now), args.reason.clone());
    let mut counts = AnswerCounts::default();
    let mut corrections = Vec::new();
    for path in &args.answers {
        let text = read_text(path)?;
        corrections.extend(corrections_of(path, &text, &tasks, &origin, &mut counts));
    }
    write_lines(&args.out, &corrections)?;
    let value = json!({"corrections": corrections.len(), "counts": counts, "file": args.out});
    let said = format_args!(
        "{} with {} in {}; unreadable answers: {}, unknown pages: {}, unknown numbers: {}, blocks without an answer: {}",
        count(corrections.len(), "correction"),
        count(counts.marks, "mark"),
        args.out.display(),
        counts.unreadable,
        counts.unknown_pages,
        counts.unknown_items,
        counts.unanswered
    );
    Ok(print_note(args.format, said, &value, out)?)
}

fn write_lines(path: &Path, values: &[impl Serialize]) -> Result<()> {
    let mut text = String::new();
    for value in values {
        text.push_str(&serde_json::to_string(value)?);
        text.push('\n');
    }
    Ok(AtomicFile::write_whole(path, text.as_bytes())?)
}

fn read_text(path: &Path) -> Result<String> {
    read_small_text(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))
}

fn read_lines(path: &Path) -> Result<Vec<LabelTask>> {
    let text = read_text(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| {
                let what = format!("line {} is not of `sitegrove labels export`: {error}", at + 1);
                Problem::new(path.display(), what, "name the file that it wrote").into()
            })
        })
        .collect()
}

/// A page to be labelled: a line of `labels.jsonl`.
#[derive(Debug, Deserialize, Serialize)]
struct LabelTask {
    url: String,
    site: String,
    /// Its template, and the mean confidence of the articles of that template.
    template: String,
    confidence: f64,
    /// Number of words of its article.
    #[serde(default)]
    article_words: u32,
    /// The page, as HTML or as text; the form that was not asked for is empty.
    #[serde(default)]
    html: String,
    #[serde(default)]
    text: String,
    elements: Vec<NamedElement>,
    /// Its blocks, numbered from 1.
    items: Vec<LabelItem>,
}

/// A block of a page to be labelled.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct LabelItem {
    xpath: String,
    element: u32,
    words: u32,
    hash: String,
}

/// Number of pages of a template that the typical ones are chosen from.
const CHOSEN_FROM: usize = 20;

/// Returns the pages of a run to be labelled, by site and template, the number of doubtful templates, and whether the pages of
/// all their sites were available.
fn tasks_of_run(
    args: &LabelsExportArgs,
    stop: &AtomicBool,
) -> Result<(Vec<LabelTask>, usize, bool)> {
    let results = Results::open(&args.run)?;
    let settings = RunSettings::new(results.ledger())?;
    let records = RunRecords::find(&results, None)?;
    let addresses = records.addresses();
    let request = RunRequest { config: &settings.config, stop, observer: &Quiet };
    let again = reread_all(results.ledger(), &addresses, request)?;
    for (_, what) in &again.problems {
        tracing::warn!(at = %args.run.display(), "{}", decapitalised(what));
    }
    let settings = settings.config.settings();
    let sites: BTreeMap<&str, &Site> =
        again.sites.iter().map(|site| (site.key.as_str(), site)).collect();
    let (mut tasks, mut templates, mut is_whole) = (Vec::new(), 0, true);
    for key in results.sites()? {
        let site = sites.get(key.as_str());
        let records = records.of_site(&key)?;
        // The sum of confidences and the articles of each template.
        let mut of_templates: BTreeMap<&str, (f64, Vec<&Article>)> = BTreeMap::new();
        for article in records.articles.iter().filter(|article| !article.template.is_empty()) {
            let (sum, articles) = of_templates.entry(&article.template).or_default();
            *sum += article.confidence;
            articles.push(article);
        }
        for (template, (sum, articles)) in of_templates {
            let confidence = sum / articles.len() as f64;
            if confidence < args.below {
                templates += 1;
                let of = (template, confidence);
                is_whole &= site.is_some();
                let typical = site.map(|site| typical_pages(site, of, articles, args, &settings));
                tasks.extend(typical.into_iter().flatten());
            }
        }
    }
    Ok((tasks, templates, is_whole))
}

fn typical_pages(
    site: &Site,
    (template, confidence): (&str, f64),
    mut articles: Vec<&Article>,
    args: &LabelsExportArgs,
    settings: &Settings,
) -> Vec<LabelTask> {
    articles.sort_by_cached_key(|own| (address_hash(&own.url), own.url.clone()));
    articles.dedup_by(|a, b| a.url == b.url);
    let page = |own: &&Article| site.pages.iter().find(|page| page.url == own.url);
    let pages: Vec<&Page> = articles.iter().filter_map(page).take(CHOSEN_FROM).collect();
    let parsed: Vec<ParsedPage<'_>> = pages.iter().map(|page| parse_page(page, settings)).collect();
    let mut left: Vec<&ParsedPage<'_>> = parsed.iter().collect();
    let mut tasks = Vec::new();
    while tasks.len() < args.per_template
        && let Some(at) = most_typical(&left)
    {
        let page = left.remove(at);
        let article = articles.iter().find(|own| own.url == page.page.url);
        let words = article.map_or(0, |own| own.word_count);
        tasks.push(LabelTask::of(page, args.form, &site.key, (template, confidence), words));
    }
    tasks
}

/// Maximum number of characters of a block that are written: its beginning is enough to tell what it is.
const MOST_CHARACTERS: usize = 500;

impl LabelTask {
    fn of(
        page: &ParsedPage<'_>,
        form: LabelForm,
        site: &str,
        (template, confidence): (&str, f64),
        article_words: u32,
    ) -> Self {
        let document = &page.document;
        let MarkablePage { elements, blocks } = MarkablePage::of(page);
        let (html, text) = match form {
            LabelForm::Items => (html_with_item_ids(document, &blocks), String::new()),
            LabelForm::Blocks => (String::new(), numbered(document, &blocks)),
        };
        let item = |block: MarkableBlock| LabelItem {
            xpath: block.xpath,
            element: block.named,
            words: block.words,
            hash: block.hash,
        };
        let items = blocks.into_iter().map(item).collect();
        Self {
            url: page.page.url.clone(),
            site: site.to_owned(),
            template: template.to_owned(),
            confidence: (confidence * 1_000.0).round() / 1_000.0,
            article_words,
            html,
            text,
            elements,
            items,
        }
    }
}

/// Returns the text of a block, cut at `MOST_CHARACTERS`.
fn beginning(document: &Document, block: &MarkableBlock) -> String {
    let texts = (block.first..=block.last).filter_map(|id| document.text(id));
    let text = normalize_space(&texts.collect::<String>());
    text.chars().take(MOST_CHARACTERS).collect()
}

/// Writes the blocks as elements in document order, each with its tag, id and class, and its number in `_item_id`.
fn html_with_item_ids(document: &Document, blocks: &[MarkableBlock]) -> String {
    let mut html = String::from("<html><head><meta charset=\"utf-8\"></head><body>\n");
    for (number, block) in (1..).zip(blocks) {
        let name = document.name(block.element).map_or("div", |name| &**name);
        let tag = match name {
            "html" | "body" | "td" | "th" => "div",
            name if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => name,
            _ => "div",
        };
        // Writing to a string cannot fail.
        let _ = write!(html, "<{tag} _item_id=\"{number}\"");
        for name in [dom::local_name!("id"), dom::local_name!("class")] {
            if let Some(value) = document.attribute(block.element, &name) {
                let _ = write!(html, " {name}=\"{}\"", escape_markup(value));
            }
        }
        let _ = writeln!(html, ">{}</{tag}>", escape_markup(&beginning(document, block)));
    }
    html.push_str("</body></html>\n");
    html
}

/// Writes the blocks as numbered lines, each with its tag.
fn numbered(document: &Document, blocks: &[MarkableBlock]) -> String {
    let mut text = String::new();
    for (number, block) in (1..).zip(blocks) {
        let name = document.name(block.element).map_or("", |name| &**name);
        let _ = writeln!(text, "{number} [{name}] {}", beginning(document, block));
    }
    text
}
