//! Reads the JSON-LD of a page, valid or not, and finds the node that describes the page's article.
//!
//! Sources: [JSON-LD 1.1](https://www.w3.org/TR/json-ld11/), <https://schema.org/Article>,
//! <https://schema.org/CreativeWork>. Contexts are not resolved: pages use the schema.org names directly.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use dom::Head;
use feed::LIST_SIGNS;
use serde_json::{Map, Value};
use url::Url;

use crate::names;
use crate::page_data::literals::read_literal;
use crate::text::{plain, same_page, squash};

/// What JSON-LD says about the article of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonLdArticle {
    /// `headline`, else `name`: plain text.
    pub headline: Option<String>,
    /// Names of `author` (or `creator`), with references within the page resolved.
    pub authors: Vec<String>,
    /// Those of the authors that are declared as organisations.
    pub organizations: Vec<String>,
    /// Those of the authors that are declared as persons.
    pub persons: Vec<String>,
    /// `datePublished` (or `dateCreated`, `uploadDate`), as written.
    pub published: Option<String>,
    /// `dateModified`, as written.
    pub modified: Option<String>,
    /// `description` (or `abstract`), plain text.
    pub description: Option<String>,
    /// First address in `image` (or `thumbnailUrl`), as written.
    pub image: Option<String>,
    /// `keywords`.
    pub keywords: Vec<String>,
    /// `inLanguage`, as written; of a `Language`, its `alternateName`.
    pub language: Option<String>,
    /// `articleBody` (or `text`), as written.
    pub body: Option<String>,
    /// Name of the `publisher`, unless that is a person, who is the author of a personal site.
    pub publisher: Option<String>,
    /// `articleSection`.
    pub sections: Vec<String>,
    /// `url`, `mainEntityOfPage` or `@id` if it is an address, as written.
    pub url: Option<String>,
    /// `@type` without the vocabulary's address.
    pub types: Vec<String>,
    /// `isAccessibleForFree`.
    pub is_free: Option<bool>,
    /// CSS selectors of the parts that are not free (`hasPart`), as written.
    pub paid_parts: Vec<String>,
    /// `wordCount`.
    pub word_count: Option<u32>,
    /// `license`: an address or a name, as written.
    pub license: Option<String>,
}

/// All `@type` values of a page's JSON-LD (each once, in document order), and its `og:type`
/// as `og:article`, `og:website` and the like.
pub fn page_types(document: &dom::Document) -> Vec<String> {
    let json = JsonLd::read(document.head());
    let mut types: Vec<String> = Vec::new();
    for name in json.typed().iter().flat_map(|t| type_names(t.object)) {
        if types.len() < 64 && !types.contains(&name) {
            types.push(name);
        }
    }
    types.extend(document.head().meta("og:type").map(|t| format!("og:{}", t.to_lowercase())));
    types
}

/// The JSON-LD of a page.
#[derive(Clone, Debug, Default)]
pub struct JsonLdFacts {
    pub(crate) article: Option<JsonLdArticle>,
    /// The node of the page itself (`WebPage`), for dates and language that the article's node lacks.
    pub(crate) page: Option<JsonLdArticle>,
    /// Name of the `WebSite`.
    pub(crate) site: Option<String>,
    /// Names and addresses of the `BreadcrumbList`.
    pub(crate) breadcrumb: Vec<(String, Option<String>)>,
}

impl JsonLdFacts {
    /// Reads the JSON-LD of a page. `url` is the address of the page.
    pub fn of(document: &dom::Document, url: &str) -> Self {
        let head = document.head();
        let json = JsonLd::read(head);
        let typed = json.typed();
        if typed.is_empty() {
            return Self::default();
        }
        let ids = json.by_id();
        let base = Url::parse(url).ok();
        let page = OwnPage {
            addresses: [Some(url), head.link("canonical")].into_iter().flatten().collect(),
            titles: [head.title.as_deref(), head.meta("og:title")]
                .map(|t| squash(t.unwrap_or_default())),
            base: base.as_ref(),
        };
        let pick = |kind: ArticleNodeKind| {
            pick(&typed, kind, &page)
                .map(|object| ArticleReader { ids: &ids, budget: Cell::new(2_000) }.article(object))
        };
        let site = typed
            .iter()
            .filter(|t| is_a(t.object, "WebSite"))
            .find_map(|t| text_of_value(t.object.get("name")?));
        Self {
            article: pick(ArticleNodeKind::Article).or_else(|| pick(ArticleNodeKind::Work)),
            page: pick(ArticleNodeKind::Page),
            site,
            breadcrumb: breadcrumb(&typed),
        }
    }

