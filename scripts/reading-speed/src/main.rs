//! usage: reading-speed speed FILE.warc.gz [ROUNDS]
//!        reading-speed memory plain|unsized|gzip|zstd GIGABYTES
//!        reading-speed bomb
//!
//! `speed` reads all records including bodies, with this reader and FastWARC in turn, and prints the median of the
//! ratios. `memory` reads a generated record of this number of gigabytes and prints the peak memory of
//! the process; run it once per process. `bomb` reads ten megabytes of gzip that decompress to ten
//! gigabytes.

use std::fs::File;
use std::io::{Cursor, Read, repeat};
use std::path::Path;
use std::time::Instant;

use archive::{Limits, RecordReader};
use fastwarc::warc::iter::ArchiveIterator;
use flate2::{Compress, Compression, FlushCompress};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["speed", file] => speed(Path::new(file), 5),
        ["speed", file, rounds] => speed(Path::new(file), rounds.parse()?),
        ["memory", kind, gigabytes] => memory(kind, gigabytes.parse()?),
        ["bomb"] => bomb(),
        _ => Err("usage: reading-speed speed FILE [ROUNDS] | memory KIND GIGABYTES | bomb".into()),
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn speed(file: &Path, rounds: usize) -> Outcome {
    let mut ratios = Vec::new();
    let packed = std::fs::metadata(file)?.len() as f64 / 1e6;
    for round in 0..=rounds {
        let (ours, records, bytes) = ours(file)?;
        let (theirs, their_records, their_bytes) = theirs(file)?;
        if (records, bytes) != (their_records, their_bytes) {
            println!(
                "not the same: {records} records, {bytes} bytes; FastWARC {their_records}, {their_bytes}"
            );
        }
        if round == 0 {
            println!("{packed:.0} MB, {records} records, {:.0} MB of bodies", bytes as f64 / 1e6);
            continue;
        }
        let megabytes = bytes as f64 / 1e6;
        println!(
            "sitegrove {:.0} MB/s, FastWARC {:.0} MB/s, ratio {:.2}",
            megabytes / ours,
            megabytes / theirs,
            theirs / ours
        );
        ratios.push(theirs / ours);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio of {rounds}: {:.2}", ratios[ratios.len() / 2]);
    Ok(())
}

fn ours(file: &Path) -> Result<(f64, u64, u64), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let (mut records, mut bytes) = (0, 0);
    for record in RecordReader::new(File::open(file)?, &Limits::USUAL).flatten() {
        records += 1;
        bytes += std::hint::black_box(record.body).len() as u64;
    }
    Ok((start.elapsed().as_secs_f64(), records, bytes))
}

fn theirs(file: &Path) -> Result<(f64, u64, u64), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let (mut records, mut bytes) = (0, 0);
    for record in ArchiveIterator::from_path(file)?.with_parse_http(false) {
        let record = record?;
        let mut record = record.borrow_mut();
        let mut body = Vec::with_capacity(record.content_length() as usize);
        if let Some(reader) = record.reader_mut() {
            reader.read_to_end(&mut body)?;
        }
        records += 1;
        bytes += std::hint::black_box(body).len() as u64;
    }
    Ok((start.elapsed().as_secs_f64(), records, bytes))
}

const NEXT: &[u8] =
    b"\r\n\r\nWARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n";

fn head(length: Option<u64>) -> Vec<u8> {
    let length = length.map(|n| format!("Content-Length: {n}\r\n")).unwrap_or_default();
    format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n{length}\r\n")
        .into_bytes()
}

/// A block that hardly compresses.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        b'a' + (state % 26) as u8
    };
    (0..length).map(next).collect()
}

/// Reads one piece repeatedly.
struct Again {
    piece: Vec<u8>,
    at: usize,
    left: u64,
}

impl Read for Again {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.piece.len() {
            self.at = 0;
            self.left = self.left.saturating_sub(1);
        }
        if self.left == 0 {
            return Ok(0);
        }
        let count = (&self.piece[self.at..]).read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

fn deflated(compress: &mut Compress, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 100 + 4096);
    let _ = compress.compress_vec(bytes, &mut out, FlushCompress::Full);
    out
}

fn memory(kind: &str, gigabytes: u64) -> Outcome {
    let piece = noise(1 << 20);
    let pieces = gigabytes << 10;
    let length = gigabytes << 30;
    let again = |piece| Again { piece, at: 0, left: pieces };
    let reader: Box<dyn Read> = match kind {
        "plain" => Box::new(Cursor::new(head(Some(length))).chain(again(piece)).chain(NEXT)),
        "unsized" => Box::new(Cursor::new(head(None)).chain(again(piece)).chain(NEXT)),
        "gzip" => {
            let mut compress = Compress::new(Compression::fast(), false);
            let mut first = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
            first.extend(deflated(&mut compress, &head(Some(length))));
            let middle = deflated(&mut compress, &piece);
            let last = [&deflated(&mut compress, NEXT)[..], &[3, 0]].concat();
            // The trailer is wrong, which gives a message at the end.
            Box::new(
                Cursor::new(first)
                    .chain(again(middle))
                    .chain(Cursor::new(last))
                    .chain(repeat(0).take(8)),
            )
        }
        "zstd" => {
            let text = Cursor::new(head(Some(length))).chain(again(piece)).chain(NEXT);
            Box::new(zstd::stream::read::Encoder::new(text, 1)?)
        }
        _ => return Err("plain, unsized, gzip or zstd".into()),
    };
    let start = Instant::now();
    let (mut records, mut faults) = (0, Vec::new());
    for item in RecordReader::new(reader, &Limits::USUAL) {
        match item {
            Ok(_) => records += 1,
            Err(fault) => faults.push(fault.reason.as_str()),
        }
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: ?");
    let peak: f64 = peak.split_whitespace().nth(1).and_then(|k| k.parse().ok()).unwrap_or(f64::NAN);
    println!(
        "{kind:8} {gigabytes} GiB: peak {:.0} MiB, {:.1} s, {records} other records, {faults:?}",
        peak / 1024.0,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn bomb() -> Outcome {
    let mut compress = Compress::new(Compression::default(), false);
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    member.extend(deflated(&mut compress, &head(Some(10 << 30))));
    let block = deflated(&mut compress, &vec![0; 10 << 20]);
    (0..1024).for_each(|_| member.extend_from_slice(&block));
    member.extend_from_slice(&[3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let start = Instant::now();
    let faults: Vec<_> =
        RecordReader::new(&member[..], &Limits::USUAL).filter_map(Result::err).collect();
    println!(
        "{:.1} MB of gzip for 10 GiB: {:.2} s",
        member.len() as f64 / 1e6,
        start.elapsed().as_secs_f64()
    );
    faults.iter().for_each(|fault| println!("  {}: {}", fault.reason.as_str(), fault.detail));
    Ok(())
}
