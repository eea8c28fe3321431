//! Reads RSS, RDF and Atom item by item. A damaged item does not affect others, and elements of one format are read in all.

use std::borrow::Cow;
use std::collections::HashMap;

use htmlize::unescape_attribute;
use memchr::memchr;
use model::FeedItem;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

use crate::items::{Feed, FeedSource, LIST_SIGNS, NO_LINK, absolute, add_text};
use crate::plain::{decode_entities, plain, plain_lines};

/// Maximum number of open elements; deeper elements are read as part of the innermost one.
const MAX_DEPTH: usize = 64;

/// Maximum bytes in which the name of an item is searched for.
const MAX_NAME: usize = 40;

/// A damaged item is recognised only at the end of the feed. All such readings are limited to this many times the feed's length.
const MAX_READINGS: usize = 20;

/// Relations of links that do not lead to the article ([RFC 4287](https://www.rfc-editor.org/rfc/rfc4287#section-4.2.7.2)
/// and the IANA registry).
const ELSEWHERE: [&str; 9] =
    ["self", "enclosure", "replies", "edit", "via", "related", "next", "hub", "license"];

/// Elements with dates of an item, the best first.
const DATES: [&str; 12] = [
    "pubdate", "published", "issued", "created", "dc:date", "dcterms:issued", "dcterms:created",
    "dcterms:date", "prism:publicationdate", "updated", "modified", "dcterms:modified",
];

/// Prefixes that this module uses, each with a part of the address of its namespace. Elements of RSS and Atom have no
/// prefix.
const VOCABULARIES: [(&str, &str); 10] = [
    ("dc", "purl.org/dc/elements"),
    ("dcterms", "purl.org/dc/terms"),
    ("content", "purl.org/rss/1.0/modules/content"),
    ("media", "search.yahoo.com/mrss"),
    ("itunes", "itunes.com/dtds"),
    ("feedburner", "feedburner"),
    ("prism", "prismstandard.org"),
    ("", "w3.org/2005/Atom"),
    ("", "purl.org/atom"),
    ("", "purl.org/rss/1.0/"),
];

#[derive(Default)]
struct FeedElement<'a> {
    /// Name in lower case, with the prefix of [`VOCABULARIES`].
    name: String,
    /// Local names in lower case and values.
    attributes: Vec<(String, String)>,
    /// The markup between its tags.
    inside: &'a str,
    children: Vec<FeedElement<'a>>,
}

impl<'a> FeedElement<'a> {
    fn attribute(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(own, _)| own == name)?;
        Some(value.trim())
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &FeedElement<'a>> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first child with the first of these names that any child has.
    fn first(&self, names: &[&str]) -> Option<&FeedElement<'a>> {
        names.iter().find_map(|name| self.all(name).next())
    }

    /// Its content without CDATA marks and comments, with references resolved. Tags inside it are kept.
    fn value(&self) -> String {
        let (mut value, mut rest) = (String::with_capacity(self.inside.len()), self.inside);
        let verbatim = VerbatimEnds::of(rest);
        while !rest.is_empty() {
            if let Some(length) = verbatim.length_at(rest) {
                let data = rest[..length].strip_prefix("<![CDATA[");
                value.push_str(data.and_then(|data| data.strip_suffix("]]>")).unwrap_or_default());
                rest = &rest[length..];
                continue;
            }
            let markup = rest.starts_with('<');
            let end = match markup {
                true => rest.find('>').map_or(rest.len(), |end| end + 1),
                false => rest.find('<').unwrap_or(rest.len()),
            };
            let (part, behind) = rest.split_at(end);
            match markup {
                true => value.push_str(part),
                false => value.push_str(&unescape_attribute(part)),
            }
            rest = behind;
        }
        value
    }

    /// The lines of its plain text, if its type is text or markup. RSS does not declare which, so markup is expected.
    fn text(&self, in_atom: bool) -> Option<String> {
        let kind = self.attribute("type").unwrap_or(if in_atom { "text" } else { "html" });
        match kind.split(';').next()?.trim().to_ascii_lowercase().as_str() {
            "xhtml" | "application/xhtml+xml" => Some(plain_lines(self.inside)),
            "text" | "text/plain" if in_atom => Some(decode_entities(&self.value())),
            kind if !kind.contains('/') || kind.starts_with("text/") => {
                Some(plain_lines(&self.value()))
            }
            _ => None,
        }
    }

    /// Its `xml:base`, resolved against its parent's; an invalid one is ignored.
    fn base(&self, parent: Option<&Url>) -> Option<Url> {
        let own = self
            .attribute("base")
            .and_then(|base| Url::options().base_url(parent).parse(base).ok());
        own.or_else(|| parent.cloned())
    }
}

