/*!
Progress of a run: the ledger ([`ledger`]), the counts in it (`tally`), the status that is kept up to date while the run
works (`status`), the metrics (`metrics`), and the receiver of progress events ([`observer`]).
*/

pub mod ledger;
pub(crate) mod metrics;
pub(crate) mod status;
pub(crate) mod tally;
