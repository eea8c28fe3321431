//! Strings: plain text, folding for comparison, words, labels, addresses.

use std::borrow::Cow;

use memchr::memmem::Finder;
use terms::letters::{is_alphabetic, is_alphanumeric, is_numeric, lowercase};
use url::{Host, Url};

/// Plain text of a value that may contain entities (encoded once or twice) or markup: both are
/// resolved by the HTML parser itself, and white space is normalised.
pub(crate) fn plain(value: &str) -> String {
    let mut text = decode(value);
    if text.contains("</") || text.contains("<br") || text.contains("/>") {
        let document = dom::parse(&text);
        text = Cow::Owned(dom::text_of(&document, &[0], &[]));
    }
    dom::normalize_space(&text)
}

/// Resolves character references, at most twice (`&amp;#39;` is common).
fn decode(value: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(value);
    for _ in 0..2 {
        if !has_reference(&text) {
            break;
        }
        // With `<` hidden, the parser sees one run of text and only decodes it.
        let document = dom::parse(&format!("<p>{}", text.replace('<', "&lt;")));
        text = Cow::Owned(document.text_content(0).to_owned());
    }
    text
}

fn has_reference(text: &str) -> bool {
    text.match_indices('&').any(|(at, _)| {
        let rest = &text.as_bytes()[at + 1..];
        let length = rest.iter().take(32).take_while(|b| b.is_ascii_alphanumeric() || **b == b'#');
        let length = length.count();
        length > 1 && rest.get(length) == Some(&b';')
    })
}

/// Folds a word or short phrase for comparison.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    folded.extend(text.chars().filter_map(fold));
    folded
}

/// Letters and digits only, folded: equal for all spellings of a name or headline.
pub(crate) fn squash(text: &str) -> String {
    if text.is_ascii() {
        let mut letters = text.to_ascii_lowercase().into_bytes();
        letters.retain(u8::is_ascii_alphanumeric);
        return String::from_utf8(letters).unwrap_or_default();
    }
    let mut letters = String::with_capacity(text.len());
    letters.extend(squashed(text));
    letters
}

/// The characters of [`squash`].
pub(crate) fn squashed(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| is_alphanumeric(*c)).filter_map(fold)
}

/// Whether [`squash`] would return `letters` for a text.
pub(crate) fn squashes_to(text: &str, letters: &str) -> bool {
    squashed(text).eq(letters.chars())
}

/// Number of words (runs without white space).
pub(crate) fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether the text contains a letter of a script written without spaces between words.
pub(crate) fn is_unspaced(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{e00}'..='\u{e7f}'))
}

/// The longest prefix of at most `limit` bytes.
pub(crate) fn clip(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit.min(text.len()))]
}

/// Calls `found` with each word of an identifier or class list, in ASCII lower case. Words end at
/// anything but letters, and at lower-to-upper boundaries (`entryDate` → `entry`, `date`). Words
/// longer than 16 letters are skipped.
#[inline]
pub(crate) fn identifier_words(value: &str, mut found: impl FnMut(&str)) {
    const LONGEST: usize = 16;
    let bytes = value.as_bytes();
    let mut at = 0;
    while let Some(gap) = bytes[at..].iter().position(u8::is_ascii_alphabetic) {
        let start = at + gap;
        let is_lower = |b: &&u8| b.is_ascii_lowercase();
        // Capitals occur only at the start: after a lower-case letter, a capital begins the next
        // word.
        let capitals = bytes[start..].iter().take_while(|b| b.is_ascii_uppercase()).count();
        at = start + capitals;
        at += bytes[at..].iter().take_while(is_lower).count();
        if at - start > LONGEST {
            continue;
        }
        if capitals == 0 {
            found(&value[start..at]);
        } else {
            let mut word = [0u8; LONGEST];
            let word = &mut word[..at - start];
            word.copy_from_slice(&bytes[start..at]);
            word.make_ascii_lowercase();
            found(std::str::from_utf8(word).unwrap_or_default());
        }
    }
}

/// Whether `is_one` is true for any of [`identifier_words`].
pub(crate) fn has_identifier_word(value: &str, is_one: impl Fn(&str) -> bool) -> bool {
    let mut found = false;
    identifier_words(value, |word| found |= is_one(word));
    found
}