    /// The node that describes the article at the page's address: a schema.org `Article` of any
    /// kind, else another textual creative work (a recipe, a review, a forum post). `None` if there
    /// is none, or if there are several and none of them is at that address.
    pub fn article(&self) -> Option<&JsonLdArticle> {
        self.article.as_ref()
    }

    /// The node of the article and then that of the page, if they exist.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &JsonLdArticle> {
        [&self.article, &self.page].into_iter().flatten()
    }
}

/// The text of a value: a string, the first item of a list, or the `@value` or `name` of an object.
fn text_of_value(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => plain(text),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => return items.iter().find_map(text_of_value),
        Value::Object(object) => {
            return ["@value", "name", "url"]
                .iter()
                .find_map(|key| text_of_value(object.get(*key)?));
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

struct ArticleReader<'a> {
    ids: &'a HashMap<&'a str, &'a Object>,
    /// Values that may still be visited: references may form a graph of any size.
    budget: Cell<u32>,
}

impl ArticleReader<'_> {
    fn spend_budget(&self) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(1));
        left == 0
    }

    fn article(&self, object: &Object) -> JsonLdArticle {
        let get = |keys: &[&str]| keys.iter().find_map(|key| text_of_value(object.get(*key)?));
        let raw = |keys: &[&str]| {
            keys.iter().find_map(|key| object.get(*key)?.as_str().map(str::to_owned))
        };
        let authors = ["author", "creator", "authors"].iter().find_map(|key| {
            let mut names = Vec::new();
            self.names(object.get(*key)?, 0, &mut names);
            (!names.is_empty()).then(|| (names, object.get(*key)))
        });
        // A `Language` has its tag in `alternateName`.
        let language = object.get("inLanguage").and_then(|own| own.get("alternateName"));
        let language = language.and_then(text_of_value);
        let (authors, written) = authors.unwrap_or_default();
        let mut publisher = Vec::new();
        if let Some(value) = object.get("publisher")
            && !self.is_person(value)
        {
            self.names(value, 0, &mut publisher);
        }
        JsonLdArticle {
            headline: get(&["headline", "name", "title"]),
            authors,
            organizations: self.names_with(written, is_organization),
            persons: self.names_with(written, |author| is_a(author, "Person")),
            published: get(&["datePublished", "dateCreated", "uploadDate"]),
            modified: get(&["dateModified"]),
            description: get(&["description", "abstract"]),
            image: ["image", "thumbnailUrl"].iter().find_map(|k| self.image(object.get(*k)?, 0)),
            keywords: object.get("keywords").map(parse_list).unwrap_or_default(),
            language: language.or_else(|| get(&["inLanguage"])),
            body: raw(&["articleBody", "text"]),
            publisher: publisher.into_iter().next(),
            sections: object.get("articleSection").map(parse_list).unwrap_or_default(),
            url: addresses(object).first().map(|a| (*a).to_owned()),
            types: type_names(object),
            is_free: object.get("isAccessibleForFree").and_then(parse_truth),
            paid_parts: paid_parts(object),
            word_count: get(&["wordCount"]).and_then(|count| count.parse().ok()),
            license: get(&["license"]),
        }
    }

    /// The names of the authors for whose objects `is_of_kind` is true.
    fn names_with(&self, authors: Option<&Value>, is_of_kind: fn(&Object) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        let objects = items_of(authors).iter().take(50).filter_map(Value::as_object);
        for author in objects.map(|object| self.resolve(object)).filter(|own| is_of_kind(own)) {
            self.names_of(author, 0, &mut found);
        }
        found
    }

    /// Whether a value, or the object it refers to, is a person (possibly among other types).
    fn is_person(&self, value: &Value) -> bool {
        value.as_object().is_some_and(|object| is_a(self.resolve(object), "Person"))
    }

    /// The object itself, or the one that its `@id` refers to.
    fn resolve<'b>(&'b self, object: &'b Object) -> &'b Object {
        match object.get("@id").and_then(Value::as_str) {
            Some(id) if !object.contains_key("name") => self.ids.get(id).copied().unwrap_or(object),
            _ => object,
        }
    }

    fn names(&self, value: &Value, depth: u8, found: &mut Vec<String>) {
        if depth > 4 || found.len() > 30 || self.spend_budget() {
            return;
        }
        let new = match value {
            Value::String(text) => match self.ids.get(text.as_str()) {
                Some(object) => return self.names_of(object, depth, found),
                None => names::from_field(&plain(text)),
            },
            Value::Array(items) => {
                items.iter().for_each(|item| self.names(item, depth + 1, found));
                return;
            }
            Value::Object(object) => return self.names_of(self.resolve(object), depth, found),
            _ => return,
        };
        names::add(found, new);
    }

    fn names_of(&self, object: &Object, depth: u8, found: &mut Vec<String>) {
        match object.get("name").or_else(|| object.get("@value")) {
            Some(Value::String(name)) if is_organization(object) => {
                names::add(found, names::organization(&plain(name)));
            }
            Some(name) => self.names(name, depth + 1, found),
            // A role (https://schema.org/Role) repeats the property.
            None if object.contains_key("author") => {
                self.names(&object["author"], depth + 1, found)
            }
            None => {
                let part = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
                let name = format!("{} {}", part("givenName"), part("familyName"));
                names::add(found, names::from_field(&plain(&name)));
            }
        }
    }

    fn image(&self, value: &Value, depth: u8) -> Option<String> {
        if depth > 4 || self.spend_budget() {
            return None;
        }
        match value {
            Value::String(address) => match self.ids.get(address.as_str()) {
                Some(object) => self.image_of(object, depth),
                None => Some(address.trim().to_owned()).filter(|a| !a.is_empty()),
            },
            Value::Array(items) => items.iter().find_map(|item| self.image(item, depth + 1)),
            Value::Object(object) => match object.get("@id").and_then(Value::as_str) {
                Some(id) if !object.contains_key("url") && !object.contains_key("contentUrl") => {
                    match self.ids.get(id) {
                        Some(object) => self.image_of(object, depth),
                        // At depth 0 it refers to a missing part of the page; below that, it is an address.
                        None => Some(id.to_owned()).filter(|id| depth > 0 && !id.contains('#')),
                    }
                }
                _ => self.image_of(object, depth),
            },
            _ => None,
        }
    }

    fn image_of(&self, object: &Object, depth: u8) -> Option<String> {
        ["url", "contentUrl", "thumbnailUrl"]
            .iter()
            .find_map(|key| self.image(object.get(*key)?, depth + 1))
    }
}

