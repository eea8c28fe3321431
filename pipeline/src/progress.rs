/*!
Progress of a run: the ledger ([`ledger`]), the counts in it (`tally`), the status and metrics that are kept up to
date while the run works (`status`), and the receiver of progress events ([`observer`]).
*/

pub mod ledger;
pub mod observer;
pub(crate) mod status;
pub(crate) mod tally;
