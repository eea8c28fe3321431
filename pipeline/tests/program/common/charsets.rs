//! Pages in many languages and encodings, declared correctly and incorrectly.
//!
//! The texts are in `data/charsets`, one language per file: the title, then one paragraph per line.

use std::fs;

use encoding_rs::Encoding;

use super::program::in_repository;

/// A language, the encoding of its pages, and one that is often declared for them by mistake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) language: &'static str,
    pub(crate) label: &'static str,
    pub(crate) sibling: &'static str,
}

const fn pair(language: &'static str, label: &'static str, sibling: &'static str) -> Pair {
    Pair { language, label, sibling }
}

/// Each language once.
pub(crate) const PAIRS: [Pair; 19] = [
    pair("de", "windows-1252", "iso-8859-5"),
    pair("fr", "iso-8859-15", "windows-1250"),
    pair("pl", "iso-8859-2", "windows-1250"),
    pair("cs", "windows-1250", "iso-8859-2"),
    pair("hu", "iso-8859-2", "iso-8859-1"),
    pair("ru", "koi8-r", "windows-1251"),
    pair("uk", "windows-1251", "koi8-u"),
    pair("bg", "iso-8859-5", "windows-1251"),
    pair("el", "windows-1253", "iso-8859-1"),
    pair("tr", "windows-1254", "iso-8859-1"),
    pair("he", "windows-1255", "iso-8859-1"),
    pair("ar", "windows-1256", "iso-8859-6"),
    pair("th", "windows-874", "iso-8859-1"),
    pair("vi", "windows-1258", "iso-8859-1"),
    pair("lt", "windows-1257", "windows-1250"),
    pair("ja", "euc-jp", "shift_jis"),
    pair("ko", "euc-kr", "gbk"),
    pair("zh-Hans", "gbk", "big5"),
    pair("zh-Hant", "big5", "gbk"),
];

/// Other encodings of the same languages.
pub(crate) const OTHERS: [Pair; 15] = [
    pair("de", "iso-8859-15", "iso-8859-2"),
    pair("fr", "windows-1252", "windows-1250"),
    pair("pl", "windows-1250", "iso-8859-2"),
    pair("cs", "iso-8859-2", "windows-1250"),
    pair("hu", "windows-1250", "iso-8859-1"),
    pair("ru", "windows-1251", "koi8-r"),
    pair("ru", "iso-8859-5", "windows-1251"),
    pair("ru", "ibm866", "windows-1251"),
    pair("uk", "koi8-u", "windows-1251"),
    pair("bg", "windows-1251", "iso-8859-5"),
    pair("el", "iso-8859-7", "iso-8859-1"),
    pair("he", "iso-8859-8-i", "iso-8859-1"),
    pair("ar", "iso-8859-6", "windows-1256"),
    pair("lt", "iso-8859-13", "iso-8859-2"),
    pair("ja", "shift_jis", "euc-jp"),
];

/// A way to declare an encoding: the declarations by HTTP and `<meta>`, and the real encoding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    http: Said,
    meta: Said,
    /// Whether the `<meta>` comes after 1500 bytes.
    late: bool,
    bytes: Bytes,
}

#[derive(Clone, Copy, Debug)]
enum Said {
    Nothing,
    /// The encoding of the pair, which is right unless the bytes are UTF-8.
    Pair,
    Sibling,
    Label(&'static str),
    /// An encoding of another script.
    Foreign,
}

#[derive(Clone, Copy, Debug)]
enum Bytes {
    OfPair,
    Utf8,
    /// UTF-8 with an invalid byte in each of two paragraphs.
    StrayUtf8,
}

const fn way(name: &'static str, http: Said, meta: Said) -> Way {
    Way { name, http, meta, late: false, bytes: Bytes::OfPair }
}

/// The last two cannot always be decided.
pub(crate) const WAYS: [Way; 11] = [
    way("right HTTP", Said::Pair, Said::Nothing),
    way("right meta", Said::Nothing, Said::Pair),
    way("none", Said::Nothing, Said::Nothing),
    way("HTTP says UTF-8 wrongly", Said::Label("utf-8"), Said::Nothing),
    way("meta says UTF-8 wrongly", Said::Nothing, Said::Label("utf-8")),
    Way { bytes: Bytes::Utf8, ..way("UTF-8 declared legacy", Said::Nothing, Said::Pair) },
    Way { late: true, ..way("meta after 1500 bytes", Said::Nothing, Said::Pair) },
    way("HTTP ISO-8859-1, right meta", Said::Label("ISO-8859-1"), Said::Pair),
    Way { bytes: Bytes::StrayUtf8, ..way("UTF-8 with stray bytes", Said::Nothing, Said::Nothing) },
    way("sibling label", Said::Nothing, Said::Sibling),
    way("both wrong", Said::Foreign, Said::Sibling),
];

/// A page as a server sends it.
#[derive(Debug)]
pub(crate) struct Declared {
    /// Label in the `Content-Type`.
    pub(crate) http: Option<&'static str>,
    pub(crate) body: Vec<u8>,
    /// The correctly decoded body.
    pub(crate) html: String,
    /// Its paragraphs.
    pub(crate) paragraphs: Vec<String>,
}

impl Pair {
    fn foreign(&self) -> &'static str {
        if ["ru", "uk", "bg"].contains(&self.language) { "iso-8859-7" } else { "windows-1251" }
    }

