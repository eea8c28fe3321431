//! Resolves values that refer to each other: rows of a stream, arrays of all values, caches of objects.
//!
//! Sources: React's stream of server components (`ReactFlightClient`), [devalue](https://github.com/sveltejs/devalue) (Nuxt,
//! SvelteKit), turbo-stream (React Router), the normalised cache of Apollo Client.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::literals::{read_whole, split_line};

/// Maximum depth to which references are followed.
const MOST_LEVELS: u32 = 100;

/// Reads a stream of rows `ID:VALUE`, and replaces references by the values they refer to. Empty if the text is no such stream.
pub(super) fn read_rows(stream: &str, left: &mut u32) -> Vec<Value> {
    let mut rows: BTreeMap<&str, Value> = BTreeMap::new();
    let mut rest = stream;
    while let Some((id, behind)) = split_id(rest) {
        // A text is preceded by its length in bytes, because it may have several lines.
        if let Some((length, text)) = behind.strip_prefix('T').and_then(|text| split_hex(text, ','))
        {
            let length = usize::from_str_radix(length, 16).unwrap_or(usize::MAX);
            let (text, next) = text.split_at(text.floor_char_boundary(length.min(text.len())));
            rows.insert(id, Value::String(text.to_owned()));
            rest = next;
            continue;
        }
        let (line, next) = split_line(behind);
        let value = read_whole(line, 0, left).or_else(|| serde_json::from_str(line).ok());
        rows.extend(value.map(|value| (id, value)));
        rest = next;
    }
    let mut inliner = Inliner { form: Form::Rows(&rows), left };
    rows.values().map(|value| inliner.content(value, 0)).collect()
}

fn split_id(text: &str) -> Option<(&str, &str)> {
    split_hex(text.trim_start_matches('\n'), ':')
}

fn split_hex(text: &str, end: char) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_hexdigit).take(9).count();
    let rest = text[digits..].strip_prefix(end)?;
    (1..=8).contains(&digits).then_some((&text[..digits], rest))
}

/// Replaces the references in a value by the values they refer to.
pub(super) fn with_references(value: Value, left: &mut u32) -> Value {
    let form = match &value {
        Value::Array(items) if is_of_places(items) => Form::Places(items),
        Value::Object(entries) if has_reference(&value, entries, left) => Form::Entries(entries),
        _ => return value,
    };
    Inliner { form, left }
        .content(if let Form::Places(items) = form { &items[0] } else { &value }, 0)
}

/// Whether the objects in an array have only places in that array as values.
fn is_of_places(items: &[Value]) -> bool {
    let is_place = |value: &Value| value.as_i64().is_some_and(|at| at < items.len() as i64);
    let objects = || items.iter().filter_map(Value::as_object);
    objects().any(|object| !object.is_empty())
        && objects().all(|object| object.values().all(is_place))
}

/// Whether a value in a map of objects refers to one of its entries.
fn has_reference(value: &Value, entries: &Map<String, Value>, left: &mut u32) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(_) if named_entry(value, entries).is_some() => return true,
            Value::Object(object) => open.extend(object.values()),
            _ => {}
        }
    }
    false
}

/// The entry that an object with only a reference refers to: `{"__ref": "Post:1"}`.
fn named_entry<'v>(value: &Value, entries: &'v Map<String, Value>) -> Option<&'v Value> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    entries.get(object.values().next()?.as_str()?).filter(|entry| entry.is_object())
}

