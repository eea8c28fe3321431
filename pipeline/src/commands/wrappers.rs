//! `sitegrove wrappers`: what was learnt, and what was written by hand, looked at, checked, carried
//! over and tried.

mod check;
mod export;
mod replay;
mod run_folder;
mod show;

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};

use crate::printed::Console;

/// For whom an answer is printed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// Arguments of `sitegrove wrappers`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  sitegrove wrappers list out/tonight
  sitegrove wrappers export out/tonight blog.example
  sitegrove wrappers check my-wrappers/
  sitegrove wrappers test my-wrappers/ crawl/*.warc.gz --run out/tonight")]
pub struct WrappersArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The sites of a run, each with its best wrapper
    List(show::ListArgs),
    /// All layouts of a site of a run, with their wrappers
    Show(show::ShowArgs),
    /// The wrappers of a run in a format that other programs read
    Export(export::ExportArgs),
    /// Check files of the ftr-site-config format: which directives are honoured, which are not
    Check(check::CheckArgs),
    /// Try wrappers on archives: how many pages they match, and whether their tests hold
    Test(replay::TestArgs),
}

/// Runs the command. Gives whether all was well: see the exit codes of each.
///
/// # Errors
/// If a file cannot be read or written.
pub fn run(args: &WrappersArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
    match &args.command {
        Command::List(args) => show::list(args, out).map(|()| true),
        Command::Show(args) => show::show(args, out).map(|()| true),
        Command::Export(args) => export::run(args, out).map(|()| true),
        Command::Check(args) => check::run(args, out),
        Command::Test(args) => replay::run(args, stop, out),
    }
}
