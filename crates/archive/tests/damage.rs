//! One small archive per kind of damage: every intact record is read, every fault is reported.

mod common;

use common::{BODY, gzip, members, numbers, read, record, record_with, records};
use model::DropReason;
use sitegrove_archive::{Limits, RecordKind, RecordReader};

fn all() -> Vec<usize> {
    (0..10).collect()
}

fn without(missing: usize) -> Vec<usize> {
    (0..10).filter(|i| *i != missing).collect()
}

/// Ten records, the fourth of them special.
fn special(fourth: Vec<u8>) -> Vec<u8> {
    [records(0..3), fourth, records(4..10)].concat()
}

/// Checks that `bytes` give these records, and one fault for each reason.
fn check(bytes: &[u8], expected: &[usize], reasons: &[DropReason]) {
    let (found, faults) = numbers(bytes);
    assert_eq!(found, expected, "{faults:#?}");
    let found: Vec<_> = faults.iter().map(|fault| fault.reason).collect();
    assert_eq!(found, reasons, "{faults:#?}");
}

/// Checks that the last record, which is cut off, is kept and marked, and no other is.
fn check_cut(bytes: &[u8], number: usize) {
    let (found, _) = read(bytes, &Limits::USUAL);
    assert_eq!(found.len(), number);
    let (last, others) = found.split_last().unwrap();
    assert!(!last.body.is_empty() && BODY.as_bytes().starts_with(&last.body));
    assert_eq!(last.truncated.as_deref(), Some("cut-short"));
    assert!(others.iter().all(|record| record.truncated.is_none()));
}

#[test]
fn plain_archives_that_keep_to_the_rules_or_nearly() {
    check(&records(0..10), &all(), &[]);
    check(b"", &[], &[]);
    let text = String::from_utf8(records(0..10)).unwrap();
    check(text.replace("WARC/1.0", "WARC/0.17").as_bytes(), &all(), &[]);
    check(text.replace("WARC/1.0", "WARC/1.1").as_bytes(), &all(), &[]);
    check(text.replace("\r\n", "\n").as_bytes(), &all(), &[]);
    check(text.replace("WARC/1.0", "warc/1.0").as_bytes(), &all(), &[]);
    check(text.replace("Content-Length", "CONTENT-LENGTH").as_bytes(), &all(), &[]);
    check(text.replace("WARC-T", "warc-t").as_bytes(), &all(), &[]);
    check(text.replace("http://a.com/3", "<http://a.com/3>").as_bytes(), &all(), &[]);
    check(&[records(0..10), vec![0; 100]].concat(), &all(), &[]);
    let length = "Content-Length: 16\r\n";
    for (extra, tail) in [
        ("X-T: caf\u{e9}\r\n", "\r\n\r\n"),
        ("X-T: a\r\n  b\r\n", "\r\n\r\n"),
        ("X-T:\r\n", "\r\n\r\n"),
        ("no colon\r\n", "\r\n\r\n"),
        ("", "\r\n\r\n\r\n\r\n"),
        ("", "\r\n"),
        ("", ""),
    ] {
        check(&special(record_with(3, length, extra, BODY, tail)), &all(), &[]);
    }
    let huge = format!("X-T: {}\r\n", "a".repeat(300_000));
    check(&special(record_with(3, length, &huge, BODY, "\r\n\r\n")), &all(), &[]);
    let tricky = "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\r\n";
    let length = format!("Content-Length: {}\r\n", tricky.len());
    check(&special(record_with(3, &length, "", tricky, "\r\n\r\n")), &all(), &[]);
}

