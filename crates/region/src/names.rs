//! Names of elements that do not belong to an article: teasers, advertisements, boxes about authors, sharing.

use std::cell::RefCell;

use dom::{Document, LocalName, NodeId, class_tokens, local_name, local_names};

/// Sorted words that begin with a letter from `a` to `z`. Nearly every word of a page is ruled out by its first letter and
/// its length.
pub(crate) struct WordList {
    words: &'static [&'static str],
    /// By first letter, the lengths of words as bits.
    lengths: [u32; 26],
}

impl WordList {
    pub(crate) const fn of(words: &'static [&'static str]) -> Self {
        let mut lengths = [0; 26];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            lengths[(word[0] - b'a') as usize] |= 1 << (word.len() & 31);
            at += 1;
        }
        Self { words, lengths }
    }

    fn has(&self, word: &[u8]) -> bool {
        let initial = word.first().copied().unwrap_or_default().wrapping_sub(b'a');
        let lengths = self.lengths.get(usize::from(initial)).copied().unwrap_or(0);
        lengths >> (word.len() & 31) & 1 != 0
            && self.words.binary_search_by(|known| known.as_bytes().cmp(word)).is_ok()
    }
}

/// Words of classes and ids of elements that hold something else than the article around them, sorted.
static FOREIGN: WordList = WordList::of(&[
    "ad", "addthis", "addtoany", "ads", "adsbygoogle", "adslot", "adunit", "advert",
    "advertisement", "advertising", "anzeige", "author", "authorbox", "authors", "avatar",
    "avatars", "bio", "biography", "breadcrumb", "breadcrumbs", "button", "buttons", "byline",
    "comment", "commentlist", "comments", "contributor", "contributors", "cookie", "crosspromo",
    "dfp", "disqus", "emoji", "favicon", "feedback", "follow", "footer", "gravatar", "icon",
    "icons", "kommentare", "login", "logo", "logos", "masthead", "menu", "mostread", "nav",
    "navbar", "navigation", "newsletter", "outbrain", "pager", "pagination", "paywall", "popular",
    "postmeta", "prevnext", "print", "promo", "promos", "promotion", "rating", "ratings",
    "readmore", "recirc", "recommendation", "recommendations", "recommended", "related",
    "relatedposts", "rss", "seealso", "share", "sharebar", "sharedaddy", "sharing", "sidebar",
    "signup", "smiley", "social", "socials", "sponsor", "sponsored", "subscribe", "taboola",
    "teaser", "teasers", "trending",
]);

/// Those of advertisements, sorted.
static ADVERTISEMENTS: WordList = WordList::of(&[
    "ad", "ads", "adsbygoogle", "adslot", "adunit", "advert", "advertisement", "advertising",
    "anzeige", "dfp", "sponsor", "sponsored",
]);

/// Words of the names of picture files that show no part of an article, sorted.
static FILES: WordList = WordList::of(&[
    "avatar", "badge", "blank", "btn", "button", "copycode", "emoji", "favicon", "gravatar",
    "icon", "icons", "logo", "pixel", "rss", "smilies", "spacer", "sprite", "tracker",
]);

/// Longest word of a list.
const LONGEST: usize = 32;

/// Calls `each` with the words of a name, in lower case: `relatedPosts`, `related-posts` and `RELATED_POSTS` have two. Those that
/// are longer than any in a list are left out.
fn words(name: &str, mut each: impl FnMut(&[u8])) {
    let (mut word, mut length) = ([0; LONGEST], 0);
    let mut before_lower = false;
    for &byte in name.as_bytes().iter().chain(b" ") {
        let is_letter = byte.is_ascii_alphanumeric() || !byte.is_ascii();
        if !is_letter || before_lower && byte.is_ascii_uppercase() {
            if (1..=LONGEST).contains(&length) {
                each(&word[..length]);
            }
            length = 0;
        }
        if is_letter {
            if let Some(place) = word.get_mut(length) {
                *place = byte.to_ascii_lowercase();
            }
            length += 1;
        }
        before_lower = byte.is_ascii_lowercase() || !byte.is_ascii();
    }
}

/// Whether a word of one of these attributes of an element is in a list.
pub(crate) fn is_named(
    document: &Document,
    id: NodeId,
    attributes: &[LocalName],
    list: &WordList,
) -> bool {
    let mut names = attributes.iter().filter_map(|attribute| document.attribute(id, attribute));
    names.any(|names| has_word(names, list))
}

