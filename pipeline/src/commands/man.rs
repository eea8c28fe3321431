//! `sitegrove man`: the help of every command as man pages.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use report::readable::count;
use sink::AtomicFile;
use terminal::printed::Console;

use crate::output_paths::{CommandPaths, OutputKind};

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove man ~/.local/share/man/man1
  sitegrove man /usr/local/share/man/man1

Writes sitegrove.1 and a page for each command, such as sitegrove-run.1. `man sitegrove-run` then shows it.")]
pub(super) struct ManArgs {
    /// Folder for the pages; created if necessary
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(args: &ManArgs, program: Command, out: &mut Console<'_>) -> Result<()> {
    let ManArgs { folder } = args;
    CommandPaths::default().writes("DIR", folder, OutputKind::Folder).check()?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let pages = pages(&program, folder)?;
    out.note(format_args!("{} in {}", count(pages, "man page"), folder.display()))?;
    Ok(())
}

/// Writes the man pages of a command and its subcommands; returns their number.
fn pages(command: &Command, folder: &Path) -> Result<usize> {
    let source = concat!("sitegrove ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(source).manual("sitegrove manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut commands: Vec<&Command> = command.get_subcommands().collect();
    commands.retain(|own| !own.is_hide_set());
    if !commands.is_empty() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(more) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        closing(&more.to_string()).to_writer(&mut page)?;
    }
    AtomicFile::write_whole(&folder.join(man.get_filename()), &page)?;
    let mut written = 1;
    for own in commands {
        written += pages(own, folder)?;
    }
    Ok(written)
}

/// Formats the help text below the options: examples unchanged, other paragraphs filled.
fn closing(text: &str) -> Roff {
    let mut roff = Roff::new();
    let mut in_notes = false;
    for paragraph in text.trim().split("\n\n") {
        let examples = paragraph.strip_prefix("Examples:\n");
        match examples.or_else(|| paragraph.strip_prefix("Example:\n")) {
            Some(examples) => {
                roff.control("SH", ["EXAMPLES"]).control("nf", []);
                for line in examples.lines() {
                    roff.text([roman(line)]);
                }
                roff.control("fi", []);
                in_notes = false;
            }
            None => {
                let exit_codes = paragraph.strip_prefix("Exit codes: ");
                if exit_codes.is_some() {
                    roff.control("SH", ["EXIT STATUS"]);
                } else if in_notes {
                    roff.control("PP", []);
                } else {
                    roff.control("SH", ["NOTES"]);
                }
                in_notes = exit_codes.is_none();
                roff.text([roman(exit_codes.unwrap_or(paragraph).replace('\n', " "))]);
            }
        }
    }
    roff
}
