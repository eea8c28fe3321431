//! Reads pictures from the archives of a crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use archive::{Limits, Record, RecordKind, RecordReader, Response};
use config::files::address_of;
use document::{PictureFile, PictureFiles, picture_addresses};
use input::source::open;
use input::{Input, InputPlaces, expand};
use segment::records::normal_address;

use super::articles::ExportedArticle;

/// Largest picture that is put into a document, in bytes.
const LARGEST: usize = 32 << 20;

/// The source addresses of wanted pictures, each with the addresses by which documents refer to the picture.
type WantedPictures = BTreeMap<String, BTreeSet<String>>;

/// Reads the pictures of articles from the records that the articles name. Archives that no longer exist, or are not files,
/// are left out.
pub(super) fn of_records(articles: &[ExportedArticle]) -> Result<PictureFiles> {
    let mut files: BTreeMap<&str, BTreeMap<u64, WantedPictures>> = BTreeMap::new();
    for image in articles.iter().flat_map(|found| &found.article.images) {
        if let Some(record) = &image.record {
            let at = files.entry(&record.file).or_default().entry(record.offset).or_default();
            at.entry(normal_address(&record.url).into_owned())
                .or_default()
                .insert(image.url.clone());
        }
    }
    let mut pictures = PictureFiles::new();
    for (file, places) in files {
        let path = Path::new(file);
        if address_of(path).is_none() && path.is_file() {
            let read = read_places(path, places, &mut pictures);
            read.with_context(|| format!("cannot read {file}"))?;
        }
    }
    Ok(pictures)
}

/// Reads the records at these offsets. If an offset has a different record, as in an archive that is compressed as a
/// whole, searches the whole file for the picture.
fn read_places(
    path: &Path,
    places: BTreeMap<u64, WantedPictures>,
    pictures: &mut PictureFiles,
) -> io::Result<()> {
    let mut elsewhere = WantedPictures::new();
    let mut file = open(path)?;
    for (offset, wanted) in places {
        file.seek(SeekFrom::Start(offset))?;
        let first = records(&mut file).next().filter(|record| record.offset == 0);
        match first {
            Some(record) if shown_by(&record, &wanted).is_some() => {
                take(record, &wanted, pictures);
            }
            _ => {
                for (source, shown) in wanted {
                    elsewhere.entry(source).or_default().extend(shown);
                }
            }
        }
    }
    if !elsewhere.is_empty() {
        file.rewind()?;
        records(&mut file).for_each(|record| take(record, &elsewhere, pictures));
    }
    Ok(())
}

/// Reads the pictures of articles from these archives. Of several captures, the last is used.
pub(super) fn of_inputs(inputs: &[String], articles: &[ExportedArticle]) -> Result<PictureFiles> {
    let mut wanted = WantedPictures::new();
    let mut want = |source: &str, shown: &str| {
        wanted.entry(normal_address(source).into_owned()).or_default().insert(shown.to_owned());
    };
    for found in articles {
        let sources = picture_addresses(&found.article.html);
        sources.iter().flatten().for_each(|source| want(source, source));
        for image in &found.article.images {
            image.record.iter().for_each(|record| want(&record.url, &image.url));
        }
    }
    let mut pictures = PictureFiles::new();
    if wanted.is_empty() {
        return Ok(pictures);
    }
    for input in expand(inputs, &[], InputPlaces::default())? {
        let Input::Archive(path) = &input else { continue };
        let mut file = open(path).with_context(|| format!("cannot read {}", path.display()))?;
        records(&mut file).for_each(|record| take(record, &wanted, &mut pictures));
    }
    Ok(pictures)
}

/// Reads the records of an archive, with the bodies of those that may contain pictures.
fn records(file: impl Read) -> impl Iterator<Item = Record> {
    let has_body = |kind| matches!(kind, RecordKind::Response | RecordKind::Resource);
    let reader = RecordReader::new(BufReader::new(file), &Limits::USUAL).with_bodies_of(has_body);
    reader.filter_map(Result::ok)
}

/// Returns the addresses by which documents refer to the picture of a record; `None` if it is not wanted.
fn shown_by<'a>(record: &Record, wanted: &'a WantedPictures) -> Option<&'a BTreeSet<String>> {
    wanted.get(&*normal_address(record.target_uri.as_deref()?))
}

/// Adds the picture of a record to `pictures`, if it is wanted.
fn take(record: Record, wanted: &WantedPictures, pictures: &mut PictureFiles) {
    let Some(shown) = shown_by(&record, wanted) else { return };
    let bytes = match record.kind {
        RecordKind::Resource => Some(record.body),
        RecordKind::Response => payload(record.body),
        _ => None,
    };
    if let Some(picture) = bytes.filter(|bytes| bytes.len() <= LARGEST).and_then(PictureFile::of) {
        pictures.extend(shown.iter().map(|address| (address.clone(), picture.clone())));
    }
}

/// Returns the payload of a response with status 200.
fn payload(block: Vec<u8>) -> Option<Vec<u8>> {
    let response = Response::parse(&block).ok().filter(|response| response.status == 200)?;
    response.into_body(block, LARGEST).ok().map(|(bytes, _)| bytes)
}
