//! The queue of documents for the indexing thread, bounded by their size in memory.
//!
//! tantivy's own queue holds ten thousand documents of any size; this one counts bytes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tantivy::TantivyDocument;
use tantivy::schema::Document;

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
