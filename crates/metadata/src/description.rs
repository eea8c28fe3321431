//! The publisher's summary.

use model::{Field, Source};

use crate::evidence::Evidence;
use crate::text::plain;

/// The publisher's description, if it is short enough to be one.
pub(crate) fn description(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let facts = &evidence.facts;
    let nodes = [facts.article.as_ref(), facts.page.as_ref()];
    let in_json = |i: usize| nodes[i].and_then(|n| n.description.as_deref());
    in_json(0)
        .map(|v| (Source::JsonLd, v))
        .into_iter()
        .chain(evidence.metas("og:description").map(|v| (Source::OpenGraph, v)))
        .chain(
            evidence
                .metas_of(&[
                    "description",
                    "twitter:description",
                    "dc.description",
                    "sailthru.description",
                ])
                .map(|v| (Source::Meta, v)),
        )
        .chain(in_json(1).map(|v| (Source::JsonLd, v)))
        .chain(evidence.feed_items.iter().map(|i| (Source::Feed, i.description.as_str())))
        // Some publishers put the whole article here.
        .filter(|(_, value)| value.len() <= 600 || value.len() < evidence.body_text.len() / 3)
        .map(|(source, value)| Field { value: plain(value), source })
        .find(|f| f.value.len() >= 3)
}
