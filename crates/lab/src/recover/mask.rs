/*!
Hides what a page declares of its metadata, in its source.

Hidden is what only programs read:

- `<script type="application/ld+json">`;
- `<meta>`, except `og:type`, which says what the page is, and those that say how it is read (character set, language);
- the attribute `itemprop` with a property of the compared fields, with `content` beside it; `property` (RDFa); `itemtype` of a
  breadcrumb;
- `rel=author`;
- `datetime`, and `title` of `<abbr>`: the date that the text beside it shows, in a form that needs no reading.

Left is what a page without declarations has, too: `<title>`, `<html lang>`, canonical links, links to authors, classes, the address.
The rest of the source stays byte for byte. A tag that loses an attribute is written anew, with the others.
*/

use std::collections::BTreeMap;
use std::ops::Range;

use html5gum::{DefaultEmitter, HtmlString, Spanned, StartTag, State, Token, Tokenizer};

/// Properties of <https://schema.org/Article> that declare a compared field.
const PROPERTIES: [&str; 10] = [
    "headline", "alternativeHeadline", "name", "author", "creator", "datePublished", "dateCreated",
    "dateModified", "dateline", "articleSection",
];

pub(crate) struct MaskedHtml {
    /// The page without its declarations.
    pub(crate) shown: String,
    /// A page that consists of the declarations in scripts and `<meta>`, with the language and canonical address.
    pub(crate) declared: String,
}

/// Removes the declarations from a page.
pub(crate) fn mask(html: &str) -> MaskedHtml {
    let mut edits = Edits::of(html);
    let mut declared = String::from("<!doctype html>");
    let mut script: Option<usize> = None;
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => {
                let range = tag.span.start..tag.span.end;
                let source = html.get(range.clone()).unwrap_or_default();
                match tag.name.as_slice() {
                    b"script" if is_json_ld(&tag) => script = Some(range.start),
                    b"html" => declared.push_str(source),
                    b"meta" => {
                        if declares_field(&tag) {
                            declared.push_str(source);
                            edits.replace(range, "");
                        }
                    }
                    _ => {
                        if tag.name.as_slice() == b"link" && has_word(&tag, "rel", &["canonical"]) {
                            declared.push_str(source);
                        }
                        if let Some(written) = without_declarations(tag) {
                            edits.replace(range, &written);
                        }
                    }
                }
            }
            Token::EndTag(tag) if tag.name.as_slice() == b"script" => {
                if let Some(start) = script.take() {
                    declared.push_str(html.get(start..tag.span.end).unwrap_or_default());
                    edits.replace(start..tag.span.end, "");
                }
            }
            _ => {}
        }
    }
    if let Some(start) = script {
        declared.push_str(html.get(start..).unwrap_or_default());
        edits.replace(start..html.len(), "");
    }
    MaskedHtml { shown: edits.into_source(), declared }
}

/// The tokens of a page with their positions in the source. The contents of scripts and styles are text.
pub(crate) fn tokens(html: &str) -> impl Iterator<Item = Token<usize>> {
    let emitter = DefaultEmitter::<usize>::new_with_span();
    let mut tokenizer = Tokenizer::new_with_emitter(html, emitter);
    std::iter::from_fn(move || {
        let token = tokenizer.next()?.ok()?;
        if let Token::StartTag(tag) = &token
            && let Some(state) = state_after(&tag.name)
        {
            tokenizer.set_state(state);
        }
        Some(token)
    })
}

/// A source that is copied with changes, from its beginning to its end.
pub(crate) struct Edits<'h> {
    html: &'h str,
    shown: String,
    copied: usize,
}

impl<'h> Edits<'h> {
    pub(crate) fn of(html: &'h str) -> Self {
        Self { html, shown: String::with_capacity(html.len()), copied: 0 }
    }

    pub(crate) fn replace(&mut self, range: Range<usize>, by: &str) {
        self.shown.push_str(self.html.get(self.copied..range.start).unwrap_or_default());
        self.shown.push_str(by);
        self.copied = range.end.max(self.copied);
    }

    pub(crate) fn into_source(mut self) -> String {
        self.replace(self.html.len()..self.html.len(), "");
        self.shown
    }
}

/// How the content of an element is read (WHATWG HTML §13.2.6.4), without scripts: `<noscript>` has elements.
fn state_after(name: &[u8]) -> Option<State> {
    html5gum::naive_next_state(name).filter(|_| name != b"noscript")
}

type TagAttributes = BTreeMap<HtmlString, Spanned<HtmlString, usize>>;

fn value<'t>(attributes: &'t TagAttributes, name: &str) -> Option<&'t str> {
    std::str::from_utf8(attributes.get(name.as_bytes())?).ok()
}

