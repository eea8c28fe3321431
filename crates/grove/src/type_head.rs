//! What the head and the address of a page say of its type.

use std::sync::LazyLock;

use dom::{Document, local_name};
use rustc_hash::FxHashMap;

use crate::elementary::log;
use crate::rows::Row;
use crate::type_lexicon::{ADDRESS, GENERATORS, SCHEMA};

/// Words to the meanings they have, as bits.
type Lexicon = FxHashMap<&'static str, u32>;

/// Reads a list of words by meaning.
pub(crate) fn lexicon(lists: &[(&str, &'static str)]) -> Lexicon {
    let mut words = Lexicon::default();
    for (bit, (_, list)) in lists.iter().enumerate() {
        list.split_ascii_whitespace().for_each(|word| *words.entry(word).or_default() |= 1 << bit);
    }
    words
}

static ADDRESS_WORDS: LazyLock<Lexicon> = LazyLock::new(|| lexicon(&ADDRESS));
static SCHEMA_TYPES: LazyLock<Lexicon> = LazyLock::new(|| lexicon(&SCHEMA));

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// Puts the features of a page's head and its marked-up types. Linear in its JSON-LD and elements.
pub(crate) fn fill_head(row: &mut impl Row, document: &Document) {
    let head = document.head();
    let og_type = head.meta("og:type").unwrap_or_default().to_ascii_lowercase();
    for (name, starts) in [
        ("article", "article"),
        ("product", "product"),
        ("website", "website"),
        ("profile", "profile"),
        ("video", "video"),
    ] {
        row.put(format_args!("og:type {name}"), flag(og_type.starts_with(starts)));
    }
    row.put("og:type given", flag(!og_type.is_empty()));
    let has = |keys: &[&str]| flag(keys.iter().any(|key| head.meta(key).is_some()));
    row.put("published time", has(&["article:published_time", "datepublished", "date"]));
    row.put("author", has(&["author", "article:author", "byl"]));
    row.put("section", has(&["article:section", "article:tag", "news_keywords"]));
    row.put("price", has(&["product:price:amount", "og:price:amount", "product:availability"]));
    row.put("description", has(&["og:description", "description"]));
    let generator = head.meta("generator").unwrap_or_default().to_ascii_lowercase();
    for (name, list) in &GENERATORS {
        let found = list.split_ascii_whitespace().any(|word| generator.contains(word));
        row.put(format_args!("generator {name}"), flag(found));
    }
    let feeds = head.links.iter().filter(|link| link.media_type.contains("rss")).count();
    row.put("feeds", log(feeds as f32));
    row.put("title words", log(words(head.title.as_deref().unwrap_or_default()) as f32));
    let mut counts = [0u32; SCHEMA.len()];
    head.json_ld.iter().for_each(|json| each_type(json, |name| count(name, &mut counts)));
    let kinds = document.kinds();
    let of_kinds: Vec<Option<&str>> = (kinds.all().iter())
        .map(|kind| document.attribute(kind.first, &local_name!("itemtype")))
        .collect();
    if of_kinds.iter().any(Option::is_some) {
        for &kind in kinds.of_nodes() {
            let Some(Some(value)) = of_kinds.get(kind as usize) else { continue };
            let names = value.split_ascii_whitespace();
            names.for_each(|own| count(own.rsplit('/').next().unwrap_or_default(), &mut counts));
        }
    }
    for ((name, _), count) in SCHEMA.iter().zip(counts) {
        row.put(format_args!("schema {name}"), log(count as f32));
    }
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn count(name: &str, counts: &mut [u32; SCHEMA.len()]) {
    let bits = SCHEMA_TYPES.get(name).copied().unwrap_or(0);
    counts.iter_mut().enumerate().for_each(|(bit, count)| *count += bits >> bit & 1);
}

/// The values of `@type` in JSON-LD, which need not be valid.
fn each_type(json: &str, mut found: impl FnMut(&str)) {
    for (at, key) in json.match_indices("\"@type\"") {
        let rest = json[at + key.len()..].trim_start().trim_start_matches(':').trim_start();
        let (list, end) = match rest.strip_prefix('[') {
            Some(list) => (list, list.find(']')),
            None => (rest, rest.strip_prefix('"').and_then(|r| Some(r.find('"')? + 2))),
        };
        let names = list[..end.unwrap_or(0)].split('"').skip(1).step_by(2);
        names.for_each(|name| found(name.rsplit('/').next().unwrap_or_default()));
    }
}

/// Puts the features of an address. Linear in its length.
pub(crate) fn fill_address(row: &mut impl Row, url: &str) {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest).to_ascii_lowercase();
    let url = url.split('#').next().unwrap_or_default();
    let (url, query) = url.split_once('?').unwrap_or((url, ""));
    let (host, path) = url.split_once('/').unwrap_or((url, ""));
    let bits = |word: &str| ADDRESS_WORDS.get(word).copied().unwrap_or(0);
    let labels = host.split('.').filter(|label| label.len() > 1);
    let of_host = labels.flat_map(|label| label.split('-')).fold(0, |all, word| all | bits(word));
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let stem = |segment: &&str| bits(segment.split('.').next().unwrap_or_default());
    let last = segments.last().copied().unwrap_or_default();
    let before = segments.iter().take(segments.len().saturating_sub(1));
    let (of_path, of_last) = (before.fold(0, |all, segment| all | stem(segment)), stem(&last));
    for (bit, (name, _)) in ADDRESS.iter().enumerate() {
        row.put(format_args!("host {name}"), flag(of_host >> bit & 1 == 1));
        row.put(format_args!("path {name}"), flag(of_path >> bit & 1 == 1));
        row.put(format_args!("address {name}"), flag(of_last >> bit & 1 == 1));
    }
    row.put("path segments", segments.len() as f32);
    row.put("path root", flag(segments.is_empty()));
    row.put("labels of host", host.split('.').count() as f32);
    row.put("words of slug", last.split(['-', '_']).filter(|word| word.len() > 1).count() as f32);
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count() as f32;
    row.put("digits of slug", digits(last));
    row.put("digits of path", digits(path) - digits(last));
    let is_year = |segment: &&str| segment.len() == 4 && digits(segment) == 4.0;
    row.put("year in path", flag(segments.iter().any(is_year)));
    row.put("extension", flag(last.contains('.')));
    row.put("query keys", query.split('&').filter(|pair| !pair.is_empty()).count() as f32);
    row.put("ends in a slash", flag(path.ends_with('/')));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_from_any_json() {
        let types = |json: &str| {
            let mut found = Vec::new();
            each_type(json, |name| found.push(name.to_owned()));
            found
        };
        let json =
            r#"{"@type":["Product","http://schema.org/Book"],"a":{"@type" : "Offer"}, "@type":3"#;
        assert_eq!(types(json), ["Product", "Book", "Offer"]);
        assert!(types(r#""@type""#).is_empty() && types(r#""@type":["a"#).is_empty());
    }
}
