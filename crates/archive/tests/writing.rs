//! Output of the writer is read by our reader and by that of the `warc` crate.

mod common;

use common::read;
use sitegrove_archive::{Limits, NewRecord, RecordKind, RecordWriter, Wrapping};

fn written(wrapping: Wrapping) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), wrapping);
    for i in 0..3u8 {
        let record = NewRecord {
            kind: if i == 0 { RecordKind::Warcinfo } else { RecordKind::Conversion },
            record_id: &format!("urn:uuid:{i:032}"),
            date: "2024-01-01T00:00:00.5Z".parse().unwrap(),
            target_uri: (i > 0).then_some("http://a.com/"),
            content_type: "text/plain",
            fields: &[("WARC-Refers-To", "<urn:x>\r\nInjected: yes")],
            body: &vec![b'\n'; usize::from(i)],
        };
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn our_reader_reads_it() {
    for wrapping in [Wrapping::Plain, Wrapping::Gzip] {
        let (records, faults) = read(&written(wrapping)[..], &Limits::USUAL);
        assert_eq!((records.len(), faults.len()), (3, 0), "{faults:#?}");
        assert_eq!(records[0].kind, RecordKind::Warcinfo);
        assert_eq!(records[2].body, b"\n\n");
        assert_eq!(records[2].date.unwrap().to_string(), "2024-01-01T00:00:00.5Z");
        assert_eq!(records[2].headers.get("WARC-Refers-To"), Some("<urn:x>  Injected: yes"));
        assert_eq!(records[1].record_id, format!("urn:uuid:{:032}", 1));
    }
}

#[test]
fn the_warc_crate_reads_it() {
    let bytes = written(Wrapping::Plain);
    let reader = warc::WarcReader::new(&bytes[..]);
    let records: Vec<_> = reader.iter_records().collect::<Result<_, _>>().unwrap();
    assert_eq!(records.len(), 3);
    assert_eq!(records[2].warc_type(), &warc::RecordType::Conversion);
    assert_eq!(records[2].body(), b"\n\n");
}

#[test]
fn spelt_as_in_the_standard() {
    let text = String::from_utf8(written(Wrapping::Plain)).unwrap();
    assert!(text.starts_with(
        "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <urn:uuid:00000000000000000000000000000000>\r\n\
         WARC-Date: 2024-01-01T00:00:00.5Z\r\n"
    ));
}

#[test]
fn unknown_types_are_refused() {
    let record = NewRecord {
        kind: RecordKind::Other,
        record_id: "urn:x",
        date: jiff::Timestamp::UNIX_EPOCH,
        target_uri: None,
        content_type: "text/plain",
        fields: &[],
        body: b"",
    };
    assert!(RecordWriter::new(Vec::new(), Wrapping::Plain).write(&record).is_err());
}
