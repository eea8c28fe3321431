//! Language, description, lead image and tags.

use dom::local_name;
use model::{Field, Source};

use crate::evidence::Evidence;
use crate::links::absolute;
use crate::text::{folded, plain};

/// Language: the first declaration that the text's own language doesn't contradict, else the
/// text's. Tags as in [BCP 47](https://www.rfc-editor.org/rfc/rfc5646).
pub(crate) fn language(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let head = evidence.head();
    let facts = &evidence.facts;
    let of_article = facts.article.as_ref().and_then(|a| a.language.as_deref());
    let of_page = facts.page.as_ref().and_then(|a| a.language.as_deref());
    let declared = head
        .lang
        .as_deref()
        .map(|v| (Source::Meta, v))
        .into_iter()
        .chain(of_article.or(of_page).map(|v| (Source::JsonLd, v)))
        .chain(
            evidence
                .metas_of(&["content-language", "dc.language", "dcterms.language", "language", "inlanguage"])
                .map(|v| (Source::Meta, v)),
        )
        .chain(evidence.metas("og:locale").map(|v| (Source::OpenGraph, v)))
        .chain(
            evidence
                .feed_items
                .iter()
                .filter_map(|i| Some((Source::Feed, i.language.as_deref()?))),
        );
    let mut declared =
        declared.filter_map(|(source, value)| Some(Field { value: language_tag(value)?, source }));
    let Some(text) = evidence.text_language.and_then(language_tag) else {
        return declared.next();
    };
    declared
        .find(|d| same_language(&d.value, &text))
        .or(Some(Field { value: text, source: Source::Text }))
}

/// A well-formed tag in its usual case; `None` for anything else ("English", "x-default").
fn language_tag(text: &str) -> Option<String> {
    let first = text.trim().split([',', ';', ' ']).next()?.replace('_', "-");
    let first = first.split(['.', '@']).next()?;
    let mut tag = String::new();
    for (index, part) in first.split('-').take(4).enumerate() {
        let alphabetic = part.bytes().all(|b| b.is_ascii_alphabetic());
        match (index, part.len()) {
            (0, 2 | 3) if alphabetic => tag.push_str(&part.to_ascii_lowercase()),
            (0, _) => return None,
            (_, 2) if alphabetic => tag.extend(["-", &part.to_ascii_uppercase()]),
            (_, 4) if alphabetic => {
                let (head, rest) = part.split_at(1);
                tag.extend(["-", &head.to_ascii_uppercase(), &rest.to_ascii_lowercase()]);
            }
            (_, 3) if part.bytes().all(|b| b.is_ascii_digit()) => tag.extend(["-", part]),
            _ => break,
        }
    }
    (tag != "und" && tag != "mul" && tag != "zxx").then_some(tag)
}

/// Whether two tags share their primary language; languages that detectors can't tell apart
/// count as one.
fn same_language(a: &str, b: &str) -> bool {
    fn primary(tag: &str) -> &str {
        match tag.split('-').next().unwrap_or(tag) {
            "nb" | "nn" | "no" => "no",
            "hr" | "sr" | "bs" | "sh" | "cnr" => "sh",
            "id" | "ms" | "in" => "ms",
            "zh" | "cmn" | "yue" | "wuu" => "zh",
            "he" | "iw" => "he",
            "tl" | "fil" => "fil",
            "fa" | "pes" => "fa",
            other => other,
        }
    }
    primary(a) == primary(b)
}

/// Description by the publisher: what is short enough to be one.
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
                .metas_of(&["description", "twitter:description", "dc.description", "sailthru.description"])
                .map(|v| (Source::Meta, v)),
        )
        .chain(in_json(1).map(|v| (Source::JsonLd, v)))
        .chain(evidence.feed_items.iter().map(|i| (Source::Feed, i.description.as_str())))
        .filter(|(_, value)| value.len() <= 4_000)
        .map(|(source, value)| Field { value: plain(value), source })
        .find(|f| f.value.len() >= 3)
}

