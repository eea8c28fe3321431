//! The country whose usual encodings a page is likely to use, as a top-level domain, which the detector
//! expects.

use std::cell::OnceCell;

use encoding_rs::WINDOWS_1252;
use memchr::memchr;
use whatlang::Lang;

use crate::CharsetHints;
use crate::declared::PageDeclarations;

/// Number of bytes of text whose language is detected.
const TEXT: usize = 1 << 10;

/// Minimum length of a run of text between tags that is considered, in bytes.
const STRETCH: usize = 30;

/// Languages with their own encodings, each with a country in which it is used.
const COUNTRIES: [&str; 49] = [
    "ar sa", "az az", "be by", "bg bg", "bs hr", "ca es", "cs cz", "da dk", "de de", "el gr",
    "es es", "et lt", "eu es", "fa ir", "fi fi", "fo fo", "fr fr", "gl es", "he il", "hr hr",
    "hu hu", "is is", "it it", "iw il", "ja jp", "kk kz", "ko kr", "ky kg", "lt lt", "lv lv",
    "mk mk", "mn mn", "nl nl", "no no", "pl pl", "pt pt", "ro ro", "ru ru", "sk sk", "sl si",
    "sr rs", "sv se", "tg tj", "th th", "tr tr", "uk ua", "ur pk", "vi vn", "yi il",
];

/// The language of a text, or rather a group of languages with similar spelling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfText {
    /// The top-level domain of a country where it is spoken.
    pub(crate) domain: &'static str,
    /// Whether windows-1252 is made for it.
    pub(crate) is_western: bool,
}

/// Languages that windows-1252 is made for.
const WESTERN: [Lang; 12] = [
    Lang::Cat,
    Lang::Dan,
    Lang::Deu,
    Lang::Eng,
    Lang::Fin,
    Lang::Fra,
    Lang::Ita,
    Lang::Nld,
    Lang::Nob,
    Lang::Por,
    Lang::Spa,
    Lang::Swe,
];

/// The language of a text in Latin script, detected from its ASCII letters, in any encoding.
fn in_latin_letters(language: Lang) -> Option<OfText> {
    let (domain, is_western) = match language {
        Lang::Aze => ("az", false),
        Lang::Ces => ("cz", false),
        Lang::Est | Lang::Lit => ("lt", false),
        Lang::Hrv => ("hr", false),
        Lang::Hun => ("hu", false),
        Lang::Lav => ("lv", false),
        Lang::Pol => ("pl", false),
        Lang::Ron => ("ro", false),
        Lang::Slk => ("sk", false),
        Lang::Slv => ("si", false),
        Lang::Tur => ("tr", false),
        Lang::Vie => ("vn", false),
        _ if WESTERN.contains(&language) => ("de", true),
        _ => return None,
    };
    Some(OfText { domain, is_western })
}

/// The origin of a page, which indicates its likely encodings.
#[derive(Debug)]
pub(crate) struct Habits<'a> {
    bytes: &'a [u8],
    declared: Option<&'static str>,
    domain: Option<String>,
    /// From the language of the text.
    of_text: OnceCell<Option<OfText>>,
}

impl<'a> Habits<'a> {
    pub(crate) fn of(
        bytes: &'a [u8],
        page: &PageDeclarations<'_>,
        hints: &CharsetHints<'_>,
    ) -> Self {
        let language = page.language.and_then(|language| std::str::from_utf8(language).ok());
        Self {
            bytes,
            declared: [language, hints.language].into_iter().flatten().find_map(country),
            domain: hints.url.and_then(domain),
            of_text: OnceCell::new(),
        }
    }

    /// The top-level domain for the declared language, or else that of the address, in lower-case ASCII.
    pub(crate) fn domain(&self) -> Option<&str> {
        self.declared.or(self.domain.as_deref())
    }

    /// Whether the text is in a language that windows-1252 is made for.
    pub(crate) fn is_western(&self) -> bool {
        self.of_text().is_some_and(|text| text.is_western)
    }

    /// The language of the text, if none is declared.
    pub(crate) fn of_text(&self) -> Option<OfText> {
        let found = || {
            let found = whatlang::detect(&text(self.bytes))?;
            if found.is_reliable() { in_latin_letters(found.lang()) } else { None }
        };
        if self.declared.is_some() { None } else { *self.of_text.get_or_init(found) }
    }
}

/// The longer runs of text between tags, without runs that look like scripts.
fn text(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    let mut rest = bytes;
    while let Some(at) = memchr(b'>', rest) {
        rest = &rest[at + 1..];
        let stretch = &rest[..memchr(b'<', rest).unwrap_or(rest.len())];
        if stretch.len() >= STRETCH && memchr(b'{', stretch).is_none() {
            text.extend_from_slice(&stretch[..stretch.len().min(TEXT)]);
            text.push(b' ');
        }
        if text.len() >= TEXT {
            break;
        }
    }
    WINDOWS_1252.decode_without_bom_handling(&text).0.into_owned()
}

/// Returns the top-level domain for a language tag (BCP 47), if the language has its own encodings.
/// English is excluded, because templates declare it whatever the language of the text is.
fn country(language: &str) -> Option<&'static str> {
    let tag = language.split([',', ';']).next()?.trim().to_ascii_lowercase();
    let mut subtags = tag.split(['-', '_']);
    let language = subtags.next()?;
    if language == "zh" {
        let traditional = subtags.any(|subtag| ["hant", "tw", "hk", "mo"].contains(&subtag));
        return Some(if traditional { "tw" } else { "cn" });
    }
    COUNTRIES.iter().find_map(|pair| pair.strip_prefix(language)?.strip_prefix(' '))
}

/// Returns the top-level domain of an absolute URL, in lower case.
fn domain(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    let host = host.split(':').next()?.trim_end_matches('.');
    let (_, domain) = host.rsplit_once('.')?;
    // Excludes IP addresses and anything that the detector does not accept.
    let usual = domain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && domain.starts_with(|first: char| first.is_ascii_alphabetic());
    usual.then(|| domain.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_of_languages() {
        assert_eq!(country("ru-RU"), Some("ru"));
        assert_eq!(country(" EL , en"), Some("gr"));
        assert_eq!(country("zh-Hant-HK"), Some("tw"));
        assert_eq!(country("zh"), Some("cn"));
        assert_eq!(country("en"), None);
        assert_eq!(country(""), None);
    }

    #[test]
    fn domains_of_addresses() {
        assert_eq!(domain("https://u@News.Example.RU:80/x.de").as_deref(), Some("ru"));
        assert_eq!(domain("http://пример.рф/"), None);
        assert_eq!(domain("http://10.0.0.1/"), None);
        assert_eq!(domain("http://localhost/"), None);
        assert_eq!(domain("mailto:a@b.de"), None);
    }
}
