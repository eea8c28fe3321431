//! The items that a reader returns, which are records, and faults where there is damage; and the limits of reading.

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use model::{DropReason, named};
use serde::{Deserialize, Serialize};

use crate::Headers;

named! {
/// The kind of a record, named by its `WARC-Type`.
pub enum RecordKind {
    /// A server's response, HTTP head included.
    Response => "response",
    /// A resource without a protocol head.
    Resource => "resource",
    /// A later fetch that found the same content again.
    Revisit => "revisit",
    /// A crawler's request.
    Request => "request",
    /// Metadata about another record.
    Metadata => "metadata",
    /// A description of the archive.
    Warcinfo => "warcinfo",
    /// A converted form of another record.
    Conversion => "conversion",
    /// Any other type, `continuation` among them.
    Other => "other",
}
}

impl RecordKind {
    /// Whether records of this kind can contain a page or refer to one.
    pub fn of_pages(self) -> bool {
        matches!(self, Self::Response | Self::Resource | Self::Revisit)
    }
}

/// One record of an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// File offset of the gzip member in which it begins, or of its first byte in an uncompressed archive.
    pub offset: u64,
    /// Kind of the record.
    pub kind: RecordKind,
    /// Named fields.
    pub headers: Headers,
    /// `WARC-Target-URI` without angle brackets.
    pub target_uri: Option<String>,
    /// `WARC-Date`, if it can be parsed.
    pub date: Option<Timestamp>,
    /// `WARC-Record-ID` without angle brackets, or empty.
    pub record_id: String,
    /// `WARC-Truncated`, or `cut-short` if the archive ends inside the record.
    pub truncated: Option<String>,
    /// Block; empty for kinds whose bodies were not requested.
    pub body: Vec<u8>,
    /// Length of the block in bytes, even if it is not in `body`.
    pub length: u64,
}

/// Damage: where it is, what happened, what was kept and where reading continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// File offset of the damage; in compressed archives, of its gzip member.
    pub offset: u64,
    /// Address of the affected record, if it could be read.
    pub target_uri: Option<String>,
    /// Id of that record without angle brackets; empty if it has none.
    pub record_id: String,
    /// The kind of damage.
    pub reason: DropReason,
    /// What happened, what was kept and what to do, as a lower-case sentence.
    pub detail: String,
    /// File offset at which reading continued; `None` at the end of the file.
    pub recovered_at: Option<u64>,
}

/// Limits on the cost of one record. There is no `Default`: the defaults are in the configuration
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest record body that is kept, in bytes; a longer one is skipped and reported.
    pub record_bytes: u64,
    /// Longest record head, in bytes; a longer one counts as damage.
    pub head_bytes: usize,
    /// Longest compressed gzip member that is inflated in one call. A longer one is streamed, which
    /// is slower but takes no more memory.
    pub member_bytes: usize,
    /// Maximum ratio of output to input bytes of a gzip member larger than `record_bytes`. A member
    /// above it is abandoned and reported.
    pub ratio: u64,
}

impl Limits {
    /// Limits that suit real crawls: 32 MiB records, 1 MiB heads, 8 MiB members, 500 to 1.
    pub const USUAL: Limits =
        Limits { record_bytes: 32 << 20, head_bytes: 1 << 20, member_bytes: 8 << 20, ratio: 500 };
}

/// Parses `2024-01-02T03:04:05Z`, with or without fractions, and `20240102030405`. Both may be truncated
/// after any part, which WARC 1.1 allows for the first.
pub fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(timestamp) = text.parse() {
        return Some(timestamp);
    }
    let digits: String = if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.to_owned()
    } else {
        let plain = |c: char| c.is_ascii_digit() || "-:TtZz ".contains(c);
        let head = text.split('.').next().unwrap_or_default();
        if !head.chars().all(plain) {
            return None;
        }
        head.chars().filter(char::is_ascii_digit).collect()
    };
    let part = |from: usize, to: usize, otherwise: i16| match digits.get(from..to) {
        Some(part) => part.parse().ok(),
        None if digits.len() <= from => Some(otherwise),
        None => None,
    };
    let year = digits.get(..4)?.parse().ok()?;
    let small = |value: Option<i16>| value.and_then(|value| i8::try_from(value).ok());
    let date = civil::Date::new(year, small(part(4, 6, 1))?, small(part(6, 8, 1))?).ok()?;
    let second = small(part(12, 14, 0))?.min(59);
    let time = civil::Time::new(small(part(8, 10, 0))?, small(part(10, 12, 0))?, second, 0).ok()?;
    Some(date.to_datetime(time).to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (text, expected) in [
            ("2024-01-02T03:04:05Z", Some("2024-01-02T03:04:05Z")),
            ("2024-01-02T03:04:05.25Z", Some("2024-01-02T03:04:05.25Z")),
            ("20240102030405", Some("2024-01-02T03:04:05Z")),
            ("2024-01-02T03:04:05", Some("2024-01-02T03:04:05Z")),
            ("2024-01-02", Some("2024-01-02T00:00:00Z")),
            ("2024", Some("2024-01-01T00:00:00Z")),
            ("2024-13-02", None),
            ("yesterday", None),
            ("", None),
        ] {
            let found = parse_date(text).map(|timestamp| timestamp.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
