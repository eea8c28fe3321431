//! The canonical address that a page declares.

use model::{Field, Source};

use crate::addresses::{absolute, key};
use crate::evidence::Evidence;

/// Canonical address: `link rel=canonical` ([RFC 6596](https://www.rfc-editor.org/rfc/rfc6596)),
/// `og:url`, then JSON-LD. One that names the site's root for a page below it is an error of the
/// template and ignored.
pub(crate) fn canonical(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let head = evidence.head();
    let own_path = key(evidence.url).1;
    let links =
        head.links.iter().filter(|l| l.rel == "canonical").map(|l| (Source::Meta, &*l.href));
    let open_graph = evidence.metas("og:url").map(|url| (Source::OpenGraph, url));
    let article = evidence.facts.article.as_ref().and_then(|a| a.url.as_deref());
    links.chain(open_graph).chain(article.map(|url| (Source::JsonLd, url))).find_map(
        |(source, href)| {
            let value = absolute(evidence.base.as_ref(), href)?;
            (own_path.is_empty() || !key(&value).1.is_empty()).then_some(Field { value, source })
        },
    )
}
