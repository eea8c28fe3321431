//! Parts of articles, joined.

use std::collections::BTreeSet;

use grouping::Part;
use model::{Article, Drop, DropReason, Extracted, PageType, Stage};
use sitemodel::Outcome;
use sitemodel::stages::extract::{SITE_CONFIG, set_text};
use xxhash_rust::xxh3::xxh3_128;

use super::Findings;
use crate::stages::learn::Surveyed;

/// Joins the parts of articles: the first page's gets the texts of those that follow, which are dropped. Pages of lists,
/// products and the like are no parts, even if they are numbered.
pub(crate) fn join(site: &Surveyed, findings: &mut Findings) {
    let pages: Vec<usize> = findings.keys().copied().collect();
    let mut apart: BTreeSet<usize> = BTreeSet::new();
    for &first in pages.iter().filter(|&&page| site.part(page) == Part::Whole) {
        let mut whole = article_of(findings, first).filter(|article| has_parts(article)).cloned();
        for part in site.following(first) {
            match (&mut whole, article_of(findings, *part)) {
                (Some(whole), Some(article)) if fits(whole, article) => append(whole, article),
                (_, Some(article)) if article.engine == SITE_CONFIG => {}
                (Some(_), None) => {}
                _ => _ = apart.insert(*part),
            }
        }
        if let (Some(whole), Some(found)) = (whole, findings.get_mut(&first)) {
            found.applied.outcome = Outcome::Article(Box::new(whole));
        }
    }
    for page in pages.into_iter().filter(|page| !apart.contains(page)) {
        let Some(whole) = site.whole_of(page) else { continue };
        if let Some(found) = findings.get_mut(&page) {
            let (url, origin) = match &found.applied.outcome {
                Outcome::Article(article) => (article.url.clone(), article.origin.clone()),
                Outcome::Drop(drop) => (drop.url.clone(), drop.origin.clone()),
                Outcome::Unassigned => continue,
            };
            found.applied.outcome = Outcome::Drop(Box::new(Drop {
                site: site.key().to_owned(),
                url,
                origin,
                stage: Stage::Extract,
                reason: DropReason::JoinedPage,
                detail: format!("part of {whole}"),
                gone: None,
            }));
        }
    }
}

fn article_of(findings: &Findings, page: usize) -> Option<&Extracted> {
    match &findings.get(&page)?.applied.outcome {
        Outcome::Article(article) => Some(article),
        Outcome::Drop(_) | Outcome::Unassigned => None,
    }
}

fn has_parts(article: &Article) -> bool {
    use PageType::{Article, Documentation, Forum};
    let has = |own| matches!(own, Article | Documentation | Forum);
    article.engine == SITE_CONFIG || article.page_type.is_none_or(has)
}

/// Whether a page is a part of an article: both were found by a site config, or both are of one template.
fn fits(whole: &Article, part: &Article) -> bool {
    match (whole.engine == SITE_CONFIG, part.engine == SITE_CONFIG) {
        (true, true) => true,
        (false, false) => !whole.template.is_empty() && whole.template == part.template,
        _ => false,
    }
}

fn append(whole: &mut Extracted, part: &Extracted) {
    let payloads = [whole.payload, part.payload].concat();
    whole.payload = xxh3_128(&payloads).to_be_bytes();
    let text = format!("{}\n\n{}", whole.text, part.text);
    set_text(whole, text);
    if !whole.html.is_empty() {
        whole.html.push('\n');
        whole.html.push_str(&part.html);
    }
    if let (Some(whole), Some(part)) = (&mut whole.markdown, &part.markdown) {
        whole.push_str("\n\n");
        whole.push_str(part);
    }
}
