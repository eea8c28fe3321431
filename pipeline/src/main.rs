//! Arguments → one command → exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use clap::{ArgAction, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use console::Term;
#[cfg(feature = "parquet")]
use sitegrove::commands::steps;
use sitegrove::commands::{
    bench, changes, evaluate, export, extract, history, inspect, man, models, report, run, search,
    status, train, wrappers,
};
use sitegrove::error_chain::{Problem, problem_of};
use sitegrove::messages::{self, LogFormat, Verbosity};
use sitegrove::printed::{self, Console, Printed};
use sitegrove::run::{Stopped, has_begun};

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

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
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print results and errors only
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = "Messages")]
    quiet: bool,
    /// Print more about what is done; twice for details
    #[arg(long, short, global = true, action = ArgAction::Count, help_heading = "Messages")]
    verbose: u8,
    /// Format of messages on standard error
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Messages"
    )]
    log_format: LogFormat,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Extract the articles of a crawl
    Run(Box<run::RunArgs>),
    /// Show the progress of a run
    Status(status::StatusArgs),
    /// Distributed run, step 1: read archives into a file
    #[cfg(feature = "parquet")]
    Survey(steps::SurveyArgs),
    /// Distributed run, step 2: learn a share of the sites
    #[cfg(feature = "parquet")]
    Learn(steps::LearnArgs),
    /// Distributed run, step 3: apply models to the pages of larger sites
    #[cfg(feature = "parquet")]
    Apply(steps::ApplyArgs),
    /// Distributed run, before step 4: describe articles, to merge in shares
    #[cfg(feature = "parquet")]
    Describe(steps::DescribeArgs),
    /// Distributed run, step 4: write the results
    #[cfg(feature = "parquet")]
    Merge(steps::MergeArgs),
    /// Extract pages of files or archives and print their articles
    Extract(extract::ExtractArgs),
    /// Write articles as documents: HTML, EPUB, TEI, Markdown, JSON
    Export(export::ExportArgs),
    /// Search the index of a run, or remove articles from it
    Search(search::SearchArgs),
    /// Write an HTML page that explains what was learnt about a site
    Inspect(inspect::InspectArgs),
    /// List, show, export, check and test wrappers
    Wrappers(wrappers::WrappersArgs),
    /// List, show, compare, check, export and import stored site models
    Models(models::ModelsArgs),
    /// Rebuild the HTML report of a run
    Report(report::ReportArgs),
    /// Print the versions of an article in an archive of articles
    History(history::HistoryArgs),
    /// List the articles that were added or changed since a date
    Changes(changes::ChangesArgs),
    /// Compare runs and the output of other tools with gold text
    Evaluate(evaluate::EvaluateArgs),
    /// Fit the weights of the default engine to pages whose text is known
    Train(train::TrainArgs),
    /// Measure speed, relative to the bare HTML parser
    Bench(bench::BenchArgs),
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

impl Command {
    /// Whether the command prints only which files it wrote.
    fn writes_files(&self) -> bool {
        match self {
            Self::Export(_) | Self::Report(_) => true,
            Self::Inspect(args) => args.out.as_deref() != Some(Path::new("-")),
            _ => false,
        }
    }

    /// Whether the command handles signals itself to clean up. The others have nothing to clean up: a signal
    /// ends them.
    fn stops_by_itself(&self) -> bool {
        #[cfg(feature = "parquet")]
        if matches!(
            self,
            Self::Survey(_) | Self::Learn(_) | Self::Apply(_) | Self::Describe(_) | Self::Merge(_)
        ) {
            return true;
        }
        matches!(self, Self::Run(_) | Self::Inspect(_) | Self::Wrappers(_) | Self::Bench(_))
    }
}

fn main() -> ExitCode {
    disable_huge_pages();
    escape_panic_messages();
    let cli = match arguments() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    messages::init(cli.log_format, Verbosity { quiet: cli.quiet, verbose: cli.verbose });
    model::listen_to_contained(|panic| tracing::debug!("contained a panic: {panic}"));
    let stop = Arc::new(AtomicBool::new(false));
    if cli.command.stops_by_itself() {
        watch_for_interrupts(&stop);
    }
    let stdout = io::stdout();
    let target: Box<dyn Write> = match cli.quiet && cli.command.writes_files() {
        true => Box::new(io::sink()),
        false => Box::new(stdout.lock()),
    };
    let mut buffered = io::BufWriter::new(target);
    let columns = printed::columns(&Term::stdout());
    let mut out = Console::text(&mut buffered).on_terminal(columns, cli.quiet);
    let progress = (!cli.quiet).then_some(cli.log_format);
    let work = || dispatch(&cli.command, progress, &stop, &mut out);
    // The panic was printed.
    let Ok(outcome) = catch_unwind(AssertUnwindSafe(work)) else { return ExitCode::from(2) };
    let outcome = outcome.and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    match outcome {
        Ok(code) => code,
        Err(error) if error.is::<Stopped>() => {
            tracing::warn!("{error}");
            ExitCode::from(130)
        }
        // The reader of our output may stop reading early (`| head`): not a failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            messages::error(&problem_of(&error));
            ExitCode::from(2)
        }
    }
}

