//! Archives that are compressed as a whole, with bzip2 or xz.

mod common;

use std::io::Write;

use bzip2::Compression;
use bzip2::write::BzEncoder;
use common::{numbers, read, record, records};
use lzma_rust2::{XzOptions, XzWriter};
use model::DropReason;
use sitegrove_archive::Limits;

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

type Compress = fn(&[u8]) -> Vec<u8>;

const BOTH: [Compress; 2] = [bzip2, xz];

#[test]
fn archives_in_one_stream_and_in_several() {
    for compress in BOTH {
        let one = compress(&records(0..10));
        let several = [compress(&records(0..4)), compress(&records(4..10))].concat();
        for bytes in [one, several] {
            let (found, faults) = numbers(&bytes);
            assert_eq!(found, (0..10).collect::<Vec<_>>());
            assert!(faults.is_empty(), "{faults:#?}");
            let (records, _) = read(&bytes[..], &Limits::USUAL);
            assert_eq!(records[3].offset, 3 * record(0).len() as u64);
        }
    }
}

#[test]
fn what_comes_before_damage_is_kept() {
    for compress in BOTH {
        // Text that does not compress fills several blocks.
        let letter = |i: u64| {
            let mixed = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            char::from(b'a' + (mixed >> 60) as u8)
        };
        let noise = |i: usize| -> String {
            (0..400_000).map(|n| letter(n + (i as u64) * 400_000)).collect()
        };
        let with_noise =
            |i| common::record_with(i, "Content-Length: 400000\r\n", "", &noise(i), "\r\n\r\n");
        let bytes = compress(&(0..6).flat_map(with_noise).collect::<Vec<_>>());
        for damaged in [bytes[..bytes.len() * 2 / 3].to_vec(), {
            let mut damaged = bytes.clone();
            let middle = damaged.len() * 2 / 3;
            damaged[middle..middle + 8].fill(0xa5);
            damaged
        }] {
            let (found, faults) = read(&damaged[..], &Limits::USUAL);
            let whole = found.iter().filter(|record| record.truncated.is_none()).count();
            assert!((3..6).contains(&whole), "{whole} {faults:#?}");
            assert!(!faults.is_empty());
        }
        let (found, faults) = numbers(&bytes[..20]);
        assert!(found.is_empty());
        assert_eq!(faults[0].reason, DropReason::CutShort, "{faults:#?}");
        assert!(faults[0].detail.contains("0 decompressed bytes"), "{}", faults[0].detail);
    }
}

#[test]
fn a_stream_that_unwraps_to_far_more_is_abandoned() {
    let limits = Limits { record_bytes: 1 << 20, ratio: 100, ..Limits::USUAL };
    for compress in BOTH {
        let bytes = compress(&[record(0), vec![b'x'; 64 << 20]].concat());
        let (found, faults) = read(&bytes[..], &limits);
        assert_eq!(found.len(), 1);
        assert!(faults.iter().any(|fault| fault.detail.contains("100 times")), "{faults:#?}");
    }
}

#[test]
fn a_dictionary_that_takes_too_much_memory_is_refused() {
    let options = XzOptions {
        lzma_options: lzma_rust2::LzmaOptions {
            dict_size: 512 << 20,
            ..lzma_rust2::LzmaOptions::with_preset(0)
        },
        ..XzOptions::with_preset(0)
    };
    let mut encoder = XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(&records(0..2)).unwrap();
    let (found, faults) = numbers(&encoder.finish().unwrap());
    assert!(found.is_empty());
    assert_eq!(faults.len(), 1, "{faults:#?}");
}