/// Reads a feed. `None` if the text has no root element of a feed.
pub(crate) fn read_xml(text: &str, source: &FeedSource<'_>) -> Option<Feed> {
    let verbatim = VerbatimEnds::of(text);
    let is_root =
        |name: &str| ["rss", "rdf", "feed"].iter().any(|root| name.eq_ignore_ascii_case(root));
    let rest = &text[verbatim.find_tag(text, is_root)?..];
    let budget = rest.len().saturating_mul(MAX_READINGS);
    let mut reader = ItemReader { rest, verbatim, prefixes: HashMap::new(), budget };
    let head = reader.read_head();
    // Atom has these in the root.
    let channel = head.all("channel").next().unwrap_or(&head);
    let url = source.url.and_then(|url| Url::parse(url).ok());
    let home = find_link(channel, url.as_ref()).and_then(|home| Url::parse(&home).ok());
    // The address of the feed itself, if no other base is known.
    let mut links = channel.all("link").filter(|link| link.attribute("rel") == Some("self"));
    let own = || links.find_map(|link| Url::parse(link.attribute("href")?).ok());
    let base = head.base(home.or(url).or_else(own).as_ref());
    // The author of an RSS channel is not the author of its items.
    let authors = if head.name == "feed" { find_authors(channel) } else { Vec::new() };
    let language = find_language(channel).or_else(|| find_language(&head));
    let feed = source.id.to_owned();
    let inherited = FeedItem { authors, language, feed, ..FeedItem::default() };
    let mut feed = Feed::default();
    while let Some(item) = reader.next_item() {
        let read = |item: FeedElement<'_>| {
            convert_item(&item, item.name == "entry", base.as_ref()).ok_or(NO_LINK)
        };
        feed.add(item.and_then(read), &inherited);
    }
    Some(feed)
}

/// Converts an element to an item; `None` if it has no link.
fn convert_item(item: &FeedElement<'_>, in_atom: bool, base: Option<&Url>) -> Option<FeedItem> {
    let text = |names: &[&str]| {
        let mut texts = names.iter().filter_map(|name| item.all(name).next()?.text(in_atom));
        texts.find(|text| !text.is_empty())
    };
    let link = find_link(item, item.base(base).as_ref())?;
    // A video has its text in a group.
    let group = item.first(&["media:group"]).unwrap_or(item);
    let shown = group.first(&["media:description"]).and_then(|text| text.text(false));
    let mut tags = Vec::new();
    for tag in
        item.children.iter().filter(|child| matches!(&*child.name, "category" | "dc:subject"))
    {
        let declared = tag.attribute("label").or_else(|| tag.attribute("term"));
        add_text(
            &mut tags,
            &declared.map_or_else(|| decode_entities(&tag.value()), decode_entities),
        );
    }
    // Some write all into one.
    if let [all] = &tags[..]
        && all.matches(&LIST_SIGNS[2..]).count() > 1
    {
        let parts = all.split(&LIST_SIGNS[2..]).map(str::trim).filter(|part| !part.is_empty());
        tags = parts.map(str::to_owned).collect();
    }
    let dates = DATES.iter().flat_map(|name| item.all(name)).map(|date| date.value());
    // Skips "Tue," and other remains of a date, and the beginning of Unix time.
    let is_of_1970 = |date: &str| date.trim().starts_with("1970") || date.contains(" 1970");
    let mut dates = dates.filter(|date| date.contains(char::is_numeric) && !is_of_1970(date));
    let description = text(&["description", "summary", "dc:description"]).unwrap_or_default();
    // RSS allows a full text there (https://www.rssboard.org/rss-specification#hrelementsOfLtitemgt); excerpts are shorter.
    let is_full = !in_atom && description.len() >= 2_000 && description.lines().count() > 2;
    let full = is_full.then(|| description.clone());
    Some(FeedItem {
        link,
        title: text(&["title", "dc:title"]).unwrap_or_default().replace('\n', " "),
        description,
        content: text(&["content:encoded", "encoded", "content", "body"])
            .or_else(|| shown.filter(|text| !text.is_empty()))
            .or(full),
        authors: find_authors(item),
        published: dates.next().map(|date| plain(&date)),
        tags,
        language: find_language(item),
        feed: String::new(),
    })
}

