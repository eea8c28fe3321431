/*!
Determines the character encoding of a page or feed, and decodes it.

No single piece of evidence is trusted by itself. A byte order mark and valid UTF-8 are decisive; otherwise the
declarations (HTTP, `<meta>`, XML) are compared with the bytes and with the guess of a detector that takes the
page's language and top-level domain as hints. The decision, its evidence and the overruled declarations are
returned in [`Charset`].

Invariant: no input makes anything here panic, and time is linear in its bytes. For a payload that HTTP declares as
UTF-8, and that is valid, the only cost is the validation.
*/

mod declared;
mod detect;
mod language;
mod wide;

use encoding_rs::{
    Encoding, ISO_2022_JP, ISO_8859_3, ISO_8859_10, ISO_8859_14, ISO_8859_16, MACINTOSH,
    REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_MAC_CYRILLIC, X_USER_DEFINED,
};
use memchr::memchr_iter;
use model::{Charset, CharsetEvidence, Overruled};

use crate::declared::{PageDeclarations, declared, label_in_content};
use crate::detect::{detect, guess_encoding, non_ascii_words, same_script};
use crate::language::Habits;

/// Number of bytes of a valid UTF-8 page that are searched for a declaration, which no longer affects
/// the decision.
const FAR: usize = 4096;

/// Number of UTF-8 sequences that outweighs the declaration of a multi-byte encoding.
const SURELY: usize = 8;

/// Minimum number of non-ASCII words for a guess to be compared with a declaration.
const FEW: usize = 8;

/// Number of non-ASCII words in the first check of a declaration.
const GLANCE: usize = 200;

/// Number of bytes that count as one word in scripts that do not separate words.
const LONG: usize = 16;

/// Encodings that the detector never guesses, and that no server declares by default.
const UNGUESSED: [&Encoding; 7] =
    [ISO_8859_3, ISO_8859_10, ISO_8859_14, ISO_8859_16, MACINTOSH, X_MAC_CYRILLIC, X_USER_DEFINED];

/// Hints from outside the payload.
#[derive(Clone, Copy, Debug, Default)]
pub struct CharsetHints<'a> {
    /// Charset label of the HTTP `Content-Type`.
    pub http_charset: Option<&'a str>,
    /// HTTP `Content-Language`.
    pub language: Option<&'a str>,
    /// Absolute URL. Its top-level domain indicates the country, and with it the likely encodings.
    pub url: Option<&'a str>,
    /// Whether the payload is XML other than XHTML. Then a `<meta>` is not a declaration.
    pub xml: bool,
}

/// Returns the `charset` parameter of a media type, for example of a `Content-Type` header.
pub fn charset_of(content_type: &str) -> Option<&str> {
    let label = label_in_content(content_type.as_bytes())?;
    std::str::from_utf8(label).ok().filter(|label| !label.is_empty())
}

/// Decodes a payload. Bytes that are already UTF-8 are not copied.
pub fn decode(mut bytes: Vec<u8>, hints: &CharsetHints<'_>) -> (String, Charset) {
    if let Some((form, evidence, mark)) = wide::detect_wide(&bytes) {
        let charset = Charset { name: form.name(), evidence, overruled: Overruled::default() };
        return (form.decode(bytes.get(mark..).unwrap_or_default()), charset);
    }
    let marked = bytes.starts_with(b"\xef\xbb\xbf");
    if marked {
        bytes.drain(..3);
    }
    match String::from_utf8(bytes) {
        Ok(text) => decode_valid_utf8(text, marked, hints),
        Err(error) => decode_invalid_utf8(error.as_bytes(), marked, hints),
    }
}

/// The declarations of an encoding, by source.
#[derive(Clone, Copy)]
struct Declarations {
    http: Option<&'static Encoding>,
    meta: Option<&'static Encoding>,
    xml: Option<&'static Encoding>,
    /// Whether the declaration in XML takes precedence over that in HTTP.
    is_xml: bool,
}

impl Declarations {
    fn of(hints: &CharsetHints<'_>) -> Self {
        let http = hints.http_charset.and_then(|label| Encoding::for_label(label.as_bytes()));
        Self { http, meta: None, xml: None, is_xml: hints.xml }
    }

    /// Adds the declarations in the payload.
    fn and(self, declared: &PageDeclarations<'_>) -> Self {
        let meta = declared.meta.filter(|_| !self.is_xml);
        Self { meta, xml: declared.xml, ..self }
    }

