//! Grouping of the records of a crawl, by its public functions.

mod addresses;
mod captures;
mod digest;
mod feed_items;
mod head;
mod links;
mod matching;
mod name_filter;
mod numbered;
mod parts;
mod redirects;
mod sample;
mod samples;
mod site_key;
mod tracking;