#[test]
fn wrong_lengths() {
    for length in ["", "Content-Length: abc\r\n", "Content-Length: 5\r\n", "Content-Length: 40\r\n"]
    {
        let bytes = special(record_with(3, length, "", BODY, "\r\n\r\n"));
        check(&bytes, &all(), &[DropReason::BadRecord]);
        let (found, _) = read(&bytes[..], &Limits::USUAL);
        assert_eq!(found[3].body, BODY.as_bytes(), "{length}");
        let mut zipped = members(0..10);
        zipped[3] = gzip(&record_with(3, length, "", BODY, "\r\n\r\n"));
        check(&zipped.concat(), &all(), &[DropReason::BadRecord]);
    }
    let endless = record_with(3, "Content-Length: 99999999999\r\n", "", BODY, "\r\n\r\n");
    check(&special(endless.clone()), &all(), &[DropReason::BadRecord]);
    let mut zipped = members(0..10);
    zipped[3] = gzip(&endless);
    check(&zipped.concat(), &all(), &[DropReason::BadRecord]);
}

#[test]
fn a_length_that_reaches_to_the_end_of_the_next_member_hides_no_record() {
    let next = record(4).len();
    let length = format!("Content-Length: {}\r\n", BODY.len() + 4 + next - 4);
    let mut zipped = members(0..10);
    zipped[3] = gzip(&record_with(3, &length, "", BODY, "\r\n\r\n"));
    check(&zipped.concat(), &all(), &[DropReason::BadRecord]);
    // A record whose bytes continue in another member is one record.
    let whole = record(3);
    let (first, second) = whole.split_at(whole.len() - 10);
    let parts = [gzip(first), gzip(second)].concat();
    check(&[members(0..3).concat(), parts, members(4..10).concat()].concat(), &all(), &[]);
}

