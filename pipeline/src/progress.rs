/*!
What a run tells of itself: the ledger ([`ledger`]), the counts it is made of ([`tally`]), the status and metrics
that are kept current while it goes on ([`status`]), and who is told of each step ([`observer`]).
*/

pub mod ledger;
pub mod observer;
pub(crate) mod status;
pub(crate) mod tally;
