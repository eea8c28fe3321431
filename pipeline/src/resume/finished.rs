//! Whether a finished run is the one that was asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

use anyhow::{Result, bail};
use config::files::file_hash;
use errors::Problem;
use input::state::{InputKind, InputState};
use sink::Ledger;

use crate::resume::identity::Identity;

/// Checks that a finished run, at the place `shown`, had the settings and inputs of this one.
pub(crate) fn fits(ledger: &Ledger, identity: &Identity, shown: &dyn Display) -> Result<()> {
    if !ledger.inputs.is_empty() && ledger.selection() != identity.selection {
        bail!(Problem::new(
            shown,
            format!(
                "the output folder contains a run that took {}, and this one takes {}",
                ledger.selection(),
                identity.selection
            ),
            "choose another with --out, or replace it with --overwrite"
        ))
    }
    if !is_same_work(ledger, &identity.config_hash, &identity.inputs) {
        bail!(
            "the output folder {shown} contains a run with other inputs or settings; choose another with \
             --out, or replace it with --overwrite"
        )
    }
    Ok(())
}

/// Whether a finished run that fits leaves nothing to do, if its outputs are still there.
pub(crate) fn is_done(ledger: &Ledger, identity: &Identity) -> bool {
    ledger.failed_sinks.is_empty()
        && ledger.unread().is_empty()
        && ledger.outputs_hash == identity.outputs
        && ledger.version == identity.version
        && !identity.has_stream()
}

/// Whether a run had these settings and inputs. A file with another time of change is compared by its
/// digest.
fn is_same_work(ledger: &Ledger, config_hash: &str, inputs: &[InputState]) -> bool {
    let before: BTreeMap<_, _> = ledger.inputs.iter().map(|i| (i.file.as_str(), i)).collect();
    let now: BTreeSet<&str> = inputs.iter().map(|input| input.file.as_str()).collect();
    ledger.config_hash == config_hash
        && before.len() + ledger.unread().len() >= inputs.len()
        && before.keys().all(|file| now.contains(file))
        && inputs.iter().all(|input| match before.get(input.file.as_str()) {
            // It was not read in that run.
            None => true,
            Some(then) => {
                then.bytes == input.bytes
                    && (then.modified == input.modified && then.modified.is_some()
                        || file_hash(Path::new(&input.file)).is_ok_and(|now| now == then.sha256))
                    || input.kind == InputKind::Stream
            }
        })
}
