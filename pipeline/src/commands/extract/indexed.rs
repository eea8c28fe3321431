//! The records of the site of a page, by the index of an archive: in a WACZ file, or beside a WARC or ARC file.

use std::path::{Path, PathBuf};

use archive::surt;
use grouping::{Tracking, site_key};
use input::Input;
use input::cdx::{Listed, RecordAt, read};
use input::read::indexed;
use input::source::state;
use input::waiting::is_stream;

use super::wanted::WantedAddress;

/// The records of an archive that are of the site of the page that is asked for. None if nothing is asked for, there is
/// no index that can be read, or the page is not in it; the archive is then read as a whole.
pub(super) fn by_index(
    input: &Input,
    wanted: Option<&WantedAddress>,
    tracking: &Tracking,
) -> Option<Input> {
    let (Input::Archive(path), Some(wanted)) = (input, wanted) else { return None };
    let site = wanted.site.as_deref().filter(|_| !input.is_stdin() && !is_stream(path))?;
    let (mut records, mut is_listed) = (Vec::<RecordAt>::new(), false);
    let mut take = |own: Listed| {
        if site_key(&own.url).as_deref() == Some(site) {
            is_listed |= wanted.is(&own.url, tracking);
            records.push(own.record);
        }
    };
    let (index, done) = if input.format() == "WACZ" {
        let key = surt(&format!("https://{site}/"));
        (path.clone(), indexed(path, key.trim_end_matches(")/"), &mut take))
    } else if let Some(index) = beside(path) {
        let name = path.file_name();
        let mut own = |listed: Listed| {
            if Path::new(&listed.file).file_name() == name {
                take(listed);
            }
        };
        let done = read(&index, &mut own);
        (index, done)
    } else {
        return None;
    };
    if let Err(error) = done {
        let next = "reading the archive as a whole";
        tracing::warn!(at = %index.display(), next, "cannot use the index: {error:#}");
        return None;
    }
    if !is_listed {
        return None;
    }
    records.sort_unstable();
    records.dedup();
    tracing::info!(at = %path.display(), "reading the {} records of {site} in its index", records.len());
    Some(Input::Records { path: path.clone(), records: records.into() })
}

/// The index of an archive: a file beside it with its name and the ending of an index, with or without the endings of
/// the archive.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let mut stems = vec![name];
    while let Some((stem, end)) = stems[stems.len() - 1].rsplit_once('.')
        && ["gz", "zst", "warc", "arc"].contains(&end)
    {
        stems.push(stem);
    }
    let names = stems.iter().flat_map(|stem| {
        ["cdxj", "cdxj.gz", "cdx", "cdx.gz"].map(|end| path.with_file_name(format!("{stem}.{end}")))
    });
    names.into_iter().find(|index| state(index).is_ok())
}