/// Parses a truth value: a Boolean, or a text (`False`, `http://schema.org/False`).
fn parse_truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) => match &*text.rsplit('/').next()?.trim().to_ascii_lowercase() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// The values of a property that has one value or a list.
fn items_of(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(items)) => items,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    }
}

/// The CSS selectors of the parts of an article that are not free.
fn paid_parts(object: &Object) -> Vec<String> {
    let mut selectors = Vec::new();
    for part in items_of(object.get("hasPart")).iter().take(20).filter_map(Value::as_object) {
        if part.get("isAccessibleForFree").and_then(parse_truth) == Some(false) {
            selectors.extend(part.get("cssSelector").map(parse_list).unwrap_or_default());
        }
    }
    selectors
}

/// Names and addresses of the entries of the first breadcrumb, in order.
fn breadcrumb(typed: &[Typed<'_>]) -> Vec<(String, Option<String>)> {
    let mut lists = typed.iter().filter(|t| is_a(t.object, "BreadcrumbList"));
    let Some(list) = lists.next() else { return Vec::new() };
    let Some(Value::Array(items)) = list.object.get("itemListElement") else { return Vec::new() };
    let entry = |item: &Value| {
        let own = item.as_object()?;
        let inner = own.get("item");
        let name = own.get("name").or_else(|| inner?.as_object()?.get("name"))?;
        let url = inner.and_then(|inner| match inner {
            Value::String(url) => Some(url.clone()),
            Value::Object(object) => {
                ["@id", "url"].iter().find_map(|key| object.get(*key)?.as_str().map(str::to_owned))
            }
            _ => None,
        });
        Some((text_of_value(name)?, url))
    };
    items.iter().take(20).filter_map(entry).collect()
}

/// A list of words: an array, or one string with commas.
fn parse_list(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) if items.len() != 1 => {
            items.iter().take(200).filter_map(text_of_value).collect()
        }
        _ => {
            let text = text_of_value(value).unwrap_or_default();
            text.split(LIST_SIGNS).map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect()
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArticleNodeKind {
    Article,
    Work,
    Page,
    Other,
}

fn kind_of(name: &str) -> ArticleNodeKind {
    match name {
        "Report" | "APIReference" | "Posting" => ArticleNodeKind::Article,
        _ if name.ends_with("Article") || name.ends_with("Posting") => ArticleNodeKind::Article,
        // Main subjects of a page, not embedded content (videos) or list entries (questions of an
        // FAQ).
        "Recipe" | "HowTo" | "Review" | "CriticReview" | "MediaReview" | "ClaimReview"
        | "CreativeWork" | "Book" | "Chapter" | "Dataset" | "Course" | "Guide" | "NewsItem"
        | "Photograph" | "PodcastEpisode" | "Conversation" => ArticleNodeKind::Work,
        _ if name.ends_with("Page") => ArticleNodeKind::Page,
        _ => ArticleNodeKind::Other,
    }
}

/// Minimum bytes of a headline that identifies the article if the page's title begins with it.
const LEAST_HEADLINE: usize = 12;

/// Addresses and titles by which a node can be recognised as that of the page's article.
struct OwnPage<'p> {
    addresses: Vec<&'p str>,
    /// Its titles, squashed.
    titles: [String; 2],
    base: Option<&'p Url>,
}

/// The first node of this kind with one of the page's addresses, else with its title; else the only node of this kind.
fn pick<'a>(typed: &[Typed<'a>], kind: ArticleNodeKind, page: &OwnPage<'_>) -> Option<&'a Object> {
    let is_of_kind = |object: &Object| {
        // A question that is the subject of a page has an `answerCount`; those of an FAQ do not.
        let is_main = kind == ArticleNodeKind::Work && object.contains_key("answerCount");
        type_names(object).iter().any(|n| kind_of(n) == kind || is_main && n == "Question")
    };
    let nodes = || typed.iter().filter(|t| is_of_kind(t.object));
    let is_here = |t: &&Typed<'a>| {
        let addresses = addresses(t.object);
        let mut addresses = addresses.iter().filter_map(|a| match page.base {
            Some(base) => base.join(a).ok(),
            None => Url::parse(a).ok(),
        });
        addresses.any(|a| page.addresses.iter().any(|h| same_page(a.as_str(), h)))
    };
    let is_titled = |t: &&Typed<'a>| {
        let headline =
            ["headline", "name"].iter().find_map(|key| text_of_value(t.object.get(*key)?));
        let headline = squash(&headline.unwrap_or_default());
        headline.len() >= LEAST_HEADLINE
            && page.titles.iter().any(|title| title.starts_with(&headline))
    };
    let primary = || nodes().filter(|t| t.primary);
    if let Some(node) = primary()
        .find(is_here)
        .or_else(|| nodes().find(is_here))
        .or_else(|| primary().nth(1).and_then(|_| primary().find(is_titled)))
    {
        return Some(node.object);
    }
    let mut primary = primary();
    let first = primary.next()?;
    // Several nodes, none of them for this page, are teasers of a list. Nodes without addresses
    // cannot be told apart.
    let others = primary.filter(|t| !addresses(t.object).is_empty()).count();
    (others == 0 || addresses(first.object).is_empty()).then_some(first.object)
}

