//! The node of a page's JSON-LD that describes the page's article.
//!
//! Types and properties: <https://schema.org/Article>, <https://schema.org/CreativeWork>.

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::Value;
use url::Url;

use crate::json_ld::{JsonLd, Object, Typed};
use crate::json_ld_node::{Kind, addresses, pick, type_names};
use crate::names;
use crate::text::plain;

/// What JSON-LD says about the article of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonLdArticle {
    /// `headline`, else `name`: plain text.
    pub headline: Option<String>,
    /// Names of `author` (or `creator`), with references within the page resolved.
    pub authors: Vec<String>,
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
    /// `inLanguage`, as written.
    pub language: Option<String>,
    /// `articleBody` (or `text`), as written.
    pub body: Option<String>,
    /// Name of the `publisher`, unless it is a person: then it is the author of a personal site.
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
    /// The node of the page itself (`WebPage`): dates and language if the article has none.
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
        Self::read(&JsonLd::read(head), url, head.link("canonical"))
    }

    /// The node that describes the article at the page's address: a schema.org `Article` of any
    /// kind, else another textual creative work (a recipe, a review, a forum post). `None` if there
    /// is none, or if there are several and none of them is at that address.
    pub fn article(&self) -> Option<&JsonLdArticle> {
        self.article.as_ref()
    }

    /// The available nodes: of the article, then of the page.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &JsonLdArticle> {
        [&self.article, &self.page].into_iter().flatten()
    }

    fn read(json: &JsonLd, url: &str, canonical: Option<&str>) -> Self {
        let typed = json.typed();
        if typed.is_empty() {
            return Self::default();
        }
        let ids = json.by_id();
        let base = Url::parse(url).ok();
        let here: Vec<&str> = [Some(url), canonical].into_iter().flatten().collect();
        let pick = |kind: Kind| {
            pick(&typed, kind, &here, base.as_ref())
                .map(|object| Reader { ids: &ids, budget: Cell::new(2_000) }.article(object))
        };
        let site = typed
            .iter()
            .filter(|t| type_names(t.object).iter().any(|n| n == "WebSite"))
            .find_map(|t| string(t.object.get("name")?));
        Self {
            article: pick(Kind::Article).or_else(|| pick(Kind::Work)),
            page: pick(Kind::Page),
            site,
            breadcrumb: breadcrumb(&typed),
        }
    }
}

/// The text of a value: a string, the first of a list, or the `@value`, `name` of an object.
fn string(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => plain(text),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => return items.iter().find_map(string),
        Value::Object(object) => {
            return ["@value", "name", "url"].iter().find_map(|key| string(object.get(*key)?));
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

struct Reader<'a> {
    ids: &'a HashMap<&'a str, &'a Object>,
    /// Values that may still be visited: references may form a graph of any size.
    budget: Cell<u32>,
}

impl Reader<'_> {
    fn spent(&self) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(1));
        left == 0
    }

    fn article(&self, object: &Object) -> JsonLdArticle {
        let get = |keys: &[&str]| keys.iter().find_map(|key| string(object.get(*key)?));
        let raw = |keys: &[&str]| {
            keys.iter().find_map(|key| object.get(*key)?.as_str().map(str::to_owned))
        };
        let authors = ["author", "creator", "authors"].iter().find_map(|key| {
            let mut names = Vec::new();
            self.names(object.get(*key)?, 0, &mut names);
            (!names.is_empty()).then_some(names)
        });
        let mut publisher = Vec::new();
        if let Some(value) = object.get("publisher")
            && !self.is_person(value)
        {
            self.names(value, 0, &mut publisher);
        }
        JsonLdArticle {
            headline: get(&["headline", "name", "title"]),
            authors: authors.unwrap_or_default(),
            published: get(&["datePublished", "dateCreated", "uploadDate"]),
            modified: get(&["dateModified"]),
            description: get(&["description", "abstract"]),
            image: ["image", "thumbnailUrl"].iter().find_map(|k| self.image(object.get(*k)?, 0)),
            keywords: object.get("keywords").map(list).unwrap_or_default(),
            language: get(&["inLanguage"]),
            body: raw(&["articleBody", "text"]),
            publisher: publisher.into_iter().next(),
            sections: object.get("articleSection").map(list).unwrap_or_default(),
            url: addresses(object).first().map(|a| (*a).to_owned()),
            types: type_names(object),
            is_free: object.get("isAccessibleForFree").and_then(truth),
            paid_parts: paid_parts(object),
            word_count: get(&["wordCount"]).and_then(|count| count.parse().ok()),
            license: get(&["license"]),
        }
    }

    /// Whether a value, or the object it refers to, is a person (possibly among other types).
    fn is_person(&self, value: &Value) -> bool {
        value.as_object().is_some_and(|o| type_names(self.resolve(o)).iter().any(|n| n == "Person"))
    }

    /// The object itself, or the one that its `@id` refers to.
    fn resolve<'b>(&'b self, object: &'b Object) -> &'b Object {
        match object.get("@id").and_then(Value::as_str) {
            Some(id) if !object.contains_key("name") => self.ids.get(id).copied().unwrap_or(object),
            _ => object,
        }
    }

    fn names(&self, value: &Value, depth: u8, found: &mut Vec<String>) {
        if depth > 4 || found.len() > 30 || self.spent() {
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
        let is_organization = type_names(object).iter().any(|n| n.ends_with("Organization"));
        match object.get("name") {
            Some(Value::String(name)) if is_organization => {
                names::add(found, names::organization(&plain(name)));
            }
            Some(name) => self.names(name, depth + 1, found),
            None => {
                let part = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
                let name = format!("{} {}", part("givenName"), part("familyName"));
                names::add(found, names::from_field(&plain(&name)));
            }
        }
    }

    fn image(&self, value: &Value, depth: u8) -> Option<String> {
        if depth > 4 || self.spent() {
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
                    self.image_of(self.ids.get(id)?, depth)
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

/// A truth value: as such, or as text (`False`, `http://schema.org/False`).
fn truth(value: &Value) -> Option<bool> {
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

/// The CSS selectors of the parts of an article that are not free.
fn paid_parts(object: &Object) -> Vec<String> {
    let parts = match object.get("hasPart") {
        Some(Value::Array(parts)) => parts.iter().take(20).collect(),
        Some(part) => vec![part],
        None => Vec::new(),
    };
    let mut selectors = Vec::new();
    for part in parts.iter().filter_map(|part| part.as_object()) {
        if part.get("isAccessibleForFree").and_then(truth) == Some(false) {
            selectors.extend(part.get("cssSelector").map(list).unwrap_or_default());
        }
    }
    selectors
}

/// Names and addresses of the entries of the first breadcrumb, in order.
fn breadcrumb(typed: &[Typed<'_>]) -> Vec<(String, Option<String>)> {
    let is_list = |t: &&Typed<'_>| type_names(t.object).iter().any(|n| n == "BreadcrumbList");
    let Some(list) = typed.iter().find(is_list) else { return Vec::new() };
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
        Some((string(name)?, url))
    };
    items.iter().take(20).filter_map(entry).collect()
}

/// A list of words: an array, or one string with commas.
fn list(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) if items.len() != 1 => {
            items.iter().take(200).filter_map(string).collect()
        }
        _ => {
            let text = string(value).unwrap_or_default();
            text.split([',', ';']).map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()).collect()
        }
    }
}
