/*!
The store of site models: one SQLite file with, for each site, all revisions of its model, the pages retained for learning
again, and its health in each night.

```text
Store::open ─► begin(run) ─► site(key) … add_night(night) … ─► commit
```

A run is one transaction. Until it commits, other programs read the previous state, and a killed run leaves no trace: its
[`model::SiteNight`]s are in the results in its run folder and are added again. A run whose digest is in the store was committed
before: [`Store::site`] then returns what was found at that time, and [`Store::add_night`] changes nothing.

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
