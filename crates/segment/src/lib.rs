/*!
Segments: what was read of some inputs, in memory while it fits, else in files ([`collect`]); what several of them hold
together as sites ([`pages`], [`settle`], [`group`](mod@group)). A file of a segment is what `sitegrove survey` writes: rows
([`row`]) in Parquet ([`mod@file`]) with the identity of what it was made of ([`identity`]) and checksums ([`checked_file`]).

What belongs to sites but is no page is sorted on disk when it is much ([`sorted`]): revisits ([`revisits`]), pictures and
answers without a page ([`records`]), and the descriptions of articles, by which duplicates are found
([`duplicates`](mod@duplicates)).
*/

pub mod checked_file;
pub mod collect;
pub mod declared;
mod described;
pub mod duplicates;
pub mod file;
pub mod frames;
pub mod group;
pub mod identity;
mod lookup;
pub mod marks;
pub mod pages;
pub mod records;
pub mod revisits;
pub mod row;
pub mod settle;
mod shared_paragraphs;
mod site_files;
pub mod sorted;
pub mod stored;
pub mod work_folder;
