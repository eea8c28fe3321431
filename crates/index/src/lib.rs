/*!
The search index of articles: a tantivy index in a folder. [`IndexSink`] writes it, [`SearchIndex`]
searches it, and [`forget()`] removes articles from it.

Title and body are analysed in the language of each article with the same analyzers that find
signifiers (`terms`); a query is analysed once for every language in the index. The lower-case word is
indexed at the same position as its stem, so that programs without stemming find it too.
`docs/SEARCH.md` describes the contents of the index and the reasons.

Invariants: an address is in an index at most once. A change is applied completely or not at all, when
a sink is finished or articles are removed. The files of an index differ from run to run (tantivy names
segments randomly); its documents and the search results do not.
*/

mod analysis;
mod folder;
mod schema;
mod search;
mod segments;
mod sink;

use std::path::{Path, PathBuf};

pub use folder::is_index;
pub use search::{Hit, SearchIndex, SearchRequest, SearchResults};
pub use segments::{Forgotten, MIN_MEMORY, forget};
pub use sink::IndexSink;
use tantivy::TantivyError;
use tantivy::directory::error::LockError;
use tantivy::query::QueryParserError;

/// Why an index could not be created, searched or changed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The folder contains other files.
    #[error("{} contains no index: there is no readable meta.json", .0.display())]
    NotAnIndex(PathBuf),
    /// The index was made by another program, or has other fields.
    #[error("the index {} was made by another version of sitegrove; choose another folder, or move it away to start a new one", .0.display())]
    Foreign(PathBuf),
    /// The terms were made by different analysis rules.
    #[error("the words in the index {} were analysed by the rules {made}, and this program has {today}: it can be searched, but not extended; move it away to start a new one", path.display())]
    OtherRules {
        /// The folder of the index.
        path: PathBuf,
        /// The rules it was made with.
        made: String,
        /// The rules of this program.
        today: String,
    },
    /// Another process is writing to the index.
    #[error("another program is writing to the index {}; wait for it", .0.display())]
    Busy(PathBuf),
    /// The query cannot be parsed.
    #[error("cannot understand the query: {0}")]
    Query(#[from] QueryParserError),
    /// Another failure, such as a full disk or a damaged file.
    #[error("{what} the index {}: {source}", path.display())]
    Failed {
        /// The failed operation, e.g. `cannot write`.
        what: &'static str,
        /// The folder of the index.
        path: PathBuf,
        /// The error from tantivy.
        #[source]
        source: TantivyError,
    },
}

impl IndexError {
    /// Returns a function for `map_err` that adds the failed operation and the path of the index.
    pub(crate) fn at(what: &'static str, path: &Path) -> impl FnOnce(TantivyError) -> Self {
        let path = path.to_owned();
        move |source| match source {
            TantivyError::LockFailure(LockError::LockBusy, _) => Self::Busy(path),
            TantivyError::LockFailure(LockError::IoError(error), _) => {
                Self::Failed { what, path, source: TantivyError::IoError(error) }
            }
            source => Self::Failed { what, path, source },
        }
    }

    /// Converts the error to a `SinkError`.
    pub(crate) fn of_sink(self, path: &Path) -> ::sink::SinkError {
        match self {
            // The `SinkError` already names the operation and the path.
            Self::Failed { source, .. } => ::sink::SinkError::other("cannot write", path, source),
            other => ::sink::SinkError::other("cannot write", path, other),
        }
    }
}
