//! What the tests share: [`program`] runs the binary, [`results`] reads what it wrote, [`crawl`]
//! writes archives, [`prose`] makes up pages to put in them, [`charsets`]
//! pages in many encodings; [`unfinished`] is about runs that are disturbed.

// Each test file takes what it needs; the rest is unused there.
#![allow(dead_code)]

pub(crate) mod charsets;
pub(crate) mod crawl;
pub(crate) mod program;
pub(crate) mod prose;
pub(crate) mod results;
pub(crate) mod unfinished;
