//! Messages on standard error. Each has a level, a place, a text and advice, and is printed as one line or as a JSON
//! object with these fields.
//!
//! An event has the fields `at` and `next` beside its message, both optional:
//! `tracing::warn!(at = %path.display(), next = "reading the other inputs", "cannot be opened")` is printed as
//! `warning: crawl/a.warc.gz: cannot be opened; reading the other inputs`.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use errors::{Problem, sentence};
use indicatif::MultiProgress;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::printed::{self, Printed};

/// Target of progress events, which are printed without a label.
pub(crate) const PROGRESS: &str = "sitegrove::running";

/// Format of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One line each, for people
    Text,
    /// One JSON object per line
    Json,
}

/// Selects the messages to print: only errors if `quiet`; else also warnings and progress, with `verbose` notes or details.
fn filter(quiet: bool, verbose: u8) -> EnvFilter {
    let directives = match (quiet, verbose) {
        (true, _) => "sitegrove=error",
        (_, 0) => "sitegrove=warn,sitegrove::running=info",
        (_, 1) => "sitegrove=info",
        _ => "sitegrove=debug",
    };
    // Options take precedence over the environment.
    let of_environment = std::env::var("RUST_LOG").ok().filter(|own| !own.is_empty());
    let own = of_environment.filter(|_| !quiet && verbose == 0);
    EnvFilter::new(own.as_deref().unwrap_or(directives))
}

/// Whether to print with colours: only to a terminal that supports them, if `NO_COLOR` is not set (<https://no-color.org>).
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    let wants = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    stream.is_terminal() && wants && !is_dumb()
}

/// Whether the terminal supports no control sequences.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// The progress bars on the screen; messages are printed above them.
static BARS: Mutex<Option<MultiProgress>> = Mutex::new(None);

/// Sets the progress bars that messages are printed above; `None` if there are none.
pub(crate) fn print_above(bars: Option<MultiProgress>) {
    *BARS.lock().unwrap_or_else(PoisonError::into_inner) = bars;
}

/// Writes to standard error, above the progress bars.
struct Above;

impl io::Write for Above {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bars = BARS.lock().unwrap_or_else(PoisonError::into_inner);
        let write = || io::Write::write_all(&mut io::stderr(), bytes);
        bars.as_ref().map_or_else(write, |bars| bars.suspend(write))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut io::stderr())
    }
}

/// Starts printing messages to standard error.
pub(crate) fn init(format: LogFormat, quiet: bool, verbose: u8) {
    // A message that cannot be printed, as on a full disk, must not end the program: reporting that would panic.
    let log = tracing_subscriber::fmt()
        .log_internal_errors(false)
        .with_env_filter(filter(quiet, verbose));
    let colours = has_colours(&io::stderr());
    match format {
        LogFormat::Json => log.with_writer(|| Printed::json(io::stderr())).json().init(),
        LogFormat::Text => log.with_writer(|| Above).event_format(MessageLines { colours }).init(),
    }
}

/// Prints an error that ends the command.
pub(crate) fn error(problem: &Problem) {
    let Problem { at, what, next } = problem;
    let [at, next] = [at, next].map(|text| Some(text.as_str()).filter(|text| !text.is_empty()));
    tracing::error!(at, next, "{what}");
}

struct MessageLines {
    colours: bool,
}

#[derive(Default)]
struct EventFields {
    at: String,
    what: String,
    next: String,
    others: String,
}

impl EventFields {
    fn set(&mut self, name: &str, value: String) {
        match name {
            "message" => self.what = value,
            "at" => self.at = value,
            "next" => self.next = value,
            // Writing to a String cannot fail.
            _ => drop(write!(self.others, " {name}={value}")),
        }
    }
}

impl Visit for EventFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field.name(), format!("{value:?}"));
    }
}

impl<S, N> FormatEvent<S, N> for MessageLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (label, colour) = match *event.metadata().level() {
            Level::ERROR => ("error", "\x1b[1;31m"),
            Level::WARN => ("warning", "\x1b[1;33m"),
            Level::INFO => ("note", "\x1b[1;36m"),
            Level::DEBUG => ("debug", "\x1b[2m"),
            Level::TRACE => ("trace", "\x1b[2m"),
        };
        let mut fields = EventFields::default();
        event.record(&mut fields);
        let is_progress = event.metadata().target() == PROGRESS;
        match self.colours {
            _ if is_progress => {}
            true => write!(out, "{colour}{label}:\x1b[0m ")?,
            false => write!(out, "{label}: ")?,
        }
        let text = sentence(&fields.at, &fields.what, &fields.next);
        let others = if is_progress { "" } else { &fields.others };
        // Indented, so that no further line of a message looks like the start of one.
        let shown = printed::text(&text).replace('\n', "\n  ");
        writeln!(out, "{shown}{}", printed::line(others))
    }
}
