//! `sitegrove labels`: pages of doubtful templates for models or people to label, and their answers as corrections.

mod answers;
mod tasks;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use config::files::read_small_text;
use errors::{Problem, mark_begun};
use jiff::{Timestamp, Unit};
use report::readable::count;
use serde::Serialize;
use serde_json::json;
use sink::AtomicFile;
use terminal::arguments::{PrintFormat, whole};
use terminal::printed::Console;

use self::answers::{AnswerCounts, corrections_of};
use self::tasks::{LabelTask, tasks_of_run};
use super::print_note;
use crate::output_paths::{CommandPaths, OutputKind};

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