#[derive(Clone, Copy)]
enum Form<'v> {
    /// Strings such as `$1a` refer to rows.
    Rows(&'v BTreeMap<&'v str, Value>),
    /// Numbers refer to places in an array.
    Places(&'v [Value]),
    /// Objects that contain only a string refer to entries.
    Entries(&'v Map<String, Value>),
}

/// Copies values and resolves their references, up to a maximum number of values.
struct Inliner<'v, 'l> {
    form: Form<'v>,
    left: &'l mut u32,
}

impl<'v> Inliner<'v, '_> {
    fn copy(&mut self, value: &'v Value, levels: u32) -> Value {
        match (self.form, value) {
            (Form::Rows(rows), Value::String(text)) => match text.strip_prefix('$') {
                None => value.clone(),
                Some(text) if text.starts_with('$') => Value::String(text.to_owned()),
                Some(date) if date.starts_with('D') => Value::String(date[1..].to_owned()),
                Some(id) => {
                    let id = id.trim_start_matches(['L', '@', 'W', 'Q']);
                    let mut path = id.split(':');
                    let row = path.next().and_then(|id| rows.get(id));
                    let target = path.fold(row, |target, name| match target? {
                        Value::Object(object) => object.get(name),
                        // The properties of an element are its fourth item.
                        Value::Array(items) if name == "props" => items.get(3),
                        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
                        _ => None,
                    });
                    target.map_or(Value::Null, |target| self.content(target, levels))
                }
            },
            (Form::Places(items), Value::Number(at)) => {
                let target = at.as_u64().and_then(|at| items.get(at as usize));
                target.map_or(Value::Null, |target| self.content(target, levels))
            }
            (Form::Entries(entries), Value::Object(_)) => {
                let target = named_entry(value, entries).unwrap_or(value);
                self.content(target, levels)
            }
            _ => self.content(value, levels),
        }
    }

    fn content(&mut self, value: &'v Value, levels: u32) -> Value {
        if *self.left == 0 || levels > MOST_LEVELS {
            return Value::Null;
        }
        *self.left -= 1;
        let inside = levels + 1;
        match (self.form, value) {
            // An element: its tag becomes a property like the others.
            (Form::Rows(_), Value::Array(items)) if is_element(items) => {
                let Value::Object(mut element) = self.copy(&items[3], inside) else {
                    return Value::Null;
                };
                element.insert("type".to_owned(), items[1].clone());
                Value::Object(element)
            }
            // The name of a type, followed by its content.
            (Form::Places(_), Value::Array(items))
                if items.first().is_some_and(Value::is_string) =>
            {
                items.get(1).map_or(Value::Null, |item| self.copy(item, inside))
            }
            (_, Value::Array(items)) => items.iter().map(|item| self.copy(item, inside)).collect(),
            (form, Value::Object(object)) => {
                let copy = |(name, value): (&'v String, &'v Value)| {
                    (name_of(form, name).to_owned(), self.copy(value, inside))
                };
                object.iter().map(copy).collect()
            }
            _ => value.clone(),
        }
    }
}

fn is_element(items: &[Value]) -> bool {
    items.len() >= 4 && items[0] == "$" && items[3].is_object()
}

/// The name of a property, which may itself refer to a place: `_12`.
fn name_of<'v>(form: Form<'v>, name: &'v str) -> &'v str {
    let Form::Places(items) = form else { return name };
    let at = name.strip_prefix('_').and_then(|at| at.parse::<usize>().ok());
    at.and_then(|at| items.get(at)?.as_str()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_name_each_other() {
        let stream = "1:\"$Sreact\"\n2:I[\"a\",[]]\n0:[\"$\",\"$L2\",null,{\"post\":{\"body\":\"$3\",\"on\":\"$D2024-05-06\",\
                      \"price\":\"$$5\"}}]\n3:T7,a\nb\u{e9}\u{e9}4:{\"of\":\"$0:props:post:on\"}\n";
        let rows = read_rows(stream, &mut 1_000);
        let wanted = json!({"post": {"body": "a\nb\u{e9}\u{e9}", "on": "2024-05-06", "price": "$5"}, "type": "$L2"});
        assert!(rows.contains(&wanted), "{rows:?}");
        assert!(read_rows("no rows at all", &mut 1_000).is_empty());
    }

    #[test]
    fn places_and_entries_are_replaced() {
        let flat = json!([["Reactive", 1], {"post": 2}, {"title": 3, "size": 4, "none": -1, "all": 5}, "A", 2, [3, 3]]);
        let wanted = json!({"post": {"title": "A", "size": 2, "none": null, "all": ["A", "A"]}});
        assert_eq!(with_references(flat, &mut 1_000), wanted);
        let named = json!([{"_1": 2}, "post", {"_3": 3}, "title"]);
        assert_eq!(with_references(named, &mut 1_000), json!({"post": {"title": "title"}}));
        let cache = json!({"Root": {"post": {"__ref": "Post:1"}}, "Post:1": {"title": "A"}});
        assert_eq!(with_references(cache, &mut 1_000)["Root"]["post"]["title"], "A");
    }

    #[test]
    fn circles_end() {
        let flat = json!([{"a": 0, "b": 0, "c": 0}, "x"]);
        with_references(flat, &mut 10_000);
        read_rows("0:[\"$1\",\"$1\"]\n1:[\"$0\",\"$0\"]\n", &mut 10_000);
    }

    proptest::proptest! {
        #[test]
        fn any_stream_is_read(stream in "([0-9a-c]{1,2}:|T[0-9a-f]{1,3},|[\\[\\]{}\",$:1a\u{e9}\n]|\"\\$[0-3]\"){0,80}") {
            read_rows(&stream, &mut 2_000);
        }
    }
}