pub(crate) fn has_number(text: &str) -> bool {
    // No branch per byte, so that the compiler vectorises the loop.
    let digits = |bytes: &[u8]| bytes.iter().fold(false, |any, b| any | b.is_ascii_digit());
    text.as_bytes().chunks(64).any(digits) || {
        let mut rest = text;
        std::iter::from_fn(|| {
            rest = &rest[rest.bytes().position(|byte| !byte.is_ascii())?..];
            let mut chars = rest.chars();
            let c = chars.next();
            rest = chars.as_str();
            c
        })
        .any(is_numeric)
    }
}

/// Lower-case without diacritics (Latin, Greek tonos); `None` for combining accents.
#[inline]
pub(crate) fn fold(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    Some(match lowercase(c).next().unwrap_or(c) {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ğ' | 'ģ' => 'g',
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => 'i',
        'ł' | 'ľ' | 'ĺ' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ŕ' | 'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' => 'υ',
        'ώ' => 'ω',
        '\u{300}'..='\u{36f}' => return None,
        other => other,
    })
}

/// Labels, prepared for search once; `str::contains` would prepare each label again for every text.
pub(crate) struct LabelFinder(Vec<Finder<'static>>);

impl LabelFinder {
    pub(crate) fn new(labels: &'static [&'static str]) -> Self {
        Self(labels.iter().map(|label| Finder::new(label.as_bytes())).collect())
    }

    /// Whether a text contains one of the labels.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|label| label.find(text.as_bytes()).is_some())
    }

    /// The byte at which the first label of the list ends in a text, if it contains any.
    pub(crate) fn end_in(&self, text: &str) -> Option<usize> {
        self.0.iter().find_map(|label| Some(label.find(text.as_bytes())? + label.needle().len()))
    }
}

/// Whether a text contains a long word of a name. Authors are seldom named in their texts, unlike the places and topics beside
/// headlines.
pub(crate) fn is_named_in(name: &str, text: &str) -> bool {
    let long: Vec<String> =
        name.split_whitespace().filter(|w| w.len() >= 4).map(str::to_lowercase).collect();
    let words = clip(text, 20_000).split(|c| !is_alphabetic(c)).filter(|word| word.len() >= 4);
    let is_long = |word: &str| {
        let is_same = |long: &String| match word.is_ascii() {
            true => word.eq_ignore_ascii_case(long),
            false => word.chars().flat_map(lowercase).eq(long.chars()),
        };
        long.iter().any(is_same)
    };
    !long.is_empty() && words.into_iter().any(is_long)
}

/// Whether a text is or contains a variable of a template that was not filled in.
pub(crate) fn is_variable(text: &str) -> bool {
    let text = text.trim();
    let is_marked = |mark: &str| text.contains(mark);
    let may_be_marked =
        || text.bytes().any(|byte| matches!(byte, b'{' | b'}' | b'#' | b'%' | b'[' | b'_' | b'$'));
    let is_within = |open: &str, close: &str| {
        text.len() > open.len() + close.len() && text.starts_with(open) && text.ends_with(close)
    };
    may_be_marked()
        && (["{{", "}}", "${", "#{", "<%", "%>", "[%", "{%"].into_iter().any(is_marked)
            || [("%", "%"), ("__", "__"), ("[", "]"), ("{", "}")]
                .iter()
                .any(|(open, close)| is_within(open, close))
            || text.starts_with('$'))
        // Perl and Python print references so: "ARRAY(0x55d0c8)", "<Author object at 0x7f2a>".
        || ["(0x", " at 0x"].into_iter().any(is_marked)
}

/// What programs print for a missing value.
const UNSET: [&str; 6] = ["null", "undefined", "none", "nan", "nil", "false"];

/// Whether a text stands for a missing value: an unset variable, or no word at all ("...").
pub(crate) fn is_unset(text: &str) -> bool {
    is_variable(text)
        || UNSET.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
        || !text.contains(char::is_alphanumeric)
}

