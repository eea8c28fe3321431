//! Properties of the reader that hold for any bytes and any way of reading them.

mod common;

use common::{Slices, gzip, members, read, records};
use proptest::prelude::*;
use sitegrove_archive::{
    Format, Headers, Limits, Response, decode, decode_body, is_feed, sniff_html,
};

/// Small limits reach the rare paths with small inputs.
const SMALL: Limits = Limits { record_bytes: 4000, head_bytes: 2000, member_bytes: 700, ratio: 50 };

/// Archives of several wrappings, some of them damaged.
fn archive() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop_oneof![
        (0usize..30).prop_map(|count| records(0..count)),
        (0usize..30).prop_map(|count| members(0..count).concat()),
        (0usize..300).prop_map(|count| gzip(&records(0..count))),
    ];
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 0..4);
    (whole, damage).prop_map(|(mut bytes, damage)| {
        for (index, byte, kind) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = index.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn reads_of_any_size_give_the_same(
        bytes in archive(),
        sizes in prop::collection::vec(1usize..3000, 1..8),
        small: bool,
    ) {
        let limits = if small { SMALL } else { Limits::USUAL };
        let whole = read(&bytes[..], &limits);
        let sliced = read(Slices { bytes: &bytes, sizes: &sizes, next: 0 }, &limits);
        prop_assert_eq!(whole, sliced);
    }

    #[test]
    fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..3000), start in 0usize..4) {
        let magic: [&[u8]; 4] = [b"", b"\x1f\x8b\x08", b"WARC/1.0\r\n", b"http://a 1.1.1.1 20240101000000 a 9\n"];
        let bytes = [magic[start], &bytes].concat();
        read(&bytes[..], &SMALL);
        Format::sniff(&bytes);
        is_feed(&bytes);
        sniff_html(None, &bytes);
        decode(bytes.clone(), None);
        decode(bytes, Some("utf-8"));
    }

    #[test]
    fn any_markup_is_decoded(text in "[<>!/?= a-z\"'-]{0,300}") {
        decode(format!("<meta {text}é").into_bytes(), None);
        sniff_html(None, text.as_bytes());
    }

    #[test]
    fn any_body_is_decoded(
        bytes in prop::collection::vec(any::<u8>(), 0..500),
        codings in prop::collection::vec(
            prop::sample::select(vec!["gzip", "br", "zstd", "deflate", "chunked", "x"]), 0..4),
        head in "(HTTP/1.1 200\r\n)?[a-z: \r\n]{0,60}",
    ) {
        let mut headers = Headers::default();
        headers.push("content-encoding".to_owned(), codings.join(", "));
        let limit = 10_000;
        if let Ok(body) = decode_body(&headers, &bytes, limit) {
            prop_assert!(body.bytes.len() <= limit);
        }
        let block = [head.as_bytes(), &bytes].concat();
        if let Ok(response) = Response::parse(&block) {
            prop_assert!(response.body <= block.len());
        }
    }
}
