//! Read.
//!
//! Takes: one file: an archive, a saved page, or a feed.
//! Gives: pages decoded to UTF-8, feed items, redirects and revisits, each with its origin.
//! Why: after this stage everything is decoded and nothing can fail.
//! Drops: records that are not pages or cannot be read, each with file, offset and reason; reading continues.

mod archive_reader;
mod mhtml;
mod opened;
mod reading;
mod rows;
mod wacz;

use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, atomic::AtomicBool, atomic::Ordering};

use config::ReadConfig;
use config::files::address_of;
use grouping::address_of_file;
use model::DropReason;
use sink::{InputRecord, ListedPart};

use crate::Input;
use crate::file_type::not_an_archive;
use crate::parts::digest_of;
use crate::waiting::is_stream;

pub use archive_reader::{ArchiveReader, BrokenOff};
use opened::{Opened, is_in_parts};
use reading::{FileReading, Media};
pub use reading::{Intake, PayloadDigest, ReadError, SiteFile, SiteFileKind, Take, own_address};
pub use wacz::indexed;

/// Passes on a saved page, HTML or MHTML, that is in memory. Its address is `url` unless it contains another one.
pub fn read_saved(bytes: Vec<u8>, url: String, config: &ReadConfig, take: &mut Take<'_>) {
    let mut intake = FileReading::new(config, "-".into(), take);
    let origin = intake.origin(0, "", None);
    intake.saved_page(url, origin, bytes);
}

/// Reads one file and passes its contents on. `progress` receives the number of bytes read. If `stop` is set,
/// reading ends early and the results are incomplete. Returns the record of the input for the ledger, and the number of
/// records of types that contain no page.
///
/// # Errors
/// If the file cannot be opened or the system fails to read it. Damage is not an error: if an archive breaks off,
/// the record says so.
pub fn read(
    input: &Input,
    config: &ReadConfig,
    progress: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
    take: &mut Take<'_>,
) -> Result<(InputRecord, u64), ReadError> {
    let failed = |source| ReadError { path: input.path().to_owned(), source };
    let file: Arc<str> = input.path().to_string_lossy().into();
    let failure = std::cell::RefCell::new(None);
    let stopped = || {
        progress(0); // The caller may check for a stop only when progress is reported.
        stop.load(Ordering::Relaxed)
    };
    let mut reader = Opened::new(input, progress, &stopped, &failure).map_err(failed)?;
    let mut intake = FileReading::new(config, Arc::clone(&file), take);
    let mut read = ControlFlow::Continue(());
    match input {
        Input::Archive(path) => {
            let is_zip =
                !input.is_stdin() && !is_stream(path) && wacz::is_zip(path).map_err(failed)?;
            read = match is_zip {
                true => intake.wacz(path, &mut reader, stop).map_err(failed)?,
                false => intake.archive(&mut reader, 0, stop),
            };
            if read.is_continue() && intake.given == 0 && intake.record.records.is_empty() {
                let detail = format!("the file contains no record: it {}", not_an_archive(path));
                let origin = intake.origin(0, "", None);
                intake.drop("", origin, DropReason::BadRecord, detail);
            }
        }
        Input::Records { records, extra, indexes, .. } => {
            let indexes = indexes.iter().map(|index| index.to_string_lossy().into_owned());
            let places = digest_of(records);
            intake.record.listed = Some(ListedPart { indexes: indexes.collect(), places });
            read = intake.records_at((records, extra), &mut reader, stop).map_err(failed)?;
        }
        Input::Table(path) => intake.table(path, &mut reader, stop).map_err(failed)?,
        Input::Html { name, folder, .. } => {
            intake.count("page");
            let origin = intake.origin(0, "", None);
            // A page that is read from a web address has that address.
            let url = address_of(input.path()).filter(|url| url.starts_with("http"));
            let url = url.map_or_else(|| address_of_file(folder, name), str::to_owned);
            match reader.whole(config.max_payload_bytes).map_err(failed)? {
                Some(bytes) => intake.saved_page(url, origin, bytes),
                None => intake.oversized(&url, origin, DropReason::TooLarge, "max_payload_bytes"),
            }
        }
        Input::Feed(_) => {
            intake.count("feed");
            let origin = intake.origin(0, "", None);
            match reader.whole(config.max_feed_bytes).map_err(failed)? {
                Some(bytes) => intake.contained(&file, origin.clone(), |reading| {
                    reading.feed(&bytes, &file, None, &Media::default(), origin);
                }),
                None => intake.oversized(&file, origin, DropReason::BadFeed, "max_feed_bytes"),
            }
        }
        Input::Retained(path) => intake.retained(path, stop).map_err(failed)?,
        // It could not be examined.
        Input::Unreadable { .. } => {}
    }
    let (mut record, others) = (intake.record, intake.other_records);
    if read.is_break() {
        return Ok((record, others));
    }
    let has_rest = match input {
        Input::Records { .. } => false,
        Input::Table(path) => !is_in_parts(path),
        _ => true,
    };
    if has_rest {
        // The digest is that of the whole file, wherever the archive reader stopped.
        io::copy(&mut reader, &mut io::sink()).map_err(failed)?;
    }
    reader.finish(&mut record);
    match failure.take() {
        // The error was in a listed record, which has been dropped.
        Some(_) if matches!(input, Input::Records { .. }) => Ok((record, others)),
        Some(source) => Err(failed(source)),
        None => Ok((record, others)),
    }
}
