//! Keeps an index that grows night after night in few segments, and rid of what was replaced.
//!
//! tantivy's own merging begins while documents are still coming, so that what is merged with what
//! depends on time. Here it is done after the commit, one step after the other.

use tantivy::index::SegmentMeta;
use tantivy::schema::Document;
use tantivy::{Index, IndexWriter, TantivyError};

/// Most segments: each is searched by itself.
const MOST_SEGMENTS: usize = 8;

/// Share of replaced documents from which a segment is rewritten.
const MOST_DELETED: f64 = 0.2;

/// Merges small segments until there are few, and rewrites those that contain more than their share of
/// documents that were replaced.
pub(crate) fn settle<D: Document>(
    index: &Index,
    writer: &mut IndexWriter<D>,
) -> Result<(), TantivyError> {
    let mostly_kept =
        |s: &SegmentMeta| f64::from(s.num_deleted_docs()) <= MOST_DELETED * f64::from(s.max_doc());
    let (_, stale): (Vec<_>, Vec<_>) = segments(index)?.into_iter().partition(mostly_kept);
    rewrite(writer, &stale)?;
    let segments = segments(index)?;
    if segments.len() > MOST_SEGMENTS {
        let small = &segments[..=segments.len() - MOST_SEGMENTS];
        let ids: Vec<_> = small.iter().map(SegmentMeta::id).collect();
        writer.merge(&ids).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    Ok(())
}

/// Rewrites every segment with a deleted document, so that nothing is left of it on disk.
pub(crate) fn expunge<D: Document>(
    index: &Index,
    writer: &mut IndexWriter<D>,
) -> Result<(), TantivyError> {
    let segments = segments(index)?;
    let touched: Vec<_> = segments.into_iter().filter(|s| s.num_deleted_docs() > 0).collect();
    rewrite(writer, &touched)?;
    writer.garbage_collect_files().wait()?;
    Ok(())
}

fn rewrite<D: Document>(
    writer: &mut IndexWriter<D>,
    segments: &[SegmentMeta],
) -> Result<(), TantivyError> {
    for segment in segments {
        writer.merge(&[segment.id()]).wait()?;
    }
    Ok(())
}

/// The segments, the smallest first.
fn segments(index: &Index) -> Result<Vec<SegmentMeta>, TantivyError> {
    let mut segments = index.searchable_segment_metas()?;
    segments.sort_by_key(|s| (s.num_docs(), s.max_doc()));
    Ok(segments)
}
