//! Writes WARC 1.1 archives, uncompressed or with one gzip member per record. The same records always give the same bytes.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;

use crate::RecordKind;

/// The compression of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// Records are not compressed.
    Plain,
    /// Each record is a gzip member of its own.
    Gzip,
}

/// A record to write.
#[derive(Clone, Copy, Debug)]
pub struct NewRecord<'a> {
    /// Type of the record; [`RecordKind::Other`] cannot be written.
    pub kind: RecordKind,
    /// Id of the record, a URI without angle brackets such as `urn:uuid:…`.
    pub record_id: &'a str,
    /// Date of the record.
    pub date: Timestamp,
    /// Address that the record is about, if any.
    pub target_uri: Option<&'a str>,
    /// Media type of the block, such as `application/http; msgtype=response`.
    pub content_type: &'a str,
    /// Further fields, written in this order.
    pub fields: &'a [(&'a str, &'a str)],
    /// The block.
    pub body: &'a [u8],
}

/// Writes records to an archive.
pub struct RecordWriter<W> {
    output: W,
    wrapping: Wrapping,
}

impl<W: Write> RecordWriter<W> {
    /// Starts an archive.
    pub fn new(output: W, wrapping: Wrapping) -> Self {
        Self { output, wrapping }
    }

    /// Writes a record. Line breaks in field values are replaced by spaces.
    pub fn write(&mut self, record: &NewRecord<'_>) -> io::Result<()> {
        match self.wrapping {
            Wrapping::Plain => write_record(&mut self.output, record),
            Wrapping::Gzip => {
                let mut encoder = GzEncoder::new(&mut self.output, Compression::default());
                write_record(&mut encoder, record)?;
                encoder.finish().map(|_| ())
            }
        }
    }

    /// Ends the archive and returns the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }
}

fn write_record(output: &mut impl Write, record: &NewRecord<'_>) -> io::Result<()> {
    if record.kind == RecordKind::Other {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a record of no known type"));
    }
    let mut head = String::from("WARC/1.1\r\n");
    let mut field = |name: &str, value: &str| {
        head.push_str(name);
        head.push_str(": ");
        head.extend(value.chars().map(|c| if c == '\r' || c == '\n' { ' ' } else { c }));
        head.push_str("\r\n");
    };
    field("WARC-Type", record.kind.as_str());
    field("WARC-Record-ID", &format!("<{}>", record.record_id));
    field("WARC-Date", &record.date.to_string());
    if let Some(uri) = record.target_uri {
        field("WARC-Target-URI", uri);
    }
    for (name, value) in record.fields {
        field(name, value);
    }
    field("Content-Type", record.content_type);
    field("Content-Length", &record.body.len().to_string());
    head.push_str("\r\n");
    output.write_all(head.as_bytes())?;
    output.write_all(record.body)?;
    output.write_all(b"\r\n\r\n")
}
