//! Runs the commands of a program: handles arguments, messages, interrupts, standard output and the exit code.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use clap::{ArgAction, Args, Parser};
use console::Term;
use errors::{Problem, Stopped, has_begun, problem_of};

use crate::messages::{self, LogFormat};
use crate::printed::{self, Console, Printed};

/// Options of every command.
#[derive(Args, Debug)]
#[command(about = None, long_about = None)]
pub struct MessageArgs {
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

/// A program whose arguments name one of its commands.
pub trait Program: Parser {
    /// Returns the options that every command has.
    fn messages(&self) -> &MessageArgs;

    /// Whether the command prints only which files it wrote.
    fn writes_files(&self) -> bool;

    /// Whether the command prints a summary after it wrote its results to files.
    fn prints_a_summary(&self) -> bool;

    /// Whether the command handles signals itself, to clean up. Other commands have nothing to clean up: a signal
    /// ends them.
    fn stops_by_itself(&self) -> bool;

    /// Runs the command.
    fn execute(&self, with: CommandContext<'_, '_>) -> Result<ExitCode>;
}

/// What a command is given besides its arguments.
pub struct CommandContext<'a, 'b> {
    /// The format in which long commands show their progress; `None` if they do not.
    pub progress: Option<LogFormat>,
    /// Set when the command is to stop.
    pub stop: &'a AtomicBool,
    /// Standard output.
    pub out: &'a mut Console<'b>,
}

/// Parses the arguments, runs the command, and reports errors: the whole body of a `main`.
pub fn run_program<P: Program>() -> ExitCode {
    disable_huge_pages();
    escape_panic_messages();
    let program = match arguments::<P>() {
        Ok(program) => program,
        Err(code) => return code,
    };
    let &MessageArgs { quiet, verbose, log_format } = program.messages();
    messages::init(log_format, quiet, verbose);
    model::listen_to_contained(|panic| tracing::debug!("contained a panic: {panic}"));
    let stop = Arc::new(AtomicBool::new(false));
    if program.stops_by_itself() {
        watch_for_interrupts(&stop);
    }
    let stdout = io::stdout();
    let target: Box<dyn Write> = match quiet && program.writes_files() {
        true => Box::new(io::sink()),
        false => Box::new(stdout.lock()),
    };
    let mut stream =
        StandardOutput { target, is_summary: program.prints_a_summary(), failed: None };
    let mut buffered = io::BufWriter::new(&mut stream);
    let columns = printed::columns(&Term::stdout());
    let mut out = Console::text(&mut buffered).on_terminal(columns, quiet);
    let progress = (!quiet).then_some(log_format);
    let work = || program.execute(CommandContext { progress, stop: &stop, out: &mut out });
    // The panic hook has printed the panic.
    let Ok(outcome) = catch_unwind(AssertUnwindSafe(work)) else { return ExitCode::from(2) };
    let outcome = outcome.and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    drop(buffered);
    if let Some(error) = stream.failed.filter(|error| error.kind() != io::ErrorKind::BrokenPipe) {
        tracing::warn!(next = "the files are complete", "cannot print what was done: {error}");
    }
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

/// Standard output. A command does not fail if its summary cannot be printed: its results are in files.
struct StandardOutput {
    target: Box<dyn Write>,
    is_summary: bool,
    /// Set when printing a summary fails; the rest is then not printed.
    failed: Option<io::Error>,
}

impl StandardOutput {
    fn attempt<T>(
        &mut self,
        done: T,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.failed.is_some() {
            return Ok(done);
        }
        match write(&mut self.target) {
            Err(error) if self.is_summary && error.kind() != io::ErrorKind::Interrupted => {
                self.failed = Some(error);
                Ok(done)
            }
            written => written,
        }
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |target| target.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), |target| target.flush())
    }
}

/// Parses the arguments; prints an error and returns the exit code if they are wrong. Arguments may be file
/// names of any origin, so the error is escaped before it is printed.
fn arguments<P: Program>() -> Result<P, ExitCode> {
    P::try_parse().map_err(|error| {
        let text = error.to_string();
        if error.use_stderr() && wants_json() {
            messages::init(LogFormat::Json, false, 0);
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

/// Converts clap's message about wrong arguments, in paragraphs: an error, tips, the usage, and a pointer to the help.
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
