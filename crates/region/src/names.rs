//! Recognises elements that do not belong to an article by their names: teasers, advertisements, author boxes, sharing.

use std::cell::RefCell;

use dom::{Document, NodeId, class_tokens, local_name, local_names};

/// Sorted words that begin with a letter from `a` to `z`. Nearly every word of a page is ruled out by its first letter and
/// its length.
struct WordList {
    words: &'static [&'static str],
    /// The lengths of the words with each first letter, as bits.
    lengths: [u32; 26],
}

impl WordList {
    const fn of(words: &'static [&'static str]) -> Self {
        let mut lengths = [0; 26];
        let mut at = 0;
        while at < words.len() {
            let word = words[at].as_bytes();
            lengths[(word[0] - b'a') as usize] |= 1 << (word.len() & 31);
            at += 1;
        }
        Self { words, lengths }
    }

    /// Whether the list contains a word, ignoring case.
    fn has(&self, word: &[u8]) -> bool {
        let initial = (word.first().copied().unwrap_or_default() | 0x20).wrapping_sub(b'a');
        let lengths = self.lengths.get(usize::from(initial)).copied().unwrap_or(0);
        lengths >> (word.len() & 31) & 1 != 0 && {
            let lower = || word.iter().map(u8::to_ascii_lowercase);
            self.words.binary_search_by(|known| known.bytes().cmp(lower())).is_ok()
        }
    }
}

/// Words in classes and ids of elements that do not belong to the article around them, sorted.
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

/// Words in classes and ids of advertisements, sorted.
static ADVERTISEMENTS: WordList = WordList::of(&[
    "ad", "ads", "adsbygoogle", "adslot", "adunit", "advert", "advertisement", "advertising",
    "anzeige", "dfp", "sponsor", "sponsored",
]);

/// Words in classes of captions and credits, sorted.
static CAPTIONS: WordList = WordList::of(&[
    "bildunterschrift", "caption", "captions", "copyright", "credit", "creditline", "credits",
    "cutline", "didascalia", "imagecredit", "legend", "legende", "photocredit", "photographer",
    "pie",
]);

/// Words in classes and properties of credits, sorted.
static CREDITS: WordList = WordList::of(&[
    "agency", "attribution", "copyright", "copyrightholder", "courtesy", "credit", "creditline",
    "credits", "imagecredit", "photocredit", "photographer", "source",
]);

/// Words in names of picture files that do not belong to an article, sorted.
static FILES: WordList = WordList::of(&[
    "avatar", "badge", "blank", "btn", "button", "copycode", "emoji", "favicon", "gravatar",
    "icon", "icons", "logo", "pixel", "rss", "smilies", "spacer", "sprite", "tracker",
]);

/// Classes of bytes in names: letters and digits, those that may begin a word, and those after which a word may begin.
const LETTER: u8 = 1;
const BEGINS: u8 = 2;
const ENDS: u8 = 4;
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < classes.len() {
        classes[at] = match at as u8 {
            b'A'..=b'Z' => LETTER | BEGINS,
            b'a'..=b'z' | 0x80.. => LETTER | ENDS,
            b'0'..=b'9' => LETTER,
            _ => 0,
        };
        at += 1;
    }
    classes
};

/// Splits a name into words: `relatedPosts`, `related-posts` and `RELATED_POSTS` have two.
fn words(name: &str) -> impl Iterator<Item = &[u8]> {
    let (bytes, mut end) = (name.as_bytes(), 0);
    let class = move |at: usize| bytes.get(at).map_or(0, |byte| CLASSES[usize::from(*byte)]);
    std::iter::from_fn(move || {
        while end < bytes.len() && class(end) == 0 {
            end += 1;
        }
        let (from, mut before) = (end, class(end));
        while before != 0 {
            end += 1;
            let own = class(end);
            before = if before & ENDS != 0 && own & BEGINS != 0 { 0 } else { own };
        }
        (from < end).then(|| &bytes[from..end])
    })
}

fn has_word(name: &str, list: &WordList) -> bool {
    words(name).any(|word| list.has(word))
}

/// The classification of an element by its tag and names.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NamedAs {
    /// It does not belong to the article around it.
    pub(crate) foreign: bool,
    pub(crate) advertisement: bool,
    /// It names the owner of a picture.
    pub(crate) credit: bool,
}

