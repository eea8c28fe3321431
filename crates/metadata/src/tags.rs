//! Tags, keywords, categories.

use model::{Field, Source};

use crate::evidence::Evidence;
use crate::text::{folded, plain};

/// Tags of the first source that has any.
pub(crate) fn tags(evidence: &Evidence<'_>) -> Option<Field<Vec<String>>> {
    let facts = &evidence.facts;
    let keywords = facts.article.as_ref().map(|a| a.keywords.clone()).unwrap_or_default();
    let listed = |keys| -> Vec<String> {
        let contents = evidence.metas_of(keys);
        contents.flat_map(|c| c.split([',', ';'])).map(str::to_owned).collect()
    };
    let single = |key| evidence.metas(key).flat_map(|c| c.split(',')).map(str::to_owned).collect();
    let links = || {
        let links = evidence.scan.tags.iter().filter(|id| evidence.distance(**id).is_some());
        links.map(|id| evidence.document.text_content(*id).to_owned()).collect()
    };
    let feed = || evidence.feed_items.iter().flat_map(|i| i.tags.iter().cloned()).collect();
    let sources: [(Source, &dyn Fn() -> Vec<String>); 7] = [
        (Source::JsonLd, &|| keywords.clone()),
        (Source::OpenGraph, &|| single("article:tag")),
        (Source::Meta, &|| listed(&["news_keywords", "parsely-tags", "sailthru.tags"])),
        (Source::Page, &links),
        (Source::Feed, &feed),
        (Source::Meta, &|| listed(&["keywords", "content.tags", "dc.subject", "dcterms.subject"])),
        (Source::OpenGraph, &|| single("og:tag")),
    ];
    sources.into_iter().find_map(|(source, read)| {
        let value = distinct(read());
        (!value.is_empty()).then_some(Field { value, source })
    })
}

/// At most 30 tags, each once by case-insensitive comparison.
fn distinct(tags: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let mut kept = Vec::new();
    for tag in tags.into_iter().take(200) {
        let tag = plain(tag.trim().trim_start_matches('#'));
        let fits = (2..=80).contains(&tag.len()) && !tag.contains("://");
        if fits && kept.len() < 30 && seen.insert(folded(&tag)) {
            kept.push(tag);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ_by_more_than_case() {
        let tags = ["#Rust", "rust", "", "Graz &amp; Linz"].map(str::to_owned).to_vec();
        assert_eq!(distinct(tags), ["Rust", "Graz & Linz"]);
    }
}
