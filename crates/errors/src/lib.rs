//! Errors for people: what happened, where, and what to do next ([`Problem`]); and what a command is that was stopped
//! ([`Stopped`]).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A problem that a person can do something about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The file, folder, address, site or option that it concerns.
    pub at: String,
    /// What happened.
    pub what: String,
    /// What to do next; may be empty.
    pub next: String,
}

impl Problem {
    /// Something that happened, where, and what to do next.
    pub fn new(at: impl ToString, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { at: at.to_string(), what: what.into(), next: next.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&sentence(&self.at, &self.what, &self.next))
    }
}

/// A message in one line: where, what, and what to do next.
pub fn sentence(at: &str, what: &str, next: &str) -> String {
    let colon = if at.is_empty() { "" } else { ": " };
    let semicolon = if next.is_empty() { "" } else { "; " };
    format!("{at}{colon}{what}{semicolon}{next}")
}

/// An error and its causes, joined by colons. A cause that is in the text of the error before it is not repeated.
pub fn error_chain(error: &anyhow::Error) -> String {
    joined(error.chain().map(ToString::to_string))
}

/// The problem that an error reports: its causes are part of what happened. An error without a known place is what
/// happened.
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
        // SQLite gives the same words again with a number before them.
        let numbered = cause.strip_prefix("Error code ").and_then(|rest| rest.split_once(": "));
        let cause = numbered.map_or(&*cause, |(_, words)| words);
        if cause.starts_with(&text[last..]) {
            // A cause that says the same, and more.
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
    /// Nothing was worth keeping.
    #[error("stopped; nothing was written")]
    Empty,
    /// The results so far are kept: how many.
    #[error("stopped {0}; the same command resumes from there")]
    Kept(String),
}

impl Stopped {
    /// Ends work of which nothing is kept, once `stop` is set.
    ///
    /// # Errors
    /// [`Stopped::Empty`].
    pub fn check(stop: &AtomicBool) -> Result<(), Self> {
        if stop.load(Ordering::Relaxed) { Err(Self::Empty) } else { Ok(()) }
    }
}

/// Whether something was begun that must be ended in order.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Says that from here on the command looks at its stop flag when a signal comes, and cleans up.
pub fn mark_begun() {
    BEGUN.store(true, Ordering::Relaxed);
}

/// Whether a command has begun anything. Before, it reads settings, lists and the like: whatever it waits for, a
/// signal may end the process.
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
        // In the middle of the message, too.
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
