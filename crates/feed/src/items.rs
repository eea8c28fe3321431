//! Converts feed-rs's entries to [`FeedItem`]s.

use std::collections::BTreeSet;

use feed_rs::model::{Content, Entry, Feed, FeedType, Link, LinkTarget, Person, Text};
use jiff::Timestamp;
use model::FeedItem;
use url::Url;

use crate::plain::{decode_entities, plain};

/// Relations of links that do not lead to the article.
const ELSEWHERE: [&str; 9] =
    ["self", "enclosure", "replies", "edit", "via", "related", "next", "hub", "license"];

/// Values common to the items of one feed.
pub(crate) struct FeedContext<'a> {
    /// Identity of the feed.
    pub(crate) feed_id: &'a str,
    /// Base of relative links.
    pub(crate) base: Option<Url>,
    /// Guids that are declared not to be permalinks, which feed-rs does not report.
    pub(crate) no_permalinks: BTreeSet<&'a str>,
}

/// The item of an entry, or `None` if the entry has no link.
pub(crate) fn item(entry: &Entry, feed: &Feed, shared: &FeedContext<'_>) -> Option<FeedItem> {
    let rss = matches!(feed.feed_type, FeedType::RSS0 | FeedType::RSS1 | FeedType::RSS2);
    let link = entry_link(&entry.links, shared)
        .or_else(|| rss.then(|| guid_link(&entry.id, shared)).flatten())?;
    let authors = if entry.authors.is_empty() && !rss { &feed.authors } else { &entry.authors };
    let mut tags: Vec<String> = Vec::new();
    for category in &entry.categories {
        let tag = decode_entities(category.label.as_deref().unwrap_or(&category.term));
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let mut names: Vec<String> = Vec::new();
    for name in authors.iter().filter_map(person_name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let published = entry.published.or(entry.updated);
    let published = published.and_then(|time| {
        Timestamp::new(time.timestamp(), time.timestamp_subsec_nanos().min(999_999_999) as i32).ok()
    });
    let language = entry.language.as_ref().or(feed.language.as_ref());
    Some(FeedItem {
        link,
        title: text(entry.title.as_ref(), rss),
        description: text(entry.summary.as_ref(), rss),
        content: entry.content.as_ref().and_then(content),
        authors: names,
        published,
        tags,
        language: language.map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()),
        feed: shared.feed_id.to_owned(),
    })
}

/// Plain text of a text field. RSS does not declare whether it contains markup, so it may.
pub(crate) fn text(text: Option<&Text>, rss: bool) -> String {
    let Some(text) = text else { return String::new() };
    if !rss && text.content_type.as_str() == "text/plain" {
        decode_entities(&text.content)
    } else {
        plain(&text.content)
    }
}

/// Plain text of an entry's content, if it is text.
fn content(content: &Content) -> Option<String> {
    let media_type = content.content_type.as_str();
    let text = match media_type {
        "text/plain" => decode_entities(content.body.as_deref()?),
        _ if media_type.starts_with("text/") || media_type.starts_with("application/xhtml") => {
            plain(content.body.as_deref()?)
        }
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

fn person_name(person: &Person) -> Option<String> {
    let name = person.name.as_deref().map(plain).filter(|name| !name.is_empty());
    name.or_else(|| person.email.as_deref().map(plain).filter(|email| !email.is_empty()))
}

/// The link to the article among an entry's links.
fn entry_link(links: &[Link], shared: &FeedContext<'_>) -> Option<String> {
    let rel = |link: &Link| link.rel.as_deref().unwrap_or("alternate").trim().to_ascii_lowercase();
    let rank = |link: &&Link| {
        let html = link.media_type.as_deref().is_none_or(|kind| kind.contains("html"));
        (rel(link) != "alternate", !html)
    };
    let comments =
        |link: &Link| matches!(link.target, Some(LinkTarget::Comments | LinkTarget::CommentsFeed));
    let article = |link: &&Link| !comments(link) && !ELSEWHERE.contains(&rel(link).as_str());
    let mut candidates: Vec<&Link> = links.iter().filter(article).collect();
    candidates.sort_by_key(rank);
    candidates.into_iter().find_map(|link| absolute(&link.href, shared.base.as_ref()))
}

/// The guid as a link, if it is a URL and not declared otherwise.
fn guid_link(id: &str, shared: &FeedContext<'_>) -> Option<String> {
    let id = id.trim();
    if !id.starts_with("http://") && !id.starts_with("https://") {
        return None;
    }
    let escaped = id.replace('&', "&amp;");
    let denied = shared.no_permalinks.contains(id) || shared.no_permalinks.contains(&escaped[..]);
    if denied { None } else { absolute(id, None) }
}

/// The guids in the text of a feed that are declared not to be permalinks, as written.
pub(crate) fn no_permalinks(text: &str) -> BTreeSet<&str> {
    let marks = ["isPermaLink=\"false\">", "isPermaLink='false'>"];
    let guids = marks.iter().flat_map(|mark| text.split(mark).skip(1));
    guids.map(|rest| rest.split('<').next().unwrap_or_default().trim()).collect()
}

/// The link as an absolute `http` or `https` URL, unchanged if it is absolute already.
pub(crate) fn absolute(link: &str, base: Option<&Url>) -> Option<String> {
    let link = link.trim();
    if link.is_empty() {
        return None;
    }
    match Url::parse(link) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Some(link.to_owned()),
        Ok(_) => None,
        Err(_) => {
            let url = base?.join(link).ok()?;
            matches!(url.scheme(), "http" | "https").then(|| url.into())
        }
    }
}
