//! Character references (WHATWG HTML §13.2.5.72–80): the common ones here, the rest with htmlize.

use memchr::memchr;

/// The context of a text: in attributes, a name without `;` followed by more letters is not a
/// reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferenceContext {
    Attribute,
    Text,
}

/// Common names after `&`, and their characters.
const COMMON: [(&str, char); 5] =
    [("amp;", '&'), ("nbsp;", '\u{a0}'), ("quot;", '"'), ("lt;", '<'), ("gt;", '>')];

/// Appends a text with its character references resolved.
pub(super) fn resolve(text: &str, context: ReferenceContext, output: &mut String) {
    let Some(first) = memchr(b'&', text.as_bytes()) else { return output.push_str(text) };
    output.push_str(&text[..first]);
    let mut rest = &text[first..];
    while !rest.is_empty() {
        // A reference contains no second `&`, so each is resolved separately.
        let end = memchr(b'&', &rest.as_bytes()[1..]).map_or(rest.len(), |next| next + 1);
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        let name = &piece[1..];
        let common = COMMON.iter().find(|(common, _)| name.starts_with(common));
        if let Some((common, means)) = common {
            output.push(*means);
            output.push_str(&name[common.len()..]);
        } else if is_none(name, context) {
            output.push_str(piece);
        } else if context == ReferenceContext::Attribute {
            output.push_str(&htmlize::unescape_attribute(piece));
        } else {
            output.push_str(&htmlize::unescape(piece));
        }
    }
}

/// Whether the text after an `&` is clearly not a reference: it begins with no name, or with a name before `=`, as in a URL.
fn is_none(name: &str, context: ReferenceContext) -> bool {
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    match name.as_bytes().get(length) {
        Some(b'#') if length == 0 => false,
        Some(b'=') if context == ReferenceContext::Attribute => true,
        _ => length == 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str) {
        for context in [ReferenceContext::Attribute, ReferenceContext::Text] {
            let mut ours = String::from("before");
            resolve(text, context, &mut ours);
            let theirs = match context {
                ReferenceContext::Attribute => htmlize::unescape_attribute(text),
                ReferenceContext::Text => htmlize::unescape(text),
            };
            assert_eq!(ours, format!("before{theirs}"), "{text:?} {context:?}");
        }
    }

    #[test]
    fn references_in_addresses_and_texts() {
        for text in [
            "",
            "&",
            "a&b",
            "?a=1&amp;b=2&c=3&copy=4&copy;=5&lt=6&ampx&amp=",
            "&amp;amp; &nbsp;&quot;&lt;p&gt;&apos;&eacute;&notit;&notin;",
            "&#38;&#x26;&#;&#x;&# &amp&amp&lt",
            "&é&;&=&&amp;",
        ] {
            check(text);
        }
    }

    proptest! {
        #[test]
        fn all_come_out_as_by_htmlize(text in "(&|&amp;?|&lt;?|&not|&notin;|&copy|&#x?|[0-9a-z]|;|=|é| ){0,24}") {
            check(&text);
        }
    }
}
