/*!
Reads and writes web archives: records ([`RecordReader`], [`RecordWriter`]), the HTTP responses in them
([`Response`], [`decode_body`]), and the kinds of their payloads ([`sniff_html`]).

Invariant: no input makes anything here panic, hang or exceed the given memory limits. Damage is reported as a
[`Fault`] with its offset, and reading continues after it. This crate does not depend on stages, threads or file
names.
*/

mod block;
mod body;
mod format;
mod http;
mod inflate;
mod lz4;
mod member;
mod members;
mod reader;
mod record;
mod sniff;
mod source;
mod start;
mod stream;
mod surt;
mod whole;
mod writer;
mod zstandard;

pub use body::{BodyError, DecodedBody, decode_body};
pub use format::{Format, begins_as_archive};
pub use http::{Headers, HttpError, Response};
pub use reader::{CUT_SHORT, RecordReader};
pub use record::{Fault, Limits, Record, RecordKind, parse_date};
pub use sniff::{PayloadKind, media_type, sniff_html};
pub use surt::surt;
pub use writer::{NewRecord, RecordWriter, Wrapping};