pub(crate) fn addresses(object: &Object) -> Vec<&str> {
    ["url", "mainEntityOfPage", "@id"]
        .iter()
        .filter_map(|key| match object.get(*key)? {
            Value::String(address) => Some(address.as_str()),
            Value::Object(page) => ["@id", "url"].iter().find_map(|k| page.get(*k)?.as_str()),
            _ => None,
        })
        .filter(|address| address.contains('/'))
        .collect()
}

/// Whether an object is of a type, possibly among others.
fn is_a(object: &Object, name: &str) -> bool {
    type_names(object).iter().any(|own| own == name)
}

/// Whether an object is an organisation, of which schema.org has kinds (`NewsMediaOrganization`).
fn is_organization(object: &Object) -> bool {
    type_names(object).iter().any(|name| name.ends_with("Organization"))
}

pub(crate) fn type_names(object: &Object) -> Vec<String> {
    let short = |name: &str| {
        let name = name.rsplit(['/', '#', ':']).next().unwrap_or(name);
        name.trim().to_owned()
    };
    items_of(object.get("@type")).iter().filter_map(Value::as_str).map(short).collect()
}

pub(crate) type Object = Map<String, Value>;

/// Bytes of JSON-LD read per page; the rest is ignored.
const MAX_BYTES: usize = 4 << 20;
/// Maximum number of objects examined per page.
const MAX_OBJECTS: usize = 5_000;

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
    /// Reads scripts, and metas named `…ld+json`, which some web frameworks write by mistake;
    /// if there are none, the meta `parsely-page`.
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
        if values.is_empty() {
            values.extend(head.meta("parsely-page").and_then(parsely_article));
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

    /// Objects that are more than a reference, by `@id`; of several with one `@id`, the one with most properties.
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

/// Converts the older form of Parse.ly's metadata to an article of schema.org.
fn parsely_article(json: &str) -> Option<Value> {
    const NAMES: [(&str, &str); 8] = [
        ("title", "headline"),
        ("pub_date", "datePublished"),
        ("author", "author"),
        ("authors", "author"),
        ("section", "articleSection"),
        ("tags", "keywords"),
        ("image_url", "image"),
        ("link", "url"),
    ];
    let mut page: Object = serde_json::from_str(json).ok()?;
    let is_post = page.get("type").is_none_or(|own| own == "post");
    let known =
        NAMES.iter().filter_map(|(own, name)| Some(((*name).to_owned(), page.remove(*own)?)));
    let mut article: Object = known.collect();
    article.insert("@type".to_owned(), "Article".into());
    is_post.then_some(Value::Object(article))
}

/// Parses the values of one script, and repairs them if they are not valid JSON.
pub(crate) fn parse(script: &str) -> Vec<Value> {
    let mut text = Cow::Borrowed(script);
    let markers =
        [("<![CDATA[", " "), ("]]>", " "), ("<!--", " "), ("-->", " "), ("\"schema:", "\"")];
    for (marker, replacement) in markers {
        if text.contains(marker) {
            text = Cow::Owned(text.replace(marker, replacement));
        }
    }
    if !text.contains('"') && text.contains("&quot;") {
        text = Cow::Owned(text.replace("&quot;", "\"").replace("&amp;", "&"));
    }
    let Some(start) = text.find(['{', '[']) else { return Vec::new() };
    let text = &text[start..];
    let (values, whole) = parse_consecutive(text);
    if whole {
        return values;
    }
    let (text_to_read, rest) = feed::repair_json(text);
    let (repaired, _) = parse_consecutive(&(text_to_read + &rest));
    let values = if repaired.len() >= values.len() { repaired } else { values };
    if values.is_empty() { read_literal(text).into_iter().collect() } else { values }
}

/// Parses consecutive objects and arrays; also returns whether nothing but `;` was left over.
fn parse_consecutive(text: &str) -> (Vec<Value>, bool) {
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
    fn what_only_javascript_allows_is_read() {
        let good = Some("A".to_owned());
        assert_eq!(headline("/* made by x */ { // the article\n \"headline\": \"A\"}"), good);
        assert_eq!(headline("{headline: \"A\", 'author': 'B'};"), good);
        assert_eq!(headline("{'schema:headline': 1, \"schema:headline\": \"A\"}"), good);
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
