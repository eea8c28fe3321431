//! `sitegrove wrappers`: lists, shows, exports, checks and tests learnt wrappers and site configs.

mod check;
mod export;
mod replay;
mod run_folder;
mod show;

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::{Args, Subcommand};
use errors::mark_begun;
use terminal::printed::Console;

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
    command: WrappersCommand,
}

#[derive(Debug, Subcommand)]
enum WrappersCommand {
    /// List the sites of a run with their best wrappers
    List(show::WrappersListArgs),
    /// Show all templates of a site with their wrappers
    Show(show::WrappersShowArgs),
    /// Export the wrappers of a run in a format that other programs read
    Export(export::WrappersExportArgs),
    /// Check site configs: which directives are honoured and which are not
    Check(check::WrappersCheckArgs),
    /// Test wrappers on archives: how many pages they match, and whether their tests hold
    Test(replay::TestArgs),
}

/// Runs the command. Returns whether it succeeded; each subcommand documents its exit codes.
///
/// # Errors
/// If a file cannot be read or written.
pub fn run(args: &WrappersArgs, stop: &AtomicBool, out: &mut Console<'_>) -> Result<bool> {
    if !matches!(args.command, WrappersCommand::Test(_)) {
        mark_begun();
    }
    match &args.command {
        WrappersCommand::List(args) => show::list(args, out).map(|()| true),
        WrappersCommand::Show(args) => show::show(args, out).map(|()| true),
        WrappersCommand::Export(args) => export::run(args, out).map(|()| true),
        WrappersCommand::Check(args) => check::run(args, out),
        WrappersCommand::Test(args) => replay::run(args, stop, out),
    }
}
