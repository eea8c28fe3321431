//! The bytes of pictures, from the archives of a crawl.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result};
use archive::{Limits, RecordKind, RecordReader, Response};
use document::{Picture, Pictures, picture_addresses};

use super::articles::Found;
use crate::inputs::{Input, expand};
use crate::results::Results;

/// Largest picture that is put into a document, in bytes.
const LARGEST: usize = 32 << 20;

/// The inputs of a run that are still there.
///
/// # Errors
/// If the run is not finished.
pub(super) fn inputs_of(run: &Path) -> Result<Vec<String>> {
    let results = Results::open(run)?;
    let files = results.ledger().inputs.iter().map(|input| input.file.clone());
    Ok(files.filter(|file| Path::new(file).is_file()).collect())
}

/// The pictures of articles that the archives have, by their addresses. Of several captures the last is taken.
///
/// # Errors
/// If an input cannot be read. Damage in an archive is skipped.
pub(super) fn read(inputs: &[String], articles: &[Found]) -> Result<Pictures> {
    let of_article = |found: &Found| picture_addresses(&found.text.html);
    let wanted: BTreeSet<String> = articles.iter().flat_map(of_article).flatten().collect();
    let mut pictures = Pictures::new();
    if wanted.is_empty() || inputs.is_empty() {
        return Ok(pictures);
    }
    for input in expand(inputs, &[])? {
        let Input::Archive(path) = &input else { continue };
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let has_body = |kind| matches!(kind, RecordKind::Response | RecordKind::Resource);
        let records =
            RecordReader::new(BufReader::new(file), &Limits::USUAL).with_bodies_of(has_body);
        for record in records.filter_map(Result::ok) {
            let Some(address) = record.target_uri.filter(|address| wanted.contains(address)) else {
                continue;
            };
            let bytes = match record.kind {
                RecordKind::Resource => Some(record.body),
                RecordKind::Response => payload(record.body),
                _ => None,
            };
            if let Some(picture) =
                bytes.filter(|bytes| bytes.len() <= LARGEST).and_then(Picture::of)
            {
                pictures.insert(address, picture);
            }
        }
    }
    Ok(pictures)
}

/// The payload of a successful response.
fn payload(block: Vec<u8>) -> Option<Vec<u8>> {
    let response = Response::parse(&block).ok().filter(|response| response.status == 200)?;
    response.into_body(block, LARGEST).ok()
}
