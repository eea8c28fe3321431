//! Finds the text of an article that a page contains only as data, in the state for its scripts.
//!
//! Frameworks send the state of a page as JSON, as object literals, as streams of rows, or in attributes. Each site has its own
//! names of properties. A text belongs to the page if an object around it has the page's title, or names its address.

use std::cell::OnceCell;

use dom::local_name;
use memchr::{memchr, memchr_iter, memchr3, memmem};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use url::Url;

use crate::json_ld::JsonLdFacts;
use crate::text::squash;
use literals::ScriptData;
use rich_text::{text_of_list, text_of_string};

pub(crate) mod literals;
mod references;
pub(crate) mod rich_text;

/// Maximum number of values that are read from a page.
const MOST_VALUES: u32 = 300_000;
/// Maximum number of visits to values; some are visited several times.
const MOST_LOOKS: u32 = 1_000_000;
/// Values nested deeper than this are not visited.
const MOST_LEVELS: usize = 110;
/// Maximum number of objects between a text and the object that names the page, or that has a property which does.
const MOST_BETWEEN: usize = 4;
const MOST_BESIDE: usize = 3;
/// Minimum number of letters and digits of a title, and of a name in an address, that distinguish pages.
const LEAST_TITLE: usize = 10;
const LEAST_NAME: usize = 4;
/// Minimum number of bytes of a string with a text.
const LEAST_BYTES: usize = 150;

/// The text of a page's article in the data of its scripts and attributes, as HTML. `html` is the source of the page at `url`,
/// and `document` is the parsed page. Linear in the page for each level of nesting, within limits.
pub fn article_in_data(
    html: &str,
    url: &str,
    document: &dom::Document,
    json_ld: &JsonLdFacts,
) -> Option<String> {
    let data = read_data(html);
    let identity = PageIdentity::of(url, document, json_ld);
    let mut finder =
        TextFinder { identity: &identity, frames: Vec::new(), best: None, left: MOST_LOOKS };
    data.iter().for_each(|value| finder.look(value, ""));
    finder.best.map(|(_, html)| html)
}

/// The data in the scripts and attributes of a page, with references resolved. Works on the source of the page: parsing it would
/// double the work for pages with a template.
fn read_data(html: &str) -> Vec<Value> {
    let mut data = ScriptData::new(MOST_VALUES);
    for script in scripts_of(html) {
        match decode_script(script) {
            Some(decoded) => data.read_value(&decoded),
            None => data.read_script(script),
        }
    }
    for value in data_attributes_of(html) {
        data.read_value(&value);
    }
    data.values.iter_mut().for_each(unwrap_typed);
    let ScriptData { values, streams, mut left } = data;
    let rows = streams.values().map(|stream| references::read_rows(stream, &mut left));
    let mut rows: Vec<Value> = rows.collect::<Vec<_>>().concat();
    rows.extend(streams.values().filter_map(|stream| literals::read_whole(stream, 0, &mut left)));
    let all = values.into_iter().chain(rows);
    all.map(|value| references::with_references(value, &mut left)).collect()
}

/// The contents of the scripts of a page.
fn scripts_of(html: &str) -> impl Iterator<Item = &str> {
    let mut rest = html;
    std::iter::from_fn(move || {
        let behind = &rest[find_tag(rest, "<script")?..];
        let content = &behind[end_of_tag(behind)..];
        let end = find_tag(content, "</script").unwrap_or(content.len());
        rest = &content[end..];
        Some(&content[..end])
    })
}

/// The JSON of a script that has it percent-encoded (RFC 3986), or with the escapes of Angular's `TransferState` before version 16.
fn decode_script(script: &str) -> Option<String> {
    let script = script.trim();
    if let "%7B" | "%7b" | "%5B" | "%5b" = script.get(..3)? {
        return percent_decode_str(script).decode_utf8().ok().map(Into::into);
    }
    let quoted = script.strip_prefix(['{', '[']).filter(|rest| rest.starts_with("&q;"));
    let pairs = [("&q;", "\""), ("&s;", "'"), ("&l;", "<"), ("&g;", ">"), ("&a;", "&")];
    quoted.map(|_| pairs.iter().fold(script.to_owned(), |text, (from, to)| text.replace(from, to)))
}

