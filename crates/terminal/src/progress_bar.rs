//! Progress of long commands: a bar at a terminal, a line every ten seconds elsewhere.

use std::fmt::{self, Write};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use console::Term;
use indicatif::{
    MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike,
};
use report::readable::{duration, grouped, size};

use crate::messages::{LogFormat, PROGRESS, is_dumb, print_above};
use crate::printed::columns;

/// Time between two lines if there is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);
/// Maximum number of times that the bars are drawn per second.
const FRAMES: u8 = 20;
/// Columns that the long form of a bar needs.
const LONG: usize = 68;

/// Shows bytes while inputs are read, then pages while sites are learnt.
#[derive(Debug)]
pub struct ProgressDisplay {
    bars: Arc<Bars>,
    /// The bars, if they are drawn on the screen.
    shown: Option<MultiProgress>,
    lines: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Two bars, shown one after the other. Without a terminal they are not drawn, but still count.
#[derive(Debug)]
struct Bars {
    bytes: ProgressBar,
    pages: ProgressBar,
    /// The verb for what is done with the pages, such as "learning".
    verb: &'static str,
    sites: AtomicU64,
    is_learning: AtomicBool,
}

impl ProgressDisplay {
    /// Shows a bar on standard error if that is a terminal and messages are text; otherwise prints lines among the
    /// messages. After reading, `verb` says what is done with the pages.
    pub fn new(form: LogFormat, verb: &'static str) -> Self {
        let terminal = Term::stderr();
        let is_shown = form == LogFormat::Text && terminal.is_term() && !is_dumb();
        let columns = columns(&terminal);
        let target = match is_shown {
            true => ProgressDrawTarget::term_like_with_hz(Box::new(Narrower(terminal)), FRAMES),
            false => ProgressDrawTarget::hidden(),
        };
        let all = MultiProgress::with_draw_target(target);
        let bars = Arc::new(Bars::new(&all, columns, verb));
        if is_shown {
            print_above(Some(all.clone()));
            return Self { bars, shown: Some(all), lines: None };
        }
        let (end, ended) = channel();
        let of = Arc::clone(&bars);
        let lines = std::thread::spawn(move || {
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                of.print_line();
            }
        });
        Self { bars, shown: None, lines: Some((end, lines)) }
    }

    /// Removes the bars from the screen, or stops printing lines.
    pub fn clear(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(bars) = &self.shown {
            // Failing to clean up the terminal is no reason to stop.
            let _ = bars.clear();
            print_above(None);
        }
        if let Some((end, lines)) = self.lines.take() {
            drop(end);
            // A line that cannot be printed is no reason to stop.
            let _ = lines.join();
        }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.end();
    }
}

/// Formats a rate, with one decimal below 10: `253`, `9.8`.
fn rounded(rate: f64) -> String {
    match rate {
        r if !r.is_finite() => "–".to_owned(),
        r if r < 9.95 => format!("{r:.1}"),
        r => grouped(r.round() as u64),
    }
}

/// Formats the remaining time after a separator; empty at the start, when it is not known.
fn left(done: u64, of: u64, seconds: f64, separator: &str) -> String {
    if done == 0 || of == 0 || seconds < 1.0 {
        return String::new();
    }
    let rest = of.saturating_sub(done) as f64 * seconds / done as f64;
    let rest = duration(rest.ceil());
    let rest = rest.replace(".00 s", " s").replace(".0 s", " s").replace("0 ms", "0 s");
    format!("{separator}{rest} left")
}

fn percent(done: u64, of: u64) -> u64 {
    (done.min(of) * 100).checked_div(of).unwrap_or(0)
}

