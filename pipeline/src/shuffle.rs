/*!
Groups pages by site when they do not fit into memory. Pages arrive in any order and are kept in memory or on disk by
the hash of their site ([`spool`], [`stored`]). Other things that belong to sites are sorted on disk ([`sorted`]). Sites
are then read one by one ([`partition`]).
*/

pub(crate) mod partition;
pub(crate) mod places;
pub(crate) mod sorted;
pub(crate) mod spool;
pub(crate) mod stored;