fn has_word(name: &str, list: &WordList) -> bool {
    let mut has = false;
    words(name, |word| has |= list.has(word));
    has
}

/// Whether elements do not belong to the article around them, by their tags or names: decided once for each kind of
/// element.
#[derive(Debug)]
pub(crate) struct ForeignKinds {
    /// By kind: whether elements of it are foreign, where that is known.
    known: RefCell<Vec<Option<bool>>>,
}

impl ForeignKinds {
    pub(crate) fn of(document: &Document) -> Self {
        Self { known: RefCell::new(vec![None; document.kinds().all().len()]) }
    }

    /// Whether an element does not belong to the article around it.
    pub(crate) fn has(&self, document: &Document, id: NodeId) -> bool {
        let kinds = document.kinds();
        let kind = kinds.of_nodes()[id as usize] as usize;
        let Some(first) = kinds.all().get(kind).map(|kind| kind.first) else { return false };
        let mut known = self.known.borrow_mut();
        let named = known[kind].unwrap_or_else(|| is_foreign(document, first));
        known[kind] = Some(named);
        named || document.attribute(id, &local_name!("hidden")).is_some()
    }
}

fn is_foreign(document: &Document, id: NodeId) -> bool {
    if matches!(document.name(id), Some(&local_names!("nav" "footer" "button" "form"))) {
        return true;
    }
    let is_picture = |id| {
        // What WordPress calls a picture of a gallery.
        class_tokens(document.attribute(id, &local_name!("class")).unwrap_or_default())
            .any(|class| class == "gallery-icon")
    };
    is_named(document, id, &[local_name!("class"), local_name!("id")], &FOREIGN) && !is_picture(id)
        || document.attribute(id, &local_name!("role")) == Some("navigation")
}

/// Whether the class or the id of an element says that it holds an advertisement.
pub(crate) fn is_named_advertisement(document: &Document, id: NodeId) -> bool {
    is_named(document, id, &[local_name!("class"), local_name!("id")], &ADVERTISEMENTS)
}

/// Whether a picture shows no part of an article, by the name of its file or the host that has it.
pub(crate) fn is_foreign_file(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    const HOSTS: [&str; 8] = [
        "gravatar.com", "doubleclick.net", "feedburner.com", "googlesyndication.com",
        "scorecardresearch.com", "facebook.com/tr", "/smilies/", "/emoji/",
    ];
    has_word(file, &FILES) || HOSTS.iter().any(|host| address.contains(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn names_are_split_into_words(name in "[a-cA-C0-9 _-]{0,40}") {
            let mut expected: Vec<String> = Vec::new();
            let (mut is_in_word, mut before_lower) = (false, false);
            for c in name.chars() {
                let begins = !is_in_word || before_lower && c.is_uppercase();
                is_in_word = c.is_alphanumeric();
                if is_in_word && begins {
                    expected.push(String::new());
                }
                if is_in_word {
                    expected.last_mut().unwrap().extend(c.to_lowercase());
                }
                before_lower = c.is_lowercase();
            }
            let mut found = Vec::new();
            words(&name, |word| found.push(String::from_utf8(word.to_vec()).unwrap()));
            expected.retain(|word| word.len() <= LONGEST);
            proptest::prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn names_are_read_by_word() {
        for list in [&FOREIGN, &ADVERTISEMENTS, &FILES] {
            assert!(
                list.words.is_sorted() && list.words.iter().all(|word| list.has(word.as_bytes()))
            );
        }
        assert!(!FOREIGN.has(b"") && !FOREIGN.has("ü".as_bytes()) && !FOREIGN.has(b"al"));
        assert!(["ad", "über-ad", "topAd", "AD_1"].iter().all(|name| has_word(name, &FOREIGN)));
        assert!(!["überad", "adß", "漢ad", "ads2"].iter().any(|name| has_word(name, &FOREIGN)));
        let is = |html: &str| {
            let page = dom::parse(html);
            is_foreign(&page, page.children(page.children(0).next().unwrap()).next().unwrap())
        };
        assert!(
            is("<div class='x relatedPosts'>a</div>")
                && is("<div id=ad_1>a</div>")
                && is("<nav>a</nav>")
        );
        assert!(!is("<div class='lead adrift'>a</div>") && !is("<div class=shared-ground>a</div>"));
        assert!(is_foreign_file("https://a.example/img/site-logo.png?x=1"));
        assert!(!is_foreign_file("https://a.example/logo/harbour.jpg"));
    }
}