impl Bars {
    fn new(all: &MultiProgress, columns: usize, verb: &'static str) -> Self {
        let (long, short) = ("{wide_bar}  {done}  {rate}{rest}", "{percent} %{rest}");
        let form = if columns >= LONG { long } else { short };
        let style =
            |name: &str, shown: fn(u64) -> String, unit: &'static str, rate: fn(f64) -> String| {
                let style = ProgressStyle::with_template(&format!("{name}  {form}"));
                let done = key(move |state, to| {
                    let of = shown(state.len().unwrap_or(0));
                    write!(to, "{} of {of}{unit}", shown(state.pos()))
                });
                let rate = key(move |state, to| {
                    let seconds = state.elapsed().as_secs_f64().max(0.001);
                    write!(to, "{}/s", rate(state.pos() as f64 / seconds))
                });
                let rest = key(|state, to| {
                    let of = state.len().unwrap_or(0);
                    to.write_str(&left(state.pos(), of, state.elapsed().as_secs_f64(), "  "))
                });
                style
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .with_key("done", done)
                    .with_key("rate", rate)
                    .with_key("rest", rest)
                    .progress_chars("━╸ ")
            };
        let bytes = all.add(ProgressBar::no_length());
        let reading = format!("{:<1$}", "reading", verb.len());
        bytes.set_style(style(&reading, size, "", |rate| size(rate as u64)));
        let pages = all.add(ProgressBar::no_length());
        pages.set_style(style(verb, grouped, " pages", rounded));
        let (sites, is_learning) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { bytes, pages, verb, sites, is_learning }
    }

    fn print_line(&self) {
        let phase = if self.is_learning.load(Ordering::Relaxed) { self.verb } else { "reading" };
        let bar = if phase == "reading" { &self.bytes } else { &self.pages };
        let (done, of) = (bar.position(), bar.length().unwrap_or(0));
        let seconds = bar.elapsed().as_secs_f64();
        let rate = done as f64 / seconds.max(0.001);
        let (rest, share) = (left(done, of, seconds, ", "), percent(done, of));
        if phase != "reading" {
            let sites = self.sites.load(Ordering::Relaxed);
            let (shown, all, rate) = (grouped(done), grouped(of), rounded(rate));
            let text = format!("{phase} {shown} of {all} pages ({share} %), {rate}/s{rest}");
            tracing::info!(target: PROGRESS, phase, pages = done, of, sites, "{text}");
            return;
        }
        let (shown, all, rate) = (size(done), size(of), size(rate as u64));
        // The length of a pipe is not known.
        let text = match of {
            0 => format!("reading {shown}, {rate}/s"),
            _ => format!("reading {shown} of {all} ({share} %), {rate}/s{rest}"),
        };
        tracing::info!(target: PROGRESS, phase, bytes = done, of, "{text}");
    }
}

/// Makes a template key of a bar.
fn key(
    write: impl Fn(&ProgressState, &mut dyn Write) -> fmt::Result + Clone + Send + Sync + 'static,
) -> impl Fn(&ProgressState, &mut dyn Write) + Clone + Send + Sync + 'static {
    // Writing to memory cannot fail.
    move |state, to| {
        let _ = write(state, to);
    }
}

impl Observer for ProgressDisplay {
    fn reading(&self, _files: usize, bytes: u64) {
        self.bars.bytes.set_length(bytes);
    }

    fn read(&self, bytes: u64) {
        self.bars.bytes.inc(bytes);
    }

    fn processing(&self, sites: usize, pages: usize) {
        let bars = &self.bars;
        bars.sites.store(sites as u64, Ordering::Relaxed);
        bars.bytes.finish_and_clear();
        bars.pages.reset_elapsed();
        bars.pages.set_length(pages as u64);
        bars.is_learning.store(true, Ordering::Relaxed);
    }

    fn site_done(&self, _site: &str, pages: usize) {
        self.bars.pages.inc(pages as u64);
    }
}

/// Receives progress events. All methods are called from many threads.
pub trait Observer: Sync + std::fmt::Debug {
    /// Reading starts: number of files and bytes.
    fn reading(&self, _files: usize, _bytes: u64) {}
    /// This many more bytes were read.
    fn read(&self, _bytes: u64) {}
    /// Processing starts: number of sites and pages.
    fn processing(&self, _sites: usize, _pages: usize) {}
    /// A site, or a part of a large one, is done.
    fn site_done(&self, _site: &str, _pages: usize) {}
}

/// An observer that ignores all events.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {}

/// Columns that `^C` takes when the terminal echoes it.
const ECHO: u16 = 2;

#[derive(Debug)]
struct Narrower(pub(crate) Term);

impl TermLike for Narrower {
    fn width(&self) -> u16 {
        TermLike::width(&self.0).saturating_sub(ECHO)
    }

    fn height(&self) -> u16 {
        TermLike::height(&self.0)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        self.0.write_line(s)
    }

    fn write_str(&self, s: &str) -> io::Result<()> {
        self.0.write_str(s)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded() {
        assert_eq!(rounded(252.5655), "253");
        assert_eq!(rounded(9.78), "9.8");
        assert_eq!(rounded(12_345.6), "12,346");
        assert_eq!(left(0, 100, 5.0, ", "), "");
        assert_eq!(left(50, 100, 5.0, ", "), ", 5 s left");
        assert_eq!(left(100, 100, 5.0, ", "), ", 0 s left");
        assert_eq!(left(1, 100, 10.0, ", "), ", 16 min 30 s left");
        assert_eq!((percent(1, 3), percent(0, 0), percent(5, 4)), (33, 0, 100));
    }
}
