//! The page that `sitegrove extract --url` asks for.

use anyhow::{Result, bail};
use errors::Problem;
use grouping::{Tracking, site_key};

/// The page that is asked for.
pub(super) struct WantedAddress {
    pub(super) url: String,
    key: String,
    pub(super) site: Option<String>,
}

impl WantedAddress {
    /// The page with this address; without a scheme, it is one of the web.
    pub(super) fn of(url: &str, tracking: &Tracking) -> Result<Self> {
        let url = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
        let Some(address) = tracking.address(&url) else {
            let next = "give one such as https://blog.example/bread";
            bail!(Problem::new("--url", format!("`{url}` is not an address"), next));
        };
        Ok(Self { site: site_key(&url), key: address.key, url })
    }

    /// Whether an address leads to that page.
    pub(super) fn is(&self, url: &str, tracking: &Tracking) -> bool {
        tracking.address(url).is_some_and(|address| address.key == self.key)
    }
}
