/*!
Reading of inputs: the files, folders, globs, lists and addresses that a user names become [`Input`]s ([`expand()`]). These
are [opened](mod@source) wherever they are, and [read](mod@read) as [`Intake`](read::Intake): pages, feed items, redirects,
revisits and drops. [`reader::InputReader`] is the only loop over the inputs of a run, several files in parallel. [`selection`]
decides which of the pages a run takes.
*/

pub mod cdx;
pub mod file_type;
mod inputs;
pub mod objects;
pub mod parts;
pub mod read;
pub mod reader;
#[cfg(feature = "remote")]
mod remote;
pub mod selection;
pub mod source;
pub mod table;
pub mod waiting;

pub use inputs::{Input, InputKind, InputPlaces, InputState, expand, is_archive, is_run_folder};
