//! Walls: what a site serves instead of an article, such as a consent form, a bot check or an error page.
//!
//! Their lines are those of pages at other addresses. Phrases in some languages name the kind of a wall. They
//! decide alone only where a page shares too little with its siblings, or has none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use dom::text_of;
use memchr::memmem::Finder;
use model::{Access, Article, DropReason, Field, Source};
use terms::{count_words, has_words};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::body::Body;
use crate::parsed::ParsedPage;

/// Number of addresses with the same line, from which on it is of none of them.
const ADDRESSES: usize = 3;
/// Maximum number of words of a wall: longer texts at several addresses are copies of one article.
const MOST_WORDS: u32 = 250;
/// Maximum number of those that no other page has.
const OWN_WORDS: u32 = 8;
/// Words of a wall that no phrase names, and that half of the pages are: of less frequent ones, it cannot be told whether
/// they are articles that are crawled several times.
const WORDS_UNNAMED: std::ops::RangeInclusive<u32> = 20..=120;
/// Maximum number of words of a wall that phrases alone name, and how many of them do.
const MOST_WORDS_ALONE: u32 = 120;
const PHRASES_ALONE: usize = 2;
/// Number of digits from which on a number identifies something.
const LONG_NUMBER: usize = 6;
/// Minimum number of bytes of a name that is not compared: shorter ones are parts of many words.
const LEAST_NAME: usize = 5;
/// Maximum number of repeated lines that are kept of a template.
const MOST_LINES: usize = 1_000;

/// Phrases of walls, in lower case. Those of several kinds ("enable JavaScript and cookies") count for each.
const PHRASES: [(DropReason, &[&str]); 5] = [
    (
        DropReason::ScriptShell,
        &[
            "enable javascript",
            "javascript is disabled",
            "javascript is required",
            "requires javascript",
            "without javascript",
            "javascript aktivieren",
            "javascript ist deaktiviert",
            "activer javascript",
            "activar javascript",
            "habilitar javascript",
            "habilite o javascript",
            "abilitare javascript",
            "javascript inschakelen",
            "włącz javascript",
            "включите javascript",
            "启用javascript",
            "javascriptを有効",
            "run this app",
            "browser doesn't support",
            "browser does not support",
        ],
    ),
    (
        DropReason::BotCheck,
        &[
            "just a moment",
            "checking your browser",
            "verify you are human",
            "verifying you are human",
            "are you a robot",
            "not a robot",
            "captcha",
            "unusual traffic",
            "ray id",
            "ddos protection",
            "security check",
            "access denied",
            "automated access",
            "kein roboter",
            "pas un robot",
            "no soy un robot",
            "não sou um robô",
            "non sono un robot",
            "geen robot",
            "не робот",
            "人机验证",
            "ロボットではありません",
            "enable javascript and cookies",
        ],
    ),
    (
        DropReason::ConsentWall,
        &[
            "cookies",
            "your privacy",
            "our partners",
            "personalised advertising",
            "personalized advertising",
            "consent",
            "accept all",
            "reject all",
            "einwilligung",
            "zustimmen",
            "ihre privatsphäre",
            "unsere partner",
            "personalisierte werbung",
            "consentement",
            "nos partenaires",
            "vie privée",
            "tout accepter",
            "consentimiento",
            "nuestros socios",
            "aceptar todo",
            "consenso",
            "nostri partner",
            "accetta tutt",
            "consentimento",
            "nossos parceiros",
            "toestemming",
            "onze partners",
            "zgoda",
            "partnerzy",
            "souhlas",
            "согласие",
            "同意",
            "クッキー",
        ],
    ),
    (
        DropReason::PaywallStub,
        &[
            "subscribe",
            "subscriber",
            "subscription",
            "sign in to continue",
            "log in to continue",
            "register to read",
            "continue reading",
            "free trial",
            "cancel at any time",
            "abonnieren",
            "abonnent",
            "jetzt abo",
            "jetzt weiterlesen",
            "abonnez-vous",
            "abonné",
            "réservé aux",
            "suscríb",
            "suscript",
            "suscripción",
            "abbonat",
            "abbonament",
            "assinante",
            "assine",
            "abonneer",
            "abonnee",
            "prenumer",
            "předplat",
            "előfizet",
            "подпис",
            "订阅",
            "購読",
            "会員限定",
        ],
    ),
    (
        DropReason::SoftNotFound,
        &[
            "404",
            "not found",
            "does not exist",
            "doesn't exist",
            "no longer exists",
            "no longer available",
            "has been moved",
            "has been removed",
            "can't find",
            "cannot be found",
            "nicht gefunden",
            "existiert nicht",
            "nicht mehr verfügbar",
            "introuvable",
            "n'existe pas",
            "n'existe plus",
            "no encontrada",
            "no existe",
            "no se encuentra",
            "não encontrada",
            "não existe",
            "non trovata",
            "non esiste",
            "niet gevonden",
            "bestaat niet",
            "nie znalezion",
            "nie istnieje",
            "nenalezena",
            "neexistuje",
            "nem található",
            "не найдена",
            "не существует",
            "找不到",
            "不存在",
            "見つかりません",
        ],
    ),
];

