//! Modules shared by the tests: [`program`] runs the binary, [`results`] reads its output, [`rows`] its databases,
//! [`crawl`] writes archives, [`prose`] generates pages for them, [`charsets`] pages in many
//! encodings; [`unfinished`] is for runs that are interrupted, [`waiting`] for those that wait, [`combinations`] for runs with other
//! options; [`documents`] finds the examples in the documentation, [`help`] is that of commands, [`nights`] are those of a store of models,
//! [`terminal`] has characters that act on one.

pub(crate) mod charsets;
pub(crate) mod combinations;
pub(crate) mod crawl;
pub(crate) mod documents;
pub(crate) mod help;
pub(crate) mod nights;
#[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "for the tests of that feature"))]
pub(crate) mod object_server;
pub(crate) mod program;
pub(crate) mod prose;
pub(crate) mod results;
pub(crate) mod rows;
pub(crate) mod steps;
pub(crate) mod terminal;
pub(crate) mod unfinished;
pub(crate) mod waiting;
