//! Removal of articles from an index.

use std::path::Path;

use tantivy::Term;
use tantivy::query::ExistsQuery;

use crate::IndexError;
use crate::folder::open;
use crate::schema::{EVERYWHERE, GONE, schema};
use crate::settle::expunge;
use crate::sink::{MIN_MEMORY, writer};

/// The outcome of removing articles from an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Articles removed.
    pub articles: u64,
    /// Articles remaining.
    pub left: u64,
}

/// Removes all articles of these sites, the articles at these addresses, and, if `gone`, those whose addresses are gone, from
/// an index and from its files on disk. Sites and addresses that are not in the index are ignored.
///
/// # Errors
/// If the folder contains no index made by this program, another program writes to it, or
/// the disk is full. The index is then unchanged.
pub fn forget(
    folder: &Path,
    sites: &[String],
    urls: &[String],
    gone: bool,
) -> Result<Forgotten, IndexError> {
    let (index, _) = open(folder)?;
    let fields = schema(EVERYWHERE).1;
    let cannot = || IndexError::at("cannot change", folder);
    let count = || -> Result<u64, IndexError> {
        let segments = index.searchable_segment_metas().map_err(cannot())?;
        Ok(segments.iter().map(|s| u64::from(s.num_docs())).sum())
    };
    let before = count()?;
    let payload = index.load_metas().map_err(cannot())?.payload;
    let mut writer = writer(&index, MIN_MEMORY).map_err(cannot())?;
    for site in sites {
        writer.delete_term(Term::from_field_text(fields.site, site));
    }
    for url in urls {
        writer.delete_term(Term::from_field_text(fields.url, url));
    }
    if gone {
        let query = ExistsQuery::new(GONE.to_owned(), false);
        writer.delete_query(Box::new(query)).map_err(cannot())?;
    }
    let mut commit = writer.prepare_commit().map_err(cannot())?;
    commit.set_payload(&payload.unwrap_or_default());
    commit.commit().map_err(cannot())?;
    expunge(&index, &mut writer).map_err(cannot())?;
    writer.wait_merging_threads().map_err(cannot())?;
    let left = count()?;
    Ok(Forgotten { articles: before - left, left })
}
