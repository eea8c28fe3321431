//! Reads values in scripts: JSON, and JavaScript literals like it.
//!
//! Sources: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259); object initialisers, array initialisers and string literals of
//! [ECMAScript](https://tc39.es/ecma262/). Servers write states of pages with unquoted names, `undefined` and calls, which
//! readers of JSON reject.

use std::collections::BTreeMap;

use memchr::memchr3;
use serde_json::{Map, Number, Value};

/// Minimum number of bytes of a value that may have a text.
const LEAST_BYTES: usize = 200;
/// Values nested deeper than this are not read.
const MOST_LEVELS: u32 = 100;
/// Maximum depth of values that are strings inside strings.
const MOST_NESTED: u32 = 3;

#[derive(Debug)]
pub(super) struct ScriptData {
    /// Objects and arrays, in the order of the page.
    pub(super) values: Vec<Value>,
    /// Strings that are passed piece by piece to a function, by the name of the function.
    pub(super) streams: BTreeMap<String, String>,
    /// Number of values that may still be read.
    pub(super) left: u32,
}

impl ScriptData {
    pub(super) fn new(most_values: u32) -> Self {
        Self { values: Vec::new(), streams: BTreeMap::new(), left: most_values }
    }

    /// Reads the objects and arrays of a script, and the strings that are the only argument of a call. Skips all other code.
    /// Linear in its length.
    pub(super) fn read_script(&mut self, script: &str) {
        let names = read_parameters(script, &mut self.left).unwrap_or_default();
        let mut at = 0;
        while let Some(found) = memchr3(b'{', b'[', b'(', &script.as_bytes()[at..]) {
            let start = at + found;
            at = start + 1;
            let mut reader =
                LiteralReader { at, names: &names, ..LiteralReader::new(script, &mut self.left) };
            if script.as_bytes()[start] == b'(' {
                if let Some(text) = reader.only_string() {
                    at = reader.at;
                    self.take_string(callee(&script[..start]), text);
                }
                continue;
            }
            reader.at = start;
            let value = reader.value();
            at = at.max(reader.at);
            let has_text = at - start >= LEAST_BYTES || !names.is_empty();
            self.values.extend(value.filter(|_| has_text));
        }
    }

    /// Reads a text, such as an attribute, that consists of one value.
    pub(super) fn read_value(&mut self, text: &str) {
        self.values.extend(read_whole(text, 0, &mut self.left));
    }

    fn take_string(&mut self, callee: &str, text: String) {
        match read_whole(&text, 0, &mut self.left) {
            Some(value) => self.values.push(value),
            None => match self.streams.get_mut(callee) {
                Some(stream) => stream.push_str(&text),
                None => drop(self.streams.insert(callee.to_owned(), text)),
            },
        }
    }
}

/// The parameters and arguments of the function that a script calls first:
/// `__NUXT__=(function(a,b){return {…}}(…,…))`. devalue (Nuxt 2) writes repeated values of a state in this way.
fn read_parameters<'s>(script: &'s str, left: &mut u32) -> Option<BTreeMap<&'s str, Value>> {
    let (_, rest) = script.split_once("(function(").filter(|(own, _)| !own.contains('{'))?;
    let (names, body) = rest.split_once(')')?;
    let mut reader = LiteralReader::new(body, left);
    reader.skip_space();
    reader.take(b'{').then_some(())?;
    while reader.peek()? != b'}' {
        reader.skip_expression()?;
        reader.at += usize::from(reader.peek()? != b'}');
    }
    reader.at += 1;
    reader.skip_space();
    reader.take(b')');
    reader.take(b'(').then_some(())?;
    let values = reader.items(b')')?;
    Some(names.split(',').map(str::trim).zip(values).collect())
}

/// The name of the called function at the end of `before`.
fn callee(before: &str) -> &str {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let rest = before.trim_end_matches(is_of_name);
    &before[rest.len()..]
}

/// Reads a text that consists of one object or array, if it is long enough.
pub(super) fn read_whole(text: &str, nested: u32, left: &mut u32) -> Option<Value> {
    let text = text.trim();
    if text.len() < LEAST_BYTES || !text.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = LiteralReader { nested, ..LiteralReader::new(text, left) };
    let value = reader.value()?;
    (reader.at == text.len()).then_some(value)
}

/// Reads the value at the beginning of a text, if it is complete.
pub(crate) fn read_literal(text: &str) -> Option<Value> {
    LiteralReader::new(text, &mut 50_000).value()
}

struct LiteralReader<'t, 'l> {
    text: &'t str,
    at: usize,
    levels: u32,
    nested: u32,
    /// The values of names that the script declares.
    names: &'l BTreeMap<&'t str, Value>,
    left: &'l mut u32,
}

