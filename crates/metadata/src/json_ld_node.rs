//! The node of a JSON-LD graph that describes the page itself.

use serde_json::Value;
use url::Url;

use crate::addresses::same_page;
use crate::json_ld::{Object, Typed};

/// What a node describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Article,
    Work,
    Page,
    Other,
}

fn kind_of(name: &str) -> Kind {
    match name {
        "Report" | "APIReference" | "Posting" => Kind::Article,
        _ if name.ends_with("Article") || name.ends_with("Posting") => Kind::Article,
        // Main subjects of a page, not embedded content (videos) or list entries (questions of an
        // FAQ).
        "Recipe" | "HowTo" | "Review" | "CriticReview" | "MediaReview" | "ClaimReview"
        | "CreativeWork" | "Book" | "Chapter" | "Dataset" | "Course" | "Guide" | "NewsItem"
        | "Photograph" | "PodcastEpisode" | "Conversation" => Kind::Work,
        _ if name.ends_with("Page") => Kind::Page,
        _ => Kind::Other,
    }
}

/// First node of this kind that names one of the page's addresses; else the only one of this kind.
pub(crate) fn pick<'a>(
    typed: &[Typed<'a>],
    kind: Kind,
    here: &[&str],
    base: Option<&Url>,
) -> Option<&'a Object> {
    let nodes = || typed.iter().filter(|t| type_names(t.object).iter().any(|n| kind_of(n) == kind));
    let is_here = |t: &&Typed<'a>| {
        let addresses = addresses(t.object);
        let mut addresses = addresses.iter().filter_map(|a| match base {
            Some(base) => base.join(a).ok(),
            None => Url::parse(a).ok(),
        });
        addresses.any(|a| here.iter().any(|h| same_page(a.as_str(), h)))
    };
    if let Some(node) =
        nodes().filter(|t| t.primary).find(is_here).or_else(|| nodes().find(is_here))
    {
        return Some(node.object);
    }
    let mut primary = nodes().filter(|t| t.primary);
    let first = primary.next()?;
    // Several nodes, none of them for this page: teasers of a list. Without addresses it is
    // undecidable.
    let others = primary.filter(|t| !addresses(t.object).is_empty()).count();
    (others == 0 || addresses(first.object).is_empty()).then_some(first.object)
}

pub(crate) fn addresses(object: &Object) -> Vec<&str> {
    ["url", "mainEntityOfPage", "@id"]
        .iter()
        .filter_map(|key| match object.get(*key)? {
            Value::String(address) => Some(address.as_str()),
            Value::Object(page) => ["@id", "url"].iter().find_map(|k| page.get(*k)?.as_str()),
            _ => None,
        })
        .filter(|address| address.contains('/'))
        .collect()
}

pub(crate) fn type_names(object: &Object) -> Vec<String> {
    let short = |name: &str| {
        let name = name.rsplit(['/', '#', ':']).next().unwrap_or(name);
        name.trim().to_owned()
    };
    match object.get("@type") {
        Some(Value::String(name)) => vec![short(name)],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(short).collect(),
        _ => Vec::new(),
    }
}
