//! What identifies a run: version, settings, outputs and inputs.

use std::collections::BTreeMap;

use anyhow::Result;
use config::Config;
use input::selection::selection_of;
use input::{InputKind, InputState};
use serde::{Deserialize, Serialize};
use sink::PageSelection;

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Identity {
    pub(crate) version: String,
    pub(crate) config_hash: String,
    pub(crate) outputs: String,
    #[serde(default)]
    pub(crate) selection: PageSelection,
    pub(crate) inputs: Vec<InputState>,
}

impl Identity {
    pub(crate) fn of(config: &Config, inputs: Vec<InputState>) -> Result<Self> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (config_hash, outputs) = (config.hash(), config.outputs_hash());
        let selection = selection_of(&config.run)?;
        Ok(Self { version, config_hash, outputs, selection, inputs })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.inputs.iter().map(|input| input.bytes).sum()
    }

    pub(crate) fn has_stream(&self) -> bool {
        self.inputs.iter().any(|input| input.kind == InputKind::Stream)
    }

    /// Whether an earlier run has the same identity. Inputs that either run could not open are not compared here, but after
    /// reading.
    pub(crate) fn is_that_of(&self, before: &Self) -> bool {
        self.differences(before).is_empty()
    }

    /// Describes how this run differs from an earlier one.
    pub(crate) fn differences(&self, before: &Self) -> String {
        let mut differences = Vec::new();
        if before.version != self.version {
            differences.push(format!("sitegrove was {} then", before.version));
        }
        if before.config_hash != self.config_hash {
            differences.push("other settings decided the results".to_owned());
        }
        if before.outputs != self.outputs {
            differences.push("other outputs were chosen".to_owned());
        }
        if before.selection != self.selection {
            let (then, now) = (&before.selection, &self.selection);
            differences.push(format!("it took {then}, and this one takes {now}"));
        }
        let by_name = |of: &Self| -> BTreeMap<String, InputState> {
            of.inputs.iter().map(|input| (input.file.clone(), input.clone())).collect()
        };
        let (then, now) = (by_name(before), by_name(self));
        for (file, input) in &now {
            match then.get(file) {
                None => differences.push(format!("{file} is new")),
                Some(other) if [other.kind, input.kind].contains(&InputKind::Unreadable) => {}
                Some(other) if other.listed != input.listed => {
                    differences.push(format!("other records of {file} were listed"));
                }
                Some(other) if other.bytes != input.bytes => differences
                    .push(format!("{file} had {} bytes and has {}", other.bytes, input.bytes)),
                Some(other) if other.modified != input.modified => {
                    differences.push(format!("{file} was changed since"));
                }
                Some(_) => {}
            }
        }
        let gone = then.keys().filter(|file| !now.contains_key(*file));
        differences.extend(gone.map(|file| format!("{file} is no longer an input")));
        let more = differences.len().saturating_sub(MOST_TOLD);
        differences.truncate(MOST_TOLD);
        if more > 0 {
            differences.push(format!("and {more} more"));
        }
        differences.join("; ")
    }
}

const MOST_TOLD: usize = 5;