fn find_language(element: &FeedElement<'_>) -> Option<String> {
    let stated = element.first(&["language", "dc:language"]);
    let language = element
        .attribute("lang")
        .map(str::to_owned)
        .or_else(|| stated.map(|language| plain(&language.value())))
        .or_else(|| element.first(&["content"])?.attribute("lang").map(str::to_owned));
    language.filter(|language| !language.is_empty())
}

/// Authors as written: names, or mail addresses without a name; else those in the vocabularies of podcasts and media; else those
/// of the source feed of an entry ([RFC 4287](https://www.rfc-editor.org/rfc/rfc4287#section-4.2.11)).
fn find_authors(element: &FeedElement<'_>) -> Vec<String> {
    let mut authors = named_authors(element);
    let is_author = |child: &&FeedElement<'_>| match &*child.name {
        "itunes:author" => true,
        "media:credit" => child.attribute("role").is_some_and(|role| role.trim() == "author"),
        _ => false,
    };
    if authors.is_empty() {
        let others = element.children.iter().filter(is_author);
        others.for_each(|author| add_text(&mut authors, &plain(&author.value())));
    }
    match element.first(&["source"]) {
        Some(source) if authors.is_empty() => named_authors(source),
        _ => authors,
    }
}

fn named_authors(element: &FeedElement<'_>) -> Vec<String> {
    let mut authors = Vec::new();
    let named = |child: &&FeedElement<'_>| {
        matches!(&*child.name, "author" | "dc:creator" | "creator" | "dc:author")
    };
    for author in element.children.iter().filter(named) {
        // Atom has child elements, RSS "mail (name)", the Dublin Core a name.
        let parts = ["name", "dc:name", "email"].iter().filter_map(|name| author.all(name).next());
        let mut parts = parts.map(|part| plain(&part.value())).filter(|text| !text.is_empty());
        let all = || plain(&author.value().replace("<br", ";<br"));
        add_text(&mut authors, &parts.next().unwrap_or_else(all));
    }
    authors
}

/// The link to the article: from the element's links, else its guid or id if that is an address, else its `about` (RDF), else
/// an enclosed page.
fn find_link(element: &FeedElement<'_>, base: Option<&Url>) -> Option<String> {
    let origin = element.children.iter().find(|child| child.name.ends_with(":origlink"));
    let rank = |link: &&FeedElement<'_>| {
        let rel = link.attribute("rel").unwrap_or("alternate").to_ascii_lowercase();
        let html = link.attribute("type").is_none_or(|kind| kind.contains("html"));
        (!ELSEWHERE.contains(&&*rel)).then_some((rel != "alternate", !html))
    };
    let mut links: Vec<_> =
        element.all("link").filter_map(|link| Some((rank(&link)?, link))).collect();
    links.sort_by_key(|(rank, _)| *rank);
    let href = |link: &FeedElement<'_>| {
        let base = link.base(base);
        absolute(&link.attribute("href").map_or_else(|| link.value(), str::to_owned), base.as_ref())
    };
    let is_permalink = |guid: &&FeedElement<'_>| {
        guid.attribute("ispermalink").is_none_or(|truth| truth != "false")
    };
    let ids = element.all("guid").filter(is_permalink).chain(element.all("id"));
    let about = element.attribute("about");
    let enclosed = element
        .all("enclosure")
        .filter(|e| e.attribute("type").is_some_and(|t| t.contains("html")));
    (origin.and_then(|origin| absolute(&origin.value(), None)))
        .or_else(|| links.into_iter().find_map(|(_, link)| href(link)))
        .or_else(|| ids.filter_map(|id| absolute(&id.value(), None)).next())
        .or_else(|| absolute(about?, base))
        .or_else(|| enclosed.filter_map(|page| absolute(page.attribute("url")?, base)).next())
}