    /// All declarations, in order of precedence.
    fn all(&self) -> impl Iterator<Item = (&'static Encoding, CharsetEvidence)> {
        let http = (self.http, CharsetEvidence::Http);
        let meta = (self.meta, CharsetEvidence::Meta);
        let xml = (self.xml, CharsetEvidence::Xml);
        let order = if self.is_xml { [xml, http, meta] } else { [http, meta, xml] };
        order.into_iter().filter_map(|(encoding, by)| Some((encoding?, by)))
    }

    /// The source of a declaration of UTF-8.
    fn utf_8(&self) -> Option<CharsetEvidence> {
        self.all().find(|(encoding, _)| *encoding == UTF_8).map(|(_, by)| by)
    }

    /// Declarations of a legacy encoding. The replacement encoding stands for labels that must not
    /// be used, and UTF-16 was checked before.
    fn legacy(&self) -> impl Iterator<Item = (&'static Encoding, CharsetEvidence)> {
        let others = [UTF_8, UTF_16LE, UTF_16BE, REPLACEMENT];
        self.all().filter(move |(encoding, _)| !others.contains(encoding))
    }

    /// Makes the decision, with the declarations that differ from it.
    fn decided(&self, encoding: &'static Encoding, evidence: CharsetEvidence) -> Charset {
        let other = |said: Option<&'static Encoding>| {
            said.filter(|said| *said != encoding).map(Encoding::name)
        };
        let overruled =
            Overruled { http: other(self.http), meta: other(self.meta), xml: other(self.xml) };
        Charset { name: encoding.name(), evidence, overruled }
    }
}

fn decode_valid_utf8(text: String, marked: bool, hints: &CharsetHints<'_>) -> (String, Charset) {
    let said = Declarations::of(hints);
    let far = if marked || said.http == Some(UTF_8) { 0 } else { FAR };
    let said = said.and(&declared(&text.as_bytes()[..far.min(text.len())]));
    if has_japanese_escapes(text.as_bytes()) {
        let by = said.all().find(|(encoding, _)| *encoding == ISO_2022_JP);
        let by = by.map_or(CharsetEvidence::Detector, |(_, by)| by);
        let (text, _) = ISO_2022_JP.decode_without_bom_handling(text.as_bytes());
        return (text.into_owned(), said.decided(ISO_2022_JP, by));
    }
    let utf_8 = if marked { Some(CharsetEvidence::Bom) } else { said.utf_8() };
    match said.legacy().next() {
        _ if utf_8.is_some() => {}
        Some((encoding, by)) if text.is_ascii() => return (text, said.decided(encoding, by)),
        // Two or three multi-byte characters may be valid UTF-8 by coincidence.
        Some((encoding, by)) if !encoding.is_single_byte() && count_multibyte(&text) < SURELY => {
            let (text, _) = encoding.decode_without_bom_handling(text.as_bytes());
            return (text.into_owned(), said.decided(encoding, by));
        }
        _ => {}
    }
    (text, said.decided(UTF_8, utf_8.unwrap_or(CharsetEvidence::ValidUtf8)))
}

fn decode_invalid_utf8(bytes: &[u8], marked: bool, hints: &CharsetHints<'_>) -> (String, Charset) {
    let page = declared(bytes);
    let said = Declarations::of(hints).and(&page);
    let utf_8 = if marked { Some(CharsetEvidence::Bom) } else { said.utf_8() };
    if is_mostly_utf_8(bytes, utf_8.is_some(), said.legacy().next().is_some()) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        return (text, said.decided(UTF_8, utf_8.unwrap_or(CharsetEvidence::MostlyUtf8)));
    }
    let (encoding, by) = choose_legacy(bytes, &said, &Habits::of(bytes, &page, hints));
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (text.into_owned(), said.decided(encoding, by))
}

/// Whether invalid UTF-8 is rare compared to valid sequences. In other encodings, valid sequences
/// are at most a fifth as frequent as invalid ones.
fn is_mostly_utf_8(bytes: &[u8], declared: bool, declared_otherwise: bool) -> bool {
    // A sequence that is cut off by the end of the bytes does not count as invalid.
    let cut_off = (1..=bytes.len().min(3)).find(|length| {
        let end = std::str::from_utf8(&bytes[bytes.len() - length..]);
        end.is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    });
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes[..bytes.len() - cut_off.unwrap_or(0)].utf8_chunks() {
        whole += count_multibyte(chunk.valid());
        broken += usize::from(!chunk.invalid().is_empty());
    }
    match (declared, declared_otherwise) {
        (true, _) => whole >= broken,
        (false, false) => whole > broken,
        (false, true) => whole > 4 * broken,
    }
}

