/*!
Defines where site models live from night to night: one SQLite file with, per site, all revisions of its
model, the pages retained to learn from again, and its health night by night.

```text
Store::open ─► begin(run) ─► site(key) … take(update) … ─► commit
```

A run is one transaction. Until it commits, others read the store as it was, and a run that is killed leaves
no trace: what it did is in the journal of its run folder, and its [`Update`]s are given again. A run whose
digest the store knows is taken in: [`Store::site`] then returns what was found at that time, and
[`Store::take`] changes nothing.

Dates are those of the crawl. Nothing here reads the clock.
*/

mod browse;
mod error;
mod records;
mod rows;
mod sample;
mod schema;
mod site;
mod store;
mod transfer;

pub use error::StoreError;
pub use records::{
    Evicted, PackedSample, Retained, RetainedHead, Revision, Run, SiteState, Update,
};
pub use rows::{Import, ModelRow, NightRow, RevisionRow, SiteRow, Summary};
pub use sample::{RETAIN, RetainLimits, retain};
pub use store::Store;