struct ItemReader<'a> {
    /// The text that has not been read yet.
    rest: &'a str,
    verbatim: VerbatimEnds,
    /// Number of bytes that may still be read to find the ends of damaged items.
    budget: usize,
    /// Prefixes that the feed declares for namespaces of [`VOCABULARIES`].
    prefixes: HashMap<String, &'static str>,
}

impl<'a> ItemReader<'a> {
    /// Reads the root element up to the first item.
    fn read_head(&mut self) -> FeedElement<'a> {
        let end = self.verbatim.find_tag(self.rest, is_item).unwrap_or(self.rest.len());
        let (head, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.read_element(head).0
    }

    /// Reads the next item, or says why it cannot be read.
    fn next_item(&mut self) -> Option<Result<FeedElement<'a>, &'static str>> {
        let item = &self.rest[self.verbatim.find_tag(self.rest, is_item)?..];
        if self.budget == 0 {
            self.rest = &item[1..];
            return Some(Err("too much of the feed is damaged"));
        }
        let (element, length) = self.read_element(item);
        if length.is_err() {
            self.budget = self.budget.saturating_sub(item.len());
        }
        // After a damaged item, the next one may begin inside it.
        self.rest = &item[length.unwrap_or(1)..];
        Some(length.map(|_| element))
    }

    /// Reads the element at the start of a text, and returns it with its length. If it does not end, returns its beginning and
    /// the reason. An item also ends where the next one begins, and an end tag ends all elements inside its element.
    fn read_element(&mut self, text: &'a str) -> (FeedElement<'a>, Result<usize, &'static str>) {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut open: Vec<OpenFeedElement<'a>> = Vec::new();
        loop {
            let before = reader.buffer_position() as usize;
            let event = reader.read_event();
            let after = reader.buffer_position() as usize;
            let (closed, why) = match event {
                Ok(Event::Start(tag)) => {
                    let name = tag.name().0;
                    let in_content =
                        open.get(1).is_some_and(|inner| inner.element.name == "content");
                    let is_next =
                        |item: &OpenFeedElement<'_>| item.name == name && is_item(local_name(name));
                    if !in_content && open.first().is_some_and(is_next) {
                        return (close(&mut open, 0, before, text), Ok(before));
                    }
                    if open.len() < MAX_DEPTH {
                        open.push(OpenFeedElement {
                            element: self.begin(&tag),
                            name: name.to_owned(),
                            start: after,
                        });
                    }
                    continue;
                }
                Ok(Event::Empty(tag)) => {
                    let mut element = self.begin(&tag);
                    // Parsers of HTML know `link` as an element without content.
                    if element.name == "link" {
                        element.inside = text[after..].split('<').next().unwrap_or_default();
                    }
                    match open.last_mut() {
                        Some(parent) => parent.element.children.push(element),
                        None => return (element, Ok(after)),
                    }
                    continue;
                }
                Ok(Event::End(tag)) => {
                    let Some(at) = open.iter().rposition(|open| open.name == tag.name().0) else {
                        continue;
                    };
                    (at, None)
                }
                Ok(Event::Eof) => (0, Some("the feed ends inside it")),
                Err(_) => (0, Some("its markup is not closed")),
                Ok(_) => continue,
            };
            let element = match open.is_empty() {
                true => FeedElement::default(),
                false => close(&mut open, closed, before, text),
            };
            match (why, open.last_mut()) {
                (Some(why), _) => return (element, Err(why)),
                (None, None) => return (element, Ok(after)),
                (None, Some(parent)) => parent.element.children.push(element),
            }
        }
    }

