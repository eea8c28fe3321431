//! Reads [JSON Feed](https://www.jsonfeed.org/version/1.1/) item by item, and ignores values of an unexpected type.

use model::FeedItem;
use serde_json::{Deserializer, Map, Value};
use url::Url;

use crate::items::{Feed, FeedSource, LostItems, NO_LINK, absolute, add_text};
use crate::plain::{collapse_lines, decode_entities, plain, plain_lines};
use crate::repair::repair_json;

/// Reads a feed. `None` if it has no list of items.
pub(crate) fn read_json(text: &str, source: &FeedSource<'_>) -> Option<Feed> {
    let mut feed = Feed::default();
    let mut head = match serde_json::from_str(text) {
        Ok(Value::Object(head)) => head,
        _ => {
            let (repaired, _) = repair_json(text);
            match serde_json::from_str(&repaired) {
                Ok(Value::Object(head)) => head,
                _ => read_damaged(&repaired, &mut feed)?,
            }
        }
    };
    let Some(Value::Array(items)) = head.remove("items") else { return None };
    let home = read_text(&head, &["home_page_url", "feed_url"]);
    let home = home.as_deref().or(source.url).and_then(|url| Url::parse(url).ok());
    let inherited = FeedItem {
        authors: read_authors(&head),
        language: read_text(&head, &["language"]),
        feed: source.id.to_owned(),
        ..FeedItem::default()
    };
    for item in items {
        let item = item.as_object().ok_or("it is no object");
        let item = item.and_then(|item| convert_item(item, home.as_ref()).ok_or(NO_LINK));
        feed.add(item, &inherited);
    }
    Some(feed)
}

/// Reads the items before the first one that cannot be parsed. The rest is lost, because the end of a damaged object is unknown.
fn read_damaged(text: &str, feed: &mut Feed) -> Option<Map<String, Value>> {
    let (_, behind) = text.split_once("\"items\"")?;
    let mut rest = behind.trim_start().strip_prefix(':')?.trim_start().strip_prefix('[')?;
    let mut items = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(item)) => items.push(item),
            _ if rest.starts_with(']') => break,
            _ => {
                LostItems::count(&mut feed.left_out, "its JSON is not valid");
                break;
            }
        }
        rest = &rest[values.byte_offset()..];
    }
    Some(Map::from_iter([("items".to_owned(), Value::Array(items))]))
}

/// Converts an object to an item; `None` if it has no link.
fn convert_item(item: &Map<String, Value>, home: Option<&Url>) -> Option<FeedItem> {
    let link = |key: &&str| absolute(item.get(*key)?.as_str()?, home);
    let id = || absolute(&read_text(item, &["id"])?, None);
    let text = |keys: &[&str]| read_text(item, keys).map(|text| decode_entities(&text));
    let html = read_text(item, &["content_html"]).map(|html| plain_lines(&html));
    let mut tags = Vec::new();
    for tag in item.get("tags").and_then(Value::as_array).into_iter().flatten() {
        add_text(&mut tags, &decode_entities(&text_of(tag).unwrap_or_default()));
    }
    Some(FeedItem {
        link: ["url", "external_url"].iter().find_map(link).or_else(id)?,
        title: text(&["title"]).unwrap_or_default(),
        description: text(&["summary"]).unwrap_or_default(),
        content: html.filter(|html| !html.is_empty()).or_else(|| {
            let text = read_text(item, &["content_text"])?;
            Some(collapse_lines(&htmlize::unescape(text), '\n'))
        }),
        authors: read_authors(item),
        published: read_text(item, &["date_published", "date_modified"]),
        tags,
        language: read_text(item, &["language"]),
        feed: String::new(),
    })
}

/// The names in `authors`, else in `author` (version 1.0), which may be one or several objects or texts.
fn read_authors(object: &Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    for value in ["authors", "author"].iter().filter_map(|key| object.get(*key)) {
        let one = std::slice::from_ref(value);
        for author in value.as_array().map_or(one, Vec::as_slice) {
            let name = author
                .as_object()
                .map_or_else(|| text_of(author), |author| read_text(author, &["name"]));
            add_text(&mut names, &plain(&name.unwrap_or_default()));
        }
    }
    names
}

/// The first of these values that is a text or a number.
fn read_text(object: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| text_of(object.get(*key)?))
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
