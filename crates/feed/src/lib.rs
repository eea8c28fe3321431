/*!
Conversion of web feeds to [`model::FeedItem`]s: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed, by
means of feed-rs.

Common errors are repaired, and the repairs are noted. A feed that cannot be read even then is an error, never
silently an empty feed.

Invariant: no input makes anything here panic, hang or take a disproportionate amount of memory. This crate does
not depend on archives, stages or file names.
*/

mod items;
mod parse;
mod plain;
mod repair;

pub use parse::{Feed, FeedError, FeedLimits, FeedSource, LostItems, parse};
pub use plain::plain;
