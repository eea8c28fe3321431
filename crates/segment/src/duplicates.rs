//! Articles of a crawl that are the same: groups them, with bounded memory, and chooses what represents each group.
//!
//! | step | where |
//! |---|---|
//! | describe each article: address, title, sketches | the crate `duplicates`, in the threads that process sites |
//! | keep the descriptions on disk, and sort their keys | `descriptions.rs` |
//! | compare articles that share a key, join those that are the same | `groups.rs` |
//! | choose the article that represents each group | `groups.rs` |
//! | note all this in the articles, in the order in which they were described | `marks.rs` |
//!
//! The result depends on the articles and their order only. In memory are: 32 MiB of keys, and 24 bytes for each article
//! that is in a group.

mod descriptions;
mod groups;
mod marks;

use std::io;

pub use descriptions::Descriptions;
use groups::Groups;
pub use marks::Marks;

use crate::sorted::Sorter;

/// Groups the articles that were described; those without further evidence are the same if their similarity is at least
/// `least`. Returns what is to be noted of them.
///
/// # Errors
/// If files cannot be read or written.
pub fn marks_of(descriptions: Descriptions, least: f64) -> io::Result<Marks> {
    let mut marks = Sorter::new(descriptions.folder().join("marks"));
    let (described, keys) = descriptions.finish()?;
    let groups = Groups::of(keys, &described, least)?;
    groups.each_mark(&described, least, &mut |mark| marks.push(mark, 0))?;
    Ok(Marks::of(marks.finish()?))
}
