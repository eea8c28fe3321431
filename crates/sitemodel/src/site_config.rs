//! Site configs, found by host, and their results on a page.

use std::collections::BTreeMap;
use std::sync::Arc;

use dom::NodeId;
use url::Url;
use wrapper::site_config::{CompiledSiteConfig, Given, lookup_names};

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
    /// Its directives, with those of `global.txt`.
    pub wrapper: CompiledSiteConfig,
}

impl SiteConfigs {
    /// Builds the table from configs of different hosts, and the digest of their files.
    pub fn new(configs: impl IntoIterator<Item = HostConfig>, digest: String) -> Self {
        let by_host = configs.into_iter().map(|config| (config.host.clone(), Arc::new(config)));
        Self { by_host: by_host.collect(), digest }
    }

    /// The config for a page's address: that of its host, else of the nearest domain above it.
    pub fn for_url(&self, url: &str) -> Option<&Arc<HostConfig>> {
        let url = Url::parse(url).ok()?;
        lookup_names(url.host_str()?).iter().find_map(|name| self.by_host.get(name))
    }

    /// All of them, by host.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<HostConfig>> {
        self.by_host.values()
    }
}

/// The result of a site config on a page, as nodes of its tree.
#[derive(Clone, Debug)]
pub struct ConfiguredPage {
    /// The config.
    pub by: Arc<HostConfig>,
    /// The expression that found the body, and the body; `None` without a match.
    pub body: Option<(String, Vec<NodeId>)>,
    /// What later expressions select, in their order.
    pub further: Vec<(String, Vec<NodeId>)>,
    /// Nodes that are removed from the page.
    pub removed: Vec<NodeId>,
    /// The expressions that remove them.
    pub removed_by: Vec<String>,
    /// Title, authors and date.
    pub given: Given,
    /// Absolute address of the page that has the whole article.
    pub single_page: Option<String>,
    /// Absolute address of the page on which the article continues.
    pub next_page: Option<String>,
}

impl ConfiguredPage {
    /// Whether the page has no article because the config finds none and forbids other methods.
    pub fn forbids(&self) -> bool {
        self.body.is_none() && self.by.wrapper.has_body() && !self.by.wrapper.autodetects()
    }
}
