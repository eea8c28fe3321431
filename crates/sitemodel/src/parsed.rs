//! A parsed page with counts that several stages need.

use std::sync::{Arc, OnceLock};

use dom::{Document, Element, ElementKind, LocalName, NodeId, PrefixSums, class_tokens, local_name};
use metadata::JsonLdFacts;
use model::{FeedItem, Page};
use rustc_hash::FxHashSet;
use terms::Language;
use url::Url;
use wrapper::site_config::apply;
use xxhash_rust::xxh3::xxh3_64;

use crate::settings::Settings;
use crate::site_config::ConfiguredPage;

/// A page with its tree and counts.
#[derive(Debug)]
pub struct ParsedPage<'a> {
    /// The page.
    pub page: &'a Page,
    /// Its tree.
    pub document: Document,
    /// Words of each text node, summed.
    pub words: PrefixSums,
    /// Words of each text node within a link, summed.
    pub link_words: PrefixSums,
    /// Hashes of its distinct id and class tokens without digits, sorted.
    pub tokens: Vec<u64>,
    /// Hashes of its naming tokens by kind of element, for tag paths.
    names: Names,
    json_ld: OnceLock<JsonLdFacts>,
    /// The result of the site config of its host, if there is one.
    pub configured: Option<ConfiguredPage>,
}

/// Parses a page, applies the site config of its host, if any, and counts words. Linear in its length.
pub fn parse_page<'a>(page: &'a Page, settings: &Settings) -> ParsedPage<'a> {
    let parse = &settings.tables().parse;
    let limits = dom::ParseOptions {
        keep: dom::Keep::Content,
        max_depth: parse.max_depth,
        max_nodes: parse.max_nodes,
        max_attributes: parse.max_attributes,
        max_steps: parse.max_steps,
    };
    let by = settings.site_configs().and_then(|configs| configs.for_url(&page.url));
    let (document, configured) = match by {
        None => (dom::parse_with(&page.html, &limits), None),
        Some(by) => {
            let applied = apply(&page.html, &by.wrapper, &limits);
            let base = Url::parse(&page.url).ok().map(|own| {
                let base = applied.document.head().base.as_deref();
                base.and_then(|base| own.join(base).ok()).unwrap_or(own)
            });
            let absolute = |link: Option<String>| Some(base.as_ref()?.join(&link?).ok()?.into());
            let configured = ConfiguredPage {
                single_page: absolute(applied.single_page),
                next_page: absolute(applied.next_page),
                by: Arc::clone(by),
                body: applied.body,
                further: applied.further,
                removed: applied.removed,
                removed_by: applied.removed_by,
                given: applied.given,
            };
            (applied.document, Some(configured))
        }
    };
    let (words, link_words) = PrefixSums::of_texts(&document, terms::count_words);
    let names = Names::of(&document);
    let tokens = names.distinct();
    ParsedPage {
        page,
        document,
        words,
        link_words,
        tokens,
        names,
        json_ld: OnceLock::new(),
        configured,
    }
}

/// Minimum number of words of a full text in JSON-LD or a feed.
pub(crate) const FULL_TEXT_WORDS: u32 = 50;

impl ParsedPage<'_> {
    /// Its JSON-LD, parsed on first use.
    pub fn json_ld(&self) -> &JsonLdFacts {
        self.json_ld.get_or_init(|| JsonLdFacts::of(&self.document, &self.page.url))
    }

    /// Words of the full text in its JSON-LD or a feed item, including markup.
    pub(crate) fn full_text_words(&self, feed_items: &[&FeedItem]) -> u32 {
        // Most pages have none, and parsing JSON is slow.
        let names_it =
            |json: &String| json.contains("\"articleBody\"") || json.contains("\"text\"");
        let own = || self.json_ld().article()?.body.as_deref();
        let own = self.document.head().json_ld.iter().any(names_it).then(own).flatten();
        let from_feed = || feed_items.first()?.content.as_deref();
        own.or_else(from_feed).map_or(0, terms::count_words)
    }
}

/// The attributes that name the purpose of an element.
const NAMING: [LocalName; 2] = [local_name!("id"), local_name!("class")];

/// Hashes of the stable tokens of an element's id and class; the seed distinguishes id and class.
fn naming_tokens(element: Element<'_>) -> impl Iterator<Item = u64> {
    NAMING.into_iter().enumerate().flat_map(move |(seed, name)| {
        let tokens = element.attribute(&name).into_iter().flat_map(class_tokens);
        tokens.filter_map(move |token| stable_hash(token, seed as u64))
    })
}

