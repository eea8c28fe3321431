/*!
Defines where site models live from night to night: one SQLite file with, per site, all revisions of its
model, the pages retained to learn from again, and its health night by night.

```text
Store::open ─► begin(run) ─► site(key) … add_night(night) … ─► commit
```

A run is one transaction. Until it commits, others read the store as it was, and a run that is killed leaves
no trace: what it did is in the journal of its run folder, and its [`model::SiteNight`]s are given again. A run whose
digest the store knows is taken in: [`Store::site`] then returns what was found at that time, and
[`Store::add_night`] changes nothing.

Dates are those of the crawl. Nothing here reads the clock.
*/

mod error;
mod query;
mod sample;
mod site;
mod store;

pub use error::StoreError;
pub use query::{Import, ModelRow, NightRow, RevisionRow, SiteRow, StoreSummary};
pub use sample::{RETAIN, RetainLimits, Retained, pack_pages, retain};
pub use site::{Evicted, SiteState};
pub use store::{RunIdentity, Store};
