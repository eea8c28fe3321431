//! Writing HTML in which nothing that comes from a page is ever more than text.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use url::Url;

/// A document in the making. What is written with [`Html::raw`] is ours, a literal; everything else
/// is escaped.
#[derive(Default)]
pub(super) struct Html {
    out: String,
}

impl Html {
    /// Markup of our own.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Text of any origin, in an element or in a quoted attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            match letter {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                '\n' | '\t' => self.out.push(letter),
                // Letters that turn the text around them are shown, not obeyed.
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    let _ = write!(self.out, "⟨U+{:04X}⟩", u32::from(letter));
                }
                // Those that only mark a direction say nothing here: each text has its own.
                '\u{200e}' | '\u{200f}' | '\u{61c}' => {}
                _ if letter.is_control() => self.out.push('\u{fffd}'),
                _ => self.out.push(letter),
            }
        }
        self
    }

    /// A whole element with text in it: `open` and `close` are its tags.
    pub(super) fn element(
        &mut self,
        open: &'static str,
        text: &str,
        close: &'static str,
    ) -> &mut Self {
        self.raw(open).text(text).raw(close)
    }

    /// An address: a link if it is a web address, else text.
    pub(super) fn address(&mut self, address: &str) -> &mut Self {
        let web = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(url) = web else {
            return self.element("<span class=\"address\" dir=\"ltr\">", address, "</span>");
        };
        self.raw("<a class=\"address\" dir=\"ltr\" rel=\"noopener noreferrer\" href=\"");
        self.text(url.as_str()).element("\">", address, "</a>")
    }

    /// Bytes written so far.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// The document.
    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// The source expression that allows just this style sheet in a Content-Security-Policy.
pub(super) fn style_source(style: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(style.as_bytes())))
}

/// RFC 4648 §4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let bits =
            (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(part.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= part.len() { letter as char } else { '=' });
        }
    }
    out
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
    fn base64_is_the_standards() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
