//! The commands of the binary, one file each.

pub mod changes;
pub mod correct;
pub mod export;
pub mod extract;
pub mod history;
pub mod inspect;
pub mod labels;
pub mod man;
pub mod models;
pub mod report;
pub mod run;
pub mod search;
pub mod status;
pub mod steps;
pub mod wrappers;

use std::fmt;
use std::io;

use serde::Serialize;
use terminal::arguments::PrintFormat;
use terminal::printed::Console;

/// Prints what was done, in a sentence or as a value.
fn print_done(
    format: PrintFormat,
    sentence: fmt::Arguments<'_>,
    value: &impl Serialize,
    out: &mut Console<'_>,
) -> io::Result<()> {
    match format {
        PrintFormat::Text => out.note(sentence),
        PrintFormat::Json => out.json_line(value),
    }
}

/// The same, unless the console is quiet.
fn print_note(
    format: PrintFormat,
    sentence: fmt::Arguments<'_>,
    value: &impl Serialize,
    out: &mut Console<'_>,
) -> io::Result<()> {
    if out.is_quiet() { Ok(()) } else { print_done(format, sentence, value, out) }
}
