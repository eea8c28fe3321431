//! The weights of the default engine: built in, or from a file.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use data_encoding::HEXLOWER;
use grove::Weights;
use sha2::{Digest, Sha256};

/// Weights and the SHA-256 of the file they came from.
#[derive(Clone, Debug)]
pub struct LoadedWeights {
    /// The weights.
    pub weights: Weights,
    /// SHA-256 of the file, in hex.
    pub digest: String,
}

impl LoadedWeights {
    /// Reads a weights file.
    ///
    /// # Errors
    /// If it cannot be read, or is none that this version can use.
    pub fn read(path: &Path) -> Result<Self> {
        let shown = path.display();
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read the weights {shown}"))?;
        let weights = Weights::from_json(&bytes).with_context(|| format!("the weights {shown}"))?;
        Ok(Self { weights, digest: HEXLOWER.encode(&Sha256::digest(&bytes)) })
    }
}

/// The weights that come with the program (`configs/weights.json`).
///
/// # Panics
/// If the file that was built in is not for this version: a test keeps that from happening.
pub fn built_in() -> &'static LoadedWeights {
    const BYTES: &[u8] = include_bytes!("../../configs/weights.json");
    static BUILT_IN: OnceLock<LoadedWeights> = OnceLock::new();
    BUILT_IN.get_or_init(|| match Weights::from_json(BYTES) {
        Ok(weights) => LoadedWeights { weights, digest: HEXLOWER.encode(&Sha256::digest(BYTES)) },
        Err(error) => panic!("the weights built in: {error}"),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_weights_built_in_are_for_this_version() {
        assert!(!super::built_in().weights.trained_on.is_empty());
    }
}
