//! Writes HTML in which nothing from a page is ever more than text.

use std::fmt::Write;

use data_encoding::BASE64;
use serde::Serialize;
use sha2::{Digest, Sha256};
use url::Url;

use crate::printed::{Shown, shown};

/// A document that is being written. [`Html::raw`] takes literals of our own; everything else is escaped.
#[derive(Default)]
pub(crate) struct Html {
    out: String,
}

impl Html {
    /// Markup of our own.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Text of any origin, in an element or in a quoted attribute.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        for letter in harmless(text) {
            match letter {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                _ => self.out.push(letter),
            }
        }
        self
    }

    /// Data for our script, in a `script` element that does not run: JSON in which nothing can be mistaken
    /// for markup. Texts in it must be [`plain`].
    pub(crate) fn json(&mut self, data: &impl Serialize) -> &mut Self {
        // Serialising plain data cannot fail.
        for letter in serde_json::to_string(data).unwrap_or_default().chars() {
            match letter {
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(self.out, "\\u{:04x}", u32::from(letter));
                }
                _ => self.out.push(letter),
            }
        }
        self
    }

    /// A whole element with text in it: `open` and `close` are its tags.
    pub(crate) fn element(
        &mut self,
        open: &'static str,
        text: &str,
        close: &'static str,
    ) -> &mut Self {
        self.raw(open).text(text).raw(close)
    }

    /// An address: a link if it is a web address, else text.
    pub(crate) fn address(&mut self, address: &str) -> &mut Self {
        let web = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(url) = web else {
            return self.element("<span class=\"address\" dir=\"ltr\">", address, "</span>");
        };
        self.raw("<a class=\"address\" dir=\"ltr\" rel=\"noopener noreferrer\" href=\"");
        self.text(url.as_str()).element("\">", address, "</a>")
    }

    /// Bytes written so far.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// The document.
    pub(crate) fn finish(self) -> String {
        self.out
    }
}

/// Makes a text safe to show: characters that change the direction of text are replaced by their code points.
pub(crate) fn plain(text: &str) -> String {
    harmless(text).collect()
}

fn harmless(text: &str) -> impl Iterator<Item = char> + '_ {
    /// A character, or its code point.
    enum Piece {
        Letter(Option<char>),
        Name(std::vec::IntoIter<char>),
    }
    impl Iterator for Piece {
        type Item = char;

        fn next(&mut self) -> Option<char> {
            match self {
                Self::Letter(letter) => letter.take(),
                Self::Name(name) => name.next(),
            }
        }
    }
    text.chars().flat_map(|letter| match shown(letter) {
        Shown::Plain => Piece::Letter(Some(letter)),
        Shown::LeftOut => Piece::Letter(None),
        Shown::Named if letter.is_control() => Piece::Letter(Some('\u{fffd}')),
        Shown::Named => {
            let name = format!("⟨U+{:04X}⟩", u32::from(letter));
            Piece::Name(name.chars().collect::<Vec<_>>().into_iter())
        }
    })
}

/// Style sheet and script of a document. Its Content-Security-Policy allows nothing else.
#[derive(Clone, Copy)]
pub(crate) struct Brought {
    /// Style sheet.
    pub(crate) style: &'static str,
    /// Script, which goes to the end of the document; empty for none.
    pub(crate) script: &'static str,
}

impl Html {
    /// Everything before `<body>`. Loads nothing from elsewhere, and runs only the script of `brought`.
    pub(crate) fn head(&mut self, title: &str, brought: Brought) -> &mut Self {
        self.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        self.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
        self.raw("style-src ").text(&source_of(brought.style));
        if !brought.script.is_empty() {
            self.raw("; script-src ").text(&source_of(brought.script));
            // Trusted types: not even our own script may write markup.
            self.raw("; require-trusted-types-for 'script'; trusted-types 'none'");
        }
        self.raw("; base-uri 'none'; form-action 'none'\">\n");
        self.raw("<meta name=\"referrer\" content=\"no-referrer\">\n");
        self.raw("<meta name=\"robots\" content=\"noindex\">\n");
        self.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        self.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
        self.text(title).raw("</title>\n<style>").raw(brought.style).raw("</style>\n</head>\n")
    }

    /// Everything after the contents of `<body>`.
    pub(crate) fn end(&mut self, brought: Brought) -> &mut Self {
        if !brought.script.is_empty() {
            self.raw("<script>").raw(brought.script).raw("</script>\n");
        }
        self.raw("</body>\n</html>\n")
    }
}

/// The source expression that allows just this style sheet or script in a Content-Security-Policy.
fn source_of(code: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(code.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let mut html = Html::default();
        html.text("</script><b a='\"&\u{202e}\u{200f}\u{7}");
        let expected = "&lt;/script&gt;&lt;b a=&#39;&quot;&amp;⟨U+202E⟩\u{fffd}";
        assert_eq!(html.finish(), expected);
    }

    #[test]
    fn data_is_no_markup() {
        let mut html = Html::default();
        html.json(&[plain("</script><!--&\u{2028}\u{202e}\u{7}\"")]);
        let json = html.finish();
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{202e}']), "{json}");
        let back: Vec<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(back, ["</script><!--&⟨U+2028⟩⟨U+202E⟩\u{fffd}\""]);
    }

    #[test]
    fn only_web_addresses_are_links() {
        for address in
            ["javascript:alert(1)", " jAvascript:x", "data:text/html,x", "file:///a", "//b"]
        {
            let mut html = Html::default();
            html.address(address);
            assert!(!html.finish().contains("href"), "{address}");
        }
        let mut html = Html::default();
        html.address("https://a.example/\"onclick='x'");
        let html = html.finish();
        assert!(html.contains("href=\"https://a.example/%22onclick=&#39;x&#39;\""), "{html}");
    }

    #[test]
    fn code_is_allowed_by_its_hash() {
        // `printf x | openssl dgst -sha256 -binary | base64`
        assert_eq!(source_of("x"), "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='");
    }
}