impl NamedAs {
    fn of(document: &Document, id: NodeId) -> Self {
        let mut named = Self::default();
        let Some(element) = document.element(id) else { return named };
        let (mut has_foreign_name, mut is_navigation, mut class) = (false, false, "");
        for (attribute, value) in element.attributes() {
            let (is_class, is_id) =
                (*attribute == local_name!("class"), *attribute == local_name!("id"));
            if is_class {
                class = value;
            } else if !is_id && *attribute != local_name!("itemprop") {
                is_navigation |= *attribute == local_name!("role") && value == "navigation";
                continue;
            }
            for word in words(value) {
                if (is_class || is_id) && FOREIGN.has(word) {
                    has_foreign_name = true;
                    named.advertisement |= ADVERTISEMENTS.has(word);
                }
                named.credit |= !is_id && CREDITS.has(word);
            }
        }
        // WordPress's class for a picture of a gallery.
        let is_picture = || class_tokens(class).any(|class| class == "gallery-icon");
        named.foreign = matches!(*element.name, local_names!("nav" "footer" "button" "form"))
            || is_navigation
            || has_foreign_name && !is_picture();
        named
    }
}

/// Whether the class of an element contains a word for captions, or a word that ends in "caption", such as "thumbcaption".
pub(crate) fn has_class_of_caption(document: &Document, id: NodeId) -> bool {
    let ends_so = |word: &[u8]| {
        word.last_chunk().is_some_and(|end: &[u8; 7]| end.eq_ignore_ascii_case(b"caption"))
    };
    let class = document.attribute(id, &local_name!("class"));
    class.is_some_and(|class| words(class).any(|word| ends_so(word) || CAPTIONS.has(word)))
}

/// The classification of a page's elements by their tags and names, decided once per kind of element.
#[derive(Debug)]
pub(crate) struct NamedKinds {
    /// The classification by kind, if known.
    known: RefCell<Vec<Option<NamedAs>>>,
}

impl NamedKinds {
    pub(crate) fn of(document: &Document) -> Self {
        Self { known: RefCell::new(vec![None; document.kinds().all().len()]) }
    }

    pub(crate) fn get(&self, document: &Document, id: NodeId) -> NamedAs {
        let kinds = document.kinds();
        let kind = kinds.of_nodes()[id as usize] as usize;
        let Some(first) = kinds.all().get(kind).map(|kind| kind.first) else {
            return NamedAs::default();
        };
        *self.known.borrow_mut()[kind].get_or_insert_with(|| NamedAs::of(document, first))
    }

    /// Whether an element does not belong to the article around it.
    pub(crate) fn is_foreign(&self, document: &Document, id: NodeId) -> bool {
        self.get(document, id).foreign || document.attribute(id, &local_name!("hidden")).is_some()
    }
}

/// Whether a picture does not belong to an article, by its file name or host.
pub(crate) fn is_foreign_file(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    const HOSTS: [&str; 9] = [
        "gravatar.com", "doubleclick.net", "feedburner.com", "googlesyndication.com",
        "scorecardresearch.com", "facebook.com/tr", "/smilies/", "/emoji/", "/ads/",
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
            let lower = |word: &[u8]| String::from_utf8(word.to_ascii_lowercase()).unwrap();
            let found: Vec<String> = words(&name).map(lower).collect();
            proptest::prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn names_are_read_by_word() {
        for list in [&FOREIGN, &ADVERTISEMENTS, &CAPTIONS, &CREDITS, &FILES] {
            assert!(
                list.words.is_sorted() && list.words.iter().all(|word| list.has(word.as_bytes()))
            );
        }
        assert!(!FOREIGN.has(b"") && !FOREIGN.has("ü".as_bytes()) && !FOREIGN.has(b"al"));
        assert!(["ad", "über-ad", "topAd", "AD_1"].iter().all(|name| has_word(name, &FOREIGN)));
        assert!(!["überad", "adß", "漢ad", "ads2"].iter().any(|name| has_word(name, &FOREIGN)));
        let is = |html: &str| {
            let page = dom::parse(html);
            let id = page.children(page.children(0).next().unwrap()).next().unwrap();
            NamedAs::of(&page, id).foreign
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
