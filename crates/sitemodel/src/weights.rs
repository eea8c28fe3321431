//! The weights of the engine `grove`, and their digest.

use std::sync::OnceLock;

use grove::{Weights, WeightsError};
use sha2::{Digest, Sha256};

/// Weights and the SHA-256 of their file.
#[derive(Clone, Debug)]
pub struct LoadedWeights {
    /// The weights.
    pub weights: Weights,
    /// SHA-256 of the file.
    pub digest: [u8; 32],
}

impl LoadedWeights {
    /// Reads a weights file, as `sitegrove-lab train` writes it.
    ///
    /// # Errors
    /// If this version cannot use them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        Ok(Self { weights: Weights::from_json(bytes)?, digest: Sha256::digest(bytes).into() })
    }
}

/// The built-in weights (`configs/weights.json`).
///
/// # Panics
/// If the built-in file is not for this version; a test prevents this.
pub fn built_in() -> &'static LoadedWeights {
    static BUILT_IN: OnceLock<LoadedWeights> = OnceLock::new();
    BUILT_IN.get_or_init(|| {
        match LoadedWeights::from_bytes(include_bytes!("../configs/weights.json")) {
            Ok(weights) => weights,
            Err(error) => panic!("the weights built in: {error}"),
        }
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_weights_built_in_are_for_this_version() {
        assert!(!super::built_in().weights.trained_on.is_empty());
    }
}
