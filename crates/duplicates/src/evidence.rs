//! Evidence for two articles being the same, and the forms of their addresses: mobile, AMP and print versions, with and without
//! tracking parameters.

use std::cmp::Reverse;

use grouping::Tracking;
use model::Article;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::paragraphs::{ParagraphWords, paragraphs_and_words_of};
use crate::sketch::{Sketch, add_word};

/// Number of words of a shingle.
const SHINGLE: usize = 3;
/// Texts with fewer shingles are the same only if their titles are also the same.
const SHORT: u32 = 30;
/// Minimum similarity of short texts.
const SHORT_SIMILARITY: f64 = 0.9;
/// Minimum similarity of texts with the same title.
const TITLED_SIMILARITY: f64 = 0.5;
/// Minimum similarity of texts at versions of one address, and minimum share of the shorter text in the longer one.
const ADDRESSED_SIMILARITY: f64 = 0.3;
const ADDRESSED_SHARE: f64 = 0.6;
/// Minimum similarity of the numbers in texts with different titles: reports made from one pattern differ in their numbers.
const NUMBERS_SIMILARITY: f64 = 0.6;
/// Texts with fewer different numbers are not compared by them.
const FEW_NUMBERS: u8 = 3;
/// Titles with fewer words are no evidence.
const TITLE_WORDS: usize = 3;
/// Date of articles without a date: after all others.
const UNDATED: u32 = u32::MAX;

/// The description of an article for comparison: about 450 bytes, and 12 for each paragraph.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ArticleDescription {
    /// Its address.
    pub url: String,
    /// Hash of its site.
    pub site: u64,
    /// Hashes of the address of its article, taken from its own address and from the canonical one.
    addresses: [u64; 2],
    /// Hash of the words of its title; 0 if the title is too short or missing.
    title: u64,
    /// Sketch of its shingles of words.
    words: Sketch<32>,
    /// Number of its shingles.
    length: u32,
    /// Sketch of the numbers in it, and how many different ones there are, up to 255.
    numbers: Sketch<4>,
    different_numbers: u8,
    /// Reasons against it as the representative of its group, as bits; the lower, the better.
    reserve: u8,
    /// Year, month and day of publication as digits.
    published: u32,
    is_plain_http: bool,
    /// Number of words in its paragraphs, counting repeated paragraphs once.
    pub paragraph_words: u32,
    /// Hashes of the paragraphs that other articles may have, each once. Empty for a thread, whose posts quote each other.
    pub paragraphs: Vec<ParagraphWords>,
}

/// Describes articles.
#[derive(Clone, Debug)]
pub struct Describer {
    tracking: Tracking,
}

impl Describer {
    /// Creates a describer with the tracking parameters of a crawl.
    pub fn new(tracking: Tracking) -> Self {
        Self { tracking }
    }

    /// Describes an article.
    pub fn describe(&self, article: &Article) -> ArticleDescription {
        let own = story_address(&article.url, &self.tracking);
        let canonical = article.canonical.as_deref();
        let canonical = canonical.and_then(|url| story_address(url, &self.tracking));
        let hash = |key: &str| xxh3_64(key.as_bytes());
        let form = own.as_ref().map(|own| own.form).unwrap_or_default();
        let own = own.map_or_else(|| hash(&article.url), |own| hash(&own.key));
        let named = canonical.map_or(own, |canonical| hash(&canonical.key));
        let TextHashes { words, numbers, mut paragraphs } = TextHashes::of(&article.text);
        let shingles = shingles_of(&words);
        let mut different: Vec<u64> = numbers.clone();
        different.sort_unstable();
        different.dedup();
        // Worst first: a fragment, a version, a page that is not the canonical one, tracked, doubtful, another form of
        // the canonical address.
        let reserve = [
            article.origin.truncated.is_some(),
            form.is_version,
            own != named,
            form.is_tracked,
            article.doubtful,
            article.canonical.as_ref().is_some_and(|canonical| *canonical != article.url),
        ];
        let published = article.published.as_deref().map(day_of);
        if !article.posts.is_empty() {
            paragraphs.clear();
        }
        paragraphs.sort_unstable();
        paragraphs.dedup();
        let paragraph_words =
            paragraphs.iter().fold(0_u32, |all, own| all.saturating_add(own.count));
        paragraphs.retain(|own| own.is_compared());
        ArticleDescription {
            url: article.url.clone(),
            site: hash(&article.site),
            addresses: [own, named],
            title: article.title.as_deref().map_or(0, title_of),
            length: u32::try_from(shingles.len()).unwrap_or(u32::MAX),
            words: Sketch::of(shingles),
            numbers: Sketch::of(numbers),
            different_numbers: u8::try_from(different.len()).unwrap_or(u8::MAX),
            reserve: reserve.iter().fold(0, |all, &one| all << 1 | u8::from(one)),
            published: published.unwrap_or(UNDATED),
            is_plain_http: form.is_plain_http,
            paragraph_words,
            paragraphs,
        }
    }
}

