//! Escapes the values that templates write, so that text from a crawled page never becomes markup.

use std::borrow::Cow;
use std::fmt;

use askama::Values;
use askama::filters::Escaper;
use data_encoding::BASE64;
use serde::Serialize;
use sha2::{Digest, Sha256};
use url::Url;

use crate::readable::{self, Shown, shown};

/// The escaper of all templates (`askama.toml`): text of any origin, in an element or in a quoted attribute. Characters
/// that change the direction of text are replaced by their code points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageText;

impl Escaper for PageText {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        let mut written = 0;
        for (at, letter) in text.char_indices() {
            let escaped = match letter {
                '&' => Some("&amp;".into()),
                '<' => Some("&lt;".into()),
                '>' => Some("&gt;".into()),
                '"' => Some("&quot;".into()),
                '\'' => Some("&#39;".into()),
                _ => replacement(letter),
            };
            if let Some(escaped) = escaped {
                dest.write_str(&text[written..at])?;
                dest.write_str(&escaped)?;
                written = at + letter.len_utf8();
            }
        }
        dest.write_str(&text[written..])
    }
}

/// The text shown instead of a character; `None` if the character is shown unchanged.
fn replacement(letter: char) -> Option<Cow<'static, str>> {
    match shown(letter) {
        Shown::Plain => None,
        Shown::LeftOut => Some("".into()),
        Shown::Named if letter.is_control() => Some("\u{fffd}".into()),
        Shown::Named => Some(format!("⟨U+{:04X}⟩", u32::from(letter)).into()),
    }
}

/// Replaces the characters that [`PageText`] replaces, but escapes no markup: for text that a script inserts.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match replacement(letter) {
            Some(shown) => out.push_str(&shown),
            None => out.push(letter),
        }
    }
    out
}

/// The address as a link; `None` unless it is `http` or `https`.
pub(crate) fn web_address(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.into())
}

/// Serialises data for a `script` element that is not executed, as JSON in which nothing can be mistaken for markup. Text
/// in the data must have passed through [`plain`].
pub(crate) fn json(data: &impl Serialize) -> String {
    // Serialising plain data cannot fail.
    let json = serde_json::to_string(data).unwrap_or_default();
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Style sheet and script of a page. Its Content-Security-Policy allows nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageCode {
    pub(crate) style: &'static str,
    /// Placed at the end of the page; empty if the page has no script.
    pub(crate) script: &'static str,
}

/// The source expression for a Content-Security-Policy that allows only this style sheet or script.
pub(crate) fn source_of(code: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(code.as_bytes())))
}

/// A number of things, of any integer type.
pub(crate) trait Amount {
    fn amount(&self) -> u64;
}

macro_rules! amounts {
    ($($integer:ty)*) => {
        $(impl Amount for $integer {
            fn amount(&self) -> u64 {
                *self as u64
            }
        })*
    };
}
amounts!(u32 u64 usize);

impl<T: Amount> Amount for &T {
    fn amount(&self) -> u64 {
        (*self).amount()
    }
}

#[expect(unreachable_pub, reason = "the macro makes its functions public")]
pub(crate) mod filters {
    use super::{Amount, Values, readable};

    /// `{{ n|grouped }}`: a number with commas between thousands.
    #[askama::filter_fn]
    pub(crate) fn grouped<N: Amount>(number: N, _: &dyn Values) -> askama::Result<String> {
        Ok(readable::grouped(number.amount()))
    }

    /// `{{ n|count("page") }}`: a number with its noun.
    #[askama::filter_fn]
    pub(crate) fn count<N: Amount>(
        number: N,
        _: &dyn Values,
        noun: &str,
    ) -> askama::Result<String> {
        Ok(readable::count(number.amount() as usize, noun))
    }
}

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::*;

    #[derive(Template)]
    #[template(source = "{% import \"macros.html\" as m %}{{ m::address(address) }}", ext = "html")]
    struct AddressLink<'a> {
        address: &'a str,
    }

    #[test]
    fn text_stays_text() {
        let text = "</script><b a='\"&\u{202e}\u{200f}\u{7}";
        let mut escaped = String::new();
        PageText.write_escaped_str(&mut escaped, text).unwrap();
        assert_eq!(escaped, "&lt;/script&gt;&lt;b a=&#39;&quot;&amp;⟨U+202E⟩\u{fffd}");
        // Templates escape it, too.
        let html = AddressLink { address: text }.render().unwrap();
        assert!(html.contains(&escaped), "{html}");
    }

    #[test]
    fn data_is_no_markup() {
        let json = json(&[plain("</script><!--&\u{2028}\u{202e}\u{7}\"")]);
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{202e}']), "{json}");
        let back: Vec<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(back, ["</script><!--&⟨U+2028⟩⟨U+202E⟩\u{fffd}\""]);
    }

    #[test]
    fn only_web_addresses_are_links() {
        for address in
            ["javascript:alert(1)", " jAvascript:x", "data:text/html,x", "file:///a", "//b"]
        {
            let html = AddressLink { address }.render().unwrap();
            assert!(!html.contains("href"), "{html}");
        }
        let html = AddressLink { address: "https://a.example/\"onclick='x'" }.render().unwrap();
        assert!(html.contains("href=\"https://a.example/%22onclick=&#39;x&#39;\""), "{html}");
    }

    #[test]
    fn code_is_allowed_by_its_hash() {
        // `printf x | openssl dgst -sha256 -binary | base64`
        assert_eq!(source_of("x"), "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='");
    }
}
