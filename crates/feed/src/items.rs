//! The result of reading a feed: its items, and a count of lost ones.

use std::borrow::Cow;
use std::collections::BTreeMap;

use htmlize::unescape_attribute;
use model::FeedItem;
use url::Url;

/// Signs between the members of a list, in any script: semicolons, then commas.
pub const LIST_SIGNS: [char; 7] = [';', '；', '؛', ',', '，', '、', '،'];

/// Where a feed comes from.
#[derive(Clone, Copy, Debug)]
pub struct FeedSource<'a> {
    /// Identity of the feed, kept in its items: its file name or URL.
    pub id: &'a str,
    /// URL it was fetched from, for relative links.
    pub url: Option<&'a str>,
    /// Charset label of the HTTP `Content-Type`.
    pub http_charset: Option<&'a str>,
}

/// A feed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feed {
    /// Its items that have a link, in feed order.
    pub items: Vec<FeedItem>,
    /// The items that could not be read, if any.
    pub left_out: Option<LostItems>,
}

/// Items that could not be read, although others of the feed could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostItems {
    /// Number of lost items.
    pub items: usize,
    /// Why the first of them could not be read.
    pub why: &'static str,
}

/// Why an item without a link is lost.
pub(crate) const NO_LINK: &str = "it has no link";

impl Feed {
    /// Adds an item, or counts it as lost. An item inherits the values that it lacks from the feed.
    pub(crate) fn add(&mut self, item: Result<FeedItem, &'static str>, inherited: &FeedItem) {
        match item {
            Ok(mut item) => {
                if item.authors.is_empty() {
                    item.authors.clone_from(&inherited.authors);
                }
                item.language = item.language.or_else(|| inherited.language.clone());
                item.feed.clone_from(&inherited.feed);
                self.items.push(item);
            }
            Err(why) => LostItems::count(&mut self.left_out, why),
        }
    }

    /// Removes what most items have at the end of their texts. Makes descriptions one line.
    pub(crate) fn tidy_texts(&mut self) {
        let texts: [fn(&mut FeedItem) -> Option<&mut String>; 2] =
            [|item| Some(&mut item.description), |item| item.content.as_mut()];
        for text in texts {
            let own = self.items.iter_mut();
            let own = own.filter_map(|item| Some((item.title.clone(), text(item)?)));
            remove_shared_endings(own.collect());
        }
        for item in &mut self.items {
            item.description = item.description.replace('\n', " ");
        }
    }
}

/// Stands for the title of an item in its texts. Feeds are decoded without control characters.
const TITLE: &str = "\u{1}";

/// Removes the end of texts that most items share, their titles aside, if a sentence or line is before it: "The post … appeared
/// first on Orchard.", "Comments". Linear in the texts.
fn remove_shared_endings(mut texts: Vec<(String, &mut String)>) {
    for (title, text) in texts.iter_mut().filter(|own| !own.0.is_empty()) {
        **text = text.replace(&**title, TITLE);
    }
    // What is before the shared ending.
    let mut rests: Vec<&str> = texts.iter().map(|own| own.1.trim_end()).collect();
    let mut alike: Vec<usize> = (0..rests.len()).collect();
    // Longer endings are texts.
    for _ in 0..60 {
        let mut by_word: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        for at in alike.into_iter().filter(|at| !rests[*at].is_empty()) {
            let (rest, word) =
                rests[at].rsplit_once(char::is_whitespace).unwrap_or(("", rests[at]));
            by_word.entry(word).or_default().push((at, rest.trim_end()));
        }
        let most = by_word.into_values().max_by_key(Vec::len).unwrap_or_default();
        if most.len() < 3 || most.len() * 2 <= rests.len() {
            break;
        }
        most.iter().for_each(|(at, rest)| rests[*at] = rest);
        alike = most.into_iter().map(|own| own.0).collect();
    }
    let lengths: Vec<usize> = rests.into_iter().map(str::len).collect();
    for ((title, text), length) in texts.into_iter().zip(lengths) {
        let is_border = |at: &usize| {
            *at == 0
                || text[*at..].starts_with('\n')
                || text[..*at].ends_with(|c| ".!?…。！？\"”»)]".contains(c))
        };
        let gaps = text[length..].match_indices(char::is_whitespace).map(|gap| length + gap.0);
        let end = [length].into_iter().chain(gaps).find(is_border).unwrap_or(text.len());
        *text = text[..end].replace(TITLE, &title);
    }
}

impl LostItems {
    /// Counts one more lost item.
    pub(crate) fn count(lost: &mut Option<Self>, why: &'static str) {
        lost.get_or_insert(Self { items: 0, why }).items += 1;
    }
}

/// The link as an absolute `http` or `https` URL, unchanged if it is absolute already, without invisible characters around it and
/// line breaks in it, and its ampersands are not escaped twice.
pub(crate) fn absolute(link: &str, base: Option<&Url>) -> Option<String> {
    let is_outside = |c: char| {
        c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    };
    let mut link = Cow::Borrowed(link.trim_matches(is_outside));
    if link.contains('\n') {
        link = Cow::Owned(link.split_whitespace().collect());
    }
    if link.contains("&amp;") || link.contains("&#") {
        link = Cow::Owned(unescape_attribute(&*link).into_owned());
    }
    let link = &*link;
    if link.is_empty() {
        return None;
    }
    match Url::parse(link) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Some(link.to_owned()),
        Ok(_) => None,
        Err(_) => {
            let url = base?.join(link).ok()?;
            matches!(url.scheme(), "http" | "https").then(|| url.into())
        }
    }
}

/// Appends a text that is neither empty nor in the list yet.
pub(crate) fn add_text(texts: &mut Vec<String>, text: &str) {
    if !text.is_empty() && !texts.iter().any(|known| known == text) {
        texts.push(text.to_owned());
    }
}
