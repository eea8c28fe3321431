/*!
Defines how an SQLite file is shared: one process at a time changes it, in a single transaction, and any program
may read it meanwhile, at any time and for any time.

A process that changes it waits where others are in the way, looks at a flag while it waits, and never removes or
replaces a file. It makes sure that the file it holds is the one at the path, when it begins and before it commits:
what it adds cannot end up in a file that was moved away.
*/

mod database;
mod error;
mod identity;
mod kind;
mod waiting;

pub use database::Database;
pub use error::{Cause, DatabaseError};
pub use identity::FileIdentity;
pub use kind::{ARTICLE_ARCHIVE, MODEL_STORE, name_kind};
pub use waiting::{Obstacle, Waiting};