/// Replaces `[0, value]` and `[1, values]` by the value, in an object all of whose properties are such pairs: Astro writes the
/// properties of islands with their types (`astro/dist/runtime/server/serialize.js`).
fn unwrap_typed(value: &mut Value) {
    let is_typed = |own: &Value| match own.as_array().map(Vec::as_slice) {
        Some([Value::Number(kind), _]) => kind.as_u64().is_some_and(|kind| kind < 12),
        _ => false,
    };
    let own: Vec<&mut Value> = match value {
        Value::Object(object) => object.values_mut().collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => return,
    };
    if own.iter().all(|own| is_typed(own)) {
        for own in own {
            if let Some(inner) = own.as_array_mut().and_then(Vec::pop) {
                *own = inner;
            }
            unwrap_typed(own);
        }
    }
}

/// The byte at which a tag begins; case is ignored.
fn find_tag(html: &str, tag: &str) -> Option<usize> {
    memchr_iter(b'<', html.as_bytes()).find(|&at| {
        let name = html.as_bytes().get(at..at + tag.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()))
    })
}

fn end_of_tag(html: &str) -> usize {
    let mut at = 0;
    while let Some(found) = memchr3(b'>', b'"', b'\'', &html.as_bytes()[at..]) {
        let quote = html.as_bytes()[at + found];
        at += found + 1;
        if quote == b'>' {
            return at;
        }
        at += memchr(quote, &html.as_bytes()[at..]).map_or(html.len() - at, |end| end + 1);
    }
    html.len()
}

