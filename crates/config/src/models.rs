//! Settings of the store of site models.

use std::path::Path;

use anyhow::Result;

use super::RunConfig;
use crate::memory::parse_size;

impl RunConfig {
    /// The store of site models, if one is named.
    pub fn models(&self) -> Option<&Path> {
        (!self.models.as_os_str().is_empty()).then_some(&*self.models)
    }

    /// What retained pages may weigh, in bytes.
    ///
    /// # Errors
    /// If the setting is no amount.
    pub fn models_bytes(&self) -> Result<u64> {
        parse_size(&self.models_size).map_err(|what| anyhow::anyhow!("run.models_size: {what}"))
    }

    /// The folder of the earlier run that this one is compared with, if any.
    pub fn earlier(&self) -> Option<&Path> {
        (!self.compare.as_os_str().is_empty()).then_some(&*self.compare)
    }
}
