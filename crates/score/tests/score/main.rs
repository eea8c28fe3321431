//! The measures, by their public functions.

mod aggregate;
mod authors;
mod date;
mod lcs;
mod measure;
mod neutral;
mod nodes;
mod page;
mod paragraphs;
mod shingles;
mod substring;
mod title;
mod value;
mod words;
