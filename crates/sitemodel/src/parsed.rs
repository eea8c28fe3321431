//! A parsed page, with counts that several stages need.

use std::sync::{Arc, OnceLock};

use dom::{Document, Element, LocalName, PrefixSums, class_tokens, local_name};
use metadata::{JsonLdFacts, Scan};
use model::{FeedItem, Page};
use terms::WordStarts;
use url::Url;
use wrapper::site_config::apply;

use crate::settings::Settings;
use crate::site_config::ConfiguredPage;

/// A page with its tree and counts.
#[derive(Debug)]
pub struct ParsedPage<'a> {
    /// The page.
    pub page: &'a Page,
    /// The parsed page, as changed by its site config, if it has one.
    pub document: Document,
    /// Number of words of each text node, as prefix sums.
    pub words: PrefixSums,
    /// Number of words of each text node within a link, as prefix sums.
    pub link_words: PrefixSums,
    /// Hashes of its distinct id and class tokens without digits, sorted.
    pub tokens: Vec<u64>,
    /// Hashes of its naming tokens by kind of element, for tag paths.
    pub(crate) names: NamingTokens,
    json_ld: OnceLock<JsonLdFacts>,
    scan: OnceLock<Scan>,
    data_text: OnceLock<Option<DataText>>,
    /// What the site config of its host found, if there is one.
    pub configured: Option<ConfiguredPage>,
}

/// The text of an article that a page has only as data for its scripts.
#[derive(Debug)]
pub(crate) struct DataText {
    pub(crate) document: Arc<Document>,
    pub(crate) words: u32,
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
    let by = settings.site_configs.as_ref().and_then(|configs| configs.for_url(&page.url));
    let (document, configured) = match by {
        None => (dom::parse_with(&page.html, &limits), None),
        Some(by) => {
            let (document, mut found) = apply(&page.html, &by.wrapper, &limits);
            let base = Url::parse(&page.url).ok().map(|own| {
                let base = document.head().base.as_deref();
                base.and_then(|base| own.join(base).ok()).unwrap_or(own)
            });
            for link in [&mut found.single_page, &mut found.next_page] {
                *link = link.take().and_then(|link| Some(base.as_ref()?.join(&link).ok()?.into()));
            }
            (document, Some(ConfiguredPage { by: Arc::clone(by), found }))
        }
    };
    let (words, link_words) = {
        let starts = WordStarts::of(document.all_text());
        PrefixSums::of_places(&document, |place| starts.count(place))
    };
    let names = NamingTokens::of(&document);
    let tokens = names.distinct();
    ParsedPage {
        page,
        document,
        words,
        link_words,
        tokens,
        names,
        json_ld: OnceLock::new(),
        scan: OnceLock::new(),
        data_text: OnceLock::new(),
        configured,
    }
}

/// Minimum number of words of a full text in JSON-LD or a feed.
pub(crate) const FULL_TEXT_WORDS: u32 = 50;
/// Maximum number of words outside of links on a page whose scripts show the article: notices, labels, the beginning of the text.
const WORDS_OF_SHELL: u32 = 300;

impl ParsedPage<'_> {
    /// Returns its JSON-LD, which is parsed on first use.
    pub fn json_ld(&self) -> &JsonLdFacts {
        self.json_ld.get_or_init(|| JsonLdFacts::of(&self.document, &self.page.url))
    }

    /// Returns the elements that may contain its metadata, which are found on first use.
    pub fn scan(&self) -> &Scan {
        self.scan.get_or_init(|| Scan::of(&self.document))
    }

    /// Whether the page has so few words outside of links that its article may be in data alone.
    pub(crate) fn may_lack_text(&self) -> bool {
        self.words.total() - self.link_words.total() <= WORDS_OF_SHELL
    }

    /// Returns the article's text from the data for its scripts, which is read on first use.
    pub(crate) fn data_text(&self) -> Option<&DataText> {
        let read = || {
            let Page { html, url, .. } = self.page;
            let html = metadata::article_in_data(html, url, &self.document, self.json_ld())?;
            let document = dom::parse(&html);
            let words = terms::count_words(&dom::text_of(&document, &[0], &[]));
            let text = DataText { document: Arc::new(document), words };
            (words >= FULL_TEXT_WORDS).then_some(text)
        };
        self.data_text.get_or_init(read).as_ref()
    }

    /// Number of words of the full text in its JSON-LD or a feed item, including markup.
    pub(crate) fn full_text_words(&self, feed_items: &[&FeedItem]) -> u32 {
        // Most pages have no full text there, and parsing JSON is slow.
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

/// Adds the hashes of the stable tokens of an element's id and class; the seed distinguishes id and class.
fn add_naming_tokens(element: Element<'_>, hashes: &mut Vec<u64>) {
    for (seed, name) in NAMING.iter().enumerate() {
        let tokens = element.attribute(name).into_iter().flat_map(class_tokens);
        hashes.extend(tokens.filter_map(|token| stable_hash(token, seed as u64)));
    }
}

/// Hashes the stable part of a name: without digits, and then without separators at the ends, so that `post-1234` equals
/// `post`. `None` if nothing is left.
fn stable_hash(token: &str, seed: u64) -> Option<u64> {
    let stays = |byte: &u8| !byte.is_ascii_digit() && !matches!(byte, b'-' | b'_' | b':');
    let bytes = token.as_bytes();
    let stable = &bytes[bytes.iter().position(stays)?..=bytes.iter().rposition(stays)?];
    let letters = stable.iter().filter(|byte| !byte.is_ascii_digit());
    let hash = letters.fold(seed, |hash, &byte| {
        (hash.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    Some(hash ^ (hash >> 29))
}

/// Hashes of the naming tokens of a page's elements, by kind.
#[derive(Debug)]
pub(crate) struct NamingTokens {
    ends: Vec<u32>,
    tokens: Vec<u64>,
}

impl NamingTokens {
    pub(crate) fn of(document: &Document) -> Self {
        let kinds = document.kinds().all();
        let mut names = Self { ends: Vec::with_capacity(kinds.len()), tokens: Vec::new() };
        for kind in kinds {
            if let Some(element) = document.element(kind.first) {
                add_naming_tokens(element, &mut names.tokens);
            }
            names.ends.push(names.tokens.len() as u32);
        }
        names
    }

    pub(crate) fn of_kind(&self, kind: usize) -> &[u64] {
        let from = if kind == 0 { 0 } else { self.ends[kind - 1] };
        &self.tokens[from as usize..self.ends[kind] as usize]
    }

    pub(crate) fn distinct(&self) -> Vec<u64> {
        let mut tokens = self.tokens.clone();
        tokens.sort_unstable();
        tokens.dedup();
        tokens
    }
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
