//! Reads JSON lines, plain, gzip or zstd. Errors name the file and line.

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

/// The contents of a file, decompressed if it is gzip or zstd.
pub(crate) fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut file = sitegrove::results::lines::open(path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut plain = Vec::new();
    file.read_to_end(&mut plain).with_context(|| format!("{} is not whole", path.display()))?;
    Ok(plain)
}

/// The values of the lines of a file; empty lines are skipped.
pub(crate) fn parse_lines<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
) -> anyhow::Result<Vec<T>> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(at, line)| {
            serde_json::from_slice(line)
                .with_context(|| format!("{}, line {}", path.display(), at + 1))
        })
        .collect()
}

/// A string, or several.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub(crate) fn many(value: Option<Self>) -> Vec<String> {
        match value {
            None => Vec::new(),
            Some(Self::One(text)) => vec![text],
            Some(Self::Many(texts)) => texts,
        }
    }
}

/// A node key of the gold or a run: strings and numbers are equivalent.
pub(crate) fn node_key(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
