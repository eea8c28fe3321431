//! The items that a reader yields: records, and faults where there is damage.

use jiff::Timestamp;
use model::DropReason;

use crate::Headers;

/// The kind of a record, by its `WARC-Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordKind {
    /// A server's response, HTTP head included.
    Response,
    /// A resource without protocol head.
    Resource,
    /// A later fetch that found the same content again.
    Revisit,
    /// A crawler's request.
    Request,
    /// Metadata about another record.
    Metadata,
    /// A description of the archive.
    Warcinfo,
    /// A converted form of another record.
    Conversion,
    /// Any other type, `continuation` among them.
    Other,
}

impl RecordKind {
    /// Parses a `WARC-Type`, case-insensitively.
    pub fn parse(text: &str) -> Self {
        match warc::RecordType::from(text) {
            warc::RecordType::Response => Self::Response,
            warc::RecordType::Resource => Self::Resource,
            warc::RecordType::Revisit => Self::Revisit,
            warc::RecordType::Request => Self::Request,
            warc::RecordType::Metadata => Self::Metadata,
            warc::RecordType::WarcInfo => Self::Warcinfo,
            warc::RecordType::Conversion => Self::Conversion,
            warc::RecordType::Continuation | warc::RecordType::Unknown(_) => Self::Other,
        }
    }

    /// The name written to outputs: the `WARC-Type`, or `other`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Resource => "resource",
            Self::Revisit => "revisit",
            Self::Request => "request",
            Self::Metadata => "metadata",
            Self::Warcinfo => "warcinfo",
            Self::Conversion => "conversion",
            Self::Other => "other",
        }
    }

    /// Whether records of this kind can contain a page or refer to one.
    pub fn of_pages(self) -> bool {
        matches!(self, Self::Response | Self::Resource | Self::Revisit)
    }

    /// The `WARC-Type` to write; `None` for [`RecordKind::Other`].
    pub fn as_warc(self) -> Option<warc::RecordType> {
        Some(match self {
            Self::Response => warc::RecordType::Response,
            Self::Resource => warc::RecordType::Resource,
            Self::Revisit => warc::RecordType::Revisit,
            Self::Request => warc::RecordType::Request,
            Self::Metadata => warc::RecordType::Metadata,
            Self::Warcinfo => warc::RecordType::WarcInfo,
            Self::Conversion => warc::RecordType::Conversion,
            Self::Other => return None,
        })
    }
}

/// One record of an archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// File offset of the gzip member it begins in, or of its first byte in a plain archive.
    pub offset: u64,
    /// Its kind.
    pub kind: RecordKind,
    /// Its named fields.
    pub headers: Headers,
    /// `WARC-Target-URI` without angle brackets.
    pub target_uri: Option<String>,
    /// `WARC-Date`, if it can be parsed.
    pub date: Option<Timestamp>,
    /// `WARC-Record-ID` without angle brackets, or empty.
    pub record_id: String,
    /// `WARC-Truncated`, or `cut-short` if the archive ends inside the record.
    pub truncated: Option<String>,
    /// Its block; empty for kinds whose bodies were not requested.
    pub body: Vec<u8>,
    /// Length of its block in bytes, even if it was not kept in `body`.
    pub length: u64,
}

/// Damage: where it is, what happened, what was kept and where reading continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// File offset of the damage: of the gzip member for compressed archives.
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
