//! The segments of an index: writing them, keeping their number small, and removing articles from them.
//!
//! tantivy's own merging starts while documents are still being added, so its result depends on timing. Here merging is
//! done after the commit, step by step. Likewise, tantivy's own queue for the
//! indexing thread holds ten thousand documents of any size; the one here counts bytes.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tantivy::index::SegmentMeta;
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::query::ExistsQuery;
use tantivy::schema::Document;
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError, Term};

use crate::IndexError;
use crate::folder::open;
use crate::schema::{EVERYWHERE, GONE, schema};

/// Minimum memory for building an index, in bytes.
pub const MIN_MEMORY: usize = 32 << 20;

/// Maximum memory that tantivy uses, in bytes.
const MAX_ARENA: usize = (u32::MAX as usize) - (2 << 20);

/// Creates an index writer with a single thread. Several would be faster, but then the assignment
/// of documents to segments would depend on timing.
pub(crate) fn writer(
    index: &Index,
    arena: usize,
) -> Result<IndexWriter<QueuedDocument>, TantivyError> {
    let options = IndexWriterOptions::builder()
        .num_worker_threads(1)
        .num_merge_threads(1)
        .memory_budget_per_thread(arena.min(MAX_ARENA))
        .build();
    let writer = index.writer_with_options(options)?;
    writer.set_merge_policy(Box::new(NoMergePolicy));
    // A killed process may have left files of an unfinished commit. The same commit would fail to create them
    // again.
    writer.garbage_collect_files().wait()?;
    Ok(writer)
}

/// Commits the changes, then calls `tidy` and removes unused files.
pub(crate) fn commit(
    index: &Index,
    mut writer: IndexWriter<QueuedDocument>,
    payload: &str,
    tidy: fn(&Index, &mut IndexWriter<QueuedDocument>) -> Result<(), TantivyError>,
) -> Result<(), TantivyError> {
    let mut commit = writer.prepare_commit()?;
    commit.set_payload(payload);
    commit.commit()?;
    tidy(index, &mut writer)?;
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()
}

/// Maximum number of segments, because each is searched separately.
const MOST_SEGMENTS: usize = 8;

/// Share of replaced documents above which a segment is rewritten.
const MOST_DELETED: f64 = 0.2;

/// Rewrites segments whose share of replaced documents exceeds `MOST_DELETED`, then merges the
/// smallest until at most `MOST_SEGMENTS` are left.
pub(crate) fn settle(
    index: &Index,
    writer: &mut IndexWriter<QueuedDocument>,
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
    Ok(())
}

/// Rewrites every segment with a deleted document, so that its data is removed from disk.
fn expunge(index: &Index, writer: &mut IndexWriter<QueuedDocument>) -> Result<(), TantivyError> {
    let segments = segments(index)?;
    let touched: Vec<_> = segments.into_iter().filter(|s| s.num_deleted_docs() > 0).collect();
    rewrite(writer, &touched)
}

fn rewrite(
    writer: &mut IndexWriter<QueuedDocument>,
    segments: &[SegmentMeta],
) -> Result<(), TantivyError> {
    segments.iter().try_for_each(|segment| writer.merge(&[segment.id()]).wait().map(drop))
}

/// Returns the segments, the smallest first.
fn segments(index: &Index) -> Result<Vec<SegmentMeta>, TantivyError> {
    let mut segments = index.searchable_segment_metas()?;
    segments.sort_by_key(|s| (s.num_docs(), s.max_doc()));
    Ok(segments)
}

/// Counts of articles after some were removed from an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Articles removed.
    pub articles: u64,
    /// Articles remaining.
    pub left: u64,
}

/// Removes articles from an index and from its files on disk: all of these sites, those at these addresses and, if `gone`, all
/// whose addresses are gone. Sites and addresses that are not in the index are ignored.
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
    let writer = writer(&index, MIN_MEMORY).map_err(cannot())?;
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
    commit(&index, writer, &payload.unwrap_or_default(), expunge).map_err(cannot())?;
    let left = count()?;
    Ok(Forgotten { articles: before - left, left })
}

/// Longest wait for room. A writer that takes longer is stuck or dead, which it reports itself when
/// it receives the next document.
const PATIENCE: Duration = Duration::from_secs(60);

/// Counts the bytes of queued documents.
#[derive(Debug)]
pub(crate) struct DocumentQueue {
    most: usize,
    waiting: Mutex<usize>,
    taken: Condvar,
}

impl DocumentQueue {
    /// Creates a queue of at most `most` bytes, or one document if that is larger.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, waiting: Mutex::new(0), taken: Condvar::new() })
    }

    /// Waits until there is room for a document, and counts its bytes until it is dropped.
    pub(crate) fn enter(
        self: &Arc<Self>,
        document: TantivyDocument,
        bytes: usize,
    ) -> QueuedDocument {
        let full = |waiting: &mut usize| *waiting > 0 && *waiting + bytes > self.most;
        let waited = self.taken.wait_timeout_while(self.lock(), PATIENCE, full);
        *waited.unwrap_or_else(PoisonError::into_inner).0 += bytes;
        QueuedDocument { document, bytes, queue: Arc::clone(self) }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(crate) struct QueuedDocument {
    document: TantivyDocument,
    bytes: usize,
    queue: Arc<DocumentQueue>,
}

impl Drop for QueuedDocument {
    fn drop(&mut self) {
        *self.queue.lock() -= self.bytes;
        self.queue.taken.notify_one();
    }
}

impl Document for QueuedDocument {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        Document::iter_fields_and_values(&self.document)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn there_is_room_for_so_many_bytes_or_one_document() {
        let queue = DocumentQueue::new(100);
        let large = queue.enter(TantivyDocument::new(), 500);
        let entering = thread::spawn({
            let queue = Arc::clone(&queue);
            move || {
                (queue.enter(TantivyDocument::new(), 60), queue.enter(TantivyDocument::new(), 40))
            }
        });
        thread::sleep(Duration::from_millis(50));
        assert!(!entering.is_finished(), "it must wait for the large one");
        drop(large);
        let both = entering.join().unwrap();
        assert_eq!(*queue.lock(), 100);
        drop(both);
        assert_eq!(*queue.lock(), 0);
    }
}
