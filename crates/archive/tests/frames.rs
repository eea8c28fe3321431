//! Archives of Zstandard and LZ4 frames, with dictionaries and damage.

mod common;

use std::io::Write;

use common::{numbers, read, record, records, zstd};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use model::DropReason;
use sitegrove_archive::Limits;

fn all() -> Vec<usize> {
    (0..10).collect()
}

fn without(missing: usize) -> Vec<usize> {
    (0..10).filter(|i| *i != missing).collect()
}

fn summed_zstd(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn lz4(bytes: &[u8], mode: BlockMode) -> Vec<u8> {
    let mut info = FrameInfo::new();
    info.block_mode = mode;
    info.block_size = BlockSize::Max64KB;
    info.content_checksum = true;
    info.block_checksums = mode == BlockMode::Linked;
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn skippable(magic: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    [&[magic, 0x2a, 0x4d, 0x18], &length[..], content].concat()
}

fn trained() -> Vec<u8> {
    let samples: Vec<Vec<u8>> = (0..400).map(|i| record(i * 7919)).collect();
    ::zstd::dict::from_samples(&samples, 2048).unwrap()
}

/// Checks that `bytes` give these records, and one fault for each reason.
fn check(bytes: &[u8], expected: &[usize], reasons: &[DropReason]) {
    let (found, faults) = numbers(bytes);
    assert_eq!(found, expected, "{faults:#?}");
    let found: Vec<_> = faults.iter().map(|fault| fault.reason).collect();
    assert_eq!(found, reasons, "{faults:#?}");
}

#[test]
fn frames_of_every_kind() {
    for wrap in [
        |bytes: &[u8]| zstd(bytes),
        |bytes: &[u8]| summed_zstd(bytes, &[]),
        |bytes: &[u8]| lz4(bytes, BlockMode::Independent),
        |bytes: &[u8]| lz4(bytes, BlockMode::Linked),
    ] {
        let frames: Vec<Vec<u8>> = (0..10).map(|i| wrap(&record(i))).collect();
        check(&frames.concat(), &all(), &[]);
        check(&wrap(&records(0..10)), &all(), &[]);
        let many = wrap(&records(0..3000));
        assert_eq!(read(&many[..], &Limits::USUAL).0.len(), 3000);
        // A record split over two frames; padding; a skippable frame of another program.
        let text = records(0..10);
        check(&[wrap(&text[..555]), wrap(&text[555..])].concat(), &all(), &[]);
        check(&[frames.concat(), vec![0; 64]].concat(), &all(), &[]);
        check(&[skippable(0x51, b"anything"), frames.concat()].concat(), &all(), &[]);
        let (found, _) = read(&frames.concat()[..], &Limits::USUAL);
        assert_eq!(found[1].offset, frames[0].len() as u64);
    }
}

#[test]
fn dictionaries_are_taken_from_the_archive() {
    let dictionary = trained();
    let frames: Vec<Vec<u8>> = (0..10).map(|i| summed_zstd(&record(i), &dictionary)).collect();
    let frames = frames.concat();
    check(&[skippable(0x5d, &dictionary), frames.clone()].concat(), &all(), &[]);
    let packed = zstd(&dictionary);
    check(&[skippable(0x5d, &packed), frames.clone()].concat(), &all(), &[]);
    // Two archives, each with its dictionary, one after the other.
    let one = [skippable(0x5d, &packed), frames.clone()].concat();
    let two = [one.clone(), zstd(&record(10)), one].concat();
    assert_eq!(numbers(&two).0.len(), 21);
    // A missing dictionary is reported once, and frames that need none are read.
    let (found, faults) = numbers(&[frames.clone(), zstd(&record(3))].concat());
    assert_eq!((found, faults.len()), (vec![3], 1), "{faults:#?}");
    assert!(faults[0].detail.contains("needs the dictionary"), "{faults:#?}");
    let broken = skippable(0x5d, &packed[..packed.len() / 2]);
    let (found, faults) = numbers(&[broken, frames, zstd(&record(3))].concat());
    assert_eq!(found, [3], "{faults:#?}");
    let told = |text: &str| faults.iter().any(|fault| fault.detail.contains(text));
    assert!(told("the dictionary at byte 0 cannot be read"), "{faults:#?}");
}

#[test]
fn damaged_frames_cost_their_own_records_only() {
    for (wrap, name) in [
        ((|i| summed_zstd(&record(i), &[])) as fn(usize) -> Vec<u8>, "zstd"),
        (|i| lz4(&record(i), BlockMode::Independent), "lz4"),
        (|i| lz4(&record(i), BlockMode::Linked), "lz4"),
    ] {
        let frames: Vec<Vec<u8>> = (0..10).map(wrap).collect();
        let with = |fourth: Vec<u8>| {
            let mut frames = frames.clone();
            frames[3] = fourth;
            frames.concat()
        };
        let mut changed = frames[3].clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 0x55;
        let (found, faults) = numbers(&with(changed));
        assert!(found == without(3) || found == all(), "{name}: {found:?} {faults:#?}");
        assert_eq!(faults.len(), 1, "{name}: {faults:#?}");
        let cut = frames[3][..frames[3].len() - 30].to_vec();
        check(&with(cut), &without(3), &[DropReason::BadCompression]);
        let mut headless = frames[3].clone();
        headless[..4].fill(b'x');
        check(&with(headless), &without(3), &[DropReason::Junk]);
        check(
            &with([frames[3].clone(), b"JUNKJUNK".to_vec()].concat()),
            &all(),
            &[DropReason::Junk],
        );
        let whole = frames.concat();
        check(&whole[..whole.len() - 20], &(0..9).collect::<Vec<_>>(), &[DropReason::CutShort]);
        // A skippable frame with a false length hides nothing.
        let liar = [0x55, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0x7f];
        check(&with([frames[3].clone(), liar.to_vec()].concat()), &all(), &[DropReason::Junk]);
    }
}

#[test]
fn bombs_are_given_up() {
    let limits = Limits { record_bytes: 100_000, ..Limits::USUAL };
    for wrap in
        [(|b| zstd(b)) as fn(&[u8]) -> Vec<u8>, |b| common::gzip(b), |b| lz4(b, BlockMode::Linked)]
    {
        let bomb = wrap(&vec![b'x'; 30 << 20]);
        let bytes = [wrap(&record(1)), bomb, wrap(&record(2))].concat();
        let (found, faults) = read(&bytes[..], &limits);
        let uris: Vec<_> = found.iter().filter_map(|r| r.target_uri.as_deref()).collect();
        assert_eq!(uris, ["http://a.com/1", "http://a.com/2"], "{faults:#?}");
        assert_eq!(faults.len(), 1, "{faults:#?}");
    }
}
