//! Decodes the transfer and content codings of an HTTP body, as far as they are really applied.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use memchr::memchr;
use model::DropReason;

use crate::format::salvage;
use crate::inflate::{InflateResult, Inflater};
use crate::member::{MAGIC, StreamStep};
use crate::zstandard::MAGIC as ZSTD;
use crate::{Headers, Response};

/// Maximum number of content codings. Real pages do not have more.
const MOST_CODINGS: usize = 4;

/// A decoded body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedBody<'a> {
    /// The bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Deviations from what the headers declare.
    pub notes: Vec<&'static str>,
    /// Whether the end is missing: a coding breaks off, or the body is shorter than its `Content-Length`.
    pub is_cut: bool,
}

/// The reason why a body cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// The decoded body is larger than the limit.
    #[error("the decoded body is larger than the limit of {0} bytes; raise the limit to keep it")]
    TooLarge(usize),
    /// The compressed data is damaged.
    #[error("the {0} data of the body is damaged; fetch the page again")]
    Damaged(&'static str),
}

impl BodyError {
    /// The drop reason for this error.
    pub fn reason(&self) -> DropReason {
        match self {
            Self::TooLarge(_) => DropReason::TooLarge,
            Self::Damaged(_) => DropReason::BadCompression,
        }
    }
}

impl Response {
    /// Decodes the body in `block`, from which this head was read, to at most `limit` bytes. Also returns whether its end is
    /// missing. A body without codings is not copied: most bodies of an archive have none.
    pub fn into_body(self, mut block: Vec<u8>, limit: usize) -> Result<(Vec<u8>, bool), BodyError> {
        let raw = block.get(self.body..).unwrap_or_default();
        let body = decode_body(&self.headers, raw, limit)?;
        let is_cut = body.is_cut;
        if let Cow::Owned(decoded) = body.bytes {
            return Ok((decoded, is_cut));
        }
        block.drain(..self.body.min(block.len()));
        Ok((block, is_cut))
    }
}

/// Undoes `Transfer-Encoding` and `Content-Encoding` of `raw`, up to `limit` bytes. A coding that is declared but was not
/// applied is skipped, with a note. For gzip and zstd, the first bytes take precedence over the declaration. They also count
/// without a declaration if the body is text by its `Content-Type`, because archives may have lost the header; so do chunks that
/// follow each other up to the last one.
pub fn decode_body<'a>(
    headers: &Headers,
    raw: &'a [u8],
    limit: usize,
) -> Result<DecodedBody<'a>, BodyError> {
    let mut body = DecodedBody { bytes: Cow::Borrowed(raw), notes: Vec::new(), is_cut: false };
    let list = |name: &'static str| {
        let values = headers.all(name).flat_map(|value| value.split(','));
        let bare = |coding: &str| coding.trim_matches(['"', '\'', ' ', '\t']).to_ascii_lowercase();
        values.map(bare).collect::<Vec<_>>()
    };
    let mut codings = list("Content-Encoding");
    codings.extend(list("Transfer-Encoding"));
    codings.retain(|coding| !coding.is_empty() && coding != "identity");
    if codings.is_empty() {
        let declared = headers.get("Content-Length").and_then(|length| length.trim().parse().ok());
        body.is_cut = declared.is_some_and(|length: usize| length > raw.len());
    }
    // Codings are undone in reverse order of application.
    for coding in codings.iter().rev().take(MOST_CODINGS) {
        body.undo(coding, limit)?;
    }
    let content_type = headers.get("Content-Type").unwrap_or_default().to_ascii_lowercase();
    let is_text = content_type.is_empty() || content_type.contains("text/");
    let is_text = is_text || content_type.contains("ml");
    if is_text
        && !codings.iter().any(|coding| coding == "chunked")
        && let Decoded::Whole(content) = join_chunks(&body.bytes)
        && !content.is_empty()
    {
        body.bytes = Cow::Owned(content);
        body.notes.push("chunked, but not declared");
    }
    if let Some(coding) = by_magic(&body.bytes).filter(|_| is_text) {
        body.undo(coding, limit)?;
        body.notes.push("compressed, but not declared");
    }
    if body.bytes.len() > limit {
        return Err(BodyError::TooLarge(limit));
    }
    Ok(body)
}

