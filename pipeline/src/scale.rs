/*!
What lets a run be larger than memory, and go on after it was stopped: the pages between reading and
processing ([`spool`], [`gather`], [`catalogue`], [`again`]), what was done so far ([`journal`]), who may write to a run folder
([`folder`]), and who works on what ([`schedule`]).
*/

pub(crate) mod again;
pub(crate) mod catalogue;
pub(crate) mod folder;
pub(crate) mod gather;
pub(crate) mod journal;
pub(crate) mod pulse;
pub(crate) mod schedule;
pub(crate) mod sorted;
pub(crate) mod spool;
pub(crate) mod stored;
