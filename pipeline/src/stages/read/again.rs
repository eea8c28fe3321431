//! Reads single records of an input again, by where they lie.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use model::Page;
use serde::{Deserialize, Serialize};

use super::{InputSummary, Intake, Reading, Source, read, records};
use crate::config::ReadConfig;
use crate::inputs::Input;

/// Where a record lies in its file.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct Place {
    /// Offset of its member, or its own.
    pub(crate) offset: u64,
    /// Its number among the records that begin there.
    pub(crate) number: u32,
    /// Where it ends, or its member does, if that is known.
    pub(crate) end: Option<u64>,
}

/// Bytes between two records that are read rather than jumped over: a request, mostly.
const GAP: u64 = 4 << 10;

/// Runs of records that are read at one go, of places in order.
pub(crate) fn runs(places: &[Place]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, place) in places.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if joins(&places[run.end - 1], place) => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn joins(before: &Place, place: &Place) -> bool {
    place.offset == before.offset || before.end.is_some_and(|end| place.offset <= end + GAP)
}

/// Reads the pages at `places`, which are in order and differ, and hands them over with their index. Jumps to
/// the first and reads no further than the last; or, `from_the_start`, reads all that is before them, which
/// finds them also where an archive cannot be entered there. What is not found is not handed over: the caller
/// has to see to that, and to whether a page is what it was.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn read_again(
    input: &Input,
    config: &ReadConfig,
    places: &[Place],
    from_the_start: bool,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
    take: &mut dyn FnMut(usize, Page),
) -> io::Result<()> {
    let left = Cell::new(places.len());
    let mut found = |intake: Intake, source: Source| {
        let Intake::Page(page) = intake else { return };
        let of = (page.origin.offset, source.number);
        if let Ok(at) = places.binary_search_by_key(&of, |place| (place.offset, place.number)) {
            left.set(left.get().saturating_sub(1));
            take(at, page);
        }
    };
    let Input::Archive(path) = input else {
        let whole = read(input, config, progress, stop, &mut found);
        return whole.map(drop).map_err(|error| error.source);
    };
    let (first, end) = match places.first() {
        None => return Ok(()),
        Some(_) if from_the_start => (0, None),
        Some(first) => {
            let end = places.iter().try_fold(0, |end, place| Some(place.end?.max(end)));
            (first.offset, end)
        }
    };
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(first))?;
    let bytes = end.map_or(u64::MAX, |end| end.saturating_sub(first));
    let mut reading = Reading {
        config,
        file: path.to_string_lossy().into(),
        summary: InputSummary::default(),
        given: 0,
        offset: None,
        source: Source::default(),
        take: &mut found,
    };
    // Damage is no news: it was told when the archive was read.
    for mut record in records(Counted { file: file.take(bytes), progress }, config).flatten() {
        record.offset += first;
        reading.record(record);
        if left.get() == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}

/// A part of a file, counted on its way.
struct Counted<'a> {
    file: io::Take<File>,
    progress: &'a (dyn Fn(u64) + Sync),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        (self.progress)(bytes as u64);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_records_are_read_at_one_go() {
        let place = |offset, number, end| Place { offset, number, end };
        let places = [
            place(0, 0, Some(100)),
            place(100 + GAP, 0, Some(9_000)),
            place(9_000 + GAP + 1, 0, None),
            place(9_000 + GAP + 1, 7, None),
            place(9_000 + GAP + 2, 0, Some(20_000)),
        ];
        assert_eq!(runs(&places), [0..2, 2..4, 4..5]);
        assert!(runs(&[]).is_empty());
    }
}
