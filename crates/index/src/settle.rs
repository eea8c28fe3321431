//! Keeps the number of segments of a growing index small, and removes replaced documents.
//!
//! tantivy's own merging starts while documents are still being added, so its result depends on
//! timing. Here merging is done after the commit, step by step.

use tantivy::index::SegmentMeta;
use tantivy::schema::Document;
use tantivy::{Index, IndexWriter, TantivyError};

/// Maximum number of segments, because each is searched separately.
const MOST_SEGMENTS: usize = 8;

/// Share of replaced documents above which a segment is rewritten.
const MOST_DELETED: f64 = 0.2;

/// Merges small segments until there are few, and rewrites those whose share of replaced documents
/// is above the limit.
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

/// Rewrites every segment with a deleted document, so that its data is removed from disk.
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