impl DecodedBody<'_> {
    fn undo(&mut self, coding: &str, limit: usize) -> Result<(), BodyError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let bytes = &self.bytes;
        let coding = by_magic(bytes).filter(|_| coding != "chunked").unwrap_or(coding);
        let decoded = match coding {
            "chunked" => join_chunks(bytes),
            "gzip" | "x-gzip" => gzip(bytes, limit)?,
            "deflate" | "x-deflate" => deflate(bytes, limit)?,
            "br" => brotli(bytes, limit)?,
            "zstd" if bytes.starts_with(ZSTD) => zstd_frames(bytes, limit)?,
            "zstd" => Decoded::NotThere("declared zstd, but it is not"),
            _ => Decoded::NotThere("declared a coding that is not known"),
        };
        match decoded {
            Decoded::Whole(content) => self.bytes = Cow::Owned(content),
            Decoded::Cut(content, note) => {
                self.bytes = Cow::Owned(content);
                self.notes.push(note);
                self.is_cut = true;
            }
            Decoded::NotThere(note) => self.notes.push(note),
        }
        Ok(())
    }
}

/// The coding of bytes that begin like gzip or zstd data.
fn by_magic(bytes: &[u8]) -> Option<&'static str> {
    let magic = [(MAGIC, "gzip"), (ZSTD, "zstd")];
    magic.into_iter().find_map(|(magic, coding)| bytes.starts_with(magic).then_some(coding))
}