/// The values of attributes that contain JSON objects or arrays of objects.
fn data_attributes_of(html: &str) -> impl Iterator<Item = String> {
    // A quotation mark within quotation marks is written as a reference.
    let objects = memmem::find_iter(html.as_bytes(), b"{&quot;");
    let mut done = 0;
    objects.filter_map(move |at| {
        let before = html[..at].trim_end_matches([' ', '[']);
        if at < done || !before.ends_with("=\"") {
            return None;
        }
        let value = &html[before.len()..];
        let value = &value[..memchr(b'"', value.as_bytes())?];
        done = before.len() + value.len();
        let value = value.replace("&quot;", "\"").replace("&#39;", "'").replace("&#x27;", "'");
        Some(value.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    })
}

/// The titles, path and names by which data refers to a page.
struct PageIdentity {
    /// Its titles, reduced to letters and digits.
    titles: Vec<String>,
    /// Its path without slashes at the ends.
    path: String,
    /// The parts that distinguish its address from others: the last part of its path, without an ending, and values of its query.
    names: Vec<String>,
}

impl PageIdentity {
    fn of(url: &str, document: &dom::Document, json_ld: &JsonLdFacts) -> Self {
        let head = document.head();
        let of_site = head.meta("og:site_name").map(squash);
        let headings = document.ids().filter(|&id| document.is(id, &local_name!("h1")));
        let headings = headings.take(3).map(|id| document.text_content(id));
        let declared = [head.meta("og:title"), head.meta("twitter:title"), head.title.as_deref()];
        let declared = declared.into_iter().flatten();
        let json_ld = json_ld.article().and_then(|article| article.headline.as_deref());
        let mut titles: Vec<String> = Vec::new();
        for title in declared.chain(headings).chain(json_ld) {
            // The site's name may be before or after the title.
            let parted = title.replace(" - ", "|");
            let parts = parted.split(['|', '\u{2013}', '\u{2014}', '\u{b7}']);
            let longest = parts.max_by_key(|part| part.len()).unwrap_or(title);
            titles.extend([title, longest].map(squash));
        }
        titles.retain(|title| {
            title.chars().count() >= LEAST_TITLE && Some(title) != of_site.as_ref()
        });
        let url = Url::parse(url).ok();
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let path = url.as_ref().map_or("", Url::path).trim_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default();
        let stem = last.split_once('.').map_or(last, |(stem, _)| stem);
        let query =
            url.iter().flat_map(|url| url.query_pairs()).map(|(_, value)| value.into_owned());
        let mut names: Vec<String> = vec![decoded(last), decoded(stem)];
        names.extend(query);
        let number: String = stem.chars().rev().take_while(char::is_ascii_digit).collect();
        names.push(number.chars().rev().collect());
        names.retain(|name| name.len() >= LEAST_NAME);
        Self { titles, path: decoded(path), names }
    }

    fn is_title(&self, value: &Value) -> bool {
        let Value::String(text) = value else { return false };
        text.len() < 1_000 && text.contains(|c: char| !c.is_ascii() || c == ' ') && {
            let text = squash(text);
            self.titles.contains(&text)
        }
    }

    /// Whether a value is the page's address, or the part that distinguishes it.
    fn is_place(&self, value: &Value) -> bool {
        match value {
            Value::String(text) if text.len() < 2_000 && !text.contains(char::is_whitespace) => {
                let path = text.split(['?', '#']).next().unwrap_or_default();
                let path = path
                    .split_once("://")
                    .map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
                let path = path.trim_matches('/');
                !path.is_empty() && path.contains('/') && path == self.path
                    || self.names.iter().any(|name| name == path)
            }
            Value::Number(number) => {
                let number = number.to_string();
                self.names.contains(&number)
            }
            _ => false,
        }
    }

    /// The properties of an object, and of objects that are its properties, that name the page.
    fn names_in<'v>(&self, object: &'v Map<String, Value>) -> PageNames<'v> {
        let names = |value: &Value| self.is_title(value) || self.is_place(value);
        let own = object.iter().filter(|(_, value)| names(value)).map(|(name, _)| &**name);
        let mut found: Vec<&str> = own.collect();
        let are_own = !found.is_empty();
        for (outer, value) in object {
            for (inner, value) in value.as_object().into_iter().flatten().filter(|(_, v)| names(v))
            {
                found.push(outer);
                // The title's property has the same name as those of other texts: `rendered`.
                found.extend(self.is_place(value).then_some(&**inner));
            }
        }
        PageNames { names: found, are_own }
    }
}

/// Properties that name the page.
struct PageNames<'v> {
    names: Vec<&'v str>,
    /// Whether they are properties of the object itself.
    are_own: bool,
}

/// An object around a value.
struct DataFrame<'v> {
    object: &'v Map<String, Value>,
    /// Its properties that name the page.
    names: OnceCell<PageNames<'v>>,
    /// Whether it is one of several objects with dates, such as comments or other articles.
    is_entry: bool,
}

struct TextFinder<'v, 'i> {
    identity: &'i PageIdentity,
    frames: Vec<DataFrame<'v>>,
    /// The best text so far, preceded by whether its own object names the page, and its weight in words.
    best: Option<((bool, u32), String)>,
    left: u32,
}

