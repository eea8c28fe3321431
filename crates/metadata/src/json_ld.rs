//! JSON-LD blocks as found on pages, valid or not.
//!
//! Sources: [JSON-LD 1.1](https://www.w3.org/TR/json-ld11/),
//! [schema.org](https://schema.org/docs/datamodel.html). Contexts are not resolved: pages use the
//! schema.org names directly.

use std::borrow::Cow;
use std::collections::HashMap;

use dom::Head;
use serde_json::{Map, Value};

pub(crate) type Object = Map<String, Value>;

/// Bytes of JSON-LD read per page; the rest is ignored.
const MAX_BYTES: usize = 4 << 20;
/// Maximum number of objects examined per page.
const MAX_OBJECTS: usize = 5_000;

/// All JSON-LD values of a page.
#[derive(Default)]
pub(crate) struct JsonLd {
    values: Vec<Value>,
}

/// A typed object of the graph.
#[derive(Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) object: &'a Object,
    /// Whether it stands by itself (top level, `@graph`, `mainEntity`) rather than as a property.
    pub(crate) primary: bool,
}

impl JsonLd {
    /// Values of scripts, and of metas named `…ld+json`, which some web frameworks write by
    /// mistake.
    pub(crate) fn read(head: &Head) -> Self {
        let mut values = Vec::new();
        let mut bytes = 0;
        let metas = head.metas.iter().filter(|m| m.key.ends_with("ld+json")).map(|m| &*m.content);
        for script in head.json_ld.iter().map(String::as_str).chain(metas) {
            bytes += script.len();
            if bytes > MAX_BYTES {
                break;
            }
            values.extend(parse(script));
        }
        Self { values }
    }

    /// Objects with a `@type`, in document order.
    pub(crate) fn typed(&self) -> Vec<Typed<'_>> {
        let mut typed = Vec::new();
        self.walk(|object, primary| {
            if object.contains_key("@type") {
                typed.push(Typed { object, primary });
            }
        });
        typed
    }

    /// Objects that are more than a reference, by `@id`; of several, the one with most properties.
    pub(crate) fn by_id(&self) -> HashMap<&str, &Object> {
        let mut index: HashMap<&str, &Object> = HashMap::new();
        self.walk(|object, _| {
            if let Some(Value::String(id)) = object.get("@id")
                && object.len() > 1
            {
                let slot = index.entry(id).or_insert(object);
                if slot.len() < object.len() {
                    *slot = object;
                }
            }
        });
        index
    }

    /// All objects in document order. Depth is bounded by the JSON parser (128).
    fn walk<'a>(&'a self, mut visit: impl FnMut(&'a Object, bool)) {
        let mut open: Vec<(&Value, bool)> = self.values.iter().rev().map(|v| (v, true)).collect();
        let mut budget = MAX_OBJECTS;
        while let Some((value, primary)) = open.pop() {
            match value {
                Value::Array(items) => open.extend(items.iter().rev().map(|v| (v, primary))),
                Value::Object(object) => {
                    if budget == 0 {
                        return;
                    }
                    budget -= 1;
                    visit(object, primary);
                    open.extend(object.iter().rev().filter(|(_, v)| !v.is_string()).map(
                        |(key, v)| {
                            let main =
                                matches!(&**key, "@graph" | "mainEntity" | "mainEntityOfPage");
                            (v, primary && main)
                        },
                    ));
                }
                _ => {}
            }
        }
    }
}

/// The values of one script: one or several, repaired if they are not valid JSON.
pub(crate) fn parse(script: &str) -> Vec<Value> {
    let mut text = Cow::Borrowed(script);
    for marker in ["<![CDATA[", "]]>", "<!--", "-->"] {
        if text.contains(marker) {
            text = Cow::Owned(text.replace(marker, " "));
        }
    }
    if !text.contains('"') && text.contains("&quot;") {
        text = Cow::Owned(text.replace("&quot;", "\"").replace("&amp;", "&"));
    }
    let Some(start) = text.find(['{', '[']) else { return Vec::new() };
    let text = &text[start..];
    let (values, whole) = stream(text);
    if whole {
        return values;
    }
    let (repaired, _) = stream(&repair(text));
    if repaired.len() >= values.len() { repaired } else { values }
}

