//! The commands of the binary, one file each.

pub mod changes;
pub mod correct;
pub mod export;
pub mod extract;
pub mod history;
pub mod inspect;
pub mod labels;
pub mod man;
pub mod models;
pub mod report;
pub mod run;
pub mod search;
pub mod status;
pub mod steps;
pub mod wrappers;
