/*!
Pages by site when they do not fit into memory: read in any order, kept in memory or on disk by the hash of
their site ([`spool`], [`stored`]), what goes with them sorted on disk ([`sorted`]), and handed out site by site
([`partition`]).
*/

pub(crate) mod partition;
pub(crate) mod sorted;
pub(crate) mod spool;
pub(crate) mod stored;
