//! The state of an input before it is read: what it is, its size, and when it was changed.

use std::io;

use serde::{Deserialize, Serialize};

use crate::Input;
use crate::source::state;
use crate::waiting::is_stream;

/// An input as it was found.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct InputState {
    /// Its path; of an index, with a digest of the records that it lists.
    pub file: String,
    /// Whether it can be read, and how often.
    pub kind: InputKind,
    /// Its length; 0 where it is not known.
    pub bytes: u64,
    /// Time of the last change, in nanoseconds since 1970; `None` if unknown.
    pub modified: Option<i64>,
}

/// The kind of an input.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// A file: it can be compared with its earlier state, and read again.
    File,
    /// The standard input, a pipe or the like: it can be read only once.
    Stream,
    /// It could not be opened.
    Unreadable,
}

impl InputState {
    /// Examines an input. Returns it with an error, if it cannot be opened.
    pub fn of(input: &Input) -> (Self, Option<io::Error>) {
        let path = input.path();
        let file = path.to_string_lossy().into_owned();
        // Of an index, the records that it lists belong to the identity.
        let file = match input {
            Input::Records { records, .. } => {
                let listed: String =
                    records.iter().map(|own| format!("{} {} ", own.offset, own.length)).collect();
                let digest = xxhash_rust::xxh3::xxh3_64(listed.as_bytes());
                format!("{file} ({} records, {digest:016x})", records.len())
            }
            _ => file,
        };
        let none = |kind| Self { file: file.clone(), kind, bytes: 0, modified: None };
        let of = match input {
            Input::Unreadable { why, .. } => Err(io::Error::other(why.as_str())),
            // Opening a pipe has an effect: the writer would assume that it is read.
            _ if input.is_stdin() || is_stream(path) => return (none(InputKind::Stream), None),
            _ => state(path),
        };
        let of = match of {
            Ok(of) => of,
            Err(error) => return (none(InputKind::Unreadable), Some(error)),
        };
        let (bytes, modified) = of;
        (Self { file, kind: InputKind::File, bytes, modified }, None)
    }
}