fn choose_legacy(
    bytes: &[u8],
    said: &Declarations,
    habits: &Habits<'_>,
) -> (&'static Encoding, CharsetEvidence) {
    let words = non_ascii_words(bytes);
    let mut candidates: Vec<_> =
        said.legacy().filter(|(said, _)| is_valid_in(said, &words)).collect();
    // ISO-8859-1 is what servers send if they do not know the encoding of their pages.
    let by_habit = (WINDOWS_1252, CharsetEvidence::Http);
    if candidates.len() > 1 {
        candidates.retain(|candidate| *candidate != by_habit);
    }
    // Usually a declaration is right, and a first check confirms it.
    if !candidates.is_empty() {
        let first = guess_encoding(words.iter().take(GLANCE), habits.domain());
        let fallback = first == WINDOWS_1252 && !habits.is_western();
        if let Some(agreed) = candidates.iter().find(|(said, _)| *said == first && !fallback) {
            return *agreed;
        }
    }
    let guess = detect(&words, habits);
    let differing = |encoding| differing(encoding, guess.encoding, &words);
    if let Some(agreed) = candidates.iter().find(|(said, _)| differing(said).is_empty()) {
        return *agreed;
    }
    let by = said.legacy().find(|(said, _)| *said == guess.encoding).map(|(_, by)| by);
    let guessed = (guess.encoding, by.unwrap_or(CharsetEvidence::Detector));
    let Some(first) = candidates.first().copied() else { return guessed };
    // windows-1252 is also the detector's fallback.
    let fallback = guess.encoding == WINDOWS_1252 && same_script(first.0, WINDOWS_1252);
    if UNGUESSED.contains(&first.0) || fallback && !habits.is_western() {
        return first;
    }
    // Only the words that both encodings decode differently can decide between a declaration and a guess.
    let differing = differing(first.0);
    let again = detect(&differing, habits);
    let unseparated = !guess.encoding.is_single_byte();
    let bytes: usize = differing.iter().map(|word| word.len()).sum();
    let many = |count| differing.len() >= count || unseparated && bytes >= count * LONG;
    let confirmed = same_script(again.encoding, guess.encoding)
        && (again.encoding == guess.encoding || !same_script(first.0, guess.encoding));
    let ((votes, others), (again, others_again)) =
        (guess.votes_against(first.0), again.votes_against(first.0));
    // windows-1252 is also unlikely if it is not made for the language of the text.
    let unfit = first.0 == WINDOWS_1252 && habits.of_text().is_some_and(|text| !text.is_western);
    let overruled = if first == by_habit || unfit {
        many(FEW / 2) && votes > others
    } else if first.0 == WINDOWS_1252 {
        many(FEW) && others == 0 && confirmed && again > others_again
    } else {
        many(FEW) && others == 0 && confirmed && others_again <= 1
    };
    if overruled { guessed } else { first }
}

/// The words that the two encodings decode differently.
fn differing<'a>(
    one: &'static Encoding,
    other: &'static Encoding,
    words: &[&'a [u8]],
) -> Vec<&'a [u8]> {
    if one == other {
        return Vec::new();
    }
    let decode = Encoding::decode_without_bom_handling;
    words.iter().copied().filter(|word| decode(one, word).0 != decode(other, word).0).collect()
}

fn is_valid_in(encoding: &'static Encoding, words: &[&[u8]]) -> bool {
    let (mut wrong, mut right) = (0, 0);
    for word in words {
        for c in encoding.decode_without_bom_handling(word).0.chars() {
            wrong += usize::from(matches!(c, '\u{fffd}' | '\u{80}'..='\u{9f}'));
            right += usize::from(!c.is_ascii());
        }
    }
    wrong * 10 <= right
}

fn count_multibyte(text: &str) -> usize {
    text.bytes().filter(|byte| *byte >= 0xc0).count()
}

