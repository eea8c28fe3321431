//! The section of the publication.

use dom::{NodeId, local_name};
use model::{Field, Source};

use crate::evidence::Evidence;
use crate::text::{folded, plain};

/// Metas that name the section, the most reliable first.
const METAS: [&str; 6] = [
    "article:section",
    "parsely-section",
    "sailthru.section",
    "section",
    "articlesection",
    "dc.subject.section",
];
/// Longest name of a section, in bytes.
const LONGEST: usize = 80;
/// Maximum number of words of a name in a breadcrumb.
const MOST_WORDS: usize = 6;

/// Section: JSON-LD `articleSection`, `article:section` and other metas, the last entry of a JSON-LD breadcrumb or of one
/// on the page that is neither the home page nor the article.
pub(crate) fn section(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let facts = &evidence.facts;
    let of_article = facts.article.iter().flat_map(|article| &article.sections);
    let declared = of_article
        .map(|name| (Source::JsonLd, &**name))
        .chain(evidence.metas("article:section").map(|name| (Source::OpenGraph, name)))
        .chain(evidence.metas_of(&METAS).map(|name| (Source::Meta, name)))
        .map(|(source, name)| Field { value: plain(name), source })
        .find(|field| is_name(&field.value));
    declared
        .or_else(|| {
            let entries = facts.breadcrumb.iter().map(|(name, url)| (plain(name), url.as_deref()));
            of_breadcrumb(evidence, entries, Source::JsonLd)
        })
        .or_else(|| {
            let trail = *evidence.scan.breadcrumbs.first()?;
            let entries = links(evidence, trail).into_iter().map(|(name, url)| (name, Some(url)));
            of_breadcrumb(evidence, entries, Source::Page)
        })
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && !name.contains("://")
}

/// The last entry of a breadcrumb that is neither the home page nor the article.
fn of_breadcrumb<'a>(
    evidence: &Evidence<'_>,
    entries: impl Iterator<Item = (String, Option<&'a str>)>,
    source: Source,
) -> Option<Field<String>> {
    let heading = evidence.heading.as_ref().map(|heading| folded(&heading.text));
    let title = evidence.head().title.as_deref().map(folded).unwrap_or_default();
    let is_article = |name: &str| {
        let name = folded(name);
        heading.as_ref() == Some(&name) || title.starts_with(&name) && name.len() > LONGEST / 4
    };
    let is_home = |name: &str, url: Option<&str>| {
        evidence.site.is_name(name) || url.is_some_and(|url| is_root(evidence, url))
    };
    let is_here = |url: Option<&str>| {
        let url = url.and_then(|url| evidence.own.as_ref()?.join(url).ok());
        url.is_some() && url == evidence.own
    };
    let entries: Vec<(String, Option<&str>)> = entries.take(20).collect();
    let fits = |(name, url): &&(String, Option<&str>)| {
        let words = name.split_whitespace().count();
        is_name(name)
            && words <= MOST_WORDS
            && !is_article(name)
            && !is_home(name, *url)
            && !is_here(*url)
    };
    let last = entries.iter().rev().find(fits)?;
    // A single entry that leads nowhere is the article under another name.
    (entries.len() > 1 || last.1.is_some()).then(|| Field { value: last.0.clone(), source })
}

/// Whether an address is that of a home page.
fn is_root(evidence: &Evidence<'_>, url: &str) -> bool {
    let base = evidence.base.as_ref();
    let url = base.and_then(|base| base.join(url).ok());
    url.is_some_and(|url| matches!(url.path(), "" | "/" | "/index.html" | "/index.php"))
}

/// The links in an element, with their texts.
fn links<'a>(evidence: &Evidence<'a>, within: NodeId) -> Vec<(String, &'a str)> {
    let document = evidence.document;
    let link = |id: NodeId| {
        let href = document.attribute(id, &local_name!("href"))?;
        document.is(id, &local_name!("a")).then(|| (plain(document.text_content(id)), href))
    };
    document.subtree(within).filter_map(link).take(20).collect()
}