/// Parses consecutive objects and arrays; also returns whether nothing but `;` was left over.
fn stream(text: &str) -> (Vec<Value>, bool) {
    let mut values = Vec::new();
    let mut items = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    loop {
        let end = items.byte_offset();
        match items.next() {
            None => return (values, true),
            Some(Ok(value)) => values.push(value),
            Some(Err(_)) => {
                let rest = text[end..].trim_matches(|c: char| c == ';' || c.is_whitespace());
                return (values, rest.is_empty());
            }
        }
    }
}

/// Repairs common errors of publishers' templates: raw control characters and quotes in strings,
/// unknown escapes, trailing commas, unclosed brackets. One pass, linear in the text.
fn repair(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut closers = Vec::new();
    let mut in_string = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = &text[at + c.len_utf8()..];
        if in_string {
            match c {
                '\\' => match rest.chars().next() {
                    Some(next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
                        out.extend(['\\', next]);
                        chars.next();
                    }
                    Some('u')
                        if rest.len() > 4
                            && rest.bytes().skip(1).take(4).all(|b| b.is_ascii_hexdigit()) =>
                    {
                        out.push_str("\\u");
                        chars.next();
                    }
                    Some('\'') => {}
                    _ => out.push_str("\\\\"),
                },
                '"' if closes(rest) => {
                    in_string = false;
                    out.push('"');
                }
                '"' => out.push_str("\\\""),
                '\n' => out.push_str("\\n"),
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
            continue;
        }
        match c {
            '"' => in_string = true,
            '{' => closers.push('}'),
            '[' => closers.push(']'),
            '}' | ']' => {
                closers.pop();
            }
            ',' if rest.trim_start().starts_with(['}', ']', ',']) => continue,
            _ => {}
        }
        out.push(c);
    }
    if in_string {
        out.push('"');
    }
    out.extend(closers.into_iter().rev());
    out
}

/// Whether a quote followed by `rest` ends its string: JSON syntax follows.
fn closes(rest: &str) -> bool {
    let rest = rest.trim_start();
    match rest.as_bytes().first() {
        None | Some(b':' | b'}' | b']') => true,
        Some(b',') => {
            let after = rest[1..].trim_start();
            after.is_empty()
                || after.starts_with(['"', '{', '[', '}', ']', '-'])
                || after.starts_with(|c: char| c.is_ascii_digit())
                || ["true", "false", "null"].iter().any(|word| after.starts_with(word))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headline(script: &str) -> Option<String> {
        let values = parse(script);
        values.first()?.get("headline")?.as_str().map(str::to_owned)
    }

    #[test]
    fn damaged_blocks_are_read() {
        let good = Some("A \"b\" c".to_owned());
        assert_eq!(headline(r#"{"headline":"A \"b\" c"}"#), good);
        assert_eq!(headline(r#"<!-- {"headline":"A \"b\" c",} -->"#), good);
        assert_eq!(
            headline("//<![CDATA[\n{\"headline\":\"A \"b\" c\", \"x\":[1,2,]}\n//]]>"),
            good
        );
        assert_eq!(headline(r#"{"headline":"A \"b\" c", "author": {"name": "Cut o"#), good);
        assert_eq!(headline("{\"headline\":\"two\nlines\"};"), Some("two\nlines".to_owned()));
        assert_eq!(headline(r#"{"headline":"it\'s \x"}"#), Some("it's \\x".to_owned()));
        assert_eq!(headline("{&quot;headline&quot;:&quot;A&quot;}"), Some("A".to_owned()));
    }

    #[test]
    fn several_objects_in_one_script() {
        assert_eq!(parse("{\"a\":1}\n{\"b\":2}").len(), 2);
        assert_eq!(parse("{\"a\":1};").len(), 1);
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_panics(script in "[\\[\\]{}:,\"\\\\a-z0-9 \n\u{1}é'/]{0,200}") {
            let json = JsonLd::read(&Head { json_ld: vec![script], ..Head::default() });
            json.typed();
            json.by_id();
        }
    }
}