/// Whether ASCII bytes contain the escape sequences of ISO-2022-JP.
fn has_japanese_escapes(bytes: &[u8]) -> bool {
    let begins_escape = |at: usize| matches!(bytes[at + 1..], [b'$', b'@' | b'B', ..]);
    memchr_iter(0x1b, bytes).any(begins_escape) && bytes.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

    fn check(bytes: &[u8], http: Option<&str>, name: &str, evidence: CharsetEvidence, text: &str) {
        let hints = CharsetHints { http_charset: http, ..CharsetHints::default() };
        let (decoded, charset) = decode(bytes.to_vec(), &hints);
        assert_eq!((charset.name, charset.evidence), (name, evidence), "{decoded}");
        assert!(decoded.contains(text), "{decoded}");
    }

    #[test]
    fn kinds_of_evidence() {
        use CharsetEvidence::*;
        check(b"\xef\xbb\xbf<p>\xc3\xa9", Some("latin1"), "UTF-8", Bom, "<p>é");
        check(b"\xff\xfeh\0\xe9\0", None, "UTF-16LE", Bom, "hé");
        check(b"\0<\0p\0>\0\xe9", None, "UTF-16BE", ZeroBytes, "<p>é");
        check(b"<\0\0\0\xe9\0\0\0", None, "UTF-32LE", ZeroBytes, "<é");
        check(b"<meta charset=koi8-r>\xe9", Some("ISO-8859-1"), "KOI8-R", Meta, "И");
        check(b"<meta charset=koi8-r>\xe9", Some("ISO-8859-2"), "ISO-8859-2", Http, "é");
        check(b"<meta charset=iso-8859-2>\xb9", None, "ISO-8859-2", Meta, "š");
        check(b"<?xml version='1.0' encoding='iso-8859-2'?>\xb9", None, "ISO-8859-2", Xml, "š");
        check("<p>é".as_bytes(), None, "UTF-8", ValidUtf8, "é");
        check(b"<p>\xc3\xa9 \xc3\xa8 \xe9<", None, "UTF-8", MostlyUtf8, "é è \u{fffd}<");
        check(b"<p>\xc3\xa9 \xc3", Some("utf-8"), "UTF-8", Http, "é");
        check(b"<p>plain", Some("latin1"), "windows-1252", Http, "plain");
        let russian = WINDOWS_1251.encode("Обычный русский текст без объявления кодировки").0;
        check(&russian, None, "windows-1251", Detector, "русский");
        check(b"<p>\x1b$B4A;z\x1b(B", None, "ISO-2022-JP", Detector, "漢字");
    }

    #[test]
    fn contradicted_declarations() {
        use CharsetEvidence::*;
        check("<p>Straße".as_bytes(), Some("latin1"), "UTF-8", ValidUtf8, "Straße");
        check("<meta charset=utf-16>é".as_bytes(), None, "UTF-8", Meta, "é");
        check("<p>é".as_bytes(), Some("utf-16"), "UTF-8", ValidUtf8, "é");
        let western = WINDOWS_1252.encode("Frühstück für fünf Mädchen über Größe").0;
        check(&western, Some("utf-8"), "windows-1252", Detector, "Frühstück");
        check(b"\xc3\xa9\xc3\xa8 caf\xe9", Some("utf-8"), "UTF-8", Http, "éè caf\u{fffd}");
        check("汉字编码声明是错的吗".as_bytes(), Some("gbk"), "UTF-8", ValidUtf8, "汉字");
        for (encoding, text) in [(GBK, "联通"), (SHIFT_JIS, "日本語"), (EUC_KR, "한국어")] {
            let bytes = encoding.encode(text).0;
            check(&bytes, Some(encoding.name()), encoding.name(), Http, text);
        }
    }

    #[test]
    fn what_was_overruled_is_kept() {
        let page = "<?xml version='1.0' encoding='koi8-r'?><meta charset=gbk>é".as_bytes();
        let hints = CharsetHints { http_charset: Some("latin1"), ..CharsetHints::default() };
        let overruled = decode(page.to_vec(), &hints).1.overruled;
        let expected =
            Overruled { http: Some("windows-1252"), meta: Some("GBK"), xml: Some("KOI8-R") };
        assert_eq!(overruled, expected);
        let hints = CharsetHints { xml: true, ..hints };
        assert_eq!(decode(page.to_vec(), &hints).1.overruled.meta, None);
    }

    #[test]
    fn utf8_is_not_copied() {
        let bytes = "é".repeat(100).into_bytes();
        let before = bytes.as_ptr();
        assert_eq!(decode(bytes, &CharsetHints::default()).0.as_ptr(), before);
    }

    #[test]
    fn labels_in_media_types() {
        assert_eq!(charset_of("text/html; charset=UTF-8"), Some("UTF-8"));
        assert_eq!(charset_of("text/html;Charset=\"latin1\"; x"), Some("latin1"));
        assert_eq!(charset_of("text/html"), None);
        assert_eq!(charset_of("text/html; charset="), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_decoded(bytes: Vec<u8>, label in "[a-z0-9-]{0,12}", url in ".{0,20}") {
            let hints = CharsetHints { http_charset: Some(&label), url: Some(&url), ..CharsetHints::default() };
            decode(bytes.clone(), &hints);
            let page = [&b"<html lang=x><meta charset=windows-1251>"[..], &bytes].concat();
            decode(page, &CharsetHints { language: Some(&label), xml: true, ..hints });
        }

        #[test]
        fn any_markup_is_decoded(text in "[<>!/?= a-z\"'-]{0,300}") {
            decode(format!("<meta {text}é").into_bytes(), &CharsetHints::default());
            decode(format!("<meta {text}").bytes().chain([0xe9]).collect(), &CharsetHints::default());
        }
    }
}