/// Returns a sketch of the shingles of a text.
pub fn sketch_of<const N: usize>(text: &str) -> Sketch<N> {
    let words: Vec<u64> = terms::hash_words(text).map(|(hash, _)| hash).collect();
    Sketch::of(shingles_of(&words))
}

/// Hashes the shingles of words, given the hashes of these; fewer words form one shingle.
fn shingles_of(words: &[u64]) -> impl ExactSizeIterator<Item = u64> {
    words.windows(words.len().clamp(1, SHINGLE)).map(|words| {
        let mixed = words.iter().fold(0, |all, &word| add_word(all, word));
        mixed ^ mixed >> 32
    })
}

/// The parts of a text that are compared.
struct TextHashes {
    words: Vec<u64>,
    numbers: Vec<u64>,
    paragraphs: Vec<ParagraphWords>,
}

impl TextHashes {
    fn of(text: &str) -> Self {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        let add = |hash, is_number: bool| {
            words.push(hash);
            numbers.extend(is_number.then_some(hash));
        };
        let paragraphs = paragraphs_and_words_of(text, add).map(|own| own.words).collect();
        Self { words, numbers, paragraphs }
    }
}

/// Hashes the words of a title; 0 if there are too few.
fn title_of(title: &str) -> u64 {
    let words: Vec<u64> = terms::hash_words(title).map(|(hash, _)| hash).collect();
    if words.len() < TITLE_WORDS {
        return 0;
    }
    words
        .iter()
        .fold(1, |all: u64, word| (all.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Returns the digits of the day in an RFC 3339 date or date-time.
fn day_of(date: &str) -> u32 {
    let digits: String = date.chars().take(10).filter(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|_| digits.len() == 8).unwrap_or(UNDATED)
}

impl ArticleDescription {
    /// Returns keys of its addresses and of the bands of its sketch. Two articles that may be the same share at least one key.
    /// Texts of similarity 0.8 share a band with a probability of more than 0.9999, texts of similarity 0.5 with one of 0.87.
    pub fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        let mixed = |kind: u64, value: u64| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&kind.to_le_bytes());
            bytes[8..].copy_from_slice(&value.to_le_bytes());
            xxh3_64(&bytes)
        };
        let [own, named] = self.addresses;
        let named = (named != own).then_some(named);
        let addresses = [own].into_iter().chain(named).map(move |address| mixed(0, address));
        let bands = (1..).zip(self.words.bands()).map(move |(number, &band)| mixed(number, band));
        addresses.chain(bands)
    }

    /// Returns the similarity of two texts, 0 to 1, if they are one article. The less other evidence there is, the stricter
    /// the limit: versions of one address, one title, or nothing else, where the similarity must be at least `least`.
    pub fn similarity(&self, other: &Self, least: f64) -> Option<f64> {
        let similarity = self.words.similarity(&other.words);
        let (shorter, longer) = (self.length.min(other.length), self.length.max(other.length));
        let has_one_title = self.title != 0 && self.title == other.title;
        let is_one = if self.addresses.iter().any(|own| other.addresses.contains(own)) {
            let both = f64::from(self.length) + f64::from(other.length);
            let shared = similarity * both / (1.0 + similarity);
            similarity >= ADDRESSED_SIMILARITY || shared >= ADDRESSED_SHARE * f64::from(shorter)
        } else if longer < SHORT {
            has_one_title && similarity >= SHORT_SIMILARITY
        } else if has_one_title {
            similarity >= TITLED_SIMILARITY.min(least)
        } else {
            let has_few = self.different_numbers.min(other.different_numbers) < FEW_NUMBERS;
            let has_numbers =
                has_few || self.numbers.similarity(&other.numbers) >= NUMBERS_SIMILARITY;
            similarity >= least && has_numbers
        };
        (is_one && shorter > 0).then_some(similarity)
    }

    /// A hash that versions of one article share: that of its title, or else of its address.
    pub fn story(&self) -> u64 {
        if self.title == 0 { self.address() } else { self.title }
    }

    /// The hash of the article's address: the canonical one, if the page names one.
    pub fn address(&self) -> u64 {
        self.addresses[1]
    }

    /// Whether it represents a group of articles better than `other` does: complete, not a version of another page,
    /// published first, at the address that more articles of the group name (`named` and `other_named` are these
    /// numbers), longer. Ties are decided by the address.
    pub fn is_before(&self, named: u32, other: &Self, other_named: u32) -> bool {
        let order = |of: &Self, named: u32| {
            let length = (Reverse(of.length), of.is_plain_http, of.url.len());
            (of.reserve, of.published, Reverse(named), length)
        };
        (order(self, named), &self.url) < (order(other, other_named), &other.url)
    }
}

