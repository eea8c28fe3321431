//! Pages, feed items and sites.

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use serde::de::{Error, Visitor};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_128;

use crate::record::record;
use crate::{PageNotes, named};

/// One HTML page: the decoded payload of one record, with its origin.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Page {
    /// Absolute URL that the page was fetched from, as in the record.
    pub url: String,
    /// Key of the site the page belongs to (see [`Site::key`]); empty until grouped.
    pub site: String,
    /// When the page was fetched, if the record has a date.
    pub fetched: Option<Timestamp>,
    /// The origin of the record.
    pub origin: Origin,
    /// Character set the payload was decoded with.
    pub charset: Charset,
    /// Data that came with the page in addition to its HTML, if any.
    pub notes: Option<Box<PageNotes>>,
    /// The payload, decoded to UTF-8.
    pub html: PageHtml,
}

/// The HTML of a page. It may borrow a buffer of Python or Arrow; cloning a page never copies it.
#[derive(Clone)]
pub struct PageHtml(Arc<OwnedHtml<dyn AsRef<str> + Send + Sync>>);

struct OwnedHtml<T: ?Sized> {
    digest: OnceLock<u128>,
    owner: T,
}

impl PageHtml {
    /// Wraps the owner of an HTML text.
    pub fn new(owner: impl AsRef<str> + Send + Sync + 'static) -> Self {
        Self(Arc::new(OwnedHtml { digest: OnceLock::new(), owner }))
    }

    /// The XXH3-128 of the HTML, computed once for all clones.
    pub fn digest(&self) -> u128 {
        *self.0.digest.get_or_init(|| xxh3_128(self.as_bytes()))
    }
}

impl Deref for PageHtml {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.owner.as_ref()
    }
}

impl Default for PageHtml {
    fn default() -> Self {
        Self::new("")
    }
}

impl From<String> for PageHtml {
    fn from(html: String) -> Self {
        Self::new(html)
    }
}

impl From<&str> for PageHtml {
    fn from(html: &str) -> Self {
        Self::new(html.to_owned())
    }
}

impl PartialEq for PageHtml {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for PageHtml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for PageHtml {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for PageHtml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

record! {
/// The position of a record or feed: enough to find it again with other tools.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(default)]
pub struct Origin {
    /// Path or address of the input, as given.
    #[serde(deserialize_with = "shared_name")]
    pub file: Arc<str>,
    /// Byte offset: of the gzip member in `.gz`, of the record in plain archives, 0 in single files.
    pub offset: u64,
    /// `WARC-Record-ID` without angle brackets.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub record_id: String,
    /// `WARC-Truncated`: the crawler kept only a part; or `cut-short`: the archive ends within the record, or the body of the
    /// answer before its declared end; or, where the answer of the server has no article, `rendering` (what a browser made of
    /// it, `urn:dom:URL` and the like) or `rendered-text` (the text that a browser showed, `urn:text:URL` and the like).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
}
}

impl Origin {
    /// Value of `truncated` for a record with the page as a browser rendered it.
    pub const RENDERING: &str = "rendering";
    /// Value of `truncated` for a record with only the text that a browser showed.
    pub const RENDERED_TEXT: &str = "rendered-text";

    /// Whether the record has the output of a browser, not the response of the server.
    pub fn is_rendering(&self) -> bool {
        matches!(self.truncated.as_deref(), Some(Self::RENDERING | Self::RENDERED_TEXT))
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // Records omit unknown values; formats without names of fields need every field.
        let in_full = !to.is_human_readable();
        let has_id = in_full || !self.record_id.is_empty();
        let is_cut = in_full || self.truncated.is_some();
        let mut to =
            to.serialize_struct("Origin", 2 + usize::from(has_id) + usize::from(is_cut))?;
        to.serialize_field("file", &self.file)?;
        to.serialize_field("offset", &self.offset)?;
        if has_id {
            to.serialize_field("record_id", &self.record_id)?;
        }
        if is_cut {
            to.serialize_field("truncated", &self.truncated)?;
        }
        to.end()
    }
}

/// Character set of a payload, and how it was determined.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Charset {
    /// Name of the encoding per the WHATWG Encoding Standard, e.g. `UTF-8`, `windows-1252`; or
    /// `UTF-32LE` or `UTF-32BE`, which that standard leaves out.
    #[serde(deserialize_with = "charset_name")]
    pub name: EncodingName,
    /// The evidence for it.
    pub evidence: CharsetEvidence,
    /// Contradicting declarations.
    pub overruled: Overruled,
}

/// Name of an encoding per the WHATWG Encoding Standard, e.g. `UTF-8`, `windows-1252`.
pub type EncodingName = &'static str;

record! {
/// The encodings of declarations that were overruled.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default)]
pub struct Overruled {
    /// The encoding that the HTTP `Content-Type` names.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "charset_name_or_none")]
    pub http: Option<EncodingName>,
    /// Likewise the page's `<meta>`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "charset_name_or_none")]
    pub meta: Option<EncodingName>,
    /// Likewise the XML declaration.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "charset_name_or_none")]
    pub xml: Option<EncodingName>,
}
}

impl Overruled {
    /// All overruled encodings.
    pub fn all(&self) -> impl Iterator<Item = EncodingName> + use<> {
        [self.http, self.meta, self.xml].into_iter().flatten()
    }