enum Decoded {
    Whole(Vec<u8>),
    Cut(Vec<u8>, &'static str),
    NotThere(&'static str),
}

fn gzip(bytes: &[u8], limit: usize) -> Result<Decoded, BodyError> {
    if !bytes.starts_with(MAGIC) {
        return Ok(other_than_gzip(bytes, limit));
    }
    // The size in the trailer is only a hint. If it is right, one call inflates the body.
    let hint = match bytes {
        [.., a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]) as usize,
        _ => 0,
    };
    let room = hint.clamp(bytes.len(), bytes.len().saturating_mul(32)).min(limit).saturating_add(1);
    let mut output = Vec::with_capacity(room);
    if let Some(mut inflater) = Inflater::new()
        && let InflateResult::Complete(taken) = inflater.gzip(bytes, &mut output)
        && !bytes[taken..].starts_with(MAGIC)
        && output.len() <= limit
    {
        return Ok(Decoded::Whole(output));
    }
    output.clear();
    let mut rest = bytes;
    loop {
        let most = limit.saturating_add(1) - output.len();
        match salvage(rest, &mut output, most) {
            _ if output.len() > limit => return Err(BodyError::TooLarge(limit)),
            (taken, StreamStep::End { .. }) if rest[taken..].starts_with(MAGIC) => {
                rest = &rest[taken..];
            }
            (_, StreamStep::End { .. }) => return Ok(Decoded::Whole(output)),
            (_, StreamStep::Input | StreamStep::Output) => {
                return Ok(Decoded::Cut(output, "gzip data breaks off"));
            }
            (_, StreamStep::Damaged) => return Err(BodyError::Damaged("gzip")),
        }
    }
}

/// Decodes data that is declared as gzip but is not: with a coding that has no magic bytes, if that decodes it to its end.
fn other_than_gzip(bytes: &[u8], limit: usize) -> Decoded {
    let others = [deflate, brotli].into_iter().filter(|_| !looks_like_text(bytes));
    for decode in others {
        if let Ok(Decoded::Whole(content)) = decode(bytes, limit)
            && !content.is_empty()
        {
            return Decoded::Cut(content, "declared gzip, but it is another coding");
        }
    }
    Decoded::NotThere("declared gzip, but it is not")
}

fn deflate(bytes: &[u8], limit: usize) -> Result<Decoded, BodyError> {
    // The standard requires zlib data, but some servers send raw deflate data.
    match read(flate2::bufread::ZlibDecoder::new(bytes), limit, "deflate") {
        Err(BodyError::Damaged(_)) => {}
        other => return other,
    }
    match read(flate2::bufread::DeflateDecoder::new(bytes), limit, "deflate") {
        Err(BodyError::Damaged(_)) if looks_like_text(bytes) => {
            Ok(Decoded::NotThere("declared deflate, but it is not"))
        }
        other => other,
    }
}

/// Decodes brotli step by step, because the crate's reader does not distinguish a truncated stream
/// from a damaged one.
fn brotli(bytes: &[u8], limit: usize) -> Result<Decoded, BodyError> {
    let memory = StandardAlloc::default;
    let mut state = BrotliState::new(memory(), memory(), memory());
    let (mut left, mut at, mut total) = (bytes.len(), 0, 0);
    let (mut output, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let (mut room, mut filled) = (piece.len(), 0);
        let result = BrotliDecompressStream(
            &mut left, &mut at, bytes, &mut room, &mut filled, &mut piece, &mut total, &mut state,
        );
        output.extend_from_slice(&piece[..filled]);
        if output.len() > limit {
            return Err(BodyError::TooLarge(limit));
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess => return Ok(Decoded::Whole(output)),
            // Brotli has no magic bytes: text that does not decode to its end is not brotli.
            _ if looks_like_text(bytes) => {
                return Ok(Decoded::NotThere("declared brotli, but it is not"));
            }
            BrotliResult::NeedsMoreInput if !output.is_empty() => {
                return Ok(Decoded::Cut(output, "compressed data breaks off"));
            }
            BrotliResult::NeedsMoreInput | BrotliResult::ResultFailure => {
                return Err(BodyError::Damaged("brotli"));
            }
        }
    }
}

fn zstd_frames(bytes: &[u8], limit: usize) -> Result<Decoded, BodyError> {
    let mut decoder = zstd::Decoder::with_buffer(bytes).map_err(|_| BodyError::Damaged("zstd"))?;
    // Frames may require windows of gigabytes; browsers allow 8 MB.
    decoder.window_log_max(27).map_err(|_| BodyError::Damaged("zstd"))?;
    read(decoder, limit, "zstd")
}

/// Reads until the end, the limit, or the point where the data breaks off.
fn read(reader: impl Read, limit: usize, coding: &'static str) -> Result<Decoded, BodyError> {
    let mut output = Vec::new();
    let result = reader.take(limit as u64 + 1).read_to_end(&mut output);
    if output.len() > limit {
        return Err(BodyError::TooLarge(limit));
    }
    match result {
        Ok(_) => Ok(Decoded::Whole(output)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof && !output.is_empty() => {
            Ok(Decoded::Cut(output, "compressed data breaks off"))
        }
        Err(_) => Err(BodyError::Damaged(coding)),
    }
}

/// Whether the first bytes are text or markup rather than compressed data.
fn looks_like_text(bytes: &[u8]) -> bool {
    let first = &bytes[..bytes.len().min(256)];
    let control = |byte: &&u8| **byte < 9 || (14..32).contains(*byte);
    !first.is_empty() && first.iter().filter(control).count() == 0
}

/// Joins the chunks in `raw`. If a chunk other than the first is malformed, the rest is copied unchanged.
fn join_chunks(raw: &[u8]) -> Decoded {
    const NOT_CHUNKED: Decoded = Decoded::NotThere("declared chunked, but it is not");
    const CUT: &str = "chunks break off";
    let mut content = Vec::new();
    let mut at = 0;
    let mut first = true;
    loop {
        let rest = &raw[at..];
        let Some((size, line)) = size_line(rest) else {
            if first {
                return NOT_CHUNKED;
            }
            content.extend_from_slice(rest);
            return Decoded::Cut(content, CUT);
        };
        if size == 0 {
            return Decoded::Whole(content);
        }
        let data = &rest[line..];
        let Some(chunk) = data.get(..size) else {
            if first && !data.is_empty() && size > data.len().saturating_mul(64) {
                return NOT_CHUNKED;
            }
            content.extend_from_slice(data);
            return Decoded::Cut(content, CUT);
        };
        if first {
            content.reserve(raw.len());
        }
        content.extend_from_slice(chunk);
        at += line + size;
        at += match &raw[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
        first = false;
    }
}

/// Parses the chunk size at the start of `bytes`; also returns the length of its line.
fn size_line(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = memchr(b'\n', &bytes[..bytes.len().min(4096)])?;
    let digits = bytes[..end].split(|byte| *byte == b';').next()?.trim_ascii();
    if digits.is_empty() || digits.len() > 16 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((size, end + 1))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn chunks() {
        let joined = |raw: &[u8]| match join_chunks(raw) {
            Decoded::NotThere(_) => None,
            Decoded::Whole(content) => Some((String::from_utf8(content).unwrap(), true)),
            Decoded::Cut(content, _) => Some((String::from_utf8(content).unwrap(), false)),
        };
        let some = |text: &str, whole| Some((text.to_owned(), whole));
        assert_eq!(joined(b"5\r\n<html\r\n1\r\n>\r\n0\r\n\r\n"), some("<html>", true));
        assert_eq!(joined(b"5;x=y\n<html\n0\n\n"), some("<html", true));
        assert_eq!(joined(b"<html>plain</html>"), None);
        assert_eq!(joined(b""), None);
        assert_eq!(joined(b"5\r\n<ht"), some("<ht", false));
        assert_eq!(joined(b"2\r\n<h\r\nrest"), some("<hrest", false));
        // A size far larger than the rest of the data is a number by coincidence, not a chunk size.
        assert_eq!(joined(b"ffffffffffffffff\r\n<h"), None);
        assert_eq!(joined(b"81\r\n<h"), None);
        assert_eq!(joined(b"80\r\n<h"), some("<h", false));
        assert_eq!(joined(b"5\r\n"), some("", false));
    }
}