impl<'t, 'l> LiteralReader<'t, 'l> {
    fn new(text: &'t str, left: &'l mut u32) -> Self {
        const NONE: &BTreeMap<&str, Value> = &BTreeMap::new();
        Self { text, at: 0, levels: 0, nested: 0, names: NONE, left }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            let rest = &self.text[self.at..];
            let comment = match rest.as_bytes() {
                [b'/', b'*', ..] => rest.find("*/").map_or(rest.len(), |end| end + 2),
                [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
                _ => return,
            };
            self.at += comment;
        }
    }

    /// Reads a string that is the only argument of a call, perhaps after the number of its kind: `("…")`, `([1,"…"])`.
    fn only_string(&mut self) -> Option<String> {
        self.skip_space();
        let is_listed = self.take(b'[');
        if is_listed {
            while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.at += 1;
            }
            self.take(b',').then_some(())?;
            self.skip_space();
        }
        let text = self.string()?;
        self.skip_space();
        (!is_listed || self.take(b']')).then_some(())?;
        self.skip_space();
        self.take(b')').then_some(text)
    }

    /// Reads the value that begins here; `None` if there is none, or too many values were read.
    fn value(&mut self) -> Option<Value> {
        self.skip_space();
        *self.left = self.left.checked_sub(1)?;
        match self.peek()? {
            byte @ (b'{' | b'[') => {
                self.at += 1;
                self.levels += 1;
                let value = match byte {
                    _ if self.levels > MOST_LEVELS => None,
                    b'{' => self.object(),
                    _ => self.items(b']').map(Value::Array),
                };
                self.levels -= 1;
                value
            }
            b'"' | b'\'' | b'`' => {
                let text = self.string()?;
                let inner = (self.nested < MOST_NESTED)
                    .then(|| read_whole(&text, self.nested + 1, self.left));
                Some(inner.flatten().unwrap_or(Value::String(text)))
            }
            _ => Some(self.word()),
        }
    }

    fn object(&mut self) -> Option<Value> {
        let mut object = Map::new();
        loop {
            self.skip_space();
            match self.peek()? {
                b'}' => {
                    self.at += 1;
                    return Some(Value::Object(object));
                }
                b',' => self.at += 1,
                b'.' => self.skip_expression()?,
                _ => {
                    let name = self.name()?;
                    self.skip_space();
                    self.take(b':').then_some(())?;
                    let value = self.member()?;
                    object.insert(name, value);
                }
            }
        }
    }

    /// Reads the values up to the end of an array or call.
    fn items(&mut self, end: u8) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek()? {
                byte if byte == end => {
                    self.at += 1;
                    return Some(items);
                }
                b',' => self.at += 1,
                _ => items.push(self.member()?),
            }
        }
    }

    /// Reads a value and checks that a separator or end follows. Any other expression is skipped and gives null.
    fn member(&mut self) -> Option<Value> {
        let value = self.value()?;
        self.skip_space();
        if matches!(self.peek()?, b',' | b'}' | b']' | b')') {
            return Some(value);
        }
        self.skip_expression()?;
        Some(Value::Null)
    }

    fn name(&mut self) -> Option<String> {
        if matches!(self.peek()?, b'"' | b'\'') {
            return self.string();
        }
        let rest = &self.text[self.at..];
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let end = rest.find(|c| !is_of_name(c)).filter(|&end| end > 0)?;
        self.at += end;
        Some(rest[..end].to_owned())
    }

    /// Reads a number or a word.
    fn word(&mut self) -> Value {
        let rest = &self.text[self.at..];
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | '+');
        let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        self.at += end;
        match &rest[..end] {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            word => match self.names.get(word) {
                Some(Value::String(text)) => self.copy(text),
                Some(value @ (Value::Bool(_) | Value::Number(_))) => value.clone(),
                _ => word.parse::<Number>().map_or(Value::Null, Value::Number),
            },
        }
    }

    /// Copies the text that a name stands for. Long texts count as several values, because they may be copied many times.
    fn copy(&mut self, text: &str) -> Value {
        let left = self.left.checked_sub(u32::try_from(text.len() / 64).unwrap_or(u32::MAX));
        left.map_or(Value::Null, |left| {
            *self.left = left;
            Value::String(text.to_owned())
        })
    }

    /// Skips an expression in an object or array, up to its end.
    fn skip_expression(&mut self) -> Option<()> {
        let mut levels = 0_u32;
        loop {
            match self.peek()? {
                b'"' | b'\'' | b'`' => drop(self.string()?),
                b',' | b'}' | b']' | b')' if levels == 0 => return Some(()),
                byte => {
                    levels += u32::from(matches!(byte, b'{' | b'[' | b'('));
                    levels -= u32::from(matches!(byte, b'}' | b']' | b')'));
                    self.at += 1;
                }
            }
        }
    }

    /// Reads a string and resolves its escapes; `None` if no string begins here, or if it does not end.
    fn string(&mut self) -> Option<String> {
        let quote = self.peek().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        self.at += 1;
        let line_end = if quote == b'`' { quote } else { b'\n' };
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let end = memchr3(quote, b'\\', line_end, rest.as_bytes());
            let Some(end) = end else {
                self.at = self.text.len();
                return None;
            };
            text.push_str(&rest[..end]);
            self.at += end + 1;
            match rest.as_bytes()[end] {
                b'\\' => self.escape(&mut text)?,
                byte if byte == quote => return Some(text),
                _ => return None,
            }
        }
    }

    /// Reads an escape after its backslash.
    fn escape(&mut self, text: &mut String) -> Option<()> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        match c {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' | 'f' | 'v' | '0' => text.push(' '),
            'x' => text.push(char::from_u32(self.hexadecimal(2)?).unwrap_or('\u{fffd}')),
            'u' => {
                let mut code = self.hexadecimal(4)?;
                if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with("\\u") {
                    let start = self.at;
                    self.at += 2;
                    match self.hexadecimal(4)? {
                        low @ 0xdc00..0xe000 => {
                            code = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        }
                        _ => self.at = start,
                    }
                }
                text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
            '\n' => {}
            other => text.push(other),
        }
        Some(())
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let code = self.text.get(self.at..self.at + digits)?;
        self.at += digits;
        u32::from_str_radix(code, 16).ok()
    }
}

