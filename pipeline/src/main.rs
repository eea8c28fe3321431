//! Arguments → one command → exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use sitegrove::causes::told;
use sitegrove::commands::{
    bench, changes, evaluate, extract, history, inspect, models, report, run, search, status,
    train, wrappers,
};
use sitegrove::printed::{self, Console, Printed};
use sitegrove::run::Stopped;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Turns a crawl into articles, with one learnt XPath wrapper per site.
///
/// Reads WARC files, folders of HTML and feeds; compares the pages of each site with each other to
/// find where their articles are; writes articles, wrappers, and every page left out with its
/// reason.
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
    /// Messages as text or as JSON lines, on standard error
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
    /// Crawl in, wrappers and articles out
    Run(run::RunArgs),
    /// How far a run is
    Status(status::StatusArgs),
    /// A quick look at a few sibling pages
    Extract(extract::ExtractArgs),
    /// Find articles in the search index of a run, or take them out of it
    Search(search::SearchArgs),
    /// Show what a run made of a site, and why, as one HTML page
    Inspect(inspect::InspectArgs),
    /// List, show, export, check and try wrappers
    Wrappers(wrappers::WrappersArgs),
    /// List, show, compare, check and move the site models that runs keep
    Models(models::ModelsArgs),
    /// Draw the report of a run again
    Report(report::ReportArgs),
    /// The versions of an article in an archive of articles
    History(history::HistoryArgs),
    /// What is new in an archive of articles since a day
    Changes(changes::ChangesArgs),
    /// Score runs and other tools' outputs against gold text
    Evaluate(evaluate::EvaluateArgs),
    /// Fit the default engine's weights to pages whose text is known
    Train(train::TrainArgs),
    /// Measure speed beside the bare parser
    Bench(bench::BenchArgs),
    /// Print shell completions
    #[command(after_help = "\
Examples:
  sitegrove completions bash > ~/.local/share/bash-completion/completions/sitegrove
  sitegrove completions zsh > ~/.zfunc/_sitegrove
  sitegrove completions fish > ~/.config/fish/completions/sitegrove.fish")]
    Completions {
        /// Which shell
        shell: Shell,
    },
}

impl Command {
    /// Whether it looks for a wish to stop, and tidies up. The others have nothing to tidy up: a signal ends them.
    fn stops_by_itself(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Inspect(_) | Self::Wrappers(_) | Self::Bench(_))
    }
}

fn main() -> ExitCode {
    take_small_pages();
    tell_panics_safely();
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
        // Whoever reads our output may stop reading: that is no failure of ours.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{}", told(&error));
            ExitCode::from(2)
        }
    }
}

/// The arguments; with wrong ones, says so and gives the exit code. They may be names of files, of any
/// origin.
fn arguments() -> Result<Cli, ExitCode> {
    Cli::try_parse().map_err(|error| {
        let text = error.to_string();
        let shown = printed::text(&text);
        if shown == text {
            error.exit();
        }
        // Without colours: they could not be told from what the arguments hold.
        let _ = io::stderr().write_all(shown.as_bytes());
        ExitCode::from(2)
    })
}

/// Has the message of a panic, which may quote a page, printed as everything else is.
fn tell_panics_safely() {
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let mut out = Printed::text(io::stderr().lock());
        // Without standard error there is nobody to tell.
        let _ = writeln!(out, "{panic}");
        if backtrace.status() == BacktraceStatus::Captured {
            let _ = writeln!(out, "{backtrace}");
        }
    }));
}

/// Asks for memory in small pages. A run fills most of its memory once, with what it reads: huge pages make
/// that no faster, take a quarter more of it, and are dear to clear in virtual machines
/// (docs/PERFORMANCE.md). Where it is refused, all is as before.
fn take_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn dispatch(command: &Command, stop: &AtomicBool, out: &mut Console<'_>) -> Result<ExitCode> {
    let code = |good: bool| if good { ExitCode::SUCCESS } else { ExitCode::from(1) };
    match command {
        Command::Run(args) => run::run(args, stop, out).map(code),
        Command::Status(args) => status::run(args, out).map(code),
        Command::Extract(args) => extract::run(args, out).map(|()| ExitCode::SUCCESS),
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
        // The colours of the subscriber are to come through, not those of a message.
        LogFormat::Text => {
            let fields = debug_fn(|out, field, value| {
                let text = format!("{value:?}");
                // No line of a message begins as messages do.
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

/// The first Ctrl-C (or SIGTERM) asks the run to stop and tidy up; the second ends it at once.
fn watch_for_interrupts(stop: &Arc<AtomicBool>) {
    let stop = Arc::clone(stop);
    let handler = move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::abort();
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        tracing::warn!("Ctrl-C will not be noticed: {error}");
    }
}