/// Whether a host is that of a machine on which pages are made, not served: "localhost", 192.168.1.2.
fn is_internal(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => !name.contains('.') || name.ends_with(".local"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_private(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => true,
    }
}

/// An absolute http(s) address, resolved against `base`, without fragment; `None` for what programs and templates print for a
/// missing address ("undefined", "{{ image }}"), and for one of the machine on which the page was made.
pub(crate) fn absolute(base: Option<&Url>, href: &str) -> Option<String> {
    let href = href.trim();
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    if href.is_empty()
        || href.len() > 4_000
        || UNSET.iter().any(|word| last.eq_ignore_ascii_case(word))
        || is_variable(href)
    {
        return None;
    }
    let mut url = match base {
        Some(base) => base.join(href).ok()?,
        None => Url::parse(href).ok()?,
    };
    if !matches!(url.scheme(), "http" | "https")
        || is_internal(&url) && !base.is_some_and(is_internal)
    {
        return None;
    }
    url.set_fragment(None);
    Some(url.into())
}

/// Splits an address into host without `www.`, path without its last slash, and query.
pub(crate) fn page_key(url: &str) -> (&str, &str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or(rest);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    (host.strip_prefix("www.").unwrap_or(host), path.trim_end_matches('/'), query)
}

/// Whether two addresses name the same page, scheme, `www.`, last slash and fragment aside;
/// a query counts only if both have one.
pub(crate) fn same_page(a: &str, b: &str) -> bool {
    let ((host_a, path_a, query_a), (host_b, path_b, query_b)) = (page_key(a), page_key(b));
    host_a.eq_ignore_ascii_case(host_b)
        && path_a == path_b
        && (query_a == query_b || query_a.is_empty() || query_b.is_empty())
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn entities_are_decoded_twice_at_most() {
        assert_eq!(plain("Tom &amp;amp; Jerry&#39;s"), "Tom & Jerry's");
        assert_eq!(plain("a <em>b</em>&nbsp;c"), "a b c");
        assert_eq!(plain("<table>: The Table element"), "<table>: The Table element");
        assert_eq!(plain("AT&T; R&D"), "AT&T; R&D");
    }

    #[test]
    fn identifiers_fall_into_words() {
        let mut words = Vec::new();
        identifier_words("entryDate post-2012_by__Line", |w| words.push(w.to_owned()));
        assert_eq!(words, ["entry", "date", "post", "by", "line"]);
        words.clear();
        let long = "pneumonoultramicroscopic";
        identifier_words(&format!("HTMLEntity {long} aB{long}é-Z"), |w| words.push(w.to_owned()));
        assert_eq!(words, ["htmlentity", "a", "z"]);
    }

    #[test]
    fn squashing_keeps_what_is_read() {
        assert_eq!(squash("PestiSrácok – hír!"), "pestisracokhir");
    }

    #[test]
    fn numbers_are_found_in_any_script() {
        let long = "x".repeat(200);
        for number in ["7", "٣", "４", "½", "Ⅳ"] {
            assert!(has_number(number) && has_number(&format!("{long}{number}ä{long}")));
        }
        assert!(!has_number("") && !has_number(&long) && !has_number("Über 城 четыре"));
    }

    #[test]
    fn addresses_are_compared_by_what_they_name() {
        assert!(same_page("http://www.example.org/a/", "https://example.org/a#top"));
        assert!(same_page("http://example.org/a?utm=1", "http://example.org/a"));
        assert!(!same_page("http://example.org/?p=1", "http://example.org/?p=2"));
        assert!(!same_page("http://example.org/a", "http://example.org/b"));
    }

    #[test]
    fn only_http_addresses_come_out() {
        let base = Url::parse("http://example.org/a/b").ok();
        assert_eq!(absolute(base.as_ref(), "../c#d").as_deref(), Some("http://example.org/c"));
        assert_eq!(absolute(base.as_ref(), "data:image/png;base64,AA"), None);
        assert_eq!(absolute(base.as_ref(), "javascript:x()"), None);
        for none in ["undefined", "Null", "{{ post.image }}", "<%= url %>", "${url}"] {
            assert_eq!(absolute(base.as_ref(), none), None, "{none}");
        }
    }
}
