//! The formats in which commands print.

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