    /// The title and the paragraphs of this language's text.
    fn text(&self) -> (String, Vec<String>) {
        let path = in_repository(&format!("data/charsets/{}.txt", self.language));
        let text = fs::read_to_string(path).unwrap();
        let mut lines = text.lines().map(str::to_owned);
        (lines.next().unwrap(), lines.collect())
    }

    /// A page with about this number of bytes of text (complete sentences or paragraphs, repeated
    /// if necessary), declared in this way.
    pub(crate) fn page(&self, way: &Way, bytes: usize) -> Declared {
        let own = Encoding::for_label(self.label.as_bytes()).unwrap();
        let (title, text) = self.text();
        let length = |text: &str| own.encode(text).0.len();
        let mut paragraphs: Vec<String> = Vec::new();
        let mut left = bytes;
        for paragraph in text.iter().cycle() {
            let taken = length(paragraph);
            paragraphs.push(paragraph.clone());
            left = left.saturating_sub(taken);
            if left == 0 {
                break;
            }
        }
        if let Bytes::StrayUtf8 = way.bytes {
            for paragraph in paragraphs.iter_mut().take(2) {
                paragraph.push_str(" \u{fffd}");
            }
            if let [only] = paragraphs.as_mut_slice() {
                only.push_str(" \u{fffd}");
            }
        }
        let said = |said: Said| match said {
            Said::Nothing => None,
            Said::Pair => Some(self.label),
            Said::Sibling => Some(self.sibling),
            Said::Label(label) => Some(label),
            Said::Foreign => Some(self.foreign()),
        };
        let meta = said(way.meta).map_or(String::new(), |label| {
            format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">\n")
        });
        let before = if way.late { SCRIPT.repeat(1500 / SCRIPT.len() + 1) } else { String::new() };
        let body: String =
            paragraphs.iter().map(|p| format!("<p class=\"story\">{p}</p>\n")).collect();
        let html = format!(
            "<!DOCTYPE html>\n<html>\n<head>\n{before}{meta}<title>{title}</title>\n\
             <link rel=\"stylesheet\" href=\"/style.css\">\n</head>\n<body>\n\
             <div id=\"nav\"><a href=\"/\">Home</a> <a href=\"/news\">News</a></div>\n\
             <div class=\"article\">\n<h1>{title}</h1>\n{body}</div>\n\
             <div id=\"foot\">Copyright 2009</div>\n</body>\n</html>\n"
        );
        let body = match way.bytes {
            Bytes::OfPair => {
                let (body, _, lost) = own.encode(&html);
                assert!(!lost, "{self:?} cannot hold its text");
                body.into_owned()
            }
            Bytes::Utf8 => html.clone().into_bytes(),
            Bytes::StrayUtf8 => html.replace('\u{fffd}', "\u{1}").into_bytes(),
        };
        let body = match way.bytes {
            Bytes::StrayUtf8 => body.into_iter().map(|b| if b == 1 { 0x93 } else { b }).collect(),
            _ => body,
        };
        Declared { http: said(way.http), body, html, paragraphs }
    }
}

const SCRIPT: &str = "<script>var shown = false; function show() { shown = !shown; }</script>\n";