fn has_word(tag: &StartTag<usize>, attribute: &str, words: &[&str]) -> bool {
    let own = value(&tag.attributes, attribute).unwrap_or_default();
    own.split_ascii_whitespace().any(|own| words.iter().any(|word| own.eq_ignore_ascii_case(word)))
}

fn is_json_ld(tag: &StartTag<usize>) -> bool {
    let own = value(&tag.attributes, "type").unwrap_or_default();
    own.to_ascii_lowercase().contains("ld+json")
}

fn declares_field(tag: &StartTag<usize>) -> bool {
    let names = ["name", "property", "itemprop", "http-equiv"];
    let kept = ["og:type", "content-type", "content-language"];
    value(&tag.attributes, "charset").is_none()
        && !names.iter().any(|name| has_word(tag, name, &kept))
}

/// The tag written without attributes that declare metadata; `None` if it has no such attribute.
fn without_declarations(mut tag: StartTag<usize>) -> Option<String> {
    let before = tag.attributes.len();
    let mut hidden = vec!["datetime", "property"];
    if has_word(&tag, "itemprop", &PROPERTIES) {
        hidden.extend(["itemprop", "content"]);
    }
    if value(&tag.attributes, "itemtype").is_some_and(|own| own.ends_with("BreadcrumbList")) {
        hidden.push("itemtype");
    }
    if has_word(&tag, "rel", &["author"]) {
        hidden.push("rel");
    }
    if tag.name.as_slice() == b"abbr" {
        hidden.push("title");
    }
    tag.attributes.retain(|name, _| !hidden.iter().any(|own| own.as_bytes() == name.as_slice()));
    if tag.attributes.len() == before {
        return None;
    }
    let mut written = format!("<{}", String::from_utf8_lossy(&tag.name));
    for (name, value) in &tag.attributes {
        let value = String::from_utf8_lossy(value).replace('&', "&amp;").replace('"', "&quot;");
        written.push_str(&format!(" {}=\"{value}\"", String::from_utf8_lossy(name)));
    }
    written.push_str(if tag.self_closing { " />" } else { ">" });
    Some(written)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(html: &str, shown: &str, declared: &str) {
        let masked = mask(html);
        assert_eq!(masked.shown, shown);
        assert_eq!(masked.declared.strip_prefix("<!doctype html>"), Some(declared));
    }

    #[test]
    fn scripts_and_metas_are_hidden_and_kept_apart() {
        check(
            "<HTML lang=de>\r\n<meta charset=x><Meta  Name='author' content=A><title>T</title><noscript><meta name=b></noscript>",
            "<HTML lang=de>\r\n<meta charset=x><title>T</title><noscript></noscript>",
            "<HTML lang=de><Meta  Name='author' content=A><meta name=b>",
        );
        let script = "<script type=\"application/ld+json\">{\"a\": \"<p>\"}</script>";
        check(&format!("é{script}<p>x"), "é<p>x", script);
        check("a<script type=application/ld+json>{", "a", "<script type=application/ld+json>{");
        let kept =
            "<meta property=og:type content=article><script>var a = '<meta name=x>';</script>";
        check(kept, kept, "");
        let link = "<link rel=canonical href=/a>";
        check(link, link, link);
    }

    #[test]
    fn tags_lose_the_attributes_that_declare() {
        check(
            "<time datetime=2024-05-06 class='a &amp; b'>6 May</time>",
            "<time class=\"a &amp; b\">6 May</time>",
            "",
        );
        check("<span itemprop='author x' content=J id=\"q'\">", "<span id=\"q'\">", "");
        check("<a rel='nofollow author' href=/j>Jo</a>", "<a href=\"/j\">Jo</a>", "");
        check("<p title=a><abbr title=2024>x", "<p title=a><abbr>x", "");
        let kept = "<div itemprop=articleBody><a rel=tag href=x><b title=y>\u{0}<x =\"";
        check(kept, kept, "");
    }

    proptest! {
        #[test]
        fn nothing_declares_after_masking(
            parts in proptest::collection::vec(
                prop_oneof![
                    "[ -~\\r\\né]{0,6}",
                    Just("<meta name=author content=A>".to_owned()),
                    Just("<script type=application/ld+json>".to_owned()),
                    Just("</script>".to_owned()),
                    Just("<time datetime=1>".to_owned()),
                    Just("<title>".to_owned()),
                    Just("<!--".to_owned()),
                    Just("-->".to_owned()),
                ],
                0..12,
            )
        ) {
            let masked = mask(&parts.concat());
            prop_assert_eq!(&mask(&masked.shown).shown, &masked.shown);
            prop_assert!(masked.shown.len() <= parts.concat().len() * 6);
        }
    }
}
