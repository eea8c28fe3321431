/*!
Segments: what was read of some inputs, in memory while it fits, else in files ([`collect`]). The sites of a run are formed
from its segments ([`pages`], [`settle`], [`group`](mod@group)). A segment file is what `sitegrove survey` writes: rows in Parquet
([`mod@file`]), with the identity of the step that wrote them ([`identity`]) and checksums ([`checked_file`]).

Data that belongs to sites but is not a page is spilled to disk and sorted there ([`sorted`]): revisits ([`settle`]), pictures
and responses without a page ([`records`]), and the descriptions of articles that are compared to find duplicates
([`duplicates`](mod@duplicates)).
*/

pub mod checked_file;
pub mod collect;
pub mod declared;
pub mod duplicates;
pub mod file;
pub mod frames;
pub mod group;
pub mod identity;
pub mod marks;
pub mod pages;
pub mod records;
pub mod settle;
mod site_files;
pub mod sorted;
pub mod stored;
pub mod work_folder;