/// Lead image, absolute: what the page shows when it is shared, else the first of its body.
pub(crate) fn image(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let facts = &evidence.facts;
    let article = facts.article.as_ref().and_then(|a| a.image.as_deref());
    let page = facts.page.as_ref().and_then(|a| a.image.as_deref());
    let of_body = body_image(evidence);
    evidence
        .metas_of(&["og:image", "og:image:url", "og:image:secure_url"])
        .map(|v| (Source::OpenGraph, v))
        .chain(article.map(|v| (Source::JsonLd, v)))
        .chain(
            evidence
                .metas_of(&["twitter:image", "twitter:image:src", "sailthru.image.full", "image", "thumbnailurl"])
                .map(|v| (Source::Meta, v)),
        )
        .chain(page.map(|v| (Source::JsonLd, v)))
        .chain(evidence.head().link("image_src").map(|v| (Source::Meta, v)))
        .filter(|(_, address)| !is_filler(address))
        .find_map(|(source, address)| {
            Some(Field { value: absolute(evidence.base.as_ref(), address)?, source })
        })
        .or(of_body)
}

/// First image of the body that is not known to be small. Lazy loading keeps the address aside.
fn body_image(evidence: &Evidence<'_>) -> Option<Field<String>> {
    let document = evidence.document;
    let (start, end) = evidence.body?;
    let is_in_body = |id| {
        let mut roots = evidence.body_nodes.iter();
        roots.any(|root| (*root as usize) < document.len() && document.contains(*root, id))
    };
    (start..end)
        .filter(|id| document.is(*id, &local_name!("img")))
        .take(20)
        .filter(|id| evidence.scan.zone_end(*id).is_none() || is_in_body(*id))
        .find_map(|id| {
            let element = document.element(id)?;
            let mut addresses = [None; 6];
            for (name, value) in element.attributes() {
                let value = value.trim();
                match &**name {
                    "width" | "height" if value.parse::<u32>().is_ok_and(|n| n < 100) => return None,
                    "data-src" => addresses[0] = Some(value),
                    "data-original" => addresses[1] = Some(value),
                    "data-lazy-src" => addresses[2] = Some(value),
                    "src" => addresses[3] = Some(value),
                    "data-srcset" | "srcset" => addresses[4] = first_of_srcset(value),
                    "data-lazy" => addresses[5] = Some(value),
                    _ => {}
                }
            }
            let address = addresses.into_iter().flatten().filter(|a| !is_filler(a));
            let value = address.filter_map(|a| absolute(evidence.base.as_ref(), a)).next()?;
            Some(Field { value, source: Source::Page })
        })
}

fn first_of_srcset(value: &str) -> Option<&str> {
    value.split_ascii_whitespace().next()
}

/// Images that hold a place or count visits.
fn is_filler(address: &str) -> bool {
    let mut filler = address.starts_with("data:") || address.is_empty();
    crate::text::identifier_words(address, |word| {
        filler |= matches!(word, "placeholder" | "spacer" | "pixel" | "blank" | "transparent");
    });
    filler
}

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
    fn tags_of_languages_are_normalised() {
        assert_eq!(language_tag("en_us").as_deref(), Some("en-US"));
        assert_eq!(language_tag("zh-hans-cn").as_deref(), Some("zh-Hans-CN"));
        assert_eq!(language_tag("de_DE.UTF-8").as_deref(), Some("de-DE"));
        assert_eq!(language_tag("English"), None);
        assert_eq!(language_tag("x-default"), None);
    }

    #[test]
    fn tags_differ_by_more_than_case() {
        let tags = ["#Rust", "rust", "", "Graz &amp; Linz"].map(str::to_owned).to_vec();
        assert_eq!(distinct(tags), ["Rust", "Graz & Linz"]);
    }
}
