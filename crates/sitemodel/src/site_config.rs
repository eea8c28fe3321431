//! Site configs, found by host, and the body that one finds on a page, compared with the one that the engine finds.

use std::collections::BTreeMap;
use std::sync::Arc;

use dom::text_of;
use model::Route;
use url::Url;
use wrapper::site_config::{AppliedConfig, CompiledSiteConfig, lookup_names};

use crate::body::ArticleBody;
use crate::health::agreement;
use crate::parsed::ParsedPage;
use crate::settings::Tables;
use crate::stages::extract::SITE_CONFIG;

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

/// A page to which a site config was applied.
#[derive(Clone, Debug)]
pub struct ConfiguredPage {
    /// The config of its host.
    pub by: Arc<HostConfig>,
    /// What the config found, with absolute addresses.
    pub found: AppliedConfig,
}

impl ConfiguredPage {
    /// Whether the page has no article because the config finds none and forbids other methods.
    pub fn forbids(&self) -> bool {
        self.found.body.is_none() && self.by.wrapper.has_body() && !self.by.wrapper.autodetects()
    }
}

/// Confidence where the engine finds the same, or nothing to compare with: nothing else confirms a site config.
const CONFIRMED: f64 = 0.9;
/// Confidence where the engine finds something else altogether.
const CONTRADICTED: f64 = 0.5;
/// A body of less than this share of the words that the engine finds is next to nothing.
const SHARE: f64 = 0.2;
/// Words that the engine must find for that.
const WORDS: u32 = 40;

/// What the engine finds on a page with a site config.
pub(crate) struct Judged {
    text: String,
    words: u32,
    /// Whether it may overrule the site config.
    is_trusted: bool,
}

impl Judged {
    pub(crate) fn of(
        body: &ArticleBody,
        parsed: &ParsedPage<'_>,
        configured: &ConfiguredPage,
        tables: &Tables,
    ) -> Self {
        let of_nodes = || {
            let mut prune = [&body.prune[..], &configured.found.removed].concat();
            prune.sort_unstable();
            prune.dedup();
            text_of(&parsed.document, &body.nodes, &prune)
        };
        let text = body.text.clone().unwrap_or_else(of_nodes);
        let words = terms::count_words(&text);
        let is_trusted = body.confidence >= tables.extract.doubtful_below && words >= WORDS;
        Self { text, words, is_trusted }
    }
}

/// The body that a site config finds, if it has words: that of its first expression which finds more than next
/// to nothing of what the engine finds. There is none if no expression does, unless the site config forbids
/// other methods.
pub(crate) fn by_site_config(
    parsed: &ParsedPage<'_>,
    configured: &ConfiguredPage,
    least: u32,
    judged: Option<&Judged>,
) -> Option<ArticleBody> {
    let applied = &configured.found;
    let all = applied.body.iter().chain(&applied.further);
    let with_text = |(xpath, nodes): &(String, Vec<dom::NodeId>)| {
        let text = text_of(&parsed.document, nodes, &applied.removed);
        let words = terms::count_words(&text);
        (words >= least).then(|| (xpath.clone(), nodes.clone(), text, words))
    };
    let mut found = all.filter_map(with_text);
    let trusted = judged.filter(|judged| judged.is_trusted);
    let enough = |words: u32| {
        trusted.is_none_or(|judged| f64::from(words) >= SHARE * f64::from(judged.words))
    };
    let first = found.next()?;
    let (xpath, nodes, text, _) = match enough(first.3) {
        true => first,
        false => match found.find(|own| enough(own.3)) {
            Some(later) => later,
            None if configured.by.wrapper.autodetects() => return None,
            None => first,
        },
    };
    let agrees = judged.map_or(1.0, |judged| agreement(&text, &judged.text));
    Some(ArticleBody {
        nodes,
        prune: applied.removed.clone(),
        xpath: vec![xpath],
        prune_xpath: applied.removed_by.clone(),
        engine: SITE_CONFIG.to_owned(),
        route: Route::Wrapper,
        confidence: CONTRADICTED + (CONFIRMED - CONTRADICTED) * agrees,
        ..ArticleBody::default()
    })
}
