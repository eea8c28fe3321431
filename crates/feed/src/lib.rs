/*!
Conversion of web feeds to [`model::FeedItem`]s: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed.

A feed is read item by item: what is damaged costs itself and is counted. Elements of one format are read in the others.
Dates and names stay as written: they are read as those of pages are. A feed of which no item can be read is an error, never
silently an empty feed.

Invariant: no input makes anything here panic, hang or take a disproportionate amount of memory. This crate does
not depend on archives, stages or file names.
*/

mod items;
mod json;
mod parse;
mod plain;
mod xml;

pub use items::{Feed, FeedSource, LostItems};
pub use parse::{FeedError, parse};
pub use plain::plain;
