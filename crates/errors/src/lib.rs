//! Errors for people: what happened, where, and what to do next ([`Problem`]); and the error of a command that was stopped
//! ([`Stopped`]).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A problem that the user can do something about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// File, folder, address, site or option with the problem.
    pub at: String,
    /// What happened.
    pub what: String,
    /// What to do next; empty if nothing can be advised.
    pub next: String,
}

impl Problem {
    /// Makes a problem; the arguments are in the order of the fields.
    pub fn new(at: impl ToString, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { at: at.to_string(), what: what.into(), next: next.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sentence(&self.at, &self.what, &self.next))
    }
}

/// Formats a one-line message: where, what, and what to do next.
pub fn sentence(at: &str, what: &str, next: &str) -> String {
    let colon = if at.is_empty() { "" } else { ": " };
    let semicolon = if next.is_empty() { "" } else { "; " };
    format!("{at}{colon}{what}{semicolon}{next}")
}

/// Joins an error and its causes with colons. Leaves out a cause whose text is already part of the message.
pub fn error_chain(error: &anyhow::Error) -> String {
    joined(error.chain().map(ToString::to_string))
}

/// Returns the problem that an error contains, with the causes of the error added to `what`. An error without a problem becomes
/// a problem without a place.
pub fn problem_of(error: &anyhow::Error) -> Problem {
    let found = error.chain().position(|cause| cause.is::<Problem>());
    let of = found.and_then(|at| Some((at, error.chain().nth(at)?.downcast_ref::<Problem>()?)));
    let Some((position, problem)) = of else {
        return Problem::new("", error_chain(error), "");
    };
    let texts = error.chain().enumerate().map(|(at, cause)| match at {
        at if at == position => problem.what.clone(),
        _ => cause.to_string(),
    });
    Problem { what: joined(texts), ..problem.clone() }
}

fn joined(causes: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut last = 0;
    for cause in causes {
        // SQLite repeats its message with an error number before it.
        let numbered = cause.strip_prefix("Error code ").and_then(|rest| rest.split_once(": "));
        let cause = numbered.map_or(&*cause, |(_, words)| words);
        if cause.starts_with(&text[last..]) {
            // The cause repeats the message and adds something.
            text.truncate(last);
            text.push_str(cause);
        } else if !text.contains(cause) {
            text.push_str(": ");
            last = text.len();
            text.push_str(cause);
        }
    }
    text
}

/// Why a run stopped before its end.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// There was nothing worth keeping.
    #[error("stopped; nothing was written")]
    Empty,
    /// The results so far are kept; the field says how many.
    #[error("stopped {0}; the same command resumes from there")]
    Kept(String),
}

impl Stopped {
    /// Returns an error if `stop` is set. For work of which nothing is kept.
    ///
    /// # Errors
    /// [`Stopped::Empty`].
    pub fn check(stop: &AtomicBool) -> Result<(), Self> {
        if stop.load(Ordering::Relaxed) { Err(Self::Empty) } else { Ok(()) }
    }
}

/// Whether something has begun that must be ended in order when a signal arrives.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Declares that from here on the command checks its stop flag after a signal, and cleans up.
pub fn mark_begun() {
    BEGUN.store(true, Ordering::Relaxed);
}

/// Whether the command has called [`mark_begun`]. Before that, it only reads settings, lists and the like, so a signal may end
/// the process whatever it waits for.
pub fn has_begun() -> bool {
    BEGUN.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;

    use super::*;

    #[test]
    fn no_cause_is_repeated() {
        let error = std::fs::File::create("/nowhere/at/all.csv").unwrap_err();
        let what = format!("cannot create /nowhere/at/all.csv: {error}");
        let error = anyhow::Error::new(error).context(what).context("5 of 6 sites are kept");
        let text = error_chain(&error);
        assert_eq!(text.matches("No such file").count(), 1, "{text}");
        assert!(text.starts_with("5 of 6 sites are kept: cannot create /nowhere/at/"), "{text}");
        let plain = anyhow::Error::new(io::Error::other("full")).context("cannot write a");
        assert_eq!(error_chain(&plain), "cannot write a: full");
        // Also in the middle of the message.
        let middle = anyhow::Error::new(io::Error::other("full")).context("disk full; make room");
        assert_eq!(error_chain(&middle), "disk full; make room");
        let longer = anyhow::anyhow!("cannot write a: full").context("cannot write a");
        let longer = longer.context("5 of 6 sites are kept");
        assert_eq!(error_chain(&longer), "5 of 6 sites are kept: cannot write a: full");
        let coded = anyhow::anyhow!("Error code 26: file is not a database");
        let coded = coded.context("cannot open a: file is not a database");
        assert_eq!(error_chain(&coded), "cannot open a: file is not a database");
    }

    #[test]
    fn problems_have_a_place_and_a_next_step() {
        let problem = Problem::new("a.sqlite", "the file does not exist", "make it");
        assert_eq!(problem.to_string(), "a.sqlite: the file does not exist; make it");
        let error = Err::<(), _>(problem.clone()).context("cannot search").unwrap_err();
        let found = problem_of(&error);
        assert_eq!((&*found.at, &*found.next), ("a.sqlite", "make it"));
        assert_eq!(found.what, "cannot search: the file does not exist");
        let plain = problem_of(&anyhow::anyhow!("no place"));
        assert_eq!(plain, Problem::new("", "no place", ""));
    }
}
