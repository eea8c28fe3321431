//! Site configs by host, and what the config of a page's host finds on the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use url::Url;
use wrapper::site_config::{AppliedConfig, CompiledSiteConfig, lookup_names};

/// Site configs by host.
#[derive(Clone, Debug, Default)]
pub struct SiteConfigs {
    by_host: BTreeMap<String, Arc<HostConfig>>,
    /// SHA-256 of the files, in hex; empty if they do not come from files.
    pub digest: String,
}

/// A site config and the host it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct HostConfig {
    /// `example.com`, or `.example.com` for its subdomains.
    pub host: String,
    /// Its directives, including those of `global.txt`.
    pub wrapper: CompiledSiteConfig,
}

impl SiteConfigs {
    /// Builds the table from configs of different hosts, and the digest of their files.
    pub fn new(configs: impl IntoIterator<Item = HostConfig>, digest: String) -> Self {
        let by_host = configs.into_iter().map(|config| (config.host.clone(), Arc::new(config)));
        Self { by_host: by_host.collect(), digest }
    }

    /// Returns the config for a page's address: that of its host, or else of the nearest domain above.
    pub fn for_url(&self, url: &str) -> Option<&Arc<HostConfig>> {
        let url = Url::parse(url).ok()?;
        lookup_names(url.host_str()?).iter().find_map(|name| self.by_host.get(name))
    }

    /// All site configs, by host.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<HostConfig>> {
        self.by_host.values()
    }
}

/// A page to which a site config was applied.
#[derive(Clone, Debug)]
pub struct ConfiguredPage {
    /// The config of its host.
    pub by: Arc<HostConfig>,
    /// What the config found, with absolute addresses.
    pub found: AppliedConfig,
}

impl ConfiguredPage {
    /// Whether the page has no article: the config finds none, and forbids other methods.
    pub fn forbids(&self) -> bool {
        self.found.body.is_none() && self.by.wrapper.has_body() && !self.by.wrapper.autodetects()
    }
}
