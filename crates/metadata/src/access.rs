//! How much of an article those without a subscription get.
//!
//! Publishers declare it for search engines: <https://developers.google.com/search/docs/appearance/structured-data/paywalled-content>.
//! The declaration says that an article is not free, not whether the page has all of it: that is decided by its text.

use dom::{NodeId, local_name};
use model::{Access, Field, Source};
use terms::{count_words, has_words};

use crate::evidence::Evidence;
use crate::text::identifier_words;

/// Share of the declared number of words that a complete text has, in percent: headlines and captions may count, too.
const COMPLETE: u32 = 80;
/// Minimum number of words of the part that is for subscribers, if the page has it.
const LEAST_PAID: u32 = 40;
/// Texts with fewer words are beginnings, if nothing else tells.
const BEGINNING: u32 = 150;

/// Access: JSON-LD `isAccessibleForFree`, `article:content_tier`; whether the page has a text that is not free is decided by
/// JSON-LD `wordCount`, the elements that `hasPart` names, or its length. Without a declaration, a short text that an element
/// called a paywall follows.
pub(crate) fn access(evidence: &Evidence<'_>) -> Option<Field<Access>> {
    let facts = &evidence.facts;
    let json = facts.nodes().find_map(|node| node.is_free).map(|free| (Source::JsonLd, free));
    let meta = || {
        let tier = evidence.metas("article:content_tier").find_map(|tier| match tier.trim() {
            "free" => Some(true),
            "locked" | "metered" => Some(false),
            _ => None,
        });
        tier.map(|free| (Source::OpenGraph, free))
    };
    match json.or_else(meta) {
        Some((source, true)) => Some(Field { value: Access::Full, source }),
        Some((source, false)) => {
            let is_complete = is_complete(evidence);
            let value = if is_complete { Access::Paid } else { Access::Partial };
            Some(Field { value, source })
        }
        None => (!has_words(evidence.body_text, BEGINNING) && is_followed_by_a_paywall(evidence))
            .then_some(Field { value: Access::Partial, source: Source::Page }),
    }
}

/// Whether the page has all of an article that is not free.
fn is_complete(evidence: &Evidence<'_>) -> bool {
    let facts = &evidence.facts;
    if let Some(declared) = facts.nodes().find_map(|node| node.word_count)
        && declared >= LEAST_PAID
    {
        let words = count_words(evidence.body_text);
        return u64::from(words) * 100 >= u64::from(declared) * u64::from(COMPLETE);
    }
    let classes: Vec<&str> = facts
        .nodes()
        .flat_map(|node| &node.paid_parts)
        .filter_map(|selector| selector.trim().rsplit(['.', ' ', '>']).next())
        .filter(|name| !name.is_empty())
        .collect();
    if classes.is_empty() || is_followed_by_a_paywall(evidence) {
        return has_words(evidence.body_text, BEGINNING) && !is_followed_by_a_paywall(evidence);
    }
    let document = evidence.document;
    let is_paid = |id: &NodeId| {
        let class = document.attribute(*id, &local_name!("class")).unwrap_or_default();
        class.split_ascii_whitespace().any(|class| classes.contains(&class))
    };
    let paid = document.outermost(document.ids().filter(is_paid).collect());
    let words: u32 = paid.iter().map(|id| count_words(document.text_content(*id))).sum();
    words >= LEAST_PAID
}

/// Whether an element whose class or id is that of a paywall, with a text, comes at the end of the body or after it.
fn is_followed_by_a_paywall(evidence: &Evidence<'_>) -> bool {
    let Some((start, end)) = evidence.body else { return false };
    let document = evidence.document;
    let nodes = document.len() as NodeId;
    let is_wall = |id: &NodeId| {
        let mut named = false;
        for name in [local_name!("class"), local_name!("id")] {
            let value = document.attribute(*id, &name).unwrap_or_default();
            identifier_words(value, |word| {
                named |= matches!(word, "paywall" | "regwall" | "paygate" | "subscribewall");
            });
        }
        // The element around a text that is for subscribers may be called so, too.
        named && document.node(*id).end > *id + 1 && !document.contains(*id, start)
    };
    let from = start + (end - start) / 2;
    (from..(end + 200).min(nodes))
        .any(|id| is_wall(&id) && (5..=BEGINNING).contains(&count_words(document.text_content(id))))
}