/// Parses the arguments; prints an error and returns the exit code if they are wrong. Arguments may be file
/// names of any origin, so the error is escaped before it is printed.
fn arguments() -> Result<Cli, ExitCode> {
    Cli::try_parse().map_err(|error| {
        let text = error.to_string();
        if error.use_stderr() && wants_json() {
            let verbosity = Verbosity { quiet: false, verbose: 0 };
            messages::init(LogFormat::Json, verbosity);
            messages::error(&wrong_arguments(&text));
            return ExitCode::from(2);
        }
        let shown = printed::text(&text);
        if shown == text {
            error.exit();
        }
        // Without colours: they could not be distinguished from escape sequences in the arguments.
        let _ = io::stderr().write_all(shown.as_bytes());
        ExitCode::from(2)
    })
}

/// What clap says of wrong arguments: an error, tips, the usage, and where more is said, in paragraphs.
fn wrong_arguments(text: &str) -> Problem {
    let joined = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = text.trim().split("\n\n");
    let what = joined(parts.next().unwrap_or_default()).replacen("error: ", "", 1);
    let tips: Vec<String> =
        parts.map(joined).filter_map(|part| Some(part.strip_prefix("tip: ")?.to_owned())).collect();
    Problem::new("", what, tips.join("; "))
}

/// Whether the arguments, which cannot be parsed, ask for messages as JSON.
fn wants_json() -> bool {
    let arguments: Vec<_> = std::env::args_os().collect();
    let pair = |pair: &[std::ffi::OsString]| pair[0] == "--log-format" && pair[1] == "json";
    arguments.windows(2).any(pair) || arguments.iter().any(|own| own == "--log-format=json")
}

/// Escapes panic messages like all other output: they may quote a page.
fn escape_panic_messages() {
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let mut out = Printed::text(io::stderr().lock());
        // Without standard error there is nowhere to write.
        let _ = writeln!(out, "{panic}");
        if backtrace.status() == BacktraceStatus::Captured {
            let _ = writeln!(out, "{backtrace}");
        }
    }));
}

/// Turns transparent huge pages off. A run fills most of its memory once, with what it reads: huge pages do
/// not make that faster, take a quarter more memory, and are slow to clear in virtual machines
/// (docs/PERFORMANCE.md). If the kernel refuses, nothing changes.
fn disable_huge_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Runs a command; `progress` is the form in which long ones show how far they are.
fn dispatch(
    command: &Command,
    progress: Option<LogFormat>,
    stop: &AtomicBool,
    out: &mut Console<'_>,
) -> Result<ExitCode> {
    let code = |good: bool| if good { ExitCode::SUCCESS } else { ExitCode::from(1) };
    match command {
        Command::Run(args) => run::run(args, progress, stop, out).map(code),
        Command::Status(args) => status::run(args, out).map(code),
        #[cfg(feature = "parquet")]
        Command::Survey(args) => steps::survey(args, progress, stop, out).map(code),
        #[cfg(feature = "parquet")]
        Command::Learn(args) => steps::learn(args, progress, stop, out).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "parquet")]
        Command::Apply(args) => steps::apply(args, progress, stop, out).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "parquet")]
        Command::Describe(args) => {
            steps::describe(args, progress, stop, out).map(|()| ExitCode::SUCCESS)
        }
        #[cfg(feature = "parquet")]
        Command::Merge(args) => steps::merge(args, progress, stop, out).map(code),
        Command::Extract(args) => extract::run(args, out).map(code),
        Command::Export(args) => export::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Search(args) => search::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Inspect(args) => {
            inspect::run(args, progress, stop, out).map(|()| ExitCode::SUCCESS)
        }
        Command::Wrappers(args) => wrappers::run(args, stop, out).map(code),
        Command::Models(args) => models::run(args, out).map(code),
        Command::Report(args) => report::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::History(args) => history::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Changes(args) => changes::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Evaluate(args) => evaluate::run(args, out)
            .map(|outcome| code(!matches!(outcome, evaluate::Outcome::BelowFloor))),
        Command::Train(args) => train::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Bench(args) => bench::run(args, stop, out).map(|()| ExitCode::SUCCESS),
        Command::Man(args) => man::run(args, Cli::command(), out).map(|()| ExitCode::SUCCESS),
        Command::Completions { shell } => {
            // Completing to a pipe that closes must not panic: generate in memory first.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "sitegrove", &mut script);
            out.write_all(&script)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = match cause.downcast_ref::<io::Error>() {
            Some(error) => Some(error.kind()),
            None => {
                cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind)
            }
        };
        kind == Some(io::ErrorKind::BrokenPipe)
    })
}

/// The first Ctrl-C (or SIGTERM) asks the run to stop and clean up, or ends it if it has not begun; the second ends
/// it at once.
#[allow(clippy::exit)] // The main thread may wait for a file for ever.
fn watch_for_interrupts(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    let handler = move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::abort();
        }
        if !has_begun() {
            tracing::warn!("{}", Stopped::Empty);
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("cannot handle Ctrl-C: {error}");
    }
}
