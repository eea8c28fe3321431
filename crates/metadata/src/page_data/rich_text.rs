//! Converts texts in values to HTML: strings, and lists of blocks as editors store them.
//!
//! Portable Text, Contentful, ProseMirror, Slate, Lexical, Draft.js, Editor.js, Gutenberg and others differ only in the names of
//! their properties: all have a list of blocks, each with a string or with a list of runs that have a string, under one name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use terms::count_words;

/// Minimum number of words of a text.
const LEAST_WORDS: u32 = 50;
/// Items that share a text of this many words are variants of the same thing.
const LEAST_REPEATED: u32 = 12;
/// Minimum number of blocks with words.
const LEAST_BLOCKS: usize = 2;

/// Converts a string to HTML, and counts its words; `None` if it is not a text.
pub(super) fn text_of_string(text: &str) -> Option<(String, u32)> {
    let html = html_of_text(text);
    let document = dom::parse(&html);
    let shown = dom::text_of(&document, &[0], &[]);
    let words = count_words(&shown);
    (words >= LEAST_WORDS && is_prose(&shown)).then_some((html, words))
}

/// Converts a text to HTML, unless it already contains markup.
pub fn html_of_text(text: &str) -> String {
    if has_markup(text) { text.to_owned() } else { paragraphs_of(text) }
}

/// Converts a plain text to HTML: its parts between blank lines, else its lines, become paragraphs.
pub fn paragraphs_of(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let separator = if text.contains("\n\n") { "\n\n" } else { "\n" };
    let parts = text.split(separator).map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| format!("<p>{}</p>\n", plain_as_html(part))).collect()
}

/// Converts a plain text to the HTML of one paragraph. Keeps character references, which many texts contain.
fn plain_as_html(text: &str) -> String {
    text.replace('<', "&lt;").replace('\n', "<br>")
}

/// Whether a text has tags of HTML.
pub(super) fn has_markup(text: &str) -> bool {
    ["</", "<br", "<p>", "/>"].iter().any(|tag| text.contains(tag))
}

/// Whether a text consists of sentences, not of code, keys or addresses.
fn is_prose(text: &str) -> bool {
    let (mut letters, mut signs, mut all) = (0_usize, 0_usize, 0_usize);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        letters += usize::from(c.is_alphabetic());
        signs += usize::from(matches!(c, '{' | '}' | '=' | ';' | '<' | '>' | '_' | '|' | '\\'));
    }
    2 * all < 3 * letters && signs * 50 < all
}

/// Converts a list of blocks to HTML, and counts its words; `None` if it is not a text. `left` limits how many values are read.
pub(super) fn text_of_list(items: &[Value], name: &str, left: &mut u32) -> Option<(String, u32)> {
    let mut words: BTreeMap<&str, u32> = BTreeMap::new();
    for item in items {
        each_text(item, name, left, &mut |name, text| {
            *words.entry(name).or_default() += count_words(text);
        });
    }
    let (&key, _) = words.iter().max_by_key(|(_, words)| **words)?;
    let mut blocks = 0;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut are_variants = false;
    for item in items {
        let mut has_words = false;
        each_text(item, name, left, &mut |name, text| {
            has_words |= name == key;
            let is_long = name == key && count_words(text) >= LEAST_REPEATED;
            are_variants |= is_long && !seen.insert(text);
        });
        blocks += usize::from(has_words);
    }
    if blocks < LEAST_BLOCKS || are_variants {
        return None;
    }
    let mut writer = BlockWriter { key, html: String::new(), left };
    writer.list(items, name, !joins(items, key));
    text_of_string(&writer.html)
}

/// Calls `found` with each string that has words, and with its name; items have the name of their list.
fn each_text<'v>(
    value: &'v Value,
    name: &'v str,
    left: &mut u32,
    found: &mut dyn FnMut(&'v str, &'v str),
) {
    let mut open = vec![(name, value)];
    while let Some((name, value)) = open.pop() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match value {
            Value::String(text) if text.contains(char::is_whitespace) => found(name, text),
            Value::Array(items) => open.extend(items.iter().map(|item| (name, item))),
            Value::Object(object) => open.extend(object.iter().map(|(name, v)| (&**name, v))),
            _ => {}
        }
    }
}

/// The string of an item, if it contains one directly.
fn own_text<'v>(item: &'v Value, key: &str) -> Option<&'v str> {
    match item {
        Value::Object(object) => object.get(key)?.as_str(),
        other => other.as_str(),
    }
}

/// Whether items are runs of one paragraph, with the space between words at the end of one or the beginning of the next.
fn joins(items: &[Value], key: &str) -> bool {
    let texts: Vec<&str> = items.iter().filter_map(|item| own_text(item, key)).collect();
    let is_joint = |pair: &&[&str]| {
        pair[0].ends_with(' ') || pair[1].starts_with([' ', ',', '.', ';', ')', '\u{2019}'])
    };
    let joints = texts.windows(2).filter(is_joint).count();
    texts.len() > 1 && 2 * joints >= texts.len() - 1
}

struct BlockWriter<'v, 'l> {
    key: &'v str,
    html: String,
    left: &'l mut u32,
}

impl BlockWriter<'_, '_> {
    /// Writes a list of blocks, or of the runs of one block.
    fn list(&mut self, items: &[Value], name: &str, are_blocks: bool) {
        let has_runs = || items.iter().any(|item| own_text(item, self.key).is_some());
        if !are_blocks && has_runs() {
            let mut text = String::new();
            items.iter().for_each(|item| self.run(item, name, &mut text));
            return self.paragraph("p", &text);
        }
        items.iter().for_each(|item| self.block(item, name));
    }

