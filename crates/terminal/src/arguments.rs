//! Arguments that many commands have: the format in which they print, and whole numbers.

use clap::ValueEnum;

/// Format of what a command prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PrintFormat {
    /// For people
    #[default]
    Text,
    /// JSON, one object per line where there are several
    Json,
}

/// Reads a whole number, which may be 0.
///
/// # Errors
/// With what to give instead.
pub fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| wrong(text, "give a whole number"))
}

fn wrong(text: &str, advice: &str) -> String {
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole && text.contains(|digit| digit != '0') { "it is too large" } else { advice }
        .to_owned()
}

/// Reads a number of things, at least one.
///
/// # Errors
/// With what to give instead.
pub fn at_least_one(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.ok_or_else(|| wrong(text, "give a whole number above 0"))
}
