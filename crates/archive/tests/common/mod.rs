//! Small archives for the tests.
#![allow(dead_code)]

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use sitegrove_archive::{Fault, Limits, Record, RecordReader};

pub(crate) const BODY: &str = "hello world body";

/// A record of `http://a.com/{i}` with further header lines, a declared length and an ending.
pub(crate) fn record_with(i: usize, length: &str, extra: &str, body: &str, tail: &str) -> Vec<u8> {
    format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.com/{i}\r\n\
         WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{i:032}>\r\n{extra}\
         Content-Type: text/plain\r\n{length}\r\n{body}{tail}"
    )
    .into_bytes()
}

pub(crate) fn record(i: usize) -> Vec<u8> {
    record_with(i, "Content-Length: 16\r\n", "", BODY, "\r\n\r\n")
}

pub(crate) fn records(range: std::ops::Range<usize>) -> Vec<u8> {
    range.flat_map(record).collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

pub(crate) fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn members(range: std::ops::Range<usize>) -> Vec<Vec<u8>> {
    range.map(|i| gzip(&record(i))).collect()
}

pub(crate) fn read(reader: impl Read, limits: &Limits) -> (Vec<Record>, Vec<Fault>) {
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for item in RecordReader::new(reader, limits) {
        match item {
            Ok(record) => records.push(record),
            Err(fault) => faults.push(fault),
        }
        assert!(records.len() + faults.len() < 100_000, "no end");
    }
    (records, faults)
}

/// The numbers of the records in the archive, and its faults.
pub(crate) fn numbers(bytes: &[u8]) -> (Vec<usize>, Vec<Fault>) {
    let (records, faults) = read(bytes, &Limits::USUAL);
    let number = |record: &Record| {
        let uri = record.target_uri.as_deref().unwrap();
        uri.rsplit('/').next().unwrap().parse().unwrap()
    };
    (records.iter().map(number).collect(), faults)
}

/// A reader that returns its bytes in pieces of the given sizes, cyclically.
pub(crate) struct Slices<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) sizes: &'a [usize],
    pub(crate) next: usize,
}

impl Read for Slices<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()].clamp(1, buffer.len());
        self.next += 1;
        (&mut self.bytes).take(size as u64).read(buffer)
    }
}
