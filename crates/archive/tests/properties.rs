//! Properties of the reader that hold for any bytes and any way of reading them.

mod common;

use common::{Slices, gzip, lz4, members, read, record, records, zstd};
use proptest::prelude::*;
use sitegrove_archive::{
    Format, Headers, Limits, NewRecord, Record, RecordKind, RecordWriter, Response, Wrapping,
    decode_body, sniff_html,
};

/// Small limits exercise the rare paths with small inputs.
const SMALL: Limits = Limits { record_bytes: 4000, head_bytes: 2000, member_bytes: 700, ratio: 50 };

/// Archives in several formats, some of them damaged.
fn archive() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop_oneof![
        (0usize..30).prop_map(|count| records(0..count)),
        (0usize..30).prop_map(|count| members(0..count).concat()),
        (0usize..300).prop_map(|count| gzip(&records(0..count))),
        (0usize..30).prop_map(|count| (0..count).flat_map(|i| zstd(&record(i))).collect()),
        (0usize..300).prop_map(|count| zstd(&records(0..count))),
        (0usize..300).prop_map(|count| lz4(&records(0..count))),
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

/// A record as it may be given to the writer.
#[derive(Clone, Debug)]
struct Given {
    kind: RecordKind,
    id: String,
    second: i64,
    uri: Option<String>,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

fn given() -> impl Strategy<Value = Given> {
    use RecordKind::*;
    let kind = prop::sample::select(vec![
        Response, Resource, Revisit, Request, Metadata, Warcinfo, Conversion,
    ]);
    let value = "([!-~é漢][ -~é漢]{0,30}[!-~é漢])?";
    let body = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..600),
        Just(
            b"\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
                .to_vec()
        ),
        Just(b"\n".to_vec()),
    ];
    let uri = prop::option::of("http://[a-z]{1,8}\\.example/[!-;=?-~é]{0,20}");
    (
        kind,
        "urn:[a-z0-9:-]{1,40}",
        0i64..4_000_000_000,
        uri,
        prop::collection::vec(("X-[A-Za-z-]{1,12}", value), 0..4),
        body,
    )
        .prop_map(|(kind, id, second, uri, fields, body)| Given {
            kind,
            id,
            second,
            uri,
            fields,
            body,
        })
}

fn write(records: &[Given], wrapping: Wrapping) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), wrapping);
    for given in records {
        let fields: Vec<(&str, &str)> =
            given.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let record = NewRecord {
            kind: given.kind,
            record_id: &given.id,
            date: jiff::Timestamp::from_second(given.second).unwrap(),
            target_uri: given.uri.as_deref(),
            content_type: "application/x-thing",
            fields: &fields,
            body: &given.body,
        };
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap()
}

/// The input of the writer, reconstructed from what was read.
fn given_again(record: &Record) -> Given {
    let own = |name: &str| name.starts_with("X-");
    let fields = record.headers.iter().filter(|(name, _)| own(name));
    Given {
        kind: record.kind,
        id: record.record_id.clone(),
        second: record.date.unwrap().as_second(),
        uri: record.target_uri.clone(),
        fields: fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        body: record.body.clone(),
    }
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
    fn what_is_written_is_read(given in prop::collection::vec(given(), 0..6), wrapped: bool) {
        let wrapping = if wrapped { Wrapping::Gzip } else { Wrapping::Plain };
        let bytes = write(&given, wrapping);
        let (records, faults) = read(&bytes[..], &Limits::USUAL);
        prop_assert_eq!(faults, vec![]);
        let again: Vec<Given> = records.iter().map(given_again).collect();
        for (record, given) in records.iter().zip(&given) {
            prop_assert_eq!(&record.body, &given.body);
            prop_assert_eq!(record.headers.get("content-type"), Some("application/x-thing"));
        }
        prop_assert_eq!(write(&again, wrapping), bytes);
    }

    #[test]
    fn a_record_lies_between_its_offset_and_the_next(
        given in prop::collection::vec(given(), 1..6),
        wrapping in 0usize..4,
    ) {
        let bytes: Vec<u8> = given.iter().flat_map(|one| {
            let one = std::slice::from_ref(one);
            match wrapping {
                0 => write(one, Wrapping::Plain),
                1 => write(one, Wrapping::Gzip),
                2 => common::zstd(&write(one, Wrapping::Plain)),
                _ => common::lz4(&write(one, Wrapping::Plain)),
            }
        }).collect();
        let (records, _) = read(&bytes[..], &Limits::USUAL);
        prop_assert_eq!(records.len(), given.len());
        let ends: Vec<usize> =
            records[1..].iter().map(|next| next.offset as usize).chain([bytes.len()]).collect();
        for (record, end) in records.into_iter().zip(ends) {
            let offset = record.offset as usize;
            let (found, faults) = read(&bytes[offset..end], &Limits::USUAL);
            prop_assert_eq!(faults, vec![]);
            prop_assert_eq!(found, vec![Record { offset: 0, ..record }]);
        }
    }

    #[test]
    fn junk_between_records_loses_none(
        given in prop::collection::vec(given(), 1..6),
        junk in prop::collection::vec((any::<prop::sample::Index>(), "[a-z<>\\r\\n\\x00 /:]{1,200}[a-z\\n]"), 1..4),
        wrapped: bool,
    ) {
        let wrapping = if wrapped { Wrapping::Gzip } else { Wrapping::Plain };
        let mut pieces: Vec<Vec<u8>> =
            given.iter().map(|one| write(std::slice::from_ref(one), wrapping)).collect();
        let whole = pieces.concat();
        let mut places: Vec<usize> = junk.iter().map(|(at, _)| at.index(given.len() + 1)).collect();
        places.sort_unstable();
        places.dedup();
        for (place, (_, text)) in places.iter().rev().zip(&junk) {
            pieces.insert(*place, format!("{text}junk").into_bytes());
        }
        let strip = |mut record: Record| { record.offset = 0; record };
        let expected: Vec<Record> =
            read(&whole[..], &Limits::USUAL).0.into_iter().map(strip).collect();
        let (found, faults) = read(&pieces.concat()[..], &Limits::USUAL);
        let found: Vec<Record> = found.into_iter().map(strip).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(faults.len(), places.len(), "{:#?}", faults);
    }

    #[test]
    fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..3000), start in 0usize..4) {
        let magic: [&[u8]; 4] = [b"", b"\x1f\x8b\x08", b"WARC/1.0\r\n", b"http://a 1.1.1.1 20240101000000 a 9\n"];
        let bytes = [magic[start], &bytes].concat();
        read(&bytes[..], &SMALL);
        Format::sniff(&bytes);
        sniff_html(Some("text/html"), &bytes);
        sniff_html(None, &bytes);
    }

    #[test]
    fn any_markup_is_sniffed(text in "[<>!/?= a-z\"'-]{0,300}") {
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
