//! Arguments → one command → exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
#[cfg(feature = "parquet")]
use sitegrove::commands::steps;
use sitegrove::commands::{
    bench, changes, evaluate, export, extract, history, inspect, models, report, run, search,
    status, train, wrappers,
};
use sitegrove::error_chain::error_chain;
use sitegrove::printed::{self, Console, Printed};
use sitegrove::run::Stopped;

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
    /// Format of messages on standard error: text or JSON lines
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Extract the articles of a crawl
    Run(run::RunArgs),
    /// Show the progress of a run
    Status(status::StatusArgs),
    /// First step of a run by many processes: read archives into a file
    #[cfg(feature = "parquet")]
    Survey(steps::SurveyArgs),
    /// Second step of a run by many processes: learn a share of the sites
    #[cfg(feature = "parquet")]
    Learn(steps::LearnArgs),
    /// Third step of a run by many processes: apply models to the pages of larger sites
    #[cfg(feature = "parquet")]
    Apply(steps::ApplyArgs),
    /// Last step of a run by many processes: write the results of all
    #[cfg(feature = "parquet")]
    Merge(steps::MergeArgs),
    /// Extract a few pages of one layout and print them
    Extract(extract::ExtractArgs),
    /// Write articles as documents: HTML, EPUB, TEI, Markdown, JSON
    Export(export::ExportArgs),
    /// Search the index of a run, or remove articles from it
    Search(search::SearchArgs),
    /// Write an HTML page that shows what was learnt about a site, and why
    Inspect(inspect::InspectArgs),
    /// List, show, export, check and test wrappers
    Wrappers(wrappers::WrappersArgs),
    /// List, show, compare, check and move the site models that runs keep
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
  sitegrove completions bash > ~/.local/share/bash-completion/completions/sitegrove
  sitegrove completions zsh > ~/.zfunc/_sitegrove
  sitegrove completions fish > ~/.config/fish/completions/sitegrove.fish")]
    Completions {
        /// The shell to print completions for
        shell: Shell,
    },
}

impl Command {
    /// Whether the command handles signals itself to clean up. The others have nothing to clean up: a signal
    /// ends them.
    fn stops_by_itself(&self) -> bool {
        #[cfg(feature = "parquet")]
        if matches!(self, Self::Survey(_) | Self::Learn(_) | Self::Apply(_) | Self::Merge(_)) {
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
    init_log(cli.log_format);
    let stop = Arc::new(AtomicBool::new(false));
    if cli.command.stops_by_itself() {
        watch_for_interrupts(&stop);
    }
    let stdout = io::stdout();
    let mut buffered = io::BufWriter::new(stdout.lock());
    let mut out = Console::text(&mut buffered);
    let outcome = dispatch(&cli.command, &stop, &mut out).and_then(|code| {
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
            tracing::error!("{}", error_chain(&error));
            ExitCode::from(2)
        }
    }
}

/// Parses the arguments; prints an error and returns the exit code if they are wrong. Arguments may be file
/// names of any origin, so the error is escaped before it is printed.
fn arguments() -> Result<Cli, ExitCode> {
    Cli::try_parse().map_err(|error| {
        let text = error.to_string();
        let shown = printed::text(&text);
        if shown == text {
            error.exit();
        }
        // Without colours: they could not be distinguished from escape sequences in the arguments.
        let _ = io::stderr().write_all(shown.as_bytes());
        ExitCode::from(2)
    })
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

fn dispatch(command: &Command, stop: &AtomicBool, out: &mut Console<'_>) -> Result<ExitCode> {
    let code = |good: bool| if good { ExitCode::SUCCESS } else { ExitCode::from(1) };
    match command {
        Command::Run(args) => run::run(args, stop, out).map(code),
        Command::Status(args) => status::run(args, out).map(code),
        #[cfg(feature = "parquet")]
        Command::Survey(args) => steps::survey(args, stop, out).map(code),
        #[cfg(feature = "parquet")]
        Command::Learn(args) => steps::learn(args, stop, out).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "parquet")]
        Command::Apply(args) => steps::apply(args, stop, out).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "parquet")]
        Command::Merge(args) => steps::merge(args, stop, out).map(code),
        Command::Extract(args) => extract::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Export(args) => export::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Search(args) => search::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Inspect(args) => inspect::run(args, stop, out).map(|()| ExitCode::SUCCESS),
        Command::Wrappers(args) => wrappers::run(args, stop, out).map(code),
        Command::Models(args) => models::run(args, out).map(code),
        Command::Report(args) => report::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::History(args) => history::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Changes(args) => changes::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Evaluate(args) => evaluate::run(args, out)
            .map(|outcome| code(!matches!(outcome, evaluate::Outcome::BelowFloor))),
        Command::Train(args) => train::run(args, out).map(|()| ExitCode::SUCCESS),
        Command::Bench(args) => bench::run(args, stop, out).map(|()| ExitCode::SUCCESS),
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

fn init_log(format: LogFormat) {
    use tracing_subscriber::EnvFilter;
    use tracing_subscriber::fmt::format::debug_fn;
    let filter = EnvFilter::builder()
        .with_default_directive("sitegrove=warn".parse().unwrap_or_default())
        .from_env_lossy();
    // Colours are for people at a terminal who want them (https://no-color.org).
    let colours = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours);
    match format {
        LogFormat::Json => log.with_writer(|| Printed::json(io::stderr())).json().init(),
        // Keep the colours of the subscriber, but escape those in a message.
        LogFormat::Text => {
            let fields = debug_fn(|out, field, value| {
                let text = format!("{value:?}");
                // Indented, so that no further line of a message looks like the start of one.
                let text = printed::text(&text).replace('\n', "\n  ");
                match field.name() {
                    "message" => out.write_str(&text),
                    name => write!(out, " {name}={text}"),
                }
            });
            log.with_writer(io::stderr).fmt_fields(fields).without_time().with_target(false).init();
        }
    }
}

/// The first Ctrl-C (or SIGTERM) asks the run to stop and clean up; the second ends it at once.
fn watch_for_interrupts(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    let handler = move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::abort();
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("cannot handle Ctrl-C: {error}");
    }
}
