//! What the tests of the program share with these.

// Each test file uses a part; the rest is unused there.
#![allow(dead_code, unused_imports, unused_macros)]

#[path = "../../../../pipeline/tests/common/combinations.rs"]
pub(crate) mod combinations;
#[path = "../../../../pipeline/tests/common/crawl.rs"]
pub(crate) mod crawl;
#[path = "../../../../pipeline/tests/common/documents.rs"]
pub(crate) mod documents;
#[path = "../../../../pipeline/tests/common/help.rs"]
pub(crate) mod help;
#[path = "../../../../pipeline/tests/common/program.rs"]
pub(crate) mod program;
#[path = "../../../../pipeline/tests/common/prose.rs"]
pub(crate) mod prose;
#[path = "../../../../pipeline/tests/common/results.rs"]
pub(crate) mod results;
#[path = "../../../../pipeline/tests/common/terminal.rs"]
pub(crate) mod terminal;
#[path = "../../../../pipeline/tests/common/unfinished.rs"]
pub(crate) mod unfinished;
#[path = "../../../../pipeline/tests/common/waiting.rs"]
pub(crate) mod waiting;
