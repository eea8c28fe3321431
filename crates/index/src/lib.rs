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
mod documents;
mod error;
mod folder;
mod queue;
mod schema;
mod search;
mod segments;
mod sink;

pub use error::IndexError;
pub use folder::is_index;
pub use search::{Hit, SearchIndex, SearchRequest, SearchResults};
pub use segments::{Forgotten, MIN_MEMORY, forget};
pub use sink::IndexSink;