    /// Whether no declaration was overruled.
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }
}

impl Serialize for Overruled {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { http, meta, xml } = self;
        if to.is_human_readable() {
            let all = [("http", http), ("meta", meta), ("xml", xml)];
            to.collect_map(all.into_iter().filter(|(_, name)| name.is_some()))
        } else {
            [http, meta, xml].serialize(to)
        }
    }
}

/// Deserialises the name of a file; consecutive records of one file share it.
fn shared_name<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    thread_local! {
        static LAST: RefCell<Arc<str>> = RefCell::new(Arc::from(""));
    }
    struct FileNameVisitor;
    impl Visitor<'_> for FileNameVisitor {
        type Value = Arc<str>;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("the name of a file")
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<Arc<str>, E> {
            LAST.with_borrow_mut(|last| {
                if **last != *name {
                    *last = name.into();
                }
                Ok(Arc::clone(last))
            })
        }
    }
    from.deserialize_str(FileNameVisitor)
}

/// Deserialises the name of an encoding as a static name.
pub(crate) fn charset_name<'de, D: Deserializer<'de>>(from: D) -> Result<EncodingName, D::Error> {
    known(&String::deserialize(from)?)
}

fn charset_name_or_none<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<EncodingName>, D::Error> {
    Option::<String>::deserialize(from)?.map(|name| known(&name)).transpose()
}

fn known<E: Error>(name: &str) -> Result<EncodingName, E> {
    match name {
        "UTF-32LE" => Ok("UTF-32LE"),
        "UTF-32BE" => Ok("UTF-32BE"),
        _ => encoding_rs::Encoding::for_label(name.as_bytes())
            .map(encoding_rs::Encoding::name)
            .ok_or_else(|| E::custom("no such encoding")),
    }
}

named! {
/// Evidence for a character set.
#[derive(Default)]
pub enum CharsetEvidence {
    /// A byte order mark.
    Bom => "bom",
    /// The zero bytes of UTF-16 or UTF-32.
    ZeroBytes => "zero-bytes",
    /// The `charset` parameter of the HTTP `Content-Type`.
    Http => "http",
    /// A `<meta charset>` or `<meta http-equiv>`.
    Meta => "meta",
    /// The XML declaration.
    Xml => "xml",
    /// No declaration, or a wrong one, and the bytes are valid UTF-8.
    #[default]
    ValidUtf8 => "valid-utf8",
    /// No declaration, or a wrong one, and the bytes are UTF-8 except for a few invalid ones.
    MostlyUtf8 => "mostly-utf8",
    /// A statistical guess from the bytes.
    Detector => "detector",
}
}

record! {
/// One item (RSS) or entry (Atom, JSON Feed). Text fields are plain text, without markup.
#[derive(Clone, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct FeedItem {
    /// Absolute URL the item points to.
    pub link: String,
    /// Title, or empty.
    pub title: String,
    /// Description or summary, or empty.
    pub description: String,
    /// Full text (`content:encoded`, Atom `content`) as plain text, if the feed has it.
    pub content: Option<String>,
    /// The item's authors as written ("Jane Doe", "jane@example.org (Jane Doe)").
    pub authors: Vec<String>,
    /// When the item was published (or else updated), as written.
    pub published: Option<String>,
    /// Categories.
    pub tags: Vec<String>,
    /// Language of the item or of its feed, as declared (BCP 47).
    pub language: Option<String>,
    /// Identity of the feed: its file name or record URL. Items of one feed are siblings.
    pub feed: String,
}
}

/// All pages and feed items of one site: the unit of memory, parallelism and output.
#[derive(Clone, Debug)]
pub struct Site {
    /// Registrable domain (`example.co.uk`), or the host if the public suffix is a private one
    /// (`someone.blogspot.com`), or the bare host or address if there is no suffix.
    pub key: String,
    /// Pages sorted by (url, record id, file, offset).
    pub pages: Vec<Page>,
    /// Feed items that lead to this site, sorted.
    pub feed_items: Vec<FeedItem>,
}
