//! The names of a site.

use dom::Head;
use terms::letters::is_alphanumeric;
use url::Url;

use crate::json_ld_article::JsonLdFacts;
use crate::text::{squash, squashes_to, word_count};

/// The names by which a site calls itself, and its domain, to distinguish them from headlines and
/// authors.
#[derive(Default)]
pub(crate) struct SiteNames {
    /// Squashed names ([`squash`]).
    names: Vec<String>,
    /// Squashed sections of the site.
    sections: Vec<String>,
    /// Labels of the host without `www` and the top-level domain, and the whole host, squashed.
    labels: Vec<String>,
}

impl SiteNames {
    pub(crate) fn new(head: &Head, facts: &JsonLdFacts, url: Option<&Url>) -> Self {
        let article = facts.article.as_ref();
        let metas =
            ["og:site_name", "application-name", "apple-mobile-web-app-title", "dc.publisher"];
        let names = metas
            .iter()
            .filter_map(|key| head.meta(key))
            .chain(article.and_then(|a| a.publisher.as_deref()))
            .chain(facts.site.as_deref());
        let sections = head
            .meta("article:section")
            .into_iter()
            .chain(article.iter().flat_map(|a| a.sections.iter().map(String::as_str)));
        let host = url.and_then(Url::host_str).unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host);
        let mut labels: Vec<String> = host.split('.').map(squash).collect();
        labels.pop();
        labels.retain(|l| l.len() >= 3);
        labels.push(squash(host));
        let squashed = |text: &str| Some(squash(text)).filter(|s| s.chars().nth(1).is_some());
        Self {
            names: names.filter_map(squashed).collect(),
            sections: sections.filter_map(squashed).collect(),
            labels,
        }
    }

    /// Whether a text is a name the site gives itself, or its domain's.
    pub(crate) fn is_own_name(&self, text: &str) -> bool {
        self.own(&squash(text))
    }

    fn own(&self, squashed: &str) -> bool {
        let bare = squashed.strip_prefix("the").unwrap_or(squashed);
        squashed.chars().nth(1).is_some()
            && (self.names.iter().any(|n| *n == squashed || n.strip_prefix("the") == Some(bare))
                || self.labels.iter().any(|label| label == bare || *label == squashed))
    }

    /// Whether a text is the site's name, judged by its domain: `guardian.co.uk` matches "The
    /// Guardian", "Guardian Unlimited" and "theguardian.com".
    pub(crate) fn is_name(&self, text: &str) -> bool {
        self.is_name_squashed(text, &squash(text))
    }

    /// The same for a text whose [`squash`]ed form is already known.
    pub(crate) fn is_name_squashed(&self, text: &str, squashed: &str) -> bool {
        if squashed.chars().nth(1).is_none() {
            return false;
        }
        let bare = squashed.strip_prefix("the").unwrap_or(squashed);
        self.own(squashed)
            || self.labels.iter().any(|label| {
                (label.len() >= 4
                    && label.len() * 5 >= bare.len() * 2
                    && bare.contains(&**label)
                    && word_count(text) <= 4)
                    || (bare.len() >= 4 && label.len() <= bare.len() * 2 && label.contains(bare))
                    || (label.len() >= 3 && initials(text).eq(label.chars()))
            })
    }

    pub(crate) fn is_section(&self, text: &str) -> bool {
        self.sections.iter().any(|section| squashes_to(text, section))
    }
}

/// "The New York Times" → "tnyt".
fn initials(text: &str) -> impl Iterator<Item = char> {
    text.split_whitespace()
        .filter_map(|w| w.chars().find(|c| is_alphanumeric(*c)))
        .flat_map(char::to_lowercase)
}