#[test]
fn a_response_that_does_not_say_so_is_known_by_its_content_type() {
    let http = "HTTP/1.1 200 OK\r\n\r\n";
    let of_type = |content_type: &str| {
        let head = format!(
            "WARC/1.0\r\nWARC-Target-URI: http://a.com/3\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        );
        read(&special(head.into_bytes())[..], &Limits::USUAL).0[3].kind
    };
    assert_eq!(of_type("application/http; msgtype=response"), RecordKind::Response);
    assert_eq!(of_type("application/http;msgtype=\"response\""), RecordKind::Response);
    assert_eq!(of_type("application/http; msgtype=request"), RecordKind::Request);
    assert_eq!(of_type("application/http"), RecordKind::Other);
    assert_eq!(of_type("text/html"), RecordKind::Other);
}

#[test]
fn junk_and_cuts_in_plain_archives() {
    let bytes = [records(0..3), b"GARBAGE LINE\r\n\r\n".to_vec(), records(3..10)].concat();
    check(&bytes, &all(), &[DropReason::Junk]);
    let (_, faults) = numbers(&bytes);
    let start = records(0..3).len() as u64;
    assert_eq!((faults[0].offset, faults[0].recovered_at), (start, Some(start + 16)));
    let bytes = records(0..10);
    check(&bytes[..bytes.len() - 10], &all(), &[DropReason::CutShort]);
    check(&bytes[..bytes.len() - 100], &without(9), &[DropReason::CutShort]);
    check_cut(&bytes[..bytes.len() - 10], 10);
    check(b"<html>not an archive</html>", &[], &[DropReason::Junk]);
}

#[test]
fn gzip_archives_that_keep_to_the_rules_or_nearly() {
    check(&members(0..10).concat(), &all(), &[]);
    check(&gzip(&records(0..10)), &all(), &[]);
    check(&[members(0..10).concat(), vec![0; 64]].concat(), &all(), &[]);
    let (first, second) = (record(3)[..100].to_vec(), record(3)[100..].to_vec());
    let split = [members(0..3).concat(), gzip(&first), gzip(&second), members(4..10).concat()];
    check(&split.concat(), &all(), &[]);
}

#[test]
fn archives_of_several_wrappings() {
    let zstd = |range: std::ops::Range<usize>| range.flat_map(|i| common::zstd(&record(i)));
    let mixed = [
        records(0..2),
        members(2..4).concat(),
        records(4..6),
        zstd(6..8).collect(),
        records(8..10),
    ];
    let bytes = mixed.concat();
    check(&bytes, &all(), &[]);
    let (found, _) = read(&bytes[..], &Limits::USUAL);
    let mut offset = 0;
    for (i, pair) in mixed.iter().enumerate() {
        assert_eq!(found[2 * i].offset, offset, "of record {}", 2 * i);
        offset += pair.len() as u64;
    }
    assert_eq!(found[9].offset, bytes.len() as u64 - record(9).len() as u64);
    // A compressed archive inside a record stays part of it.
    let body = members(0..3).concat();
    let inner = [b"x\r\n\r\n", &body[..], b"\r\n\r\n", &body[..]].concat();
    let head =
        format!("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {}\r\n\r\n", inner.len());
    let bytes = [head.as_bytes(), &inner, b"\r\n\r\n", &record(5)].concat();
    let (found, faults) = read(&bytes[..], &Limits::USUAL);
    assert_eq!((found.len(), faults.len()), (2, 0), "{faults:#?}");
    assert_eq!(found[0].body, inner);
}

#[test]
fn damaged_gzip_members() {
    let mut damaged = members(0..10);
    let middle = damaged[3].len() / 2;
    damaged[3][middle] ^= 0x55;
    check(&damaged.concat(), &without(3), &[DropReason::BadCompression]);
    let (_, faults) = numbers(&damaged.concat());
    let start = damaged[..3].concat().len() as u64;
    let next = damaged[..4].concat().len() as u64;
    assert_eq!((faults[0].offset, faults[0].recovered_at), (start, Some(next)));

    let mut checksum = members(0..10);
    let at = checksum[3].len() - 6;
    checksum[3][at] ^= 0x55;
    check(&checksum.concat(), &all(), &[DropReason::BadCompression]);

    let mut length = members(0..10);
    let at = length[3].len() - 2;
    length[3][at] ^= 0x55;
    check(&length.concat(), &all(), &[DropReason::BadCompression]);

    let mut cut = members(0..10);
    cut[3].truncate(100);
    check(&cut.concat(), &without(3), &[DropReason::BadCompression]);

    let bytes = members(0..10).concat();
    check(&bytes[..bytes.len() - 20], &all(), &[DropReason::CutShort]);
    check_cut(&bytes[..bytes.len() - 20], 10);

    let mut junk = members(0..10);
    junk.insert(3, b"JUNKJUNK".to_vec());
    check(&junk.concat(), &all(), &[DropReason::Junk]);

    let mut first = members(0..10);
    first[0][0] = 0;
    check(&first.concat(), &(1..10).collect::<Vec<_>>(), &[DropReason::Junk]);
}

#[test]
fn long_members_are_streamed() {
    let limits = Limits { member_bytes: 512, ..Limits::USUAL };
    let bytes = gzip(&records(0..2000));
    let (found, faults) = read(&bytes[..], &limits);
    assert_eq!((found.len(), faults.len()), (2000, 0));
    // Damage in the middle: the data before it is kept, and so is the member after it.
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xff);
    damaged.extend(gzip(&record(7)));
    let (found, faults) = read(&damaged[..], &limits);
    assert!(found.len() > 500, "{}", found.len());
    assert_eq!(found.last().unwrap().target_uri.as_deref(), Some("http://a.com/7"));
    // Between the damage and the point of detection, inflated data may be garbled.
    let last = faults.last().unwrap();
    assert_eq!(last.reason, DropReason::BadCompression);
    assert_eq!(last.recovered_at, Some(bytes.len() as u64));
}

