//! The name of the publication.

use model::{Field, Source};

use crate::evidence::Evidence;
use crate::text::plain;
use crate::title_parts::segments;

/// Name of the publication: `og:site_name`, JSON-LD publisher or web site, application name, or the
/// part of `<title>` that the domain confirms.
pub(crate) fn site_name(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let facts = &evidence.facts;
    let publisher = facts.article.as_ref().and_then(|a| a.publisher.as_deref());
    let found = evidence
        .metas("og:site_name")
        .map(|v| (Source::OpenGraph, v))
        .chain(publisher.or(facts.site.as_deref()).map(|v| (Source::JsonLd, v)))
        .chain(
            evidence
                .metas_of(&["application-name", "apple-mobile-web-app-title", "dc.publisher"])
                .map(|v| (Source::Meta, v)),
        )
        .map(|(source, value)| Field { value: plain(value), source })
        .find(|f| !f.value.is_empty() && f.value.len() <= 120 && !f.value.contains("://"));
    found.or_else(|| {
        let title = evidence.head().title.as_deref()?;
        let part = segments(title).into_iter().rev().find(|s| evidence.site.is_name(s))?;
        (part.len() < title.len())
            .then(|| Field { value: part.trim().to_owned(), source: Source::Meta })
    })
}
