/*!
Defines the search index of articles: a tantivy index in a folder, made by a run ([`IndexSink`]),
searched ([`SearchIndex`]), and told to forget ([`forget`]).

Title and body are analysed in the language of each article with the analyzers that find signifiers
(`terms`), and so is a query, once for every language there is. Beside each stem stands the word as
written, so that programs that know nothing of stems find it too. `docs/SEARCH.md` says what is in
the index and why.

Invariants: an address is in an index once; an index changes at once or not at all, when a sink is
finished or something was forgotten. The files of an index are not the same bytes from run to run
(tantivy names segments by chance); its documents, and what is found, are.
*/

mod analysis;
mod counts;
mod error;
mod folder;
mod forget;
mod queue;
mod schema;
mod search;
mod settle;
mod sink;

pub use error::IndexError;
pub use folder::is_index;
pub use forget::{Forgotten, forget};
pub use search::{Answer, Hit, Request, SearchIndex};
pub use sink::{IndexSink, MIN_MEMORY};