pub(super) fn split_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(script: &str) -> Vec<Value> {
        let mut data = ScriptData::new(10_000);
        data.read_script(script);
        data.values
    }

    fn long() -> String {
        "word ".repeat(60)
    }

    #[test]
    fn literals_are_read_between_code() {
        let text = long();
        let script = format!(
            "!function(e){{var t={{}};return[1,2].map(t)}}(1);window.S = {{a: undefined, 'b': [1, -2.5e1, ,true,], \
             $c: new Date(\"2020-01-01\"), \"d\": \"it\\u2019s \\x41 \\ud83d\\ude00\", e: function(x) {{ return {{y: ')'}} }}, \
             ...f, g: `{text}`, // end\n h: \"a\" + b, i: !0}};x()"
        );
        let [value] = &read(&script)[..] else { panic!() };
        let wanted = json!({
            "a": null, "b": [1, -25.0, true], "$c": null, "d": "it\u{2019}s A \u{1f600}", "e": null,
            "g": text, "h": null, "i": null
        });
        assert_eq!(*value, wanted);
    }

    #[test]
    fn values_in_strings_and_strings_of_calls_are_read() {
        let text = long();
        let inner = json!({"body": text}).to_string();
        let outer = json!({"page": inner}).to_string();
        assert_eq!(read(&format!("x = {outer}"))[0]["page"]["body"], text);
        let quoted = Value::String(inner).to_string();
        assert_eq!(read(&format!("x = JSON.parse({quoted})"))[0]["body"], text);
        let mut data = ScriptData::new(100);
        data.read_script("s.f.push([1,\"0:ab\"])");
        data.read_script("s.f.push([1, 'cd\\n'] );");
        assert_eq!(data.streams["push"], "0:abcd\n");
    }

    #[test]
    fn parameters_have_the_values_of_the_call() {
        let text = long();
        for (open, call) in [("}(", "))"), ("})(", ")")] {
            let state = format!("{{post:{{title:b,draft:a,body:\"{text}\",by:c,e:f}}}}");
            let script = format!(
                "window.X=(function(a, b,c){{c.x=1;return {state}{open}false,\"(Old) {{mill\",{{}}{call}"
            );
            let post = &read(&script)[0]["post"];
            assert_eq!(post["title"], "(Old) {mill", "{script}");
            assert_eq!(post["draft"], false);
            assert_eq!(post["body"], text);
        }
        let script = format!("x=(function(a){{return {{body:a}}}}(\"{text}\"))");
        assert_eq!(read(&script)[0]["body"], text);
        // Copies are limited.
        let script =
            format!("x=(function(a){{return [{}]}}(\"{}\"))", "a,".repeat(400), text.repeat(100));
        let mut data = ScriptData::new(1000);
        data.read_script(&script);
        assert!(data.values.is_empty());
    }

    #[test]
    fn depth_and_number_of_values_are_limited() {
        assert!(read(&"[".repeat(100_000)).is_empty());
        assert!(read(&format!("{{{}", "a:{".repeat(100_000))).is_empty());
        let mut data = ScriptData::new(10);
        data.read_script(&format!("x = [{}]", "1,".repeat(500)));
        assert!(data.values.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_script_is_read(script in "(\\{|\\[|\\(|\\}|\\]|\\)|[:,'\"`\\\\/*\n$ux0-9a\u{e9}\u{1f600} .-]|\"a\":|\\\\ud83d|JSON\\.parse\\(\"){0,120}") {
            read(&script.repeat(3));
            read_whole(&script.repeat(20), 0, &mut 1_000);
        }

        #[test]
        fn json_is_read_as_it_is(words in proptest::collection::vec("[a-z\"\\\\\u{e9}<>\n\t{}\\[\\]]{0,12}", 1..9)) {
            let value = json!({"a": words, "b": {"c": words}, "text": long()});
            proptest::prop_assert_eq!(read(&format!("var x = {value};")), [value]);
        }
    }
}
