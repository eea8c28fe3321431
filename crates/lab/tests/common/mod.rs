//! What the tests of the program share with these.

// Each test file uses a part; the rest is unused there.
#![allow(dead_code, unused_imports, unused_macros)]

#[path = "../../../../pipeline/tests/program/common/combinations.rs"]
pub(crate) mod combinations;
#[path = "../../../../pipeline/tests/program/common/crawl.rs"]
pub(crate) mod crawl;
#[path = "../../../../pipeline/tests/program/common/documents.rs"]
pub(crate) mod documents;
#[path = "../../../../pipeline/tests/program/common/help.rs"]
pub(crate) mod help;
#[path = "../../../../pipeline/tests/program/common/program.rs"]
pub(crate) mod program;
#[path = "../../../../pipeline/tests/program/common/prose.rs"]
pub(crate) mod prose;
#[path = "../../../../pipeline/tests/program/common/results.rs"]
pub(crate) mod results;
#[path = "../../../../pipeline/tests/program/common/terminal.rs"]
pub(crate) mod terminal;
#[path = "../../../../pipeline/tests/program/common/unfinished.rs"]
pub(crate) mod unfinished;
#[path = "../../../../pipeline/tests/program/common/waiting.rs"]
pub(crate) mod waiting;