impl<'v> TextFinder<'v, '_> {
    /// Looks for texts of the page in a value with this name.
    fn look(&mut self, value: &'v Value, name: &'v str) {
        if self.left == 0 || self.frames.len() > MOST_LEVELS {
            return;
        }
        self.left -= 1;
        match value {
            Value::String(text) if text.len() >= LEAST_BYTES => {
                if let Some(PageNames { are_own, .. }) = self.names_of_page() {
                    self.offer(*are_own, text_of_string(text));
                }
            }
            Value::Array(items) => {
                let objects = || items.iter().filter_map(Value::as_object);
                let are_entries = objects().filter(|item| has_date(item)).count() > 1;
                let page = self.names_of_page().filter(|page| {
                    let others = objects().filter(|item| has_any(item, &page.names));
                    items.len() > 1 && !are_entries && others.count() < 2
                });
                if let Some(&PageNames { are_own, .. }) = page {
                    let found = text_of_list(items, name, &mut self.left);
                    self.offer(are_own, found);
                }
                for item in items {
                    match item {
                        Value::Object(object) => self.look_into(object, are_entries),
                        _ => self.look(item, name),
                    }
                }
            }
            Value::Object(object) => self.look_into(object, false),
            _ => {}
        }
    }

    fn look_into(&mut self, object: &'v Map<String, Value>, is_entry: bool) {
        self.frames.push(DataFrame { object, names: OnceCell::new(), is_entry });
        for (name, value) in object {
            self.look(value, name);
        }
        self.frames.pop();
    }

    fn offer(&mut self, are_own: bool, found: Option<(String, u32)>) {
        let Some((html, words)) = found else { return };
        // The unrendered source of a text is often beside it; readers see the text with markup.
        let weight = if rich_text::has_markup(&html) { words + words / 5 } else { words };
        if self.best.as_ref().is_none_or(|(best, _)| (are_own, weight) > *best) {
            self.best = Some(((are_own, weight), html));
        }
    }

    /// The properties that name the page, if the innermost object belongs to the page: it or an object around it has these
    /// properties, and no object between the two belongs to another page.
    fn names_of_page(&self) -> Option<&PageNames<'v>> {
        for (between, frame) in self.frames.iter().rev().enumerate().take(MOST_BETWEEN + 1) {
            let names = frame.names.get_or_init(|| self.identity.names_in(frame.object));
            if !names.names.is_empty() {
                let inside = &self.frames[self.frames.len() - between..];
                let is_other = inside.iter().any(|frame| has_any(frame.object, &names.names));
                let is_near = names.are_own || between <= MOST_BESIDE;
                return (is_near && !is_other).then_some(names);
            }
            if frame.is_entry {
                return None;
            }
        }
        None
    }
}

/// Whether an object has any of these properties with a value that could name a page.
fn has_any(object: &Map<String, Value>, names: &[&str]) -> bool {
    let is_there =
        |name: &&str| object.get(*name).is_some_and(|own| own.is_string() || own.is_object());
    names.iter().any(is_there)
}

fn has_date(object: &Map<String, Value>) -> bool {
    let is_date = |value: &Value| match value {
        Value::String(text) => {
            let text = text.as_bytes();
            let digits = |range: std::ops::Range<usize>| {
                text.get(range).is_some_and(|own| own.iter().all(u8::is_ascii_digit))
            };
            text.len() < 40 && digits(0..4) && digits(5..7) && digits(8..10)
        }
        Value::Number(number) => number.as_u64().is_some_and(|seconds| {
            // From 2001 to 2033, in seconds or milliseconds.
            (1_000_000_000..2_000_000_000).contains(&seconds)
                || (1_000_000_000_000..2_000_000_000_000).contains(&seconds)
        }),
        _ => false,
    };
    object.values().any(is_date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_states_are_read() {
        let text = "The harbour was closed for a week after the storm, and nobody could say why. "
            .repeat(4);
        let json = format!(
            "{{\"post\":{{\"title\":\"The harbour is closed\",\"body\":\"<p>{text}</p>\"}}}}"
        );
        let percent: String = json.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let angular = json.replace('&', "&a;").replace('"', "&q;").replace('<', "&l;");
        let island = format!(
            "{{\"post\":[0,{{\"title\":[0,\"The harbour is closed\"],\"parts\":[1,[[0,\"<p>{text}</p>\"]]]}}]}}"
        );
        let island = island.replace('"', "&quot;");
        for state in [
            format!("<script type=application/json>{json}</script>"),
            format!("<script type=application/json>{percent}</script>"),
            format!("<script type=application/json>{angular}</script>"),
            format!("<astro-island props=\"{island}\"></astro-island>"),
        ] {
            let html = format!("<title>The harbour is closed</title><div></div>{state}");
            let document = dom::parse(&html);
            let url = "https://a.example/n/1";
            let found = article_in_data(&html, url, &document, &JsonLdFacts::default());
            assert!(found.is_some_and(|own| own.contains("closed for a week")), "{state}");
        }
    }
}