    /// Creates an element from its start tag, without content.
    fn begin(&mut self, tag: &BytesStart<'_>) -> FeedElement<'a> {
        let mut attributes = Vec::new();
        for attribute in tag.html_attributes().with_checks(false).filter_map(Result::ok) {
            let value = unescape_attribute(&*attribute.value).into_owned();
            let name = attribute.key.0;
            if let Some(prefix) = name.strip_prefix("xmlns:")
                && let Some((known, _)) = VOCABULARIES.iter().find(|(_, part)| value.contains(part))
                && self.prefixes.len() < 100
            {
                self.prefixes.insert(prefix.to_owned(), known);
            }
            attributes.push((local_name(name).to_ascii_lowercase(), value));
        }
        let name = tag.name().0;
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let prefix = match self.prefixes.get(prefix) {
            Some(known) => known,
            None if matches!(prefix, "atom" | "rss" | "rdf") => "",
            None => prefix,
        };
        let name = match prefix {
            "" => local.to_ascii_lowercase(),
            _ => format!("{prefix}:{local}").to_ascii_lowercase(),
        };
        FeedElement { name, attributes, ..FeedElement::default() }
    }
}

/// An element whose end has not been read yet.
struct OpenFeedElement<'a> {
    element: FeedElement<'a>,
    /// Its name as written.
    name: String,
    /// Where its content begins.
    start: usize,
}

/// Closes the open elements from index `from` on at a byte of the text, and returns the outermost of them.
fn close<'a>(
    open: &mut Vec<OpenFeedElement<'a>>,
    from: usize,
    end: usize,
    text: &'a str,
) -> FeedElement<'a> {
    let mut inner: Option<FeedElement<'a>> = None;
    for OpenFeedElement { mut element, start, .. } in open.drain(from..).rev() {
        element.inside = text.get(start..end).unwrap_or_default();
        element.children.extend(inner);
        inner = Some(element);
    }
    inner.unwrap_or_default()
}

fn is_item(local_name: &str) -> bool {
    ["item", "entry"].iter().any(|name| local_name.eq_ignore_ascii_case(name))
}

fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The last ends of CDATA sections and comments in a text, so that a missing end is not searched for repeatedly.
struct VerbatimEnds {
    /// Number of bytes after the last end of a CDATA section.
    cdata: usize,
    /// Number of bytes after the last end of a comment.
    comment: usize,
}

impl VerbatimEnds {
    fn of(text: &str) -> Self {
        let behind = |end: &str| text.rfind(end).map_or(usize::MAX, |at| text.len() - at);
        Self { cdata: behind("]]>"), comment: behind("-->") }
    }

    /// The length of the CDATA section or comment at the start of the rest of the text; `None` if it has no end.
    fn length_at(&self, rest: &str) -> Option<usize> {
        let (end, last) = match rest {
            _ if rest.starts_with("<![CDATA[") => ("]]>", self.cdata),
            _ if rest.starts_with("<!--") => ("-->", self.comment),
            _ => return None,
        };
        let at = if rest.len() > last { rest.find(end) } else { None };
        at.map(|at| at + end.len())
    }

    /// The position in the rest of the text of the next start tag whose local name is `wanted`.
    fn find_tag(&self, rest: &str, wanted: impl Fn(&str) -> bool) -> Option<usize> {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        let mut at = 0;
        loop {
            at += memchr(b'<', &rest.as_bytes()[at..])?;
            let tag = &rest[at..];
            let length = tag.as_bytes()[1..].iter().take(MAX_NAME).position(ends);
            let name = length.and_then(|length| tag.get(1..=length));
            if name.is_some_and(|name| wanted(local_name(name))) {
                return Some(at);
            }
            at += self.length_at(tag).unwrap_or(1);
        }
    }
}

/// Escapes each `<` that does not begin markup, outside of CDATA and comments.
pub(crate) fn escape_signs(text: &str) -> Cow<'_, str> {
    let begins = |c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?' | '_');
    let verbatim = VerbatimEnds::of(text);
    let mut escaped = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = memchr(b'<', &text.as_bytes()[at..]) {
        at += found;
        let rest = &text[at..];
        if !rest[1..].starts_with(begins) {
            escaped.push_str(&text[copied..at]);
            escaped.push_str("&lt;");
            copied = at + 1;
        }
        at += verbatim.length_at(rest).unwrap_or(1);
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(escaped + &text[copied..]),
    }
}
