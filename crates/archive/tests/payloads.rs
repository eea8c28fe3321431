//! Bodies in every coding, declared correctly and incorrectly.

mod common;

use std::borrow::Cow;
use std::io::Write;

use common::gzip;
use sitegrove_archive::{BodyError, Headers, Response, decode_body};

const PAGE: &[u8] = b"<html>a page, a page, a page, a page, a page</html>";

fn headers(fields: &[(&str, &str)]) -> Headers {
    let mut headers = Headers::default();
    for (name, value) in fields {
        headers.push((*name).to_owned(), (*value).to_owned());
    }
    headers
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder =
        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `PAGE` as one uncompressed brotli meta-block (RFC 7932 §9.2).
fn brotli(bytes: &[u8]) -> Vec<u8> {
    // WBITS 16 (bit 0), not last (bit 0), MNIBBLES 4 (00), MLEN-1 (16 bits), uncompressed (1).
    let length = (bytes.len() - 1) as u32;
    let header = (length << 4) | (1 << 20);
    let mut encoded = header.to_le_bytes()[..3].to_vec();
    encoded.extend_from_slice(bytes);
    encoded.push(3); // last, empty
    encoded
}

fn chunked(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    for chunk in bytes.chunks(7) {
        write!(encoded, "{:x}\r\n", chunk.len()).unwrap();
        encoded.extend_from_slice(chunk);
        encoded.extend_from_slice(b"\r\n");
    }
    encoded.extend_from_slice(b"0\r\n\r\n");
    encoded
}

#[test]
fn every_coding() {
    let zstd = zstd::encode_all(PAGE, 0).unwrap();
    for (fields, raw) in [
        (&[("Content-Encoding", "identity")][..], PAGE.to_vec()),
        (&[("Content-Encoding", "gzip")], gzip(PAGE)),
        (&[("Content-Encoding", "X-GZip")], [gzip(&PAGE[..9]), gzip(&PAGE[9..])].concat()),
        (&[("Content-Encoding", "deflate")], zlib(PAGE)),
        (&[("Content-Encoding", "deflate")], raw_deflate(PAGE)),
        (&[("Content-Encoding", "br")], brotli(PAGE)),
        (&[("Content-Encoding", "zstd")], zstd),
        (&[("Content-Encoding", "gzip, gzip")], gzip(&gzip(PAGE))),
        (&[("Transfer-Encoding", "chunked")], chunked(PAGE)),
        (&[("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")], chunked(&gzip(PAGE))),
        (&[("Transfer-Encoding", "gzip, chunked")], chunked(&gzip(PAGE))),
    ] {
        let body = decode_body(&headers(fields), &raw, 1000).unwrap();
        assert_eq!(&body.bytes[..], PAGE, "{fields:?}");
        assert!(body.notes.is_empty(), "{fields:?} {:?}", body.notes);
        let most = PAGE.len();
        let body = decode_body(&headers(fields), &raw, most).unwrap();
        assert_eq!(&body.bytes[..], PAGE, "{fields:?}");
        for less in [20, most - 1] {
            let small = decode_body(&headers(fields), &raw, less);
            assert_eq!(small, Err(BodyError::TooLarge(less)), "{fields:?}");
        }
    }
}

#[test]
fn false_declarations_leave_the_body_as_it_is() {
    for coding in ["gzip", "deflate", "br", "zstd", "chunked", "sdch"] {
        for name in ["Content-Encoding", "Transfer-Encoding"] {
            let body = decode_body(&headers(&[(name, coding)]), PAGE, 1000).unwrap();
            assert!(matches!(body.bytes, Cow::Borrowed(PAGE)), "{coding}");
            assert_eq!(body.notes.len(), 1, "{coding}");
            let indented = b"\t<p>\tindented\r\n";
            let body = decode_body(&headers(&[(name, coding)]), indented, 1000).unwrap();
            assert_eq!(&body.bytes[..], indented, "{coding}");
        }
    }
}

#[test]
fn codings_are_found_by_their_first_bytes() {
    let zstd = zstd::encode_all(PAGE, 0).unwrap();
    for (fields, raw) in [
        (&[("Content-Encoding", "\"GZIP\"")][..], gzip(PAGE)),
        (&[("Content-Encoding", "br")], gzip(PAGE)),
        (&[("Content-Encoding", "deflate")], zstd.clone()),
        (&[("Content-Encoding", "gzip")], brotli(PAGE)),
        (&[("Content-Encoding", "gzip")], zlib(PAGE)),
        (&[("Content-Encoding", "x-deflate")], raw_deflate(PAGE)),
        (&[("Transfer-Encoding", "chunked")], chunked(&gzip(PAGE))),
        (&[("Content-Type", "text/html")], gzip(PAGE)),
        (&[("Content-Type", "application/xhtml+xml")], zstd),
        (&[], gzip(PAGE)),
    ] {
        let body = decode_body(&headers(fields), &raw, 1000).unwrap();
        assert_eq!(&body.bytes[..], PAGE, "{fields:?}");
    }
    // A file that is compressed itself.
    let file = gzip(PAGE);
    let fields = headers(&[("Content-Type", "application/gzip")]);
    assert_eq!(decode_body(&fields, &file, 1000).unwrap().bytes, file);
}

#[test]
fn cut_and_damaged_data() {
    let text: Vec<u8> = (0..2000u32).flat_map(|i| format!("{} ", i * i).into_bytes()).collect();
    let whole = gzip(&text);
    let fields = headers(&[("Content-Encoding", "gzip")]);
    let body = decode_body(&fields, &whole[..whole.len() / 2], 1 << 20).unwrap();
    assert!(text.starts_with(&body.bytes) && body.bytes.len() > 1000);
    assert_eq!(body.notes, ["gzip data breaks off"]);
    let mut damaged = whole.clone();
    damaged[12..40].fill(0xff);
    assert_eq!(decode_body(&fields, &damaged, 1 << 20), Err(BodyError::Damaged("gzip")));
    let bomb = gzip(&vec![0; 10 << 20]);
    assert_eq!(decode_body(&fields, &bomb, 1 << 20), Err(BodyError::TooLarge(1 << 20)));
}

#[test]
fn cut_data_of_other_codings_is_kept_as_far_as_it_goes_and_damaged_data_is_not() {
    let text: Vec<u8> = (0..20_000u32).flat_map(|i| format!("{} ", i * i).into_bytes()).collect();
    for (coding, name, whole) in [
        ("deflate", "deflate", zlib(&text)),
        ("deflate", "deflate", raw_deflate(&text)),
        ("br", "brotli", brotli(&text[..200])),
        ("zstd", "zstd", zstd::encode_all(&text[..], 0).unwrap()),
    ] {
        let fields = headers(&[("Content-Encoding", coding)]);
        let body = decode_body(&fields, &whole[..whole.len() * 3 / 4], 1 << 20)
            .unwrap_or_else(|e| panic!("{coding}: {e}"));
        assert!(text.starts_with(&body.bytes) && body.bytes.len() > 20, "{coding}");
        assert_eq!(body.notes, ["compressed data breaks off"], "{coding}");
        let mut damaged = whole;
        // Stored bytes are valid whatever their values: damage there must be in the block header.
        damaged[if coding == "br" { 1 } else { 5 }..].fill(0x01);
        let none = decode_body(&fields, &damaged, 1 << 20);
        assert_eq!(none, Err(BodyError::Damaged(name)), "{coding}");
    }
    // Nothing can be decoded from the first bytes alone.
    let fields = headers(&[("Content-Encoding", "zstd")]);
    let start = &zstd::encode_all(&text[..], 0).unwrap()[..5];
    assert_eq!(decode_body(&fields, start, 1 << 20), Err(BodyError::Damaged("zstd")));
}

#[test]
fn from_a_block() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nLocation: /x\r\n\r\n";
    let block = [&head[..], &gzip(PAGE)].concat();
    let response = Response::parse(&block).unwrap();
    assert_eq!(response.location(), Some("/x"));
    assert_eq!(response.into_body(block, 1000).unwrap(), (PAGE.to_vec(), false));
}

#[test]
fn a_body_without_its_end_says_so() {
    let whole = |length: usize| headers(&[("Content-Length", &length.to_string())]);
    let is_cut = |headers: &Headers, raw: &[u8]| decode_body(headers, raw, 1 << 20).unwrap().is_cut;
    assert!(is_cut(&whole(PAGE.len() + 1), PAGE));
    assert!(!is_cut(&whole(PAGE.len()), PAGE) && !is_cut(&whole(3), PAGE));
    assert!(is_cut(&headers(&[("Transfer-Encoding", "chunked")]), b"20\r\n<html>"));
}

#[test]
fn chunks_without_a_declaration_are_joined() {
    let joined =
        |raw: &[u8]| decode_body(&Headers::default(), raw, 1 << 20).unwrap().bytes.into_owned();
    assert_eq!(joined(b"6\r\n<html>\r\n3\r\none\r\n0\r\n\r\n"), b"<html>one");
    for text in [&b"10\r\npears\r\n0"[..], b"0\r\n\r\n", b"5\npears and more"] {
        assert_eq!(joined(text), text);
    }
}