/// A hash of the stable part of a name: without digits, and then without separators at the ends (`post-1234`
/// equals `post`); `None` if nothing is left.
fn stable_hash(token: &str, seed: u64) -> Option<u64> {
    let at_end = |c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | ':');
    let stable = token.trim_matches(at_end);
    let letters = stable.bytes().filter(|b| !b.is_ascii_digit());
    let hash = letters.fold(seed, |hash, byte| {
        (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    (!stable.is_empty()).then_some(hash ^ (hash >> 29))
}

/// Hashes of the naming tokens of a page's elements, by kind.
#[derive(Debug)]
struct Names {
    ends: Vec<u32>,
    tokens: Vec<u64>,
}

impl Names {
    fn of(document: &Document) -> Self {
        let kinds = document.kinds().all();
        let mut names = Self { ends: Vec::with_capacity(kinds.len()), tokens: Vec::new() };
        for kind in kinds {
            names.tokens.extend(document.element(kind.first).into_iter().flat_map(naming_tokens));
            names.ends.push(names.tokens.len() as u32);
        }
        names
    }

    fn of_kind(&self, kind: usize) -> &[u64] {
        let from = if kind == 0 { 0 } else { self.ends[kind - 1] };
        &self.tokens[from as usize..self.ends[kind] as usize]
    }

    fn distinct(&self) -> Vec<u64> {
        let mut tokens = self.tokens.clone();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    }
}

/// The tokens that at least two pages have: names that are generated for each page are no features of its
/// layout.
pub(crate) fn recurring_tokens<'a>(
    pages: impl Iterator<Item = &'a ParsedPage<'a>>,
) -> FxHashSet<u64> {
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    let of_pages = pages.flat_map(|page| page.tokens.iter().copied());
    of_pages.filter(|&token| !seen.insert(token)).collect()
}

/// Hashes of the distinct tag paths of a page, each of three steps, sorted: the features of its layout. An
/// element's label is its tag with the recurring parts of its id and class names. Paths are short, so that
/// one name that changes from page to page (WordPress gives `body` the post's number, category and slug) does
/// not affect every path below it. Text-level elements are left out: they belong to the text, not to the
/// layout.
pub(crate) fn layout_of(page: &ParsedPage<'_>, recurring: &FxHashSet<u64>) -> Vec<u64> {
    let document = &page.document;
    let kinds = document.kinds();
    let of_kind = |(at, kind): (usize, &ElementKind)| {
        let name = document.name(kind.first)?;
        Some((label_of(name, page.names.of_kind(at), recurring), dom::is_inline(name)))
    };
    let labels: Vec<(u64, bool)> = kinds.all().iter().enumerate().filter_map(of_kind).collect();
    let of_nodes = kinds.of_nodes();
    let label = |id: NodeId| labels[of_nodes[id as usize] as usize];
    let mut layout = Vec::new();
    for (id, node) in document.nodes().iter().enumerate() {
        if node.name.is_none() {
            continue;
        }
        let (own, is_inline) = label(id as NodeId);
        if is_inline {
            continue;
        }
        let above = node.parent;
        let two_above = document.node(above).parent;
        let path = [label(two_above).0, label(above).0, own];
        layout.push(path.iter().fold(0u64, |hash, label| {
            (hash.rotate_left(23) ^ label).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }));
    }
    layout.sort_unstable();
    layout.dedup();
    layout
}

fn label_of(name: &LocalName, tokens: &[u64], recurring: &FxHashSet<u64>) -> u64 {
    let tag = xxh3_64(name.as_bytes());
    if matches!(*name, local_name!("html") | local_name!("body")) {
        return tag;
    }
    // The order of class names does not matter: a sum of hashes.
    let counts = tokens.iter().filter(|token| recurring.contains(token));
    counts.fold(tag, |sum, token| sum.wrapping_add(*token))
}

/// Detects the language of a page's text: text nodes outside links, the longest first, since these are most
/// likely the article in any layout.
pub fn language_of(parsed: &ParsedPage<'_>) -> Option<Language> {
    const ENOUGH: usize = 4096;
    let ParsedPage { document, words, link_words, .. } = parsed;
    let mut texts: Vec<(u32, NodeId)> = document
        .ids()
        .filter(|&id| document.text(id).is_some())
        .map(|id| (words.sum(document, id) - link_words.sum(document, id), id))
        .filter(|t| t.0 > 0)
        .collect();
    let longest_first = |&(words, id): &(u32, NodeId)| (std::cmp::Reverse(words), id);
    // A few are usually enough.
    const FEW: usize = 32;
    if texts.len() > FEW {
        texts.select_nth_unstable_by_key(FEW, longest_first);
        let few: usize =
            texts[..FEW].iter().map(|t| document.text(t.1).map_or(0, |text| text.len() + 1)).sum();
        if few >= ENOUGH {
            texts.truncate(FEW);
        }
    }
    texts.sort_unstable_by_key(longest_first);
    let mut sample = String::new();
    for (_, id) in texts {
        sample.push_str(document.text(id).unwrap_or_default());
        sample.push('\n');
        if sample.len() >= ENOUGH {
            break;
        }
    }
    terms::detect(&sample).map(|found| found.language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_their_separators_do_not_count() {
        assert_eq!(stable_hash("post-1234", 0), stable_hash("post", 0));
        assert_eq!(stable_hash("12:wrapper_02", 0), stable_hash("wrapper", 0));
        assert_ne!(stable_hash("post", 0), stable_hash("post", 1));
        assert_eq!(stable_hash("2013", 0), None);
    }
}
