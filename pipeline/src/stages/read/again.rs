//! Reads single records of an input again, by their positions.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use model::Page;
use serde::{Deserialize, Serialize};

use super::reading::{Reading, records};
use super::{InputSummary, Intake, Source, read, wacz};
use crate::config::ReadConfig;
use crate::inputs::Input;
use crate::source::{SourceFile, open};

/// The position of a record in its file.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct Place {
    /// Offset of its compressed member, or of the record itself.
    pub(crate) offset: u64,
    /// Its number among the records that start there.
    pub(crate) number: u32,
    /// Where the record or its member ends, if known.
    pub(crate) end: Option<u64>,
}

/// Gaps up to this many bytes are read rather than skipped; mostly a request.
const GAP: u64 = 4 << 10;

/// Splits sorted places into runs that are read in one pass.
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

/// Reads the pages at `places`, which must be sorted and distinct, and passes them on with their index. Seeks
/// to the first and stops after the last; with `from_the_start`, reads everything before them too, which also
/// works if the archive cannot be entered at the first. The caller must check for pages that were not found
/// and pages that have changed.
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
    let (Input::Archive(path) | Input::Records { path, .. }, false) =
        (input, from_the_start && is_wacz(input))
    else {
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
    let mut file = open(path)?;
    file.seek(SeekFrom::Start(first))?;
    let bytes = end.map_or(u64::MAX, |end| end.saturating_sub(first));
    let mut reading = Reading {
        config,
        file: path.to_string_lossy().into(),
        summary: InputSummary::default(),
        given: 0,
        offset: None,
        source: Source::default(),
        ready: None,
        take: &mut found,
    };
    // Damage was reported when the archive was read first.
    for mut record in records(Counted { file: file.take(bytes), progress }, config).flatten() {
        record.offset += first;
        reading.record(record);
        if left.get() == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}

/// Whether an input is a WACZ file, whose archives do not begin at its start.
fn is_wacz(input: &Input) -> bool {
    wacz::is_zip(input.path()).unwrap_or_default()
}

/// A part of a file; counts the bytes that are read.
struct Counted<'a> {
    file: io::Take<SourceFile>,
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