    fn block(&mut self, item: &Value, name: &str) {
        if *self.left == 0 {
            return;
        }
        *self.left -= 1;
        match item {
            Value::String(text) if name == self.key => self.paragraph("p", &as_html(text)),
            Value::Array(items) => self.list(items, name, false),
            Value::Object(object) => {
                let start = self.html.len();
                if let Some(text) = own_text(item, self.key) {
                    self.paragraph("p", &as_html(text));
                }
                for (name, value) in object.iter().filter(|(_, v)| v.is_array() || v.is_object()) {
                    self.block(value, name);
                }
                if let Some(tag) = tag_of(item) {
                    let inner = self.html.split_off(start).replace("<p>", "").replace("</p>", "");
                    self.paragraph(tag, inner.trim());
                }
            }
            _ => {}
        }
    }

    /// Appends the text of a run to its paragraph.
    fn run(&mut self, item: &Value, name: &str, text: &mut String) {
        if *self.left == 0 {
            return;
        }
        *self.left -= 1;
        match item {
            Value::String(own) if name == self.key => text.push_str(&as_html(own)),
            Value::Array(items) => items.iter().for_each(|item| self.run(item, name, text)),
            Value::Object(object) => {
                for (name, value) in object {
                    self.run(value, name, text);
                }
            }
            _ => {}
        }
    }

    fn paragraph(&mut self, tag: &str, html: &str) {
        if !html.trim().is_empty() {
            let is_block = html.trim_start().starts_with("<p");
            match is_block && tag == "p" {
                true => self.html.push_str(html),
                false => self.html.push_str(&format!("<{tag}>{html}</{tag}>")),
            }
            self.html.push('\n');
        }
    }
}

/// Converts a string of a block to HTML: editors store plain text or HTML.
fn as_html(text: &str) -> String {
    if has_markup(text) { text.to_owned() } else { plain_as_html(text) }
}

/// The HTML element for a block that is not a paragraph, by the name of its kind.
fn tag_of(item: &Value) -> Option<&'static str> {
    let object = item.as_object()?;
    let kinds = object.values().filter_map(Value::as_str).filter(|kind| kind.len() < 30);
    let mut words = kinds.flat_map(|kind| kind.split(|c: char| !c.is_ascii_alphanumeric()));
    words.find_map(|word| match &*word.to_ascii_lowercase() {
        "h1" | "h2" | "heading" | "header" => Some("h2"),
        "h3" => Some("h3"),
        "h4" | "h5" | "h6" => Some("h4"),
        "quote" | "blockquote" | "pullquote" => Some("blockquote"),
        "code" | "codeblock" => Some("pre"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sentence(n: usize) -> String {
        format!(
            "The council of town {n} met on Monday evening and decided, after a long debate, to mend the old bridge over the river before winter."
        )
    }

    fn text(list: &Value) -> String {
        let items = list.as_array().unwrap();
        let (html, _) = text_of_list(items, "body", &mut 10_000).expect("a text");
        dom::text_of(&dom::parse(&html), &[0], &[])
    }

    #[test]
    fn blocks_of_editors_are_paragraphs() {
        let wanted = format!(
            "{}\n\nWhat followed\n\n{} And a link in it.\n\n{}",
            sentence(1),
            sentence(2),
            sentence(3)
        );
        let runs = |key: &str| json!([{"value": format!("{} And ", sentence(2))}, {"kind": "link", key: [{"value": "a link"}]}, {"value": " in it."}]);
        let portable = json!([
            {"_type": "block", "_key": "a 1", "children": [{"value": sentence(1)}]},
            {"_type": "block", "style": "h2", "children": [{"value": "What followed"}]},
            {"_type": "image", "asset": {"alt": "A bridge"}},
            {"_type": "block", "children": runs("children")},
            {"_type": "block", "children": [{"value": sentence(3)}]},
        ]);
        assert_eq!(text(&portable), wanted);
        let nested = json!([
            {"nodeType": "paragraph", "content": [{"value": sentence(1)}]},
            {"nodeType": "heading-2", "content": [{"value": "What followed"}]},
            {"nodeType": "paragraph", "content": runs("content")},
            {"nodeType": "list", "content": [{"nodeType": "item", "content": [{"content": [{"value": sentence(3)}]}]}]},
        ]);
        assert_eq!(text(&nested), wanted);
        let html = json!([
            {"type": "paragraph", "data": {"text": sentence(1)}},
            {"type": "header", "data": {"text": "What followed", "level": 2}},
            {"type": "paragraph", "data": {"text": format!("{} And <b>a link</b> in it.", sentence(2))}},
            {"type": "image", "data": {"caption": "A bridge", "file": {"url": "https://e.org/a.jpg"}}},
            {"type": "paragraph", "data": {"text": sentence(3)}},
        ]);
        assert_eq!(text(&html), wanted);
        assert_eq!(
            text(&json!([
                sentence(1),
                "What followed",
                format!("{} And a link in it.", sentence(2)),
                sentence(3)
            ])),
            wanted
        );
    }

    #[test]
    fn what_is_no_prose_is_none() {
        let style = ".a{color:red;margin:0 1px 2px 3px} ".repeat(30);
        assert!(text_of_string(&style).is_none());
        assert!(text_of_string(&"one two three".repeat(3)).is_none());
        assert!(text_of_string(&[sentence(1), sentence(2), sentence(3)].join("\n")).is_some());
    }
}