#[test]
fn limits_hold() {
    let limits = Limits { record_bytes: 1000, ..Limits::USUAL };
    let large = "x".repeat(5000);
    let large = record_with(3, "Content-Length: 5000\r\n", "", &large, "\r\n\r\n");
    for bytes in [
        [record(0), large.clone(), record(1)].concat(),
        [gzip(&record(0)), gzip(&large), gzip(&record(1))].concat(),
    ] {
        let (found, faults) = read(&bytes[..], &limits);
        assert_eq!((found.len(), faults.len()), (2, 1), "{faults:#?}");
        assert_eq!(faults[0].reason, DropReason::TooLarge);
        let reader = RecordReader::new(&bytes[..], &limits);
        let items: Vec<_> = reader.with_bodies_of(|kind| kind == RecordKind::Response).collect();
        assert!(items.iter().all(|item| item.as_ref().is_ok_and(|record| record.body.is_empty())));
        assert_eq!(items[1].as_ref().unwrap().length, 5000);
    }
    let bomb = gzip(&vec![b'x'; 20 << 20]);
    let (found, faults) = read(&[bomb, gzip(&record(1))].concat()[..], &limits);
    assert_eq!((found.len(), faults.len()), (1, 1), "{faults:#?}");
}

#[test]
fn arc_archives() {
    let one = b"http://a.com/1 1.2.3.4 20240101000000 text/html 5\nhello\n";
    let two = b"http://a.com/2 1.2.3.4 20240101000000 text/html 200 - - 7 a.arc 5\nworld\n";
    let first = b"filedesc://a.arc 0.0.0.0 20240101000000 text/plain 9\n1 0 Test\n\n";
    let bytes = [&first[..], one, b"junk\n\n", two].concat();
    let (found, faults) = read(&bytes[..], &Limits::USUAL);
    assert_eq!(found.len(), 3, "{faults:#?}");
    assert_eq!(found[0].kind, RecordKind::Warcinfo);
    assert_eq!((found[1].kind, &found[1].body[..]), (RecordKind::Response, &b"hello"[..]));
    assert_eq!(found[2].body, b"world");
    assert_eq!(found[2].date.unwrap().to_string(), "2024-01-01T00:00:00Z");
}

#[test]
fn damaged_arc_archives_are_read_on() {
    let first = b"filedesc://a.arc 0.0.0.0 20240101000000 text/plain 9\n1 0 Test\n\n".to_vec();
    let record = |n: usize| {
        format!("http://a.com/{n} 1.2.3.4 20240101000000 text/html 6\nbody {n}\n").into_bytes()
    };
    let records = |range: std::ops::Range<usize>| range.flat_map(record).collect::<Vec<u8>>();
    let numbers = |bytes: &[u8]| -> Vec<String> {
        let (found, faults) = read(bytes, &Limits::USUAL);
        assert_eq!(faults.len(), 1, "{faults:#?}");
        found.into_iter().map(|record| String::from_utf8(record.body).unwrap()).collect()
    };
    let bodies = |range: std::ops::Range<usize>| range.map(|n| format!("body {n}"));
    // Without its beginning, an archive can be recognised only by its records.
    let cut = [&first[10..], &records(0..10)].concat();
    assert_eq!(numbers(&cut), bodies(0..10).collect::<Vec<_>>());
    // Junk that looks like the head of the other dialect.
    let liar = b"WARC/1.0\r\nContent-Length: 50\r\n\r\n".to_vec();
    let found = numbers(&[first, records(0..4), liar, records(4..10)].concat());
    assert_eq!(found[1..5], bodies(0..4).collect::<Vec<_>>());
    assert!(found.ends_with(&bodies(4..10).collect::<Vec<_>>()), "{found:?}");
}

#[test]
fn streams_without_a_record_are_reported() {
    for magic in [&b"BZh91AY&SY"[..], b"\xfd7zXZ\0.."] {
        let (found, faults) = read(magic, &Limits::USUAL);
        assert_eq!((found.len(), faults.len()), (0, 1));
        assert!(faults[0].detail.contains("decompression failed"), "{}", faults[0].detail);
    }
}
