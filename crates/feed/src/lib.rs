/*!
Conversion of web feeds to [`model::FeedItem`]s: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed.

A feed is read item by item: damaged items are lost and counted, the others are kept. Elements of one format are also read in the
others. Dates and names are kept as written, and parsed later like those of pages. A feed without a readable item is an error,
never silently an empty feed.

Invariant: no input makes anything here panic, hang or take a disproportionate amount of memory. This crate does
not depend on archives, stages or file names.
*/

mod items;
mod json;
mod parse;
mod plain;
mod repair;
mod xml;

pub use items::{Feed, FeedSource, LIST_SIGNS, LostItems};
pub use parse::{FeedError, parse};
pub use plain::plain;
pub use repair::repair_json;
