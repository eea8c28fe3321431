/*!
Defines how web feeds become [`model::FeedItem`]s: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON
Feed, by way of feed-rs.

What is broken in ways that are common is repaired, and the repairs are noted; a feed that stays
unreadable is an error, never silently an empty feed.

Invariant: no bytes make anything here panic, hang or take memory out of proportion. Nothing here
knows about archives, stages or file names.
*/

mod encoding;
mod error;
mod items;
mod parse;
mod plain;
mod repair;
mod salvage;

pub use error::FeedError;
pub use parse::{Feed, Limits, Source, parse};
pub use plain::plain;