/// Hashes of the lines that pages of a sample at several addresses have in common, ascending, and whether at
/// least half of the pages have the line.
pub(crate) fn repeated_lines<'a>(
    pages: impl Iterator<Item = (&'a ParsedPage<'a>, &'a Body)>,
) -> Vec<(u64, bool)> {
    let pages: Vec<_> = pages.filter(|(_, body)| body.text.is_none()).collect();
    if pages.len() < ADDRESSES {
        return Vec::new();
    }
    let mut addresses: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for (page, body) in &pages {
        let url = &page.page.url;
        let text = text_of(&page.document, &body.nodes, &body.prune);
        let mut hashes = Lines::of(url);
        let lines: BTreeSet<u64> = text.lines().filter_map(|line| hashes.hash(line)).collect();
        let story = story(url);
        for line in lines {
            addresses.entry(line).or_default().insert(story.clone());
        }
    }
    let repeated = addresses.into_iter().filter(|(_, stories)| stories.len() >= ADDRESSES);
    repeated
        .map(|(line, stories)| (line, 2 * stories.len() >= pages.len()))
        .take(MOST_LINES)
        .collect()
}

/// Why an article is none, if so: the site serves its text at other addresses too, or serves it instead of
/// an article. `repeated` is what [`repeated_lines`] gave for the template.
pub(crate) fn reason(
    article: &Article,
    page: &ParsedPage<'_>,
    repeated: &[(u64, bool)],
) -> Option<DropReason> {
    let (text, url) = (&*article.text, &*article.url);
    if has_words(text, MOST_WORDS + 1) {
        return None;
    }
    let words = count_words(text);
    let title = article.metadata.title.as_ref().map_or("", |title| &title.value);
    let mut hashes = Lines::of(url);
    let of_title = hashes.hash(title);
    let known = |line: u64| {
        let at = repeated.binary_search_by_key(&line, |(line, _)| *line).ok()?;
        Some(repeated[at].1)
    };
    let (mut own, mut shared, mut of_most) = (0, 0, true);
    for line in text.lines() {
        let hash = hashes.hash(line);
        if let Some(is_of_most) = hash.and_then(known) {
            shared += count_words(line);
            of_most &= is_of_most;
        } else if hash != of_title {
            own += count_words(line);
        }
    }
    let name = |text: &str| kind_of(&format!("{title}\n{text}").to_lowercase());
    if own <= OWN_WORDS && shared > own {
        let kind = name(text).map(|(kind, _)| kind);
        let unnamed = of_most && WORDS_UNNAMED.contains(&words);
        return kind.or(unnamed.then_some(DropReason::DuplicateText));
    }
    if own > 0 && words > MOST_WORDS_ALONE {
        return None;
    }
    // A title without a text: the wall may be among what the siblings share, which is not extracted.
    let alone = if own == 0 { name(&text_of(&page.document, &[0], &[])) } else { name(text) };
    let (kind, phrases) = alone?;
    // An article about subscriptions is more frequent than a paywall on a page without siblings.
    let is_told = own == 0 || kind != DropReason::PaywallStub;
    (phrases >= PHRASES_ALONE && is_told).then_some(kind)
}

/// Notes that a page has only the beginning of an article: a short text with a request to subscribe that siblings have, too. What
/// the page itself declares decides first.
pub(crate) fn note_paywall(article: &mut Article, repeated: &[(u64, bool)]) {
    let is_decided = article.metadata.access.is_some() || repeated.is_empty();
    if is_decided || has_words(&article.text, MOST_WORDS + 1) {
        return;
    }
    let mut hashes = Lines::of(&article.url);
    let is_repeated = |line: &&str| {
        let hash = hashes.hash(line);
        hash.is_some_and(|hash| repeated.binary_search_by_key(&hash, |(line, _)| *line).is_ok())
    };
    let is_wall = |line: &str| {
        kind_of(&line.to_lowercase()).is_some_and(|(kind, _)| kind == DropReason::PaywallStub)
    };
    if article.text.lines().filter(is_repeated).any(is_wall) {
        article.metadata.access = Some(Field { value: Access::Partial, source: Source::Page });
    }
}