/// What the form of an address says about the page.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct AddressForm {
    /// Whether it is a version for phones, for AMP or for printing.
    pub is_version: bool,
    /// Whether it has tracking parameters.
    pub is_tracked: bool,
    /// Whether its scheme is `http`.
    pub is_plain_http: bool,
}

/// The address of an article, the same for all versions of its page.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StoryAddress {
    /// Equal for all versions: host and path without the marks of a version, and the other parameters.
    pub key: String,
    /// The form of this address.
    pub form: AddressForm,
}

/// First labels of host names that serve versions.
const HOSTS: [&str; 8] = ["m", "mobile", "mobil", "amp", "touch", "wap", "print", "i"];
/// First or last path segments that mark a version.
const SEGMENTS: [&str; 8] =
    ["amp", "amphtml", "print", "printable", "printversion", "mobile", "m", "print.html"];
/// Endings of last path segments that mark a version, and the endings that replace them.
const ENDINGS: [(&str, &str); 6] = [
    (".amp.html", ".html"),
    (".amp", ""),
    ("-amp.html", ".html"),
    ("_print.html", ".html"),
    (".print.html", ".html"),
    (".print", ""),
];
/// Query parameters that ask for a version, whatever their value.
const PARAMETERS: &str =
    "amp print printable printview print_view printmode mobile mobile_view nomobile m";
/// Query parameters that ask for a version by their value, and the values that do.
const CHOICES: [&str; 6] = ["outputtype", "output", "view", "mode", "format", "display"];
const CHOSEN: [&str; 4] = ["amp", "print", "mobile", "printable"];
/// Suffix of hosts that serve Google's AMP cache. The original's host and path follow in the path, after `s/` if it uses TLS.
const AMP_CACHE: &str = ".cdn.ampproject.org/";

/// Returns the address of the article at `url`, and the form of `url`; `None` if it is not a URL with a host.
pub fn story_address(url: &str, tracking: &Tracking) -> Option<StoryAddress> {
    let address = tracking.address(url)?;
    let mut form = AddressForm {
        is_version: false,
        is_tracked: !address.tracked.is_empty(),
        is_plain_http: url
            .trim_start()
            .get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:")),
    };
    let mut key = address.key.to_lowercase();
    if let Some((_, original)) = key.split_once(AMP_CACHE) {
        let original = original.split_once('/').map_or("", |(_, rest)| rest);
        key = original.strip_prefix("s/").unwrap_or(original).to_owned();
        key = key.strip_prefix("www.").unwrap_or(&key).to_owned();
        form.is_version = true;
    }
    let (place, query) = key.split_once('?').unwrap_or((&key, ""));
    let mut segments: Vec<&str> = place.split('/').collect();
    let host = segments.remove(0);
    let shorter =
        host.split_once('.').filter(|(first, rest)| HOSTS.contains(first) && rest.contains('.'));
    let host = shorter.map_or(host, |(_, rest)| rest.strip_prefix("www.").unwrap_or(rest));
    form.is_version |= shorter.is_some();
    if segments.len() > 1 && SEGMENTS.contains(&segments[0]) {
        segments.remove(0);
        form.is_version = true;
    }
    if segments.len() > 1 && segments.last().is_some_and(|last| SEGMENTS.contains(last)) {
        segments.pop();
        form.is_version = true;
    }
    let mut path = segments.join("/");
    if let Some((ending, instead)) = ENDINGS.iter().find(|(ending, _)| path.ends_with(ending)) {
        path.truncate(path.len() - ending.len());
        path.push_str(instead);
        form.is_version = true;
    }
    let asks_for_version = |pair: &&str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        PARAMETERS.split(' ').any(|own| own == name)
            || CHOICES.contains(&name) && CHOSEN.contains(&value)
    };
    let pairs = || query.split('&').filter(|pair| !pair.is_empty());
    form.is_version |= pairs().any(|pair| asks_for_version(&pair));
    let rest: Vec<&str> = pairs().filter(|pair| !asks_for_version(pair)).collect();
    let sign = if rest.is_empty() { "" } else { "?" };
    Some(StoryAddress { key: format!("{host}/{path}{sign}{}", rest.join("&")), form })
}
