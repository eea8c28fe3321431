/*!
Segments: what was read of some inputs, in memory while it fits, else in files ([`collect`]); what several of them hold
together as sites ([`pages`], [`settle`]). A file of a segment is what `sitegrove survey` writes: rows ([`row`]) in
Parquet ([`mod@file`]) with the identity of what it was made of ([`identity`]) and checksums ([`checked_file`]).
Other things that belong to sites are sorted on disk when they are many ([`sorted`]).
*/

pub(crate) mod checked_file;
pub(crate) mod collect;
pub(crate) mod file;
pub(crate) mod identity;
pub(crate) mod pages;
pub(crate) mod row;
pub(crate) mod settle;
pub(crate) mod sorted;
pub(crate) mod stored;
pub(crate) mod work_folder;