/// [`PHRASES`], prepared for searches.
static FINDERS: LazyLock<[(DropReason, Vec<Finder<'static>>); PHRASES.len()]> =
    LazyLock::new(|| PHRASES.map(|(kind, all)| (kind, all.iter().map(Finder::new).collect())));

/// The kind of wall with the most phrases in a text, and their number; the first of equals.
fn kind_of(lower: &str) -> Option<(DropReason, usize)> {
    let count = |phrases: &[Finder<'_>]| {
        phrases.iter().filter(|phrase| phrase.find(lower.as_bytes()).is_some()).count()
    };
    let found = FINDERS.iter().map(|(kind, phrases)| (*kind, count(phrases)));
    found.filter(|(_, count)| *count > 0).rev().max_by_key(|(_, count)| *count)
}

/// Hashes the lines of a page.
struct Lines {
    /// The name of the page in its address, as it is and in words, in lower case; none if it is too short.
    names: Option<[String; 2]>,
    /// The words of the current line.
    words: String,
}

impl Lines {
    fn of(url: &str) -> Self {
        let name = name_of(url).to_lowercase();
        let names = (name.len() >= LEAST_NAME).then(|| {
            let in_words = name.replace(['-', '_'], " ");
            [name, in_words]
        });
        Self { names, words: String::new() }
    }

    /// A hash of the words of a line, without what differs between the addresses of one wall: identifiers, and the
    /// name of the page. `None` without any. Numbers count: pages that differ in them alone may be results, prices
    /// or the weather.
    fn hash(&mut self, line: &str) -> Option<u64> {
        let mut lower = line.to_lowercase();
        for name in self.names.iter().flatten() {
            if lower.contains(&**name) {
                lower = lower.replace(&**name, " ");
            }
        }
        self.words.clear();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        for word in words.filter(|word| !word.is_empty() && !is_identifier(word)) {
            if !self.words.is_empty() {
                self.words.push(' ');
            }
            self.words.push_str(word);
        }
        (!self.words.is_empty()).then(|| xxh3_64(self.words.as_bytes()))
    }
}

/// Whether a word is letters and digits mixed, or a long number.
fn is_identifier(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits >= LONG_NUMBER || digits > 0 && digits < word.chars().count()
}

/// What of an address names a story: its longest segment and the values of its query. Versions of one story
/// for printing, for phones or for another tracking parameter have the same.
fn story(url: &str) -> String {
    let longest = name_of(url);
    let Ok(url) = Url::parse(url) else { return url.to_owned() };
    let numbers = url.query_pairs().filter(|(_, value)| value.contains(|c: char| c.is_numeric()));
    let values: BTreeSet<String> = numbers
        .filter(|(key, _)| !key.starts_with("utm_"))
        .map(|(_, value)| value.into_owned())
        .collect();
    format!("{longest} {values:?}")
}

/// The longest segment of the path of an address.
fn name_of(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.split('/').skip(3).max_by_key(|segment| segment.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(line: &str, url: &str) -> Option<u64> {
        Lines::of(url).hash(line)
    }

    /// The same hash, line by line and text by text.
    fn hash_simply(line: &str, url: &str) -> Option<u64> {
        let name = name_of(url).to_lowercase();
        let mut lower = line.to_lowercase();
        if name.len() >= LEAST_NAME {
            lower = lower.replace(&name, " ").replace(&name.replace(['-', '_'], " "), " ");
        }
        let words = lower.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty() && !is_identifier(word));
        let text = words.collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then(|| xxh3_64(text.as_bytes()))
    }

    proptest::proptest! {
        #[test]
        fn lines_of_a_page_are_hashed_one_like_the_other(
            lines in proptest::collection::vec("(A-b[ _]C|a b c|[AİßΣ7 ,]{0,4}|a1){0,4}", 0..6),
            name in "(a-b_c|A-b c|aaaa|x){1,2}",
        ) {
            let url = format!("https://e.org/s/{name}?id=1");
            let mut hashes = Lines::of(&url);
            for line in &lines {
                proptest::prop_assert_eq!(hashes.hash(line), hash_simply(line, &url));
            }
        }
    }

    #[test]
    fn fewer_pages_than_addresses_have_no_repeated_lines() {
        assert!(repeated_lines(std::iter::empty()).is_empty());
    }

    #[test]
    fn what_differs_between_addresses_of_a_wall_does_not_count() {
        let line = |slug: &str| {
            hash(
                &format!("The page /{slug} was not found. Code 4{slug}7"),
                &format!("https://e.org/{slug}"),
            )
        };
        assert_eq!(line("old-harbour"), line("new-bridge"));
        assert_ne!(hash("A page", "https://e.org/"), hash("Another one", "https://e.org/"));
        assert_eq!(hash("8f3a – 1700000000", "https://e.org/"), None);
        assert_ne!(hash("12 degrees", "https://e.org/"), hash("17 degrees", "https://e.org/"));
    }

    #[test]
    fn versions_of_a_story_are_one_address() {
        let first = story("https://e.org/2024/a-long-story");
        for other in
            ["http://m.e.org/amp/a-long-story", "https://e.org/a-long-story/print?utm_source=7"]
        {
            assert_eq!(story(other), first);
        }
        assert_ne!(
            story("https://e.org/article.php?id=1"),
            story("https://e.org/article.php?id=2")
        );
    }

    #[test]
    fn phrases_name_the_kind_of_wall() {
        let kind = |text: &str| kind_of(&text.to_lowercase()).map(|found| found.0);
        assert_eq!(kind("Page not found: it does not exist."), Some(DropReason::SoftNotFound));
        assert_eq!(kind("Just a moment… Verify you are human"), Some(DropReason::BotCheck));
        assert_eq!(
            kind("Diesen Artikel lesen nur Abonnenten: jetzt abonnieren"),
            Some(DropReason::PaywallStub)
        );
        assert_eq!(kind("The mayor opened the bridge."), None);
    }
}
