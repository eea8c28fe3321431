//! All surveys of a crawl, read as if one process had read its inputs: captures, revisits, redirects and feed items
//! are settled among all of them.

use std::io;
use std::path::Path;

use config::Config;
use grouping::Tracking;
use segment::collect::Segments;
use segment::file::StepFile;
use segment::settle::{SettledSites, settle_sites};
use terminal::observer::Observer;

/// Forms the sites of a crawl, of which those wanted, by hash, are counted. Only the heads of pages are read, those of one
/// part of the sites at a time.
pub(super) fn settle_crawl(
    surveys: Vec<StepFile>,
    wants: &dyn Fn(u64) -> bool,
    folder: &Path,
    config: &Config,
    observer: &dyn Observer,
) -> io::Result<SettledSites> {
    let bytes = surveys.iter().map(StepFile::size).sum();
    observer.reading(surveys.len(), bytes);
    let tracking = Tracking::new(&config.group.tracking_parameters);
    let sites = settle_sites(Segments::of_files(surveys), &tracking, Some(folder), wants)?;
    observer.read(bytes);
    Ok(sites)
}
