//! Types of arguments that many commands share: the output format, and whole numbers.

use clap::ValueEnum;

/// Output format of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PrintFormat {
    /// For people
    #[default]
    Text,
    /// JSON, one object per line where there are several
    Json,
}

/// Parses a whole number, which may be 0.
///
/// # Errors
/// If the text is no such number; the message says what to give instead.
pub fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| wrong(text, "give a whole number"))
}

fn wrong(text: &str, advice: &str) -> String {
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole && text.contains(|digit| digit != '0') { "it is too large" } else { advice }
        .to_owned()
}

/// Parses a whole number above 0.
///
/// # Errors
/// If the text is no such number; the message says what to give instead.
pub fn at_least_one(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|n| *n > 0);
    number.ok_or_else(|| wrong(text, "give a whole number above 0"))
}
