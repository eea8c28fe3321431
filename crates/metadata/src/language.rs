//! The language of an article.

use model::{Field, Source};

use crate::evidence::Evidence;

/// Language: the first declaration that the detected language of the text does not contradict, else
/// the detected one. Tags as in [BCP 47](https://www.rfc-editor.org/rfc/rfc5646).
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
                .metas_of(&[
                    "content-language",
                    "dc.language",
                    "dcterms.language",
                    "language",
                    "inlanguage",
                ])
                .map(|v| (Source::Meta, v)),
        )
        .chain(evidence.metas("og:locale").map(|v| (Source::OpenGraph, v)))
        .chain(
            evidence.feed_items.iter().filter_map(|i| Some((Source::Feed, i.language.as_deref()?))),
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

/// Whether two tags share their primary language; languages that detectors cannot distinguish count
/// as one.
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
}
