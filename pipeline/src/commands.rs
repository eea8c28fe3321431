//! The command line of the program, and its commands, one file each.

mod correct;
mod export;
mod extract;
mod history;
mod inspect;
mod labels;
mod man;
mod models;
mod report;
pub mod run;
mod search;
mod status;
mod steps;
mod wrappers;

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use serde::Serialize;
use terminal::arguments::PrintFormat;
use terminal::command_line::{CommandContext, MessageArgs, Program};
use terminal::printed::Console;

/// Extract articles from web crawls, with wrappers learnt from the pages of each site.
///
/// Reads WARC, ARC and HTML files and feeds. Compares the pages of each site with each other to find where
/// their articles are. Writes articles, XPath wrappers, and a reason for every page without an article.
#[derive(Parser, Debug)]
#[command(
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
Examples:
  sitegrove run crawl/*.warc.gz --out out/tonight
  sitegrove extract post-1.html post-2.html post-3.html
  sitegrove run --help"
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    messages: MessageArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Extract the articles of a crawl
    Run(Box<run::RunArgs>),
    /// Show the progress of a run
    Status(status::StatusArgs),
    /// Distributed run, step 1: read archives into a file
    Survey(steps::SurveyArgs),
    /// Distributed run, step 2: learn a share of the sites
    Learn(steps::LearnArgs),
    /// Distributed run, step 3: apply models to the pages of larger sites
    Apply(steps::ApplyArgs),
    /// Distributed run, before step 4: describe articles, to merge in shares
    Describe(steps::DescribeArgs),
    /// Distributed run, step 4: write the results
    Merge(steps::MergeArgs),
    /// Extract pages of files or archives and print their articles
    Extract(extract::ExtractArgs),
    /// Write articles as documents: HTML, EPUB, TEI, Markdown, JSON
    Export(export::ExportArgs),
    /// Search the index of a run, or remove articles from it
    Search(search::SearchArgs),
    /// Write an HTML page that explains what was learnt about a site
    Inspect(inspect::InspectArgs),
    /// Have pages of doubtful templates labelled, and turn answers into corrections
    Labels(labels::LabelsArgs),
    /// List, show, export, check and test wrappers
    Wrappers(wrappers::WrappersArgs),
    /// List, show, compare, check, export and import stored site models
    Models(models::ModelsArgs),
    /// Rebuild the HTML report of a run
    Report(report::ReportArgs),
    /// Print the versions of an article in an archive of articles
    History(history::HistoryArgs),
    /// List the articles that were added or changed since a date
    Changes(history::ChangesArgs),
    /// Correct articles in an archive of articles
    Correct(correct::CorrectArgs),
    /// Print shell completions
    #[command(after_help = "\
Examples:
  sitegrove completions bash \\
      > ~/.local/share/bash-completion/completions/sitegrove
  sitegrove completions zsh > ~/.zfunc/_sitegrove
  sitegrove completions fish > ~/.config/fish/completions/sitegrove.fish")]
    Completions {
        /// The shell to print completions for
        shell: Shell,
    },
    /// Write man pages
    Man(man::ManArgs),
}

impl Program for Cli {
    fn messages(&self) -> &MessageArgs {
        &self.messages
    }

    fn writes_files(&self) -> bool {
        match &self.command {
            Command::Export(_) | Command::Report(_) | Command::Labels(_) => true,
            Command::Inspect(args) => args.out.as_deref() != Some(Path::new("-")),
            _ => false,
        }
    }

    fn prints_a_summary(&self) -> bool {
        match &self.command {
            Command::Run(args) => !args.dry_run,
            command => self.writes_files() || command.is_step(),
        }
    }

    fn stops_by_itself(&self) -> bool {
        self.command.is_step()
            || matches!(
                self.command,
                Command::Run(_) | Command::Inspect(_) | Command::Labels(_) | Command::Wrappers(_)
            )
    }

    fn execute(&self, with: CommandContext<'_, '_>) -> Result<ExitCode> {
        let done = |()| ExitCode::SUCCESS;
        let code = |good: bool| if good { ExitCode::SUCCESS } else { ExitCode::from(1) };
        match &self.command {
            Command::Run(args) => run::run(args, with).map(code),
            Command::Status(args) => status::run(args, with.out).map(code),
            Command::Survey(args) => steps::survey(args, with).map(code),
            Command::Learn(args) => steps::learn(args, with).map(done),
            Command::Apply(args) => steps::apply(args, with).map(done),
            Command::Describe(args) => steps::describe(args, with).map(done),
            Command::Merge(args) => steps::merge(args, with).map(code),
            Command::Extract(args) => extract::run(args, with.out).map(code),
            Command::Export(args) => export::run(args, with.out).map(done),
            Command::Search(args) => search::run(args, with.out).map(done),
            Command::Inspect(args) => inspect::run(args, with).map(done),
            Command::Labels(args) => labels::run(args, with.stop, with.out).map(code),
            Command::Wrappers(args) => wrappers::run(args, with.stop, with.out).map(code),
            Command::Models(args) => models::run(args, with.out).map(code),
            Command::Report(args) => report::run(args, with.out).map(done),
            Command::History(args) => history::history(args, with.out).map(done),
            Command::Changes(args) => history::changes(args, with.out).map(done),
            Command::Correct(args) => correct::run(args, with.stop, with.out).map(done),
            Command::Man(args) => man::run(args, Cli::command(), with.out).map(done),
            Command::Completions { shell } => {
                // Completing to a pipe that closes must not panic: generate in memory first.
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut Cli::command(), "sitegrove", &mut script);
                with.out.write_all(&script)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl Command {
    /// Whether the command is a step of a distributed run.
    fn is_step(&self) -> bool {
        matches!(
            self,
            Self::Survey(_) | Self::Learn(_) | Self::Apply(_) | Self::Describe(_) | Self::Merge(_)
        )
    }
}

/// Prints what was done, as a sentence or as JSON.
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

/// Like `print_done`, but prints nothing if the console is quiet.
fn print_note(
    format: PrintFormat,
    sentence: fmt::Arguments<'_>,
    value: &impl Serialize,
    out: &mut Console<'_>,
) -> io::Result<()> {
    if out.is_quiet() { Ok(()) } else { print_done(format, sentence, value, out) }
}
